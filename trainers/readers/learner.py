"""A reader with its data: what the loop trains, how it is kept in a folder, and how it answers again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from dnc_datasets.problem import Problem
from dnc_trainers import checkpoint, loop, readers
from dnc_trainers.batches import training_order
from dnc_trainers.checkpoint import CheckpointError
from dnc_trainers.readers import encoding
from dnc_trainers.readers.reader import Batch, Reader
from dnc_trainers.readers.reading import Reading, Reply, Scored, score


class TrainedReader:
    """A reader with its settings and weights, that answers."""

    def __init__(self, config: Reading, model: Reader) -> None:
        self.config, self.model = config, model
        self._accelerator: Any = None

    def answers(self, problems: Iterable[Any], *, accelerator: Any = None) -> list[Reply]:
        """A reply for every problem, in order; a problem may be a row of a config, or a text with its question."""
        from dnc_trainers.trained import as_problem

        read = [as_problem(problem, at) for at, problem in enumerate(problems)]
        if accelerator is None:
            accelerator = self._accelerator = self._accelerator or loop.make_accelerator(self.config)
        return self.predict([self.model.example(problem) for problem in read], accelerator)

    @torch.no_grad()
    def predict(self, examples: Sequence[Any], accelerator: Any) -> list[Reply]:
        """A reply for every example, in order; the work is shared by all processes."""
        from accelerate.utils import gather_object

        self.model.eval()
        self.model.to(accelerator.device)
        rows = sorted(range(len(examples)), key=lambda row: len(examples[row].ids))
        size = self.config.eval_batch
        batches = [rows[at : at + size] for at in range(0, len(rows), size)]
        made: list[tuple[int, Reply]] = []
        for mine in batches[accelerator.process_index :: accelerator.num_processes]:
            batch = self.model.collate([examples[row] for row in mine]).to(accelerator.device)
            made += zip(mine, self.model.replies(batch), strict=True)
        by_row = dict(gather_object(made) if accelerator.num_processes > 1 else made)
        return [by_row[row] for row in range(len(examples))]


class ReaderLearner:
    """A reader and the problems that it is trained and validated on."""

    def __init__(
        self, config: Reading, train: Sequence[Problem], validation: Sequence[Problem], name: str = "data"
    ) -> None:
        from dnc_trainers.solving import data_fingerprint

        self.config = config
        kind = readers.get(config.reader)
        words: Sequence[str] = ()
        if not config.encoder:
            every = (word for problem in train for word in kind.words(problem))
            words = encoding.vocabulary(every, config.least_word_count)
        loop.seed_torch(config.seed, "weights")
        self.pieces = encoding.Pieces(config, words)
        self.reader = kind(config, self.pieces)
        self.model: nn.Module = self.reader
        self.trained = TrainedReader(config, self.reader)
        self.train = [self.reader.example(problem) for problem in train] if kind.learns else []
        self.validation = list(validation)
        self._validation = [self.reader.example(problem) for problem in validation]
        self.dropped = sum(example.labels is None for example in self.train)
        self.name = f"{config.reader} on {name} ({data_fingerprint(train, validation)})"

    def order(self, epoch: int) -> list[list[int]]:
        """The rows of every batch of an epoch."""
        rows = [row for row, example in enumerate(self.train) if example.labels is not None]
        lengths = [(len(example.ids), 0) for example in self.train]
        return training_order(rows, lengths, self.config.batch, self.config.seed, epoch)

    def batch(self, rows: Sequence[int], device: torch.device) -> Batch:
        """These training rows as a batch."""
        return self.reader.collate([self.train[row] for row in rows]).to(device)

    def validate(self, accelerator: Any) -> dict[str, float]:
        """Answer accuracy on the validation problems."""
        replies = self.trained.predict(self._validation, accelerator)
        scored = [score(p, reply) for p, reply in zip(self.validation, replies, strict=True)]
        return {"accuracy": sum(one.correct for one in scored) / max(len(scored), 1)}

    def solve(
        self, problems: Sequence[Problem], *, beam: int | None = None, accelerator: Any = None
    ) -> list[Scored]:
        """A scored answer for every problem, in order; the work is shared by all processes."""
        replies = self.trained.answers(problems, accelerator=accelerator)
        return [score(p, reply) for p, reply in zip(problems, replies, strict=True)]

    def unread(self, problems: Sequence[Problem]) -> int:
        """How many of these problems lost something that their answer needs to the encoder's limit."""
        return sum(self.reader.lost(problem) for problem in problems)

    def baselines(self, problems: Sequence[Problem]) -> dict[str, float]:
        """The accuracy of each of the reader's baselines on these problems."""
        return {
            name: sum(score(p, baseline(p)).correct for p in problems) / max(len(problems), 1)
            for name, baseline in self.reader.baselines.items()
        }

    def measures(self, problems: Sequence[Problem], scored: Sequence[Scored]) -> dict[str, float]:
        """What the reader scores beside its answers; and, over several answer types or turns, answers by each."""
        made: dict[str, float] = {}
        for name, part in (("type", _type), ("turn", _turn)):
            groups: dict[str, list[bool]] = {}
            for problem, one in zip(problems, scored, strict=True):
                groups.setdefault(part(problem), []).append(one.correct)
            if len(groups) > 1:
                made |= {f"{name} {key}": sum(g) / len(g) for key, g in sorted(groups.items())}
        if self.config.probes:
            blind = {
                "no passage": [p.replace(segments=(), body="", table=()) for p in problems],
                "no history": [p.replace(history=()) for p in problems],
            }
            for name, asked in blind.items():
                changed = [b for b, p in zip(asked, problems, strict=True) if b != p and b.question]
                if changed:
                    made[name] = sum(one.correct for one in self.solve(changed)) / len(changed)
        return made | self.reader.measures(problems, scored)

    def save(self, folder: Path, record: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
        """Leave the weights, and with them what `load_reader` needs."""
        checkpoint.save(
            folder, loop.MODEL, self.model.state_dict(), {**record, **encoding.record(self.pieces)}
        )

    def load(self, folder: Path) -> None:
        """Take the weights that `save` has left."""
        found = checkpoint.load(folder, loop.MODEL)
        assert found
        self.model.load_state_dict(found[0])


def _type(problem: Problem) -> str:
    return problem.note("type") or problem.answer_type


def _turn(problem: Problem) -> str:
    return f"{len(problem.history) + 1:02d}"


def load_reader(folder: Path, tensors: Mapping[str, Any], record: Mapping[str, Any]) -> TrainedReader:
    """The reader that `ReaderLearner.save` has left in a run's folder."""
    try:
        settings = record["settings"]
        config = readers.default_config(settings["reader"]).with_settings(settings)
        words = [str(word) for word in record["vocabulary"]]
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{folder} cannot be read as a reader of this version ({error}); train it again in another folder"
        ) from error
    model = readers.get(config.reader)(config, encoding.Pieces(config, words))
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        raise CheckpointError(
            f"{folder}: the weights do not fit the reader {config.reader!r} of its settings; "
            "train it again in another folder"
        ) from error
    return TrainedReader(config, model)


def train(
    config: Reading,
    training: Sequence[Problem],
    validation: Sequence[Problem],
    *,
    name: str = "data",
    folder: Path | None = None,
    accelerator: Any = None,
    progress: Any = lambda note: None,
) -> tuple[ReaderLearner, loop.History]:
    """Train a reader (or load it, if this run is already in the folder): `solving.train` for readers."""
    accelerator = accelerator or loop.make_accelerator(config)
    learner = ReaderLearner(config, training, validation, name)
    if learner.reader.learns:
        return learner, loop.fit(learner, config, folder, accelerator=accelerator, progress=progress)
    history = loop.History(best=learner.validate(accelerator)["accuracy"])
    if folder and accelerator.is_main_process:
        record = {"config": config.fingerprint(), "learner": learner.name, "history": vars(history)}
        learner.save(folder, {**record, "settings": config.to_dict()}, {})
    return learner, history

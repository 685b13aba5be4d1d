"""A reader with its data: trained by the loop, stored in a folder, and used for inference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from dnc_datasets.problem import Problem
from dnc_trainers import checkpoint, loop, processes, readers, tensor_file
from dnc_trainers.checkpoint import CheckpointError
from dnc_trainers.learning import ProblemLearner
from dnc_trainers.readers import encoding
from dnc_trainers.readers.reader import Examples, Reader
from dnc_trainers.readers.replies import Reading, Reply, Scored, score


class TrainedReader:
    """A reader with its settings and weights, for inference."""

    def __init__(self, config: Reading, model: Reader) -> None:
        self.config, self.model = config, model
        self._accelerator: Any = None

    def answers(self, problems: Iterable[Any], *, accelerator: Any = None) -> list[Reply]:
        """Return a reply for every problem, in order; a problem may also be a row of a config, or a text."""
        from dnc_trainers.trained import as_problem

        read = [as_problem(problem, at) for at, problem in enumerate(problems)]
        if accelerator is None:
            accelerator = self._accelerator = self._accelerator or loop.make_accelerator(self.config)
        return self.predict(Examples(self.model, read), accelerator)

    @torch.no_grad()
    def predict(self, examples: Examples, accelerator: Any) -> list[Reply]:
        """Return a reply for every example, in order; all processes share the work."""
        self.model.eval()
        self.model.to(accelerator.device)
        by_row = processes.shared(
            examples.by_length(self.config.eval_batch),
            lambda rows: self.model.replies(examples.batch(rows).to(accelerator.device)),
            accelerator,
        )
        return [by_row[row] for row in range(len(examples.problems))]


class ReaderLearner(ProblemLearner[Reading, Scored]):
    """A reader and the problems that it is trained and validated on."""

    train: Examples

    def __init__(
        self, config: Reading, train: Sequence[Problem], validation: Sequence[Problem], name: str = "data"
    ) -> None:
        super().__init__(config, train, validation, name)
        kind = readers.get(config.reader)
        words: Sequence[str] = ()
        if not config.encoder:
            every = (word for problem in train for word in kind.words(problem))
            words = encoding.vocabulary(every, config.least_word_count)
        self.pieces = encoding.Pieces(config, words)
        self.model = self.reader = kind(config, self.pieces)
        self.trained = TrainedReader(config, self.reader)
        self.train = self.examples(train if kind.learns else [])
        self.validated = self.examples(validation)
        self.dropped = sum(example.labels is None for example in self.train.examples)

    def examples(self, problems: Sequence[Problem]) -> Examples:
        """Return the problems as examples for the reader."""
        return Examples(self.reader, problems)

    def answers(self, examples: Examples, beam: int, accelerator: Any) -> list[Scored]:
        """Return a scored answer for every example, in order; `beam` is ignored."""
        replies = self.trained.predict(examples, accelerator)
        return [score(problem, reply) for problem, reply in zip(examples.problems, replies, strict=True)]

    def unread(self, problems: Sequence[Problem]) -> int:
        """Return the number of problems that lose evidence for their answer to the encoder's limit."""
        return sum(self.reader.lost(problem) for problem in problems)

    def baselines(self, problems: Sequence[Problem]) -> dict[str, float]:
        """Return the accuracy of each of the reader's baselines on these problems."""
        return {
            name: sum(score(p, baseline(p)).correct for p in problems) / max(len(problems), 1)
            for name, baseline in self.reader.baselines.items()
        }

    def measures(self, problems: Sequence[Problem], answers: Sequence[Scored]) -> dict[str, float]:
        """Return accuracies by type and turn and without parts of the problem, and the reader's measures."""
        measures = super().measures(problems, answers)
        if self.config.probes:
            blind = {
                "no passage": [p.replace(segments=(), body="", table=()) for p in problems],
                "no history": [p.replace(history=()) for p in problems],
            }
            for name, reduced in blind.items():
                changed = [b for b, p in zip(reduced, problems, strict=True) if b != p and b.question]
                if changed:
                    measures[name] = sum(one.correct for one in self.solve(changed)) / len(changed)
        return measures | self.reader.measures(problems, answers)

    def run(self, folder: Path | None, accelerator: Any, progress: Callable[[str], None]) -> loop.History:
        """Train the reader; one without trainable weights is only validated and saved."""
        if self.reader.learns:
            return super().run(folder, accelerator, progress)
        history = loop.History(best=self.validate(accelerator)["accuracy"])
        if folder and accelerator.is_main_process:
            record = {"config": self.config.fingerprint(), "learner": self.name, "history": vars(history)}
            record |= {"rows_sha256": self.rows_sha256, "settings_sha256": self.config.digest()}
            self.save(folder, {**record, "settings": self.config.to_dict()}, {})
        return history

    def save(self, folder: Path, record: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
        """Save the weights, and the values that `load_reader` needs."""
        checkpoint.save(
            folder, loop.MODEL, self.model.state_dict(), {**record, **encoding.record(self.pieces)}
        )

    def load(self, folder: Path) -> None:
        """Load the weights that `save` wrote."""
        loaded = checkpoint.load(folder, loop.MODEL)
        assert loaded
        self.model.load_state_dict(loaded[0])


def load_reader(folder: Path, tensors: Mapping[str, Any], record: Mapping[str, Any]) -> TrainedReader:
    """Return the reader that `ReaderLearner.save` wrote to a run's folder."""
    try:
        settings = record["settings"]
        config = readers.default_config(settings["reader"]).with_settings(settings)
        words = [str(word) for word in record["vocabulary"]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(
            f"{folder} cannot be read as a reader of this version ({error!s:.300}); train it again in another folder"
        ) from error
    try:
        pieces = encoding.Pieces(config, words)
        model = tensor_file.model(config, tensors, lambda: readers.get(config.reader)(config, pieces))
    except tensor_file.NO_MODEL as error:
        raise CheckpointError(
            f"{folder}: the weights do not fit the reader {config.reader!r} of its settings ({error!s:.300}); "
            "train it again in another folder"
        ) from error
    return TrainedReader(config, model)


train = ReaderLearner.fit

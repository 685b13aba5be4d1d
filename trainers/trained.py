"""A solver for inference, loaded from the folder of its run or in training; makes all predictions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import nn

from dnc_datasets import atomic
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem, from_row
from dnc_trainers import checkpoint, loop, processes, solvers, tensor_file
from dnc_trainers.batches import IGNORED, Examples
from dnc_trainers.checkpoint import CheckpointError
from dnc_trainers.config import Config
from dnc_trainers.representation import Prediction, Representation, Vocabulary
from dnc_trainers.solvers.solver import Solver

if TYPE_CHECKING:
    from dnc_trainers.finetuning.trained import TrainedWriter
    from dnc_trainers.readers.learner import TrainedReader

_VOCABULARY = "vocabulary.json"


class TrainedSolver:
    """A solver with the settings and the vocabulary that it was trained with."""

    def __init__(self, config: Config, representation: Representation, model: nn.Module) -> None:
        self.config = config
        self.representation = representation
        self.model = model
        self._accelerator: Any = None

    def answers(
        self,
        problems: Iterable[Problem | Mapping[str, Any] | str],
        *,
        beam: int | None = None,
        accelerator: Any = None,
    ) -> list[Prediction]:
        """Return a prediction for every problem, in order; `beam` overrides the config's.

        A problem may also be a row of a config as `load_dataset` returns it, or a text with its question.
        `value` is the exact answer, or None if the decoded equation has none. `equation` is its infix text.
        """
        read = [as_problem(problem, at) for at, problem in enumerate(problems)]
        return self.predict(self.examples(read), beam or self.config.beam, accelerator)

    def examples(self, problems: Sequence[Problem]) -> Examples:
        """Return the problems as examples for the solver."""
        return Examples(
            self.representation.examples(problems),
            graphs=solvers.get(self.config.solver).needs_graphs,
            tokens=bool(self.config.encoder),
        )

    def predict(self, examples: Examples, beam: int, accelerator: Any = None) -> list[Prediction]:
        """Return a prediction for every example, in order; all processes share the work."""
        if accelerator is None:
            accelerator = self._accelerator = self._accelerator or loop.make_accelerator(self.config)
        model = self.model
        assert isinstance(model, Solver)
        model.eval()
        model.to(accelerator.device)

        def decoded(rows: Sequence[int]) -> Iterator[list[tuple[list[int], float]]]:
            sequences, scores = model.decode(examples.batch(rows).to(accelerator.device), beam)
            for padded, likely in zip(sequences.tolist(), scores.tolist(), strict=True):
                unpadded = ([i for i in ids if i != IGNORED] for ids in padded)
                yield [(ids, score) for ids, score in zip(unpadded, likely, strict=True) if ids]

        by_row = processes.shared(examples.by_length(self.config.eval_batch), decoded, accelerator)
        return [
            self.representation.choose(by_row[row], example.text.values)
            for row, example in enumerate(examples.examples)
        ]


def as_problem(given: Problem | Mapping[str, Any] | str, at: int) -> Problem:
    """Return an argument of `answers` as a problem."""
    if isinstance(given, str):
        return Problem(str(at), "", given)
    return given if isinstance(given, Problem) else from_row({"id": str(at), **given})


def save_vocabulary(folder: Path, learner: str, vocabulary: Vocabulary) -> dict[str, str]:
    """Write the vocabulary that `load_solver` reads; return its checksum, for the record of the weights.

    `learner` identifies the run.
    """
    text = json.dumps({"learner": learner, "vocabulary": vocabulary.to_json()}, indent=1) + "\n"
    atomic.write_text(folder / _VOCABULARY, text)
    return {_VOCABULARY: sha256(text.encode()).hexdigest()}


def load_solver(folder: Path) -> TrainedSolver | TrainedReader | TrainedWriter:
    """Load the solver, reader or fine-tuned model of a run's folder, as `dnc research train` writes it."""
    from dnc_trainers.readers.learner import load_reader

    record = _finished_record(folder)
    if record.get("folder") == loop.MODEL:
        from dnc_trainers.finetuning.trained import load_writer

        return load_writer(folder, record)
    tensors = checkpoint.read(folder, loop.MODEL, record)
    settings = record.get("settings")
    if isinstance(settings, dict) and "reader" in settings:
        return load_reader(folder, tensors, record)
    path = folder / _VOCABULARY
    try:
        config = Config().with_settings(record["settings"])
        data = checkpoint.read_bounded(path)
        words = json.loads(data)
        vocabulary, learner = Vocabulary.from_json(words["vocabulary"]), words["learner"]
    except FileNotFoundError as error:
        raise CheckpointError(
            f"{folder} has no {_VOCABULARY}, as a run of an earlier version; run its training command again "
            "with another --results folder, which writes the file without training again"
        ) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CheckpointError(
            f"{folder} cannot be read as a solver of this version ({error!s:.300}); train it again in another folder"
        ) from error
    if learner != record.get("learner"):
        raise CheckpointError(
            f"{path} belongs to another run ({learner!s:.80}) than the weights ({record.get('learner')!s:.80}); "
            "do not mix files of several runs"
        )
    if sha256(data).hexdigest() != record.get(_VOCABULARY):
        raise CheckpointError(
            f"{path} is damaged: its checksum is not the one in {loop.MODEL}.json; run its training command again "
            "with another --results folder, which writes the file without training again"
        )
    try:
        model = tensor_file.model(config, tensors, lambda: solvers.build(config, vocabulary))
        representation = Representation(config, vocabulary)
    except tensor_file.NO_MODEL as error:
        raise CheckpointError(
            f"{folder}: the weights do not fit the solver {config.solver!r} of its settings ({error!s:.300}); "
            "train it again in another folder"
        ) from error
    return TrainedSolver(config, representation, model)


def _finished_record(folder: Path) -> dict[str, Any]:
    """Return the record of a finished run."""
    if not folder.is_dir():
        raise DncError(
            f"there is no folder {folder}; `dnc research train` prints the folder of its solver (./runs/...)"
        )
    record = checkpoint.load_record(folder, loop.MODEL)
    if record is not None:
        return record
    if (folder / "last.json").exists():
        raise CheckpointError(
            f"{folder} holds a run that has not ended; run its `dnc research train` command again"
        )
    inside = sorted(path.parent.name for path in folder.glob(f"*/{loop.MODEL}.json"))
    hint = (
        f"did you mean one of the runs in it ({', '.join(inside[:3])}{', ...' if inside[3:] else ''})?"
        if inside
        else "give a folder that `dnc research train` wrote (./runs/...)"
    )
    raise CheckpointError(f"{folder} holds no trained solver; {hint}")


def text_model(folder: Path) -> Callable[[Sequence[str]], list[str]]:
    """Return a solver as a function from texts to exact answers (empty without one), for attacks."""
    solver = load_solver(folder)

    def answer(texts: Sequence[str]) -> list[str]:
        return [one.text for one in solver.answers(texts)]

    return answer

"""A fine-tuned model for inference, loaded from the folder of its run."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dnc_datasets import filesystem
from dnc_datasets.english.reading import problem_text
from dnc_datasets.problem import Problem
from dnc_trainers import checkpoint, loop, tensor_file
from dnc_trainers.checkpoint import CheckpointError
from dnc_trainers.config import ConfigError
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.finetuning.learner import FinetuneLearner
from dnc_trainers.readers.replies import Reply
from dnc_trainers.representation import Prediction

_LARGEST = 10_000_000  # no size in a config is larger, unlike a version or an id


class TrainedWriter:
    """A fine-tuned model with the settings that determine its inputs and the reading of its outputs."""

    def __init__(self, learner: FinetuneLearner) -> None:
        self.config, self._learner = learner.config, learner
        self._accelerator: Any = None

    def answers(
        self,
        problems: Iterable[Problem | Mapping[str, Any] | str],
        *,
        beam: int | None = None,
        accelerator: Any = None,
    ) -> list[Prediction | Reply]:
        """Return a prediction for every problem, in order; words if the question does not ask for a number.

        A problem may also be a row of a config as `load_dataset` returns it, or a text, which is split into
        body and question.
        """
        from dnc_trainers.trained import as_problem

        read = [as_problem(_split_text(one, at), at) for at, one in enumerate(problems)]
        if accelerator is None:
            accelerator = self._accelerator = self._accelerator or loop.make_accelerator(self.config)
        return self._learner.predictions(self._learner.examples(read), beam or self.config.beam, accelerator)


def load_writer(folder: Path, record: Mapping[str, Any]) -> TrainedWriter:
    """Load the model of a run's folder of `dnc research finetune` or `dnc research protocol --model`."""
    FinetuneLearner.check(folder, record)
    try:
        config = Finetuning().with_settings(record["settings"])
    except (ConfigError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(
            f"{folder} cannot be read as a fine-tuned model of this version ({error}); train it again in another "
            "folder"
        ) from error
    place = folder / loop.MODEL
    # LoRA's matrices are merged into the saved weights.
    own = dataclasses.replace(config, model=str(place), lora=0, checkpointing=False)
    try:
        _check_weights(place)
        return TrainedWriter(FinetuneLearner(own, [], []))
    except tensor_file.NO_MODEL as error:
        raise CheckpointError(
            f"{place} cannot be read as a fine-tuned model ({error!s:.300}); train it again in another folder"
        ) from error


def _check_weights(place: Path) -> None:
    """Raise an error for weights that are not finite, and for sizes in the config that exceed these files."""
    numbers = 0
    for path in sorted(place.glob("*.safetensors")):
        tensors = checkpoint.tensors_of(filesystem.read_regular(path))
        tensor_file.check_finite(tensors)
        numbers += sum(tensor.numel() for tensor in tensors.values())
    try:
        about = json.loads(checkpoint.read_bounded(place / "config.json"))
    except (OSError, ValueError, RecursionError) as error:
        raise tensor_file.FitError(f"config.json: {type(error).__name__}") from error
    for name, value in about.items() if isinstance(about, dict) else ():
        if type(value) is int and value > max(numbers, _LARGEST):
            raise tensor_file.FitError(
                f"config.json: {name} is {value}, and the weights have {numbers} numbers"
            )


def _split_text(problem: Problem | Mapping[str, Any] | str, at: int) -> Problem | Mapping[str, Any] | str:
    if not isinstance(problem, str):
        return problem
    return Problem(str(at), *problem_text.split_problem(problem))

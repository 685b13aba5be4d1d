"""A fine-tuned model that answers, loaded from the folder of its run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dnc_datasets.english.reading import whole_problems
from dnc_datasets.problem import Problem
from dnc_trainers import loop
from dnc_trainers.checkpoint import CheckpointError
from dnc_trainers.config import ConfigError
from dnc_trainers.finetuning.config import Finetuning
from dnc_trainers.finetuning.learner import FinetuneLearner
from dnc_trainers.readers.reading import Reply
from dnc_trainers.representation import Prediction


class TrainedWriter:
    """A fine-tuned model with the settings by which problems are put to it and its words are read."""

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
        """A prediction for every problem, in order; words where the question asks for no number.

        A problem may also be a row of a config as `load_dataset` gives it, or a text, which is cut into what it
        tells and what it asks.
        """
        from dnc_trainers.trained import as_problem

        read = [as_problem(_cut(one, at), at) for at, one in enumerate(problems)]
        if accelerator is None:
            accelerator = self._accelerator = self._accelerator or loop.make_accelerator(self.config)
        return self._learner.predictions(self._learner.examples(read), beam or self.config.beam, accelerator)


def load_writer(folder: Path, record: Mapping[str, Any]) -> TrainedWriter:
    """The model that `dnc finetune` or `dnc protocol --model` left in a run's folder."""
    FinetuneLearner.check(folder, record)
    try:
        config = Finetuning().with_settings(record["settings"])
    except (ConfigError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(
            f"{folder} cannot be read as a fine-tuned model of this version ({error}); train it again in another "
            "folder"
        ) from error
    # LoRA's matrices were merged into the weights when they were saved.
    own = dataclasses.replace(config, model=str(folder / loop.MODEL), lora=0, checkpointing=False)
    return TrainedWriter(FinetuneLearner(own, [], []))


def _cut(given: Problem | Mapping[str, Any] | str, at: int) -> Problem | Mapping[str, Any] | str:
    if not isinstance(given, str):
        return given
    return Problem(str(at), *whole_problems.cut(given))

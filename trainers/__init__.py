"""Training: the loop, the solvers trained from scratch, and the attack and defense protocol."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dnc_trainers.finetuning.trained import TrainedWriter
    from dnc_trainers.readers.learner import TrainedReader
    from dnc_trainers.trained import TrainedSolver

__all__ = ["load_solver"]


def load_solver(folder: str | PathLike[str]) -> TrainedSolver | TrainedReader | TrainedWriter:
    """Load the solver or model of a run's folder (`dnc research train`, `finetune` or `protocol`).

    `load_solver("runs/gts-tiny-seed0-...").answers(problems)` returns equations and exact values.
    """
    from dnc_trainers import trained  # torch is loaded only when a solver is

    return trained.load_solver(Path(folder))

"""The kind of model `solver:DIR`, which `dnc research attack` finds by the entry point `dnc.models`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from dnc_trainers.commands import require_torch


def solver(folder: str) -> Callable[[Sequence[str]], Sequence[str]]:
    """Load a solver or fine-tuned model of a run's folder as a function from texts to exact answers."""
    require_torch()
    from dnc_trainers.trained import text_model  # torch is loaded only when a solver is

    return text_model(Path(folder))

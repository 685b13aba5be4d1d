"""The kind of model `solver:DIR`, which `dnc attack` finds by the entry point `dnc.models`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from dnc_trainers.commands import require_torch


def solver(folder: str) -> Callable[[Sequence[str]], Sequence[str]]:
    """A solver in the folder where `dnc train` or `dnc finetune` left it: texts in, exact answers out."""
    require_torch()
    from dnc_trainers.trained import text_model  # torch is loaded only when a solver is

    return text_model(Path(folder))

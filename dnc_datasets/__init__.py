"""DNC's data: problems, numbers, equations, perturbations, and the datasets built from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dnc_datasets.plugins import load_plugin
from dnc_datasets.serving import hub
from dnc_datasets.version import __version__

if TYPE_CHECKING:
    from dnc_datasets.serving.task_stream import TaskStream

__all__ = ["__version__", "load_plugin", "stream"]


def stream(config: str, seed: int = 0) -> TaskStream:
    """Return the training tasks of a config: deterministic, without test rows, and endless where possible.

    >>> next(iter(stream("tiny-distribution-attack", seed=1)))["setting"]
    'attack'
    """
    from dnc_datasets.serving.task_stream import TaskStream

    return TaskStream(config, seed)


# From here on `load_dataset("dnc", config)` works in any directory.
hub.install()

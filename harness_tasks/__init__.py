"""DNC as tasks for language models: every config of the catalogue for lm-eval, inspect_ai and verifiers."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["tasks_path"]
if find_spec("verifiers"):
    __all__ += ["DncTaskset"]  # verifiers finds the taskset `dnc_harness` by this name


def tasks_path() -> Path:
    """Return the folder of task files, for `lm_eval --include_path`. The first call writes it into the cache."""
    from dnc_harness import task_files

    return task_files.folder()


def __getattr__(name: str) -> Any:
    if name == "DncTaskset":
        from dnc_harness.environment import DncTaskset

        return DncTaskset
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

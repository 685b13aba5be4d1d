"""DNC as tasks for language models: every config of the catalogue for lm-eval and for inspect_ai."""

from __future__ import annotations

from pathlib import Path


def tasks_path() -> Path:
    """The folder of task files, for `lm_eval --include_path`."""
    return Path(__file__).resolve().parent / "tasks"

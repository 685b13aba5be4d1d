"""DNC as tasks for language models: every config of the catalogue for lm-eval and for inspect_ai."""

from __future__ import annotations

from pathlib import Path


def tasks_path() -> Path:
    """The folder of task files, for `lm_eval --include_path`.

    It is the one that comes with this package; where plug-ins add configs, one in the cache that has theirs.
    """
    from dnc_harness import generate

    return generate.folder()

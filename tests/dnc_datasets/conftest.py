"""A small built folder, made once; tests that change it copy it first."""

from __future__ import annotations

from pathlib import Path

import pytest

BUILT = ("tiny", "tiny-verbosity-attack", "tiny-extra-defense", "tiny-noise-augment")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder called `dnc`, alone in its parent, with the configs of `BUILT`."""
    from dnc_datasets.serving.build import build

    folder = tmp_path_factory.mktemp("built") / "dnc"
    build(BUILT, folder)
    return folder

"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# No rule hides behind the rows that it fails on; subprocesses inherit it.
os.environ["DNC_STRICT"] = "1"

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder of real upstream files, laid out as owner/repo/commit/path."""
    folder = SHARED / "mirror"
    if not folder.is_dir():
        pytest.skip("the mirror of upstream files is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def facts() -> Path:
    """The folder of published figures, as CSV files."""
    folder = SHARED / "facts"
    if not folder.is_dir():
        pytest.skip("the folder of published figures is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def standin() -> Path:
    """The folder of files that have the format and real text of upstream files too large to mirror."""
    folder = SHARED / "standin"
    if not folder.is_dir():
        pytest.skip("the stand-ins for large upstream files are not beside this checkout")
    return folder

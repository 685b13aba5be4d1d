"""What every test may ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

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

"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure.
settings.register_profile("dnc", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("dnc")
# No rule hides behind the rows that it fails on; subprocesses inherit it.
os.environ["DNC_STRICT"] = "1"
# Tests run side by side, one a core: threads of torch's own would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Real upstream files: where $DNC_MIRROR says, or beside this checkout; the other folders lie beside them.
MIRROR = Path(
    os.environ.get("DNC_MIRROR") or Path(__file__).resolve().parents[2] / "shared" / "mirror"
).absolute()


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder of real upstream files, laid out as owner/repo/commit/path."""
    if not MIRROR.is_dir():
        pytest.skip(f"upstream files are not in {MIRROR}; $DNC_MIRROR names the folder that has them")
    return MIRROR


@pytest.fixture(scope="session")
def facts() -> Path:
    """The folder of published figures, as CSV files."""
    folder = MIRROR.with_name("facts")
    if not folder.is_dir():
        pytest.skip(f"published figures are not in {folder}, beside $DNC_MIRROR")
    return folder


@pytest.fixture(scope="session")
def standin() -> Path:
    """The folder of files that have the format and real text of upstream files too large to mirror."""
    folder = MIRROR.with_name("standin")
    if not folder.is_dir():
        pytest.skip(f"stand-ins for large upstream files are not in {folder}, beside $DNC_MIRROR")
    return folder

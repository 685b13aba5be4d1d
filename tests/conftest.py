"""What every test may ask for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure.
settings.register_profile("dnc", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("dnc")
# A rule that fails on a row raises its error; subprocesses inherit it.
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


@pytest.fixture
def folded() -> Iterator[str]:
    """A small dataset of the embedded corpus, in two folds; gone when the test is."""
    from dnc_datasets import corpus, sources

    def read(files: sources.Files, fold: str) -> sources.Splits:
        every = [problem for problem in corpus.problems()["train"] if problem.id[-1] in "1234"][::8][:120]
        place = "01".index(fold[-1:] or "0")
        test = every[place::6]
        rest = [problem for problem in every if problem not in test]
        return {"train": rest[10:], "validation": rest[:10], "test": test}

    made = replace(sources.get("tiny"), name="folded", read=read, folds=("fold0", "fold1"))
    sources.register(made)
    yield made.name
    del sources._REGISTERED[made.name]


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


@pytest.fixture(scope="session")
def drop_qdmr(mirror: Path, standin: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the two files that `drop_qdmr` is joined from: Break's steps, and DROP's stand-in."""
    folder = tmp_path_factory.mktemp("drop_qdmr")
    (steps,) = (mirror / "allenai" / "Break").glob("*/break_dataset/QDMR-high-level/dev.csv")
    (folder / "dev.csv").symlink_to(steps)
    (folder / "drop_dataset_dev.json").symlink_to(standin / "drop" / "drop_dataset_dev.json")
    return folder


@pytest.fixture(autouse=True)
def _forget_secrets() -> Iterator[None]:
    """Forget the secrets that a test has used: the words of one test may be a key of another."""
    from dnc_datasets import secrets

    yield
    secrets._known.clear()
    secrets._known_keys.clear()

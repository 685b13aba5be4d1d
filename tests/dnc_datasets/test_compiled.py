"""The compiled modules (`make compiled`) do what the interpreted ones do, to the byte."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ("tiny", "tiny_tables")
# The cases that hold what numbers, equations and certificates are.
TESTS = (
    "numerals/test_numerals.py",
    "expression/test_expression.py",
    "test_draws.py",
    "certificate/test_certificate.py",
)


def run(command: list[str], folder: Path, path: Path, **more: str) -> str:
    """The output of a command that imports dnc_datasets from `path`."""
    environment = {**os.environ, "PYTHONPATH": str(path), **more}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package whose modules are compiled in place."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler on this machine: nothing can be compiled")
    folder = tmp_path_factory.mktemp("compiled")
    for name in ("setup.py", "setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(
        ROOT / "dnc_datasets", folder / "dnc_datasets", ignore=shutil.ignore_patterns("__pycache__")
    )
    run([sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"], folder, folder, DNC_COMPILE="1")
    return folder


def built(path: Path, out: Path) -> dict[str, object]:
    """The checksums of the embedded corpora, built with the modules of `path`."""
    out.mkdir()
    call = "import sys; from dnc_datasets.cli import main; sys.exit(main(sys.argv[1:]))"
    run([sys.executable, "-c", call, "build", *CONFIGS, "--out", str(out / "dnc")], out, path)
    checksums: dict[str, object] = json.loads((out / "dnc" / "checksums.json").read_text(encoding="utf-8"))
    return checksums


def test_every_listed_module_is_compiled(compiled: Path, tmp_path: Path) -> None:
    listed = re.findall(r'"dnc_datasets/(\S+)\.py"', (ROOT / "setup.py").read_text(encoding="utf-8"))
    assert listed
    names = [f"dnc_datasets.{name.replace('/', '.')}" for name in listed]
    show = f"import importlib\nfor name in {names}: print(importlib.import_module(name).__file__)"
    files = run([sys.executable, "-c", show], tmp_path, compiled).split()
    assert [file for file in files if file.endswith(".py")] == []


def test_builds_are_the_same_to_the_byte(compiled: Path, tmp_path: Path) -> None:
    assert built(compiled, tmp_path / "compiled") == built(ROOT, tmp_path / "interpreted")


def test_the_cases_hold(compiled: Path) -> None:
    tests = [str(Path(__file__).parent / name) for name in TESTS]
    # Not `python -m pytest`, which would put this checkout before the compiled copy.
    call = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"
    run([sys.executable, "-c", call, *tests, "-p", "no:cacheprovider"], compiled, compiled)

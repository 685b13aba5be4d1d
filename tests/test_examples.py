"""The scripts in examples/ run as they are, offline, and show what they say."""

from __future__ import annotations

import configparser
import doctest
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples"
# Script -> what it must print, in this order.
SHOWN = {
    "load_and_look": ("327 of 327 rows are changed", "(not ", "distractors_new"),
    "perturb_your_own": ("twelve pens", "Answer: 42", "leaves 2 as it was"),
    "score_predictions": ("100% before and 50% after", "drop"),
    "diagnose_a_model": ("number_detection, language", "-> 0.0%", "operand_selection, verbosity", ": drop"),
    "add_a_perturbation": ("twelve pens", "polite:values_kept"),
}


def _run(words: list[str], folder: Path) -> str:
    environment = {**os.environ, "HF_HOME": str(folder / "hf"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_example(name: str, tmp_path: Path) -> None:
    printed = _run([str(FOLDER / f"{name}.py")], tmp_path)
    at = 0
    for words in SHOWN[name]:
        assert words in printed[at:], f"{name} does not print {words!r} here:\n{printed[at:]}"
        at = printed.index(words, at)


def test_the_example_of_a_plugin_is_one(tmp_path: Path) -> None:
    plugin = ["--plugin", str(FOLDER / "add_a_perturbation.py")]
    printed = _run(
        ["-m", "dnc_datasets.cli", "show", "tiny-polite-attack", "-n", "1", "--json", *plugin], tmp_path
    )
    assert ": How" in printed or ": What" in printed


ROOT = Path(__file__).resolve().parents[1]


def _modules() -> list[str]:
    """The import names of all modules with an example."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    folders = dict(line.split(" = ") for line in config["options"]["package_dir"].strip().splitlines())
    found = []
    for package, folder in folders.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            if ">>> " in path.read_text(encoding="utf-8"):
                parts = (package, *path.relative_to(ROOT / folder).with_suffix("").parts)
                found.append(".".join(part for part in parts if part != "__init__"))
    return found


@pytest.mark.parametrize("name", _modules())
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(import_module(name))
    assert result.attempted, f"{name} has an example that doctest does not find: it is in no docstring"
    assert not result.failed, f"{result.failed} of the examples of {name} are wrong, see above"


def test_there_are_examples_in_all_packages_that_have_functions_for_users() -> None:
    assert {name.partition(".")[0] for name in _modules()} >= {"dnc_datasets", "dnc_metrics"}

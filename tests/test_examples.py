"""The scripts in examples/ run as they are, offline, and show what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples"
# Script -> what it must print, in this order.
SHOWN = {
    "load_and_look": ("24 of 24 rows are changed", "(not ", "distractors_new"),
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

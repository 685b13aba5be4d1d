"""The recipes of CONTRIBUTING.md work to the letter, each in a copy of the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("dnc_datasets", "metrics", "harness_tasks", "trainers", "leaderboard", "tests")
NAMES = {"metrics": "dnc_metrics", "harness_tasks": "dnc_harness", "trainers": "dnc_trainers"}
RECIPES = ("A perturbation", "A source", "A metric", "A solver")
# A paragraph and the block below it; a block may hold blocks with fewer marks.
BLOCK = re.compile(
    r"^(?P<words>[^\n]*)\n\n(?P<mark>`{3,4})(?P<kind>\w+)\n(?P<text>.*?)^(?P=mark)$", re.M | re.S
)


def recipe(title: str) -> list[tuple[str, str, str]]:
    """The blocks of a section: the words before each, its kind, its text."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.split(f"## {title}\n")[1]
    end = re.search(r"^## (?:A |From)", section, re.M)
    return [
        (m["words"], m["kind"], m["text"]) for m in BLOCK.finditer(section[: end.start() if end else None])
    ]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The code and the tests, where a process finds the packages of the copy before the installed ones."""
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignore)
    for file in ("setup.cfg", "pyproject.toml"):
        shutil.copy(ROOT / file, tmp_path)
    (tmp_path / "packages").mkdir()
    for folder in FOLDERS[:-1]:
        name = NAMES.get(folder, f"dnc_{folder}" if folder == "leaderboard" else folder)
        (tmp_path / "packages" / name).symlink_to(tmp_path / folder)
    return tmp_path


def follow(folder: Path, words: str, kind: str, text: str) -> None:
    """Do what one block of a recipe says."""
    places = re.findall(r"`([^`]+)`", words)
    if kind == "sh":
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        environment = {**os.environ, "PATH": path, "PYTHONPATH": "packages", "HF_HUB_OFFLINE": "1"}
        for command in text.splitlines():
            done = subprocess.run(
                command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    elif words.startswith("New file"):
        (folder / places[0]).parent.mkdir(parents=True, exist_ok=True)
        assert not (folder / places[0]).exists(), f"{places[0]} exists already"
        (folder / places[0]).write_text(text, encoding="utf-8")
    else:
        *_, file, line = places
        lines = (folder / file).read_text(encoding="utf-8").split("\n")
        at = next(at for at, known in enumerate(lines) if known.strip().startswith(line.strip()))
        if lines[at].strip() != line.strip():  # a tuple on one line is written over several
            lines[at] = lines[at].replace(line, f"{line}\n{text.rstrip()}\n   ")
        else:
            lines[at] = f"{lines[at]}\n{text.rstrip()}"
        (folder / file).write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize("title", RECIPES)
def test_recipe(title: str, copy: Path) -> None:
    blocks = recipe(title)
    assert {"python", "sh"} <= {kind for _, kind, _ in blocks}
    for block in blocks:
        follow(copy, *block)


def test_no_block_is_left_out() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = [block for title in RECIPES for block in recipe(title)]
    marks = re.findall(r"^`{3,4}\w+$", page.split("## From outside")[0], re.M)
    assert len(marks) - 1 == len(found)  # one block holds another
    assert all(kind == "sh" or "`" in words for words, kind, _ in found)

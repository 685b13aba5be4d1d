"""Every command of docs/papers.md runs: on the embedded corpora, small, and in one process."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from dnc_datasets import corpus, review, sources
from dnc_datasets.cli import main
from dnc_datasets.review import Mark
from dnc_datasets.serving import catalogue

PAGE = Path(__file__).resolve().parents[1] / "docs" / "papers.md"
SMALL = "--set epochs=1 --set hidden=8 --set embedding=8 --set batch=64 --set beam=1 --runs runs --results results"
# Published dataset -> what stands for it here.
EMBEDDED = {
    "asdiv_a_manual": "apart", "asdiv_a": "folded", "mawps": "apart", "svamp": "folded", "drop_num": "tiny_passages",
    "tatqa_a": "tiny_tables", "noahqa_en": "tiny_dialogues", "noahqa_zh": "tiny_dialogues_zh",
}  # fmt: skip
# Commands with these words are listed (--plan), as tests of their own run them whole.
PLANNED = ("--model MODEL", "--encoder ENCODER", "tagop", "discrete", "rgnet", "sequence")
# What makes a run short.
SHORTER = {
    r"--perturbations (\w+),\w+\S*": r"--perturbations \1",
    r"--tau \S+": "--tau 0.1",
    r"--folds(?! \d)": "--folds 1",
    r"search,retrain": "search,retrain --search reordering --budget 5",
    r"layers=2": "layers=1",
    r"--seeds 100": "--seeds 3 --split test",
    r"-n 50": "-n 2",
}


def _commands() -> list[str]:
    """The commands between backticks that have arguments, each once."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"`((?:dnc|python -m) [a-z_.]+ [^`]+)`", text)
    return list(dict.fromkeys(one for one in found if one != "dnc attack --paraphraser"))


def _here(command: str) -> str:
    """The command as it is run here."""
    for name, stand_in in EMBEDDED.items():
        command = re.sub(rf"(?<![\w]){name}(?![\w])", stand_in, command)
        command = command.replace(f"dnc_{name}_bpb", f"dnc_{stand_in}_bpb")
    for words, shorter in SHORTER.items():
        command = re.sub(words, shorter, command)
    if command.startswith("dnc protocol"):
        planned = any(words in command for words in PLANNED)
        command += " --plan" if planned and "--plan" not in command else ""
        command += "" if "--model" in command else f" {SMALL}"
        if any(reader in command.split() for reader in PLANNED):
            command = command.replace(SMALL, "")
    return command


@pytest.fixture
def reader(folded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the page's commands take: predictions, marks, a trained run; and a dataset apart."""
    monkeypatch.chdir(tmp_path)

    def read(files: sources.Files, fold: str) -> sources.Splits:
        every = corpus.problems()["test"][::3]
        return {"train": every[20:], "validation": every[:5], "test": every[5:20]}

    monkeypatch.setitem(sources._REGISTERED, "apart", replace(sources.get(folded), name="apart", read=read))
    config = f"{folded}-append_bool-attack"
    rows = catalogue.find(config).rows({"test": catalogue.read(folded)["test"]})["test"]
    said = [{"id": row.problem.id, "output": row.problem.answer} for row in rows]
    Path("predictions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said))
    changed = [row.problem.id for row in rows if row.original is not None]
    marks = [Mark(config, row, judge, "good") for row in changed[:6] for judge in ("a", "b", "c")]
    Path("marks.jsonl").write_text("".join(review.line(mark) + "\n" for mark in marks))
    words = "--set epochs=1 --set hidden=8 --set embedding=8 --runs RUN"
    assert main(["train", "constrained", "--data", folded, *words.split()]) == 0
    return tmp_path


def test_every_command_of_the_page_runs(reader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    commands = _commands()
    assert len(commands) > 30
    (run,) = (reader / "RUN").iterdir()
    done = set()
    for command in commands:
        words = shlex.split(_here(command).replace("attention RUN", f"attention {run}"))
        if words[0] != "dnc" or " ".join(words) in done or words[1] == "eval":
            continue  # python -m: tests/metrics/test_reproduce.py; eval: a model, tests/harness_tasks
        done.add(" ".join(words))
        code = main(words[1:])
        told = capsys.readouterr()
        assert code == 0, f"{command}\nran as: {' '.join(words)}\n{told.err[-2000:]}"
        assert told.out, command
    assert (reader / "attention.svg").is_file()
    assert (reader / "adversarial.html").is_file()


def test_every_option_of_the_page_is_known() -> None:
    """Also of the commands that are not run here: a word that is gone would be noticed."""
    from dnc_datasets.cli import COMMANDS

    for command in _commands():
        words = shlex.split(command)
        assert words[0] == "python" or words[1] in COMMANDS, command


def test_every_paper_is_there_with_all_its_tables() -> None:
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    tables = {"DNC": 12, "SVAMP": 16, "BPB": 8, "NOAHQA": 10, "Kumar": 4}
    assert len(parts) == len(tables)
    for part, (name, last) in zip(parts, tables.items(), strict=True):
        assert part.startswith(name)
        first = re.findall(r"^\| ([^|]*) \|", part, re.M)
        known = {int(number) for cell in first for number in re.findall(r"\b\d+\b(?!\.)", cell)}
        assert set(range(1, last + 1)) <= known, f"{name}: {set(range(1, last + 1)) - known}"

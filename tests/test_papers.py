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
from dnc_metrics import reproduce

PAGE = Path(__file__).resolve().parents[1] / "docs" / "papers.md"
SMALL = "--set epochs=1 --set hidden=8 --set embedding=8 --set batch=64 --set beam=1 --runs runs --results results"
# Published dataset -> what represents it here.
EMBEDDED = {
    "asdiv_a_manual": "apart", "asdiv_a": "folded", "mawps": "apart", "svamp": "folded", "drop_num": "tiny_passages",
    "tatqa_a": "tiny_tables", "noahqa_en": "tiny_dialogues", "noahqa_zh": "tiny_dialogues_zh",
}  # fmt: skip
# Commands with these words are listed (--plan), as tests of their own run them whole.
PLANNED = ("--model hf:MODEL", "--encoder ENCODER", "tagop", "discrete", "rgnet", "sequence")
# What makes a run short.
SHORTER = {
    r"--perturbations (\w+),\w+\S*": r"--perturbations \1",
    r"--tau \S+": "--tau 0.1",
    r"--folds(?! \d)": "--folds 1",
    r"search,retrain": "search,retrain --search reordering --budget 5",
    r"layers=2": "layers=1",
    r"--seed-problems 100 --published-seeds": "--seed-problems 3 --split test",
    r"-n 50": "-n 2",
}


def _commands() -> list[str]:
    """The commands between backticks that have arguments, each once."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"`((?:dnc|python -m) [a-z_.]+ [^`]+)`", text)
    return list(dict.fromkeys(one for one in found if one != "dnc research attack --paraphraser"))


def _here(command: str) -> str:
    """The command as it is run here."""
    for name, stand_in in EMBEDDED.items():
        command = re.sub(rf"(?<![\w]){name}(?![\w])", stand_in, command)
        command = command.replace(f"dnc_{name}_bpb", f"dnc_{stand_in}_bpb")
    for words, shorter in SHORTER.items():
        command = re.sub(words, shorter, command)
    if command.startswith("dnc research protocol"):
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
    assert main(["research", "train", "constrained", "--data", folded, *words.split()]) == 0
    return tmp_path


def test_every_command_of_the_page_runs(reader: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    commands = _commands()
    assert len(commands) > 30
    (run,) = (reader / "RUN").iterdir()
    done = set()
    for command in commands:
        words = shlex.split(_here(command).replace("attention RUN", f"attention {run}"))
        if words[0] != "dnc" or " ".join(words) in done or words[1] == "eval" or "break_qdmr" in words:
            # python -m: tests/metrics/test_reproduce.py; eval: a model, tests/harness_tasks; break_qdmr: files of the
            # mirror, tests/trainers/finetuning
            continue
        done.add(" ".join(words))
        code = main(words[1:])
        stated = capsys.readouterr()
        assert code == 0, f"{command}\nran as: {' '.join(words)}\n{stated.err[-2000:]}"
        assert stated.out, command
    assert (reader / "attention.svg").is_file()
    assert (reader / "adversarial.html").is_file()


def test_every_option_of_the_page_is_known() -> None:
    """Also of the commands that are not run here: a word that is gone would be noticed."""
    from dnc_datasets.cli import COMMANDS

    for command in _commands():
        words = shlex.split(command)
        assert words[0] == "python" or " ".join(words[1:3]) in COMMANDS or words[1] in COMMANDS, command


def test_every_paper_is_there_with_all_its_tables() -> None:
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    tables = {"DNC": 12, "SVAMP": 16, "BPB": 8, "NOAHQA": 10, "Kumar": 4}
    assert len(parts) == len(tables)
    for part, (name, last) in zip(parts, tables.items(), strict=True):
        assert part.startswith(name)
        first = re.findall(r"^\| ([^|]*) \|", part, re.M)
        known = {int(number) for cell in first for number in re.findall(r"\b\d+\b(?!\.)", cell)}
        assert set(range(1, last + 1)) <= known, f"{name}: {set(range(1, last + 1)) - known}"


def test_graphs(mirror: Path) -> None:
    figures = list(reproduce.graph_figures(mirror))
    assert [figure for figure in figures if not figure.as_known] == []
    published = {figure.name: figure for figure in figures if figure.origin == reproduce.PUBLISHED}
    assert {name: (one.expected, one.measured) for name, one in published.items()} == {
        "GEM, set of edges": ("59.32", "76.11"), "GEM, list of edges": ("59.32", "59.35"),
        "DAGsim, identity, weights of the longer path": ("79.56", "90.34"),
    }  # fmt: skip
    assert all("not as published" in figure.mark for figure in published.values())


def test_corpus(mirror: Path) -> None:
    figures = list(reproduce.corpus_figures(mirror))
    assert [figure for figure in figures if not figure.as_known] == []
    assert [figure.name.split(",")[0] for figure in figures if not figure.same] == ["MAWPS", "MAWPS"]
    shares = [figure.measured for figure in figures if "majority" in figure.name]
    assert shares == ["11.7", "21.2", "17.7"]


def test_a_line_says_whose_figure_it_is() -> None:
    figure = reproduce.Figure("a", "1", "1", reproduce.BEFORE)
    assert figure.mark == "same as ours before"
    assert figure._replace(measured="2").mark == "DIFFERS"
    assert not figure._replace(differs="it does").as_known, "a figure that agrees must be reported too"


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert reproduce.main(["--only", "tables"]) == 0
    said = capsys.readouterr().out
    assert said.count("148      148  same as published") == 2
    assert said.count("not as published: ") == 6
    assert "29.37  not as published: it is Graph2Tree's numerical mean" in said
    assert reproduce.main(["--only", "corpus", "--mirror", str(tmp_path)]) == 2
    assert "--mirror names the folder" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        reproduce.main([])

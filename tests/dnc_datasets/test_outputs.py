"""No command writes to a device, through a link, or over what another program wrote."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import atomic, cli, filesystem, owned_folder
from dnc_datasets.attack.attempt import Settings
from dnc_datasets.attack.run import attack
from dnc_datasets.errors import DncError, OutputError
from dnc_datasets.problem import Problem

THESIS = "years of work\n"
TEXTS = st.text(max_size=300) | st.text("ab./\\-~ :\0\ud83d", max_size=12)


def _device(path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root makes devices")
    os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))


def _link_to_file(path: Path) -> None:
    path.with_name("thesis").write_text(THESIS, encoding="utf-8")
    path.symlink_to(path.with_name("thesis"))


def _link_to_folder(path: Path) -> None:
    path.with_name("folder").mkdir()
    path.symlink_to(path.with_name("folder"))


SPECIAL: dict[str, Callable[[Path], object]] = {
    "device": _device,
    "pipe": os.mkfifo,
    "link to a file": _link_to_file,
    "link to a folder": _link_to_folder,
    "link to nothing": lambda path: path.symlink_to("nowhere"),
}
FILES: dict[str, Callable[[Path], object]] = {
    **SPECIAL,
    "folder": Path.mkdir,
    "another program's file": lambda path: path.write_text(THESIS, encoding="utf-8"),
    "another program's JSON lines": lambda path: path.write_text(
        '{"id": "1", "body": "x"}\n', encoding="utf-8"
    ),
}


def _with(name: str) -> Callable[[Path], object]:
    def make(path: Path) -> None:
        path.mkdir()
        (path / name).write_text(THESIS, encoding="utf-8")

    return make


def _replies(path: Path) -> None:
    """The questions with a reply in each line, as the command asks for them."""
    line = {"config": "tiny_all", "id": "1", "prompt": "How many?", "output": "7"}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")


# A folder itself may be a link.
FOLDERS: dict[str, Callable[[Path], object]] = {
    **{kind: make for kind, make in SPECIAL.items() if kind != "link to a folder"},
    "file": lambda path: path.write_text(THESIS, encoding="utf-8"),
}
# Command -> its words, with OUT for the place; what may not be there.
COMMANDS: dict[str, tuple[list[str], dict[str, Callable[[Path], object]]]] = {
    "perturb": (["perturb", "my.jsonl", "--with", "type", "--out", "OUT"], FILES),
    "candidates": (["candidates", "my.jsonl", "--out", "OUT"], FILES),
    "candidates of a model": (
        ["candidates", "my.jsonl", "--writer", "python:zero:answer", "--out", "OUT"],
        FILES,
    ),
    "eval questions": (["eval", "perturbed.jsonl", "--questions", "OUT"], FILES),
    "diagnose questions": (["diagnose", "--questions", "OUT"], {**FILES, "replies": _replies}),
    "coverage": (["coverage", "tiny_tables", "--write", "OUT"], FILES),
    "review page": (["review", "tiny-type-attack", "-n", "1", "--html", "OUT"], FILES),
    "review marks": (["review", "tiny-type-attack", "-n", "1", "--marks", "OUT"], FILES),
    "build": (["build", "tiny", "--out", "OUT"], {**FOLDERS, "thesis": _with("thesis.tex")}),
    "attack": (
        ["attack", "tiny", "-n", "1", "--model", "zero:answer", "--out", "OUT"],
        {**FOLDERS, "card": _with("README.md"), "report": _with("report.json")},
    ),
    "eval": (
        ["eval", "--model", "dummy", "--tasks", "dnc_tiny_original", "--limit", "1", "--out", "OUT"],
        {**FOLDERS, "answers": _with("answers.jsonl"), "results": _with("lm_eval.json")},
    ),
    "train": (["train", "gts", "--data", "tiny", "--runs", "OUT"], FOLDERS),
    "train results": (["train", "gts", "--data", "tiny", "--results", "OUT"], FOLDERS),
    "protocol": (["protocol", "gts", "--data", "tiny", "--runs", "OUT"], FOLDERS),
    "diagnose": (["diagnose", "--out", "OUT"], {**FOLDERS, "thesis": _with("thesis.tex")}),
    "diagnose report": (
        ["diagnose", "--report", "OUT"],
        {
            **FOLDERS,
            "report": _with("report.md"),
            "pictures": _with("figures"),
            "record": _with("record.json"),
        },
    ),
}
NEEDS = {"eval": "lm_eval", "train": "torch", "protocol": "torch", "diagnose": "torch"}


def _state(folder: Path) -> dict[str, tuple[int, str]]:
    """Kind and content of everything below the folder."""
    found = {}
    for path in folder.rglob("*"):
        mode = path.lstat().st_mode
        found[str(path.relative_to(folder))] = (
            stat.S_IFMT(mode),
            path.read_text() if stat.S_ISREG(mode) else "",
        )
    return found


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    row = '{"id": "1", "body": "Ana has 12 pens and 5 cups.", "question": "How many things?"}\n'
    (tmp_path / "my.jsonl").write_text(row, encoding="utf-8")
    problem = {
        "body": "Ana has 3 pens. Bo has 4.",
        "question": "How many pens?",
        "equation": "3 + 4",
        "answer": "7",
    }
    changed = {"id": "1", **problem, "perturbation": "type", "perturbed": True, "source": problem}
    (tmp_path / "perturbed.jsonl").write_text(json.dumps(changed) + "\n", encoding="utf-8")
    (tmp_path / "zero.py").write_text("def answer(texts):\n    return ['0'] * len(texts)\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("command", "what"), [(name, what) for name, (_, refused) in COMMANDS.items() for what in refused]
)
def test_what_is_not_ours_stays(
    here: Path, command: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words, refused = COMMANDS[command]
    if words[0] in NEEDS:
        pytest.importorskip(NEEDS[words[0]])
    (here / "there").mkdir()
    refused[what](here / "there" / "out")
    before = _state(here / "there")
    assert cli.main([word.replace("OUT", "there/out") for word in words]) == 1
    said = capsys.readouterr().err
    assert said.startswith("dnc: ")
    assert "there/out" in said
    assert _state(here / "there") == before


def test_dev_null_stays_a_device(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["perturb", "my.jsonl", "--with", "type", "--out", "/dev/null"]) == 1
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert "device" in capsys.readouterr().err


def test_a_command_s_own_file_is_replaced(here: Path) -> None:
    words = ["perturb", "my.jsonl", "--with", "type", "--out", "o.jsonl"]
    assert cli.main(words) == 0
    first = (here / "o.jsonl").read_bytes()
    assert cli.main(words) == 0
    assert (here / "o.jsonl").read_bytes() == first
    assert cli.main(["perturb", "my.jsonl", "--with", "type", "--out", "my.jsonl"]) == 1
    assert "certificate" not in (here / "my.jsonl").read_text(encoding="utf-8")


def test_an_input_in_a_folder_that_is_a_link_is_no_trouble(here: Path) -> None:
    (here / "real").mkdir()
    (here / "link").symlink_to("real")
    assert cli.main(["perturb", "my.jsonl", "--with", "type", "--out", "link/o.jsonl"]) == 0
    assert (here / "real" / "o.jsonl").is_file()


KILLED = """
import os, sys
from pathlib import Path
from dnc_datasets import atomic
with atomic.new_file(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_write_left_goes_with_the_next_and_a_living_one_stays(tmp_path: Path) -> None:
    def start(name: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path / name)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        process.stdout.readline()
        return process

    with start("dead") as dead, start("alive") as alive:
        dead.kill()
        dead.wait()
        assert len(os.listdir(tmp_path)) == 2
        atomic.write_text(tmp_path / "other", "whole")
        assert [name.split(".")[1] for name in sorted(os.listdir(tmp_path)) if name[0] == "."] == ["alive"]
        alive.communicate("")
    assert sorted(os.listdir(tmp_path)) == ["alive", "other"]
    assert (tmp_path / "alive").read_bytes() == b"half"


def test_a_file_that_takes_the_name_meanwhile_is_not_replaced_by_force(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with pytest.raises(OutputError), atomic.new_file(target):
        target.symlink_to("elsewhere")
    assert target.is_symlink()
    assert os.listdir(tmp_path) == ["out"]


PROBLEM = Problem("1", "Ana has 12 pens. Bo has 30 pens.", "How many pens?", equation="12 + 30", answer="42")


def test_the_second_attack_in_a_folder_is_told_so(tmp_path: Path) -> None:
    def model(texts: object) -> list[str]:
        with pytest.raises(DncError, match="another process"):
            attack([PROBLEM], lambda texts: ["0"] * len(texts), Settings("tiny", "zero"), tmp_path)
        return ["0"]

    attack([PROBLEM], model, Settings("tiny", "zero"), tmp_path)
    attack([PROBLEM], lambda texts: ["0"] * len(texts), Settings("tiny", "zero"), tmp_path)


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from dnc_datasets import owned_folder\n"
    code += "with owned_folder.exclusive(Path(sys.argv[1])): print('in', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with (
            pytest.raises(OutputError, match="another process"),
            owned_folder.exclusive(tmp_path),
        ):
            pass
        process.kill()
        process.wait()
        deadline = time.monotonic() + 20
        while True:
            try:
                with owned_folder.exclusive(tmp_path):
                    break
            except OutputError:
                assert time.monotonic() < deadline


@given(TEXTS)
def test_a_name_is_one_part_of_a_path_on_every_system(text: str) -> None:
    name = filesystem.safe_name(text)
    assert Path(name).name == name
    assert 0 < len(name) < 100
    assert name.isascii()
    assert not set(name) & set('/\\:*?"<>|\0 ')
    assert not name.startswith((".", "-"))
    assert not name.endswith(".")


@given(TEXTS, TEXTS)
def test_two_texts_have_two_names_even_without_upper_case(one: str, other: str) -> None:
    if one != other:
        assert filesystem.safe_name(one).lower() != filesystem.safe_name(other).lower()


@pytest.mark.parametrize("name", ["number_detection", "gts-svamp.1", "a"])
def test_a_name_that_is_safe_is_unchanged(name: str) -> None:
    assert filesystem.safe_name(name) == name


@pytest.mark.parametrize("device", ["con", "NUL", "com1.txt", "lpt9"])
def test_no_file_is_named_as_a_device_of_windows(device: str) -> None:
    assert filesystem.safe_name(device).partition(".")[0].lower() != device.partition(".")[0].lower()

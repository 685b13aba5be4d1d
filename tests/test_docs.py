"""The pages in docs/ name commands, modules, files and functions that exist; short commands are run."""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path
from types import ModuleType

import pytest

from dnc_datasets import cli

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.md"))
# Placeholders of the pages -> values that the command line accepts.
PLACEHOLDERS = {
    r"^dnc eval \.\.\.": "dnc eval --model hf --model-args pretrained=MODEL --tasks dnc_tiny --out results",
    r"^dnc research protocol SOLVER": "dnc research protocol gts",
    "--folds N": "--folds 2",
}
LAUNCHER = re.compile(r"^(?:torchrun|accelerate launch) .*-m dnc_datasets\.cli ")
# Commands that are run as they are, in a folder with the file `my.jsonl`.
RUN = ("dnc research qdmr --question", "dnc perturb my.jsonl --with type+verbosity")


def _commands(page: str) -> list[str]:
    """Return the commands of a page: its indented blocks, without comments and with continued lines joined."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.M | re.S)
    blocks = "".join(re.findall(r"(?:^    .*\n)+", text, re.M))
    lines = re.sub(r"\\\n\s*", "", blocks).splitlines()
    return [command for line in lines if (command := re.sub(r"(?:^|\s+)#\s.*$", "", line).strip())]


COMMANDS = [(page, command) for page in PAGES for command in _commands(page)]


class _AcceptedError(Exception):
    """The parser accepted the arguments."""


def _accept(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse a command as `dnc` does, up to the point at which it would run."""
    parse = argparse.ArgumentParser.parse_args

    def stop(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
        parse(parser, words)
        raise _AcceptedError

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    with pytest.raises(_AcceptedError):
        cli.main(shlex.split(command)[1:])


@pytest.mark.parametrize(
    ("page", "command"), COMMANDS, ids=[f"{page}: {words[:60]}" for page, words in COMMANDS]
)
def test_the_command_exists(page: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    command = re.sub(r"^(?:[A-Z_]+=\S+ )+", "", command)  # environment variables
    for placeholder, value in PLACEHOLDERS.items():
        command = re.sub(placeholder, value, command)
    command = LAUNCHER.sub("dnc ", command)
    words = shlex.split(command)
    if words[0] == "dnc":
        _accept(command, monkeypatch)
    elif words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    elif words[:2] == ["python", "-m"]:
        assert importlib.util.find_spec(words[2]) is not None
    elif words[0] == "python":
        assert (ROOT / words[1]).is_file()
    else:
        assert words[:2] == ["pip", "install"], f"{page}: no test knows {command!r}"
        extras = re.findall(r"\[(.*?)\]", words[2])
        assert extras
        assert set(",".join(extras).split(",")) <= set(metadata("dnc-bench").get_all("Provides-Extra"))


@pytest.mark.parametrize("start", RUN)
def test_the_command_runs(start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (command,) = {command for _, command in COMMANDS if command.startswith(start)}
    monkeypatch.chdir(tmp_path)
    row = '{"id": "1", "body": "Ana has 12 pens.", "question": "How many has she with 30 more?", "answer": "42"}\n'
    Path("my.jsonl").write_text(row, encoding="utf-8")
    assert cli.main(shlex.split(command)[1:]) == 0


def test_every_module_of_the_reference_exists() -> None:
    names = re.findall(r"^::: (\S+)", (DOCS / "api.md").read_text(encoding="utf-8"), re.M)
    assert len(names) > 20
    for name in names:
        assert importlib.util.find_spec(name) is not None, f"api.md names {name}"


@pytest.mark.parametrize("page", PAGES)
def test_every_python_block_is_a_file_or_parses(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S):
        if block.startswith("--8"):
            marker, name, end = block.splitlines()
            assert (marker, end) == ("--8<--", "--8<--"), "a formatter has changed the snippet marker"
            assert (ROOT / name).is_file()
            continue
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dnc_"):
                module = importlib.import_module(node.module or "")
                for alias in node.names:
                    inner = (
                        importlib.util.find_spec(f"{node.module}.{alias.name}")
                        if _is_package(module)
                        else None
                    )
                    assert hasattr(module, alias.name) or inner is not None, ast.unparse(node)


def _is_package(module: ModuleType) -> bool:
    return hasattr(module, "__path__")


# Blocks with these words need something that a test of their own makes: a trained solver, a table.
NOT_RUN = {
    "runs/gts-tiny-...": "tests/trainers/test_trained.py",
    "perturb_batch": "tests/dnc_datasets/own/test_tables.py",
}


def _blocks() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for block in re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S):
            if not block.startswith("--8") and not any(word in block for word in NOT_RUN):
                found.append((page, block))
    return found


def test_the_python_blocks_run(tmp_path: Path) -> None:
    """Each page in one process, offline."""
    assert all((ROOT / path).is_file() for path in NOT_RUN.values())
    blocks = _blocks()
    for page in dict.fromkeys(page for page, _ in blocks):
        code = "\n".join(block for of, block in blocks if of == page)
        environment = {**os.environ, "HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1"}
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{page}\n{done.stderr[-2000:]}"


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    for page in PAGES:
        assert f" {page.removeprefix('docs/')}\n" in navigation, f"{page} is not in mkdocs.yml"


ROWS = re.findall(
    r"^\| (?!Statement|-)(.+?) \| (.+) \|$", (ROOT / "SECURITY.md").read_text(encoding="utf-8"), re.M
)


def test_there_are_statements() -> None:
    assert len(ROWS) > 20


@pytest.mark.parametrize(("statement", "tests"), ROWS, ids=[statement[:50] for statement, _ in ROWS])
def test_a_statement_is_backed_by_tests(statement: str, tests: str) -> None:
    names = re.findall(r"`([^`]+)`", tests)
    assert names, statement
    for name in names:
        path, _, test = name.partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, name

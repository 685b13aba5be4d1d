"""The commands as a user types them."""

from __future__ import annotations

import argparse
import itertools
import json
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from dnc_datasets import commands
from dnc_datasets.cli import COMMANDS, GROUPS, RENAMED, main

# The commands that `dnc --help` shows.
FIRST = list(dict.fromkeys(name.split()[0] for group in GROUPS.values() for name in group))
OWN = [
    {
        "id": "p1",
        "body": "Ana has 12 pens. Bo has 30 pens.",
        "question": "How many pens?",
        "equation": "12 + 30",
        "answer": "42",
    },
    {"id": "p2", "body": "No number.", "question": "How many?", "answer": 7},
]


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    path = tmp_path / "my.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in OWN), encoding="utf-8")
    return path


def rows_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


HELP_PROBE = """
import sys
from dnc_datasets.cli import main
try:
    main(["--help"])
finally:
    print(sorted(set(sys.modules) & {"datasets", "torch", "spacy", "pyarrow", "numpy", "rich"}))
"""


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", HELP_PROBE], capture_output=True, text=True, check=True)
    shown = done.stdout.splitlines()[:-1]
    assert len(shown) <= 24, "the overview fits a screen"
    assert max(map(len, shown)) <= 90
    assert len(FIRST) <= 18
    assert all(any(line[12:].startswith(f"{name} ") for line in shown) for name in FIRST)
    assert FIRST[0] == "diagnose"
    assert done.stdout.rstrip().endswith("[]")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*name.split(), "--help"])
    assert stop.value.code == 0
    assert f"dnc {name}" in capsys.readouterr().out


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_name_works_and_names_the_new_one_on_standard_error(
    old: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main([old, "--help"])
    assert stop.value.code == 0
    shown = capsys.readouterr()
    assert f"`dnc {old}` is now `dnc {' '.join(RENAMED[old])}`" in shown.err
    assert "is now" not in shown.out


def test_the_path_of_the_tasks_is_the_only_output_under_its_old_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["tasks-path"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert Path(line).is_dir()


def test_commands_of_two_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["research"]) == 0
    assert "protocol" in capsys.readouterr().out
    assert main(["research", "trian"]) == 1
    assert "did you mean train" in capsys.readouterr().err
    assert main(["list", "stats", "tiny_tables", "--json"]) == 0


def test_an_option_means_the_same_in_every_command() -> None:
    """Two commands with an option of one name take values of one kind, written in one way."""
    meanings: dict[str, dict[tuple[object, object], str]] = {}
    for name, (module, _) in COMMANDS.items():
        parser = argparse.ArgumentParser()
        import_module(module).add_arguments(parser)
        for action in parser._actions:
            if action.help == argparse.SUPPRESS or isinstance(action, argparse._HelpAction):
                continue
            for option in action.option_strings:
                kind = (str if action.nargs != 0 else bool) if action.type in (None, Path) else action.type
                meanings.setdefault(option, {}).setdefault((kind, action.metavar), name)
    assert not {option: found for option, found in meanings.items() if len(found) > 1}


def test_perturb_writes_pairs_with_proof(problems: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "o.jsonl"
    assert (
        main(
            ["perturb", str(problems), "--with", "language_plausible+verbosity_plausible", "--out", str(out)]
        )
        == 0
    )
    first, second = rows_of(out)
    assert str(first["body"]).startswith("Ana has twelve (not ")
    assert first["source"]["body"] == OWN[0]["body"]  # type: ignore[index]
    assert first["answer"] == "42"
    assert first["certificate"]
    assert (second["perturbed"], second["source"], second["answer"]) == (False, None, "7")


def test_perturb_reads_csv_and_parameters(tmp_path: Path) -> None:
    path = tmp_path / "my.csv"
    path.write_text(
        'id,body,question,equation,answer\n1,"I have 5 cups, 7 jars.",How many?,5 + 7,12\n', encoding="utf-8"
    )
    out = tmp_path / "o.jsonl"
    words = [
        "perturb",
        str(path),
        "--with",
        "distribution",
        "--out",
        str(out),
        "--set",
        "mu=20",
        "--set",
        "sigma=0",
    ]
    assert main(words) == 0
    assert rows_of(out)[0]["answer"] == "52"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "line 1: not JSON"),
        ("[1]", "line 1: a single value instead of an object"),
        ('{"id": "1", "body": "x"}', "no 'question'"),
        ('{"id": "1", "question": "x", "answer": [1]}', "'answer' is"),
    ],
)
def test_bad_input_is_explained_and_nothing_written(
    content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(content, encoding="utf-8")
    assert main(["perturb", str(path), "--with", "type", "--out", str(tmp_path / "o.jsonl")]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "o.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["biuld"], "did you mean build"),
        (["show", "tiny-verbosty-attack"], "did you mean verbosity"),
        (["perturb", "x.jsonl", "--with", "tpye", "--out", "o"], "did you mean type"),
        (["perturb", "x.jsonl", "--with", "type", "--out", "o"], "there is no file x.jsonl"),
        (["perturb", "x.jsonl", "--with", "type", "--out", "o", "--set", "mu=3"], "type takes scope"),
        (["list", "tiny", "--from", "tiny"], "DATASET=DIR"),
    ],
)
def test_mistakes_get_a_remedy(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 1
    assert message in capsys.readouterr().err


def test_list_counts_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "tiny", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    by_name = {line["config"]: line for line in lines}
    assert by_name["tiny"]["perturbed"]["test"] == 0
    assert by_name["tiny-type-attack"]["perturbed"]["train"] == 0
    assert 0 < by_name["tiny-type-attack"]["perturbed"]["test"] <= by_name["tiny"]["rows"]["test"]


def test_list_without_names_lists_datasets(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["list"]) == 0
    table = capsys.readouterr().out
    assert "dnc fetch svamp" in table
    assert "2231 / 220 / 240" in table
    assert "svamp-type-attack" not in table


def test_list_takes_counts_from_a_built_folder_and_computes_the_others_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "built"
    name = "tiny_tables-type-attack"
    assert main(["build", name, "--out", str(folder), "--seed", "5"]) == 0

    def counted(*options: str) -> dict[str, object]:
        capsys.readouterr()
        assert main(["list", "tiny_tables", "--json", "--seed", "5", *options]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        return {line["config"]: line["perturbed"] for line in lines if "perturbed" in line}

    assert counted() == {}
    stored = counted("--built", str(folder))
    assert name in stored
    computed = counted("--count")
    assert set(stored) < set(computed)
    assert stored.items() <= computed.items()


def test_show_gives_originals_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "tiny_tables", "-n", "1"]) == 0
    shown = capsys.readouterr().out
    assert "original" in shown
    assert "perturbed" not in shown


def test_show_says_how_many_rows_there_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "tiny-type-attack", "-n", "1"]) == 0
    assert re.search(r"^1 of [0-9]+ pairs; -n 0 shows all$", capsys.readouterr().out, re.MULTILINE)
    own = tmp_path / "mine.csv"
    own.write_text(
        "id,question\n" + "".join(f"{at},Ann has {at} pens. How many pens?\n" for at in range(2, 6))
    )
    assert main(["show", str(own)]) == 0
    assert capsys.readouterr().out.endswith("3 of 4 problems; -n 0 shows all\n")


def test_show_gives_all_rows_for_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "tiny_tables-type-attack", "-n", "0", "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 3
    assert main(["show", "tiny_tables-type-attack", "-n", "-1"]) == 1
    assert "0 for all" in capsys.readouterr().err


def test_show_gives_the_pair(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "tiny-type-attack", "-n", "1", "--json"]) == 0
    pair = json.loads(capsys.readouterr().out)
    assert pair["row"]["id"] == pair["source"]["id"]
    assert ".0" in pair["row"]["body"]
    assert main(["show", "tiny-type-attack", pair["row"]["id"]]) == 0
    assert "target_kept" in capsys.readouterr().out


def test_bash_completes_commands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash")
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out

    def completed(*words: str) -> list[str]:
        call = (
            f"{script}\nCOMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; "
            f"_dnc dnc '{words[-1]}' '{words[-2]}'; echo ${{COMPREPLY[@]}}"
        )
        return subprocess.run(["bash", "-c", call], capture_output=True, text=True, check=True).stdout.split()

    assert completed("dnc", "bu") == ["build"]
    assert completed("dnc", "build", "--str") == ["--strict"]
    assert completed("dnc", "research", "tr") == ["train"]
    assert completed("dnc", "research", "train", "--enc") == ["--encoder"]
    assert "stats" in completed("dnc", "list", "st")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_know_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(name.split()[-1] in script for name in COMMANDS)
    assert "--strict" in script


def test_lines_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = itertools.count(0, 10)  # ten seconds between two looks
    monkeypatch.setattr(commands.time, "monotonic", lambda: next(clock))
    with commands.progress_bar("building", 20) as advance:
        for at in range(20):
            advance(note=f"config{at}")
    lines = capsys.readouterr().err.splitlines()
    assert 3 <= len(lines) <= 10
    assert lines[0].startswith("building 3/20 config2")


def test_a_short_run_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with commands.progress_bar("building", 3) as advance:
        for _ in range(3):
            advance()
    assert capsys.readouterr().err == ""

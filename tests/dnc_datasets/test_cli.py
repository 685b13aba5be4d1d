"""The commands as a user types them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dnc_datasets.cli import COMMANDS, main

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
    assert all(f"  {name}" in done.stdout for name in COMMANDS)
    assert done.stdout.rstrip().endswith("[]")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    assert f"dnc {name}" in capsys.readouterr().out


def test_perturb_writes_pairs_with_proof(problems: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "o.jsonl"
    assert main(["perturb", str(problems), "--with", "language+verbosity", "--out", str(out)]) == 0
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
        ("[1]", "line 1: a list instead of an object"),
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


def test_show_gives_originals_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "tiny_tables", "-n", "1"]) == 0
    shown = capsys.readouterr().out
    assert "original" in shown
    assert "perturbed" not in shown


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

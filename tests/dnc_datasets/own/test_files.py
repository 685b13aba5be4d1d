"""Tests of how a user's own files are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnc_datasets.errors import ProblemError
from dnc_datasets.own.files import Line, lines, record


def _records(path: Path, encoding: str = "") -> list[tuple[int, dict[str, object]]]:
    return [(line.number, record(line)) for line in lines(path, encoding)]


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_separated_values(tmp_path: Path, sign: str, encoding: str) -> None:
    path = tmp_path / "my.csv"
    heading = sign.join(("Id", "Question", "answer"))
    rows = f'{heading}\n1{sign}"How many\npens, à 3 €;|?"{sign}3\n\n2{sign}Why{sign}\n'
    rows = rows.replace("€", "$")
    path.write_bytes(rows.encode(encoding))
    given = "" if encoding.startswith("utf-8") else encoding
    assert _records(path, given) == [
        (3, {"id": "1", "question": "How many\npens, à 3 $;|?", "answer": "3"}),
        (5, {"id": "2", "question": "Why"}),
    ]


def test_long_fields(tmp_path: Path) -> None:
    path = tmp_path / "my.csv"
    path.write_text(f"question,body\nHow many?,{'x' * 200_000}\n")
    assert len(str(_records(path)[0][1]["body"])) == 200_000


def test_lists_in_cells(tmp_path: Path) -> None:
    path = tmp_path / "my.csv"
    path.write_text('question,table\nHow many?,"[[""a"", 1.50], [""b"", 2]]"\n')
    assert _records(path)[0][1]["table"] == [["a", "1.50"], ["b", "2"]]


@pytest.mark.parametrize(
    ("data", "suffix", "stated"),
    [
        (b'{"question": "x"}\n{"question": "\xe9"}\n', ".jsonl", "line 2: not utf-8"),
        (b"question,body\nx,y\n\xe9,y\n", ".csv", "line 3: not utf-8"),
        (b"a,b\n1,2\n", ".csv", "no column is called question"),
        (b"question\n" + b"x" * (1 << 24) + b"y\n", ".csv", "field larger"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, data: bytes, suffix: str, stated: str) -> None:
    path = tmp_path / f"my{suffix}"
    path.write_bytes(data)
    with pytest.raises(ProblemError, match=stated):
        _records(path)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ('{"a": ' * 100_000, "nested too deeply"),
        ("{", "not JSON"),
        ("[1]", "a list instead"),
        ("7", "a single value instead"),
        ("null", "nothing instead"),
    ],
)
def test_lines_that_cannot_be_read(text: str, stated: str) -> None:
    with pytest.raises(ProblemError, match=stated):
        record(Line(1, text))


def test_no_digit_is_lost() -> None:
    digits = "1" * 5000
    assert record(Line(1, f'{{"answer": {digits}.50, "id": {digits}}}')) == {
        "answer": f"{digits}.50",
        "id": digits,
    }


def test_an_encoding_that_does_not_exist(tmp_path: Path) -> None:
    path = tmp_path / "my.jsonl"
    path.write_text('{"question": "x"}')
    with pytest.raises(ProblemError, match="no such encoding"):
        _records(path, "latin-99")

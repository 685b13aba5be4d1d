"""A user's own files: separated values, lines of JSON, and the released forms of FinQA, ConvFinQA and TAT-QA."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import cli
from dnc_datasets.errors import ProblemError
from dnc_datasets.own import files, problems
from dnc_datasets.own.files import Line, lines, record
from dnc_datasets.problem import Problem
from dnc_datasets.sources import convfinqa, finqa, tatqa_a


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


PAGE: dict[str, Any] = {
    "id": "ABC/2009/page_1.pdf-1",
    "pre_text": ["the rate was 4.8% ( 4.8 % ) ."],
    "post_text": ["we paid $ 12 million ."],
    "table": [["in millions", "2009", "2008"], ["net sales", "$ 482", "$ 400"], ["costs", "310", "290"]],
    "qa": {
        "question": "what was the growth of net sales?",
        "program": "subtract(482, 400), divide(#0, 400)",
        "answer": "20.5%",
        "exe_ans": "0.205",
        "gold_inds": {"table_1": "..."},
    },
}
AVERAGE: dict[str, Any] = {
    **PAGE,
    "id": "ABC/2009/page_1.pdf-2",
    "qa": {
        "question": "what are average costs?",
        "program": "table_average(costs, none)",
        "answer": "$ 300 million",
    },
}
TALK: dict[str, Any] = {
    **{key: PAGE[key] for key in ("pre_text", "post_text", "table")},
    "id": "Single_ABC/2009/page_1.pdf-1",
    "annotation": {
        "dialogue_break": ["what were net sales in 2009?", "and in 2008?", "what was the change?"],
        "turn_program": ["482", "400", "subtract(482, 400)"],
        "exe_ans_list": [482.0, 400.0, 82.0],
    },
}
CONTEXT: dict[str, Any] = {
    "table": {
        "uid": "t1",
        "table": [["", "2019", "2018"], ["Revenue", "1,250.5", "1,000.0"], ["Costs", "900", "850"]],
    },
    "paragraphs": [{"uid": "p1", "order": 1, "text": "All amounts are in millions."}],
    "questions": [
        {
            "uid": "q1", "order": 1, "question": "What is the change in revenue in 2019?", "answer": 250.5,
            "derivation": "1,250.5-1,000.0", "answer_type": "arithmetic", "answer_from": "table", "scale": "million",
        },
        {
            "uid": "q2", "order": 2, "question": "What were costs in 2019?", "answer": ["900"],
            "derivation": "", "answer_type": "span", "answer_from": "table", "scale": "million",
        },
    ],
}  # fmt: skip


def read(path: Path) -> list[Problem]:
    return [problems.read(files.record(line), line.number) for line in files.lines(path)]


def as_lines(records: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, records))


def as_list(records: list[dict[str, Any]]) -> str:
    return json.dumps(records, indent=2)


@pytest.mark.parametrize("write", [as_lines, as_list])
def test_native_records_are_read_as_their_sources_read_them(tmp_path: Path, write: Any) -> None:
    path = tmp_path / "my.json"
    path.write_text(write([PAGE, AVERAGE, TALK, CONTEXT]))
    wanted = [finqa.read_page(PAGE), finqa.read_page(AVERAGE), *convfinqa.read_conversation(TALK)]
    wanted += list(tatqa_a.read_context(CONTEXT))
    found = read(path)
    assert found == wanted
    assert [(row.equation, row.answer, row.unit) for row in found[:2]] == [
        ("(482 - 400) / 400 * 100", "20.5", "percent"),
        ("(310 + 290) / 2", "300", "million"),
    ]


def test_one_turn_of_a_conversation_and_a_page_without_nesting(tmp_path: Path) -> None:
    turn = {**TALK, "id": "abc_1", "annotation": {**TALK["annotation"], "turn_ind": 1}}
    flat = {key: value for key, value in PAGE.items() if key != "qa"} | PAGE["qa"]
    path = tmp_path / "my.jsonl"
    path.write_text(as_lines([turn, flat]))
    second, page = read(path)
    assert (second.id, second.question, len(second.history)) == ("abc_1", "and in 2008?", 1)
    assert page == finqa.read_page(PAGE)


@pytest.mark.parametrize(
    ("name", "count"), [("finqa/train.json", 100), ("finqa/dev.json", 100), ("tatqa-a/trainset.json", 1356)]
)
def test_released_files(standin: Path, name: str, count: int) -> None:
    given = standin / name
    wanted = list((finqa.read_pages if "finqa" in name else tatqa_a.read_contexts)(given))
    found = read(given)
    assert len(found) == count
    assert found == wanted


def test_a_damaged_record_leaves_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "my.json", tmp_path / "out.jsonl"
    path.write_text(as_list([PAGE, {**PAGE, "qa": {"question": "?"}}, AVERAGE]))
    assert cli.main(["perturb", str(path), "--with", "noise_plausible", "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert "line 2: it is not as FinQA writes it (KeyError('program'))" in printed.err
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["perturbed"] for row in rows] == [True, True]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ('[{"question": "x"}, {"question": ', "after problem 1: not a JSON list"),
        ("[[1]]", "a list instead of an object"),
        ("[" * 100_000, "after problem 0: not a JSON list"),
    ],
)
def test_lists_that_cannot_be_read(tmp_path: Path, text: str, stated: str) -> None:
    path = tmp_path / "my.json"
    path.write_text(text)
    with pytest.raises(ProblemError, match=stated):
        read(path)


def test_fields_that_are_not_read_are_named_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {
        "question": "Ana has 3 pens and Bo has 4 pens. How many pens are there?",
        "equaton": "3+4",
        "title": "",
    }
    path = tmp_path / "my.jsonl"
    path.write_text(as_lines([{"id": str(at), **row, "title": "x"} for at in range(3)]))
    assert cli.main(["perturb", str(path), "--with", "language", "--out", str(tmp_path / "o.jsonl")]) == 0
    stated = "dnc: fields that are not read: equaton (did you mean equation?), title"
    assert capsys.readouterr().err.splitlines().count(stated) == 1
    assert cli.main(["check", str(path)]) == 0
    assert "columns that are not read: equaton (did you mean equation?), title" in capsys.readouterr().out


def test_a_file_without_a_question_names_its_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "my.csv"
    path.write_text("Aufgabe,Formel,answer\nHow many pens are there?,1 + 2,3\n")
    assert cli.main(["perturb", str(path), "--with", "type", "--out", str(tmp_path / "o.jsonl")]) == 1
    assert "fields that are not read: Aufgabe, Formel (did you mean equation?)" in capsys.readouterr().err
    assert cli.main(["check", str(path)]) == 1
    assert "no problem could be read" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "equation", "answer", "unit"),
    [
        ("20%", "(540 - 450) / 450 * 100", "20", "percent"),
        ("0.2", "(540 - 450) / 450", "0.2", ""),
        ("20.0 percent", "(540 - 450) / 450 * 100", "20", "percent"),
        ("$90 million", "540 - 450", "90", "million"),
        ("$ 90.00", "540 - 450", "90", ""),
        ("90 pens", "540 - 450", "90", "pens"),
    ],
)
def test_answers_with_a_unit_are_recomputed(given: str, equation: str, answer: str, unit: str) -> None:
    table = [["", "2019", "2018"], ["Revenue", "$540", "$450"]]
    program = "540 - 450" if "*" not in equation and "/" not in equation else "(540 - 450) / 450"
    record = {"question": "How did it change?", "table": table, "equation": program, "answer": given}
    problem = problems.read(record, 1)
    assert (problem.equation, problem.answer, problem.unit) == (equation, answer, unit)
    assert not problems.contradiction(problem)
    assert problem.note("operands")

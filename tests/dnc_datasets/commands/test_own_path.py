"""A user's own file from `dnc check` over `dnc perturb` and `dnc show` to `dnc score`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from dnc_datasets import cli
from dnc_datasets.english.reading.content_words import language_of
from dnc_datasets.own import files, problems

ROWS = [
    {"ID": "1", "Problem": "Ana has 12 pens. Bo gives her 30 more pens. How many pens does Ana have now?",
     "Formula": "12 + 30", "Answer": "42", "Title": "Pens"},
    {"ID": "2", "Problem": "A bag holds 15 nuts. How many nuts do 4 bags hold?", "Formula": "X=15*4", "Answer": "60"},
    {"ID": "3", "Problem": "Der Preis ist 118 Euro. Er sinkt um 92 Euro. Wie viel kostet es jetzt?",
     "Formula": "118 - 92", "Answer": "26"},
    {"ID": "4", "Problem": "A pen costs $7.50. How much do 4 pens cost?", "Formula": "7.50 * 4", "Answer": "30"},
    {"ID": "5", "Problem": "Eve had 25 cards and lost 7. How many are left?", "Formula": "25 - 7", "Answer": "19"},
    {"ID": "5", "Problem": "Tom had 9 cups and broke 3. How many cups are left?", "Formula": "9 - 3", "Answer": "6"},
    {"ID": "6", "Problem": "", "Formula": "9 - 3", "Answer": "6"},
]  # fmt: skip


def _file(folder: Path, suffix: str) -> Path:
    path = folder / f"my.{suffix}"
    if suffix == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
        return path
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(ROWS)
    return path


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_check_names_columns_languages_and_faults(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _file(tmp_path, suffix)
    assert cli.main(["check", str(path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    columns = {"ID": "id", "Problem": "problem", "Formula": "equation", "Answer": "answer", "Title": ""}
    assert found["columns"] == columns
    assert found["rows"] == 5
    assert found["languages"] == {"en": 4, "other": 1}
    assert len(found["unreadable"]) == 1, "an empty question is no question, in CSV and in JSON"
    assert "the id '5'" in found["duplicate_ids"][0]
    assert "its answer is 19" in found["inconsistent"][0]
    assert found["perturbations"]["verbosity"] == {
        "capability": "operand_selection", "rows": 4, "changed": 4, "reason": ""
    }  # fmt: skip
    assert cli.main(["check", str(path)]) == 1
    shown = capsys.readouterr().out
    assert "Formula -> equation" in shown
    assert "columns that are not read: Title" in shown


@pytest.mark.parametrize(
    "columns",
    [
        ("nr", "Story problem", "Calculation", "Result"),
        ("Index", "Word problem", "Eq", "Expected"),
        ("uid", "text", "Expr", "correct_answer"),
        ("id", "problem", "Formula", "Label"),
    ],
)
def test_columns_of_spreadsheets_are_read(columns: tuple[str, ...]) -> None:
    found = files.fields(columns)
    assert [found[name].replace("text", "problem") for name in columns] == [
        "id",
        "problem",
        "equation",
        "answer",
    ]


def test_check_says_that_no_column_holds_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "my.csv"
    path.write_text("id,question,key\n1,Ana has 12 pens and buys 30 pens. How many pens has she?,42\n")
    assert cli.main(["check", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "no column holds the answers" in shown
    assert "Without answers, nothing can be scored" in shown
    assert "Next:" not in shown


def test_csv_and_json_lines_give_the_same_rows(tmp_path: Path) -> None:
    for suffix in ("csv", "jsonl"):
        words = ["perturb", str(_file(tmp_path, suffix)), "--with", "verbosity", "--dataset", "my"]
        assert cli.main([*words, "--out", str(tmp_path / f"out-{suffix}.jsonl")]) == 0
    first, second = ((tmp_path / f"out-{suffix}.jsonl").read_text() for suffix in ("csv", "jsonl"))
    assert first == second


def test_a_text_in_another_language_is_never_changed(tmp_path: Path) -> None:
    path = _file(tmp_path, "csv")
    assert cli.main(["perturb", str(path), "--with", "all", "--out", str(tmp_path / "all")]) == 0
    made = [json.loads(line) for file in (tmp_path / "all").iterdir() for line in file.open(encoding="utf-8")]
    german = [row for row in made if row["id"] == "3"]
    assert len(german) > 20
    assert not any(row["perturbed"] for row in german)


def test_all_warns_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        cli.main(["perturb", str(_file(tmp_path, "csv")), "--with", "all", "--out", str(tmp_path / "all")])
        == 0
    )
    stated = capsys.readouterr().err.splitlines()
    assert len(stated) == len(set(stated))
    assert sum("its answer is 19" in line for line in stated) == 1


def test_the_reason_names_decimals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["perturb", str(_file(tmp_path, "csv")), "--with", "distribution"]
    assert cli.main([*words, "--out", str(tmp_path / "o.jsonl")]) == 0
    assert "an operand of its equation is a decimal" in capsys.readouterr().out


def test_from_perturb_over_show_to_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    _file(tmp_path, "csv")
    assert cli.main(["perturb", "my.csv", "--with", "verbosity", "--out", "out.jsonl"]) == 0
    capsys.readouterr()
    assert cli.main(["show", "out.jsonl", "1"]) == 0
    assert "(not " in capsys.readouterr().out
    assert cli.main(["show", "my.csv", "-n", "2"]) == 0
    assert "15 nuts" in capsys.readouterr().out
    assert cli.main(["show", "out.jsonl", "nobody"]) == 1
    assert cli.main(["eval", "out.jsonl", "--questions", "asked.jsonl"]) == 0
    asked = [json.loads(line) for line in Path("asked.jsonl").read_text().splitlines()]
    assert {row["config"] for row in asked} == {"out", "out-verbosity-attack"}
    gold = {row["ID"]: row["Answer"] for row in ROWS[:5]}
    lines = [json.dumps({**row, "output": gold[row["id"]]}) for row in asked]
    Path("answered.jsonl").write_text("\n".join(lines))
    assert cli.main(["score", "answered.jsonl", "out.jsonl"]) == 1
    assert (
        "name it first, then the predictions: dnc score out.jsonl answered.jsonl" in capsys.readouterr().err
    )
    assert cli.main(["score", "out.jsonl", "answered.jsonl", "--out", "scored"]) == 0
    assert "out.jsonl: 1 row has an answer that differs" in capsys.readouterr().out, "row 5"
    cells = json.loads(Path("scored/record.json").read_text())["cells"]
    assert [cell["scores"]["answer_lenient"] for cell in cells] == [1.0, 1.0]
    marked = [
        {"id": row["id"], "output": gold[row["id"]], "perturbed": row["config"] != "out"} for row in asked
    ]
    Path("marked.jsonl").write_text("\n".join(map(json.dumps, marked)))
    assert cli.main(["score", "out.jsonl", "marked.jsonl", "--out", "marked"]) == 0
    again = json.loads(Path("marked/record.json").read_text())["cells"]
    assert [cell["config"] for cell in again] == [cell["config"] for cell in cells]


@pytest.mark.parametrize(
    ("record", "body", "equation"),
    [
        ({"context": "Ana has 12 pens.", "question": "How many?"}, "Ana has 12 pens.", ""),
        ({"paragraphs": [{"text": "Up."}, "Costs fell."], "question": "Why?"}, "Up.\n\nCosts fell.", ""),
        ({"body": "x", "question": "?", "program": "subtract(9, 4), divide(#0, 4)"}, "x", "(9 - 4) / 4"),
        ({"body": "x", "context": "y", "question": "?"}, "x", ""),
    ],
)  # fmt: skip
def test_fields_of_other_datasets(record: dict[str, object], body: str, equation: str) -> None:
    found = problems.read(files.record(files.Line(1, json.dumps(record))), 1)
    assert (found.body, found.equation) == (body, equation)


@pytest.mark.parametrize(
    "text",
    [
        "Anna hat 12 Stifte und kauft 30 dazu. Wie viele Stifte hat sie jetzt?",
        "Marie a 12 pommes et elle achète 5 pommes. Combien de pommes a-t-elle ?",
        "Juan tiene 15 manzanas y compra 4 más. ¿Cuántas manzanas tiene?",
        "Il negozio ha 15 mele. Quante mele sono in tutto?",
        "João tem 12 lápis e compra mais 5. Quantos lápis ele tem?",
        "Jan heeft 12 appels. Hoeveel appels zijn er in het mandje?",
        "У Ани 12 ручек. Сколько ручек у неё теперь?",
        "太郎さんはりんごを12こ持っています。",
    ],
)
def test_other_languages_are_recognised(text: str) -> None:
    assert language_of(text) == "other"


@pytest.mark.parametrize(
    "text",
    [
        "5 + 7 = ?",
        "Tom: 5 apples. Ann: 3 apples. Total?",
        "El Paso and Los Angeles have 12 parks. How many parks are there in all?",
        "A van from Las Vegas to San Diego carries 12 people. How many more fit in?",
        "Chef de cuisine Luc bakes 12 pies. How many pies are there?",
        "",
    ],
)
def test_english_with_foreign_names_stays_english(text: str) -> None:
    assert language_of(text) == "en"

"""Sources read from small files that we wrote: the user's own copies, and files that are wrong."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import expression, files, sources
from dnc_datasets.errors import SourceError, UnknownNameError
from dnc_datasets.problem import Problem
from dnc_datasets.sources.formats.records import rational
from dnc_datasets.sources.formats.slotted import hold_out

Splits = dict[str, list[Problem]]

ASDIV_ROW = {
    "@ID": "own-1",
    "@Grade": "2",
    "Body": "Mia has 7 shells. She finds 2.50 more.",
    "Question": "How many has she now?",
    "Solution-Type": {"@Subgoal-1": "Addition", "#text": "Sum"},
    "Answer": "9.5  (shells)",
    "Formula": "7+2.50=9.5",
}
SLOTTED_ROW = {
    "Question": "Mia has number0 shells . She finds number1 . How many has she ?",
    "Numbers": "7.0 2.5",
    "Equation": "+ number0 number1",
    "Answer": "9.5",
    "group_nums": "[]",
    "Body": "Mia has number0 shells . She finds number1 .",
    "Ques_Statement": "How many has she ?",
}


def write_asdiv(folder: Path, row: Any) -> Path:
    for name in ("trainset.json", "validset.json", "testset.json"):
        (folder / name).write_text(json.dumps([row]))
    return folder


def read_own(name: str, folder: Path, fold: str = "") -> Splits:
    source = sources.get(name)
    return dict(source.read(files.resolve(source, given=folder, fold=fold).files, fold))


def test_own_copies_are_read_from_a_flat_folder(tmp_path: Path) -> None:
    row = read_own("asdiv_a", write_asdiv(tmp_path, ASDIV_ROW))["train"][0]
    assert (row.id, row.equation, row.answer, row.unit) == ("own-1", "7 + 2.50", "9.5", "shells")
    assert row.note("solution_type") == "Addition+Sum"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Answer": "about nine"}, r"own-1 has the answer 'about nine'; expected '9 \(apples\)'"),
        ({"Answer": "9 (shells)"}, r"own-1 states the answer 9, but 7 \+ 2\.50 gives 9\.5\. Fix the row"),
        ({"Formula": "seven+2=9"}, r"own-1 has the formula 'seven\+2=9'"),
        ({"Formula": "7/0=1"}, r"own-1 has the formula '7/0=1'.*zero"),
        ({"Formula": None}, r"record 1: 'Formula' is null"),
        ({"Solution-Type": ["Sum"]}, r"record 1: 'Solution-Type' is \[\"Sum\"\]"),
    ],
)
def test_asdiv_rows_that_cannot_be_right_are_named(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    write_asdiv(tmp_path, ASDIV_ROW | change)
    with pytest.raises(SourceError, match=rf"trainset\.json.*{message}"):
        read_own("asdiv_a", tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[{", r"expected JSON, but .*line 1"),
        (b'{"rows": []}', r"expected a JSON list of objects, found dict"),
        (b"[7]", r"record 1 is str, not an object"),
        (b'[{"@ID": "own-1", "Body": ""}]', r"record 1 lacks '@Grade', 'Question', .*it has '@ID', 'Body'"),
        (b"\xff\xfe", r"expected UTF-8 text"),
        (b"", r"expected JSON"),
        (b"[" * 100_000, r"expected JSON, but maximum recursion depth"),
    ],
)
def test_files_that_are_not_the_expected_json_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    write_asdiv(tmp_path, ASDIV_ROW)
    (tmp_path / "trainset.json").write_bytes(content)
    with pytest.raises(SourceError, match=rf"trainset\.json: {message}.*dnc fetch"):
        read_own("asdiv_a", tmp_path)


def test_a_fold_list_of_other_ids_is_named(tmp_path: Path) -> None:
    write_asdiv(tmp_path, ASDIV_ROW)
    (tmp_path / "fold1.txt").write_text("own-1\nown-9\n")
    with pytest.raises(SourceError, match=r"fold1\.txt: lists 'own-9'"):
        read_own("asdiv_a", tmp_path, "fold1")


def write_mawps(folder: Path, row: dict[str, str]) -> Path:
    (folder / "fold2").mkdir(exist_ok=True)
    for name in ("train.csv", "dev.csv"):
        with (folder / "fold2" / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, list(row))
            writer.writeheader()
            writer.writerow(row)
    return folder


def test_own_csv_files_are_read(tmp_path: Path) -> None:
    [row] = read_own("mawps", write_mawps(tmp_path, SLOTTED_ROW), "fold2")["test"]
    assert row.body == "Mia has 7 shells. She finds 2.5."
    assert (row.question, row.equation, row.answer) == ("How many has she?", "7 + 2.5", "9.5")
    assert row.note("leaked") == "yes"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Numbers": "7.0"}, r"train\.csv: row 1 uses number1, but lists 1 numbers"),
        ({"Numbers": "7.0 many"}, r"train\.csv: row 1 lists 'many', which is no number"),
        ({"Equation": "+ number0"}, r"row mawps-0001: equation '\+ number0'"),
        ({"Equation": "+ number0 x"}, r"row mawps-0001: equation '\+ number0 x'"),
        ({"Answer": "nine"}, r"row mawps-0001.*answer 'nine'"),
        ({"Answer": "10"}, r"row mawps-0001 states the answer 10, but 7 \+ 2\.5 gives 9\.5"),
    ],
)
def test_csv_rows_that_cannot_be_right_are_named(
    tmp_path: Path, change: dict[str, str], message: str
) -> None:
    write_mawps(tmp_path, SLOTTED_ROW | change)
    with pytest.raises(SourceError, match=message):
        read_own("mawps", tmp_path, "fold2")


def test_a_csv_file_without_a_column_is_named(tmp_path: Path) -> None:
    write_mawps(tmp_path, {key: cell for key, cell in SLOTTED_ROW.items() if key != "Equation"})
    with pytest.raises(SourceError, match=r"train\.csv: the header lacks 'Equation'; it has 'Question'"):
        read_own("mawps", tmp_path, "fold2")


def test_a_csv_row_with_a_cell_too_few_is_named(tmp_path: Path) -> None:
    write_mawps(tmp_path, SLOTTED_ROW)
    path = tmp_path / "fold2" / "train.csv"
    path.write_text(path.read_text() + "only one cell\n")
    with pytest.raises(SourceError, match="row 2 has not as many cells"):
        read_own("mawps", tmp_path, "fold2")


# --- the small parts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", "7"),
        ("56.0", "56"),
        ("2.50", "2.5"),
        ("0.3333", "0.3333"),
        ("0.16666666666666666", "1/6"),
        ("19.833333333333332", "119/6"),
        ("27.799999999999997", "27.8"),
        ("5.666666666666668", "17/3"),
        ("3.14159265358979", "3.14159265358979"),
    ],
)
def test_a_rational_is_found_behind_a_float(text: str, value: str) -> None:
    assert expression.canonical(rational(text)) == value


def test_holding_out_depends_on_the_rows_alone() -> None:
    many = [Problem(f"r-{n}", "", "?") for n in range(200)]
    train, validation = hold_out(many, "demo", "fold0", lambda row: row.id)
    assert (len(train), len(validation)) == (180, 20)
    assert sorted([*train, *validation], key=many.index) == many
    turned, again = hold_out(many[::-1], "demo", "fold0", lambda row: row.id)
    assert {row.id for row in again} == {row.id for row in validation}
    assert [row.id for row in turned] == [row.id for row in train][::-1]
    assert hold_out(many, "demo", "fold1", lambda row: row.id)[1] != validation


def test_holding_out_keeps_groups_together() -> None:
    many = [Problem(f"r-{n}", str(n % 40), "?") for n in range(200)]
    train, validation = hold_out(many, "demo", "fold0", lambda row: row.body)
    assert len(validation) == 20
    assert not {row.body for row in train} & {row.body for row in validation}


def test_an_unknown_dataset_answers_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean asdiv_a"):
        sources.get("asdiv")

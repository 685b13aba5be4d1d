"""A record comes back as it was written, and whatever is wrong with a file is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_metrics import record, record_schema
from dnc_metrics.errors import RecordError
from dnc_metrics.record import Cell, Line, Outcome, Provenance, Record, System, Table

CELL = Cell(
    config="tiny",
    dataset="tiny",
    fold="",
    perturbation="",
    setting="",
    capability="",
    prompt="direct",
    score="answer_lenient",
    rows=2,
    changed=0,
    right=1,
    scores={"answer_lenient": 0.5},
    statuses={"right": 1, "wrong": 1},
)
TABLE = Table(
    "tiny", "", "attack", "direct", "answer_lenient", 0.05, (Line("type", "number_detection", False, 0, 0),)
)
WHOLE = Record(System("toy", "predictions"), Provenance("dnc score", "0.2.0"), (CELL,), (TABLE,))
ROWS = (
    Outcome("tiny|direct", "a", True, "right", "3"),
    Outcome("tiny|direct", "b", False, "wrong", "4", "four"),
)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    written = record.write(WHOLE, ROWS, tmp_path)
    assert record.load(tmp_path) == record.load(tmp_path / "record.json") == written
    assert tuple(record.outcomes(tmp_path, written)) == ROWS


def edited(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        found = json.loads((folder / "record.json").read_text())
        change(found)
        (folder / "record.json").write_text(json.dumps(found))

    return edit


FAULTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "missing field": (edited(lambda r: r["cells"][0].pop("rows")), r"record.cells\[0\].rows is missing"),
    "unknown field": (edited(lambda r: r.update(extra=1)), "unknown field 'extra'"),
    "text for number": (
        edited(lambda r: r["cells"][0].update(rows="2")),
        "rows is a text instead of an integer",
    ),
    "true for number": (edited(lambda r: r["cells"][0].update(rows=True)), "rows is true or false"),
    "NaN": (edited(lambda r: r["cells"][0]["scores"].update(x=float("nan"))), "NaN"),
    "infinity": (edited(lambda r: r["system"]["model"].update(x=float("inf"))), "Infinity"),
    "an integer of 400 digits": (
        edited(lambda r: r["cells"][0].update(rows=10**400)),
        r"rows is an integer above",
    ),
    "the same for a float": (
        edited(lambda r: r["cells"][0]["scores"].update(x=10**400)),
        r"x is an integer above",
    ),
    "the same in the settings": (
        edited(lambda r: r["system"]["model"].update(billions=10**400)),
        "billions is an integer above",
    ),
    "list for object": (edited(lambda r: r.update(system=[])), "record.system is a list"),
    "null": (edited(lambda r: r.update(system=None)), "record.system is null"),
    "a float without end": (
        lambda folder: (folder / "record.json").write_text('{"schema": 1e999}') and None,
        "schema is not a finite number",
    ),
    "too deep": (
        lambda folder: (folder / "record.json").write_text("[" * 90 + "]" * 90) and None,
        "more than 64 levels",
    ),
    "another schema": (edited(lambda r: r.update(schema="dnc-record/9")), "dnc-record/9"),
    "not JSON": (lambda folder: (folder / "record.json").write_text("{") and None, "not JSON"),
    "deep": (lambda folder: (folder / "record.json").write_text("[" * 100_000) and None, "not JSON"),
    "gone": (lambda folder: (folder / "record.json").unlink(), "there is no"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named(tmp_path: Path, fault: str) -> None:
    record.write(WHOLE, ROWS, tmp_path)
    spoil, message = FAULTS[fault]
    spoil(tmp_path)
    with pytest.raises(RecordError, match=message):
        record.load(tmp_path)


def test_a_record_of_schema_1_reads_as_one_of_today(tmp_path: Path) -> None:
    written = record.write(WHOLE, ROWS, tmp_path)
    edited(lambda r: r.update(schema="dnc-record/1"))(tmp_path)
    assert record.load(tmp_path) == written


@pytest.mark.parametrize(
    ("old", "command"),
    [
        ({"schema": "dnc-diagnosis/1", "tasks": []}, "dnc eval"),
        ({"title": "gts", "attacks": {}}, "dnc diagnose"),
        ({"solver": "gts", "outcomes": {}}, "dnc research protocol"),
    ],
)
def test_a_file_of_before_names_the_command_that_makes_it_anew(
    tmp_path: Path, old: dict[str, Any], command: str
) -> None:
    (tmp_path / "record.json").write_text(json.dumps(old))
    with pytest.raises(RecordError, match=command):
        record.load(tmp_path)


def test_outcomes_are_those_that_were_hashed(tmp_path: Path) -> None:
    written = record.write(WHOLE, ROWS, tmp_path)
    file = tmp_path / "record.rows.jsonl"
    file.write_text(file.read_text().replace('"right":false', '"right":true'))
    with pytest.raises(RecordError, match="checksum differs"):
        record.outcomes(tmp_path, written)
    file.unlink()
    with pytest.raises(RecordError, match="cannot be read"):
        record.outcomes(tmp_path, written)


def test_the_rows_file_is_never_looked_for_elsewhere(tmp_path: Path) -> None:
    record.write(WHOLE, ROWS, tmp_path)
    edited(lambda r: r["rows"].update(name="../secret"))(tmp_path)
    with pytest.raises(RecordError, match="not a file beside"):
        record.outcomes(tmp_path, record.load(tmp_path))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    )
)
def test_any_json_is_a_record_or_an_error(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "record.json").write_text(json.dumps(value))
    with pytest.raises(RecordError):
        record.load(folder)


def test_the_schema_describes_records_as_they_are_written(tmp_path: Path) -> None:
    schema = record_schema.schema()
    written = record.write(WHOLE, ROWS, tmp_path)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(written.text()), schema)
    for line in (tmp_path / "record.rows.jsonl").read_text().splitlines():
        jsonschema.validate(json.loads(line), {**schema, "$ref": "#/$defs/Outcome"})
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**json.loads(written.text()), "cells": 1}, schema)

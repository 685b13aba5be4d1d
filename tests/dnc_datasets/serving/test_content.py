"""The content checksum: the same however rows are cut, another for any change, and both formats verify."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from dnc_datasets.errors import BuildError
from dnc_datasets.serving import card, catalogue, checksums, content, rows
from dnc_datasets.serving.build import build
from dnc_datasets.serving.content import Columns, Lines
from dnc_datasets.serving.verify import verify

CONFIGS = ["tiny_tables", "tiny_tables-verbosity-attack"]


@pytest.fixture(scope="module")
def records() -> list[rows.Record]:
    """Rows with tables and without, perturbed (with a source) and not, and with turns of a conversation."""
    found = []
    for name in ("tiny_tables-noise-attack", "tiny_dialogues-type-attack", "tiny-verbosity-attack"):
        variant = catalogue.find(name)
        made = variant.rows({"test": catalogue.read(variant.dataset)["test"][:12]})["test"]
        found += [rows.to_record(row, variant) for row in made]
    return found


def _of(some: list[rows.Record], pieces: int = 1_000, split: str = "test") -> str:
    table = rows.to_table(some)
    hashed = Columns()
    hashed.begin(split)
    for start in range(0, len(some), pieces):
        for piece in table.slice(start, pieces).to_batches():
            hashed.add(piece)
    return hashed.end()


@pytest.mark.parametrize("pieces", [1, 3, 8, 35])
def test_it_does_not_matter_how_rows_are_cut(records: list[rows.Record], pieces: int) -> None:
    assert _of(records, pieces) == _of(records)


def _moved(value: Any) -> list[Any]:
    """The same texts, cut elsewhere: what a hash of the characters alone would not tell."""
    texts = [text for row in value for text in row] if value and isinstance(value[0], list) else value
    return [[text] for text in texts] if isinstance(value[0], list) else ["".join(texts)]


def test_every_change_of_a_value_is_another_content(records: list[rows.Record]) -> None:
    seen = {_of(records): "nothing"}

    def changed(what: str, some: list[rows.Record]) -> None:
        made = _of(some)
        assert made not in seen, f"{what} has the checksum of {seen[made]}"
        seen[made] = what

    at = next(at for at, one in enumerate(records) if one["table"] and one["source"])

    def put(what: str, **values: Any) -> None:
        changed(what, [*records[:at], {**records[at], **values}, *records[at + 1 :]])

    one = records[at]
    for name, value in one.items():
        if isinstance(value, str):
            put(name, **{name: f"{value} "})
            put(f"{name} null", **{name: None})
    put("perturbed", perturbed=False)
    put("seed", seed=1)
    put("seed null", seed=None)
    put("source null", source=None)
    put("a source's text", source={**one["source"], "body": "x"})
    put("a source's table", source={**one["source"], "table": []})
    put("cells in other rows", table=_moved(one["table"]))
    put("table null", table=None)
    put("a row without cells", table=[*one["table"], []])
    put("certificate joined", certificate=_moved(one["certificate"]))
    put("history", history=[{"question": "a", "answer": "b"}])
    put("history, moved", history=[{"question": "ab", "answer": ""}])
    changed("order", [*records[:at], records[at + 1], one, *records[at + 2 :]])
    changed("a row less", records[:-1])
    assert _of(records, split="train") not in seen


def test_a_split_without_rows_is_the_same_written_or_read() -> None:
    nothing = Columns()
    nothing.begin("test")
    assert nothing.end() == _of([])


def test_a_column_that_rows_do_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="weight is of type double"):
        Columns().add(pa.record_batch({"weight": [0.5]}))


def _as_before(folder: Path, names: list[str]) -> None:
    """Write the checksums of some configs as builds did that knew no format: of lines, and without its number."""
    found = checksums.read(folder)
    configs = dict(found.configs)
    for name in names:
        record, hashed, counts = configs[name], Lines(), {}
        for split in sorted(record.splits):
            hashed.begin(split)
            for line in rows.read(folder / name / f"{split}.parquet"):
                hashed.line(line)
            counts[split] = replace(record.splits[split], content=hashed.end())
        in_order = {split: counts[split] for split in record.splits}
        configs[name] = replace(record, sha256=hashed.whole(), splits=in_order, format=1)
    old = replace(found, configs=configs)
    said = json.loads(old.text())
    for name in names:
        del said["configs"][name]["format"]
    (folder / checksums.FILE_NAME).write_text(json.dumps(said), encoding="utf-8")
    (folder / card.FILE_NAME).write_text(card.text(old), encoding="utf-8")


def test_a_folder_built_before_there_were_formats_verifies(tmp_path: Path) -> None:
    folder = tmp_path / "dnc"
    report = build(CONFIGS, folder)
    assert {record.format for record in report.configs.values()} == {content.FORMAT}
    _as_before(folder, CONFIGS)
    assert {record.format for record in checksums.read(folder).configs.values()} == {1}
    assert verify(folder).failures == []
    said = json.loads((folder / checksums.FILE_NAME).read_text(encoding="utf-8"))
    said["configs"]["tiny_tables"]["sha256"] = report.configs["tiny_tables"].sha256  # of the other format
    (folder / checksums.FILE_NAME).write_text(json.dumps(said), encoding="utf-8")
    assert [(one.config, one.reason) for one in verify(folder).failures] == [
        ("tiny_tables", "its content differs from checksums.json")
    ]


def test_what_was_built_before_stays_beside_what_is_built_now(tmp_path: Path) -> None:
    folder = tmp_path / "dnc"
    build(CONFIGS, folder)
    _as_before(folder, CONFIGS)
    build(CONFIGS[1:], folder)
    found = checksums.read(folder).configs
    assert [found[name].format for name in CONFIGS] == [1, content.FORMAT]
    assert verify(folder).failures == []


@pytest.mark.parametrize(("number", "stated"), [(3, "format 3"), ("2", "no int"), (True, "no int")])
def test_a_format_that_is_not_known_is_refused(tmp_path: Path, number: object, stated: str) -> None:
    folder = tmp_path / "dnc"
    build(["tiny_tables"], folder)
    said = json.loads((folder / checksums.FILE_NAME).read_text(encoding="utf-8"))
    said["configs"]["tiny_tables"]["format"] = number
    (folder / checksums.FILE_NAME).write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(BuildError, match=stated):
        verify(folder)

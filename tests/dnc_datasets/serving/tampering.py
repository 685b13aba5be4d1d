"""Ways of tampering with a built folder, each a function of the folder; `dnc verify` must catch every one."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dnc_datasets.errors import DncError
from dnc_datasets.serving import benchmark, card, checksums, rows
from dnc_datasets.serving.checksums import Checksums, ConfigChecksums, Count
from dnc_datasets.serving.content import FORMATS, Content

# A small config with perturbed rows in the test split and clean ones in the others.
CONFIG = "tiny_tables-verbosity_plausible-attack"
Tampering = Callable[[Path], None]
Rows = list[dict[str, Any]]


def table(folder: Path, split: str = "test") -> Path:
    return folder / CONFIG / f"{split}.parquet"


def recomputed(tamper: Tampering) -> Tampering:
    """The same, by somebody who then writes new checksums and a new card, as far as there are rows to read."""

    def both(folder: Path) -> None:
        tamper(folder)
        recompute(folder)

    return both


def recompute(folder: Path) -> None:
    found = checksums.read(folder)
    configs = {}
    for name, record in found.configs.items():
        counts, hashed = {}, FORMATS[record.format]()
        for split in sorted(record.splits):
            path = folder / name / f"{split}.parquet"
            hashed.begin(split)
            with suppress(ValueError):  # a column of another type has no checksum
                hashed_by(hashed, path)
            some = rows.read(path)
            perturbed = sum(bool(row.get("perturbed")) for row in some)
            file = sha256(path.read_bytes()).hexdigest()
            counts[split] = Count(len(some), perturbed, hashed.end(), file, path.stat().st_size)
        in_order = {split: counts[split] for split in record.splits}
        configs[name] = ConfigChecksums(hashed.whole(), record.provenance, in_order, record.format)
    write(folder, Checksums(found.version, found.seed, configs))


def hashed_by(hashed: Content, path: Path) -> None:
    for piece in pq.ParquetFile(path).iter_batches():
        hashed.add(piece)


def write(folder: Path, found: Checksums) -> None:
    """New checksums, and a card and an eval.yaml that agree with them."""
    (folder / checksums.FILE_NAME).write_text(found.text(), encoding="utf-8")
    (folder / card.FILE_NAME).write_text(card.text(found), encoding="utf-8")
    with suppress(DncError, OSError, ValueError):
        (folder / benchmark.FILE_NAME).unlink(missing_ok=True)
        if listed := benchmark.text(benchmark.tasks(found, (folder,))):
            (folder / benchmark.FILE_NAME).write_text(listed, encoding="utf-8")


# --- rows


def edit_rows(edit: Callable[[Rows], object], split: str = "test") -> Tampering:
    def tamper(folder: Path) -> None:
        records = rows.read(table(folder, split))
        edit(records)
        rows.write(records, table(folder, split))

    return tamper


def edit_one(edit: Callable[[dict[str, Any]], object], *, perturbed: bool) -> Tampering:
    def one(records: Rows) -> None:
        edit([record for record in records if record["perturbed"] is perturbed][-1])

    return edit_rows(one, "test" if perturbed else "train")


def change(name: str) -> Callable[[dict[str, Any]], None]:
    """Another value of the same type."""

    def edit(record: dict[str, Any]) -> None:
        value = record[name]
        if name == "source":
            record[name] = {**value, "answer": "1"} if value else {**record, "id": None}
        elif name in ("table", "history"):
            record[name] = [*(value or []), [["new"], {"question": "Why?", "answer": "1"}][name == "history"]]
        elif isinstance(value, list):
            record[name] = [*value, "new"]
        elif isinstance(value, bool):
            record[name] = not value
        elif pa.types.is_integer(rows.schema().field(name).type):
            record[name] = (value or 0) + 1
        else:
            record[name] = f"{value or ''}1"

    return edit


def target_and_equation(record: dict[str, Any]) -> None:
    record.update(equation="40 + 2", answer="42", answers=[])


def swap(records: Rows) -> None:
    records[0], records[1] = records[1], records[0]


ROWS: dict[str, Tampering] = {
    **{f"perturbed row, {name}": edit_one(change(name), perturbed=True) for name in rows.COLUMNS},
    **{f"clean row, {name}": edit_one(change(name), perturbed=False) for name in rows.COLUMNS},
    "target and equation together": edit_one(target_and_equation, perturbed=True),
    "target and equation of a clean row": edit_one(target_and_equation, perturbed=False),
    "every answer 42": edit_rows(lambda records: [record.update(answer="42") for record in records]),
    "every source forgotten": edit_rows(
        lambda records: [record.update(source=None, perturbed=False, certificate=[]) for record in records]
    ),
    "certificate emptied": edit_one(lambda record: record.update(certificate=[]), perturbed=True),
    "null in a text": edit_one(lambda record: record.update(unit=None), perturbed=True),
    "null in a clean row": edit_one(lambda record: record.update(equation=None), perturbed=False),
    "id doubled": edit_rows(lambda records: records[1].update(id=records[0]["id"])),
    "row doubled": edit_rows(lambda records: records.insert(1, dict(records[0]))),
    "row added": edit_rows(lambda records: records.append({**records[0], "id": "new"})),
    "first row deleted": edit_rows(lambda records: records.pop(0)),
    "last row deleted": edit_rows(lambda records: records.pop()),
    "last row of another split deleted": edit_rows(lambda records: records.pop(), "train"),
    "rows swapped": edit_rows(swap),
    "rows in reverse": edit_rows(lambda records: records.reverse()),
    "no rows": edit_rows(lambda records: records.clear()),
}


# --- columns


def edit_table(edit: Callable[[pa.Table], pa.Table]) -> Tampering:
    def tamper(folder: Path) -> None:
        pq.write_table(edit(pq.ParquetFile(table(folder)).read()), table(folder), compression="zstd")

    return tamper


def of_type(name: str, kind: pa.DataType) -> Callable[[pa.Table], pa.Table]:
    def edit(found: pa.Table) -> pa.Table:
        return found.set_column(found.schema.get_field_index(name), name, found[name].cast(kind))

    return edit


def null_column(found: pa.Table) -> pa.Table:
    return found.set_column(found.schema.get_field_index("unit"), "unit", pa.nulls(len(found)))


COLUMNS: dict[str, Tampering] = {
    "column added": edit_table(lambda found: found.append_column("hint", found["answer"])),
    "column missing": edit_table(lambda found: found.drop_columns(["unit"])),
    "column renamed": edit_table(lambda found: found.rename_columns(["unit_", *found.column_names[1:]])),
    "columns reordered": edit_table(lambda found: found.select(found.column_names[::-1])),
    "column doubled": edit_table(lambda found: found.append_column("answer", found["answer"])),
    "text as large text": edit_table(of_type("answer", pa.large_string())),
    "text as bytes": edit_table(of_type("answer", pa.binary())),
    "flag as number": edit_table(of_type("perturbed", pa.int8())),
    "column of nulls": edit_table(null_column),
    "notes for loaders": edit_table(
        lambda found: found.replace_schema_metadata({"huggingface": '{"info": {"features": {}}}'})
    ),
}


# --- files


def edit_bytes(edit: Callable[[bytes], bytes], name: str = f"{CONFIG}/test.parquet") -> Tampering:
    def tamper(folder: Path) -> None:
        (folder / name).write_bytes(edit((folder / name).read_bytes()))

    return tamper


def flipped(part: float) -> Callable[[bytes], bytes]:
    def flip(data: bytes) -> bytes:
        at = int(part * (len(data) - 1))
        return data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]

    return flip


def to_link(name: str, inside: bool) -> Tampering:
    def tamper(folder: Path) -> None:
        place = folder / name
        real = (folder / "real") if inside else folder.with_name(f"outside-{place.name}")
        place.rename(real)
        place.symlink_to(real)

    return tamper


def to_pipe(name: str) -> Tampering:
    def tamper(folder: Path) -> None:
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return tamper


def copied(name: str) -> Tampering:
    def tamper(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(table(folder), folder / name)

    return tamper


def written(name: str, text: str) -> Tampering:
    def tamper(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    return tamper


def deleted(name: str) -> Tampering:
    def tamper(folder: Path) -> None:
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    return tamper


ELSEWHERE = (
    "configs:\n- config_name: tiny\n  data_files:\n  - split: test\n    path: https://example.org/x.parquet\n"
)
FILES: dict[str, Tampering] = {
    "table empty": edit_bytes(lambda data: b""),
    "table truncated": edit_bytes(lambda data: data[:-100]),
    "table truncated to half": edit_bytes(lambda data: data[: len(data) // 2]),
    **{
        f"bit flipped at {part:.0%}": edit_bytes(flipped(part))
        for part in (0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1)
    },
    "bytes added": edit_bytes(lambda data: data + b"PAR1"),
    "table deleted": deleted(f"{CONFIG}/test.parquet"),
    "table a link inside": to_link(f"{CONFIG}/test.parquet", inside=True),
    "table a link outside": to_link(f"{CONFIG}/test.parquet", inside=False),
    "table a pipe": to_pipe(f"{CONFIG}/test.parquet"),
    "table a folder": lambda folder: (deleted(f"{CONFIG}/test.parquet")(folder), table(folder).mkdir())[0],
    "config folder a link": to_link(CONFIG, inside=False),
    "config folder deleted": deleted(CONFIG),
    "extra table": copied("more.parquet"),
    "second table beside the first": copied(f"{CONFIG}/test-1.parquet"),
    "hidden table beside the first": copied(f"{CONFIG}/.test.parquet"),
    "hidden copy": copied(f".{CONFIG}/test.parquet"),
    "hidden copy further down": copied(".cache/a/test.parquet"),
    "table with an upper-case suffix": copied("more.PARQUET"),
    "another config's folder": copied("tiny_tables/test.parquet"),
    "an empty config's folder": lambda folder: (folder / "tiny").mkdir(),
    "text in a config's folder": written(f"{CONFIG}/note", "x"),
    "JSON lines": written("more.jsonl", "{}"),
    "CSV": written("data/more.csv", "a,b"),
    "archive": written("more.zip", "x"),
    "loader script": written("dnc.py", "raise SystemExit"),
    "YAML of the Hub": written(".huggingface.yaml", ELSEWHERE),
    "YAML": written("eval.yaml", ELSEWHERE),
    "old infos": written("dataset_infos.json", "{}"),
    "link beside": lambda folder: (folder / "notes").symlink_to("/etc/hostname"),
    "link to nothing": lambda folder: (folder / "notes").symlink_to("nowhere"),
    "link to itself": lambda folder: (folder / "notes").symlink_to("notes"),
    "link to the folder": lambda folder: (folder / "again").symlink_to("."),
    "pipe beside": lambda folder: os.mkfifo(folder / "notes"),
}


# --- checksums.json


def edit_json(edit: Callable[[dict[str, Any]], object]) -> Tampering:
    def tamper(folder: Path) -> None:
        path = folder / checksums.FILE_NAME
        found = json.loads(path.read_text(encoding="utf-8"))
        made = edit(found)
        path.write_text(json.dumps(found if made is None else made), encoding="utf-8")

    return tamper


def edit_config(**changes: Any) -> Tampering:
    return edit_json(lambda found: found["configs"][CONFIG].update(changes))


def edit_split(**changes: Any) -> Tampering:
    return edit_json(lambda found: found["configs"][CONFIG]["splits"]["test"].update(changes))


def as_config(name: str) -> Tampering:
    return edit_json(lambda found: found["configs"].update({name: found["configs"].pop(CONFIG)}))


def with_card(tamper: Tampering) -> Tampering:
    """The same, with a card that agrees with the new checksums."""

    def both(folder: Path) -> None:
        tamper(folder)
        write(folder, checksums.read(folder))

    return both


def without_split(folder: Path) -> None:
    found = checksums.read(folder)
    record = found.configs[CONFIG]
    table(folder, "validation").unlink()
    splits = {name: count for name, count in record.splits.items() if name != "validation"}
    write(folder, replace(found, configs={CONFIG: replace(record, splits=splits)}))
    recompute(folder)


def dropped_with_its_folder(folder: Path) -> None:
    shutil.rmtree(folder / CONFIG)
    edit_json(lambda found: found.update(configs={}))(folder)


CHECKSUMS: dict[str, Tampering] = {
    "checksums deleted": deleted(checksums.FILE_NAME),
    "checksums empty": written(checksums.FILE_NAME, ""),
    "checksums broken": written(checksums.FILE_NAME, "{"),
    "checksums deep": written(checksums.FILE_NAME, "[" * 100_000),
    "checksums a list": written(checksums.FILE_NAME, "[]"),
    "checksums a number": written(checksums.FILE_NAME, "1"),
    "checksums not text": edit_bytes(lambda data: b"\xff" + data, checksums.FILE_NAME),
    "checksums a link": to_link(checksums.FILE_NAME, inside=False),
    "checksums a pipe": to_pipe(checksums.FILE_NAME),
    "no configs": edit_json(lambda found: found.update(configs={})),
    "config dropped with its folder": dropped_with_its_folder,
    "config dropped": edit_json(lambda found: found["configs"].clear()),
    "unknown config": as_config("tiny_tabels"),
    "another config": as_config("tiny_tables-type-attack"),
    "climbing config": as_config("../dnc"),
    "absolute config": as_config("/etc"),
    "config of a setting too many": as_config(f"{CONFIG}-attack"),
    "unknown split": edit_json(
        lambda found: found["configs"][CONFIG]["splits"].update(
            more=found["configs"][CONFIG]["splits"]["test"]
        )
    ),
    "climbing split": edit_json(
        lambda found: found["configs"][CONFIG]["splits"].update(
            {"../test": found["configs"][CONFIG]["splits"].pop("test")}
        )
    ),
    "split forgotten": edit_json(lambda found: found["configs"][CONFIG]["splits"].pop("validation")),
    "split removed with its table": without_split,
    "another seed": edit_json(lambda found: found.update(seed=1)),
    "another seed, card too": with_card(edit_json(lambda found: found.update(seed=1))),
    "a seed that is text": edit_json(lambda found: found.update(seed="0")),
    "another version": edit_json(lambda found: found.update(version="9.9")),
    "no version": edit_json(lambda found: found.pop("version")),
    "more keys": edit_json(lambda found: found.update(hint="x")),
    "another checksum": edit_config(sha256="0" * 64),
    "another checksum of a split": edit_split(content="0" * 64),
    "another checksum of a file": edit_split(file="0" * 64),
    "another count": edit_split(rows=1),
    "another count of perturbed rows": edit_split(perturbed=1),
    "a count that is null": edit_split(rows=None),
    "an embedded corpus as a user's own": with_card(edit_config(provenance="unverified")),
    **{f"provenance {word!r}": edit_config(provenance=word) for word in ("unverified", "", "good", None, 1)},
}


# --- the card


def edit_card(old: str, new: str) -> Tampering:
    def tamper(folder: Path) -> None:
        text = (folder / card.FILE_NAME).read_text(encoding="utf-8")
        assert old in text
        (folder / card.FILE_NAME).write_text(text.replace(old, new, 1), encoding="utf-8")

    return tamper


PATH = f"path: {CONFIG}/test.parquet"
CARD: dict[str, Tampering] = {
    "eval.yaml deleted": deleted(benchmark.FILE_NAME),
    "eval.yaml edited": edit_bytes(
        lambda data: data.replace(b"numeric: true", b"numeric: false"), benchmark.FILE_NAME
    ),
    "eval.yaml a link": to_link(benchmark.FILE_NAME, inside=True),
    "card deleted": deleted(card.FILE_NAME),
    "card empty": written(card.FILE_NAME, ""),
    "card of another": written(card.FILE_NAME, f"---\n{ELSEWHERE}---\n# Mine\n"),
    "card a link": to_link(card.FILE_NAME, inside=True),
    "card a pipe": to_pipe(card.FILE_NAME),
    "card not text": edit_bytes(lambda data: b"\xff" + data, card.FILE_NAME),
    "card redirected inside": edit_card(PATH, f"path: {CONFIG}/train.parquet"),
    "card redirected to a hidden file": edit_card(PATH, "path: .git/x"),
    "card redirected outside": edit_card(PATH, "path: ../test.parquet"),
    "card redirected to the network": edit_card(PATH, "path: https://example.org/test.parquet"),
    "card with a second file": edit_card(PATH, f"{PATH}\n  - split: test\n    path: LICENSE"),
    "card without a split": edit_card(f"  - split: test\n    {PATH}\n", ""),
    "card with another config": edit_card(
        "configs:\n", "configs:\n- config_name: more\n  data_files: LICENSE\n"
    ),
    "card with a folder": edit_card("configs:\n", "data_dir: ..\nconfigs:\n"),
    "card with features": edit_card("configs:\n", "dataset_info:\n  features: []\nconfigs:\n"),
    "another licence": edit_card("license: apache-2.0", "license: mit"),
    "text before the YAML": edit_card("---\n", f"---\n{ELSEWHERE}---\n---\n"),
    "our section edited": edit_card("Certificate: ", "Proof: "),
    "our section cut": edit_card("## Sources", "## None"),
    "a mark deleted": edit_card("<!-- dnc build writes from here ... -->\n", ""),
    "counts in the card edited": edit_card("0 / ", "1 / "),
}

# Files that no rows can be read from, or none that JSON has a form for, so no checksum can be made of them.
_WITHOUT_CHECKSUM = ("column doubled", "text as bytes")
EVERY: dict[str, Tampering] = {
    **ROWS,
    **{f"{name}, recomputed": recomputed(tamper) for name, tamper in ROWS.items()},
    **COLUMNS,
    **{
        f"{name}, recomputed": recomputed(tamper)
        for name, tamper in COLUMNS.items()
        if name not in _WITHOUT_CHECKSUM
    },
    **FILES,
    **CHECKSUMS,
    **CARD,
}

# What a publisher may add.
ALLOWED: dict[str, Tampering] = {
    "git": written(".git/HEAD", "ref"),
    "attributes": written(".gitattributes", "*.parquet filter=lfs"),
    "licence": written("LICENSE", "mine"),
    "notes": written("notes.md", "mine"),
    "picture": written("figures/a.png", "x"),
    "prose above": edit_card("<!-- dnc build", "Welcome!\n<!-- dnc build"),
    "prose below": edit_card("these lines stays -->\n", "these lines stays -->\nWrite to us.\n"),
    "other line ends": edit_bytes(lambda data: data.replace(b"\n", b"\r\n"), card.FILE_NAME),
}

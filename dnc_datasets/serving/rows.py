"""The row of a built dataset: its columns, its Parquet schema, and its prompt and target as text."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnc_datasets import sources
from dnc_datasets.english.reading.content_words import is_chinese
from dnc_datasets.memoization import memoized
from dnc_datasets.problem import FIELDS, Problem, from_row, to_row
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.content import Lines
from dnc_datasets.serving.settings import Row

if TYPE_CHECKING:
    import pyarrow


Record = dict[str, Any]
# A callback that receives batches of rows during the iteration.
Seen = Callable[["pyarrow.RecordBatch"], object]
# Rows of a row group.
GROUP = 10_000
# Rows that are turned into records at a time.
_AT_A_TIME = 2_000

# Column -> its content. The dataset card shows this table.
COLUMNS = {
    "id": "the source's own id; the same on the original and on every perturbed form, so pairs join on it; in a "
    "contrast set, that id with # and the perturbation",
    "body": "the text before the question",
    "question": "the question",
    "table": "rows of cells, for datasets with tables",
    "equation": 'the calculation as infix text ("192 / 4"), empty where the source has none',
    "answer": "canonical text of an exact rational, or a span",
    "answers": "every accepted answer, where there are several",
    "unit": "the unit of the answer",
    "answer_type": "number, span, ...",
    "segments": "parts of the text that the source tells apart",
    "history": "earlier questions of a conversation, with their answers",
    "evidence": "what the source marks as needed for the answer",
    "meta": "what only this source knows, as a JSON object of text to text",
    "original_id": "the id of the original; the same as `id` except in a contrast set",
    "perturbation": "the config's recipe, empty for an original",
    "setting": "attack, defense, augment or contrast, empty for an original",
    "perturbed": "whether this row was changed; rows that do not qualify stay as they are",
    "source": "the problem before it was perturbed; null where `perturbed` is false",
    "certificate": "the checks that were computed for this row and hold; `second_reader` where spaCy read it too, "
    "`refused:second_reader` on an original whose changed form it refused",
    "seed": "the seed of the draws; null where `perturbed` is false",
    "parameters": "the parameters of each step, as a JSON object of objects; null where `perturbed` is false",
    "prompt": "the whole problem as one text (body, table, conversation, question), without any instruction",
    "target": 'the answer as plain text; "unknown" where the text does not tell',
}
# The id is left out: it is the same on both sides of a pair.
_SOURCE_FIELDS = tuple(name for name in FIELDS if name != "id")
# One encoder for all rows is many times faster on short rows than one for each.
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_TEXT_LISTS = ("answers", "segments", "evidence", "certificate")
# Language -> the heading of each part.
_LABELS = {
    "en": {
        "passage": "Passage:",
        "table": "Table:",
        "earlier": "Earlier questions:",
        "question": "Question:",
    },
    "zh": {"passage": "材料：", "table": "表格：", "earlier": "前面的问答：", "question": "问题："},
}
# Language -> the reply where the text does not contain the answer.
UNKNOWN = {"en": "unknown", "zh": "不确定"}


def to_record(row: Row, variant: Variant) -> Record:
    """Return the row as plain values, in the order of the columns."""
    plain, (shape, language) = to_row(row.problem), _form(row.problem, variant)
    return {
        **plain,
        "original_id": row.original.id if row.original is not None else row.problem.id,
        "perturbation": variant.recipe,
        "setting": variant.setting,
        "perturbed": row.original is not None,
        "source": _source(row.original) if row.original is not None else None,
        "certificate": list(row.certificate),
        "seed": row.seed,
        "parameters": row.parameters,
        "prompt": layout(plain, shape, language),
        "target": target(plain, language),
    }


def _form(problem: Problem, variant: Variant) -> tuple[str, str]:
    """Return shape and language of the source, or those of the problem where the set is a user's own."""
    if sources.is_known(variant.dataset):
        return variant.source.shape, variant.source.language
    return problem.shape, "zh" if is_chinese(problem.question or problem.body) else "en"


def to_line(row: Row, recipe: str) -> str:
    """Return the row as one line of JSON, with `meta` and `parameters` as objects and no setting."""
    line = {**_plain(row.problem), "perturbation": recipe, "perturbed": row.original is not None}
    line["source"] = _plain(row.original) if row.original is not None else None
    line["certificate"] = list(row.certificate)
    line["seed"] = row.seed
    line["parameters"] = None if row.parameters is None else _decoded(row.parameters)
    return _ENCODE(line)


def original(record: Mapping[str, Any]) -> Problem:
    """Return the original of the record: its source, or the problem itself where it is unchanged."""
    source = record["source"]
    return from_row(record if source is None else {**source, "id": record["original_id"]})


def from_record(record: Mapping[str, Any]) -> Row:
    """Return the row of a record made by `to_record`."""
    before = None if record["source"] is None else original(record)
    certificate = tuple(record["certificate"])
    return Row(from_row(record), before, certificate, record["seed"], record["parameters"])


def digest(splits: Mapping[str, Iterable[Mapping[str, Any]]]) -> str:
    """Return the SHA-256 of the records, as in folders of format 1.

    Results state it to identify their rows.
    """
    hashed = Lines()
    for split in sorted(splits):
        hashed.begin(split)
        for record in splits[split]:
            hashed.line(record)
    return hashed.whole()


def schema() -> pyarrow.Schema:
    """Return the Arrow schema, which is the same for every config."""
    import pyarrow as pa

    source = pa.struct([(name, _type(name)) for name in _SOURCE_FIELDS])
    return pa.schema([(name, source if name == "source" else _type(name)) for name in COLUMNS])


def leave_pandas_out() -> None:
    """Keep Arrow from importing pandas, which takes half a second at its first array.

    Call it only in a process of our own: Arrow then makes no data frames for any code.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas())
    try:
        pa.array([""])  # Arrow looks for it once
    finally:
        del sys.meta_path[0]


class _NoPandas(MetaPathFinder):
    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ImportError


def to_table(records: Sequence[Mapping[str, Any]]) -> pyarrow.Table:
    """Return the records as an Arrow table."""
    import pyarrow as pa

    return pa.Table.from_pylist(records, schema=schema())


def write(records: Iterable[Mapping[str, Any]], path: Path, seen: Seen | None = None) -> None:
    """Write the records as a Parquet file, one row group at a time. `seen` receives each piece."""
    write_tables(_in_groups(records), path, seen)


def write_tables(tables: Iterable[pyarrow.Table], path: Path, seen: Seen | None = None) -> None:
    """Write tables as a Parquet file in the same way, one row group each."""
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, schema(), compression="zstd") as file:
        for table in tables:
            if seen:
                for piece in table.to_batches():
                    seen(piece)
            file.write_table(table)


def _in_groups(records: Iterable[Mapping[str, Any]]) -> Iterator[pyarrow.Table]:
    """Yield the records as tables of one row group each. No records give one empty table."""
    coming = iter(records)
    group = list(islice(coming, GROUP))
    while True:
        yield to_table(group)
        if not (group := list(islice(coming, GROUP))):
            return


def table(path: Path) -> pyarrow.Table:
    """Return the rows of a Parquet file."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        return file.read()


def groups(tables: Iterable[pyarrow.Table]) -> Iterator[pyarrow.Table]:
    """Yield the rows of these tables in tables of one row group each. No rows give one empty table."""
    import pyarrow as pa

    held, empty = schema().empty_table(), True
    for table in tables:
        held = pa.concat_tables([held, table])
        while held.num_rows >= GROUP:
            yield held.slice(0, GROUP).combine_chunks()
            held, empty = held.slice(GROUP), False
    if held.num_rows or empty:
        yield held.combine_chunks()


def read(path: Path, seen: Seen | None = None) -> list[Record]:
    """Return the records of a Parquet file. `seen` receives each piece."""
    return list(stream(path, seen))


def stream(path: Path, seen: Seen | None = None) -> Iterator[Record]:
    """Yield the records of a Parquet file, a few thousand in memory at a time. `seen` receives each piece."""
    import pyarrow.parquet as pq

    # One file, opened as such: a folder called `table=1` above it must not become a column.
    with pq.ParquetFile(path) as file:
        for piece in file.iter_batches(batch_size=_AT_A_TIME):
            if seen:
                seen(piece)
            yield from piece.to_pylist()


def verdicts(path: Path) -> Iterator[Record]:
    """Yield the ids and certificates of a Parquet file, without reading other columns."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for piece in file.iter_batches(batch_size=GROUP, columns=["id", "certificate"]):
            yield from piece.to_pylist()


@memoized
def _decoded(parameters: str) -> Any:
    return json.loads(parameters)  # the same on nearly every row of a file


def _plain(problem: Problem) -> Record:
    return {**to_row(problem), "meta": dict(problem.meta)}


def _source(problem: Problem) -> Record:
    row = to_row(problem)
    del row["id"]
    return row


def _type(name: str) -> pyarrow.DataType:
    import pyarrow as pa

    if name == "perturbed":
        return pa.bool_()
    if name == "seed":
        return pa.int64()
    if name == "table":
        return pa.list_(pa.list_(pa.string()))
    if name == "history":
        return pa.list_(pa.struct([("question", pa.string()), ("answer", pa.string())]))
    return pa.list_(pa.string()) if name in _TEXT_LISTS else pa.string()


def layout(row: Mapping[str, Any], shape: str, language: str) -> str:
    """Return all parts of a problem in reading order, without any instruction.

    >>> print(layout({"body": "Tom has 3 pens.", "question": "How many pens?"}, "word_problem", "en"))
    Question: Tom has 3 pens. How many pens?
    """
    labels = _LABELS.get(language, _LABELS["en"])
    if shape == "word_problem":
        return f"{labels['question']} {row['body']} {row['question']}".rstrip()
    texts = [text for text in (row["body"], *row["segments"]) if text]
    parts = [f"{labels['passage']} " + "\n".join(texts)] if texts else []
    if row["table"]:
        parts.append(f"{labels['table']}\n" + "\n".join(map(_table_line, row["table"])))
    if row["history"]:
        turns = "\n".join(f"- {turn['question']} {turn['answer']}" for turn in row["history"])
        parts.append(f"{labels['earlier']}\n{turns}")
    parts.append(f"{labels['question']} {row['question']}".rstrip())
    return "\n".join(parts)


def target(row: Mapping[str, Any], language: str) -> str:
    """Return the answer, or the one word for an answer that the text does not contain.

    Where only a constraint is known, return the smallest value that satisfies it.
    """
    if row["answer_type"] == "constraint":
        name, _, bound = str(row["answer"]).partition(" ")
        return bound or {"boolean": "yes"}.get(name, "0")
    if row["answer_type"] == "unanswerable":
        return UNKNOWN.get(language, UNKNOWN["en"])
    return str(row["answer"])


def _table_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"

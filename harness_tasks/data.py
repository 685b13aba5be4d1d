"""Rows of a config in the form that lm-eval reads, from a built folder or computed from an embedded corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from dnc_datasets import expression
from dnc_datasets.draws import Draw
from dnc_datasets.errors import ExpressionError
from dnc_datasets.plain_output import tell_failed
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue, checksums, rows
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.checksums import Checksums
from dnc_datasets.serving.content import FORMAT, FORMATS
from dnc_datasets.serving.settings import CONTRAST, failures
from dnc_datasets.version import __version__
from dnc_harness import listing, scoring
from dnc_harness.errors import HarnessError, MissingDataError
from dnc_harness.prompts import exemplars
from dnc_metrics import replies
from dnc_metrics.replies import UNANSWERABLE
from dnc_metrics.reply_scores import evidence_graph
from dnc_metrics.row_labels import cluster

Doc = dict[str, Any]
# Config and folder -> the checksum of its test rows (`rows.digest`), taken when they were read.
_digests: dict[tuple[str, Path], str] = {}
# Environment variable that names the built folder; the default is `./dnc`.
FOLDER_VARIABLE = "DNC_DATA"
# Columns that prompts, scoring and pairing read; the original and its certificate are omitted.
_COLUMNS = (
    "id",
    "original_id",
    "body",
    "question",
    "table",
    "segments",
    "history",
    "equation",
    "answer",
    "answers",
    "unit",
    "answer_type",
    "perturbed",
)


class Docs(list[Doc]):
    """A list of rows with column names, the only attribute that lm-eval needs of a dataset."""

    @property
    def features(self) -> Mapping[str, None]:
        """Return the column names."""
        return dict.fromkeys(self[0]) if self else {}


def splits(
    config: str,
    dnc_limit: int | None = None,
    dnc_data: str | None = None,
    dnc_templates: Mapping[str, int] | None = None,
    **_unused: Any,
) -> dict[str, Docs]:
    """Return the test rows of a config, and our worked examples as the split `fewshot`.

    lm-eval calls it with the task's `dataset_kwargs` and `metadata`, which can set `dnc_limit` and `dnc_data`
    (`lm_eval --metadata '{"dnc_limit": 30}'`). A limit takes the same row ids from the original and from every
    variant of a dataset, so that rows remain paired. `dnc_templates` gives the number of templates for each
    capability, and for the original under the empty name.
    """
    variant = catalogue.find(config)
    built = folder(dnc_data)
    records = test_records(variant, built)
    if variant.setting == CONTRAST and dnc_limit is not None and is_here(variant.original, built):
        # Members of the originals that the same limit takes; if these have no members, a limit on the members.
        originals = limited(test_records(variant.original, built), variant.dataset, dnc_limit)
        ids = {record["id"] for record in originals}
        members = [record for record in records if record["original_id"] in ids]
        records = members or limited(records, variant.dataset, dnc_limit)
    else:
        records = limited(records, variant.dataset, dnc_limit)
    docs = [_doc(variant, record) for record in records]
    return _splits(variant, first_templates(docs, variant, dnc_templates))


def equation_splits(
    config: str,
    dnc_limit: int | None = None,
    dnc_data: str | None = None,
    dnc_templates: Mapping[str, int] | None = None,
    **_unused: Any,
) -> dict[str, Docs]:
    """Return `splits` for the rows and worked examples that have an equation.

    A limit applies to these rows, which are the same in the original and in every variant.
    """
    variant = catalogue.find(config)
    docs = [_doc(variant, record) for record in test_records(variant, folder(dnc_data))]
    docs = [doc for doc in docs if has_equation(doc)]
    if not docs:
        raise HarnessError(f"no row of {config} has an equation; ask it for its answer (direct or cot)")
    docs = first_templates(limited(docs, variant.dataset, dnc_limit), variant, dnc_templates)
    both = _splits(variant, docs)
    return {**both, "fewshot": Docs(filter(has_equation, both["fewshot"]))}


def graph_splits(
    config: str, dnc_limit: int | None = None, dnc_data: str | None = None, **_unused: Any
) -> dict[str, Docs]:
    """Return `splits` for the turns whose reasoning graph is known. There are no worked examples."""
    variant = catalogue.find(config)
    docs = [_doc(variant, record) for record in test_records(variant, folder(dnc_data))]
    docs = [doc for doc in docs if has_graph(doc)]
    if not docs:
        raise HarnessError(f"no row of {config} has a known reasoning graph; ask it for its answer")
    return {"test": Docs(limited(docs, variant.dataset, dnc_limit)), "fewshot": Docs()}


def splits_for(prompt: str) -> Callable[..., dict[str, Docs]]:
    """Return the function that provides the rows of a prompt."""
    return {listing.EQUATION: equation_splits, listing.GRAPH: graph_splits}.get(prompt, splits)


def has_graph(doc: Doc) -> bool:
    """Return whether the reasoning graph of the answer is known and the prompt shows all of its nodes."""
    graph: list[list[str]] = doc.get("graph") or []
    return bool(graph) and all(_is_shown(doc, node) for edge in graph for node in edge)


def _is_shown(doc: Doc, node: str) -> bool:
    kind, number = node.strip("<>")[:1], node.strip("<>")[1:]
    shown = doc["history"] if kind == "q" else doc["segments"]
    return not number or int(number) <= len(shown)


def left_out(variant: Variant, built: Path, prompt: str) -> int:
    """Count the test rows that this prompt omits."""
    can_ask = {listing.EQUATION: has_equation, listing.GRAPH: has_graph}.get(prompt)
    if can_ask is None:
        return 0
    return sum(not can_ask(_doc(variant, record)) for record in test_records(variant, built))


def has_equation(doc: Doc) -> bool:
    """Return whether the equation of the row gives its answer, exactly or rounded as the answer is."""
    if not doc["equation"]:
        return False
    try:
        value, answer = expression.parse(doc["equation"]).value(), expression.parse(doc["answer"]).value()
    except ExpressionError:
        return bool(scoring.equation(doc, [doc["equation"]])["equation_executes"])
    places = len(str(doc["answer"]).partition(".")[2])
    rounding = str(doc.get("rounding") or "") or f"places:{places}"
    return value == answer or expression.rounds_to(value, answer, rounding)


def limited(docs: Sequence[Doc], dataset: str, limit: int | None) -> list[Doc]:
    """Return the rows of `limit` originals in their order.

    A hash of the ids chooses the originals, so that all variants of a dataset take the same ones.
    """
    if limit is None or limit >= len(docs):
        return list(docs)
    originals = {_original_id(doc) for doc in docs}
    by_hash = sorted(originals, key=lambda row: (Draw(0, dataset, row, "limit").word(), row))
    chosen = set(by_hash[:limit])
    return [doc for doc in docs if _original_id(doc) in chosen]


def first_templates(docs: list[Doc], variant: Variant, counts: Mapping[str, int] | None) -> list[Doc]:
    """Return all rows of the first templates, in the order of `template_order`."""
    if not counts:
        return docs
    count = counts.get(variant.capability if variant.recipe else "", counts[""])
    templates = {str(doc["cluster"]) for doc in docs}
    first = set(sorted(templates, key=lambda name: template_order(variant.dataset, name))[:count])
    return [doc for doc in docs if doc["cluster"] in first]


def template_order(dataset: str, template: str) -> tuple[int, str]:
    """Return a sort key that puts templates into a random order, the same in every run."""
    return Draw(0, dataset, template, "templates").word(), template


def _original_id(doc: Doc) -> str:
    return str(doc.get("original_id") or doc["id"])


def folder(given: str | Path | None = None) -> Path:
    """Return the folder of built configs: the argument, the environment variable, or `./dnc`."""
    return Path(given or os.environ.get(FOLDER_VARIABLE) or "dnc")


def test_records(variant: Variant, built: Path) -> list[rows.Record]:
    """Return the records of the test split; the error for missing rows names the command that writes them."""
    if _is_built(variant, built):
        return _stored(variant, built)
    require([variant], built)
    records, digest, failed = _computed(variant, tuple(step.function for step in variant.steps))
    tell_failed(failed)
    _digests[variant.name, built] = digest
    return list(records)


@lru_cache(maxsize=64)
def _computed(
    variant: Variant, functions: tuple[Callable[..., Problem | None], ...]
) -> tuple[tuple[rows.Record, ...], str, list[tuple[str, str]]]:
    """Return the records of an embedded corpus, their digest and the rows that failed.

    The estimate, the tasks and the record of a run all need them. `functions` distinguishes plug-ins of the same name.
    """
    rows_by_split = variant.rows({"test": _embedded(variant.dataset, variant.fold)["test"]})
    records = [rows.to_record(row, variant) for row in rows_by_split["test"]]
    return tuple(records), rows.digest({"test": records}), failures(rows_by_split, variant.name)


def _stored(variant: Variant, built: Path) -> list[rows.Record]:
    """Read the built test rows and compare them with the checksums of the folder."""
    path = built / checksums.table(variant.name, "test")
    record = _checksums(built)
    entry = record.configs[variant.name] if record else None
    digest = FORMATS[entry.format if entry else FORMAT]()
    digest.begin("test")
    try:
        records = rows.read(path, digest.add)
    except (OSError, ValueError) as error:  # Arrow's own errors are ValueErrors
        raise HarnessError(f"{path} cannot be read: {error}; `dnc build` writes it again") from error
    split = entry.splits.get("test") if entry else None
    if split is None or split.content != digest.end():
        raise HarnessError(
            f"{path} does not hold the rows that {checksums.FILE_NAME} names, and is not scored; "
            f"`dnc verify {built}` says what differs, `dnc build {variant.name} --out {built}` writes it again"
        )
    _digests[variant.name, built] = rows.digest({"test": records})
    return records


def require(variants: Sequence[Variant], built: Path) -> None:
    """Raise an error that names every missing dataset and its command. Embedded corpora are never missing."""
    missing = [variant for variant in variants if not is_here(variant, built)]
    if not missing:
        return
    names = list(dict.fromkeys(variant.dataset for variant in missing))
    what = missing[0].name if len(missing) == 1 else f"{len(missing)} configs of {', '.join(names)}"
    pronoun = "it" if len(missing) == 1 else "them"
    stored = _checksums(built)
    why = f" (it was built by version {stored.version})" if stored and stored.version != __version__ else ""
    where = "" if built == Path("dnc") else f" --out {built}"
    raise MissingDataError(
        f"{built} does not hold {what} of dnc-bench {__version__}{why}; "
        f"`dnc build {' '.join(names)}{where}` provides {pronoun}"
    )


def is_here(variant: Variant, built: Path) -> bool:
    """Return whether the rows are available: built or embedded."""
    return not variant.source.files or _is_built(variant, built)


def provenance(variant: Variant, built: Path) -> dict[str, Any]:
    """Return the identity of a config's test rows: version, seed and checksum."""
    if (variant.name, built) not in _digests:
        test_records(variant, built)
    digest = _digests[variant.name, built]
    stored = _checksums(built)
    if stored is None or not _is_built(variant, built):
        return {"version": __version__, "seed": 0, "sha256": digest}
    config = stored.configs[variant.name]
    return {
        "version": stored.version,
        "seed": stored.seed,
        "sha256": digest,
        "provenance": config.provenance,
    }


def _doc(variant: Variant, record: rows.Record) -> Doc:
    return doc(of_source(variant), record)


def doc(source: Mapping[str, Any], record: Mapping[str, Any]) -> Doc:
    """Return a row in the form that prompts and scores read; `source` holds the properties of its source."""
    # A user's own files do not have every column.
    columns = {name: record[name] for name in _COLUMNS if name in record}
    fields = {**source, **columns, "rounding": replies.rounding(record), "cluster": cluster(record)}
    return {**fields, "graph": evidence_graph(record)} if source["shape"] == "dialogue" else fields


def _splits(variant: Variant, docs: list[Doc]) -> dict[str, Docs]:
    source = variant.source
    examples = [{**of_source(variant), **example} for example in exemplars(source.shape, source.language)]
    return {"test": Docs(docs), "fewshot": Docs(examples)}


def of_source(variant: Variant) -> Doc:
    """Return the properties of a source that prompts and scoring need.

    A config with unanswerable questions accepts the word for "unknown" on all rows, so it is not numeric.
    """
    source = variant.source
    numeric = source.numeric and not any(step.name == UNANSWERABLE for step in variant.steps)
    return {"shape": source.shape, "language": source.language, "numeric": numeric}


def _is_built(variant: Variant, built: Path) -> bool:
    stored = _checksums(built)
    return stored is not None and stored.version == __version__ and variant.name in stored.configs


def _checksums(built: Path) -> Checksums | None:
    path = built / checksums.FILE_NAME
    return _read_checksums(built, path.stat().st_mtime_ns) if path.is_file() else None


@lru_cache(maxsize=4)
def _read_checksums(built: Path, changed: int) -> Checksums:
    return checksums.read(built)


@lru_cache(maxsize=4)
def _embedded(dataset: str, fold: str) -> dict[str, list[Problem]]:
    return catalogue.read(dataset, fold)

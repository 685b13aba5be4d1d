"""The rows of a config as lm-eval wants them, from a built folder or, for embedded corpora, made at once."""

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
# Environment variable that names the built folder; `./dnc` where it is not set.
FOLDER_VARIABLE = "DNC_DATA"
# What prompts, scoring and pairing need of a record; the original and its certificate are left out.
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
    """Rows that name their columns, which is all that lm-eval asks of a dataset."""

    @property
    def features(self) -> Mapping[str, None]:
        """The columns' names."""
        return dict.fromkeys(self[0]) if self else {}


def splits(
    config: str,
    dnc_limit: int | None = None,
    dnc_data: str | None = None,
    dnc_templates: Mapping[str, int] | None = None,
    **_unused: Any,
) -> dict[str, Docs]:
    """The test rows of a config, and our own worked examples as the split `fewshot`.

    lm-eval calls it with the task's `dataset_kwargs` and `metadata`; `dnc_limit` and `dnc_data` can be
    given there (`lm_eval --metadata '{"dnc_limit": 30}'`). With a limit, the same row ids are taken from
    the original and from every variant of a dataset, so that they stay paired. `dnc_templates` gives the number of
    templates for each capability, and under an empty name for the original.
    """
    variant = catalogue.find(config)
    built = folder(dnc_data)
    records = test_records(variant, built)
    if variant.setting == CONTRAST and dnc_limit is not None and is_here(variant.original, built):
        # The members of the originals that the dataset itself would take; of others where these have none.
        taken = limited(test_records(variant.original, built), variant.dataset, dnc_limit)
        ids = {record["id"] for record in taken}
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
    """The same as `splits`, of the rows and worked examples that have an equation to write.

    A limit takes its rows from those that are left, which are the same in the original and every variant.
    """
    variant = catalogue.find(config)
    docs = [_doc(variant, record) for record in test_records(variant, folder(dnc_data))]
    docs = [doc for doc in docs if has_equation(doc)]
    if not docs:
        raise HarnessError(f"no row of {config} has an equation; ask it for its answer (direct or cot)")
    docs = first_templates(limited(docs, variant.dataset, dnc_limit), variant, dnc_templates)
    found = _splits(variant, docs)
    return {**found, "fewshot": Docs(filter(has_equation, found["fewshot"]))}


def graph_splits(
    config: str, dnc_limit: int | None = None, dnc_data: str | None = None, **_unused: Any
) -> dict[str, Docs]:
    """The same as `splits`, of the turns whose reasoning graph is known; there are no worked examples."""
    variant = catalogue.find(config)
    docs = [_doc(variant, record) for record in test_records(variant, folder(dnc_data))]
    docs = [doc for doc in docs if has_graph(doc)]
    if not docs:
        raise HarnessError(f"no row of {config} has a known reasoning graph; ask it for its answer")
    return {"test": Docs(limited(docs, variant.dataset, dnc_limit)), "fewshot": Docs()}


def splits_for(prompt: str) -> Callable[..., dict[str, Docs]]:
    """Which rows are asked, by what they are asked for."""
    return {listing.EQUATION: equation_splits, listing.GRAPH: graph_splits}.get(prompt, splits)


def has_graph(doc: Doc) -> bool:
    """Is it known what the answer rests on, and is all of that shown?"""
    graph: list[list[str]] = doc.get("graph") or []
    return bool(graph) and all(_is_shown(doc, node) for edge in graph for node in edge)


def _is_shown(doc: Doc, node: str) -> bool:
    kind, number = node.strip("<>")[:1], node.strip("<>")[1:]
    shown = doc["history"] if kind == "q" else doc["segments"]
    return not number or int(number) <= len(shown)


def left_out(variant: Variant, built: Path, prompt: str) -> int:
    """The number of test rows that are not asked for what the prompt asks for."""
    can = {listing.EQUATION: has_equation, listing.GRAPH: has_graph}.get(prompt)
    if can is None:
        return 0
    return sum(not can(_doc(variant, record)) for record in test_records(variant, built))


def has_equation(doc: Doc) -> bool:
    """Does the row's own equation give its answer, exactly or rounded as the answer shows?"""
    if not doc["equation"]:
        return False
    try:
        value, wanted = expression.parse(doc["equation"]).value(), expression.parse(doc["answer"]).value()
    except ExpressionError:
        return bool(scoring.equation(doc, [doc["equation"]])["equation_executes"])
    places = len(str(doc["answer"]).partition(".")[2])
    rounding = str(doc.get("rounding") or "") or f"places:{places}"
    return value == wanted or expression.rounds_to(value, wanted, rounding)


def limited(docs: Sequence[Doc], dataset: str, limit: int | None) -> list[Doc]:
    """The rows of `limit` originals, in their order; a hash of their ids chooses, so that all variants choose alike."""
    if limit is None or limit >= len(docs):
        return list(docs)
    originals = {_original_id(doc) for doc in docs}
    by_hash = sorted(originals, key=lambda row: (Draw(0, dataset, row, "limit").word(), row))
    chosen = set(by_hash[:limit])
    return [doc for doc in docs if _original_id(doc) in chosen]


def first_templates(docs: list[Doc], variant: Variant, counts: Mapping[str, int] | None) -> list[Doc]:
    """The rows of the first templates in the order of `template_order`; each template is complete."""
    if not counts:
        return docs
    count = counts.get(variant.capability if variant.recipe else "", counts[""])
    templates = {str(doc["cluster"]) for doc in docs}
    first = set(sorted(templates, key=lambda name: template_order(variant.dataset, name))[:count])
    return [doc for doc in docs if doc["cluster"] in first]


def template_order(dataset: str, template: str) -> tuple[int, str]:
    """A key that puts templates into a random order, the same in every run."""
    return Draw(0, dataset, template, "templates").word(), template


def _original_id(doc: Doc) -> str:
    return str(doc.get("original_id") or doc["id"])


def folder(given: str | Path | None = None) -> Path:
    """The folder of built configs: the one given, that of the environment variable, or `./dnc`."""
    return Path(given or os.environ.get(FOLDER_VARIABLE) or "dnc")


def test_records(variant: Variant, built: Path) -> list[rows.Record]:
    """The records of the test split; an error names the command that provides them."""
    if _is_built(variant, built):
        return _stored(variant, built)
    require([variant], built)
    found, digest, failed = _computed(variant, tuple(step.function for step in variant.steps))
    tell_failed(failed)
    _digests[variant.name, built] = digest
    return list(found)


@lru_cache(maxsize=64)
def _computed(
    variant: Variant, functions: tuple[Callable[..., Problem | None], ...]
) -> tuple[tuple[rows.Record, ...], str, list[tuple[str, str]]]:
    """Return the records of an embedded corpus, their digest and the rows that failed.

    A run needs them for its estimate, its tasks and its record. `functions` distinguishes plug-ins of the same name.
    """
    made = variant.rows({"test": _embedded(variant.dataset, variant.fold)["test"]})
    records = [rows.to_record(row, variant) for row in made["test"]]
    return tuple(records), rows.digest({"test": records}), failures(made, variant.name)


def _stored(variant: Variant, built: Path) -> list[rows.Record]:
    """The built test rows, which must be those that the folder's checksums name."""
    path = built / checksums.table(variant.name, "test")
    record = _checksums(built)
    said = record.configs[variant.name] if record else None
    hashed = FORMATS[said.format if said else FORMAT]()
    hashed.begin("test")
    try:
        found = rows.read(path, hashed.add)
    except (OSError, ValueError) as error:  # Arrow's own errors are ValueErrors
        raise HarnessError(f"{path} cannot be read: {error}; `dnc build` writes it again") from error
    split = said.splits.get("test") if said else None
    if split is None or split.content != hashed.end():
        raise HarnessError(
            f"{path} does not hold the rows that {checksums.FILE_NAME} names, and is not scored; "
            f"`dnc verify {built}` says what differs, `dnc build {variant.name} --out {built}` writes it again"
        )
    _digests[variant.name, built] = rows.digest({"test": found})
    return found


def require(variants: Sequence[Variant], built: Path) -> None:
    """Raise an error that names every missing dataset and the command for it; embedded ones never miss."""
    missing = [variant for variant in variants if not is_here(variant, built)]
    if not missing:
        return
    names = list(dict.fromkeys(variant.dataset for variant in missing))
    what = missing[0].name if len(missing) == 1 else f"{len(missing)} configs of {', '.join(names)}"
    it = "it" if len(missing) == 1 else "them"
    found = _checksums(built)
    why = f" (it was built by version {found.version})" if found and found.version != __version__ else ""
    where = "" if built == Path("dnc") else f" --out {built}"
    raise MissingDataError(
        f"{built} does not hold {what} of dnc-bench {__version__}{why}; "
        f"`dnc build {' '.join(names)}{where}` provides {it}"
    )


def is_here(variant: Variant, built: Path) -> bool:
    """Can the rows be had: are they built, or embedded?"""
    return not variant.source.files or _is_built(variant, built)


def provenance(variant: Variant, built: Path) -> dict[str, Any]:
    """What identifies the test rows of a config: version, seed, and the checksum of the rows as they were read."""
    if (variant.name, built) not in _digests:
        test_records(variant, built)
    digest = _digests[variant.name, built]
    found = _checksums(built)
    if found is None or not _is_built(variant, built):
        return {"version": __version__, "seed": 0, "sha256": digest}
    record = found.configs[variant.name]
    return {
        "version": found.version,
        "seed": found.seed,
        "sha256": digest,
        "provenance": record.provenance,
    }


def _doc(variant: Variant, record: rows.Record) -> Doc:
    return doc(of_source(variant), record)


def doc(source: Mapping[str, Any], record: Mapping[str, Any]) -> Doc:
    """A row as prompts and scores see it; `source` is what they need to know of where it is from."""
    # Files of one's own, which are no dataset, do not have every column.
    own = {name: record[name] for name in _COLUMNS if name in record}
    made = {**source, **own, "rounding": replies.rounding(record), "cluster": cluster(record)}
    return {**made, "graph": evidence_graph(record)} if source["shape"] == "dialogue" else made


def _splits(variant: Variant, docs: list[Doc]) -> dict[str, Docs]:
    source = variant.source
    shown = [{**of_source(variant), **one} for one in exemplars(source.shape, source.language)]
    return {"test": Docs(docs), "fewshot": Docs(shown)}


def of_source(variant: Variant) -> Doc:
    """What prompts and scoring need to know of a row's source.

    A config with questions that cannot be answered asks for a number or the word for "unknown", on all its rows.
    """
    source = variant.source
    numeric = source.numeric and not any(step.name == UNANSWERABLE for step in variant.steps)
    return {"shape": source.shape, "language": source.language, "numeric": numeric}


def _is_built(variant: Variant, built: Path) -> bool:
    found = _checksums(built)
    return found is not None and found.version == __version__ and variant.name in found.configs


def _checksums(built: Path) -> Checksums | None:
    path = built / checksums.FILE_NAME
    return _read_checksums(built, path.stat().st_mtime_ns) if path.is_file() else None


@lru_cache(maxsize=4)
def _read_checksums(built: Path, changed: int) -> Checksums:
    return checksums.read(built)


@lru_cache(maxsize=4)
def _embedded(dataset: str, fold: str) -> dict[str, list[Problem]]:
    return catalogue.read(dataset, fold)

"""The embedded corpora as sources: generated word problems, and written passages, tables and conversations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnc_datasets import expression
from dnc_datasets.problem import Problem
from dnc_datasets.sources import Files, Source, Splits

if TYPE_CHECKING:
    from dnc_datasets.corpus.drawn_texts import DrawnText

_CORPUS = Path(__file__).parents[1] / "corpus"
# Conversations in the order of the file: three of every five are train, one is validation and one is test.
_SPLIT_OF = ("train", "train", "train", "validation", "test")


def _splits(texts: Iterator[list[Problem]]) -> Splits:
    splits: dict[str, list[Problem]] = {"train": [], "validation": [], "test": []}
    for number, problems in enumerate(texts):
        splits[_SPLIT_OF[number % len(_SPLIT_OF)]] += problems
    return splits


def _load(name: str) -> Any:
    return json.loads((_CORPUS / name).read_text(encoding="utf-8"))


def _drawn(kind: str, rows: Callable[[DrawnText], Iterator[Problem]]) -> Splits:
    from dnc_datasets.corpus import drawn_texts  # parsing the templates takes a while

    splits: dict[str, list[Problem]] = {"train": [], "validation": [], "test": []}
    for text in drawn_texts.texts(kind):
        notes = (("template", text.template.name), ("topic", text.template.topic))
        for row in rows(text):
            splits[text.template.split].append(row.replace(meta=tuple(sorted(row.meta + notes))))
    return splits


def _passage(text: DrawnText) -> Iterator[Problem]:
    for number, asked in enumerate(text.questions, 1):
        yield Problem(
            id=f"{text.id}-{number}",
            body=" ".join(text.paragraphs),
            question=asked.text,
            equation=asked.equation.infix(),
            answer=expression.canonical(asked.answer),
            meta=(("passage", text.id),),
        )


def _table(text: DrawnText) -> Iterator[Problem]:
    from dnc_datasets.corpus.drawn_texts import context
    from dnc_datasets.sources.tatqa_a import read_context

    return read_context(context(text))


def _conversations(name: str) -> Iterator[list[Problem]]:
    from dnc_datasets.sources.noahqa import read_conversations

    for passage, record in _load(name).items():
        yield list(read_conversations(_CORPUS / name, passage, record))


def _source(
    name: str,
    title: str,
    shape: str,
    splits: Callable[[], Splits],
    scope: tuple[str, ...],
    language: str = "en",
) -> Source:
    def read(files: Files, fold: str) -> Splits:
        return splits()

    return Source(
        name=name,
        title=title,
        shape=shape,
        read=read,
        files=(),
        licence="Apache-2.0",
        citation="Written for dnc-bench; cite the package (CITATION.cff).",
        language=language,
        scope=scope,
        numeric=shape != "dialogue",
    )


PASSAGES = _source(
    "tiny_passages",
    "Embedded passages with questions",
    "passage",
    lambda: _drawn("passages", _passage),
    ("body", "question"),
)
TABLES = _source(
    "tiny_tables",
    "Embedded tables with questions",
    "table",
    lambda: _drawn("tables", _table),
    ("body", "question"),
)
DIALOGUES = _source(
    "tiny_dialogues",
    "Embedded conversations in English",
    "dialogue",
    lambda: _splits(_conversations("conversations_en.json")),
    ("segments", "history", "question"),
)
DIALOGUES_ZH = _source(
    "tiny_dialogues_zh",
    "Embedded conversations in Chinese",
    "dialogue",
    lambda: _splits(_conversations("conversations_zh.json")),
    ("segments", "history", "question"),
    "zh",
)


def _read(files: Files, fold: str) -> Splits:
    from dnc_datasets.corpus import problems  # parsing the templates takes a while

    return problems()


def _read_all(files: Files, fold: str) -> Splits:
    from dnc_datasets.corpus import one_row_per_template

    return {"test": one_row_per_template()}


_CITATION = "Generated from the templates that come with dnc-bench; cite the package (CITATION.cff)."
SOURCE = Source(
    name="tiny",
    title="Embedded corpus of one- and two-step word problems generated from templates",
    shape="word_problem",
    read=_read,
    files=(),
    licence="Apache-2.0",
    citation=_CITATION,
)
ALL = Source(
    name="tiny_all",
    title="One row of every template of the embedded corpus, for models that are not trained on it",
    shape="word_problem",
    read=_read_all,
    files=(),
    licence="Apache-2.0",
    citation=_CITATION,
    test_only=True,
)

"""The embedded passages, tables and conversations as sources; written for this package, with no files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dnc_datasets.problem import Problem
from dnc_datasets.sources import Files, Source, Splits

_CORPUS = Path(__file__).parents[1] / "corpus"
# Texts in the order of the file: of every five, three go to train, one to validation and one to test.
_SPLIT_OF = ("train", "train", "train", "validation", "test")


def _splits(texts: Iterator[list[Problem]]) -> Splits:
    splits: dict[str, list[Problem]] = {"train": [], "validation": [], "test": []}
    for number, problems in enumerate(texts):
        splits[_SPLIT_OF[number % len(_SPLIT_OF)]] += problems
    return splits


def _load(name: str) -> Any:
    return json.loads((_CORPUS / name).read_text(encoding="utf-8"))


def _passages() -> Iterator[list[Problem]]:
    for record in _load("passages.json"):
        yield [
            Problem(
                id=f"{record['id']}-{number}",
                body=record["passage"],
                question=asked["question"],
                equation=asked["equation"],
                answer=asked["answer"],
                meta=(("passage", record["id"]), ("topic", record["topic"])),
            )
            for number, asked in enumerate(record["questions"], 1)
        ]


def _tables() -> Iterator[list[Problem]]:
    from dnc_datasets.sources.tatqa_a import read_context

    for context in _load("tables.json"):
        yield list(read_context(context))


def _conversations(name: str) -> Iterator[list[Problem]]:
    from dnc_datasets.sources.noahqa import read_conversations

    for passage, record in _load(name).items():
        yield list(read_conversations(_CORPUS / name, passage, record))


def _source(
    name: str,
    title: str,
    shape: str,
    texts: Callable[[], Iterator[list[Problem]]],
    scope: tuple[str, ...],
    language: str = "en",
) -> Source:
    def read(files: Files, fold: str) -> Splits:
        return _splits(texts())

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
    "tiny_passages", "Embedded passages with questions", "passage", _passages, ("body", "question")
)
TABLES = _source("tiny_tables", "Embedded tables with questions", "table", _tables, ("body", "question"))
DIALOGUES = _source(
    "tiny_dialogues",
    "Embedded conversations in English",
    "dialogue",
    lambda: _conversations("conversations_en.json"),
    ("segments", "history", "question"),
)
DIALOGUES_ZH = _source(
    "tiny_dialogues_zh",
    "Embedded conversations in Chinese",
    "dialogue",
    lambda: _conversations("conversations_zh.json"),
    ("segments", "history", "question"),
    "zh",
)

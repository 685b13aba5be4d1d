"""NOAHQA: conversations over a passage, one row per question, with the history and the reasoning graph."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError, SourceError
from dnc_datasets.problem import Problem, Turn
from dnc_datasets.reasoning_graph import ROOT, evidence_node, leaves, reasoning_graph
from dnc_datasets.sources import Erratum, Files, PinnedFile, Source, Splits
from dnc_datasets.sources.formats.records import read_object

# The source's answer type -> its name and the type of the answer. Its second part distinguishes two kinds.
_TYPES = {
    (1, 0): ("yes/no", "yes_no"),
    (2, 0): ("comparison", "span"),
    (3, 0): ("arithmetic", "number"),
    (4, 0): ("counterfactual", "number"),
    (4, 1): ("counterfactual", "span"),
    (5, 0): ("unsure", "unanswerable"),
    (6, 0): ("extraction", "span"),
    (6, 1): ("unknown", "unanswerable"),
}
_REFERENCE = re.compile(r"<a(\d+)>")
_PLACEHOLDER = re.compile(r"\bnum_\d+\b")
_BRACKETS = str.maketrans("[]{}（）", "()()()")
_PI = re.compile(r"π|\bpi\b", re.IGNORECASE)
_PI_VALUE = re.compile(r"(?<![\d.])3\.14\d{0,8}(?![\d.])")
# The source gives values as floats; its own scorer allows this much.
_TOLERANCE = Fraction(1, 10**5)


@dataclass(frozen=True)
class _Asked:
    """A question with the results that later questions refer to."""

    turn: Turn
    type: str
    equation: str
    nodes: tuple[str, ...]


def read_conversations(path: Path, name: str, record: dict[str, Any]) -> Iterator[Problem]:
    """Yield the problems of one passage with its questions, in the order of the conversation."""
    try:
        numbers = record.get("num_list") or {}
        segments = tuple(_filled(str(part[1]), numbers) for part in record["passage"])
        asked: list[_Asked] = []
        for pair in record["qa_pairs"]:
            problem, last = _problem(name, segments, pair, asked)
            asked.append(last)
            yield problem
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise SourceError(
            f"{path}: passage {name!r} is not as NOAHQA writes it ({error!r}); is it the right file?"
        ) from error


def _filled(text: str, numbers: dict[str, str]) -> str:
    """Return the text with its placeholders replaced by the numbers of the list."""
    return _PLACEHOLDER.sub(lambda match: str(numbers.get(match[0], match[0])), text).strip()


def _problem(
    name: str, segments: tuple[str, ...], pair: dict[str, Any], asked: list[_Asked]
) -> tuple[Problem, _Asked]:
    kind, answer_type = _TYPES[_type(pair["answer_type"])]
    nodes = tuple(dict.fromkeys(evidence_node(str(code)) for code in pair.get("evidence") or ()))
    known = {f"<q{number}>": earlier.nodes for number, earlier in enumerate(asked, 1)}
    graph = reasoning_graph({**known, ROOT: nodes})
    meta = {
        "conversation": name,
        "type": kind,
        "graph": json.dumps(graph),
        "turns": json.dumps(
            [
                {
                    "type": earlier.type,
                    "equation": earlier.equation,
                    "segments": leaves(reasoning_graph(known, f"<q{number}>")),
                }
                for number, earlier in enumerate(asked, 1)
            ]
        ),
    }
    answer = "unknown" if kind == "unknown" else str(pair["answer"]).strip()
    equation = ""
    if answer_type == "number":
        source = next(
            (str(pair[key]) for key in ("answer_temp", "answer_formula", "answer") if pair.get(key)), ""
        )
        stated = str(pair.get("ans") or "").strip()
        equation, value = _resolved(source, asked)
        if value is None:
            meta["defect"] = "equation not read"
            answer = stated or answer
        elif not _agrees(stated, value):
            meta["defect"] = "equation does not give the answer"
            answer = stated
        else:
            answer = expression.canonical(value)
        if _REFERENCE.search(source):
            meta["equation_by_turns"] = source
        if _needs_pi(
            source, segments, [*(earlier.turn for earlier in asked), Turn(str(pair["question"]), "")]
        ):
            meta["knowledge"] = "external"
    question = str(pair["question"]).strip()
    problem = Problem(
        id=str(pair["query_id"]),
        body="",
        question=question,
        equation=equation,
        answer=answer,
        answer_type=answer_type,
        segments=segments,
        history=tuple(earlier.turn for earlier in asked),
        evidence=tuple(node.strip("<>") for node in nodes),
        meta=tuple(sorted(meta.items())),
    )
    usable = equation if "defect" not in meta else ""
    return problem, _Asked(Turn(question, answer), kind, usable, nodes)


def _type(given: object) -> tuple[int, int]:
    """Return the answer type as a pair. The source writes 3, [3] or [3, 0]."""
    parts = given if isinstance(given, list) else [given]
    first, second = (*(int(str(part)) for part in parts), 0)[:2]
    return (first, second) if (first, second) in _TYPES else (first, 0)


def _resolved(source: str, asked: list[_Asked]) -> tuple[str, Fraction | None]:
    """Return the equation with each reference replaced by the equation that it refers to, and its value."""

    def earlier(match: re.Match[str]) -> str:
        before = asked[int(match[1]) - 1]
        return f"({before.equation or before.turn.answer})"

    text = _PI.sub("3.14", _REFERENCE.sub(earlier, source)).translate(_BRACKETS)
    try:
        equation = expression.parse(text)
        return equation.infix(), equation.value()
    except ExpressionError:
        return "", None


def _needs_pi(source: str, segments: tuple[str, ...], turns: list[Turn]) -> bool:
    """Return whether an equation uses pi, by name or by a value that no text of the conversation states."""
    if _PI.search(source):
        return True
    known = " ".join((*segments, *(f"{turn.question} {turn.answer}" for turn in turns)))
    return bool(_PI_VALUE.search(source)) and not _PI_VALUE.search(known)


def _agrees(stated: str, value: Fraction) -> bool:
    if not stated:
        return True
    number = numerals.parse(stated)
    return number is not None and abs(number - value) < _TOLERANCE


def _reader(suffix: str) -> Any:
    def read(files: Files, fold: str) -> Splits:
        """Read one row for each question."""
        return {
            split: [
                problem
                for name, record in read_object(files[f"{stem}{suffix}.json"]).items()
                for problem in read_conversations(files[f"{stem}{suffix}.json"], name, record)
            ]
            for split, stem in (("train", "train"), ("validation", "valid"), ("test", "test"))
        }

    return read


def _files(suffix: str) -> tuple[PinnedFile, ...]:
    return tuple(
        PinnedFile("Don-Joey/NoahQA", "527399db4c1a0d1439d442f93f3432bfd8b3073c", f"{stem}{suffix}.json")
        for stem in ("train", "valid", "test")
    )


_MANUAL = (
    "NOAHQA's authors share the data on Google Drive only; the link is in the README of "
    "https://github.com/Don-Joey/NoahQA. Download it"
)
_CITATION = """@inproceedings{zhang-etal-2021-noahqa-numerical,
  title = {{NOAHQA}: Numerical Reasoning with Interpretable Graph Question Answering Dataset},
  author = {Zhang, Qiyuan and Wang, Lei and Yu, Sicheng and Wang, Shuohang and Wang, Yang and Jiang, Jing and
            Lim, Ee-Peng},
  booktitle = {Findings of the Association for Computational Linguistics: EMNLP 2021},
  year = {2021}
}"""
_ERRATA = (
    Erratum(
        "*",
        "an equation cannot be read, or its value is not the stated one",
        'the stated value is the answer; meta "defect" marks the row, and its numbers are never changed',
    ),
    Erratum(
        "*",
        'which of the answer types 5 and [6, 1] is the paper\'s "unanswerable" is not documented',
        'both have the answer type "unanswerable"; meta "type" tells them apart ("unsure", "unknown")',
    ),
)

SOURCE = Source(
    name="noahqa_en",
    title="NOAHQA, English",
    shape="dialogue",
    read=_reader(""),
    files=_files(""),
    manual=f"{_MANUAL} (train.json, valid.json, test.json). A copy of the English questions in one file is "
    "Datasets/Raw_Data/NoahQA.json of github.com/yyy01/LLMRiskEval_RCC at commit "
    "25070922714e2ff42f9a2d35fc17245b82114e71 "
    "(git blob acee44f75e8681c6cb06c7db7d579aa0ea61ba09); by that repository's own converter it is laid out like "
    "one of the three files, but which split it is is not said, so it is not read in their place",
    licence="not stated",
    homepage="https://github.com/Don-Joey/NoahQA",
    scope=("segments", "history", "question"),
    numeric=False,
    citation=_CITATION,
    errata=_ERRATA,
)
CHINESE = Source(
    name="noahqa_zh",
    title="NOAHQA, Chinese",
    shape="dialogue",
    read=_reader("_cn"),
    files=_files("_cn"),
    manual=f"{_MANUAL} (train_cn.json, valid_cn.json, test_cn.json)",
    licence="not stated",
    homepage="https://github.com/Don-Joey/NoahQA",
    language="zh",
    scope=("segments", "history", "question"),
    numeric=False,
    citation=_CITATION,
    errata=_ERRATA,
)

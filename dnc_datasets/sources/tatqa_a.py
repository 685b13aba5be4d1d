"""TATQA-a: questions over a table and its paragraphs from company reports, in the DNC authors' split."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.errors import ExpressionError, SourceError
from dnc_datasets.expression import Binary, Expr, Name, Number
from dnc_datasets.problem import Problem
from dnc_datasets.sources import Erratum, Files, PinnedFile, Source, Splits
from dnc_datasets.sources.formats.records import stream_json
from dnc_datasets.sources.formats.table_scale import table_scale

_DNC = ("microsoft/NumberDiagnosis", "b646a7179b4619dadfae009a4e68a562394c8ad9")
_SPLITS = {
    "train": PinnedFile(
        *_DNC, "data/dataset/tatqa-a/trainset.json", git_blob="4b3e9f987b1331b3a86f2f1428337a2a41d25f22"
    ),
    "validation": PinnedFile(
        *_DNC,
        "data/dataset/tatqa-a/validset.json",
        git_blob="01487af4a9213f861de826575486953e5449206d",
        sha256="903ac12a386992692ab6db0201b9fe00bb1daea5c7b821f2981e8cbf1b8719a2",
        size=1219260,
    ),
    "test": PinnedFile(
        *_DNC,
        "data/dataset/tatqa-a/testset.json",
        git_blob="0d7e5e4b3292561acf83b29187d79dcc7ffb11e4",
        sha256="5e443f01a72f4ff3dc3ad952c7df435579b496aaf9330d8a239d575aab5bca70",
        size=1190518,
    ),
}
_TYPES = {"arithmetic": "number", "count": "number", "span": "span", "multi-span": "multi-span"}


def read(files: Files, fold: str) -> Splits:
    """Read one row for each arithmetic question, in the source's order."""
    return {
        split: [row for row in rows if row.note("type") == "arithmetic"]
        for split, rows in read_all(files, fold).items()
    }


def read_all(files: Files, fold: str) -> Splits:
    """Read one row for each question, of every answer type."""
    return {split: list(read_contexts(files[file.path])) for split, file in _SPLITS.items()}


def read_contexts(path: Path) -> Iterator[Problem]:
    """Yield the problems of a TAT-QA file, in the form of its training data or of its test gold."""
    for number, context in enumerate(stream_json(path, ("table", "paragraphs", "questions")), 1):
        try:
            yield from read_context(context)
        except (KeyError, TypeError, ValueError, ExpressionError) as error:
            raise SourceError(
                f"{path}: context {number} is not as TAT-QA writes it ({error!r}); is it the right file?"
            ) from error


def read_context(context: dict[str, Any]) -> Iterator[Problem]:
    """Yield the problems of one context: a table, its paragraphs and the questions over both."""
    table = tuple(tuple(str(cell).strip() for cell in row) for row in context["table"]["table"])
    ordered = sorted(context["paragraphs"], key=lambda paragraph: int(paragraph["order"]))
    body = operand_links.PARAGRAPH_BREAK.join(" ".join(paragraph["text"].split()) for paragraph in ordered)
    questions = context["questions"]
    scale = table_scale(table, body, _asked_scales(questions))
    # The place of each paragraph by the number that the questions cite.
    places = {str(paragraph["order"]): place for place, paragraph in enumerate(ordered)}
    for question in questions:
        yield _problem(question, table, body, scale, places, str(context["table"]["uid"]))


def _asked_scales(questions: list[dict[str, Any]]) -> set[str]:
    """Return the scales of the answers to the questions over a context."""
    return {
        question["scale"]
        for question in questions
        if question["scale"] != "percent" and numerals.parse(_answers(question["answer"])[0]) is not None
        if question["answer_type"] in ("arithmetic", "span")
    }


def _problem(
    question: dict[str, Any],
    table: tuple[tuple[str, ...], ...],
    body: str,
    scale: str,
    places: dict[str, int],
    context: str,
) -> Problem:
    kind = question["answer_type"]
    answers = _answers(question["answer"])
    meta = {
        "context": context,
        "derivation": str(question["derivation"]).strip(),
        "table_scale": scale,
        "type": kind,
    }
    problem = Problem(
        id=question["uid"],
        body=body,
        question=" ".join(question["question"].split()),
        table=table,
        answer=", ".join(answers),
        answers=answers if kind == "multi-span" else (),
        unit=question["scale"],
        answer_type=_TYPES.get(kind, kind),
        evidence=_evidence(_mapping(question), places),
    )
    if _TYPES.get(kind) == "number":
        stated = numerals.parse(answers[0])
        if stated is None:
            raise ValueError(f"question {question['uid']} has the answer {answers[0]!r}, expected a number")
        problem = problem.replace(answer=expression.canonical(stated))
        if kind == "arithmetic":
            problem = _with_equation(problem, stated, meta)
    return problem.replace(meta=tuple(sorted((key, value) for key, value in meta.items() if value)))


def _with_equation(problem: Problem, stated: Fraction, meta: dict[str, str]) -> Problem:
    derived = derive(meta["derivation"], stated, problem.unit)
    if derived is None:
        meta["defect"] = "derivation not read"
        return problem
    if derived.agrees:
        meta["rounding"] = derived.rounding
    else:
        meta["defect"] = "derivation does not give the answer"
    found = operand_links.find(problem, derived.equation, set(problem.evidence))
    meta["operands"] = operand_links.to_note(found)
    return problem.replace(equation=derived.equation.infix())


def _answers(answer: object) -> tuple[str, ...]:
    if isinstance(answer, list):
        return tuple(str(part).strip() for part in answer)
    return (str(answer).strip(),)


def _mapping(question: dict[str, Any]) -> dict[str, Any]:
    """Return the source's mapping of facts to places. Its test gold lists them one by one."""
    if "mappings" not in question:
        return question.get("mapping") or {}
    merged: dict[str, Any] = {"table": [], "paragraph": {}}
    for one in question["mappings"]:
        for name, place in one.items():
            if name == "table":
                merged["table"].append(place)
            else:
                merged["paragraph"][name.removeprefix("paragraph_")] = [place]
    return merged


def _evidence(mapping: dict[str, Any], places: dict[str, int]) -> tuple[str, ...]:
    """Return the source's mapping as links: `table.3.2` for a cell, `body.1` for a paragraph."""
    cells = [f"table.{row}.{column}" for row, column in mapping.get("table", ())]
    cited = [f"body.{places[str(order)]}" for order in mapping.get("paragraph", {}) if str(order) in places]
    return tuple(dict.fromkeys(cells + cited))


_CITATION = """@inproceedings{zhu-etal-2021-tat,
  title = {{TAT-QA}: A Question Answering Benchmark on a Hybrid of Tabular and Textual Content in Finance},
  author = {Zhu, Fengbin and Lei, Wenqiang and Huang, Youcheng and Wang, Chao and Zhang, Shuo and
            Lv, Jiancheng and Feng, Fuli and Chua, Tat-Seng},
  booktitle = {Proceedings of the 59th Annual Meeting of the Association for Computational Linguistics},
  year = {2021}
}"""
_HALF = "the answer is a half rounded down, while the source rounds halves up elsewhere"
_KEPT = (
    'the stated answer is kept; meta "defect" marks the row, and its numbers and operation are never changed'
)
ERRATA = (
    Erratum("5c531134-72d3-412a-bff7-35719b47ad23", f"(3.52+4.73)/2 is 4.125, not 4.12: {_HALF}", _KEPT),
    Erratum("0de98696-bcb2-40d7-8270-5ba1ead88b7f", f"(0.35+0.38)/2 is 0.365, not 0.36: {_HALF}", _KEPT),
    Erratum("f04ba0c1-0c0b-4184-a329-edf36c079592", f"1,399.0*36.5% is 510.635, not 510.63: {_HALF}", _KEPT),
    Erratum("*", "a derivation cannot be read or does not give the stated answer", _KEPT),
    Erratum(
        "*",
        "brackets around a single number mean a negative one in some derivations and nothing in others",
        "the reading that gives the stated answer is taken",
    ),
    Erratum(
        "*",
        "the paper counts 245 validation and 247 test contexts; those are the released files' contexts with "
        "an arithmetic question, swapped: 247 of validation and 245 of test",
        "the released split is read as it is",
    ),
)

SOURCE = Source(
    name="tatqa_a",
    title="TATQA-a, the arithmetic questions",
    shape="table",
    read=read,
    files=tuple(_SPLITS.values()),
    licence="CC BY 4.0",
    homepage="https://github.com/NExTplusplus/TAT-QA",
    scope=("body", "question"),
    citation=_CITATION,
    errata=ERRATA,
)
ALL = Source(
    name="tatqa_a_all",
    title="TATQA-a, questions of every answer type",
    shape="table",
    read=read_all,
    files=tuple(_SPLITS.values()),
    licence="CC BY 4.0",
    homepage="https://github.com/NExTplusplus/TAT-QA",
    scope=("body", "question"),
    numeric=False,
    citation=_CITATION,
    errata=ERRATA,
)


_SIGNS = re.compile(r"[$€£¥]|\b(?:RMB|HK|US)\b")
_SCALE = re.compile(r" ?(thousand|million|billion)s?\b")
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_SCALED = re.compile(r"(?<![\d,.])(\d[\d,.]{0,40}) ?(thousand|million|billion)s?\b")
# A number alone in brackets, which accountants write for a negative one.
_BRACKETED = re.compile(r"(?<![\w)])\(\s*(\d[\d,.]*%?)\s*\)")
_HUNDRED = expression.number(Fraction(100))
# The source rounds to two places, with a few exceptions.
_PLACES = (2, 1, 0, 3, 4)


class Derived(NamedTuple):
    """An equation, the rounding of its value, and whether the result is the stated answer."""

    equation: Expr
    rounding: str
    agrees: bool


def derive(derivation: str, answer: Fraction, scale: str) -> Derived | None:
    """Return the reading of a derivation that gives the stated answer, or the simplest one where none does.

    Return None where it cannot be read. A ratio whose scale is "percent" is multiplied by 100.
    """
    first: Derived | None = None
    for equation in _readings(derivation, scale):
        try:
            value = equation.value()
        except ExpressionError:
            continue
        for places in _PLACES:
            rounding = f"places:{places}"
            if expression.round_value(value, rounding) == answer:
                return Derived(equation, rounding, True)
        first = first or Derived(equation, "places:2", False)
    return first


def _readings(derivation: str, scale: str) -> Iterator[Expr]:
    text = " ".join(_SIGNS.sub("", derivation).split())
    spellings = (
        _SCALE.sub("", text),
        _BRACKETED.sub(r"(-\1)", _SCALE.sub("", text)),
        _SCALED.sub(lambda match: f"({match[1]} * {_SCALES[match[2]]})", text),
    )
    for spelling in dict.fromkeys(spellings):
        try:
            equation = expression.parse(spelling.strip()).replace(_plain)
        except ExpressionError:
            continue
        if scale == "percent":
            yield Binary("*", equation, _HUNDRED)
        yield equation
        if scale in _SCALES:
            yield Binary("/", equation, expression.number(Fraction(_SCALES[scale])))


def _plain(leaf: Number | Name) -> Expr:
    """Return the number without thousands separators and trailing zeros."""
    return expression.number(leaf.number) if isinstance(leaf, Number) else leaf

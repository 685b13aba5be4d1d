"""Reads the CSV files of the SVAMP repository and makes their tokenised text readable."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from dnc_datasets import expression
from dnc_datasets.draws import Draw
from dnc_datasets.errors import DncError, SourceError
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.problem import Problem
from dnc_datasets.sources import Erratum
from dnc_datasets.sources.formats.records import contradiction, rational, read_csv

_COLUMNS = ("Question", "Numbers", "Equation", "Answer", "Body")
_SLOT = re.compile(r"\bnumber(\d+)\b")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_ARTEFACT = re.compile(r"-?\d+\.(?:0|\d{11,})")
# Tokens that the tokeniser separated, and their usual form, applied in this order.
_JOINED = (
    (re.compile(r" (?=[.,?;:)%]|n't\b|['’] ?(?:s|ve|re|ll|d|m|t)\b)"), ""),
    (re.compile(r"(?<=[’']) (?=s\b)"), ""),
    (re.compile(r"(?<=[($]) "), ""),
    (re.compile(r"(?<=\w) - (?=\w)"), "-"),
    (re.compile(r"`` (.{0,400}?) ''"), r'"\1"'),
    (re.compile(r"(?<= )' ?(\w[\w ]*?) '(?!\w)"), r"'\1'"),
    (re.compile(r"(?<=s) '(?= )"), "'"),
    (re.compile(r"(?<= ') (?=\d)|(?<=\w-) (?=\w)"), ""),
)


class SlottedProblem(NamedTuple):
    """One row: readable text with its numbers in place, the text with slots, and the published labels."""

    masked: str
    body: str
    question: str
    equation: str
    numbers: tuple[str, ...]
    answer: str
    cells: Mapping[str, str]


class Correction(NamedTuple):
    """The defect of one published row, and the equation (with slots) or the rounding that fixes it."""

    defect: str
    equation: str = ""
    rounding: str = ""


def read(path: Path, question: str, more: Iterable[str] = ()) -> list[SlottedProblem]:
    """Return the records of one file.

    `question` names its question column, `more` the other required columns.
    """
    return [
        _record(path, number, row, question)
        for number, row in enumerate(read_csv(path, (*_COLUMNS, question, *more)), 1)
    ]


def problem(
    record: SlottedProblem, row_id: str, correction: Correction | None, meta: Mapping[str, str]
) -> Problem:
    """Return the problem of a record. Its answer is the exact value of its equation, after any correction.

    Replaced labels remain in meta as `stated_answer` and `stated_equation`. A stated answer that the equation
    does not give, without a listed correction, is an error.
    """
    notes = dict(meta)
    try:
        equation = _fill(record, record.equation)
        stated = expression.canonical(rational(record.answer))
        if correction and correction.rounding:
            notes["rounding"] = correction.rounding
        if correction and correction.equation:
            notes["stated_equation"] = equation.infix()
            equation = _fill(record, correction.equation)
        answer = expression.canonical(expression.round_value(equation.value(), notes.get("rounding", "")))
    except (DncError, ValueError) as error:
        raise SourceError(
            f"row {row_id}: equation {record.equation!r}, answer {record.answer!r}: {error}"
        ) from error
    if answer != stated:
        if correction is None:
            raise contradiction(f"row {row_id}", stated, equation.infix(), answer)
        notes["stated_answer"] = stated
    return Problem(
        row_id,
        record.body,
        record.question,
        equation=equation.infix(),
        answer=answer,
        meta=tuple(sorted(notes.items())),
    )


def errata(corrections: Mapping[str, Correction]) -> tuple[Erratum, ...]:
    """Return the errata of corrected rows, by id."""
    return tuple(
        Erratum(row_id, correction.defect, _action(correction)) for row_id, correction in corrections.items()
    )


def words(text: str) -> list[str]:
    """Return the words and numbers of a text in lower case, without punctuation."""
    return re.findall(r"[a-z]+|\d+(?:\.\d+)?", text.lower())


def text_key(text: str) -> str:
    """Return the letters and numbers of a text.

    Texts that differ only in spacing, case or punctuation have one key.
    """
    return "".join(words(text))


def _action(correction: Correction) -> str:
    if correction.equation:
        return "the equation is corrected and the answer follows it; the published ones stay in meta"
    if correction.rounding:
        return f'the answer is kept; meta "rounding" is {correction.rounding}'
    return "the answer is what the equation gives; the published one stays in meta"


def _record(path: Path, number: int, row: dict[str, str], question: str) -> SlottedProblem:
    for text in row["Numbers"].split():
        if not _NUMBER.fullmatch(text):
            raise SourceError(f"{path}: row {number} lists {text!r}, which is no number")
    numbers = tuple(_spelling(text) for text in row["Numbers"].split())
    slots = [int(slot) for text in (row["Question"], row["Equation"]) for slot in _SLOT.findall(text)]
    if slots and max(slots) >= len(numbers):
        raise SourceError(f"{path}: row {number} uses number{max(slots)}, but lists {len(numbers)} numbers")
    body, asked = (
        _readable(_SLOT.sub(lambda slot: numbers[int(slot[1])], text.strip()))
        for text in (row["Body"], row[question])
    )
    if body == "Empty":  # The file's word for a problem that consists of a question only.
        body = ""
    if not asked:
        body, asked = "", body
    if asked.startswith("'"):  # "what" and "'s" were separated by the split between the two.
        body, _, word = body.rpartition(" ")
        asked = word + asked
    return SlottedProblem(row["Question"], body, asked, row["Equation"], numbers, row["Answer"], row)


def _spelling(number: str) -> str:
    """Return the number in its usual spelling: 56.0 is a float's, 3.00 is the source's.

    >>> _spelling("56.0"), _spelling("0.4166666666666667"), _spelling("3.00")
    ('56', '5/12', '3.00')
    """
    return expression.canonical(rational(number)) if _ARTEFACT.fullmatch(number) else number


def _readable(text: str) -> str:
    """Join tokens to readable text.

    >>> _readable("Ann 's cat did n't eat $ 5 , or ' so ' .")
    "Ann's cat didn't eat $5, or 'so'."
    """
    for pattern, new in _JOINED:
        text = pattern.sub(new, text)
    return text


def _fill(record: SlottedProblem, equation: str) -> Expr:
    """Return the equation over the record's numbers, with their spelling in the text."""

    def leaf(at: Number | Name) -> Expr:
        if isinstance(at, Number):
            return expression.number(at.number)
        spelling = record.numbers[int(at.name.removeprefix("number"))]
        value = rational(spelling) if "/" not in spelling else None
        if value is None or value < 0:
            return expression.parse(spelling)
        return expression.literal(spelling)

    return expression.parse_prefix(equation).replace(leaf)


def hold_out(
    rows: list[Problem], dataset: str, fold: str, group: Callable[[Problem], str]
) -> tuple[list[Problem], list[Problem]]:
    """Split rows into train and validation: a tenth of the rows, chosen by hash, in their old order.

    Rows of one group stay together, so that no row in validation has a twin in train. Model selection on this
    part, and not on the test fold, avoids a biased test score.
    """
    groups: dict[Hashable, list[int]] = {}
    for index, row in enumerate(rows):
        groups.setdefault(group(row), []).append(index)
    order = sorted(groups, key=lambda name: Draw(0, dataset, str(name), f"{fold}-validation").word())
    chosen: set[int] = set()
    for name in order:
        if len(chosen) + len(groups[name]) <= len(rows) // 10:
            chosen.update(groups[name])
    train = [row for index, row in enumerate(rows) if index not in chosen]
    return train, [rows[index] for index in sorted(chosen)]

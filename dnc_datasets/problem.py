"""A problem: the one row type that every source gives and every perturbation changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError, ProblemError
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity, Ratio

SPLITS = ("train", "validation", "test")
# The kinds of source, by the fields that their problems have.
SHAPES = ("word_problem", "passage", "table", "dialogue")
# Answer type of a problem whose answer is unknown: it must only satisfy a condition ("numeric", "boolean", ">= 12").
CONSTRAINT = "constraint"
TEXT_FIELDS = ("body", "question")
_TEXT_FIELDS = frozenset(TEXT_FIELDS)
# Every field that a reader sees, in reading order.
ALL_FIELDS = ("body", "segments", "table", "history", "question")


class Turn(NamedTuple):
    """One earlier question of a conversation, with its answer."""

    question: str
    answer: str


class Edit(NamedTuple):
    """Replace text[start:end] by new."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A question over a body of text (and a table or a conversation), with its equation and answer.

    `id` is the source's own id and stays on the perturbed row, so that pairs join on it.
    `equation` is infix text ("192 / 4"), empty where the source has none. `answer` is the canonical
    text of an exact rational, or a span. `meta` holds what only one source knows, text to text;
    `meta["rounding"]` ("floor", "ceil", "places:2") says how the answer follows from the equation.
    """

    id: str
    body: str
    question: str
    table: tuple[tuple[str, ...], ...] = ()
    equation: str = ""
    answer: str = ""
    answers: tuple[str, ...] = ()
    unit: str = ""
    answer_type: str = "number"
    segments: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()
    evidence: tuple[str, ...] = ()
    meta: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """Body and question as one text."""
        return f"{self.body} {self.question}".strip()

    @property
    def shape(self) -> str:
        """The kind of source, one of SHAPES, by the non-empty fields. Perturbations may depend on it."""
        if self.table:
            return "table"
        if self.segments or self.history:
            return "dialogue"
        return "passage" if self.note("passage") else "word_problem"

    def note(self, key: str, default: str = "") -> str:
        """Return the value of one meta key."""
        for name, value in self.meta:
            if name == key:
                return value
        return default

    def texts(self, scope: Sequence[str] = ALL_FIELDS) -> list[tuple[str, str]]:
        """Return every text of the given fields with its path, in reading order.

        A path is the field itself ("body"), or the field and the place in it: "table.2.3",
        "segments.1", "history.0.answer". An empty table, history or list of segments adds nothing.
        """
        if scope is ALL_FIELDS and not (self.segments or self.table or self.history):
            return [("body", self.body), ("question", self.question)]  # the common case, three times as fast
        texts: list[tuple[str, str]] = []
        for name in scope:
            value = getattr(self, name)
            if name in TEXT_FIELDS:
                texts.append((name, value))
            elif value:
                texts += _PARTS[name](value)
        return texts

    def text_at(self, path: str) -> str:
        """Return the text at a path of `texts()`."""
        if path in TEXT_FIELDS:
            return self.body if path == "body" else self.question
        name, *places = path.split(".")
        value = getattr(self, name)
        for place in places:
            value = value[int(place)] if place.isdigit() else getattr(value, place)
        return str(value)

    def with_texts(self, new: Mapping[str, str]) -> Problem:
        """Return a copy in which the texts at these paths are replaced."""
        if new.keys() <= _TEXT_FIELDS:
            return self.replace(**new)
        changes: dict[str, Any] = {}
        for path, text in new.items():
            name, _, place = path.partition(".")
            if not place:
                changes[name] = text
                continue
            if name not in changes:
                changes[name] = [list(part) if name == "table" else part for part in getattr(self, name)]
            at, _, inner = place.partition(".")
            if name == "table":
                changes[name][int(at)][int(inner)] = text
            elif name == "history":
                changes[name][int(at)] = changes[name][int(at)]._replace(**{inner: text})
            else:
                changes[name][int(at)] = text
        for name, value in changes.items():
            if name == "table":
                changes[name] = tuple(map(tuple, value))
            elif name not in TEXT_FIELDS:
                changes[name] = tuple(value)
        return self.replace(**changes)

    def quantities(self, scope: Sequence[str] = TEXT_FIELDS) -> list[Quantity]:
        """Return every number in the given fields, in reading order, each with its path."""
        quantities: list[Quantity] = []
        for path, field_text in self.texts(scope):
            for text, ratio, start, end, kind, _ in numerals.find(field_text):
                quantities.append(Quantity(text, ratio, start, end, kind, path))
        return quantities

    def values(self) -> list[Fraction]:
        """Return the value of every number that a reader sees, in reading order."""
        return [quantity.value for _, text in self.texts() for quantity in numerals.find(text)]

    def ratios(self) -> list[Ratio]:
        """Return `values()` as pairs of numerator and denominator, which compare much faster than fractions."""
        ratios = [quantity.ratio for text in (self.body, *self.segments) for quantity in numerals.find(text)]
        if self.table:
            ratios += _table_ratios(self.table)
        for turn in self.history:
            ratios += [quantity.ratio for text in turn for quantity in numerals.find(text)]
        ratios += [quantity.ratio for quantity in numerals.find(self.question)]
        return ratios

    def replace(self, **changes: Any) -> Problem:
        """Return a copy with some fields changed, much faster than dataclasses.replace does."""
        draft: Any = _Draft()
        draft.id, draft.body, draft.question = self.id, self.body, self.question
        draft.table, draft.equation, draft.answer = self.table, self.equation, self.answer
        draft.answers, draft.unit, draft.answer_type = self.answers, self.unit, self.answer_type
        draft.segments, draft.history = self.segments, self.history
        draft.evidence, draft.meta = self.evidence, self.meta
        try:
            for name, value in changes.items():
                setattr(draft, name, value)
        except AttributeError:
            raise TypeError(f"Problem has no field {name}") from None
        draft.__class__ = Problem
        copy: Problem = draft
        return copy

    def rewrite(self, quantities: Iterable[Quantity], new: Callable[[Quantity], str]) -> Problem:
        """Return a copy in which each of these quantities (of `self.quantities()`) is replaced by `new(quantity)`.

        >>> p = Problem("1", "I have 3 pens.", "How many?")
        >>> p.rewrite(p.quantities(), lambda q: q.text + ".0").body
        'I have 3.0 pens.'
        """
        edits: dict[str, list[tuple[int, int, str]]] = {}
        for quantity in quantities:
            edits.setdefault(quantity.field, []).append((quantity.start, quantity.end, new(quantity)))
        return self.with_texts(
            {path: splice(self.text_at(path), path_edits) for path, path_edits in edits.items()}
        )

    def expected_answer(self) -> str:
        """Return the answer that the equation gives, as canonical text."""
        rounding = self.note("rounding")
        if not rounding:  # the common case needs no Fraction
            return expression.parse(self.equation).canonical()
        return expression.canonical(self.value())

    def value(self) -> Fraction:
        """Return the exact value of the equation, rounded where the source rounds."""
        return expression.round_value(expression.parse(self.equation).value(), self.note("rounding"))

    def exact_value(self) -> Fraction | None:
        """Return the equation's value before any rounding, or the answer's value where there is no equation.

        Return None where neither is a number.
        """
        try:
            return expression.parse(self.equation or self.answer).value()
        except ExpressionError:
            return None


class _Draft:
    """A mutable problem with the same slots, so that its class can become `Problem`.

    Assignments to the fields of a frozen dataclass are five times slower, which was a tenth of a
    perturbation.
    """

    __slots__ = Problem.__slots__


# Memoized because many problems, and all their variants, share one table.
@memoized
def _table_texts(table: tuple[tuple[str, ...], ...]) -> list[tuple[str, str]]:
    return [
        (f"table.{row}.{column}", cell)
        for row, cells in enumerate(table)
        for column, cell in enumerate(cells)
        if cell
    ]


@memoized
def _table_ratios(table: tuple[tuple[str, ...], ...]) -> list[Ratio]:
    return [quantity.ratio for cells in table for cell in cells for quantity in numerals.find(cell)]


# Field with parts -> its texts, each with its path.
_PARTS: dict[str, Callable[[Any], list[tuple[str, str]]]] = {
    "segments": lambda segments: [(f"segments.{at}", text) for at, text in enumerate(segments)],
    "table": _table_texts,
    "history": lambda history: [
        (f"history.{at}.{part}", text)
        for at, turn in enumerate(history)
        for part, text in zip(turn._fields, turn, strict=True)
    ],
}


def splice(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """Apply edits that are in order and do not overlap.

    >>> splice("3 pens", [Edit(0, 1, "three")])
    'three pens'
    """
    parts: list[str] = []
    at = 0
    for start, end, new in edits:
        parts += (text[at:start], new)
        at = end
    parts.append(text[at:])
    return "".join(parts)


FIELDS = tuple(field.name for field in fields(Problem))
_TEXTS = ("id", "body", "question", "equation", "answer", "unit", "answer_type")
_LISTS = ("answers", "segments", "evidence")


def to_row(problem: Problem) -> dict[str, Any]:
    """Return the problem as a row for Parquet and JSON lines. `meta` becomes JSON text."""
    row: dict[str, Any] = {name: getattr(problem, name) for name in FIELDS}
    row["table"] = [list(cells) for cells in problem.table]
    row["history"] = [turn._asdict() for turn in problem.history]
    row["meta"] = json.dumps(dict(problem.meta), ensure_ascii=False, sort_keys=True) if problem.meta else "{}"
    for name in _LISTS:
        row[name] = list(row[name])
    return row


def from_row(row: Mapping[str, Any]) -> Problem:
    """Return the problem of a row of `to_row`, or of a user's record with at least an id and a question.

    Missing fields take their defaults; a field of the wrong type is an error that names it.
    """
    values: dict[str, Any] = {}
    for name in _TEXTS:
        if row.get(name) is not None:
            values[name] = _text(row, name)
    for name in _LISTS:
        if row.get(name):
            values[name] = tuple(str(item) for item in _sequence(row, name))
    if row.get("table"):
        lines = _sequence(row, "table")
        if any(isinstance(line, str) or not isinstance(line, Sequence) for line in lines):
            raise ProblemError(f"row {row.get('id')!r}: 'table' must be a list of rows, each a list of cells")
        values["table"] = tuple(tuple(str(cell) for cell in line) for line in lines)
    if row.get("history"):
        try:
            values["history"] = tuple(
                Turn(str(turn["question"]), str(turn["answer"])) for turn in _sequence(row, "history")
            )
        except (KeyError, TypeError) as error:
            raise ProblemError(
                f"row {row.get('id')!r}: history must be a list of objects with question and answer"
            ) from error
    if row.get("meta"):
        values["meta"] = _meta(row)
    for name in ("id", "question"):
        if name not in values:
            raise ProblemError(
                f"row {row.get('id')!r} has no {name!r}; every problem needs an id and a question"
            )
    return Problem(**{"body": "", **values})


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row[name]
    if isinstance(value, bool) or not isinstance(value, str | int | Fraction):
        raise ProblemError(
            f"row {row.get('id')!r}: {name!r} is {value!r} ({type(value).__name__}); write it as text, "
            'e.g. "7.3", so that no digit is lost'
        )
    return str(value)


def _sequence(row: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = row[name]
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ProblemError(f"row {row.get('id')!r}: {name!r} must be a list, not {type(value).__name__}")
    return value


def _meta(row: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    value = row["meta"]
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise ProblemError(f"row {row.get('id')!r}: meta is not JSON: {error}") from error
    if not isinstance(value, Mapping):
        raise ProblemError(f"row {row.get('id')!r}: meta must be an object of text to text")
    return tuple(sorted((str(key), str(item)) for key, item in value.items()))

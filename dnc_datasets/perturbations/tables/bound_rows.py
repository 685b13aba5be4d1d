"""Rows that a sentence ties to figures outside the table.

They grow with all other amounts or do not change.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Final

from dnc_datasets import numerals
from dnc_datasets.english.reading.report_sentences import sentence_spans
from dnc_datasets.english.reading.report_words import words
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import currency_before
from dnc_datasets.perturbations.tables.labels import below, row_labels
from dnc_datasets.perturbations.tables.restated import Texts
from dnc_datasets.problem import Problem

_CHANGED: Final = re.compile(
    r"\b(?:in|de)creas|\bchange|\bhigher\b|\blower\b|\bgrew\b|\bgrowth\b|\brose\b|\bfell\b|\bdeclin|\breduc",
    re.IGNORECASE,
)
# A placeholder for a percentage that is too small or too large to be shown.
_NO_FIGURE: Final = re.compile(r"\(?\*+\)?|n\.?/?m\.?|\(?nm\)?|<\s?\d+(?:\.\d+)?%?", re.IGNORECASE)
_EXPLAINED: Final = re.compile(
    r"\b(?:due to|relat(?:es|ed) to|attribut\w+|driven by|caused by|result(?:s|ed|ing)? (?:of|from)|because of|"
    r"offset by|reflect\w*)\b",
    re.IGNORECASE,
)
# "The average loan portfolio for 2019 was $8,213 million": what is between the word and its amount.
_AVERAGE: Final = re.compile(r"\baverage\b", re.IGNORECASE)
_AVERAGE_REACH: Final = 160
_THOUSAND: Final = 1000


def bound_rows(problem: Problem, texts: Texts) -> frozenset[int]:
    """Return the rows that sentences mention beside a change or a percentage that no cells give.

    "Free cash flow was $72.8 million, a margin of 12.6%" holds for this free cash flow alone, because the table shows
    no revenue. A sentence that explains a change of something without its name binds all rows.
    """
    linked = {
        one.quantity.start: {row for origin, _ in one.origins for row, _ in origin.cells}
        for one in texts.mentions
        if one.origins and not one.open
    }
    found = numerals.find(problem.body)
    bound = {row for row, cells in enumerate(problem.table) if any(map(_NO_FIGURE.fullmatch, cells[1:]))}
    labels = row_labels(problem.table)
    for start, end in sentence_spans(problem.body):
        inside = [one for one in found if start <= one.start < end]
        bound |= _averaged_rows(problem.body, start, inside, linked.keys(), problem.table)
        free = [one for one in inside if one.start not in linked and _is_figure(problem.body, one)]
        sentence = problem.body[start:end]
        changes = free and _CHANGED.search(sentence) is not None
        if not changes and not any(one.kind == "percent" for one in free):
            continue
        spoken = words(sentence)
        rows = {
            row
            for row, label in labels
            if (label.is_named(sentence) if changes else label.is_in(sentence.lower(), spoken))
            or label.is_rated(sentence)
        }
        rows.update(*(linked[one.start] for one in inside if one.start in linked))
        explains = changes and _EXPLAINED.search(sentence) is not None
        if explains and not rows and any(one.kind != "percent" for one in free):
            return frozenset(row for row, _ in labels)
        bound |= rows
    return frozenset(bound)


def _averaged_rows(
    body: str,
    start: int,
    inside: Sequence[Quantity],
    linked: Container[int],
    table: Sequence[Sequence[str]],
) -> set[int]:
    """The rows of which a sentence states an average that no cells give; a small one is a price.

    A label without numbers names the rows of its section.
    """
    rows: set[int] = set()
    labels = row_labels(table)
    for one in inside:
        if one.start in linked or one.value < _THOUSAND or not _is_figure(body, one) or one.kind == "percent":
            continue
        since = max(start, one.start - _AVERAGE_REACH)
        average = next(_AVERAGE.finditer(body, since, one.start), None)
        if average is not None:
            subject = body[average.end() : one.start].lower()
            named = (row for row, label in labels if label.is_in(subject, words(subject)))
            rows.update(at for row in named for at in below(table, row))
    return rows


def _is_figure(body: str, one: Quantity) -> bool:
    return one.kind in ("percent", "money") or currency_before(body, one.start) != ""

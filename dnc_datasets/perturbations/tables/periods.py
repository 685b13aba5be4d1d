"""The years that a question names, and the years of its operands."""

from __future__ import annotations

import re
from collections.abc import Iterable

from dnc_datasets.english.lexicon import (
    MONTH,
)
from dnc_datasets.problem import Problem

_YEAR = re.compile(r"(?<![\d,.$])(?:(?:19|20)\d\d)(?![\d,.]\d)|\bFY ?['’]?(\d\d)\b")
_CENTURY = 2000
# The two periods that end a question: "from 2018 to 2019?", "between FY18 and FY19?", "in 2019 from 2018?"
_DATE_WORD = (
    rf"(?:{MONTH}|Q[1-4]|"
    r"fiscal|FY|years?|ended|ending|\d{1,2},?) "
)
_DATE = rf"(?:{_DATE_WORD}){{0,4}}(?:FY ?)?(?:\d{{4}}|\d{{2}})(?:/\d{{2}})?(?: year end)?"
PERIODS = re.compile(
    rf" (?P<open>from|between|in|for) (?P<first>{_DATE}) (?P<join>to|and|from) (?P<second>{_DATE})"
    r"(?P<scale> ?,? in (?:thousands|millions|billions)(?: of dollars)?)?(?: ?\?)?$"
)
_DAY = re.compile(r"[A-Z][a-z]+ \d{1,2},? \d{4}|\d{1,2} [A-Z][a-z]+ \d{4}|year end")


def is_day(period: str) -> bool:
    """Return whether a period of a question is one day: "December 31, 2019"."""
    return _DAY.search(period) is not None


def years(text: str) -> list[int]:
    """Return the years of a text in order: 2019 of "FY19" and of "30 June 2019"."""
    return [
        _CENTURY + int(match[1]) if match[1] else int(match[0].split()[-1]) for match in _YEAR.finditer(text)
    ]


def year_at(problem: Problem, link: str) -> int | None:
    """Return the year of a cell, from the nearest heading above it or else from its row's label."""
    field, *place = link.split(".")
    if field != "table":
        return None
    row, column = map(int, place)
    heads = [cells[column] for cells in problem.table[:row] if column < len(cells)]
    for text in (*reversed(heads), problem.table[row][0]):
        found = set(years(text))
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def operands_in_named_years(problem: Problem, used: Iterable[str]) -> bool:
    """Return whether the operands at these links are in the years that the question names, if it names two.

    A question "from 2017 to 2019" also names the year between.
    """
    named = years(problem.question)
    if len(set(named)) < 2:
        return True
    standing = {year_at(problem, link) for link in used if "." in link} - {None}
    return all(min(named) <= year <= max(named) for year in standing if year is not None)


def runs_forward(problem: Problem, new: str, old: str) -> bool:
    """Return whether a change goes from the earlier to the later year, in the question and in the table.

    `new` and `old` are the links of its operands. Without years to compare, the result is true.
    """
    after, before = (year_at(problem, link) if "." in link else None for link in (new, old))
    if after is not None and before is not None and after <= before:
        return False
    return asks_forward(problem.question)


def asks_forward(question: str) -> bool:
    """Return whether a question for a change names the earlier year as the start, if it names two.

    >>> asks_forward("What is the change from 2018 to 2019?"), asks_forward("What is the change from 2019 to 2018?")
    (True, False)
    """
    # "from 2018 to 2019" or "in 2019 from 2018": the first of the two patterns in the question.
    found = [(at, _parted(question, at, joint)) for at, joint in _opened(question)]
    asked = min((one for one in found if one[1]), default=None)
    if asked is None or asked[1] is None:
        return True
    first, second = (years(part) for part in asked[1])
    if question[asked[0] - len("in ") : asked[0]] == "in ":
        first, second = second, first
    return not (first and second) or first[-1] <= second[-1]


def _opened(question: str) -> list[tuple[int, str]]:
    """Return the start of each pattern for two years, with the word between the years."""
    found = (
        (re.search(rf"\b{word} ", question), joint) for word, joint in (("from", " to "), ("in", " from "))
    )
    return [(match.end(), joint) for match, joint in found if match]


def _parted(question: str, start: int, joint: str) -> tuple[str, str] | None:
    """Return the texts before and after the last joint that has a digit on both sides."""
    end = len(question)
    while end > start and not question[end - 1].isdecimal():
        end -= 1
    at = question.rfind(joint, start, end)
    while at > start and not question[at - 1].isdecimal():
        at = question.rfind(joint, start, at)
    return (question[start:at], question[at + len(joint) : end]) if at > start else None

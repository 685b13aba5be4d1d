"""The other problems of a split, from which a perturbation may borrow statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from heapq import heappop, heappush
from typing import Generic, NamedTuple, TypeVar

from dnc_datasets import numerals
from dnc_datasets.english.reading.content_words import content_words, is_chinese
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.perturbations.numbers.amounts import is_prose
from dnc_datasets.perturbations.statements import topics as report_topics
from dnc_datasets.perturbations.statements.self_contained import (
    has_date_and_names,
    self_contained_in_report,
    without_period,
)
from dnc_datasets.problem import Problem

T = TypeVar("T")

# A statement takes about two kilobytes. TATQA-a and the word problems have fewer in a split, DROP has more.
_MAX_STATEMENTS = 8192
_MAX_REPORTS = 8192
_MAX_SEEN = 1 << 16
# A statement that joins more reports than this is one that a model learns to skip.
_REPORTS_PER_STATEMENT = 8
_CHINESE_SENTENCE = re.compile("[^。！？\\n]+(?:[。！？\\n]|$)")


_OPENS = re.compile(r"[A-Z0-9$]")
_ABBREVIATED = re.compile(r"(?:\b(?:pp|[A-Z]|No|Gen|Col|Capt|Lt)|;)\.\Z")
_FEWEST_WORDS = 4


# Prose has headings, notes and lists, so a statement must have a verb and no reference to another place.
_SAYS_SOMETHING = re.compile(r"\S+ .*\b(?:is|are|was|were|has|have|had|will|would|did|[a-z]{2,}ed|won)\b")
_POINTS_ELSEWHERE = re.compile(
    r"\n|\bNotes? \d|\b[Ss]ee\b|\brefer\b|\A[\d.]+\)? [A-Z]|\A[A-Z]?[a-z]+ed\b|&#"
    # Cuts leave traces in the text. "There were 37,000 in 1678" has no counted noun.
    r"| [,.]|[a-z]\.[A-Z]|Census\)|people ancestry|\b[Tt]here (?:were|are|was) [\d,.]+%? (?:in|of|by|at|unemployed)\b"
)
# A passage has introduced the war or the growth before, and its headings merge with their first sentences:
# "The war resulted in", "In 1010, the alliance was broken", "Only 40% had moved", "Bankruptcy On July 13".
_PASSAGE_LEANS = re.compile(
    r"\A(?:The (?:team|wars?|economy|execution|single|album|song|film|ranking|treaty|battle|siege|army|fleet|game|"
    r"court|alliance|bill|plan|agreement|program|attack|campaign|revolt|rebellion|king|emperor|company)\b"
    r"(?! (?:of|for|in) (?:the )?[A-Z])"
    r"|(?:(?:In|On|By|At|Until) [\w\s]{4,20},? |)[Tt]he [a-z]+ (?:was|were|had|won|[a-z]+ed)\b"
    r"|Growth|Only \d|Firstly|With the (?:win|loss|victory)|Throughout [^,]+, many|Between [^,]+ the economy"
    r"|[A-Z][a-z]+ (?:On|In|The|At|By) )"
)


def _stands_alone(text: str, prose: bool, report: bool) -> bool:
    """Return whether the sentence makes sense without the text around it."""
    if report and not self_contained_in_report(text):
        return False
    if not (_OPENS.match(text) and text.endswith(".")) or _ABBREVIATED.search(text):
        return False
    if len(text.split(maxsplit=_FEWEST_WORDS - 1)) < _FEWEST_WORDS:
        return False
    if not prose:
        return True
    if not report and _PASSAGE_LEANS.match(text):
        return False
    whole = text.count("(") == text.count(")")  # "Susan (b." was cut off
    says = report or _SAYS_SOMETHING.match(text) is not None
    return whole and says and not _POINTS_ELSEWHERE.search(text)


@dataclass(frozen=True)
class Statement:
    """A sentence that states a number."""

    text: str
    values: frozenset[Fraction]
    words: frozenset[str]
    of_report: bool


class Lent(NamedTuple):
    """The statements and report words that some problems of a split lend, by hash."""

    statements: dict[int, Statement]
    reports: dict[int, frozenset[str]]
    report_count: int


class Neighbours:
    """The statements that one split lends: a bounded pool, collected in one pass over its problems.

    The hash of seed, dataset and text decides which statements exceed the bound. The pool therefore does not
    depend on the order of the problems or on how they are divided. The pass runs on first use.

    >>> pool = Neighbours([Problem("1", "A shop sells 77 red kites in May.", "")])
    >>> [statement.text for statement in pool.statements]
    ['A shop sells 77 red kites in May.']
    """

    def __init__(self, problems: Iterable[Problem], *, seed: int = 0, dataset: str = "") -> None:
        self._problems: Iterable[Problem] | None = problems
        self._key = f"{seed}\x1f{dataset}\x1f"
        self._statements: list[Statement] = []
        self._common_words: frozenset[str] = frozenset()
        self._reports = 0

    @property
    def statements(self) -> list[Statement]:
        """The pool: complete sentences with a number, without duplicates, by their hashes."""
        self.look()
        return self._statements

    @property
    def common_words(self) -> frozenset[str]:
        """The words that many reports of the split share, so that they do not distinguish reports."""
        self.look()
        return self._common_words

    @property
    def lends_to_reports(self) -> bool:
        """Return whether the reports of the split have enough statements to avoid frequent repetition."""
        self.look()
        stated = sum(statement.of_report for statement in self._statements)
        return stated * _REPORTS_PER_STATEMENT >= self._reports

    def look(self) -> None:
        """Collect the pool in one pass over the problems, and drop the problems."""
        if self._problems is not None:
            self._take([self.lent()])
            self._problems = None

    @classmethod
    def joined(cls, parts: Iterable[Lent]) -> Neighbours:
        """Join the lent statements of several parts into the pool of a split.

        All parts need the same seed and dataset.
        """
        pool = cls(())
        pool._take(parts)
        pool._problems = None
        return pool

    def _take(self, parts: Iterable[Lent]) -> None:
        statements: _Smallest[Statement] = _Smallest(_MAX_STATEMENTS)
        reports: _Smallest[frozenset[str]] = _Smallest(_MAX_REPORTS)
        self._reports = 0
        for part in parts:
            statements.add_all(part.statements)
            reports.add_all(part.reports)
            self._reports += part.report_count
        self._statements = statements.in_order()
        self._common_words = report_topics.common(reports.in_order())

    def lent(self) -> Lent:
        """Collect the statements that these problems lend. `joined` merges them with those of other parts."""
        statements: _Smallest[Statement] = _Smallest(_MAX_STATEMENTS)
        reports: _Smallest[frozenset[str]] = _Smallest(_MAX_REPORTS)
        report_count = 0
        seen: set[tuple[int, bool, bool]] = set()  # many questions share a passage
        for problem in self._problems or ():
            prose, report = is_prose(problem), bool(problem.table)
            for _, whole in (
                problem.texts(("segments",))[:1] if problem.segments else problem.texts(("body",))
            ):
                if (known := (hash(whole), prose, report)) in seen:
                    continue
                if len(seen) >= _MAX_SEEN:
                    seen.clear()
                seen.add(known)
                chinese = is_chinese(whole)
                stated = _sentences(whole, chinese, report)
                # The first sentence of a conversation or passage introduces its topic: "Each class has 16 pupils."
                if problem.segments or (prose and not report):
                    stated = [
                        *stated[:1],
                        *(text for text in stated[1:] if prose and has_date_and_names(text)),
                    ]
                for text in stated:
                    place = self._hash(text, report)
                    if statements.has_room(place) and (made := _statement(text, chinese, prose, report)):
                        statements.add(place, made)
            if report:
                report_count += 1
                place = self._hash(f"{problem.body}\x1f{problem.table}", report)
                if reports.has_room(place):
                    reports.add(place, report_topics.report_words(problem))
        return Lent(statements.items, reports.items, report_count)

    def _hash(self, text: str, report: bool) -> int:
        # A sentence of a story and the same one of a report are two statements.
        key = f"{self._key}{report:d}{text}".encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(key, digest_size=8).digest(), "big")


def _statement(text: str, chinese: bool, prose: bool, report: bool) -> Statement | None:
    values = frozenset(quantity.value for quantity in numerals.find(text))
    if not values or not (chinese or _stands_alone(text, prose, report)):
        return None
    return Statement(text, values, content_words(text), report)


class _Smallest(Generic[T]):
    """The items with the smallest hashes, up to a maximum number, one item per hash."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.items: dict[int, T] = {}
        self._largest: list[int] = []  # a heap of the negated hashes, the largest hash first

    def has_room(self, place: int) -> bool:
        """Return whether an item with this hash would be kept."""
        if len(self.items) >= self._most and place >= -self._largest[0]:
            return False
        return place not in self.items

    def add(self, place: int, item: T) -> None:
        """Add the item. Above the maximum number, drop the item with the largest hash."""
        self.items[place] = item
        heappush(self._largest, -place)
        if len(self.items) > self._most:
            del self.items[-heappop(self._largest)]

    def add_all(self, items: Mapping[int, T]) -> None:
        """Add the items that have room."""
        for place, item in items.items():
            if self.has_room(place):
                self.add(place, item)

    def in_order(self) -> list[T]:
        """Return the items in the order of their hashes."""
        return [self.items[place] for place in sorted(self.items)]


def _sentences(whole: str, chinese: bool, report: bool) -> list[str]:
    """Return the sentences of a text. Those of a report have no headings and no periods."""
    if chinese:
        return [text for text in _CHINESE_SENTENCE.findall(whole) if text.endswith("。")]
    if report:
        return [without_period(text) for line in whole.split("\n") for text in sentences(line)]
    return sentences(whole)

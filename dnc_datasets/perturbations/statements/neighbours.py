"""The other problems of a split: where a perturbation may borrow statements from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dnc_datasets import numerals
from dnc_datasets.english.reading.content_words import content_words, is_chinese
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.perturbations.numbers.amounts import is_prose
from dnc_datasets.perturbations.statements import topics as report_topics
from dnc_datasets.perturbations.statements.alone import reads_alone, without_period
from dnc_datasets.problem import Problem

_CHINESE_SENTENCE = re.compile("[^。！？\\n]+。")


# At least four words, the first with a capital or a number, the last no abbreviation.
_STANDS_ALONE = re.compile(
    r"[A-Z0-9$](?:\S*\s+){3,}.*(?<!\bpp)(?<!\b[A-Z])(?<!\bNo)(?<!\bGen)(?<!\bCol)(?<!\bCapt)(?<!\bLt)(?<!;)\.",
    re.DOTALL,
)


# Prose has headings, notes and lists, so a statement must have a verb and must not point elsewhere.
_SAYS_SOMETHING = re.compile(r"\S+ .*\b(?:is|are|was|were|has|have|had|will|would|did|[a-z]{2,}ed|won)\b")
_POINTS_ELSEWHERE = re.compile(
    r"\n|\bNotes? \d|\b[Ss]ee\b|\brefer\b|\A[\d.]+\)? [A-Z]|\A[A-Z]?[a-z]+ed\b|&#"
    # What was cut out of the text leaves traces; "There were 37,000 in 1678" does not say of what.
    r"| [,.]|[a-z]\.[A-Z]|Census\)|people ancestry|\b[Tt]here (?:were|are|was) [\d,.]+%? (?:in|of|by|at|unemployed)\b"
)
# A passage has told which war and whose growth it was, and its headings run into their first sentences:
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
    """Whether the sentence can be read without the text around it."""
    if report and not reads_alone(text):
        return False
    if not _STANDS_ALONE.fullmatch(text):
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
    """A sentence that states a number, of the problem with this id."""

    owner: str
    text: str
    values: frozenset[Fraction]
    words: frozenset[str]
    of_report: bool


class Neighbours:
    """All problems of one split; what is derived from them is computed once, on first use."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = problems
        self._seen: set[str] = set()  # many questions share a passage

    @cached_property
    def statements(self) -> list[Statement]:
        """Every complete sentence of every text that holds a number, once, in the order of the split."""
        found: dict[str, Statement] = {}
        for problem in self.problems:
            for _, whole in problem.texts(("body", "segments")):
                if whole in self._seen:
                    continue
                self._seen.add(whole)
                chinese, report = is_chinese(whole), bool(problem.table)
                for text in _sentences(whole, chinese, report):
                    values = frozenset(quantity.value for quantity in numerals.find(text))
                    if not values or text in found:
                        continue
                    if chinese or _stands_alone(text, is_prose(problem), report):
                        found[text] = Statement(problem.id, text, values, content_words(text), report)
        return list(found.values())

    @cached_property
    def common_words(self) -> frozenset[str]:
        """The words that the reports of the split share, so that they tell none of them apart."""
        reports = {(problem.body, problem.table): problem for problem in self.problems if problem.table}
        return report_topics.common(report_topics.report_words(problem) for problem in reports.values())


def _sentences(whole: str, chinese: bool, report: bool) -> list[str]:
    """The sentences of a text; those of a report without headings, and without their periods."""
    if chinese:
        return _CHINESE_SENTENCE.findall(whole)
    if report:
        return [without_period(text) for line in whole.split("\n") for text in sentences(line)]
    return sentences(whole)

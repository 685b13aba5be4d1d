"""A step of a decomposition: its text, its references to other steps (`#1`), and its operator."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from dnc_datasets.english.lexicon import MAXIMUM_WORDS, MINIMUM_WORDS
from dnc_datasets.errors import ProblemError

MAX_STEPS = 10
_MAX_LENGTH = 2000
_REFERENCE = re.compile(r"#(\d{1,3})(?!\d)")
_FIRST_REFERENCE = re.compile(r"(?:the )?#\d")


class Operator(str, Enum):
    """The operators of QDMR."""

    SELECT = "select"
    FILTER = "filter"
    PROJECT = "project"
    AGGREGATE = "aggregate"
    GROUP = "group"
    SUPERLATIVE = "superlative"
    COMPARATIVE = "comparative"
    UNION = "union"
    INTERSECTION = "intersection"
    DISCARD = "discard"
    SORT = "sort"
    BOOLEAN = "boolean"
    ARITHMETIC = "arithmetic"
    COMPARISON = "comparison"


class Step(NamedTuple):
    """One step: "number of #2" is an aggregate over the second step."""

    text: str

    @property
    def references(self) -> tuple[int, ...]:
        """The numbers of the referenced steps, from 1, in the order of the text."""
        return tuple(int(number) for number in _REFERENCE.findall(self.text))

    @property
    def operator(self) -> Operator:
        """The operator, by the form of the step."""
        return _operator(self.text, self.references)

    def renumbered(self, numbers: dict[int, int]) -> Step:
        """Return the step with changed references. A reference without an entry remains."""
        return Step(_REFERENCE.sub(lambda found: f"#{numbers.get(int(found[1]), int(found[1]))}", self.text))


Decomposition = tuple[Step, ...]


def fault(steps: Sequence[Step]) -> str:
    """Describe the fault of a decomposition, or return an empty string where it is well-formed.

    >>> fault([Step("pens"), Step("number of #3")])
    'step 2 refers to #3, which does not stand before it'
    """
    if not steps:
        return "it has no steps"
    if len(steps) > MAX_STEPS:
        return f"it has {len(steps)} steps, more than {MAX_STEPS}"
    for number, step in enumerate(steps, 1):
        if not step.text or len(step.text) > _MAX_LENGTH:
            return f"step {number} is empty or longer than {_MAX_LENGTH} characters"
        for reference in step.references:
            if not 0 < reference < number:
                return f"step {number} refers to #{reference}, which does not stand before it"
    used = {reference for step in steps for reference in step.references}
    unused = [number for number in range(1, len(steps)) if number not in used]
    return f"nothing refers to step {unused[0]}" if unused else ""


_AGGREGATES = (
    "number of|highest|largest|lowest|smallest|maximum|minimum|max|min|sum|total|average|avg|mean of|mean|first|last|"
    "longest|shortest"
)
_AGGREGATE = re.compile(rf"(?:the )?(?:{_AGGREGATES})(?: of)? (?:the )?#\d")
_SUPERLATIVE = re.compile(r"\b(?:is|are|was|were) (?:the )?(?:\w+est|most|least|first|last)\b")
_COMPARES = re.compile(
    r"\bwhere (?:the )?#\d{1,3} (?:is|are|was|were|has|have|had|at|more|less)\b|[<>=]|\bthan\b"
)
_ONLY_REFERENCES = re.compile(r"[#\d\s,]|\band\b|\bor\b")
_BOOLEAN = re.compile(r"(?:if|is|are|did|was|were|does|do|whether)\b")
_ARITHMETIC = re.compile(r"(?:the )?(?:sum|difference|multiplication|division)\b")
_ENDS_OR_STARTS = re.compile(r"\A(?:the )?#\d|#\d{1,3}\Z")
# Operators in order of preference, where several fit.
_PREFERRED = (
    Operator.BOOLEAN,
    Operator.SUPERLATIVE,
    Operator.GROUP,
    Operator.COMPARATIVE,
    Operator.INTERSECTION,
)


def _operator(text: str, references: tuple[int, ...]) -> Operator:
    count = len(references)
    low = text.lower()
    if not count:  # "if Richard II ruled first" is boolean, too
        return Operator.BOOLEAN if low.startswith("if ") else Operator.SELECT
    initial = _FIRST_REFERENCE.match(low) is not None
    where = "where" in low
    fitting = [
        operator
        for operator, fits in (
            (Operator.AGGREGATE, count == 1 and _AGGREGATE.match(low)),
            (Operator.GROUP, "for each" in low),
            (Operator.SORT, " sorted by" in low or " order by" in low or " ordered by" in low),
            (Operator.SUPERLATIVE, count == 2 and initial and where and _SUPERLATIVE.search(low)),
            (Operator.COMPARATIVE, 2 <= count <= 3 and initial and where and _COMPARES.search(low)),
            (Operator.UNION, count > 1 and not _ONLY_REFERENCES.sub("", low)),
            (Operator.INTERSECTION, count > 1 and "both" in low and " and" in low),
            (
                Operator.DISCARD,
                count <= 2 and _ENDS_OR_STARTS.search(low) and ("besides" in low or "not in" in low),
            ),
            (Operator.BOOLEAN, _BOOLEAN.match(low)),
            (Operator.ARITHMETIC, count > 1 and _ARITHMETIC.match(low)),
            (Operator.COMPARISON, count > 1 and low.startswith("which")),
        )
        if fits
    ]
    for preferred in _PREFERRED:
        if preferred in fitting:
            return preferred
    if fitting:
        return fitting[0]
    if initial and count <= 3:
        return Operator.FILTER
    return Operator.PROJECT


def extreme(text: str) -> str:
    """Return "max" or "min" where a step asks for a maximum or minimum, else an empty string."""
    low = text.lower()
    if any(word in low for word in MAXIMUM_WORDS):
        return "max"
    return "min" if any(word in low for word in MINIMUM_WORDS) else ""


_MAX_TEXT = 20_000
_GROUPED = re.compile(r"(?<=\d),(?=\d)")


def parse_steps(text: str) -> Decomposition:
    """Parse a decomposition in Break's form, with commas apart from words and none in numbers.

    >>> [step.text for step in parse_steps("return games of  1,200 fans ;return number of #1")]
    ['games of 1200 fans', 'number of #1']
    """
    if len(text) > _MAX_TEXT:
        raise ProblemError(f"a decomposition of {len(text)} characters; at most {_MAX_TEXT} are read")
    plain = _GROUPED.sub("", text).replace(",", " , ")
    steps = []
    for part in plain.split(";"):
        words = part.split()
        if words and words[0].lower() == "return":
            words = words[1:]
        if words:
            steps.append(Step(" ".join(words)))
    return tuple(steps)


def write_steps(steps: Sequence[Step]) -> str:
    """Return the steps in Break's form, which `parse_steps` reads."""
    return " ;".join(f"return {step.text}" for step in steps)

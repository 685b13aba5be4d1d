"""The six perturbations of reasoning: each makes new steps and a constraint on the answer.

They are pure functions on steps. One that does not fit returns None. Well-formed steps give well-formed
steps. New steps have the wording of Break, Perturb, Build, so that its published transformations are
reproduced to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from dnc_datasets import expression
from dnc_datasets.qdmr.steps import Decomposition, Operator, Step, extreme

KINDS = ("append_bool", "change_last", "replace_arith", "replace_bool", "replace_comp", "prune_step")
# The constraint on an answer that cannot be computed. `dnc_metrics.contrast.holds` checks it.
NUMERIC, BOOLEAN, AT_LEAST, AT_MOST = "numeric", "boolean", ">=", "<="
# The comparison of a last boolean step: "if #3 is equal to 5".
RELATIONS = {"higher": "higher than", "lower": "lower than", "equal": "equal to", "not equal": "not equal to"}
_TIME = re.compile(r"\b(?:when|dates?|years?|months?|days?|hours?)\b", re.IGNORECASE)
_YEAR = re.compile(r"\d{3,4}")
_IN_YEAR = re.compile(r"(?:.{0,80} )?in (?P<year>\d{3,4})")
_COMMA = re.compile(r"(?<!\d),|,(?!\d)")
_NUMBER_OF = re.compile(r"\Athe (?=number of #\d{1,3}\Z)")
# Operators of a last step that is not removed.
_NOT_PRUNED = (
    Operator.FILTER,
    Operator.AGGREGATE,
    Operator.SUPERLATIVE,
    Operator.COMPARATIVE,
    Operator.SORT,
    Operator.SELECT,
)


class Transformed(NamedTuple):
    """The result of a perturbation. `constraint` holds of every right answer, where one is known."""

    kind: str
    steps: Decomposition
    constraint: str = ""


def append_bool(steps: Decomposition, relation: str, value: Fraction | str) -> Transformed:
    """Ask whether the answer is higher, lower or equal: add "if #3 is higher than 5" after the last step."""
    number = value if isinstance(value, str) else expression.canonical(value)
    last = Step(f"if #{len(steps)} is {RELATIONS[relation]} {number}")
    # The counting step loses its article, as published.
    kept = (*steps[:-1], Step(_NUMBER_OF.sub("", steps[-1].text)))
    return Transformed("append_bool", (*kept, last), BOOLEAN)


def change_last(steps: Decomposition, target: str) -> Transformed | None:
    """Replace a last calculation or comparison of two steps by another: "sum", "difference" or "same"."""
    last = steps[-1]
    pair = last.references
    is_extreme = last.operator is Operator.COMPARISON and extreme(last.text)
    if len(pair) != 2 or pair[0] == pair[1] or not (last.operator is Operator.ARITHMETIC or is_extreme):
        return None
    if last.operator is Operator.ARITHMETIC and target in last.text:
        return None
    if target == "same":
        new, constraint = f"if #{pair[0]} is the same as #{pair[1]}", BOOLEAN
    elif target in ("sum", "difference"):
        new, constraint = f"the {target} of #{pair[0]} and #{pair[1]}", NUMERIC
    else:
        return None
    return Transformed("change_last", (*steps[:-1], Step(new)), constraint)


def replace_arith(steps: Decomposition) -> Transformed | None:
    """Replace a last sum by a difference, or a last difference by a sum. Sums of times are excluded."""
    last = steps[-1]
    pair = last.references
    if last.operator is not Operator.ARITHMETIC or len(pair) < 2 or len(set(pair)) != len(pair):
        return None
    listed = " and ".join(f"#{reference}" for reference in pair)
    if "difference" in last.text:
        if any(_TIME.search(step.text) for step in steps):
            return None
        return Transformed("replace_arith", (*steps[:-1], Step(f"the sum of {listed}")), AT_LEAST)
    if "sum" in last.text and len(pair) == 2:
        return Transformed("replace_arith", (*steps[:-1], Step(f"the difference of {listed}")), AT_MOST)
    return None


def replace_bool(steps: Decomposition) -> Transformed | None:
    """Replace "if both #1 and #2 are true" by "... are false"."""
    last = steps[-1].text
    if steps[-1].operator is not Operator.BOOLEAN or "both" not in last or not re.search(r"\btrue\b", last):
        return None
    return Transformed("replace_bool", (*steps[:-1], Step(re.sub(r"\btrue\b", "false", last))), BOOLEAN)


def replace_comp(steps: Decomposition) -> Transformed | None:
    """Replace the direction of a last comparison: highest by lowest, true by false."""
    last = steps[-1]
    if last.operator is not Operator.COMPARISON or len(set(last.references)) < 2:
        return None
    listed = " , ".join(f"#{reference}" for reference in last.references)
    if re.search(r"\b(?:true|false)\b", last.text):
        other = {"true": "false", "false": "true"}
        new = re.sub(r"\b(?:true|false)\b", lambda found: other[found[0]], _padded(last.text))
    elif end := extreme(last.text):
        new = f"which is {'lowest' if end == 'max' else 'highest'} of {listed}"
    else:
        return None
    kept = tuple(Step(_padded(step.text)) for step in steps[:-1])
    return Transformed("replace_comp", (*kept, Step(new)))


def prune_step(steps: Decomposition) -> Transformed | None:
    """Remove the last step and all steps that only it needs, so that the question asks for the step before.

    A last filter, aggregate or superlative remains: without it, the question is hardly different.
    """
    if len(steps) < 2 or steps[-1].operator in _NOT_PRUNED:
        return None
    return Transformed("prune_step", needed(steps[:-1]))


def needed(steps: Decomposition) -> Decomposition:
    """Return the steps that the last one needs, with new numbers.

    >>> needed((Step("pens"), Step("cups"), Step("number of #2")))
    (Step(text='cups'), Step(text='number of #1'))
    """
    used = {len(steps)}
    for number in range(len(steps), 0, -1):
        if number in used:
            used.update(steps[number - 1].references)
    numbers = {old: new for new, old in enumerate(sorted(used), 1)}
    return tuple(steps[old - 1].renumbered(numbers) for old in sorted(used))


def _padded(text: str) -> str:
    return " ".join(_COMMA.sub(" , ", text).split())


# Smallest answer with a reliable pair: smaller ones are the result of too many pairs by chance.
_SMALLEST = 10
_MAX_NUMBERS = 200
_MOST_WORDS = 8  # of an answer, as published; longer ones are discarded


def operands_of(
    answer: Fraction, numbers: Sequence[Fraction], operation: str
) -> tuple[Fraction, Fraction] | None:
    """Return the only two numbers of a text whose "sum" or "difference" is the answer, the larger first.

    Return None where there is no such pair or more than one, and for small answers, whose pairs are mostly
    coincidences.

    >>> operands_of(Fraction(30), [Fraction(50), Fraction(20), Fraction(3)], "difference")
    (Fraction(50, 1), Fraction(20, 1))
    """
    distinct = sorted(set(numbers), reverse=True)
    if answer < _SMALLEST or answer.denominator != 1 or len(distinct) > _MAX_NUMBERS:
        return None
    found = [
        (one, other)
        for one, other in combinations(distinct, 2)
        if (one + other if operation == "sum" else one - other) == answer
    ]
    return found[0] if len(found) == 1 else None


def other_choice(pair: tuple[str, str], answer: str) -> str | None:
    """Return the candidate that the answer does not name, or None where it clearly names neither.

    Return None also where it has more than eight words, as in the published evaluator. Where the answer is a
    bare year, the result is a bare year, too: 2000 for "teachers in 2000".
    """
    is_first = _is_first(pair, answer)
    if is_first is None:
        return None
    other = pair[1] if is_first else pair[0]
    if (dated := _IN_YEAR.fullmatch(other)) and _YEAR.fullmatch(answer.strip()):
        other = dated["year"]
    return other if 0 < len(other.split()) <= _MOST_WORDS else None


def _is_first(pair: tuple[str, str], answer: str) -> bool | None:
    """Return whether the answer is the first of two candidates, or None where it is clearly neither."""
    equal = [_bare(one) == _bare(answer) for one in pair]
    if sum(equal) == 1:
        return equal[0]
    said = set(_bare(answer).split())
    inside = [said <= set(_bare(one).split()) or set(_bare(one).split()) <= said for one in pair]
    if sum(inside) == 1 and len(said) <= _MOST_WORDS:
        return inside[0]
    near = [SequenceMatcher(None, one.lower(), answer.lower()).ratio() for one in pair]
    if max(near) < 0.6 or abs(near[0] - near[1]) < 0.2:
        return None
    return near[0] > near[1]


def _bare(answer: str) -> str:
    for article in ("the ", "a ", "an "):
        answer = answer.strip().lower().removeprefix(article)
    return answer

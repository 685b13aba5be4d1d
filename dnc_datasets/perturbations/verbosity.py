"""Verbosity, as published: "(not n)" after every number in digits."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets import numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.content_words import is_chinese
from dnc_datasets.numerals import Ratio
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.amounts import numbers_in_digits
from dnc_datasets.problem import TEXT_FIELDS, Edit, Problem, splice

_MAX_DRAWS = 100  # with sigma = 0 every draw gives the same number


@perturbation(
    "verbosity",
    capability=Capability.OPERAND_SELECTION,
    promises=("target_kept", "distractors_new", "rest_is_original"),
    qualifies="rows without a number in digits remain unchanged",
)
def add_denied_number(
    problem: Problem, draw: Draw, *, scope: Sequence[str] = TEXT_FIELDS, mu: float = 100, sigma: float = 30
) -> Problem | None:
    """12 pens -> 12 (not 87) pens: X ~ N(mu, sigma^2), rounded down, positive and new to the problem."""
    taken = set(problem.ratios())
    if (answer := numerals.parse(problem.answer)) is not None:
        taken.add(answer.as_integer_ratio())
    form = "（不是{}）" if is_chinese(problem.question) else " (not {})"
    changes = {}
    for path, text in problem.texts(scope):
        edits = []
        for number in numbers_in_digits(text):
            denied = _new_number(draw, mu, sigma, taken)
            if denied is None:
                return None
            taken.add((denied, 1))
            edits.append(Edit(number.end, number.end, form.format(denied)))
        if edits:
            changes[path] = splice(text, edits)
    return problem.with_texts(changes) if changes else None


def _new_number(draw: Draw, mu: float, sigma: float, taken: set[Ratio]) -> int | None:
    """Draw a positive integer that is not taken; None if that fails a hundred times."""
    for _ in range(_MAX_DRAWS):
        value = draw.normal(mu, sigma)
        if value >= 1 and (value, 1) not in taken:
            return value
    return None

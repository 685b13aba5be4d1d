"""Verbosity, as published: "(not n)" after every number in digits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dnc_datasets import numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.content_words import is_chinese
from dnc_datasets.memoization import memoized
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.amounts import is_prose, numbers_in_digits
from dnc_datasets.problem import TEXT_FIELDS, Problem

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
    # Denied numbers are integers, so only integers can conflict with them.
    taken = {whole for whole, parts in problem.ratios() if parts == 1}
    if (answer := numerals.parse(problem.answer)) is not None and answer.denominator == 1:
        taken.add(answer.numerator)
    denial = "（不是%d）" if is_chinese(problem.question) else " (not %d)"
    prose = is_prose(problem)
    drawn = draw.normals(mu, sigma)
    changes = {}
    for path, text in problem.texts(scope):
        form, count = (_form_of_passage if prose and path != "question" else _form)(text, denial)
        if not count:
            continue
        denied = _new_numbers(count, drawn, taken)
        if denied is None:
            return None
        changes[path] = form % denied
    return problem.with_texts(changes) if changes else None


def _form(text: str, denial: str) -> tuple[str, int]:
    """Return the text as a template with a denial after each number in digits, and the number of denials."""
    pieces = []
    at = 0
    for _, _, end, _ in numbers_in_digits(text):
        pieces.append(text[at:end].replace("%", "%%"))
        at = end
    return denial.join([*pieces, text[at:].replace("%", "%%")]), len(pieces)


# Many questions share a passage. Other texts belong to one problem, and caching those takes time.
_form_of_passage = memoized(_form)


def _new_numbers(count: int, drawn: Iterator[int], taken: set[int]) -> tuple[int, ...] | None:
    """Draw distinct positive integers that are not taken; None after a hundred failures for one of them."""
    new: list[int] = []
    failed = 0
    for value in drawn:
        if value >= 1 and value not in taken:
            taken.add(value)
            new.append(value)
            failed = 0
            if len(new) == count:
                break
        else:
            failed += 1
            if failed == _MAX_DRAWS:
                return None
    return tuple(new)

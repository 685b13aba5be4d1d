"""Type: integers written as decimals."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets.draws import Draw
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.amounts import amounts_by_text, amounts_in
from dnc_datasets.problem import TEXT_FIELDS, Problem, splice

_BILL = re.compile(r"\$\d+ bills?\b|.\d+ (?:dollar|cent) (?:bill|coin)s?\b")
_MOST_DIGITS = 100  # the reader rejects numbers of several hundred digits


@perturbation(
    "type",
    capability=Capability.NUMBER_DETECTION,
    promises=("target_kept", "values_kept", "text_elsewhere_kept"),
    reaches_cells=True,
    qualifies="rows without an integer amount in digits remain unchanged",
)
def add_decimal_zero(problem: Problem, draw: Draw, *, scope: Sequence[str] = TEXT_FIELDS) -> Problem | None:
    """12 pens -> 12.0 pens: the same value in another surface form."""
    changes = {}
    if problem.note("passage") and not problem.table:
        for path, text in problem.texts(scope):
            new = _passage_with_zeros(text) if path == "body" else _prose_with_zeros(text, path)
            if new != text:
                changes[path] = new
    else:
        for path, text, found in amounts_by_text(problem, scope):
            new = _with_zeros(text, found)
            if new != text:
                changes[path] = new
    return problem.with_texts(changes) if changes else None


def _with_zeros(text: str, found: Sequence[Quantity]) -> str:
    has_bills = "bill" in text or "coin" in text
    return splice(
        text,
        [
            (end, end, ".0")
            for surface, _, start, end, _, _ in found
            if "." not in surface
            and len(surface) <= _MOST_DIGITS
            and not (has_bills and _BILL.match(text, start - 1))
        ],
    )


def _prose_with_zeros(text: str, path: str) -> str:
    return _with_zeros(text, amounts_in(text, path, prose=True))


# Many questions share a passage. Other texts belong to one problem, and caching those takes time.
@memoized
def _passage_with_zeros(text: str) -> str:
    return _prose_with_zeros(text, "body")

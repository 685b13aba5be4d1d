"""Type: whole numbers written as decimals."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.amounts import amounts_by_text
from dnc_datasets.problem import TEXT_FIELDS, Problem, splice

_BILL = re.compile(r"\$\d+ bills?\b|.\d+ (?:dollar|cent) (?:bill|coin)s?\b")
_MOST_DIGITS = 100  # a few hundred are not read as a number any more


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
    for path, text, found in amounts_by_text(problem, scope):
        whole = [one for one in found if "." not in one.text and not _BILL.match(text, one.start - 1)]
        if edits := [(one.end, one.end, ".0") for one in whole if len(one.text) <= _MOST_DIGITS]:
            changes[path] = splice(text, edits)
    return problem.with_texts(changes) if changes else None

"""Verbosity: every number is followed by one that does not count."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets import numerals
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.selection import amounts, currency_before, whole_numbers
from dnc_datasets.problem import TEXT_FIELDS, Edit, Problem, splice

# Redraws before a problem is given up: with sigma = 0 every redraw gives the same number.
_MAX_DRAWS = 100


@perturbation(
    "verbosity",
    capability=Capability.OPERAND_SELECTION,
    promises=("target_kept", "distractors_new", "rest_is_original"),
)
def add_denied_number(
    problem: Problem, draw: Draw, *, scope: Sequence[str] = TEXT_FIELDS, mu: float = 100, sigma: float = 30
) -> Problem | None:
    """12 pens -> 12 (not 87) pens: X ~ N(mu, sigma^2), whole, positive and new to the problem.

    A number in words is denied in words: "twelve (not eighty-seven) pens".
    """
    targets = amounts(problem, scope, words=True)
    if not targets:
        return None
    # Denied numbers are whole, so only whole numbers can be taken.
    taken = set().union(*[whole_numbers(text) for _, text in problem.texts()])
    edits: dict[str, list[Edit]] = {}
    for quantity in targets:
        for _ in range(_MAX_DRAWS):
            denied = draw.normal(mu, sigma)
            if denied >= 1 and denied not in taken:
                break
        else:
            return None
        taken.add(denied)
        surface = str(denied) if quantity.in_digits else numerals.spell(denied)
        text = problem.text_at(quantity.field)
        sign = currency_before(text, quantity.start)
        # "5% (not 87%)": the sign belongs to the number, so the bracket goes behind it.
        percent = "%" if text[quantity.end : quantity.end + 1] == "%" else ""
        end = quantity.end + len(percent)
        # "(13)", alone in a cell, is minus thirteen: the bracket is part of the number.
        end += text[end : end + 1] == ")" and text[quantity.start - 1 : quantity.start] == "("
        edits.setdefault(quantity.field, []).append(Edit(end, end, f" (not {sign}{surface}{percent})"))
    return problem.with_texts({path: splice(problem.text_at(path), some) for path, some in edits.items()})

"""Amounts such as "$14.2 million": which of them are denied, and in which form."""

from __future__ import annotations

import re

import pytest

from dnc_datasets import perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.numbers.scaled_amounts import scaled_amounts
from dnc_datasets.problem import Problem


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("We recorded $14.2 million of amortization in 2019.", ["14.2"]),
        ("Cash was $ 1,105 million , and debt was $3 billion.", ["1,105", "3"]),
        ("Sales rose $2.1 million to $8.6 million from $6.5 million in 2018.", ["2.1", "8.6", "6.5"]),
        # names, ranges, limits and brackets
        ("We began a $10 million share repurchase program.", []),
        ("We expect to spend $5 million to $6 million.", []),
        ("Costs are between $5 million and more.", []),
        ("It pays the first $5 million of each loss.", []),
        ("The tax fell (2018: $5.4 million).", []),
        ("The tax was $5.4 million (2018: 12).", []),
        ("We sold 5.4 million shares.", []),
    ],
)
def test_amounts(text: str, numbers: list[str]) -> None:
    assert [one.number for one in scaled_amounts(text)] == numbers


@pytest.mark.parametrize("seed", range(5))
def test_denial_has_sign_scale_and_decimals(seed: int) -> None:
    table = (("In thousands", "2019", "2018"), ("Sales", "14,173", "12,907"))
    problem = Problem(
        "1", "In all, we recorded $14.2 million of it.", "How much?", table=table, answer="12907"
    )
    step = perturbations.get("verbosity_plausible", "table")
    changed = step.apply(problem, Draw(seed, "d", "1", step.name))
    assert changed is not None
    found = re.fullmatch(
        r"In all, we recorded \$14\.2 million \(not \$(\d+\.\d) million\) of it\.", changed.body
    )
    assert found is not None
    assert found[1] not in ("12.9", "14.1", "14.2")  # other cells, rounded
    certify(problem, changed, step)

"""Parts and wholes that a certificate reads for itself: of a row, of a list, of rates, of a price and a count."""

from __future__ import annotations

import pytest

from dnc_datasets.certificate import CHECKS
from dnc_datasets.problem import Problem

TABLE = (
    ("", "2019", "2018"),
    ("Current debt", "696", "420"),
    ("Interest expense", "17.3", "6.4"),
    ("Adjusted income", "120.0", "118.0"),
    ("Operating earnings", "300.0", "290.0"),
    ("Net debt", "270.0", "232.0"),
    ("Net debt to EBITDA", "0.9", "0.8"),
    ("Return on capital", "13.1%", "16.1%"),
    ("Cost of capital", "9.0%", "9.5%"),
    ("Excess return", "4.1%", "6.6%"),
)


def report(text: str, scale: str = "million") -> Problem:
    return Problem("1", text, "?", table=TABLE, meta=(("table_scale", scale),))


@pytest.mark.parametrize("scale", ["million", "unknown"])
@pytest.mark.parametrize(
    ("text", "cell", "new", "agrees"),
    [
        ("At year end, current debt included $693 million of member debt.", "table.1.1", "596", False),
        ("At year end, current debt included $693 million of member debt.", "table.1.1", "790", True),
        (
            "Interest expense consists of $12.2 million of cost and $5.0 million paid.",
            "table.2.1",
            "18.2",
            False,
        ),
        (
            "Interest expense consists of $12.2 million of cost and $5.0 million paid.",
            "table.3.1",
            "140.0",
            True,
        ),
    ],
)
def test_parts_stay_within_their_row_and_make_it(
    text: str, cell: str, new: str, agrees: bool, scale: str
) -> None:
    original = report(text, scale)
    assert CHECKS["restatements_agree"](original, original.with_texts({cell: new})) is agrees


@pytest.mark.parametrize(
    ("cells", "agrees"),
    [
        ({"table.7.1": "16.1%"}, False),
        ({"table.7.1": "16.1%", "table.9.1": "7.1%"}, True),
        ({"table.5.1": "390.0"}, False),
        ({"table.5.1": "390.0", "table.6.1": "1.3"}, True),
    ],
)
def test_spreads_and_named_ratios_follow(cells: dict[str, str], agrees: bool) -> None:
    original = report("A note.")
    assert CHECKS["restatements_agree"](original, original.with_texts(cells)) is agrees


def test_a_price_times_a_count_is_what_is_paid() -> None:
    text = "We sold 1,040.5 million pounds. The price fell by $0.125 per pound, or $130.1 million."
    original = report(text)
    moved = original.with_texts({"table.1.1": "835", "table.1.2": "504"})
    assert CHECKS["restatements_agree"](original, moved)
    wrong = moved.replace(body=text.replace("130.1", "156.1"))
    assert not CHECKS["restatements_agree"](original, wrong)

"""Where a borrowed statement is in a report."""

from __future__ import annotations

import pytest

from dnc_datasets import operand_links, perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.perturbations.statements.places import with_statement
from dnc_datasets.problem import Problem

TABLE = (("", "2019", "2018"), ("Mills", "7", "5"))
ADDED = "Barge rents were $88 million."


def report(*paragraphs: str, **fields: str) -> Problem:
    return Problem("1", "\n\n".join(paragraphs), "How many mills?", table=TABLE, answer="7", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["We own mills.", "Each mill is old and small."], ["We own mills.", "Each mill is old and small.", ADDED]),
        # a sentence that leads to the table stays beside it
        (
            ["We own mills in two towns.", "The mills are as follows:"],
            [f"We own mills in two towns. {ADDED}", "The mills are as follows:"],
        ),
        (
            ["We own mills in two towns. The following table counts them (in units)."],
            [f"We own mills in two towns. {ADDED} The following table counts them (in units)."],
        ),
        # and with it what joins on to the sentence before
        (
            ["Our mills grind corn and oats. We own two of them. These are shown below:"],
            [f"Our mills grind corn and oats. {ADDED} We own two of them. These are shown below:"],
        ),
        (
            ["Our mills grind corn and oats. We own two old mills. The sizes of these mills are as follows:"],
            [f"Our mills grind corn and oats. {ADDED} We own two old mills. The sizes of these mills are as follows:"],
        ),
        # no heading is parted from its text, and "Note 12." is no sentence
        (["Note 12. Mills", "The mills are as follows:"], ["Note 12. Mills", ADDED, "The mills are as follows:"]),
        (
            ["Mills", "The following table counts our mills (in units)"],
            ["Mills", ADDED, "The following table counts our mills (in units)"],
        ),
        (["7. MILLS:", "The mills of ours consist of:"], ["7. MILLS:", ADDED, "The mills of ours consist of:"]),
        (["Our mills are older than most.", "Barns"], [f"Our mills are older than most. {ADDED}", "Barns"]),
        # the table above has been read already
        (
            ["The mills of the table above were bought by us."],
            ["The mills of the table above were bought by us.", ADDED],
        ),
    ],
)  # fmt: skip
def test_a_report_reads_on_to_its_table(before: list[str], after: list[str]) -> None:
    problem = report(*before)
    made = with_statement(problem, ADDED)
    assert made is not None
    assert made.body.split("\n\n") == after
    certify(problem, made, perturbations.get("extra_plausible", "table"))


@pytest.mark.parametrize("link", ["body.0.0", "body.0.1", "body.1.0"])
def test_links_still_lead_to_their_operands(link: str) -> None:
    problem = report(
        "We bought 31 mills in three towns. The following table has 42 of them.",
        "The other 53 mills are as follows:",
        meta=(("operands", f'{{"9": "{link}"}}'),),  # type: ignore[arg-type]
    )
    made = with_statement(problem, ADDED)
    assert made is not None
    found, moved = operand_links.locate(problem, link), operand_links.locate(made, link)
    assert found is not None
    assert moved is not None
    assert found.value == moved.value

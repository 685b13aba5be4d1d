"""Which sentences of a report may be borrowed."""

from __future__ import annotations

import pytest

from dnc_datasets.english.sentences import sentences
from dnc_datasets.perturbations.report_statements import reads_alone


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Short leases have a term of 12 months or less.", True),
        ("The company paid $32.2 million for the two mills in March.", True),
        ("Mill sales decreased by 24% to $3,951 million.", True),
        # a heading run into its first sentence
        ("Restructuring charges During the year the mill was charged $386 million.", False),
        ("REVENUE Fiscal 2019 revenue increased by 22.4%.", False),
        ("Mill costs Mill costs were $46 million.", False),
        ("Interest rate—The rate was 5% in March.", False),
        # it leans on another one, or points at it
        ("Accordingly, the mill was granted 494 shares.", False),
        ("The overall increase was due to costs of $15 million.", False),
        ("With regards to ii), the rate increased by $8,560.", False),
        ("Revenue decreased by $360 million, as is explained below.", False),
        ("The debt was $195 million (which is included in note 23).", False),
        ("118, or Rule 118, was issued for 5 mills.", False),
        # damaged, without a verb, or without an amount
        ("The mill owned 16 acres and sold4 acres for$264.", False),
        ("The spending was 7 for Mill Inc.", False),
        ("A tax liability in March of £13.5m compared to a liability of £12.1m.", False),
        ("Purchases of stock for the mill were stopped in 2019.", False),
        ("The adoption of IFRS 16 was noted.", False),
    ],
)
def test_reads_alone(text: str, alone: bool) -> None:
    assert reads_alone(text) is alone


def test_messrs_ends_no_sentence() -> None:
    text = "Each of Messrs. Hill and Reed was granted 5 shares."
    assert sentences(text) == [text]

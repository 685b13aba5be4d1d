"""Rows that a sentence ties to figures outside of the table do not move by themselves."""

from __future__ import annotations

import pytest

from dnc_datasets.perturbations.tables.bound_rows import bound_rows
from dnc_datasets.perturbations.tables.document import Origins
from dnc_datasets.perturbations.tables.restated import read_texts
from dnc_datasets.problem import Problem
from dnc_datasets.tables.typed import typed

TABLE = (
    ("", "2019", "2018"),
    ("Free cash flow", "$72,847", "$49,843"),
    ("Contract assets", "21,850", "21,013"),
    ("Total revenue", "561,320", "535,911"),
)


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("Free cash flow was $72.8 million, a margin of 12.6% of billings.", {1}),
        ("The increase in contract assets was due to $203 million that was not billed.", {2}),
        ("The material decrease relates to $32,918 thousand paid for our own stock.", {1, 2, 3}),
        ("Contract assets are what customers owe us.", set()),
        ("We paid $17.4 million for a building.", set()),
        # The share follows from the table.
        ("Free cash flow was 13.0% of total revenue.", set()),
        # "Revenue" alone is not the label of the row.
        ("The price of wool decreased revenue at Fenwick by $12 million.", set()),
    ],
)
def test_rows_are_bound_by_what_the_table_does_not_show(body: str, rows: set[int]) -> None:
    problem = Problem("1", body, "", table=TABLE, meta=(("table_scale", "thousand"),))
    texts = read_texts(problem, Origins(TABLE, typed(TABLE)))
    assert texts is not None
    assert bound_rows(problem, texts) == rows


def test_a_row_without_a_figure_for_its_change_is_bound() -> None:
    table = (
        ("", "2019", "2018", "% change"),
        ("Publishing", "115.5", "115.2", "*"),
        ("Media", "88.1", "70.5", "25%"),
    )
    problem = Problem("1", "We publish books.", "", table=table)
    texts = read_texts(problem, Origins(table, typed(table)))
    assert texts is not None
    assert bound_rows(problem, texts) == {1}

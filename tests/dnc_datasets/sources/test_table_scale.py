"""In which scale a table's amounts are given."""

from __future__ import annotations

import pytest

from dnc_datasets.sources.formats.table_scale import UNKNOWN, table_scale


@pytest.mark.parametrize(
    ("heads", "body", "asked", "scale"),
    [
        (["", "2019 $’000"], "", set(), "thousand"),
        (["(In thousands)", "2019"], "", {"thousand", ""}, "thousand"),
        (["", "£m"], "", set(), "million"),
        (["USDm", "2019"], "", {"million"}, "million"),
        (["SEK billion", "2019"], "", set(), "billion"),
        (["", "2019"], "Amounts are as follows (in millions, except per share data):", set(), "million"),
        (["", "2019"], "We raised $5 million.", {"thousand"}, "thousand"),
        (["", "2019"], "We raised $5 million.", set(), ""),
        (["", "2019"], "", {""}, ""),
        (["", "2019"], "", {"thousand", ""}, UNKNOWN),
        (["£m", "2019"], "", {"thousand"}, UNKNOWN),
        (["£m", "in thousands"], "", set(), UNKNOWN),
        (["£m", "in thousands"], "", {"million"}, "million"),
    ],
)
def test_scale(heads: list[str], body: str, asked: set[str], scale: str) -> None:
    assert table_scale([heads, ["Sales", "5"]], body, asked) == scale

"""SARI is that of Break's own evaluation; exact match and operators are what the steps say."""

import csv
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dnc_metrics.decompositions import sari, score


def test_sari_is_that_of_the_published_evaluation(facts: Path) -> None:
    with (facts / "bpb_noahqa" / "sari_oracle.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert len(rows) == 800
    for row in rows:
        found = score(row["question"], row["prediction"], row["gold"])
        assert abs(found.sari - float(row["sari"])) < 0.001
        assert found.exact == (row["exact_match"] == "True")


def test_normalised_match_is_stricter_than_the_published_one(facts: Path) -> None:
    with (facts / "bpb_noahqa" / "sari_oracle.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    ours = [score(row["question"], row["prediction"], row["gold"]).normalised for row in rows]
    theirs = [row["normalized_exact_match"] == "True" for row in rows]
    assert sum(a == b for a, b in zip(ours, theirs, strict=True)) / len(rows) > 0.8
    assert sum(a and not b for a, b in zip(ours, theirs, strict=True)) < 10


words = st.lists(st.sampled_from("a b c d e".split()), max_size=8)


@given(words, words)
def test_sari_of_the_target_is_one_and_nothing_is_beyond(source: list[str], target: list[str]) -> None:
    assert abs(sari(source, target, target) - 1) < 1e-9
    assert 0 <= sari(source, target, source) <= 1

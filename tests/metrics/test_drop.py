"""DROP's exact match and F1: worked cases, and agreement with the evaluator that lm-eval carries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dnc_metrics
from dnc_metrics import drop
from dnc_metrics.errors import MetricError

CASES = json.loads((Path(dnc_metrics.path("drop_f1")) / "cases.json").read_text(encoding="utf-8"))
WORDS = st.sampled_from(
    "5|5.0|05|1,000|1000|$5|12-yard|the|a|An|Bears|bears.|J. Smith|-3|3%|| |U.S.|first-half|5th|nan|1e3"
    "|thé|Smith's|10 yards|yards".split("|")
)
SPANS = st.lists(st.lists(WORDS, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=4)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_cases(case: dict[str, dict[str, list[str]]]) -> None:
    assert drop.mean(**case["inputs"]) == pytest.approx(case["result"])  # type: ignore[arg-type]


@settings(max_examples=300, deadline=None)  # the first example imports lm-eval's module
@given(SPANS, SPANS)
def test_as_the_official_evaluator(predicted: list[str], gold: list[str]) -> None:
    official = pytest.importorskip("lm_eval.tasks.drop.utils", reason="lm-eval is not installed")
    if not gold[0].strip():
        assert drop.score(predicted, [gold]) == (0, 0)
        return
    unrounded = (
        100 * official._align_bags(*(official._answer_to_bags(x)[1] for x in (predicted, gold))).mean()
    )
    assume(abs(unrounded % 1 - 0.5) > 1e-9)  # a half goes either way, as floats happen to add up
    em, f1 = official.get_metrics(predicted, gold)
    assert drop.score(predicted, [gold]) == pytest.approx((em, f1), abs=1e-9)


@given(SPANS)
def test_an_answer_matches_itself(spans: list[str]) -> None:
    if spans[0].strip():
        assert drop.score(spans, [spans]).em == 1


def test_the_best_reference_counts_for_each_score() -> None:
    assert drop.score("John Smith", ["Smith", "J Smith Brown"]) == (0, 0.67)
    assert drop.score("5", [["5", "6"], "5"]) == (1, 1)
    assert drop.score("5", ["", "5"]) == (1, 1)


def test_references_from_the_json_of_drop() -> None:
    date = {"day": "", "month": "July", "year": "1776"}
    assert drop.reference({"number": "5", "spans": [], "date": {}}) == ["5"]
    assert drop.reference({"number": "", "spans": ["a", "b"], "date": {}}) == ["a", "b"]
    assert drop.reference({"number": "", "spans": [], "date": date}) == ["July 1776"]
    with pytest.raises(MetricError, match="without number, spans and date"):
        drop.reference({"number": ""})


def test_errors_say_what_and_where() -> None:
    with pytest.raises(MetricError, match="predictions has 1 row but references has 0"):
        drop.mean(["1"], [])
    with pytest.raises(MetricError, match="row 0: references must be a list"):
        drop.mean(["1"], ["1"])
    with pytest.raises(MetricError, match="row 0: no reference answer"):
        drop.mean(["1"], [[]])
    with pytest.raises(MetricError, match="text or a list of texts"):
        drop.score(3, ["3"])  # type: ignore[arg-type]
    with pytest.raises(MetricError, match="too long to match"):
        drop.score(["a"] * 1000, [["b"] * 1000])
    with pytest.raises(MetricError, match="2000 spans"):
        drop.score(["a"] * 2000, ["b"])
    with pytest.raises(MetricError, match="a reference of more than 10000 characters"):
        drop.score("a", ["b" * 10_001])
    assert drop.score("7 " * 500_000, ["7"]) == (0, 1)  # a bag holds a word once
    with pytest.raises(MetricError, match="no predictions"):
        drop.mean([], [])

"""Drops on paired rows, verdicts, clusters, and every cell of the DNC paper's tables 3 and 10."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dnc_metrics
from dnc_metrics import reproduce, robustness
from dnc_metrics.errors import MetricError

ROWS = [str(index) for index in range(122)]


def _outcomes(right: int) -> dict[str, bool]:
    return {row: int(row) < right for row in ROWS}


def test_one_comparison() -> None:
    result = robustness.compare(_outcomes(83), _outcomes(60))
    assert (result.pairs, result.lost, result.gained, result.left_out) == (122, 23, 0, 0)
    assert result.original == 83 / 122
    assert result.drop == float(Fraction(23, 122))
    assert result.relative_drop == float(Fraction(23, 83))
    assert result.p_value == result.p_adjusted == pytest.approx(2 * 0.5**23)
    assert result.drop_interval[0] < result.drop < result.drop_interval[1]
    assert result.verdict == "drop"
    assert result.reason == "loses 18.9 points (12.9 to 26.7; 122 templates)"
    assert json.loads(json.dumps(result.as_dict()))["original_interval"] == list(result.original_interval)


def test_verdicts() -> None:
    assert robustness.compare(_outcomes(60), _outcomes(83)).verdict == "gain"
    same = robustness.compare(_outcomes(60), _outcomes(60))
    assert (same.verdict, same.p_value) == ("no drop above the margin", 1)
    assert same.reason == (
        "nothing lost on 122 templates; a true loss of 5 points would have shown with 99.8 % chance"
    )
    assert robustness.compare(_outcomes(60), _outcomes(60), margin=0.02).verdict == "open"
    unsure = robustness.compare(_outcomes(60), _outcomes(57))
    assert (unsure.verdict, unsure.lost, unsure.gained) == ("open", 3, 0)
    assert unsure.decide is not None
    assert unsure.decide > 122
    assert (
        f"about {unsure.decide} templates (this run: 122) without another loss would rule out 5 points"
        in unsure.reason
    )
    five = robustness.compare(dict.fromkeys("abcde", True), dict.fromkeys("abcde", True))
    assert (five.verdict, five.drop) == ("open", 0)
    assert five.at_most > 0.4


def test_a_lost_row_does_not_make_a_model_look_better() -> None:
    rows = [str(row) for row in range(240)]
    clusters = {row: int(row) // 4 for row in rows}
    before = dict.fromkeys(rows, True)
    perfect = robustness.compare(before, before, clusters=clusters)
    almost = robustness.compare(before, {row: row != "7" for row in rows}, clusters=clusters)
    assert perfect.verdict == "no drop above the margin"
    assert perfect.at_most < almost.at_most
    assert perfect.p_clear < almost.p_clear


def test_clusters_that_are_all_lost_are_clusters() -> None:
    groups = {row: int(row) // 8 for row in ROWS}
    lost = robustness.compare(_outcomes(122), _outcomes(0), clusters=groups)
    alone = robustness.compare(_outcomes(122), _outcomes(0))
    assert lost.verdict == alone.verdict == "drop"
    assert lost.drop_interval[0] < alone.drop_interval[0] < alone.drop_interval[1] == 1
    assert lost.original_interval[0] < alone.original_interval[0]


def test_only_pairs_are_compared() -> None:
    result = robustness.compare(_outcomes(60), dict.fromkeys(ROWS[:50], True))
    assert (result.pairs, result.left_out, result.original) == (50, 72, 1.0)


def test_a_table_is_corrected_for_its_size() -> None:
    perturbed = {"six": _outcomes(54), "none": _outcomes(60), "many": _outcomes(20)}
    cells = robustness.table(_outcomes(60), perturbed)
    assert {name: cell.verdict for name, cell in cells.items()} == {
        "six": "drop",
        "none": "no drop above the margin",
        "many": "drop",
    }
    assert cells["six"].p_value == 0.03125
    assert cells["six"].p_adjusted == 3 / 2 * 0.03125  # the second smallest of three
    five = robustness.table(_outcomes(60), {"six": _outcomes(54), "none": _outcomes(60)})["six"]
    assert (five.verdict, five.p_adjusted) == ("points to a drop", 2 * 0.03125)
    assert "not after allowing for the other lines" in five.reason


def test_clusters_are_less_evidence() -> None:
    before = dict.fromkeys(ROWS, True)
    after = {row: int(row) >= 24 for row in ROWS}
    alone = robustness.compare(before, after)
    grouped = robustness.compare(before, after, clusters={row: int(row) // 8 for row in ROWS})
    assert alone.verdict == "drop"
    assert (grouped.clusters, grouped.verdict) == (16, "open")
    assert grouped.p_value == pytest.approx(0.25)
    assert grouped.drop == alone.drop
    width = [cell.drop_interval[1] - cell.drop_interval[0] for cell in (alone, grouped)]
    assert width[1] > 1.5 * width[0]
    assert grouped.perturbed_interval[0] < alone.perturbed_interval[0]
    assert grouped.minimal_detectable_drop is not None
    assert alone.minimal_detectable_drop is not None
    assert grouped.minimal_detectable_drop > alone.minimal_detectable_drop


def test_a_cluster_for_each_row_changes_nothing() -> None:
    plain = robustness.compare(_outcomes(83), _outcomes(70))
    assert plain == robustness.compare(_outcomes(83), _outcomes(70), clusters={row: row for row in ROWS})


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 3)), min_size=1, max_size=40))
def test_always_defined(rows: list[tuple[bool, bool, int]]) -> None:
    before = {str(index): row[0] for index, row in enumerate(rows)}
    after = {str(index): row[1] for index, row in enumerate(rows)}
    groups = {str(index): row[2] for index, row in enumerate(rows)}
    for clusters in (None, groups):
        cell = robustness.compare(before, after, clusters=clusters)
        assert 0 <= cell.p_value <= 1
        assert cell.original_interval[0] <= cell.original <= cell.original_interval[1]
        low, high = cell.drop_interval
        assert -1 <= low <= cell.drop <= high <= 1
        assert low < high
        # The verdict and the interval say what the p-value says.
        assert (cell.p_value < 0.05) == (cell.verdict in ("drop", "small drop", "gain"))
        assert (low > 0 or high < 0) <= (cell.p_value < 0.05)
        assert cell.drop == pytest.approx((cell.lost - cell.gained) / cell.pairs)
        swapped = robustness.compare(after, before, clusters=clusters)
        assert swapped.p_value == pytest.approx(cell.p_value)
        assert swapped.drop == -cell.drop
        json.dumps(cell.as_dict(), allow_nan=False)


def test_errors_say_what_and_where() -> None:
    with pytest.raises(MetricError, match="row 'z' has a perturbed outcome but no original one"):
        robustness.compare({"a": True}, {"z": True})
    with pytest.raises(MetricError, match="no perturbed rows"):
        robustness.compare({"a": True}, {})
    with pytest.raises(
        MetricError, match=r"noise: row 'a': an outcome must be right \(1\) or wrong \(0\), not 0.37"
    ):
        robustness.table({"a": True}, {"noise": {"a": 0.37}})  # type: ignore[dict-item]
    with pytest.raises(MetricError, match="not nan"):
        robustness.compare({"a": float("nan")}, {"a": True})  # type: ignore[dict-item]
    with pytest.raises(MetricError, match="row 'a' has no cluster"):
        robustness.compare({"a": True}, {"a": True}, clusters={})
    with pytest.raises(MetricError, match="at least one perturbation"):
        robustness.table({"a": True}, {})
    with pytest.raises(MetricError, match="alpha"):
        robustness.compare({"a": True}, {"a": True}, alpha=5)
    for wrong in ("nan", "1e999999999", "x", -1, float("inf")):
        with pytest.raises(MetricError, match="an accuracy must be a number"):
            robustness.change(wrong, 1)
    assert robustness.change(0, 1).relative is None


def _published() -> list[dict[str, str]]:
    file = Path(dnc_metrics.path("robustness")) / "published.csv"
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def test_tables_3_and_10_follow_from_table_9_in_every_cell() -> None:
    figures = list(reproduce.table_figures())
    assert [(figure.expected, figure.measured) for figure in figures][:2] == [("148", "148")] * 2


def test_a_wrong_cell_would_be_noticed() -> None:
    assert reproduce._agrees("68.03", "49.18", Fraction("-18.85"), relative=False)
    assert not reproduce._agrees("68.03", "49.18", Fraction("-18.83"), relative=False)
    assert reproduce._agrees("68.03", "49.18", Fraction("-27.71"), relative=True)
    assert not reproduce._agrees("68.03", "49.18", Fraction("-27.75"), relative=True)


def test_the_published_figures_are_the_papers(facts: Path) -> None:
    columns = {"asdiv_a": "asdiv", "drop_num": "drop", "tatqa_a": "tatqa"}
    models = {"t5-base": "t5", "bart-base": "bart", "graph2tree": "g2t"}
    tables = {
        name: {
            (row["setting"], row["perturbation"]): row
            for row in csv.DictReader((facts / "mwp" / file).read_text(encoding="utf-8").splitlines())
        }
        for name, file in (
            ("accuracy", "paper_dnc_table9.csv"),
            ("change", "paper_dnc_table3.csv"),
            ("relative_change", "paper_dnc_table10.csv"),
        )
    }
    rows = _published()
    for row in rows:
        column = f"{columns[row['dataset']]}_{models.get(row['model'], row['model'])}"
        if row["dataset"] == "asdiv_a":
            column += {"equation": "_eq", "answer": "_ans"}[row["target"]]
        for name, table in tables.items():
            if row[name]:
                assert table[row["setting"], row["perturbation"]][column] == row[name]
    printed = sum(bool(value) for row in tables["accuracy"].values() for value in list(row.values())[2:])
    assert len(rows) == printed == 148 + 11

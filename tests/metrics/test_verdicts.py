"""The statistical tests of verdicts: exact values, agreement with scipy, and no verdict that improves with a loss."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dnc_metrics import verdict_words, verdicts
from dnc_metrics.verdicts import RANKING, Sample, sample

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import verdict_simulation as simulation

# Templates with their rows: each was right before or not, and is right after or not.
ROWS = st.tuples(st.booleans(), st.booleans())
TEMPLATES = st.lists(st.lists(ROWS, min_size=1, max_size=4), min_size=1, max_size=40)
Templates = list[list[tuple[bool, bool]]]


def _sample(templates: Templates) -> Sample:
    rows = [(was - now, at) for at, template in enumerate(templates) for was, now in template]
    return sample([difference for difference, _ in rows], [at for _, at in rows])


def _single(lost: int, gained: int, count: int) -> Sample:
    return sample([1] * lost + [-1] * gained + [0] * (count - lost - gained), range(count))


@pytest.mark.parametrize(("lost", "gained"), [(6, 0), (9, 2), (23, 11), (0, 0), (40, 39)])
def test_one_row_per_template_is_the_binomial_test(lost: int, gained: int) -> None:
    of = _single(lost, gained, 100)
    expected = stats.binomtest(lost, lost + gained).pvalue if lost else 1.0
    assert verdicts.p_drop(of) == pytest.approx(expected)
    assert verdicts.p_gain(of) == 1.0
    assert verdicts.p_gain(_single(gained, lost, 100)) == pytest.approx(expected)


def test_the_sign_flip_of_templates_is_scipys_permutation_test() -> None:
    sums = [3, 1, 2, -1, 4, 1, -2, 3, 0, 2]
    rows = [(1 if total > 0 else -1, at) for at, total in enumerate(sums) for _ in range(abs(total))]
    rows += [(0, at) for at, total in enumerate(sums) for _ in range(4 - abs(total))]
    of = sample([one for one, _ in rows], [at for _, at in rows])
    expected = stats.permutation_test(
        (np.array(sums),), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    assert verdicts.p_drop(of) == pytest.approx(float(expected.pvalue))


@pytest.mark.parametrize("lost", [0, 1, 2, 5])
@pytest.mark.parametrize("count", [10, 60, 240])
def test_the_all_clear_without_gains_is_the_exact_binomial(lost: int, count: int) -> None:
    expected = stats.binom.cdf(lost, count, 0.05)
    assert verdicts.p_clear(_single(lost, 0, count)) == pytest.approx(expected, rel=1e-6, abs=1e-13)


def test_the_all_clear_with_gains_and_partial_losses_is_the_random_weighting() -> None:
    templates = [(2, 4)] * 3 + [(-1, 4)] * 5 + [(0, 3)] * 60 + [(1, 2)] * 4
    of = Sample(tuple(k for _, k in templates), tuple(s for s, _ in templates), 10, 5)
    random = np.random.default_rng(1)
    weights = random.exponential(size=(200_000, len(templates) + 1))
    extra = of.rows / of.templates
    sizes, sums = np.array([*of.sizes, extra]), np.array([*of.sums, extra])
    share = np.mean(weights @ (sums - 0.05 * sizes) >= 0)
    assert verdicts.p_clear(of) == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 200_000))


@pytest.mark.parametrize(("lost", "templates"), [(0, 86), (1, 125), (2, 160), (3, 192), (4, 222)])
def test_templates_that_rule_out_five_points(lost: int, templates: int) -> None:
    level = verdicts.ALPHA / 4
    assert (
        verdicts.p_clear(_single(lost, 0, templates))
        <= level
        < verdicts.p_clear(_single(lost, 0, templates - 1))
    )


def test_at_most_is_the_drop_that_is_just_ruled_out() -> None:
    of = _single(3, 1, 150)
    bound = verdicts.at_most(of)
    assert verdicts.p_clear(of, bound) < 0.05 < verdicts.p_clear(of, bound - 0.001)
    assert verdicts.at_most(_single(0, 0, 59)) == pytest.approx(1 - 0.05 ** (1 / 59), abs=1e-5)


P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@given(P_VALUES)
def test_benjamini_hochberg_is_scipys(p_values: list[float]) -> None:
    expected = stats.false_discovery_control(p_values)
    assert verdicts.benjamini_hochberg(p_values) == pytest.approx(list(expected))


def test_hochberg_by_hand() -> None:
    # Hochberg (1988): the largest p times 1, the next times 2, and no smaller p has a larger product.
    assert verdicts.hochberg([0.001, 0.02, 0.03, 0.6]) == pytest.approx([0.004, 0.06, 0.06, 0.6])
    assert verdicts.hochberg([0.04, 0.03, 0.045, 0.01]) == pytest.approx([0.045, 0.045, 0.045, 0.04])
    assert verdicts.hochberg([]) == []


@given(P_VALUES, st.floats(0.001, 0.2))
def test_hochberg_rejects_what_its_steps_reject(p_values: list[float], alpha: float) -> None:
    order = sorted(p_values)
    steps = [at for at, p in enumerate(order) if p * (len(order) - at) <= alpha]
    limit = order[steps[-1]] if steps else -1.0
    adjusted = verdicts.hochberg(p_values)
    assert [q <= alpha for q in adjusted] == [p <= limit for p in p_values]


@settings(deadline=None, max_examples=150)
@given(st.lists(TEMPLATES, min_size=1, max_size=4), st.data())
def test_losing_one_more_row_never_improves_a_verdict(tables: list[Templates], data: st.DataObject) -> None:
    places = [
        (line, template, row)
        for line, templates in enumerate(tables)
        for template, rows in enumerate(templates)
        for row, (_, now) in enumerate(rows)
        if now
    ]
    if not places:
        return
    line, template, row = data.draw(st.sampled_from(places))
    worse = [[list(rows) for rows in templates] for templates in tables]
    worse[line][template][row] = (worse[line][template][row][0], False)
    for adjust in (verdicts.hochberg, verdicts.benjamini_hochberg):
        before, after = (
            verdicts.judge({str(at): _sample(one) for at, one in enumerate(some)}, adjust)
            for some in (tables, worse)
        )
        for name, judged in before.items():
            assert RANKING.index(after[name].verdict) >= RANKING.index(judged.verdict)


@settings(deadline=None)
@given(TEMPLATES)
def test_intervals_hold_the_drop_and_zero_unless_it_is_rejected(templates: Templates) -> None:
    of = _sample(templates)
    low, high = verdicts.interval(of)
    assert -1 <= low <= of.drop <= high <= 1
    assert low < high
    rejected = min(verdicts.p_drop(of), verdicts.p_gain(of)) < 0.05
    assert rejected or low <= 0 <= high


def test_a_small_drop_is_shown_and_less_than_the_margin() -> None:
    of = _single(20, 0, 1000)
    judged = verdicts.judge({"line": of}, verdicts.hochberg)["line"]
    assert judged.verdict == "small drop"
    assert verdict_words.reason(of, judged, 0.05).endswith("less than 5")


def test_a_probe_that_keeps_its_answers_does_not_need_the_question() -> None:
    verdict = [verdicts.probe(_single(lost, 0, 100), "the question") for lost in (5, 50, 95)]
    assert verdict == ["does not need the question", "open", "needs the question"]


def test_hints_are_capped_and_have_two_digits() -> None:
    assert verdict_words.templates_to_show(_single(5, 5, 100), 0.1) == 130
    assert verdict_words.templates_to_show(_single(20, 20, 40), 0.01) is None, "more than ten times as many"
    assert verdict_words.templates_to_show(_single(0, 0, 100), 0.5) is None, "fewer than 20 are no hint"
    assert verdict_words.templates_to_clear(_single(0, 0, 40), 0.05) == 86
    assert verdict_words.templates_to_clear(_single(1, 0, 40), 0.05) == 130


@settings(deadline=None)
@given(TEMPLATES)
def test_hints_never_name_an_absurd_number(templates: Templates) -> None:
    of = _sample(templates)
    for hint in (
        verdict_words.templates_to_show(of, 0.1),
        verdict_words.templates_to_clear(of, 0.05),
        verdict_words.templates_to_decide(of, 0.05),
    ):
        assert hint is None or 20 <= hint <= 10 * of.templates


def test_words() -> None:
    assert verdict_words.words("drop") == "▼ drop"
    assert verdict_words.words("no drop above the margin", 0.1) == "● no drop above 10 points"
    assert verdict_words.words("same rows as logic") == "– same rows as logic"
    assert verdict_words.footer(4).startswith("Four capabilities are judged together: at most 5 of 100")
    assert verdict_words.footer(0) == ""


TABLES = 150
# 5 % and two Monte Carlo errors.
MOST = 0.05 + 2 * math.sqrt(0.05 * 0.95 / TABLES)


@pytest.mark.parametrize("base", simulation.BASES)
@pytest.mark.parametrize("design", [simulation.Design(122), simulation.Design(240)], ids=str)
def test_errors_are_rare_and_drops_are_found(design: simulation.Design, base: float) -> None:
    rates = simulation.rates(design, base, TABLES)
    assert rates.false_drop <= MOST
    assert rates.false_clear <= MOST
    assert rates.found > 0.5
    assert rates.cleared == 1 or base < 1


def test_rows_of_one_template_are_no_independent_evidence() -> None:
    rates = simulation.rates(simulation.Design(60, 4, 1, 0.95), 0.9, 60)
    assert rates.false_drop <= 0.11
    assert rates.false_clear <= 0.11


def test_no_verdict_improves_with_a_lost_row() -> None:
    assert simulation.improved(100) == 0


@pytest.mark.parametrize("any_time", [False, True])
def test_stopping_early_saves_templates_and_keeps_the_errors(any_time: bool) -> None:
    perfect, bad, at_margin = (
        simulation.stopped(1.0, drop, TABLES, any_time=any_time) for drop in (0.0, 0.2, 0.05)
    )
    assert (perfect.wrong, perfect.decided, perfect.templates) == (0, 1, 110)
    assert bad.templates < 100
    assert at_margin.wrong <= MOST

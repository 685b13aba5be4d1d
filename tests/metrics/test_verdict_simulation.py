"""A fast version of `benchmarks/verdict_simulation.py`: errors stay below 5 %, and stopping early keeps them."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import verdict_simulation as simulation

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

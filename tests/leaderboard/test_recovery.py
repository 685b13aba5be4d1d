"""What a defended model gains back, and accuracy against strength, are on the page, in Markdown and as figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dnc_leaderboard import page, report
from dnc_leaderboard.recovery import recoveries
from dnc_metrics import record
from dnc_metrics.record import Curve, Outcome, Record, Strength

Systems = list[tuple[Record, list[Outcome]]]
DEFENSE = "tiny-verbosity-defense"


def defended(system: tuple[Record, list[Outcome]], right: bool) -> tuple[Record, list[Outcome]]:
    """The same model trained on perturbed problems: right, or wrong, wherever denied numbers stand."""
    found, outcomes = system
    cell = next(cell for cell in found.cells if cell.perturbation == "verbosity")
    name = f"{found.system.name} (trained on {DEFENSE})"
    new = replace(cell, config=DEFENSE, setting="defense")
    rows = [replace(row, cell=new.key, right=right) for row in outcomes if row.cell == cell.key]
    own = replace(found.system, name=name, trained_on=DEFENSE)
    return replace(found, system=own, cells=(new,), tables=(), causes=()), rows


def test_what_is_gained_back_is_shown_on_the_rows_that_changed(systems: Systems) -> None:
    (one,) = recoveries([systems[0], defended(systems[0], True)])[systems[0][0].system.name]
    line = next(line for line in systems[0][0].tables[0].lines if line.name == "verbosity")
    assert (one.n, one.clean, one.attacked) == (line.n, line.before, line.after)
    assert one.defended == 1.0
    assert one.gain == pytest.approx(1.0 - one.attacked)
    assert one.interval[0] <= one.gain <= one.interval[1]
    assert one.verdict == "▲ recovers"
    assert one.of_the_drop is not None
    assert one.of_the_drop > 1


def test_a_defense_that_harms_is_told(systems: Systems) -> None:
    (one,) = recoveries([systems[1], defended(systems[1], False)])["steady"]
    assert one.verdict == "▼ gets worse"
    assert one.interval[1] < 0


def test_nothing_is_joined_that_does_not_belong_together(systems: Systems) -> None:
    assert recoveries(systems) == {}
    assert recoveries([systems[1], defended(systems[0], True)]) == {}
    assert recoveries([defended(systems[0], True)]) == {}


def test_the_report_shows_curves_and_recovery(systems: Systems, tmp_path: Path) -> None:
    strengths = (Strength("original", 0.9, (0.9, 0.9)), Strength("verbosity mu 10", 0.5, (0.4, 0.625)))
    curve = Curve("tiny", "verbosity", "direct", 40, strengths)
    first = replace(systems[0][0], curves=(curve,)), systems[0][1]
    made = [first, defended(first, True)]
    for at, (found, rows) in enumerate(made):
        record.write(replace(found, curves=found.curves[:1]), rows, tmp_path / str(at))
    loaded = report.load([tmp_path / "0", tmp_path / "1"])
    assert loaded[0][0].curves == (curve,)
    shown = report.write(loaded, tmp_path / "report").read_text()
    for said in ("Accuracy against strength", "Recovery under defense", "▲ recovers", "[40.0, 62.5]"):
        assert said in shown
    text = (tmp_path / "report" / "report.md").read_text()
    assert "| verbosity mu 10 | 50.0 | [40.0, 62.5] |" in text
    assert "▲ recovers |" in text
    for name in ("severity-0", "recovery-0"):
        ElementTree.fromstring((tmp_path / "report" / "figures" / f"{name}.svg").read_text())


def test_a_page_links_only_what_it_has(systems: Systems) -> None:
    assert 'href="#recovery"' not in page.page(systems)
    assert 'href="#recovery"' in page.page([systems[0], defended(systems[0], True)])

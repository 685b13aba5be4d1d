"""Two systems of one name are told apart by their settings, and parts of one system are left alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dnc_leaderboard import page
from dnc_leaderboard.naming import told_apart
from dnc_leaderboard.record import Outcome, Record

Systems = list[tuple[Record, list[Outcome]]]


def _with(system: tuple[Record, list[Outcome]], **settings: Any) -> tuple[Record, list[Outcome]]:
    record, outcomes = system
    return replace(record, made=replace(record.made, settings=settings)), outcomes


def test_settings_that_differ_stand_behind_the_name(systems: Systems) -> None:
    first, second = (
        _with(systems[0], lr=rate, batch=16, epoch=epoch) for rate, epoch in ((0.1, 3), (0.2, 5))
    )
    name = first[0].system.name
    made = told_apart([first, second])
    assert [record.system.name for record, _ in made] == [f"{name} (lr=0.1)", f"{name} (lr=0.2)"]
    shown = page.page(made)
    assert "(lr=0.1)" in shown
    assert "(lr=0.2)" in shown


def test_parts_of_one_system_keep_its_name(systems: Systems) -> None:
    assert told_apart([systems[0], systems[0]]) == [systems[0], systems[0]]
    record, outcomes = systems[0]
    parts = [(replace(record, cells=(cell,)), outcomes) for cell in record.cells[:2]]
    assert told_apart(parts) == parts
    assert told_apart(systems[:2]) == systems[:2]

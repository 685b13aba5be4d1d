"""Names that tell systems apart: what differs between two of the same name stands behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dnc_leaderboard.record import Outcome, Record

Systems = list[tuple[Record, list[Outcome]]]
# What a run found out rather than was told.
_RESULTS = ("epoch",)
_MAX_SHOWN = 4  # settings in a name


def told_apart(systems: Systems) -> Systems:
    """The systems, of which those that have one name and a config in common get their settings behind it.

    Two records of one name over different configs, or with the same settings, are one system, and stay as they are.
    """
    made = list(systems)
    for name in dict.fromkeys(record.system.name for record, _ in systems):
        places = [at for at, (record, _) in enumerate(systems) if record.system.name == name]
        alike = [systems[at][0] for at in places]
        if len(alike) < 2 or not _share_a_config(alike):
            continue
        for at in places:
            record, outcomes = systems[at]
            if said := ", ".join(_own(record, alike)):
                made[at] = (replace(record, system=replace(record.system, name=f"{name} ({said})")), outcomes)
    return made


def _share_a_config(records: Sequence[Record]) -> bool:
    configs = [cell.key for record in records for cell in record.cells]
    return len(set(configs)) < len(configs)


def _own(record: Record, alike: Sequence[Record]) -> list[str]:
    """The settings of a record that not all of these have."""
    settings = record.made.settings
    differ = [
        name
        for name, value in settings.items()
        if name not in _RESULTS and any(other.made.settings.get(name) != value for other in alike)
    ]
    return [f"{name}={settings[name]}" for name in differ[:_MAX_SHOWN]]

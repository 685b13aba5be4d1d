"""`dnc compare`: rank several systems by their robustness on the same rows."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from dnc_leaderboard.comparison import Difference


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", nargs="+", type=Path, help="name two or more records, or their folders")
    parser.add_argument("--details", action="store_true", help="also print a table for each pair and measure")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    from dnc_datasets.commands import console
    from dnc_leaderboard import comparison, report
    from dnc_leaderboard.terminal import whole

    differences = comparison.compare(report.load(arguments.results))
    if arguments.json:
        print(json.dumps([asdict(one) for one in differences], indent=1, ensure_ascii=False))
        return 0
    screen = console()
    tables = [_main_table(differences), *(_pair_tables(differences) if arguments.details else ())]
    for table in tables:
        screen.print(whole(table, screen.width))
    for sentence in comparison.sentences(differences):
        screen.print(sentence, markup=False, highlight=False)
    return 0


def _main_table(differences: Sequence[Difference]) -> RichTable:
    """Return a table of all systems: accuracy on the originals, and the loss of each capability."""
    from dnc_leaderboard import comparison
    from dnc_leaderboard.figures import points, words
    from dnc_leaderboard.terminal import grid

    systems = list(dict.fromkeys(name for one in differences for name in (one.first, one.second)))
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for title, one in comparison.titled(differences):
        if one.is_main:
            what = f"{words(one.capability)}" if one.capability else "accuracy on originals"
            place = title.replace(f"-{one.capability}", "") if one.capability else title
            own = rows.setdefault((place, what), {})
            own |= {one.first: points(one.one), one.second: points(one.other)}
    table = grid(
        "Accuracy on the originals in %, and points lost where a capability is tested", "", "rows", *systems
    )
    for (place, what), own in rows.items():
        table.add_row(what, place, *(own.get(system, "") for system in systems))
    return table


def _pair_tables(differences: Sequence[Difference]) -> list[RichTable]:
    from dnc_leaderboard import comparison
    from dnc_leaderboard.figures import interval, p_value, percent, points
    from dnc_leaderboard.terminal import grid

    tables = []
    for first, second, measure in dict.fromkeys((one.first, one.second, one.measure) for one in differences):
        table = grid(
            f"{first} against {second}: {measure}, in %", "config", "n", "templates", "first", "second",
            "difference", "interval", "p", "could show", "verdict",
        )  # fmt: skip
        for title, one in comparison.titled(differences):
            if (one.first, one.second, one.measure) == (first, second, measure):
                table.add_row(
                    title, str(one.n), str(one.clusters), percent(one.one),
                    percent(one.other), points(one.difference), interval(one.interval), p_value(one.p),
                    percent(one.smallest), one.verdict,
                )  # fmt: skip
        tables.append(table)
    return tables

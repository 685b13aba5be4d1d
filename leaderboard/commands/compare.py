"""`dnc compare`: which of several systems is more robust, on the same rows."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results", nargs="+", type=Path, help="two or more records, or the folders that hold them"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    from dnc_datasets.commands import console
    from dnc_leaderboard import comparison, report
    from dnc_leaderboard.figures import interval, p_value, percent, points
    from dnc_leaderboard.terminal import grid, whole

    found = comparison.compare(report.load(arguments.results))
    if arguments.json:
        print(json.dumps([asdict(one) for one in found], indent=1, ensure_ascii=False))
        return 0
    for first, second, measure in dict.fromkeys((one.first, one.second, one.measure) for one in found):
        shown = grid(
            f"{first} against {second}: {measure}, in %", "config", "n", "clusters", "first", "second",
            "difference", "interval", "p", "would show", "verdict",
        )  # fmt: skip
        for title, one in comparison.titled(found):
            if (one.first, one.second, one.measure) == (first, second, measure):
                shown.add_row(
                    title, str(one.n), str(one.clusters), percent(one.one),
                    percent(one.other), points(one.difference), interval(one.interval), p_value(one.p),
                    percent(one.smallest), one.verdict,
                )  # fmt: skip
        console().print(whole(shown, console().width))
    return 0

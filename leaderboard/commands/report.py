"""`dnc report`: write one page of all results in records, with figures and failures beside it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dnc_datasets.commands import add_force


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", nargs="+", type=Path, help="name records, or their folders")
    parser.add_argument(
        "--out",
        metavar="PATH",
        type=Path,
        default=Path("report"),
        help="write the report to this folder (default ./report)",
    )
    parser.add_argument("--no-pictures", action="store_true", help="skip the figures as SVG and PNG files")
    add_force(parser)


def run(arguments: argparse.Namespace) -> int:
    from dnc_datasets import extras
    from dnc_leaderboard import charts, report

    path = report.write(
        report.load(arguments.results),
        arguments.out,
        pictures=not arguments.no_pictures,
        force=arguments.force,
    )
    print(f"written: {path}")
    if not arguments.no_pictures and not charts.can_draw():
        print(f"dnc: pictures are left out; they need: {extras.command('report')}", file=sys.stderr)
    return 0

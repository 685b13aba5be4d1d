"""`dnc report`: one page of everything that records say, with figures and failures beside it."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", nargs="+", type=Path, help="records, or the folders that hold them")
    parser.add_argument(
        "--out", type=Path, default=Path("report"), help="the report's folder (default ./report)"
    )
    parser.add_argument(
        "--no-pictures", action="store_true", help="leave out the figures as SVG and PNG files"
    )


def run(arguments: argparse.Namespace) -> int:
    from dnc_leaderboard import report

    written = report.write(report.load(arguments.results), arguments.out, pictures=not arguments.no_pictures)
    print(f"written: {written}")
    return 0

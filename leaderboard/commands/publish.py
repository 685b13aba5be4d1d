"""`dnc publish`: results in the forms that the Hub and others read."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results", nargs="+", type=Path, help="records of one model, or the folders that hold them"
    )
    parser.add_argument("--model", required=True, metavar="OWNER/NAME", help="the model's repository")
    parser.add_argument(
        "--dataset", required=True, metavar="OWNER/NAME", help="the repository of the built folder"
    )
    parser.add_argument("--data", type=Path, default=Path("dnc"), help="the built folder (default ./dnc)")
    parser.add_argument("--card", type=Path, help="the model's README.md: its metadata gets the results")
    parser.add_argument(
        "--out", type=Path, default=Path("published"), help="the folder to write (default ./published)"
    )


def run(arguments: argparse.Namespace) -> int:
    from dnc_leaderboard import report
    from dnc_leaderboard.hub import publishing

    paths = report.found_in(arguments.results)
    made = publishing.publish(
        report.load(paths),
        arguments.model,
        arguments.dataset,
        arguments.out,
        data=arguments.data,
        date=publishing.date_of(paths),
        card=arguments.card,
    )
    for path in made.files:
        print(f"written: {path}")
    for reason in made.left_out:
        print(f"left out of the Hub's leaderboard: {reason}")
    return 0

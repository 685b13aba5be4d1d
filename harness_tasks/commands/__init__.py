"""The subcommands of `dnc` that concern language models; what two of them share stands here."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from dnc_harness.errors import HarnessError

if TYPE_CHECKING:
    from dnc_leaderboard.record import Record


def add_marks(parser: argparse.ArgumentParser) -> None:
    """`--marks FILE`: what `dnc review` has written."""
    parser.add_argument(
        "--marks",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="marks of `dnc review`: accuracy on the rows judged valid, and on a random sample of the same mix",
    )


def add_margin(parser: argparse.ArgumentParser) -> None:
    """`--margin POINTS`: what 'no drop above the margin' rules out."""
    parser.add_argument(
        "--margin",
        type=float,
        default=5.0,
        metavar="POINTS",
        help="points that 'no drop' rules out (default 5)",
    )


def margin(arguments: argparse.Namespace) -> float:
    """The margin as a share of rows; told here, where it is in points, whatever is compared later."""
    if not 0 < arguments.margin < 100:
        raise HarnessError(f"--margin {arguments.margin:g}: give points above 0 and below 100, e.g. 5")
    return float(arguments.margin) / 100


def left_out(found: Record, own: Path | None) -> list[str]:
    """What was not asked, and why: rows of one's own without an answer, those of a dataset without an equation."""
    from dnc_harness import own_files

    mine = own_files.named(own) if own else ""
    told = []
    for cell in found.cells:
        if cell.left_out and cell.dataset == mine:
            told.append(f"{cell.config}: {cell.left_out} rows have no answer to score by; they are left out")
        elif cell.left_out:
            told.append(
                f"{cell.dataset}: {cell.left_out} test rows have no equation that gives the answer; they are not asked"
            )
    return list(dict.fromkeys(told))

"""The subcommands of `dnc` that concern language models; what two of them share stands here."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

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

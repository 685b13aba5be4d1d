"""The subcommands of `dnc` that concern language models; the argument that two of them share stands here."""

from __future__ import annotations

import argparse
from pathlib import Path


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

"""Subcommands of `dnc` for language models, and the arguments and output that they share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dnc_harness.errors import HarnessError

if TYPE_CHECKING:
    from dnc_metrics.record import Outcome, Record


_SHOWN = 10  # maximum number of listed rows with a server fault per config


def add_marks(parser: argparse.ArgumentParser) -> None:
    """Add `--marks FILE`: the marks that `dnc research review` wrote."""
    parser.add_argument(
        "--marks",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="read marks of `dnc research review`: report accuracy on valid rows, and on a matching random sample",
    )


def add_margin(parser: argparse.ArgumentParser) -> None:
    """Add `--margin POINTS`: the smallest loss that 'no drop above the margin' rules out."""
    parser.add_argument(
        "--margin",
        type=float,
        default=5.0,
        metavar="POINTS",
        help="set the loss in points that 'no drop' rules out (default 5)",
    )


def add_result(parser: argparse.ArgumentParser) -> None:
    """Add `--details` and `--report DIR`, which set how a record is shown."""
    parser.add_argument("--details", action="store_true", help="print all tables instead of one screen")
    parser.add_argument("--report", type=Path, metavar="DIR", help="write the page to this folder too")


def may_report(arguments: argparse.Namespace) -> None:
    """Raise an error if the folder of `--report` holds files of another command."""
    if arguments.report:
        from dnc_leaderboard import report

        report.may_write(arguments.report)


def show_result(
    found: Record, outcomes: Sequence[Outcome], arguments: argparse.Namespace, folder: Path | None
) -> None:
    """Print the screen of a record, and write its page if `--report` is set."""
    from dnc_datasets.commands import console
    from dnc_leaderboard import report, screen

    page, next_command = "", f"dnc report {folder}  # makes a page of it" if folder else ""
    if arguments.report:
        page = str(report.write([(found, outcomes)], arguments.report, pictures=False))
        next_command = _next_after_page(found, folder) if folder else ""
    screen.show(found, outcomes, console(), details=arguments.details, page=page, next_command=next_command)


def _next_after_page(found: Record, folder: Path) -> str:
    from dnc_metrics.capabilities import PROBE

    shares = [cell.scores.get(cell.score) for cell in found.cells if cell.capability != PROBE]
    if all(share == 1 for share in shares):
        return f"dnc compare {folder} {folder.parent / 'OTHER'}  # beside another system"
    return f"dnc explain {folder}  # why each answer is wrong"


def margin(arguments: argparse.Namespace) -> float:
    """Return the margin as a share of rows. The option states it in points."""
    if not 0 < arguments.margin < 100:
        raise HarnessError(f"--margin {arguments.margin:g}: give points above 0 and below 100, e.g. 5")
    return float(arguments.margin) / 100


def left_out(found: Record, own: Path | None) -> list[str]:
    """Return a note for each kind of omitted row.

    These are rows of an own file without an answer, and rows of a dataset without an equation.
    """
    from dnc_harness import own_files

    own_dataset = own_files.named(own) if own else ""
    notes = []
    for cell in found.cells:
        if cell.left_out and cell.dataset == own_dataset:
            notes.append(f"{cell.config}: {cell.left_out} rows have no answer to score by; they are left out")
        elif cell.left_out:
            notes.append(
                f"{cell.dataset}: {cell.left_out} test rows have no equation that gives the answer; they are not asked"
            )
    return list(dict.fromkeys(notes))


def faults_report(found: Record, folder: Path, command_line: str = "") -> str:
    """Report the server faults, their rows and the command that asks for them; empty without faults."""
    from dnc_metrics import record

    cells = [cell for cell in found.cells if cell.faults]
    if not cells:
        return ""
    outcomes = record.outcomes(folder, found, faults=True)
    lines = [f"{sum(cell.faults for cell in cells)} server faults, in no score:"]
    for cell in cells:
        faults = [
            outcome for outcome in outcomes if outcome.cell == cell.key and outcome.status == record.FAULT
        ]
        shown = ", ".join(f"{outcome.id} ({outcome.fault})" for outcome in faults[:_SHOWN])
        more = f" and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
        limit = "; more than 1 %, so there is no verdict" if cell.has_too_many_faults else ""
        lines.append(f"  {cell.config} {cell.prompt}: {shown}{more}{limit}")
    if command_line:
        lines.append(f"The same command asks for these rows alone: {command_line}")
    return "\n".join(lines) + "\n"

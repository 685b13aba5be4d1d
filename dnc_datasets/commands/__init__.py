"""The subcommands of `dnc`; what several of them share in their arguments stands here."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from dnc_datasets.errors import DncError
from dnc_datasets.failed_rows import tell_failed as tell_failed

if TYPE_CHECKING:
    from rich.console import Console


# Characters; enough that no name in a table is cut.
_WIDTH_OF_FILES = 140
_SECONDS_BETWEEN_LINES = 30


class Advance(Protocol):
    """Called with the number of steps done and, where it is known, what is being done."""

    def __call__(self, steps: int = 1, note: str = "") -> None: ...


def add_from(parser: argparse.ArgumentParser) -> None:
    """`--from asdiv_a=DIR`: the user's own copies of a source's files."""
    parser.add_argument(
        "--from",
        dest="given",
        action="append",
        default=[],
        metavar="DATASET=DIR",
        help="read a dataset's files from your own folder (may be repeated)",
    )


def given_folders(arguments: argparse.Namespace) -> dict[str, Path]:
    """The folders of `--from`, by dataset."""
    folders = {}
    for item in arguments.given:
        name, equals, folder = item.partition("=")
        if not equals or not name or not folder:
            raise DncError(f"--from {item}: write it as DATASET=DIR, e.g. --from asdiv_a=/data/asdiv-a")
        if not Path(folder).is_dir():
            raise DncError(f"--from {item}: there is no folder {folder}; give the one that holds the files")
        folders[name] = Path(folder)
    return folders


def add_seed(parser: argparse.ArgumentParser) -> None:
    """`--seed S`, 0 unless told."""
    parser.add_argument("--seed", type=int, default=0, help="seed of every random draw (default 0)")


def add_strict(parser: argparse.ArgumentParser) -> None:
    """`--strict`: rows that failed make the command fail, after it has done its work."""
    parser.add_argument(
        "--strict", action="store_true", help="exit with 1 if a row failed (it stands as it was otherwise)"
    )


def console() -> Console:
    """Where people look: a rich console on standard output, wide where it goes to a file or a pipe."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH_OF_FILES)


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Advance]:
    """A progress bar on standard error; where that is a file or a pipe, a line every half minute."""
    if not sys.stderr.isatty():
        yield _lines(title, total)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total)

        def advance(steps: int = 1, note: str = "") -> None:
            bar.update(task, advance=steps, description=f"{title} {note}".rstrip())

        yield advance


def _lines(title: str, total: int) -> Advance:
    """Progress as lines, for logs; a run that is shorter than the time between two of them writes none."""
    done, last = 0, time.monotonic()

    def advance(steps: int = 1, note: str = "") -> None:
        nonlocal done, last
        done += steps
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            print(f"{title} {done}/{total} {note}".rstrip(), file=sys.stderr, flush=True)

    return advance

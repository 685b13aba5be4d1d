"""The subcommands of `dnc`. This module holds their shared arguments."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, MutableSequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from dnc_datasets import model_names
from dnc_datasets.errors import DncError
from dnc_datasets.plain_output import console as console
from dnc_datasets.plain_output import tell_failed as tell_failed

_SECONDS_BETWEEN_LINES = 30


class Advance(Protocol):
    """Called with the number of steps done and, where it is known, what is being done."""

    def __call__(self, steps: int = 1, note: str = "") -> None: ...


def add_from(parser: argparse.ArgumentParser) -> None:
    """Add `--from asdiv_a=DIR`: the user's own copies of a source's files."""
    parser.add_argument(
        "--from",
        dest="given",
        action="append",
        default=[],
        metavar="DATASET=DIR",
        help="read the files of a dataset from your own folder (repeatable)",
    )


def given_folders(arguments: argparse.Namespace) -> dict[str, Path]:
    """Return the folders of `--from`, by dataset."""
    folders = {}
    for item in arguments.given:
        name, equals, folder = item.partition("=")
        if not equals or not name or not folder:
            raise DncError(f"--from {item}: write it as DATASET=DIR, e.g. --from asdiv_a=/data/asdiv-a")
        if not Path(folder).is_dir():
            raise DncError(f"--from {item}: there is no folder {folder}; give the one that holds the files")
        folders[name] = Path(folder)
    return folders


def add_built(parser: argparse.ArgumentParser) -> None:
    """Add `--built DIR`, a folder that `dnc build` wrote."""
    parser.add_argument(
        "--built",
        type=Path,
        metavar="DIR",
        help="read the folder that `dnc build` wrote (default $DNC_DATA or ./dnc)",
    )
    add_renamed(parser, "--data", "--built", type=Path)


def add_model(parser: argparse.ArgumentParser, **options: Any) -> None:
    """Add `--model KIND:NAME`."""
    parser.add_argument("--model", metavar="KIND:NAME", help=model_names.HELP, **options)


def add_renamed(parser: argparse.ArgumentParser, old: str, new: str, **options: Any) -> None:
    """Accept the name that an option had in version 0.2.0, and print the new one on standard error."""

    class Renamed(argparse.Action):
        def __call__(
            self,
            parser: argparse.ArgumentParser,
            namespace: argparse.Namespace,
            value: Any,
            option: Any = None,
        ) -> None:
            print(f"dnc: {old} is now {new}; the old name works for one more release", file=sys.stderr)
            before = getattr(namespace, self.dest)
            setattr(namespace, self.dest, [*before, value] if isinstance(before, MutableSequence) else value)

    dest = next(action.dest for action in parser._actions if new in action.option_strings)
    parser.add_argument(
        old, action=Renamed, dest=dest, default=argparse.SUPPRESS, help=argparse.SUPPRESS, **options
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add `--seed S`, with the default 0."""
    parser.add_argument("--seed", type=int, default=0, help="set the seed of all random draws (default 0)")


def add_strict(parser: argparse.ArgumentParser) -> None:
    """Add `--strict`: failed rows make the command fail, after it has finished."""
    parser.add_argument(
        "--strict", action="store_true", help="exit with 1 if a row failed (failed rows remain unchanged)"
    )


def add_second_reader(parser: argparse.ArgumentParser) -> None:
    """Add `--second-reader` and `--no-second-reader`: None unless one of them is given."""
    parser.add_argument(
        "--second-reader",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="let spaCy read every changed row and refuse doubtful ones",
    )


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add `--force`: replace files that the command did not write."""
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace files that another command or person wrote, and name them",
    )


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Advance]:
    """Show a progress bar on standard error, or a line every half minute where that is a file or a pipe."""
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
    """Report progress as lines, for logs. A run that is shorter than the interval writes none."""
    done, last = 0, time.monotonic()

    def advance(steps: int = 1, note: str = "") -> None:
        nonlocal done, last
        done += steps
        if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            print(f"{title} {done}/{total} {note}".rstrip(), file=sys.stderr, flush=True)

    return advance

"""`dnc fetch`: download the pinned upstream files."""

from __future__ import annotations

import argparse

from dnc_datasets import files, sources
from dnc_datasets.commands import progress_bar
from dnc_datasets.sources import PinnedFile, Source


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", nargs="*", help="name datasets (default: all that have files to download)")


def run(arguments: argparse.Namespace) -> int:
    for source in [sources.get(name) for name in arguments.dataset or sources.names()]:
        if source.files:
            _fetch(source)
            print(f"{source.name}: {len(source.files)} files, checksums right. Licence: {source.licence}")
        else:
            print(f"{source.name}: nothing to fetch, it is embedded")
    return 0


def _fetch(source: Source) -> None:
    done_before: dict[str, int] = {}
    with progress_bar(source.name, sum(file.size for file in source.files)) as advance:

        def show(file: PinnedFile, done: int, total: int) -> None:
            advance(done - done_before.get(file.path, 0), file.path)
            done_before[file.path] = done

        files.fetch(source, progress=show)

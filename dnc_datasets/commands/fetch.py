"""`dnc fetch`: download the pinned upstream files."""

from __future__ import annotations

import argparse

from dnc_datasets import sources
from dnc_datasets.commands import progress_bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", nargs="*", help="datasets (default: all that have files to fetch)")


def run(arguments: argparse.Namespace) -> int:
    from dnc_datasets import files

    wanted = [sources.get(name) for name in arguments.dataset or sources.names()]
    for source in wanted:
        if not source.files:
            print(f"{source.name}: nothing to fetch, it is embedded")
            continue
        with progress_bar(source.name, sum(file.size for file in source.files)) as advance:
            files.fetch(source, progress=lambda done, advance=advance: advance(done))  # type: ignore[misc]
        print(f"{source.name}: {len(source.files)} files, checksums right. Licence: {source.licence}")
    return 0

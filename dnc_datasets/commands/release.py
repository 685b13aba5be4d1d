"""`dnc release`: commit to a seed, and later publish rows that cannot be in any training data."""

from __future__ import annotations

import argparse
from pathlib import Path

from dnc_datasets.commands import progress_bar, tell_failed
from dnc_datasets.errors import DncError
from dnc_datasets.owned_folder import OwnedFolder
from dnc_datasets.serving import catalogue
from dnc_datasets.sources import tiny_release
from dnc_datasets.sources.tiny_release import FILE_NAME, Release, read_release

_COMMAND = "dnc release"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--month", default="", metavar="YYYY-MM", help="name the month of the release")
    parser.add_argument("--out", type=Path, required=True, metavar="PATH", help="write to this folder")
    step = parser.add_mutually_exclusive_group(required=True)
    step.add_argument("--commit", action="store_true", help="draw a secret seed and print its commitment")
    step.add_argument("--secret", type=Path, metavar="FILE", help="publish the rows of this secret seed")
    parser.add_argument("--commitment", default="", metavar="HASH", help="check the seed against this hash")


def run(arguments: argparse.Namespace) -> int:
    return _commit(arguments) if arguments.commit else _publish(arguments)


def _commit(arguments: argparse.Namespace) -> int:
    """Draw a seed, keep it in a file that only its owner can read, and print the hash to publish."""
    from secrets import token_hex

    release = Release(arguments.month, token_hex(32))
    with OwnedFolder(arguments.out, _COMMAND, names=(FILE_NAME,)) as folder:
        if (folder.path / FILE_NAME).exists():
            raise DncError(
                f"{folder.path / FILE_NAME} holds a seed already, and a second one would break its commitment; "
                "choose another folder with --out"
            )
        folder.write_text(FILE_NAME, release.text()).chmod(0o600)
    print(f"commitment of {release.month}: {release.commitment}")
    print(f"Publish this line now. Keep {arguments.out / FILE_NAME} secret until the release.")
    return 0


def _publish(arguments: argparse.Namespace) -> int:
    """Build every config of the release from its seed."""
    from dnc_datasets.serving.build import build

    release = read_release(arguments.secret)
    if arguments.month and arguments.month != release.month:
        raise DncError(f"{arguments.secret} is the seed of {release.month}, not of {arguments.month}")
    if arguments.commitment and arguments.commitment != release.commitment:
        raise DncError(
            f"{arguments.secret} has the commitment {release.commitment}, not {arguments.commitment}; "
            "the rows would not be those that were committed to"
        )
    names = [variant.name for variant in catalogue.variants(tiny_release.SOURCE.name)]
    given = {tiny_release.SOURCE.name: arguments.secret.parent}
    if arguments.secret.name != FILE_NAME:
        raise DncError(f"the file of a seed is called {FILE_NAME}; rename {arguments.secret.name}")
    with progress_bar("building", len(names)) as advance:
        report = build(names, arguments.out, given=given, progress=lambda name: advance(note=name))
    with OwnedFolder(arguments.out, _COMMAND, names=(FILE_NAME,)) as folder:
        folder.write_text(FILE_NAME, release.text())
    print(f"release {release.month}: {len(report.configs)} configs, {report.rows} rows in {arguments.out}")
    print(f"commitment: {release.commitment}")
    print(f"Everybody can check it: dnc verify {arguments.out} --from tiny_release={arguments.out}")
    return tell_failed(report.failed, False)

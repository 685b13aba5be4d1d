"""`dnc verify`: derive every row of a built folder from its original and compare."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from dnc_datasets import escaping
from dnc_datasets.commands import add_from, given_folders, progress_bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=Path("dnc"),
        help="check this built folder (default ./dnc), or a file that `dnc perturb` wrote",
    )
    parser.add_argument("--jobs", type=int, default=1, help="use this number of processes (default 1)")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument(
        "--second-reader",
        action="store_true",
        help="let spaCy read every changed row and report doubtful ones",
    )
    add_from(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.folder.is_file():
        return _verified_file(arguments.folder, as_json=arguments.json)
    given = given_folders(arguments)
    return verified(
        arguments.folder, arguments.jobs, given, as_json=arguments.json, second_reader=arguments.second_reader
    )


def _verified_file(path: Path, *, as_json: bool) -> int:
    """Check each perturbed row of a file. Return 1 if a row breaks a promise."""
    from dnc_datasets.writer.judge import rejected

    failures: list[dict[str, str]] = []
    rows = rejected(path, lambda name, promise: failures.append({"id": name, "reason": f"breaks {promise}"}))
    if as_json:
        print(json.dumps({"rows": rows, "failures": failures}, indent=1, ensure_ascii=False))
        return 1 if failures else 0
    for failure in failures:
        print(escaping.terminal(f"{failure['id']}: {failure['reason']}"), file=sys.stderr)
    print(f"{rows} perturbed rows of {path} checked, {len(failures)} failed")
    return 1 if failures else 0


def verified(
    folder: Path, jobs: int, given: dict[str, Path], *, as_json: bool = False, second_reader: bool = False
) -> int:
    """Check the folder and print the findings. Return 1 if a row failed."""
    from dnc_datasets.serving.verify import configs_of, verify

    total = len(configs_of(folder))
    with progress_bar("verifying", total) as advance:
        report = verify(
            folder,
            jobs=jobs,
            progress=lambda name: advance(note=name),
            given=given,
            second_reader=second_reader,
        )
    if as_json:
        failures = [failure._asdict() for failure in report.failures]
        found = {"rows": report.rows, "configs": total, "failures": failures, "others": report.others}
        print(
            json.dumps(
                {**found, "unread": report.unread, "version": report.version}, indent=1, ensure_ascii=False
            )
        )
        return 1 if report.failures else 0
    for failure in report.failures:
        where = f"{failure.config} {failure.split} {failure.id}"
        print(escaping.terminal(f"{where}: {failure.reason}"), file=sys.stderr)
    if report.others:
        print(f"not of this build, and nothing that loaders read: {', '.join(report.others)}")
    if report.version:
        print(
            f"built by version {report.version}: files, checksums and certificates were checked; to derive the rows "
            f"too, use that version, or build the folder again"
        )
    if report.unread:
        print(
            f"clean rows of {', '.join(report.unread)} were checked by checksum only: their source files are not "
            "here (dnc fetch, --from or DNC_MIRROR brings them)"
        )
    print(f"{report.rows} rows of {total} configs checked, {len(report.failures)} failed")
    return 1 if report.failures else 0

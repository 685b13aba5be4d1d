"""`dnc verify`: derive and check every row of a built folder again."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from dnc_datasets.commands import add_from, given_folders, progress_bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", type=Path, nargs="?", default=Path("dnc"), help="a built folder (default ./dnc)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    add_from(parser)


def run(arguments: argparse.Namespace) -> int:
    return verified(arguments.folder, arguments.jobs, given_folders(arguments), as_json=arguments.json)


def verified(folder: Path, jobs: int, given: dict[str, Path], *, as_json: bool = False) -> int:
    """Check the folder and tell what was found; 1 if a row failed."""
    from dnc_datasets.serving.verify import configs_of, verify

    total = len(configs_of(folder))
    with progress_bar("verifying", total) as advance:
        report = verify(folder, jobs=jobs, progress=lambda name: advance(note=name), given=given)
    if as_json:
        failures = [failure._asdict() for failure in report.failures]
        found = {"rows": report.rows, "configs": total, "failures": failures, "others": report.others}
        print(json.dumps({**found, "unread": report.unread}, indent=1, ensure_ascii=False))
        return 1 if report.failures else 0
    for failure in report.failures:
        print(f"{failure.config} {failure.split} {failure.id}: {failure.reason}", file=sys.stderr)
    if report.others:
        print(f"not of this build, and nothing that loaders read: {', '.join(report.others)}")
    if report.unread:
        print(
            f"clean rows of {', '.join(report.unread)} were checked by checksum only: their source files are not "
            "here (dnc fetch, --from or DNC_MIRROR brings them)"
        )
    print(f"{report.rows} rows of {total} configs checked, {len(report.failures)} failed")
    return 1 if report.failures else 0

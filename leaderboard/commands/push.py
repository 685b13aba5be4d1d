"""`dnc push`: a built dataset, the metrics, results or the leaderboard's Space to the Hub."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dnc_leaderboard.hub.trees import Repository

_KINDS = ("dataset", "metrics", "results", "space")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=_KINDS, help="what to push")
    parser.add_argument(
        "folder", nargs="?", type=Path,
        help="the built folder (default ./dnc), or for results what `dnc publish` wrote or a folder of records",
    )  # fmt: skip
    parser.add_argument(
        "--repo", required=True, metavar="OWNER/NAME", help="the repository; for metrics the owner alone"
    )
    parser.add_argument(
        "--with", dest="named", action="append", default=[], metavar="DATASET",
        help="take a dataset of non-commercial licence along (may be repeated)",
    )  # fmt: skip
    parser.add_argument("--records", metavar="OWNER/NAME", help="for a Space: the repository of its records")
    parser.add_argument("--private", action="store_true", help="a repository that is made is private")
    parser.add_argument("--pull-request", action="store_true", help="open a pull request instead of a commit")
    parser.add_argument("--dry-run", action="store_true", help="write the files that would go up, and stop")
    parser.add_argument("--out", type=Path, help="where a dry run writes (default ./push-KIND)")


def run(arguments: argparse.Namespace) -> int:
    from dnc_leaderboard.hub import pushing, trees

    with tempfile.TemporaryDirectory() as scratch:
        out = arguments.out or Path(f"push-{arguments.kind}")
        folder = trees.empty(out) if arguments.dry_run else Path(scratch)
        for repository in _repositories(arguments, folder):
            files = sorted(path for path in repository.folder.rglob("*") if path.is_file())
            size = sum(path.stat().st_size for path in files)
            print(f"{repository.kind} {repository.name}: {len(files)} files, {size / 1e6:.2f} MB")
            for reason in repository.left_out:
                print(f"  stays here: {reason}")
            if arguments.dry_run:
                for path in files:
                    print(f"  {path.relative_to(repository.folder).as_posix()}")
                continue
            url = pushing.push(repository, private=arguments.private, pull_request=arguments.pull_request)
            print(f"  pushed: {url}")
        if arguments.dry_run:
            print(f"dry run: nothing went up; {out} holds the files")
    return 0


def _repositories(arguments: argparse.Namespace, out: Path) -> list[Repository]:
    from dnc_leaderboard.hub import trees
    from dnc_leaderboard.hub.publishing import PublishError

    if arguments.kind == "dataset":
        return [trees.dataset(arguments.folder or Path("dnc"), arguments.repo, out, arguments.named)]
    if arguments.kind == "metrics":
        return list(trees.metrics(arguments.repo, out))
    if arguments.kind == "results":
        if arguments.folder is None:
            raise PublishError("name the folder of results: what `dnc publish` wrote, or a folder of records")
        return [trees.results(arguments.folder, arguments.repo, out)]
    if not arguments.records:
        raise PublishError(
            "a Space shows the records of a dataset repository; name it with --records OWNER/NAME"
        )
    return [trees.space(arguments.repo, arguments.records, out)]

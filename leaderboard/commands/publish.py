"""`dnc publish`: upload results, a built dataset, the metrics or the leaderboard's Space to the Hub."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from dnc_datasets.commands import add_built, add_force, add_renamed

if TYPE_CHECKING:
    from dnc_leaderboard.hub.trees import Repository

_DETAILS = " (--details names them)"
_KINDS = ("results", "dataset", "metrics", "space")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", help=f"choose what to publish: {', '.join(_KINDS)}")
    parser.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH",
        help="name the records of one model (results), or the built folder (dataset; default ./dnc)",
    )  # fmt: skip
    parser.add_argument(
        "--repo", default="", metavar="OWNER/NAME", help="name the repository; for metrics, only the owner"
    )
    parser.add_argument(
        "--dataset-repo", default="", metavar="OWNER/NAME",
        help="with results: write them as the Hub reads them, and name the repository of the dataset",
    )  # fmt: skip
    parser.add_argument(
        "--card", type=Path, metavar="FILE", help="with results: add them to this README.md of the model"
    )
    add_built(parser)
    parser.add_argument(
        "--include", action="append", default=[], metavar="DATASET",
        help="with dataset: include one with a non-commercial licence (repeatable)",
    )  # fmt: skip
    parser.add_argument(
        "--records", default="", metavar="OWNER/NAME",
        help="with space: name the repository of the records that it shows",
    )  # fmt: skip
    parser.add_argument("--private", action="store_true", help="create the repository as private")
    parser.add_argument("--pull-request", action="store_true", help="open a pull request instead of a commit")
    parser.add_argument(
        "--dry-run", action="store_true", help="write the files that would be uploaded, and stop"
    )
    parser.add_argument("--details", action="store_true", help="name every file that is written or uploaded")
    parser.add_argument(
        "--out",
        metavar="PATH",
        type=Path,
        help="write a dry run to this folder (default ./published or ./push-KIND)",
    )
    add_force(parser)
    add_renamed(parser, "--model", "--repo")
    add_renamed(parser, "--dataset", "--dataset-repo")
    add_renamed(parser, "--with", "--include")


def run(arguments: argparse.Namespace) -> int:
    from dnc_datasets.errors import UnknownNameError
    from dnc_leaderboard.hub.publishing import PublishError

    if arguments.kind not in _KINDS:
        if not Path(arguments.kind).exists() and not arguments.dataset_repo:
            raise UnknownNameError("thing to publish", arguments.kind, _KINDS)
        print(
            "dnc: `dnc publish RESULTS` is now `dnc publish results RESULTS --dry-run`; the old form works for one "
            "more release",
            file=sys.stderr,
        )
        arguments.paths = [Path(arguments.kind), *arguments.paths]
        arguments.kind, arguments.dry_run = "results", True
    if not arguments.repo:
        raise PublishError("name the repository with --repo OWNER/NAME")
    if arguments.kind == "results":
        if not arguments.paths:
            raise PublishError("name the records of one model, or their folders: dnc publish results DIR")
        if arguments.dataset_repo:
            return _publish_results(arguments)
    return _push(arguments)


def _publish_results(arguments: argparse.Namespace) -> int:
    """Write the results in the forms that the Hub and others read, and upload them."""
    from dnc_leaderboard import report
    from dnc_leaderboard.hub import publishing

    paths = report.found_in(arguments.paths)
    out = arguments.out or Path("published")
    published = publishing.publish(
        report.load(paths),
        arguments.repo,
        arguments.dataset_repo,
        out,
        data=arguments.built or Path("dnc"),
        date=publishing.date_of(paths),
        card=arguments.card,
        force=arguments.force,
    )
    for path in published.files if arguments.details else ():
        print(f"written: {path}")
    size = sum(path.stat().st_size for path in published.files)
    print(f"results of {arguments.repo}: {len(published.files)} files, {size / 1e6:.2f} MB, in {out}")
    for reason in published.left_out:
        print(f"left out of the Hub's leaderboard: {reason}")
    if arguments.dry_run:
        print(f"dry run: nothing was uploaded; {out} holds the files{'' if arguments.details else _DETAILS}")
        return 0
    arguments.paths, arguments.out = [out], None
    return _push(arguments)


def _push(arguments: argparse.Namespace) -> int:
    """Upload the files of each repository, or write them for a dry run."""
    from dnc_leaderboard.hub import trees

    with tempfile.TemporaryDirectory() as scratch:
        out = arguments.out or Path(f"push-{arguments.kind}")
        folder = trees.empty(out) if arguments.dry_run else Path(scratch)
        for repository in _repositories(arguments, folder):
            files = sorted(path for path in repository.folder.rglob("*") if path.is_file())
            size = sum(path.stat().st_size for path in files)
            print(f"{repository.kind} {repository.name}: {len(files)} files, {size / 1e6:.2f} MB")
            for reason in repository.left_out:
                print(f"  not uploaded: {reason}")
            for path in files if arguments.details else ():
                print(f"  {path.relative_to(repository.folder).as_posix()}")
            if arguments.dry_run:
                continue
            url = trees.push(repository, private=arguments.private, pull_request=arguments.pull_request)
            print(f"  pushed: {url}")
        if arguments.dry_run:
            print(
                f"dry run: nothing was uploaded; {out} holds the files{'' if arguments.details else _DETAILS}"
            )
    return 0


def _repositories(arguments: argparse.Namespace, out: Path) -> list[Repository]:
    from dnc_leaderboard.hub import trees
    from dnc_leaderboard.hub.publishing import PublishError

    if len(arguments.paths) > 1:
        raise PublishError(
            f"name one folder, not {len(arguments.paths)}; several records need --dataset-repo"
        )
    folder = arguments.paths[0] if arguments.paths else Path("dnc")
    if arguments.kind == "dataset":
        return [trees.dataset(folder, arguments.repo, out, arguments.include)]
    if arguments.kind == "metrics":
        return list(trees.metrics(arguments.repo, out))
    if arguments.kind == "results":
        return [trees.results(folder, arguments.repo, out)]
    if not arguments.records:
        raise PublishError(
            "a Space shows the records of a dataset repository; name it with --records OWNER/NAME"
        )
    return [trees.space(arguments.repo, arguments.records, out)]

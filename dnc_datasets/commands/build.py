"""`dnc build`: write configs as a dataset folder that `load_dataset("dnc", config)` reads."""

from __future__ import annotations

import argparse
from pathlib import Path

from dnc_datasets import files, sources
from dnc_datasets.commands import add_from, add_seed, add_strict, given_folders, progress_bar, tell_failed
from dnc_datasets.commands.verify import verified
from dnc_datasets.errors import SourceError
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config", nargs="*", help="config or dataset names (default: every config whose files are here)"
    )
    parser.add_argument("--out", type=Path, default=Path("dnc"), help="the folder to write (default ./dnc)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1); the result is the same")
    parser.add_argument(
        "--verify", action="store_true", help="then derive and check every row again, as dnc verify does"
    )
    parser.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="this machine, or a Ray cluster whose nodes all see the folder",
    )
    parser.add_argument(
        "--address", default="", help="of the Ray cluster, e.g. auto (default: start one here)"
    )
    add_from(parser)
    add_seed(parser)
    add_strict(parser)


def run(arguments: argparse.Namespace) -> int:
    return built(configs(arguments.config, given_folders(arguments)), arguments)


def built(names: list[str], arguments: argparse.Namespace) -> int:
    """Write these configs and tell of it; 1 if rows failed that must not."""
    from dnc_datasets.serving.build import build

    given = given_folders(arguments)
    with progress_bar("building", len(names)) as advance:
        report = build(
            names,
            arguments.out,
            seed=arguments.seed,
            jobs=arguments.jobs,
            ray=arguments.address if getattr(arguments, "engine", "local") == "ray" else None,
            given=given,
            progress=lambda name: advance(note=name),
        )
    print(
        f"{len(report.configs)} configs, {report.rows} rows ({report.perturbed} perturbed) in {arguments.out}"
    )
    failed = tell_failed(report.failed, arguments.strict)
    if arguments.verify:
        failed = verified(arguments.out, arguments.jobs, given) or failed
    return failed


def configs(wanted: list[str], given: dict[str, Path]) -> list[str]:
    """Names of configs: those asked for (a dataset's name stands for all its variants), or all there are.

    Variants whose files are not on this machine are left out, unless they were asked for by name.
    """
    found = []
    for name in wanted or sources.names():
        if name in sources.names():
            found += [variant.name for variant in catalogue.variants(name) if _is_here(variant, given)]
            if wanted and name not in found:
                catalogue.read(name, given=given.get(name))  # raises the error that says what to do
        else:
            found.append(catalogue.find(name).name)
    return list(dict.fromkeys(found))


def _is_here(variant: Variant, given: dict[str, Path]) -> bool:
    try:
        files.resolve(variant.source, given.get(variant.dataset), variant.fold)
    except SourceError:
        return False
    return True

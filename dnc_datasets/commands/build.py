"""`dnc build`: write configs as a dataset folder that `load_dataset("dnc", config)` reads."""

from __future__ import annotations

import argparse
from pathlib import Path

from dnc_datasets import files, sources
from dnc_datasets.commands import (
    add_from,
    add_second_reader,
    add_seed,
    add_strict,
    given_folders,
    progress_bar,
    tell_failed,
)
from dnc_datasets.commands.verify import verified
from dnc_datasets.errors import SourceError
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config", nargs="*", help="name configs or datasets (default: every config whose files are available)"
    )
    parser.add_argument(
        "--out", metavar="PATH", type=Path, default=Path("dnc"), help="write to this folder (default ./dnc)"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, help="use this number of processes (default 1); the result is the same"
    )
    parser.add_argument(
        "--verify", action="store_true", help="check every row after the build, as dnc verify does"
    )
    parser.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="run on this machine, or on a Ray cluster whose nodes share the folder",
    )
    parser.add_argument(
        "--address", default="", help="connect to this Ray cluster, e.g. auto (default: start one here)"
    )
    add_from(parser)
    add_second_reader(parser)
    add_seed(parser)
    add_strict(parser)


def run(arguments: argparse.Namespace) -> int:
    return built(configs(arguments.config, given_folders(arguments)), arguments)


def built(names: list[str], arguments: argparse.Namespace) -> int:
    """Write the configs and print the result. Return 1 if rows failed and `--strict` was given."""
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
            second_reader=getattr(arguments, "second_reader", None),
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
    """Return the names of the configs to build: the requested ones, or all.

    A dataset's name represents its variants.

    Variants whose files are not on this machine are left out, unless they were requested by name.
    """
    found = []
    for name in wanted or sources.names():
        if name in sources.names():
            found += [variant.name for variant in catalogue.variants(name) if _is_here(variant, given)]
            if wanted and name not in found:
                catalogue.read(name, given=given.get(name))  # raises the error that names the remedy
        else:
            found.append(catalogue.find(name).name)
    return list(dict.fromkeys(found))


def _is_here(variant: Variant, given: dict[str, Path]) -> bool:
    try:
        files.resolve(variant.source, given.get(variant.dataset), variant.fold)
    except SourceError:
        return False
    return True

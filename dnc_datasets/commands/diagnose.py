"""`dnc diagnose`: the main job on the embedded corpus: build, verify, show pairs and the coverage table."""

from __future__ import annotations

import argparse
from pathlib import Path

from dnc_datasets import catalogue, perturbations
from dnc_datasets.commands import build, console, show, verify
from dnc_datasets.commands import list as listing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("dnc"), help="the folder to build (default ./dnc)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")


def run(arguments: argparse.Namespace) -> int:
    code = _run(build, ["tiny", "--out", str(arguments.out), "--jobs", str(arguments.jobs)])
    code = code or _run(verify, [str(arguments.out), "--jobs", str(arguments.jobs)])
    splits = catalogue.read("tiny")
    for name in perturbations.names():
        rows = catalogue.find(f"tiny-{name}-attack").rows(splits)["test"]
        changed = next((row for row in rows if row.original is not None), None)
        if changed:
            console().print(show.pair_table(changed, f"tiny-{name}-attack"))
    return code or _run(listing, ["tiny"])


def _run(command: object, words: list[str]) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)  # type: ignore[attr-defined]
    return int(command.run(parser.parse_args(words)))  # type: ignore[attr-defined]

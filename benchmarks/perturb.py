"""Rows perturbed per second on one core, with and without certificates.

    python benchmarks/perturb.py --dataset asdiv_a      # needs its files: DNC_MIRROR or dnc fetch
    python benchmarks/perturb.py --dataset tiny

Cold: what a process does that has read the dataset and makes one variant of it. Before each pass every cache
is emptied and the dataset is read anew; reading checks each answer, so the equations are parsed, and their
trees are kept, but no number of any text has been looked for. Warm: the caches hold the rows, as when one
build makes several variants. Reading and writing files is in neither. The time is the processor's. Where
perturbations are named, the line *together* makes all of them one after another, as a build does: cold, the
numbers of each text are found once and not once for each.
"""

from __future__ import annotations

import argparse
import functools
import gc
import json
import time
import types
from collections.abc import Callable

from dnc_datasets import numerals, perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue

KEYS = ("cold", "cold_certified", "warm", "warm_certified")


def forget() -> None:
    """Empty every cache of ours, so that a pass profits from nothing but its own rows."""
    numerals.forget()
    for cached in gc.get_objects():
        kept = type(cached) is functools._lru_cache_wrapper or type(cached) is types.FunctionType
        ours = kept and hasattr(cached, "cache_clear") and cached.__module__.startswith("dnc_datasets")
        if ours:
            cached.cache_clear()


def read(dataset: str) -> list[Problem]:
    """The rows of all splits."""
    return [problem for rows in catalogue.read(dataset).values() for problem in rows]


def seconds(work: Callable[[list[Problem]], object], dataset: str, passes: int, *, cold: bool) -> float:
    """The time of the best of several passes; what else runs on the machine only slows a pass."""
    best = float("inf")
    problems = read(dataset)
    for _ in range(passes):
        if cold:
            forget()
            problems = read(dataset)
        start = time.process_time()
        work(problems)
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dataset", default="asdiv_a")
    parser.add_argument("--passes", type=int, default=30)
    parser.add_argument("--with", dest="names", nargs="*", default=[])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    dataset = arguments.dataset
    problems = read(dataset)
    neighbours = Neighbours(problems)
    scope = catalogue.find(dataset).source.scope
    if not arguments.json:
        print(f"{dataset}: {len(problems)} rows; rows/s on one core, best of {arguments.passes}")
        print(f"{'':14}{'cold':>12}{'cold+cert':>12}{'warm':>12}{'warm+cert':>12}{'changed':>9}")

    def measure(label: str, steps: list[perturbations.Perturbation]) -> None:
        pairs = [(step, {"scope": scope} if "scope" in step.parameters else {}) for step in steps]

        def plain(rows: list[Problem]) -> int:
            changed = 0
            for step, own in pairs:
                for problem in rows:
                    draw = Draw(0, dataset, problem.id, step.name)
                    changed += step.apply(problem, draw, neighbours, **own) is not None
            return changed

        def certified(rows: list[Problem]) -> None:
            for step, own in pairs:
                for problem in rows:
                    draw = Draw(0, dataset, problem.id, step.name)
                    if (changed := step.apply(problem, draw, neighbours, **own)) is not None:
                        certify(problem, changed, step)

        changed = plain(problems)
        figures = [
            len(problems) * len(steps) / seconds(work, dataset, arguments.passes, cold=cold)
            for cold in (True, False)
            for work in (plain, certified)
        ]
        if arguments.json:
            rates = zip(KEYS, map(round, figures), strict=True)
            print(json.dumps({"perturbation": label, "changed": changed, **dict(rates)}))
        else:
            print(f"{label:14}" + "".join(f"{figure:12,.0f}" for figure in figures) + f"{changed:9}")

    steps = [perturbations.get(name) for name in arguments.names or perturbations.names()]
    for step in steps:
        measure(step.name, [step])
    if arguments.names and len(steps) > 1:
        measure("together", steps)


if __name__ == "__main__":
    main()

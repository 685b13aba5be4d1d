"""DROP-num at its full size: rows perturbed per second on one core, and the time and memory of a build.

    python benchmarks/drop_scale.py --from DIR              # DIR holds trainset, validset and testset.json
    python benchmarks/drop_scale.py --from DIR --rows 52823 --build

Files with fewer rows are tiled: whole passages are repeated under new ids, each repetition with another
closing sentence, so that no cache of texts helps more than it would on the real data.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

from dnc_datasets import numerals, perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import language
from dnc_datasets.perturbations.numbers import amounts, denials
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.build import build

SPLITS = {"trainset": 0.8, "validset": 0.1, "testset": 0.1}
NAMES = ("type", "verbosity", "language")


def tile(source: Path, target: Path, rows: int) -> None:
    """Write the three files with this many rows in all."""
    target.mkdir(parents=True, exist_ok=True)
    for name, share in SPLITS.items():
        records = json.loads((source / f"{name}.json").read_text(encoding="utf-8"))
        wanted = round(rows * share)
        made = []
        for number in range(wanted):
            turn, place = divmod(number, len(records))
            record = records[place]
            if turn:
                record = {
                    **record,
                    "id": f"{record['id']}_{turn}",
                    "passage": f"{record['passage']} This was printed again{' and again' * turn}.",
                }
            made.append(record)
        (target / f"{name}.json").write_text(json.dumps(made), encoding="utf-8")


def forget() -> None:
    """Empty every cache of texts."""
    numerals.forget()
    for cached in (
        amounts._amounts_in_passage,
        language._spelled_text,
        denials._numbers_of_passage,
        denials._cut_passage,
    ):
        cached.cache_clear()


def measure(problems: list[Problem], name: str, passes: int) -> tuple[float, float, int]:
    """Rows per second without and with certificates (processor time, best of several), and rows changed."""
    step = perturbations.get(name, "passage")
    plain = certified = 0.0
    changed = 0
    for _ in range(passes):
        forget()
        start = time.process_time()
        made = [
            step.apply(problem, Draw(0, "drop_num", problem.id, name), scope=("body", "question"))
            for problem in problems
        ]
        middle = time.process_time()
        changed = 0
        for problem, result in zip(problems, made, strict=True):
            if result is not None:
                changed += 1
                certify(problem, result, step)
        end = time.process_time()
        plain = max(plain, len(problems) / (middle - start))
        certified = max(certified, len(problems) / (end - start))
    return plain, certified, changed


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--from", dest="source", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=52_823)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--build", action="store_true", help="also build three configs and tell the memory")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tiled = Path(folder) / "drop-num"
        tile(arguments.source, tiled, arguments.rows)
        start = time.process_time()
        splits = catalogue.read("drop_num", given=tiled)
        problems = [problem for rows in splits.values() for problem in rows]
        read = time.process_time() - start
        print(f"read: {len(problems)} rows in {read:.1f} s")
        for name in NAMES:
            plain, certified, changed = measure(problems, name, arguments.passes)
            print(f"{name:10} {plain:9,.0f} rows/s; certified {certified:9,.0f} rows/s; {changed} changed")
        if arguments.build:
            configs = ["drop_num", "drop_num-type-defense", "drop_num-language-defense"]
            start_wall = time.perf_counter()
            report = build(configs, Path(folder) / "dnc", jobs=arguments.jobs, given={"drop_num": tiled})
            took = time.perf_counter() - start_wall
            print(
                f"build: {report.rows} rows of {len(configs)} configs in {took:.0f} s, {arguments.jobs} jobs"
            )
        who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        peak = max(resource.getrusage(kind).ru_maxrss for kind in who) / 1024
        print(f"peak memory of a process: {peak:.0f} MB")


if __name__ == "__main__":
    main()

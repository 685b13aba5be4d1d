"""What `make speed` measures: rows, tables, wording, fixed costs and a build, beside the published definitions.

    python benchmarks/speed.py                  # ASDiv-a where its files are, otherwise the embedded corpus
    python benchmarks/speed.py --passes 20 --out benchmarks/results/speed.json

All times are the processor's. Passes alternate, so that what else runs on the machine slows all of them, and the best
pass counts. *Published* is each perturbation as its paper defines it and nothing more (`published.py`): no certificate,
no exact arithmetic, no guard against a label, a year or a number that stands twice.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import published
from perturb import forget

from dnc_datasets import atomic, perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.errors import SourceError
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue

WORDING = (
    "extra",
    "logic",
    "order",
    "paraphrase",
    "question_reordering",
    "noise_plausible",
    "distribution_plausible",
)
TABLES = (
    "language_table",
    "noise",
    "distribution",
    "order",
    "logic",
    "noise_plausible",
    "distribution_plausible",
)
COMMANDS = {
    "dnc --version": ["--version"],
    "dnc list tiny": ["list", "tiny"],
    "dnc build tiny_tables": ["build", "tiny_tables", "--out", "{folder}/one"],
}
CALL = "import sys; from dnc_datasets.cli import main; sys.exit(main(sys.argv[1:]))"


def rows_of(dataset: str) -> list[Problem]:
    """The rows of all splits, read anew."""
    return [problem for rows in catalogue.read(dataset).values() for problem in rows]


def best(ways: dict[str, Callable[[list[Problem]], object]], dataset: str, passes: int) -> dict[str, float]:
    """The processor seconds of the best pass of each way; they take turns, each from empty caches."""
    found = dict.fromkeys(ways, float("inf"))
    for _ in range(passes):
        for name, work in ways.items():
            forget()
            problems = rows_of(dataset)
            start = time.process_time()
            work(problems)
            found[name] = min(found[name], time.process_time() - start)
    return found


def perturbed(dataset: str, name: str, passes: int) -> dict[str, Any]:
    """Rows per second of one perturbation: as published where a paper defines it so, plain, and certified."""
    source = catalogue.find(dataset).source
    step = perturbations.get(name, source.shape)
    own = {"scope": source.scope} if "scope" in step.parameters else {}
    rows = rows_of(dataset)
    neighbours = Neighbours(rows)

    def plain(problems: list[Problem]) -> None:
        for problem in problems:
            step.apply(problem, Draw(0, dataset, problem.id, name), neighbours, **own)

    def certified(problems: list[Problem]) -> None:
        for problem in problems:
            made = step.apply(problem, Draw(0, dataset, problem.id, name), neighbours, **own)
            if made is not None:
                certify(problem, made, step)

    ways: dict[str, Callable[[list[Problem]], object]] = {"plain": plain, "certified": certified}
    if source.shape == "word_problem" and name in published.DEFINED:
        ways["published"] = published.DEFINED[name]
    took = best(ways, dataset, passes)
    line: dict[str, Any] = {way: round(len(rows) / seconds) for way, seconds in took.items()}
    line["certificate"] = round(took["certified"] / took["plain"], 2)
    if "published" in took:
        line["times_published"] = round(took["published"] / took["certified"], 2)
    return line


def spent(arguments: list[str]) -> tuple[float, float, int]:
    """Processor and wall seconds of a `dnc` command with its workers, and the memory of its largest process in MB."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", CALL, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return round(used, 2), round(time.perf_counter() - start, 2), after.ru_maxrss // 1024


def machine() -> dict[str, Any]:
    """What the figures are of; no name of a host and no path."""
    return {
        "python": platform.python_version(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def table(report: dict[str, Any]) -> str:
    """The table of README.md: rows per second without and with certificates, beside the published definitions."""
    lines = ["| | ours | with certificates | as defined, unchecked |", "|---|---:|---:|---:|"]
    for part in ("numbers", "wording", "tables"):
        for name, line in report[part].items():
            of = f"`{name}`" if part != "tables" else f"`{name}`, tables"
            told = f"{line['published']:,}" if "published" in line else ""
            lines.append(f"| {of} | {line['plain']:,} | {line['certified']:,} | {told} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--no-build", dest="build", action="store_false", help="leave the two builds out")
    arguments = parser.parse_args()
    try:
        catalogue.read("asdiv_a")
        dataset = "asdiv_a"
    except SourceError:
        dataset = "tiny"
    report: dict[str, Any] = {"machine": machine(), "passes": arguments.passes, "dataset": dataset}
    for part, of, names in (
        ("numbers", dataset, tuple(published.DEFINED)),
        ("wording", dataset, WORDING),
        ("tables", "tiny_tables", TABLES),
    ):
        report[part] = {}
        print(f"{part}, {of}: rows/s as published, ours, ours certified")
        for name in names:
            line = report[part][name] = perturbed(of, name, arguments.passes)
            told = [line.get("published", ""), line["plain"], line["certified"]]
            beside = f"; {line['times_published']} times the published" if "published" in line else ""
            print(
                f"  {name:24}{told[0]:>10}{told[1]:>10}{told[2]:>10}  certified in {line['certificate']}{beside}",
                flush=True,
            )
    with tempfile.TemporaryDirectory() as folder:
        report["commands"] = {}
        for name, words in COMMANDS.items():
            used = spent([word.format(folder=folder) for word in words])[0]
            report["commands"][name] = used
            print(f"{name}: {used} processor seconds", flush=True)
        if arguments.build:
            report["build"] = {}
            for jobs in (1, 2):
                cpu, wall, memory = spent(
                    ["build", "tiny", "--jobs", str(jobs), "--out", f"{folder}/jobs{jobs}"]
                )
                report["build"][f"{jobs} jobs"] = {"processor": cpu, "wall": wall, "megabytes": memory}
                print(
                    f"dnc build tiny --jobs {jobs}: {cpu} processor seconds, {wall} of wall, {memory} MB",
                    flush=True,
                )
    print(table(report))
    if arguments.out:
        before = json.loads(arguments.out.read_text(encoding="utf-8")) if arguments.out.exists() else {}
        atomic.write_text(arguments.out, json.dumps({**before, "toolkit": report}, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Measurements of `make speed`: rows, tables, wording, fixed costs, builds, and published definitions.

    python benchmarks/speed.py                  # ASDiv-a where its files are, otherwise the embedded corpus
    python benchmarks/speed.py --passes 20 --out benchmarks/results/speed.json

All times are processor times. Passes alternate, so that other load slows all of them, and the best pass
counts. *Published* is each perturbation exactly as its paper defines it (`AS_PUBLISHED`): without a
certificate, exact arithmetic, or a guard against a label, a year or a repeated number.

The *cost* of a perturbation is the time of a certified row divided by that of one sentence of `reference`, a
fixed computation that alternates with it, so that costs of different runs and machines are comparable. They
are stored under the release, and the change since the previous release is printed. A cost that grew by more
than 15 % is marked.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gc
import json
import operator
import os
import platform
import random
import re
import tempfile
import time
import types
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from num2words import num2words
from processes import Cost, spent

from dnc_datasets import atomic, numerals, perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.errors import CertificateError, SourceError
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue, content, rows
from dnc_datasets.version import __version__

WORDING = (
    "extra",
    "logic",
    "order",
    "paraphrase",
    "question_reordering",
    "noise_plausible",
    "distribution_plausible",
    "language_plausible",
    "verbosity_plausible",
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
TOGETHER = "all five"  # each problem in turn
PARTS = ("numbers", "wording", "tables", "fixed", "build")
# A development version is measured for its coming release.
RELEASE = __version__.partition(".dev")[0]
SLOWER = 1.15
SENTENCES = [
    f"Box {at} holds {at * 7 % 90 + 10} jars, and {at % 13 + 2} of them are open. How many are closed?"
    for at in range(3000)
]
COMMANDS = {
    "dnc --version": ["--version"],
    "dnc list tiny": ["list", "tiny"],
    "dnc build tiny_tables": ["build", "tiny_tables", "--out", "{folder}/one"],
}


def forget() -> None:
    """Empty every cache of the package, so that a pass profits only from its own rows."""
    numerals.forget()
    for cached in gc.get_objects():
        kept = type(cached) is functools._lru_cache_wrapper or type(cached) is types.FunctionType
        ours = kept and hasattr(cached, "cache_clear") and cached.__module__.startswith("dnc_datasets")
        if ours:
            cached.cache_clear()


def reference(_: object = None) -> int:
    """Run the reference work for costs: searches, splits and counts without code of this package."""
    total = 0
    for sentence in SENTENCES:
        line = f" {sentence.lower()} "
        numbers = [(found[0], int(found[0]), found.span()) for found in REFERENCE_NUMBER.finditer(line)]
        words = {word: at for at, word in enumerate(line.split())}
        total += len(" ".join(reversed(words))) + sum(value for _, value, _ in numbers)
    return total


def rows_of(dataset: str) -> list[Problem]:
    """Return the rows of all splits, read once more."""
    return [problem for some in catalogue.read(dataset).values() for problem in some]


def best(ways: dict[str, Callable[[list[Problem]], object]], dataset: str, passes: int) -> dict[str, float]:
    """Return the processor seconds of the best pass of each way; they alternate, each from empty caches."""
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
    """Return the rows per second of one perturbation: published definition if any, plain, and certified."""
    source = catalogue.find(dataset).source
    step = perturbations.get(name, source.shape)
    own = {"scope": source.scope} if "scope" in step.parameters else {}
    every = rows_of(dataset)
    neighbours = Neighbours(every)

    def plain(problems: list[Problem]) -> None:
        for problem in problems:
            step.apply(problem, Draw(0, dataset, problem.id, name), neighbours, **own)

    def certified(problems: list[Problem]) -> None:
        for problem in problems:
            made = step.apply(problem, Draw(0, dataset, problem.id, name), neighbours, **own)
            if made is not None:
                with suppress(CertificateError):
                    certify(problem, made, step)

    ways: dict[str, Callable[[list[Problem]], object]] = {
        "plain": plain,
        "certified": certified,
        "reference": reference,
    }
    if source.shape == "word_problem" and name in AS_PUBLISHED:
        ways["published"] = AS_PUBLISHED[name]
    took = best(ways, dataset, passes)
    return line_of(took, len(every))


def line_of(took: dict[str, float], rows: int) -> dict[str, Any]:
    """Return the rows per second of each way, and their ratios."""
    ways = ("plain", "certified", "published")
    line: dict[str, Any] = {way: round(rows / took[way]) for way in ways if way in took}
    line["certificate"] = round(took["certified"] / took["plain"], 2)
    line["cost"] = round(took["certified"] / rows / (took["reference"] / len(SENTENCES)), 2)
    if "published" in took:
        line["times_published"] = round(took["published"] / took["certified"], 2)
    return line


def together(dataset: str, passes: int) -> dict[str, Any]:
    """Return the problems per second if each gets all of `AS_PUBLISHED` in turn, with shared reading."""
    source = catalogue.find(dataset).source
    steps = [perturbations.get(name, source.shape) for name in AS_PUBLISHED]
    every = rows_of(dataset)

    def ours(problems: list[Problem], *, certifies: bool) -> None:
        for problem in problems:
            for step in steps:
                own = {"scope": source.scope} if "scope" in step.parameters else {}
                made = step.apply(problem, Draw(0, dataset, problem.id, step.key), None, **own)
                if made is not None and certifies:
                    with suppress(CertificateError):
                        certify(problem, made, step)

    def published(problems: list[Problem]) -> None:
        for function in AS_PUBLISHED.values():
            function(problems)

    ways: dict[str, Callable[[list[Problem]], object]] = {
        "plain": functools.partial(ours, certifies=False),
        "certified": functools.partial(ours, certifies=True),
        "published": published,
        "reference": reference,
    }
    return line_of(best(ways, dataset, passes), len(every))


def checksums(dataset: str, passes: int) -> dict[str, float]:
    """Return microseconds per row of a content checksum: lines of JSON (format 1), columns (format 2)."""
    variant = catalogue.find(f"{dataset}-verbosity-defense")
    made = variant.rows(catalogue.read(dataset))
    records = [rows.to_record(row, variant) for some in made.values() for row in some]
    records *= max(1, rows.GROUP // len(records))
    pieces = rows.to_table(records).to_batches()

    def lines() -> None:
        hashed = content.Lines()
        for record in records:
            hashed.line(record)

    def columns() -> None:
        hashed = content.Columns()
        for piece in pieces:
            hashed.add(piece)
        hashed.end()

    found = {}
    for name, work in (("lines", lines), ("columns", columns)):
        took = []
        for _ in range(passes):
            start = time.process_time()
            work()
            took.append(time.process_time() - start)
        found[name] = round(min(took) / len(records) * 1e6, 1)
    return found


def jobs(words: list[str], folder: str, turns: int) -> dict[str, Any]:
    """Return the costs of a command with one job and with two, the best run of each, and their ratios."""
    best: dict[int, Cost] = {}
    for turn in range(turns):
        for count in (1, 2):
            out = ["--jobs", str(count), "--out", f"{folder}/{words[0]}{count}{turn}"]
            cost = spent([*words, *out])
            best[count] = min(best.get(count, cost), cost, key=lambda one: one.longest)
    one, two = best[1], best[2]
    return {
        "command": " ".join(word for word in words if "/" not in word),
        "1": one._asdict(),
        "2": two._asdict(),
        "times_as_fast": round(one.longest / two.longest, 2),
        "processor": round(two.processor / one.processor, 2),
        "memory": round(two.megabytes / one.megabytes, 2),
    }


def machine() -> dict[str, Any]:
    """Return the properties of the machine, without host names and paths."""
    return {
        "python": platform.python_version(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


def previous(releases: dict[str, Any]) -> str:
    """Return the latest earlier release with stored costs; empty if there is none."""
    earlier = [release for release in releases if _parts(release) < _parts(RELEASE)]
    return max(earlier, key=_parts, default="")


def _parts(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", release))


def change(cost: float, before: float | None, release: str) -> str:
    """Return the change of a cost since a release, with a mark if it grew by more than 15 %.

    >>> change(12.0, 10.0, "0.2.0"), change(9.0, 10.0, "0.2.0")
    ('+20 % since 0.2.0  SLOWER', '-10 % since 0.2.0')
    """
    if not before:
        return ""
    mark = "  SLOWER" if cost > SLOWER * before else ""
    return f"{100 * (cost / before - 1):+.0f} % since {release}{mark}"


def table(report: dict[str, Any]) -> str:
    """Return the tables of docs/guides/scale.md: rows per second, and the cost of two jobs."""
    lines = ["| | ours | with certificates | as defined, unchecked |", "|---|---:|---:|---:|"]
    for part in ("numbers", "wording", "tables"):
        for name, line in report.get(part, {}).items():
            of = f"`{name}`" if part != "tables" else f"`{name}`, tables"
            stated = f"{line['published']:,}" if "published" in line else ""
            lines.append(f"| {of} | {line['plain']:,} | {line['certified']:,} | {stated} |")
    if "build" in report:
        build = report["build"]
        lines += ["", f"| `dnc {build['command']}` | one job | two jobs | |", "|---|---:|---:|---:|"]
        for key, ratio, name in (
            ("longest", "times_as_fast", "seconds, a core for each"),
            ("processor", "processor", "processor seconds of all"),
            ("megabytes", "memory", "memory of all, MB"),
        ):
            lines.append(f"| {name} | {build['1'][key]} | {build['2'][key]} | {build[ratio]} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--only",
        nargs="+",
        choices=PARTS,
        default=PARTS,
        help="measure only these parts, and keep the others of --out",
    )
    arguments = parser.parse_args()
    try:
        catalogue.read("asdiv_a")
        dataset = "asdiv_a"
    except SourceError:
        dataset = "tiny"
    stored = arguments.out and arguments.out.exists()
    before = json.loads(arguments.out.read_text(encoding="utf-8")) if stored else {}
    known = before.get("toolkit", {})
    releases: dict[str, Any] = before.get("releases", {})
    last = previous(releases)
    passes = {**known.get("passes", {}), **dict.fromkeys(arguments.only, arguments.passes)}
    report: dict[str, Any] = {**known, "machine": machine(), "dataset": dataset, "passes": passes}
    for part, of, names in (
        ("numbers", dataset, (*AS_PUBLISHED, TOGETHER)),
        ("wording", dataset, WORDING),
        ("tables", "tiny_tables", TABLES),
    ):
        if part not in arguments.only:
            continue
        report[part] = {}
        costs = releases.setdefault(RELEASE, {}).setdefault(of, {})
        print(f"{part}, {of}: rows/s as published, ours, ours certified")
        for name in names:
            measured = (
                together(of, arguments.passes) if name == TOGETHER else perturbed(of, name, arguments.passes)
            )
            line = report[part][name] = measured
            costs[name] = line["cost"]
            since = change(line["cost"], releases.get(last, {}).get(of, {}).get(name), last)
            stated = [line.get("published", ""), line["plain"], line["certified"]]
            beside = f"; {line['times_published']} times the published" if "published" in line else ""
            print(
                f"  {name:24}{stated[0]:>10}{stated[1]:>10}{stated[2]:>10}  certified in {line['certificate']}{beside}"
                f"; cost {line['cost']} {since}",
                flush=True,
            )
    with tempfile.TemporaryDirectory() as folder:
        if "fixed" in arguments.only:
            report["checksum"] = checksums(dataset, arguments.passes)
            print(f"microseconds a row of a checksum: {report['checksum']}", flush=True)
            report["commands"] = {}
            for name, words in COMMANDS.items():
                used = spent([word.format(folder=folder) for word in words]).processor
                report["commands"][name] = used
                print(f"{name}: {used} processor seconds", flush=True)
        if "build" in arguments.only:
            report["build"] = jobs(["build", dataset], folder, min(arguments.passes, 2))
            print(json.dumps(report["build"]), flush=True)
    print(table(report))
    if arguments.out:
        atomic.write_text(
            arguments.out, json.dumps({**before, "toolkit": report, "releases": releases}, indent=1) + "\n"
        )


REFERENCE_NUMBER = re.compile(r"(?<![a-z])\d+")
NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def language(problems: list[Problem]) -> list[Problem | None]:
    """Return the problems with every number of the body in words."""
    return [
        problem.replace(
            body=NUMBER.sub(lambda found: num2words(float(found[0].replace(",", ""))), problem.body)
        )
        for problem in problems
    ]


def type_(problems: list[Problem]) -> list[Problem | None]:
    """Return the problems with a decimal zero at every operand."""
    return [moved(problem, lambda number: f"{number}.0", target=False) for problem in problems]


def noise(problems: list[Problem]) -> list[Problem | None]:
    """Return the problems with n + 0.1 X, X from 1 to 9, in text and equation; the answer is re-computed."""
    draw = random.Random(0)
    return [moved(problem, lambda number: str(int(number) + draw.randint(1, 9) / 10)) for problem in problems]


def distribution(problems: list[Problem]) -> list[Problem | None]:
    """Return the problems with n + X, X from N(1000, 300), in text and equation, and a new answer."""
    draw = random.Random(0)
    return [
        moved(problem, lambda number: str(int(number) + int(draw.gauss(1000, 300)))) for problem in problems
    ]


def verbosity(problems: list[Problem]) -> list[Problem | None]:
    """Return the problems with a denied number from N(100, 30) after every number of the body."""
    draw = random.Random(0)
    return [
        problem.replace(
            body=NUMBER.sub(lambda found: f"{found[0]} (not {int(draw.gauss(100, 30))})", problem.body)
        )
        for problem in problems
    ]


AS_PUBLISHED = {
    "language": language,
    "type": type_,
    "noise": noise,
    "distribution": distribution,
    "verbosity": verbosity,
}


def moved(problem: Problem, new, *, target: bool = True) -> Problem | None:  # type: ignore[no-untyped-def]
    """Return the problem with its operands changed, or None if a filter excludes it."""
    numbers = NUMBER.findall(problem.body)
    used = NUMBER.findall(problem.equation)
    if not used or any(not number.isdigit() or numbers.count(number) != 1 for number in used):
        return None
    changes = {number: new(number) for number in dict.fromkeys(used)}
    body = NUMBER.sub(lambda one: changes.get(one[0], one[0]), problem.body)
    if not target:
        return problem.replace(body=body)
    equation = NUMBER.sub(lambda one: changes[one[0]], problem.equation)
    return problem.replace(
        body=body, equation=equation, answer=str(computed(ast.parse(equation, mode="eval").body))
    )


def computed(node: ast.expr) -> float:
    """Return the value of a parsed equation."""
    if isinstance(node, ast.BinOp):
        return OPERATIONS[type(node.op)](computed(node.left), computed(node.right))
    return float(node.value) if isinstance(node, ast.Constant) else -computed(node.operand)


if __name__ == "__main__":
    main()

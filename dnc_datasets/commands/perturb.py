"""`dnc perturb`: the user's own problems (JSON lines or CSV), with the same guarantees."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dnc_datasets import atomic, perturbations
from dnc_datasets.commands import add_seed, progress_bar
from dnc_datasets.errors import DncError, ProblemError
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import ALL_FIELDS, Problem, from_row, to_row
from dnc_datasets.serving.settings import perturb


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input", type=Path, help="problems as .jsonl or .csv: id, question; body, equation, answer"
    )
    parser.add_argument("--with", dest="recipe", required=True, help="a perturbation, or several joined by +")
    parser.add_argument("--out", type=Path, required=True, help="the JSON lines file to write")
    parser.add_argument(
        "--dataset", default="", help="name that enters the draws (default: the input's file name)"
    )
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="NAME=VALUE",
        help="a parameter, e.g. --set mu=500 or --set scope=body,question (may be repeated)",
    )  # fmt: skip
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    given = parameters(perturbations.recipe(arguments.recipe), arguments.settings)
    problems = list(read_problems(arguments.input))
    neighbours = Neighbours(problems)
    dataset = arguments.dataset or arguments.input.stem
    changed = 0
    lines = []
    with progress_bar("perturbing", len(problems)) as advance:
        for problem in problems:
            steps = perturbations.recipe(arguments.recipe, problem.shape)
            row = perturb(
                problem, steps, dataset=dataset, seed=arguments.seed, neighbours=neighbours, parameters=given
            )
            changed += row.original is not None
            lines.append(_line(row.problem, row.original, row.certificate, arguments.recipe))
            advance()
    atomic.write_text(arguments.out, "".join(f"{line}\n" for line in lines))
    print(
        f"{changed} of {len(problems)} problems perturbed with {arguments.recipe}, written to {arguments.out}"
    )
    return 0


def _line(problem: Problem, original: Problem | None, certificate: tuple[str, ...], recipe: str) -> str:
    row = to_row(problem)
    row["meta"] = dict(problem.meta)
    row["perturbation"] = recipe
    row["perturbed"] = original is not None
    row["source"] = {**to_row(original), "meta": dict(original.meta)} if original else None
    row["certificate"] = list(certificate)
    return json.dumps(row, ensure_ascii=False)


def parameters(steps: tuple[Perturbation, ...], settings: list[str]) -> dict[str, Any]:
    """The values of `--set`, each read as the type of its default."""
    known = {key: value for step in steps for key, value in step.parameters.items()}
    given: dict[str, Any] = {}
    for item in settings:
        name, _, text = item.partition("=")
        if name not in known:
            raise DncError(
                f"--set {item}: {'+'.join(step.name for step in steps)} takes "
                f"{', '.join(sorted(known)) or 'no parameters'}"
            )
        if name == "scope":
            given[name] = tuple(text.split(","))
            if not set(given[name]) <= set(ALL_FIELDS):
                raise DncError(f"--set {item}: a scope is made of {', '.join(ALL_FIELDS)}")
        elif isinstance(known[name], bool):
            given[name] = text.lower() in ("1", "true", "yes")
        else:
            try:
                given[name] = float(text)
            except ValueError:
                raise DncError(f"--set {item}: {text!r} is not a number") from None
    return given


def read_problems(path: Path) -> Iterator[Problem]:
    """The problems of a .jsonl or .csv file; ids must differ, and an error names the line."""
    if not path.is_file():
        raise ProblemError(f"there is no file {path}")
    seen: dict[str, int] = {}
    for number, record in _records(path):
        try:
            problem = from_row({"id": str(number), **record})
        except ProblemError as error:
            raise ProblemError(f"{path}, line {number}: {error}") from error
        if problem.id in seen:
            raise ProblemError(
                f"{path}, line {number}: id {problem.id!r} is also on line {seen[problem.id]}; "
                "draws and pairs go by id, so each row needs its own"
            )
        seen[problem.id] = number
        yield problem


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        if path.suffix == ".csv":
            reader = csv.DictReader(file)
            for record in reader:
                yield (
                    reader.line_num,
                    {key: value for key, value in record.items() if key and value is not None},
                )
            return
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                # Numbers stay text, so that no digit of an answer is lost in a float.
                record = json.loads(line, parse_float=str)
            except ValueError as error:
                raise ProblemError(
                    f"{path}, line {number}: not JSON ({error}); write one object per line"
                ) from error
            if not isinstance(record, dict):
                raise ProblemError(f"{path}, line {number}: {type(record).__name__} instead of an object")
            yield number, record

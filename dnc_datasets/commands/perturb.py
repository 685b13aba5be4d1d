"""`dnc perturb`: the user's own problems (JSON lines or CSV), with the same guarantees."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from dnc_datasets import atomic, outputs, perturbations
from dnc_datasets.commands import add_seed, add_strict, progress_bar
from dnc_datasets.errors import DncError, ProblemError
from dnc_datasets.failed_rows import tell_failed
from dnc_datasets.own import files, problems
from dnc_datasets.own.files import Line
from dnc_datasets.own.lines import Chunk, Job, Perturber, Summary
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import ALL_FIELDS, SHAPES, Problem
from dnc_datasets.serving.workers import stream

# Lines that a process gets at a time.
_CHUNK = 256
_ALL = "all"
_PARQUET = (".parquet", ".pq")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        help="problems as .jsonl, .csv or .tsv (id, question; body, equation, answer, table, history), or as "
        ".parquet with all columns of a problem",
    )
    parser.add_argument(
        "--with",
        dest="recipe",
        required=True,
        help="a perturbation, several joined by +, or all (each by itself)",
    )
    parser.add_argument(
        "--out", required=True,
        help="the JSON lines (or Parquet) file to write; with all, or --engine ray, a folder",
    )  # fmt: skip
    parser.add_argument(
        "--reasons",
        type=Path,
        metavar="FILE",
        help="write why rows were not perturbed: JSON lines with line, id, reason",
    )
    parser.add_argument("--encoding", default="", help="of the input, e.g. latin-1 (default: UTF-8)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1); the result is the same")
    parser.add_argument(
        "--dataset", default="", help="name that enters the draws (default: the input's file name)"
    )
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="NAME=VALUE",
        help="a parameter, e.g. --set mu=500 or --set scope=body,question (may be repeated)",
    )  # fmt: skip
    parser.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="for Parquet: this machine, or a Ray cluster",
    )
    parser.add_argument(
        "--address", default="", help="of the Ray cluster, e.g. auto (default: start one here)"
    )
    add_seed(parser)
    add_strict(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.input.rstrip("/").endswith(_PARQUET) or arguments.engine != "local":
        return _run_tables(arguments)
    arguments.input, arguments.out = Path(arguments.input), Path(arguments.out)
    return _run_all(arguments) if arguments.recipe == _ALL else _run(arguments)


def _run_all(arguments: argparse.Namespace) -> int:
    """Every perturbation by itself, each into a file of its own."""
    if arguments.settings or arguments.reasons:
        raise DncError("--set and --reasons are for one perturbation; name it with --with")
    folder = outputs.folder(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    codes = []
    for recipe in perturbations.names():
        out = folder / f"{arguments.input.stem}-{recipe}.jsonl"
        codes.append(_run(argparse.Namespace(**{**vars(arguments), "recipe": recipe, "out": out})))
    return max(codes)


def _run(arguments: argparse.Namespace) -> int:
    outputs.file(arguments.out, _is_ours)
    if arguments.reasons:
        outputs.file(arguments.reasons, lambda line: not line or '"reason": ' in line)
    given = parameters(perturbations.recipe(arguments.recipe), arguments.settings)
    source, encoding = arguments.input, arguments.encoding
    if next(files.lines(source, encoding), None) is None:
        raise ProblemError(f"{source} is empty: nothing to perturb")
    dataset = arguments.dataset or source.stem
    job = Job(arguments.recipe, dataset, arguments.seed, given)
    neighbours = Neighbours(_problems(source, encoding), seed=arguments.seed, dataset=dataset)
    if _borrows(arguments.recipe):
        neighbours.look()
    else:
        neighbours = Neighbours(())
    summary = Summary(source)
    with ExitStack() as stack:
        out = stack.enter_context(atomic.new_file(arguments.out))
        reasons: BinaryIO | None = None
        if arguments.reasons:
            reasons = stack.enter_context(atomic.new_file(arguments.reasons))
        advance = stack.enter_context(progress_bar("perturbing", source.stat().st_size))
        chunks = _chunks(files.lines(source, encoding))
        for chunk, made in stream(Perturber, (job, neighbours), chunks, arguments.jobs):
            for line, row in zip(chunk, made, strict=True):
                row = summary.add(row, line, job)
                out.write(row.data)
                if reasons and not row.changed:
                    reasons.write(row.told())
            advance(sum(len(row.data) for row in made) // 2)
        summary.check()
    print(summary.text(arguments.recipe, arguments.out))
    summary.warn(sys.stderr)
    failed = tell_failed(summary.failed, arguments.strict, total=summary.failures)
    return 1 if arguments.strict and summary.faults else failed


def _run_tables(arguments: argparse.Namespace) -> int:
    from dnc_datasets.own.tables import Work, perturb_file, perturb_on_ray

    source, out = arguments.input, arguments.out
    given = parameters(perturbations.recipe(arguments.recipe), arguments.settings)
    work = Work(arguments.recipe, arguments.dataset or Path(source).stem, arguments.seed, given)
    if arguments.reasons or arguments.strict:
        raise DncError("--reasons and --strict are for JSON lines and CSV; Parquet has neither")
    if arguments.engine == "ray":
        told = perturb_on_ray(source, out, work, arguments.address)
    else:
        told = perturb_file(source, Path(out), work, arguments.jobs)
    print(f"{told.changed} of {told.rows} problems perturbed with {arguments.recipe}, written to {out}")
    return 0


def _is_ours(line: str) -> bool:
    """Is this the first line of a file that the command wrote?"""
    return not line or ('"perturbed": ' in line and '"certificate": [' in line)


def _borrows(recipe: str) -> bool:
    return any(step.needs_neighbours for shape in SHAPES for step in perturbations.recipe(recipe, shape))


def _problems(source: Path, encoding: str) -> Iterator[Problem]:
    """The problems of the file, for the first pass; those that cannot be read are told of in the second."""
    for line in files.lines(source, encoding):
        try:
            yield problems.read(files.record(line), line.number)
        except ProblemError:
            continue


def _chunks(lines: Iterator[Line]) -> Iterator[Chunk]:
    chunk: Chunk = []
    for line in lines:
        chunk.append(line)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


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
        given[name] = _value(item, name, text, known[name])
    return given


def _value(item: str, name: str, text: str, default: object) -> Any:
    if name == "scope":
        scope = tuple(text.split(","))
        if not set(scope) <= set(ALL_FIELDS):
            raise DncError(f"--set {item}: a scope is made of {', '.join(ALL_FIELDS)}")
        return scope
    if isinstance(default, bool):
        return text.lower() in ("1", "true", "yes")
    if isinstance(default, str):
        return text
    try:
        number = int(text) if text.strip("+-").isdigit() else float(text)
    except ValueError:
        raise DncError(f"--set {item}: {text!r} is not a number") from None
    if not math.isfinite(number) or abs(number) > _LARGEST:
        raise DncError(f"--set {item}: give a number between -{_LARGEST:.0e} and {_LARGEST:.0e}")
    return number


# Numbers drawn around a parameter can be spelled up to here.
_LARGEST = 10**15

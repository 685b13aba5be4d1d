"""`dnc perturb`: perturb the user's own problems (JSON lines or CSV), with the same guarantees."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from dnc_datasets import owned_folder, perturbations
from dnc_datasets.commands import add_force, add_second_reader, add_seed, add_strict, progress_bar
from dnc_datasets.errors import DncError, ProblemError
from dnc_datasets.own import files, problems
from dnc_datasets.own.files import Line
from dnc_datasets.own.lines import Chunk, Job, Perturber, Summary
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.plain_output import tell_failed
from dnc_datasets.problem import ALL_FIELDS, SHAPES, Problem
from dnc_datasets.serving.workers import stream

# Lines that a process gets at a time.
_CHUNK = 256
_ALL = "all"
_PARQUET = (".parquet", ".pq")
_TEXT = (".jsonl", ".json", ".csv", ".tsv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        help="read problems from .jsonl, .json, .csv or .tsv (id, question; body, equation, answer, table, history), "
        "or from .parquet with all columns of a problem",
    )
    parser.add_argument(
        "--with",
        dest="recipe",
        required=True,
        metavar="RECIPE",
        help="apply a perturbation, several joined by +, or all (each alone)",
    )
    parser.add_argument(
        "--out", metavar="PATH", required=True,
        help="write this JSON lines or Parquet file; with all or --engine ray, a folder",
    )  # fmt: skip
    parser.add_argument(
        "--reasons",
        type=Path,
        metavar="FILE",
        help="write why rows or rewrites were refused: JSON lines with line, id, reason",
    )
    parser.add_argument(
        "--encoding", default="", help="set the encoding of the input, e.g. latin-1 (default UTF-8)"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, help="use this number of processes (default 1); the result is the same"
    )
    parser.add_argument(
        "--dataset",
        default="",
        help="set the dataset name for random draws (default: the name of the input file)",
    )
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="NAME=VALUE",
        help="set a parameter, e.g. --set mu=500 or --set scope=body,question (repeatable)",
    )  # fmt: skip
    add_min_change(parser)
    parser.add_argument(
        "--candidates", type=Path, metavar="FILE",
        help="take the rewrites of this file that keep every promise (`dnc candidates`)",
    )  # fmt: skip
    parser.add_argument(
        "--agree", default="", metavar="MODEL,MODEL",
        help="with --candidates: accept rewrites that one of these models answers right",
    )  # fmt: skip
    parser.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="run Parquet input on this machine, or on a Ray cluster",
    )
    parser.add_argument(
        "--address", default="", help="connect to this Ray cluster, e.g. auto (default: start one here)"
    )
    add_second_reader(parser)
    add_seed(parser)
    add_strict(parser)
    add_force(parser)


def add_min_change(parser: argparse.ArgumentParser) -> None:
    """Add the option that leaves out weak paraphrases."""
    parser.add_argument(
        "--min-change", type=float, default=0.0, metavar="SHARE",
        help="keep only paraphrases that replace this share of words",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    if arguments.candidates:
        return _run_candidates(arguments)
    if arguments.agree:
        raise DncError("--agree is for rewrites; name their file with --candidates")
    arguments.settings = [*arguments.settings, *min_change(arguments)]
    if arguments.input.rstrip("/").endswith(_PARQUET) or arguments.engine != "local":
        return _run_tables(arguments)
    if "://" in arguments.input:
        if arguments.input.partition("?")[0].endswith(_TEXT):
            raise DncError("only Parquet is read from an address; download other files, and name their path")
        return _run_tables(arguments)
    if "://" in arguments.out:
        raise DncError("only Parquet is written to an address; name a file for --out")
    arguments.input, arguments.out = Path(arguments.input), Path(arguments.out)
    return _run_all(arguments) if arguments.recipe == _ALL else _run(arguments)


def min_change(arguments: argparse.Namespace) -> list[str]:
    """Return the value of `--min-change` as one of `--set`."""
    share = arguments.min_change
    if not 0 <= share <= 1:
        raise DncError(f"--min-change {share:g}: give a share from 0 to 1, e.g. 0.2")
    return [f"min_change={share}"] if share else []


def _is_reason(line: str) -> bool:
    return not line or '"reason": ' in line


def _run_all(arguments: argparse.Namespace) -> int:
    """Write each perturbation alone into its own file."""
    if arguments.settings or arguments.reasons:
        raise DncError("--set and --reasons are for one perturbation; name it with --with")
    folder = owned_folder.usable(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    codes = []
    for at, recipe in enumerate(perturbations.names()):
        out = folder / f"{arguments.input.stem}-{recipe}.jsonl"
        given = argparse.Namespace(**{**vars(arguments), "recipe": recipe, "out": out})
        codes.append(_run(given, warns=not at))  # the file has the same faults for all
    return max(codes)


def _run_candidates(arguments: argparse.Namespace) -> int:
    """Make the rows from a file of rewrites. `--with` names their kind."""
    from dnc_datasets.writer.judge import Judge, Wanted

    if arguments.settings or arguments.jobs != 1 or arguments.engine != "local":
        raise DncError("--set, --jobs and --engine are not for --candidates; leave them out")
    min_change(arguments)
    arguments.input, arguments.out = Path(arguments.input), Path(arguments.out)
    solvers = tuple(filter(None, (name.strip() for name in arguments.agree.split(","))))
    wanted = Wanted(arguments.recipe, arguments.candidates, arguments.min_change, solvers, arguments.seed)
    arguments.recipe = wanted.label
    return _write(arguments, Judge, (wanted,))


def _run(arguments: argparse.Namespace, *, warns: bool = True) -> int:
    given = parameters(perturbations.recipe(arguments.recipe), arguments.settings)
    source, encoding = arguments.input, arguments.encoding
    dataset = arguments.dataset or source.stem
    job = Job(arguments.recipe, dataset, arguments.seed, given, arguments.second_reader)
    neighbours = Neighbours(_problems(source, encoding), seed=arguments.seed, dataset=dataset)
    if _borrows(arguments.recipe):
        neighbours.look()
    else:
        neighbours = Neighbours(())
    return _write(arguments, Perturber, (job, neighbours), warns=warns)


def _write(
    arguments: argparse.Namespace, make: Callable[..., Any], given: tuple[Any, ...], *, warns: bool = True
) -> int:
    """Write the rows that `make(*given)` makes of the lines, and print a summary."""
    owned_folder.owned_file(arguments.out, _is_ours, arguments.force)
    if arguments.reasons:
        owned_folder.owned_file(arguments.reasons, _is_reason, arguments.force)
    source, encoding = arguments.input, arguments.encoding
    if next(files.lines(source, encoding), None) is None:
        raise ProblemError(f"{source} is empty: nothing to perturb")
    summary = Summary(source)
    with ExitStack() as stack:
        out = stack.enter_context(owned_folder.new_owned_file(arguments.out, _is_ours, arguments.force))
        reasons: BinaryIO | None = None
        if arguments.reasons:
            reasons = stack.enter_context(
                owned_folder.new_owned_file(arguments.reasons, _is_reason, arguments.force)
            )
        advance = stack.enter_context(progress_bar("perturbing", source.stat().st_size))
        chunks = _chunks(files.lines(source, encoding))
        for _, made in stream(make, given, chunks, arguments.jobs):
            for row in map(summary.add, made):
                out.write(row.data)
                if reasons and (row.reason or not row.changed):
                    reasons.write(row.reason_line())
            advance(sum(len(row.data) for row in made) // 2)
        summary.check()
    print(summary.text(arguments.recipe, arguments.out))
    if warns:
        summary.warn(sys.stderr)
    failed = tell_failed(summary.failed, arguments.strict, total=summary.failures)
    return 1 if arguments.strict and summary.faults else failed


def _run_tables(arguments: argparse.Namespace) -> int:
    from dnc_datasets.own.tables import Work, count, perturb_file, perturb_on_ray

    source, out = arguments.input, arguments.out
    given = parameters(perturbations.recipe(arguments.recipe), arguments.settings)
    name = Path(source.partition("?")[0] if "://" in source else source).stem
    work = Work(arguments.recipe, arguments.dataset or name, arguments.seed, given)
    if arguments.reasons or arguments.strict or arguments.second_reader:
        raise DncError("--reasons, --strict and --second-reader are for JSON lines and CSV, not for Parquet")
    with progress_bar("perturbing", count(source)) as advance:
        if arguments.engine == "ray":
            stated = perturb_on_ray(source, out, work, arguments.address, advance)
        else:
            stated = perturb_file(source, out, work, arguments.jobs, arguments.force, advance)
    print(f"{stated.changed} of {stated.rows} problems perturbed with {arguments.recipe}, written to {out}")
    return 0


def _is_ours(line: str) -> bool:
    """Return whether this is the first line of a file that the command wrote."""
    return not line or ('"perturbed": ' in line and '"certificate": [' in line)


def _borrows(recipe: str) -> bool:
    return any(step.needs_neighbours for shape in SHAPES for step in perturbations.recipe(recipe, shape))


def _problems(source: Path, encoding: str) -> Iterator[Problem]:
    """Yield the problems of the file for the first pass. Unreadable problems are reported in the second."""
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
    """Return the values of `--set`, each read as the type of its default."""
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

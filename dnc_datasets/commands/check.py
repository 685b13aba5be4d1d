"""`dnc check`: report how DNC reads a user's file, its faults, and the possible perturbations."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from dnc_datasets import escaping, perturbations
from dnc_datasets.commands import console, progress_bar
from dnc_datasets.errors import ProblemError
from dnc_datasets.own import files, problems
from dnc_datasets.own.lines import Job, Perturber, language, named
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem

_SHOWN = 5
_EXAMPLE = "verbosity_plausible"  # of the next command, where it changes a row
_LANGUAGES = {"en": "English", "zh": "Chinese", "other": "neither English nor Chinese: never perturbed"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="name a file of problems: JSON lines or CSV")
    parser.add_argument(
        "--encoding", default="", help="set the encoding of the input, e.g. latin-1 (default UTF-8)"
    )
    parser.add_argument(
        "-n",
        type=int,
        default=200,
        help="try the perturbations on this number of rows (default 200; 0 for all)",
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(arguments: argparse.Namespace) -> int:
    found = _Findings()
    found.read(arguments.file, arguments.encoding)
    if not found.columns:
        raise ProblemError(f"{arguments.file} is empty: nothing to check")
    readable = [problem for problem in found.problems if language(problem) != "other"]
    coverage = _coverage(readable[: arguments.n or None], arguments.file.stem)
    if arguments.json:
        print(json.dumps(found.as_json() | {"perturbations": coverage}, indent=1, ensure_ascii=False))
    else:
        _show(found, coverage, arguments.file)
    return 1 if found.unreadable or found.duplicate_ids else 0


@dataclass
class _Findings:
    """The columns of a file, its problems, and the lines that need attention."""

    columns: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    languages: Counter[str] = field(default_factory=Counter)
    unreadable: list[str] = field(default_factory=list)
    duplicate_ids: list[str] = field(default_factory=list)
    duplicate_texts: list[str] = field(default_factory=list)
    inconsistent: list[str] = field(default_factory=list)
    without: Counter[str] = field(default_factory=Counter)

    def read(self, path: Path, encoding: str) -> None:
        """Read all problems and record their faults."""
        ids: set[str] = set()
        texts: dict[str, str] = {}
        for line in files.lines(path, encoding):
            where = f"line {line.number}"
            try:
                self.columns |= files.fields(_names(line))
                problem = problems.read(files.record(line), line.number)
            except ProblemError as error:
                self.unreadable.append(f"{where}: {error}")
                continue
            if problem.id in ids:
                self.duplicate_ids.append(f"{where}: the id {problem.id[:60]!r} is that of an earlier row")
                continue
            ids.add(problem.id)
            text = " ".join(part for _, part in problem.texts())
            if (before := texts.setdefault(text, where)) != where:
                self.duplicate_texts.append(f"{where}: the same problem as {before}")
            if wrong := problems.contradiction(problem):
                self.inconsistent.append(f"{where}: {wrong}")
            self.languages[language(problem)] += 1
            self.without.update(name for name in ("equation", "answer") if not getattr(problem, name))
            self.problems.append(problem)

    def as_json(self) -> dict[str, Any]:
        """Return the findings for programs."""
        kept = {name: value for name, value in vars(self).items() if name != "problems"}
        return {"rows": len(self.problems), **kept}


def _names(line: files.Line) -> list[str]:
    if not isinstance(line.content, str):
        return list(line.content) if isinstance(line.content, dict) else []
    try:
        found = json.loads(line.content)
    except (ValueError, RecursionError):
        return []
    return list(found) if isinstance(found, dict) else []


def _coverage(rows: list[Problem], dataset: str) -> dict[str, dict[str, Any]]:
    """Try every perturbation.

    Return the number of changed rows and the most frequent reason for the others.
    """
    neighbours = Neighbours(rows, seed=0, dataset=dataset)
    neighbours.look()
    found: dict[str, dict[str, Any]] = {}
    names = list(perturbations.names())
    with progress_bar("trying perturbations", len(names)) as advance:
        for name in names:
            perturber = Perturber(Job(name, dataset, 0, {}), neighbours)
            made = [perturber.row(problem) for problem in rows]
            reasons = Counter(row.reason for row in made if row.original is None)
            found[name] = {
                "capability": perturbations.get(name).capability.value,
                "rows": len(made),
                "changed": sum(row.original is not None for row in made),
                "reason": reasons.most_common(1)[0][0] if reasons else "",
            }
            advance(note=name)
    return found


def _show(found: _Findings, coverage: dict[str, dict[str, Any]], path: Path) -> None:
    from rich.table import Table

    print(f"{path}: {len(found.problems)} problems")
    renamed = [f"{name} -> {column}" for name, column in found.columns.items() if column and column != name]
    read = [name for name, column in found.columns.items() if column == name]
    print(escaping.terminal(f"columns: {', '.join([*read, *renamed]) or 'none'}"))
    if unused := files.unknown({name: "" for name, column in found.columns.items() if not column}):
        print(escaping.terminal(f"columns that are not read: {named(unused)}"))
    for name, count in found.languages.most_common():
        print(f"language: {count} {_LANGUAGES[name]}")
    no_answers = found.without["answer"] == len(found.problems)
    if no_answers and "answer" not in found.columns.values():
        print("no column holds the answers; call it `answer` (dnc reads `result`, `label` and others too)")
    for name, count in found.without.items():
        needed = (
            "perturbations that recompute answers skip them"
            if name == "equation"
            else "they cannot be scored"
        )
        print(f"without {name}: {count} problems; {needed}")
    for title, lines in (
        ("unreadable and left out", found.unreadable),
        ("duplicate ids, left out", found.duplicate_ids),
        ("duplicate problems", found.duplicate_texts),
        ("inconsistent: nothing that recomputes answers changes them", found.inconsistent),
    ):
        if lines:
            print(f"{title}: {len(lines)}")
            for line in islice(lines, _SHOWN):
                print(escaping.terminal(f"  {line}"))
    tried = next(iter(coverage.values()))["rows"]
    if not tried:
        print("no problem could be read, so no perturbation was tried")
        return
    table = Table(title=f"rows that each perturbation would change, of {tried} tried")
    table.add_column("perturbation", no_wrap=True)
    table.add_column("capability", no_wrap=True)
    table.add_column("rows", justify="right")
    table.add_column("most frequent reason for the others")
    for name, one in sorted(coverage.items(), key=lambda item: -item[1]["changed"]):
        if one["changed"]:
            table.add_row(name, one["capability"].replace("_", " "), str(one["changed"]), one["reason"])
    console().print(table)
    if idle := [name for name, one in coverage.items() if not one["changed"]]:
        print(f"these would change no row: {', '.join(idle)}")
    changing = [name for name, one in coverage.items() if one["changed"]]
    if changing:
        example = _EXAMPLE if _EXAMPLE in changing else changing[0]
        out = f"{path.stem}-{example}.jsonl"
        if no_answers:
            print(
                "Without answers, nothing can be scored: add them first. You can still write the changed texts:"
            )
        print(f"{'' if no_answers else 'Next: '}dnc perturb {path} --with {example} --out {out}")

"""`dnc show`: show a problem and its perturbed form side by side, with changed words highlighted."""

from __future__ import annotations

import argparse
import difflib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dnc_datasets.commands import add_from, add_seed, console, given_folders
from dnc_datasets.errors import DncError, ProblemError, UnknownNameError
from dnc_datasets.own import files, problems
from dnc_datasets.problem import ALL_FIELDS, Problem, from_row, to_row
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import Row

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_FIELDS = (*ALL_FIELDS, "equation", "answer")
_PIECE = re.compile(r"\s+|[\w.,$%-]+|.", re.DOTALL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config",
        help="name a config, e.g. tiny-verbosity-attack, or a file: one that `dnc perturb` wrote, or your own",
    )
    parser.add_argument("id", nargs="*", help="name row ids (default: the first perturbed rows)")
    parser.add_argument(
        "-n", type=int, default=3, help="show this number of rows if no ids are given (default 3; 0 for all)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object per pair")
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.n < 0:
        raise DncError(f"-n {arguments.n}: give how many rows to show, or 0 for all")
    if Path(arguments.config).is_file():
        return _show_file(Path(arguments.config), arguments)
    variant = catalogue.find(arguments.config)
    splits = catalogue.read(variant.dataset, variant.fold, given_folders(arguments).get(variant.dataset))
    made = variant.rows(splits, seed=arguments.seed)
    # The test split first: every setting perturbs it.
    rows = [row for split in reversed(made) for row in made[split]]
    if arguments.id:
        by_id = {row.problem.id: row for row in reversed(rows)}
        missing = [name for name in arguments.id if name not in by_id]
        if missing:
            raise UnknownNameError(f"row of {variant.name}", missing[0], by_id)
        chosen = [by_id[name] for name in arguments.id]
    else:
        shown = [row for row in rows if row.original is not None or not variant.recipe]
        chosen = shown[: arguments.n or None]
        if not chosen:
            if reasons := Counter(row.reason for row in rows if row.failed):
                raise DncError(
                    f"{variant.name} has no perturbed row: {sum(reasons.values())} rows failed, most often because "
                    f"{reasons.most_common(1)[0][0]}"
                )
            raise DncError(
                f"{variant.name} has no perturbed row; `dnc list {variant.dataset}` shows the counts"
            )
    _show(chosen, variant.name, bool(variant.recipe), arguments)
    if not arguments.id:
        _tell_rest(len(chosen), len(shown), bool(variant.recipe), arguments)
    return 0


def _show_file(path: Path, arguments: argparse.Namespace) -> int:
    """Show the pairs of a file that `dnc perturb` wrote, or the problems of a user's file."""
    rows: list[Row] = []
    perturbed = False
    total = 0
    for line in files.lines(path):
        is_full = not arguments.id and bool(arguments.n) and len(rows) == arguments.n
        try:
            record = files.record(line)
        except ProblemError:
            if is_full:
                continue
            raise
        if is_full:  # only counted
            total += bool(record.get("source")) if perturbed else 1
            continue
        if "certificate" in record and "source" in record:
            perturbed = True
            source = record.get("source")
            original = from_row(source) if isinstance(source, Mapping) else None
            row = Row(from_row(record), original, tuple(map(str, record["certificate"])))
        else:
            row = Row(problems.read(record, line.number))
        if arguments.id:
            rows += [row] if row.problem.id in arguments.id else []
        elif row.original or not perturbed:
            total += 1
            rows.append(row)
    if missing := set(arguments.id) - {row.problem.id for row in rows}:
        raise DncError(f"{path} has no row {sorted(missing)[0]!r}")
    if not rows:
        raise DncError(f"{path} has no perturbed row; `dnc check` with the original file gives the reasons")
    _show(rows, path.name, perturbed, arguments)
    _tell_rest(len(rows), total, perturbed, arguments)
    return 0


def _tell_rest(shown: int, total: int, perturbed: bool, arguments: argparse.Namespace) -> None:
    """Print how many pairs were left out, except among JSON lines."""
    if shown < total and not arguments.json:
        print(f"{shown} of {total} {'pairs' if perturbed else 'problems'}; -n 0 shows all")


def _show(chosen: Sequence[Row], name: str, perturbed: bool, arguments: argparse.Namespace) -> None:
    """Print each pair as a table or as JSON. A problem of a config that perturbs nothing is printed alone."""
    for row in chosen:
        if arguments.json:
            pair = {"row": to_row(row.problem), "certificate": list(row.certificate)}
            print(
                json.dumps(
                    {**pair, "source": to_row(row.original) if row.original else None}, ensure_ascii=False
                )
            )
        else:
            title = f"{name}  {row.problem.id}"
            console().print(pair_table(row, name) if perturbed else _table(row.problem, title))


def pair_table(row: Row, title: str) -> Table:
    """Return the pair as a table with one line per field that the two problems have."""
    from rich.table import Table

    before = row.original or row.problem
    table = Table(title=f"{title}  {row.problem.id}", show_lines=True, expand=True)
    table.add_column("")
    table.add_column("original", ratio=1)
    table.add_column("perturbed" if row.original else "not perturbed: it does not qualify", ratio=1)
    for name in _FIELDS:
        old, new = _shown(before, name), _shown(row.problem, name)
        if old or new:
            table.add_row(name, *highlighted(old, new))
    table.add_row("checked", "", ", ".join(row.certificate) or "-")
    return table


def _table(problem: Problem, title: str) -> Table:
    """Return the table of a problem of a config that perturbs nothing."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, show_lines=True, expand=True)
    table.add_column("")
    table.add_column("original", ratio=1)
    for name in _FIELDS:
        if text := _shown(problem, name):
            table.add_row(name, Text(text))
    return table


def _shown(problem: Problem, name: str) -> str:
    if name == "table":
        return "\n".join(" | ".join(cells) for cells in problem.table)
    if name == "segments":
        return "\n".join(problem.segments)
    if name == "history":
        return "\n".join(f"{turn.question} - {turn.answer}" for turn in problem.history)
    text = str(getattr(problem, name))
    return f"{text} ({problem.unit})" if name == "answer" and problem.unit else text


def highlighted(old: str, new: str) -> tuple[Text, Text]:
    """Return both texts with the pieces that differ in colour."""
    from rich.text import Text

    left, right = Text(), Text()
    olds, news = _PIECE.findall(old), _PIECE.findall(new)
    for what, a, b, c, d in difflib.SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        left.append("".join(olds[a:b]), style="" if what == "equal" else "bold red")
        right.append("".join(news[c:d]), style="" if what == "equal" else "bold green")
    return left, right

"""`dnc list stats`: print the statistics of a dataset that the papers report."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dnc_datasets.commands import add_from, console, given_folders
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem, from_row
from dnc_datasets.serving import catalogue
from dnc_leaderboard import terminal
from dnc_metrics import corpus_statistics


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "datasets",
        nargs="+",
        help="name configs, e.g. svamp or tiny_dialogues, or folders that `dnc research challenge` wrote",
    )
    parser.add_argument(
        "--split", default="", help="describe only this split (default: all splits of the dataset)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_from(parser)


def run(arguments: argparse.Namespace) -> int:
    stated: dict[str, Any] = {}
    columns: dict[str, dict[str, str]] = {}
    out = console()
    for name in arguments.datasets:
        splits, talk = _splits(name, arguments)
        if talk:
            header, lines = corpus_statistics.conversations(splits)
            types = corpus_statistics.answer_types(splits)
            stated[name] = {
                "conversations": [numbers(dict(zip(header, line, strict=True))) for line in lines],
                "types": types,
            }
            if not arguments.json:
                out.print(_grid(name, header, lines))
                shares = [[kind, str(count), f"{share:.2%}"] for kind, count, share in types]
                out.print(_grid(name, ["answers", "questions", "share"], shares))
            continue
        problems = [problem for part in splits.values() for problem in part]
        columns[name] = corpus_statistics.word_problems(problems)
        labels = {
            note: corpus_statistics.kinds(problems, note) for note in ("variation", "category", "shows")
        }
        stated[name] = {
            **numbers(columns[name]),
            **{note: dict(found) for note, found in labels.items() if found},
        }
        for note, found in labels.items():
            if found and not arguments.json:
                shown = [[label, str(count)] for label, count in found]
                out.print(_grid(name, [note, "problems"], shown))
    if arguments.json:
        print(json.dumps(stated, ensure_ascii=False))
    elif columns:
        rows = dict.fromkeys(row for column in columns.values() for row in column)
        lines = [[row, *(column.get(row, "") for column in columns.values())] for row in rows]
        out.print(_grid("", ["", *columns], lines))
    return 0


def numbers(figures: Mapping[str, str]) -> dict[str, Any]:
    """Return formatted figures as numbers for programs; other texts remain unchanged.

    >>> numbers({"problems": "1000", "words per problem": "2.60", "turns": "4.50 / 7", "": "questions"})
    {'problems': 1000, 'words per problem': 2.6, 'turns': {'mean': 4.5, 'most': 7}, '': 'questions'}
    """
    return {name: _number(text) for name, text in figures.items()}


def _number(text: str) -> Any:
    mean, both, most = text.partition(" / ")
    if both:
        return {"mean": _number(mean), "most": _number(most)}
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return text


def _grid(title: str, header: list[str], lines: list[list[str]]) -> Any:
    table = terminal.grid(title, *header)
    for line in lines:
        table.add_row(*line)
    return table


def _splits(name: str, arguments: argparse.Namespace) -> tuple[dict[str, list[Problem]], bool]:
    """Return the problems of a config or of a built folder, and whether they are conversations."""
    if Path(name).is_dir():
        from dnc_datasets.serving.rows import read

        files = sorted(Path(name).glob("*/*.parquet"))
        if not files:
            raise DncError(
                f"{name} holds no dataset; name a config, or a folder that `dnc research challenge` wrote"
            )
        return {path.stem: [from_row(record) for record in read(path)] for path in files}, False
    variant = catalogue.find(name)
    splits = catalogue.read(variant.dataset, variant.fold, given_folders(arguments).get(variant.dataset))
    made = {split: [row.problem for row in rows] for split, rows in variant.rows(splits).items()}
    if arguments.split:
        if arguments.split not in made:
            raise DncError(f"{name} has no split {arguments.split!r}; it has {', '.join(made)}")
        made = {arguments.split: made[arguments.split]}
    elif variant.source.borrowed:
        made = {"test": made["test"]}
    return made, variant.source.shape == "dialogue"

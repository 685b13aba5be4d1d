"""`dnc research challenge`: build a challenge set as SVAMP was built, and optionally score a model on it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from dnc_datasets import challenge
from dnc_datasets.attack import goal, models
from dnc_datasets.commands import (
    add_from,
    add_model,
    add_renamed,
    add_seed,
    console,
    given_folders,
    progress_bar,
)
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import Row
from dnc_leaderboard import terminal
from dnc_metrics import corpus_statistics, intervals, seed_problems
from dnc_metrics.commands.stats import numbers

_SPLITS = ("train", "validation", "test", "all")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", help="name word problems with equations, e.g. tiny or asdiv_a")
    parser.add_argument(
        "--seed-problems",
        type=int,
        default=100,
        metavar="N",
        help="choose this number of seed problems (default 100)",
    )
    add_renamed(parser, "--seeds", "--seed-problems", type=int)
    parser.add_argument(
        "--published-seeds",
        action="store_true",
        help="as SVAMP: take seeds with one operator and at most 40 words, discard what has more than two operators",
    )
    parser.add_argument(
        "--split", default="all", choices=_SPLITS, help="take the seeds from this split (default all)"
    )
    parser.add_argument(
        "--embeddings",
        default="words",
        help="cluster problems by words (default), minilm, minilm:FOLDER, or python:MODULE:FUNCTION",
    )
    parser.add_argument(
        "--out", metavar="PATH", type=Path, required=True, help="write the set to this folder"
    )
    add_model(parser, default="")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    variant = catalogue.find(arguments.dataset)
    source = variant.source
    if variant.recipe or source.shape != "word_problem" or not source.equations or source.language != "en":
        raise DncError(
            f"{variant.name} cannot be varied: take an original of English word problems with equations, e.g. tiny"
        )
    if arguments.seed_problems < 1:
        raise DncError(f"--seed-problems {arguments.seed_problems}: give at least one")
    challenge.may_write(arguments.out)
    embed = seed_problems.embeddings(arguments.embeddings)
    splits = catalogue.read(variant.dataset, variant.fold, given_folders(arguments).get(variant.dataset))
    wanted = (
        splits if arguments.split == "all" and not source.borrowed else {"": splits.get(arguments.split, [])}
    )
    if source.borrowed and arguments.split == "all":
        wanted = {"": splits["test"]}
    problems = [problem for part in wanted.values() for problem in part if problem.equation]
    if arguments.published_seeds:
        problems = seed_problems.published(problems)
    how = {"dataset": variant.name, "seed": arguments.seed}
    with progress_bar("varying", len(problems)) as advance:
        able = []
        for problem in problems:
            if challenge.alone(problem, **how):
                able.append(problem)
            advance()
    chosen = seed_problems.choose(able, arguments.seed_problems, embed, seed=arguments.seed) if able else []
    varied = [row for problem in chosen for row in challenge.varied(problem, **how)]
    made = [row for row in varied if not arguments.published_seeds or seed_problems.is_short(row.problem)]
    if not made:
        raise DncError(f"no problem of {variant.name} can be varied")
    challenge.write(made, variant.name, arguments.out)
    figures = {
        "of": str(len(problems)),
        "varied": str(len(able)),
        "seeds": str(len(chosen)),
        **({"discarded": str(len(varied) - len(made))} if arguments.published_seeds else {}),
        **corpus_statistics.word_problems([row.problem for row in made]),
        "tag templates": str(len({row.problem.note("template") for row in made})),
    }
    by_operation = challenge.operations(chosen)
    labels = {
        note: corpus_statistics.kinds([row.problem for row in made], note)
        for note in ("category", "variation")
    }
    stated = _asked(chosen, made, arguments.model) if arguments.model else []
    if arguments.json:
        counted = {"operations": by_operation, **{note: dict(found) for note, found in labels.items()}}
        print(json.dumps({**numbers(figures), **counted, "asked": [one._asdict() for one in stated]}))
        return 0
    out = console()
    out.print(_grid("", ["", variant.name], _shown(figures.items())))
    out.print(_grid("", ["operation", "seed problems"], _shown(by_operation.items())))
    for note, found in labels.items():
        out.print(_grid("", [note, "problems"], _shown(found)))
    if stated:
        out.print(_grid(arguments.model, ["", "problems", "right", "95 % interval"], map(_line, stated)))
    print(
        f'load_dataset("{arguments.out}", "{challenge.CONFIG}", split="test") reads it; '
        f"`dnc list stats {arguments.out}` counts it"
    )
    return 0


class Asked(NamedTuple):
    """A model's result on a part: problems, correct ones, and the 95 % interval of the share."""

    part: str
    problems: int
    right: int
    interval: tuple[float, float]


def _asked(chosen: Sequence[Problem], made: Sequence[Row], name: str) -> list[Asked]:
    """Return a model's results on the seeds, on all variants, and by category and variation."""
    judge = goal.judge(name)
    problems = [*chosen, *(row.problem for row in made)]
    answers = models.ask(models.load(name), [problem.text for problem in problems], name)
    right = {problem.id: judge(problem, answer) for problem, answer in zip(problems, answers, strict=True)}
    parts = {"seed problems": [right[problem.id] for problem in chosen]}
    for row in made:
        own = [
            "challenge set",
            *row.problem.note("category").split("+"),
            *row.problem.note("variation").split("+"),
        ]
        for part in own:
            parts.setdefault(part, []).append(right[row.problem.id])
    first = ("seed problems", "challenge set")
    order = [*first, *sorted(part for part in parts if part not in first)]
    return [
        Asked(
            part,
            len(parts[part]),
            sum(parts[part]),
            intervals.wilson(sum(parts[part]), len(parts[part])),
        )
        for part in order
    ]


def _line(one: Asked) -> list[str]:
    low, high = one.interval
    share = f"{100 * one.right / one.problems:.1f}"
    return [one.part, str(one.problems), share, f"[{100 * low:.1f}, {100 * high:.1f}]"]


def _shown(counts: Iterable[tuple[str, object]]) -> list[list[str]]:
    return [[name, str(count)] for name, count in counts]


def _grid(title: str, header: list[str], lines: Iterable[Sequence[str]]) -> object:
    table = terminal.grid(title, *header)
    for line in lines:
        table.add_row(*line)
    return table

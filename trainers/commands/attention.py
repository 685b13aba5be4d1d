"""`dnc research attention`: the words that a trained Seq2Seq, or its bag-of-words probe, attends to."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dnc_datasets import owned_folder
from dnc_datasets.commands import add_from, console, given_folders
from dnc_datasets.errors import DncError
from dnc_datasets.serving import catalogue
from dnc_trainers import data
from dnc_trainers.commands import require_torch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run", type=Path, help="name the folder of a seq2seq or constrained solver from `dnc research train`"
    )
    parser.add_argument("--data", required=True, help="read the test problems of this config, e.g. asdiv_a")
    parser.add_argument("-n", type=int, default=5, help="show this number of problems (default 5)")
    parser.add_argument(
        "--top", type=int, default=5, help="count this number of words per symbol (default 5)"
    )
    parser.add_argument("--picture", type=Path, help="draw the shown problems as an SVG")
    parser.add_argument("--json", action="store_true", help="print every problem as a JSON line")
    add_from(parser)


def _is_ours(line: str) -> bool:
    return line.startswith("<svg ")


def run(arguments: argparse.Namespace) -> int:
    require_torch()
    from dnc_leaderboard import terminal
    from dnc_trainers import attention
    from dnc_trainers.trained import TrainedSolver, load_solver

    if arguments.picture:
        owned_folder.owned_file(arguments.picture, _is_ours)
    variant = catalogue.find(arguments.data)
    solver = load_solver(arguments.run)
    if not isinstance(solver, TrainedSolver):
        raise DncError(f"{arguments.run} holds a reader; attention is shown of seq2seq and constrained")
    folder = given_folders(arguments).get(variant.dataset)
    attentions = attention.looked(solver, [row.problem for row in data.asked(variant, folder)])
    if arguments.picture:
        picture = attention.picture(attentions[: arguments.n])
        owned_folder.write_owned_text(arguments.picture, picture, _is_ours)
    if arguments.json:
        for one in attentions:
            print(json.dumps({**vars(one), "most": [one.most(at) for at in range(len(one.symbols))]}))
        return 0
    out = console()
    right = sum(one.right for one in attentions)
    counted = terminal.grid(
        f"{len(attentions)} problems of {variant.name}, {right} right: the word looked at most",
        "symbol",
        "times",
        "words",
    )
    for symbol, words in attention.counts(attentions).items():
        total = words.total()
        shown = ", ".join(f"{word} {count / total:.0%}" for word, count in words.most_common(arguments.top))
        counted.add_row(symbol, str(total), shown)
    out.print(counted)
    for one in attentions[: arguments.n]:
        out.print(f"{one.id}: {' '.join(one.words)}", markup=False)
        most = (
            f"{symbol} <- {one.most(at)[0]} {one.most(at)[1]:.2f}" for at, symbol in enumerate(one.symbols)
        )
        out.print(f"  {one.equation} ({'right' if one.right else 'wrong'}): {'; '.join(most)}", markup=False)
    if arguments.picture:
        print(f"drawn in {arguments.picture}")
    return 0

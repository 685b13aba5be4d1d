"""`dnc attack`: search for paraphrases that make a model's right answers wrong."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dnc_datasets import catalogue
from dnc_datasets.attack import models, search
from dnc_datasets.attack.run import Settings, attack
from dnc_datasets.commands import add_from, add_seed, console, given_folders, progress_bar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", help="e.g. tiny or asdiv_a")
    parser.add_argument("--model", required=True, help="package.module:function or lm_eval:BACKEND:ARGUMENTS")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for the adversarial set; resumes there"
    )
    parser.add_argument("--split", default="test", choices=("train", "validation", "test"))
    parser.add_argument("--search", default="full", choices=search.NAMES)
    parser.add_argument("-m", "--most", type=int, default=7, help="paraphrases for each sentence (default 7)")
    parser.add_argument(
        "--budget", type=int, default=1000, help="most queries for one problem (default 1000)"
    )
    parser.add_argument(
        "--with", dest="recipes", nargs="*", default=[], help="recipes to lay over, e.g. verbosity"
    )
    parser.add_argument("--paraphraser", default="", help="a Hugging Face seq2seq model instead of the rules")
    parser.add_argument("-n", type=int, default=0, help="only the first N problems")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    settings = Settings(
        arguments.dataset,
        arguments.model,
        arguments.search,
        arguments.most,
        arguments.budget,
        arguments.seed,
        tuple(arguments.recipes),
        arguments.paraphraser,
    )
    splits = catalogue.read(arguments.dataset, given=given_folders(arguments).get(arguments.dataset))
    problems = splits[arguments.split][: arguments.n or None]
    model = models.load(arguments.model)
    with progress_bar("attacking", len(problems)) as advance:
        report = attack(problems, model, settings, arguments.out, advance)
    figures = report.figures()
    if arguments.json:
        print(json.dumps(figures))
        return 0
    from rich.table import Table

    table = Table(title=f"{arguments.search} search against {arguments.model}")
    table.add_column("")
    table.add_column(arguments.dataset, justify="right")
    for name, value in figures.items():
        shown = "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
        table.add_row(name.replace("_", " "), shown)
    console().print(table)
    console().print(f'load_dataset("{arguments.out}", "adversarial") reads the adversarial set')
    return 0

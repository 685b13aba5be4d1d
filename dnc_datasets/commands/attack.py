"""`dnc research attack`: search for paraphrases that make a model's right answers wrong."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dnc_datasets import model_names, perturbations
from dnc_datasets.attack import models, search
from dnc_datasets.attack.attempt import Settings
from dnc_datasets.attack.run import attack
from dnc_datasets.commands import add_from, add_model, add_seed, console, given_folders, progress_bar
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", help="name the word problems: tiny, asdiv_a, asdiv_a-fold0 ...")
    add_model(parser, required=True)
    parser.add_argument(
        "--out",
        metavar="PATH",
        type=Path,
        required=True,
        help="write the adversarial set to this folder; resumes there",
    )
    parser.add_argument(
        "--split",
        default="test",
        choices=("train", "validation", "test"),
        help="attack this split (default test; use train for `dnc research train --extra-train`)",
    )
    parser.add_argument(
        "--search",
        default="full",
        choices=search.NAMES,
        help="choose the search: full (all combinations), greedy (sentence by sentence) or beam (default full)",
    )
    parser.add_argument(
        "-m",
        "--most",
        type=int,
        default=7,
        help="try at most this number of paraphrases per sentence (default 7)",
    )
    parser.add_argument(
        "--budget", type=int, default=1000, help="limit the queries per problem (default 1000)"
    )
    parser.add_argument(
        "--with",
        dest="recipes",
        nargs="+",
        default=[],
        metavar="RECIPE",
        help="stack these perturbations on the paraphrases, e.g. verbosity language+type",
    )
    parser.add_argument(
        "--paraphraser", default="", metavar="hf:NAME", help="use a seq2seq model instead of the rules"
    )
    parser.add_argument("-n", type=int, default=0, help="attack only the first N problems")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
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
        model_names.pretrained(arguments.paraphraser),
        arguments.split,
    )
    problems = _problems(arguments)
    model = models.load(arguments.model)
    with progress_bar("attacking", len(problems)) as advance:
        report = attack(problems, model, settings, arguments.out, advance)
    figures = report.figures()
    if arguments.json:
        print(json.dumps(figures))
        return 0
    from rich.table import Table

    table = Table(title=f"{settings.search} search against {settings.model}")
    table.add_column("")
    table.add_column(arguments.dataset, justify="right")
    for name, value in figures.items():
        shown = "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
        table.add_row(name.replace("_", " "), shown)
    console().print(table)
    print(
        f'load_dataset("{arguments.out}", "adversarial", split="{arguments.split}") reads the adversarial set'
    )
    return 0


def _problems(arguments: argparse.Namespace) -> list[Problem]:
    """Return the problems to attack: those of an original, in English prose."""
    variant = catalogue.find(arguments.dataset)
    if variant.recipe:
        raise DncError(
            f"{variant.name} is perturbed already; attack {variant.original.name} and lay the perturbation "
            f"over it: --with {variant.recipe}"
        )
    source = variant.source
    if catalogue.why_not(perturbations.get("paraphrase"), source):
        raise DncError(
            f"{variant.dataset} is a {source.shape} dataset (language {source.language}); "
            "paraphrases are made for English word problems, e.g. tiny or asdiv_a"
        )
    splits = catalogue.read(variant.dataset, variant.fold, given_folders(arguments).get(variant.dataset))
    if not splits.get(arguments.split):
        raise DncError(f"{variant.name} has no {arguments.split} split; it has {', '.join(splits)}")
    return splits[arguments.split][: arguments.n or None]

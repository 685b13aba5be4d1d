"""`dnc eval shrink`: find the smallest change that still makes a model fail on a perturbed row."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from dnc_datasets.commands import add_from, add_model, add_seed, given_folders
from dnc_datasets.errors import DncError, UnknownNameError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", help="name a perturbed config, e.g. tiny-type+verbosity-attack")
    parser.add_argument("id", help="name a test row on which the model fails")
    add_model(parser, required=True)
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    add_from(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    from dnc_datasets.attack import models
    from dnc_datasets.perturbations.statements.neighbours import Neighbours
    from dnc_datasets.problem import Problem, to_row
    from dnc_datasets.serving import catalogue
    from dnc_harness import shrink
    from dnc_metrics import replies

    variant = catalogue.find(arguments.config)
    if not variant.recipe:
        raise DncError(
            f"{arguments.config} is an original; name a perturbed config, e.g. tiny-verbosity-attack"
        )
    if variant.source.shape != "word_problem":
        raise DncError(
            f"{variant.dataset} is a {variant.source.shape} dataset; shrinking asks whole word problems"
        )
    source_folder = given_folders(arguments).get(variant.dataset)
    problems = {
        item.id: item for item in catalogue.read(variant.dataset, variant.fold, source_folder)["test"]
    }
    if arguments.id not in problems:
        raise UnknownNameError("row", arguments.id, problems)
    model = models.load(arguments.model)

    def fails(candidate: Problem) -> bool:
        (answer,) = models.ask(model, [candidate.text], arguments.model)
        return not replies.score(to_row(candidate), answer).lenient

    problem = problems[arguments.id]
    neighbours = Neighbours(problems.values(), seed=arguments.seed, dataset=variant.dataset)
    smallest = shrink.shrink(problem, variant, fails, neighbours, seed=arguments.seed)
    if arguments.json:
        summary = {
            "id": problem.id,
            "steps": smallest.steps,
            "changes": [asdict(item) for item in smallest.changes],
        }
        print(
            json.dumps(
                {**summary, "of": smallest.of, "queries": smallest.queries, "row": to_row(smallest.problem)}
            )
        )
        return 0
    print(
        f"{problem.id}: {len(smallest.changes)} of {smallest.of} changes of {'+'.join(smallest.steps)} are enough"
    )
    for change in smallest.changes:
        print(
            f"  {change.field}: {change.before.strip() or '(nothing)'} -> {change.after.strip() or '(nothing)'}"
        )
    print(smallest.problem.text)
    print(f"({smallest.queries} queries)")
    return 0

"""`dnc eval severity`: accuracy against the strength of a perturbation, on the same rows, with a band."""

from __future__ import annotations

import argparse
from dataclasses import replace

from dnc_datasets.commands import add_seed, console
from dnc_harness import listing
from dnc_harness.commands import eval as evaluating
from dnc_harness.errors import HarnessError

_BAR = 40
_PICTURE = "severity.svg"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", help="name a dataset, e.g. tiny or asdiv_a")
    parser.add_argument(
        "--with", dest="recipe", required=True, metavar="RECIPE",
        help="vary distribution or verbosity (five means) or extra (one to five sentences), or stack several: "
        "type,verbosity,extra",
    )  # fmt: skip
    parser.add_argument("--over", metavar="NAME=V1,V2,...", help="vary another parameter over these values")
    parser.add_argument("--prompt", choices=listing.PROMPTS, default=listing.DIRECT, help="choose the prompt")
    evaluating.add_model_arguments(parser)
    add_seed(parser)


def run(arguments: argparse.Namespace) -> int:
    settings = evaluating.settings(arguments)
    from dnc_harness import data, evaluate, severity
    from dnc_leaderboard import charts
    from dnc_leaderboard.figures import interval, percent
    from dnc_leaderboard.terminal import grid
    from dnc_metrics import record

    strengths = severity.strengths(arguments.recipe, arguments.dataset, _over(arguments.over))
    built = data.folder(arguments.built)
    sets = severity.sets(arguments.dataset, strengths, built, arguments.prompt, arguments.seed)
    result = evaluate.run(settings, sets)
    curve = severity.curve(result, arguments.dataset, arguments.recipe, arguments.prompt, strengths)
    result = replace(result, curves=(curve,))
    title = f"{result.system.name} on {arguments.dataset}: accuracy in % by strength, {curve.n} rows"
    with evaluate.opened(arguments.out) as folder:
        folder.write_text(record.FILE_NAME, result.text())
        picture = folder.write_text(_PICTURE, charts.curves(title, {result.system.name: curve.strengths}))
    if arguments.json:
        print(result.text(), end="")
        return 0
    table = grid(title, "strength", "accuracy", "band", "")
    for point in curve.strengths:
        low, high = (round(_BAR * end) for end in point.band)
        at = round(_BAR * point.accuracy)
        bar = "".join("●" if x == at else "─" if low <= x <= high else " " for x in range(_BAR + 1))
        table.add_row(point.name, percent(point.accuracy), interval(point.band), bar)
    console().print(table)
    print(f"{picture} shows it; `dnc report {arguments.out}` has it on a page, with the drops")
    return 0


def _over(text: str | None) -> tuple[str, list[float]] | None:
    if text is None:
        return None
    name, _, values = text.partition("=")
    try:
        numbers = [float(value) for value in values.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) < 2:
        raise HarnessError(
            f"--over {text}: write a parameter and two or more numbers, e.g. --over mu=10,100,1000"
        )
    return name, [int(value) if value == int(value) else value for value in numbers]

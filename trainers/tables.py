"""Tables of results as Markdown: drops under attack, models trained on perturbed problems, folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dnc_datasets import escaping
from dnc_datasets.serving import catalogue
from dnc_metrics.baselines import BASELINES
from dnc_metrics.robustness import Comparison
from dnc_trainers.pooling import compared, share, share_interval
from dnc_trainers.results import ANSWER, EQUATION, Result


def markdown(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table: the first column left-aligned, the others right-aligned."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    body = ([escaping.markdown(text) for text in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in (header, rule, *body))


def percent(share: float | None) -> str:
    """Format a share in percent: 0.5549 -> 55.5"""
    return "" if share is None else f"{100 * share:.1f}"


def interval(pair: tuple[float, float]) -> str:
    """Format an interval in percent: (0.1, 0.25) -> [10.0, 25.0]"""
    low, high = map(_points, pair)
    return f"[{low:.1f}, {high:.1f}]"


def change(share: float) -> str:
    """Format a change in percent with its sign: 0.125 -> +12.5"""
    return f"{_points(share):+.1f}"


def _points(share: float) -> float:
    """Return a share in percent with one decimal; adding 0.0 turns -0.0 into 0.0."""
    return round(100 * share, 1) + 0.0


def validation_accuracy(results: Sequence[Result]) -> float:
    """Return the accuracy on validation problems of the clean trainings, over all their folds and seeds."""
    runs = {
        (result.data, result.seed): result.training
        for result in results
        if not catalogue.find(result.train).recipe
    }
    rows = sum(run.validation_rows for run in runs.values())
    return sum(run.validation_accuracy * run.validation_rows for run in runs.values()) / rows if rows else 0.0


def _by_test(results: Sequence[Result]) -> tuple[list[Result], dict[tuple[str, str], list[Result]]]:
    """Return the fair results, and those with the epoch chosen on test by training and test set."""
    chosen: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if result.training.chosen_on_test:
            chosen.setdefault((result.data, result.test), []).append(result)
    return [result for result in results if result.is_fair], chosen


def _with_baselines(
    header: Sequence[str], lines: list[list[str]], results: Sequence[Result]
) -> Sequence[str]:
    """Return the header with a column for each rule baseline of readers; add the figures to `lines`."""
    names = list(dict.fromkeys(name for result in results for name in _baseline_names(result)))
    for line, result in zip(lines, results, strict=True):
        line += [percent(result.cell.baselines.get(name)) for name in names]
    return (*header, *names)


def _baseline_names(result: Result) -> list[str]:
    """Return the baselines of a reader that are not constant answers."""
    return [name for name in result.cell.baselines if name not in BASELINES]


def _with_test_chosen(
    header: Sequence[str], lines: list[list[str]], chosen: Mapping[Any, list[Result]], keys: Sequence[Any]
) -> str:
    """Return a table; results whose epoch was chosen on the test set have their own column."""
    if chosen:
        header = (*header, "answer, epoch chosen on test")
        lines = [
            [*line, percent(share(chosen[key])) if key in chosen else ""]
            for line, key in zip(lines, keys, strict=True)
        ]
    return markdown(header, lines) if lines else ""


def fair(results: Sequence[Result]) -> list[Result]:
    """Return the results whose epoch was not chosen on the test set."""
    return _by_test(results)[0]


def clean_results(results: Sequence[Result], name: str) -> list[Result]:
    """Return the results of a config's clean models on its clean test set."""
    return [result for result in fair(results) if result.train == result.test == name]


def attacked_results(results: Sequence[Result], name: str) -> dict[str, list[Result]]:
    """Map each perturbation to the results of the config's clean models on its perturbed test set."""
    by_recipe: dict[str, list[Result]] = {}
    for result in fair(results):
        variant = result.tested
        if result.train == name == variant.original.name and variant.setting == "attack":
            by_recipe.setdefault(variant.recipe, []).append(result)
    return by_recipe


def attack_table(results: Sequence[Result], clean_name: str) -> str:
    """Tabulate accuracy, drop and relative drop under every attack, by answers, and accuracy of equations."""
    _, chosen = _by_test(results)
    clean, attacked = clean_results(results, clean_name), attacked_results(results, clean_name)
    if not clean or not attacked:
        return ""
    answers, equations = (compared(clean, attacked, score) for score in (ANSWER, EQUATION))
    changed = compared(clean, attacked, changed=True)
    lines = [["(clean)", percent(share(clean, EQUATION)), percent(share(clean)), *[""] * 6]]
    # A model with additional training data has its own name.
    trained = clean[0].data
    keys = [(trained, clean_name), *((trained, attacked[name][0].test) for name in answers)]
    for name, result in answers.items():
        lines.append(
            [
                name,
                percent(equations[name].perturbed),
                percent(result.perturbed),
                f"{100 * result.drop:.1f}",
                percent(result.relative_drop),
                *_changed_row_figures(changed.get(name)),
            ]
        )
    header = (
        "attack", "equation (same)", "answer", "drop", "relative drop", "changed rows", "drop on these",
        "95 % interval", "verdict",
    )  # fmt: skip
    named = _with_baselines(header, lines, [clean[0], *(attacked[name][0] for name in answers)])
    return _with_test_chosen(named, lines, chosen, keys)


def _changed_row_figures(result: Comparison | None) -> tuple[str, str, str, str]:
    """Return the number of changed rows of an attack over all seeds, the drop, its interval, the verdict."""
    if result is None:
        return "0", "", "", "no row changed"
    return (
        str(result.pairs), f"{100 * result.drop:.1f}", interval(result.drop_interval), str(result.verdict),
    )  # fmt: skip


def defense_table(results: Sequence[Result], clean_name: str) -> str:
    """Tabulate the accuracy of models trained on perturbed data, on test data perturbed in the same way."""
    results, chosen = _by_test(results)
    clean = clean_results(results, clean_name)
    lines, keys, results_shown = [], [], []
    for result in results:
        if result.training.tau or result.tested.setting not in ("defense", "augment"):
            continue
        variant = catalogue.find(result.train)
        if variant.setting in ("defense", "augment") and variant.original.name == clean_name:
            keys.append((result.data, result.test, result.seed))
            results_shown.append(result)
            own = [c for c in clean if c.seed == result.seed]
            before = share(own) if own else None
            more = "" if before is None else change(result.accuracy - before)
            lines.append(
                [
                    f"{variant.recipe} ({variant.setting})",
                    percent(result.share(EQUATION)),
                    percent(result.accuracy),
                    more,
                    str(result.seed),
                ]
            )
    header = ("trained on", "equation (same)", "answer", "against clean", "seed")
    by_seed = {
        (train, test, result.seed): [result] for (train, test), found in chosen.items() for result in found
    }
    return _with_test_chosen(_with_baselines(header, lines, results_shown), lines, by_seed, keys)


def augment_table(results: Sequence[Result], clean_name: str) -> str:
    """Tabulate models trained with a share of perturbed problems, beside the clean model of the same seed."""
    results, _ = _by_test(results)
    plain = {
        (result.seed, result.test): result
        for result in results
        if result.train == clean_name and not result.training.tau
    }
    mixed = [result for result in results if result.training.tau and result.data.startswith(f"{clean_name}+")]
    lines = []
    for result in mixed:
        before = plain.get((result.seed, result.test))
        lines.append(
            [
                f"{result.training.tau:g}",
                result.test,
                percent(result.share(EQUATION)),
                percent(result.accuracy),
                percent(before.accuracy) if before else "",
                percent(result.training.validation_accuracy),
                str(result.seed),
            ]
        )
    header = (
        "tau",
        "tested on",
        "equation (same)",
        "answer",
        "answer of the clean model",
        "validation",
        "seed",
    )
    return markdown(header, lines) if lines else ""


def fold_table(results: Sequence[Result], dataset: str) -> str:
    """Tabulate the accuracy of each solver by fold over its seeds, and over all rows with an interval."""
    folds = catalogue.find(dataset).source.folds
    results, chosen = _by_test(results)
    lines, keys = [], []
    for solver in dict.fromkeys(result.model for result in results):
        own = [result for result in results if result.model == solver and result.train == result.test]
        by_fold = [[result for result in own if result.test == f"{dataset}-{fold}"] for fold in folds]
        there = [result for fold in by_fold for result in fold]
        if there:
            keys.append(solver)
            lines.append(
                [
                    solver,
                    *(percent(share(fold)) if fold else "" for fold in by_fold),
                    percent(share(there)),
                    interval(share_interval(there)),
                    percent(share(there, EQUATION)),
                ]
            )
    header = ("solver", *folds, "all rows", "95 % interval", "equation (same)")
    by_solver: dict[Any, list[Result]] = {}
    names = {f"{dataset}-{fold}" for fold in folds}
    for result in (result for found in chosen.values() for result in found):
        if result.train == result.test and result.test in names:
            by_solver.setdefault(result.model, []).append(result)
    return _with_test_chosen(header, lines, by_solver, keys)

"""Break-downs of a test set: accuracy by kind of problem, Easy and Hard, and the weight of each kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_metrics import capabilities, intervals, verdicts
from dnc_trainers.pooling import clusters, compared, outcomes, row_of, share
from dnc_trainers.results import ANSWER, EQUATION, Result
from dnc_trainers.tables import attacked_results, change, clean_results, fair, interval, markdown, percent

BREAKDOWNS = ("type", "operation", "operators", "quantities", "grade", "variation", "category", "shows")
# Kinds for which the accuracy without their rows is computed.
WEIGHED = ("type", "variation", "category")
_TYPES = {"+": "addition", "-": "subtraction", "*": "multiplication", "/": "division"}
Labels = Mapping[str, Sequence[str]]


def problem_labels(kind: str) -> Callable[[Problem], Sequence[str]]:
    """Return the function that labels a problem by `kind`.

    `kind` is `type` (the last operation, or the type that the source states), `operators`, `quantities`,
    `operation`, or a key of the problem's meta data.
    """

    def labels(problem: Problem) -> Sequence[str]:
        if kind == "type" and problem.note("type"):
            return (problem.note("type").lower().removeprefix("common-"),)
        if kind in ("type", "operators", "operation"):
            return (_equation_label(kind, problem.equation),)
        if kind == "quantities":
            return (str(len(problem.quantities())),)
        # The published labels repeat a name on some rows.
        return tuple(dict.fromkeys(problem.note(kind, "none").split("+")))

    return labels


def _equation_label(kind: str, equation: str) -> str:
    try:
        tree = expression.parse(equation)
    except ExpressionError:
        return "none"
    if kind == "operators":
        return str(len(tree.operators))
    if kind == "operation":
        return "".join(sorted(set(tree.operators))) or "none"
    return _TYPES.get(tree.prefix().split()[0], "none")


def labels_of(problems: Sequence[Problem], kind: str) -> Labels:
    """Return the labels of every row id, or an empty dict if all rows share one label."""
    label = problem_labels(kind)
    labels = {problem.id: label(problem) for problem in problems}
    return labels if len({name for some in labels.values() for name in some}) > 1 else {}


def breakdown(result: Result, labels: Labels) -> list[tuple[str, int, float]]:
    """Return (label, rows, accuracy) for each label; `labels` maps every row id to its labels."""
    rows: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for row, outcome in result.outcomes.items():
        for label in labels[row]:
            rows[label] += 1
            right[label] += outcome.right
    return [(label, count, right[label] / count) for label, count in sorted(rows.items())]


def easy_hard(full: Result, without_question: Result) -> list[tuple[str, int, float]]:
    """Return the accuracy on easy rows, which the model solves without the question, and on hard ones."""
    labels = {
        row: ("easy" if outcome.right else "hard",) for row, outcome in without_question.outcomes.items()
    }
    return breakdown(full, labels)


def breakdown_tables(
    full: Mapping[str, Result], blind: Mapping[str, Result], problems: Sequence[Problem]
) -> str:
    """Return tables by every kind of BREAKDOWNS, one column per name in `full`, then Easy and Hard.

    `blind` holds the results of the same models on the problems without their questions.
    """
    tables = []
    for kind in BREAKDOWNS:
        if labels := labels_of(problems, kind):
            tables.append(
                _table(f"by {kind}", {name: breakdown(result, labels) for name, result in full.items()})
            )
    split = {name: easy_hard(result, blind[name]) for name, result in full.items() if name in blind}
    if split:
        tables.append(_table("easy: solved without the question (rows differ by model)", split))
    return "\n".join(tables)


def weight_table(results: Sequence[Result], labels: Labels, kind: str) -> str:
    """Tabulate the rows and accuracy of each label, and the change of the total accuracy without its rows.

    `results` are those of one model, of one or more seeds, on the same rows. Intervals are over problems.
    """
    right: Counter[str] = Counter()
    for result in results:
        for row, outcome in result.outcomes.items():
            right[row] += outcome.right
    rows, hits = list(right), list(right.values())
    sizes, whole = [len(results)] * len(rows), share(results)
    lines = [["(all)", str(len(rows)), percent(whole), interval(_share(sizes, hits)), "", ""]]
    for label in sorted({name for row in rows for name in labels[row]}):
        has = [label in labels[row] for row in rows]
        inside = [hit for hit, here in zip(hits, has, strict=True) if here]
        outside = [hit for hit, here in zip(hits, has, strict=True) if not here]
        line = [label, str(len(inside)), percent(sum(inside) / (len(inside) * len(results)))]
        line.append(interval(_share(sizes[: len(inside)], inside)))
        if outside:
            without = sum(outside) / (len(outside) * len(results))
            ends = interval(intervals.taken_out(sizes, hits, has))
            line += [change(without - whole), ends]
        lines.append(line + [""] * (6 - len(line)))
    return markdown(
        (kind, "rows", "accuracy", "95 % interval", "change when taken out", "95 % interval"), lines
    )


def _share(sizes: Sequence[int], right: Sequence[int]) -> tuple[float, float]:
    """Return Wilson's interval for one seed, or a bootstrap interval over problems for several."""
    if set(sizes) == {1}:
        return intervals.wilson(sum(right), len(sizes))
    return intervals.bootstrap(sizes, right)


def _table(title: str, columns: Mapping[str, Sequence[tuple[str, int, float]]]) -> str:
    counts = {label: count for rows in columns.values() for label, count, _ in rows}
    shared = all(counts[label] == count for rows in columns.values() for label, count, _ in rows)
    shares = {name: {label: (count, part) for label, count, part in rows} for name, rows in columns.items()}

    def shown(entry: tuple[int, float] | None) -> str:
        if entry is None:
            return ""
        return percent(entry[1]) if shared else f"{percent(entry[1])} ({entry[0]})"

    lines = [
        [label, str(count) if shared else "", *(shown(of.get(label)) for of in shares.values())]
        for label, count in sorted(counts.items())
    ]
    return markdown((title, "rows", *shares), lines)


# The "+" between a config and the data added to it (`protocol.Job.data`). A recipe may contain a "+" too.
_MORE = re.compile(r"\+(?=added_|[0-9])")
By = Mapping[str, Sequence[Result]]


def defended_results(
    results: Sequence[Result], name: str, setting: str = "defense"
) -> dict[str, list[Result]]:
    """Map each perturbation to the results of models trained and tested on problems perturbed by it."""
    by_recipe: dict[str, list[Result]] = {}
    for result in fair(results):
        if result.train == result.test:
            variant = result.tested
            if variant.setting == setting and variant.original.name == name:
                by_recipe.setdefault(variant.recipe, []).append(result)
    return by_recipe


def stage_table(results: Sequence[Result], name: str) -> str:
    """Tabulate the mean drop and recovery of each stage and, below it, of its capabilities.

    A mean is over perturbations; its interval is over problems. Recovery is the mean gain, under the attack,
    of a model trained on perturbed problems over the clean one. It is over perturbations that have both.
    """
    clean, attacked, defended = (
        clean_results(results, name),
        attacked_results(results, name),
        defended_results(results, name),
    )
    if not clean or not attacked:
        return ""
    of = {recipe: found[0].tested.capability for recipe, found in attacked.items()}
    lines = []
    for stage in capabilities.STAGES:
        parts = [(stage, capabilities.of_stage(stage))]
        parts += [(f"· {one.replace('_', ' ')}", (one,)) for one in capabilities.of_stage(stage)]
        for title, members in parts:
            recipes = [recipe for recipe, capability in of.items() if capability in members]
            if recipes:
                before = dict.fromkeys(recipes, clean)
                drop = _mean_change(before, attacked, recipes)
                both = [recipe for recipe in recipes if recipe in defended]
                back = _mean_change(defended, attacked, both) if both else ("", "")
                lines.append([title, ", ".join(recipes), *drop, ", ".join(both), *back])
    header = (
        "stage",
        "perturbations",
        "mean drop",
        "95 % interval",
        "defended",
        "recovered",
        "95 % interval",
    )
    return markdown(header, lines) if lines else ""


def _mean_change(before: By, after: By, recipes: Sequence[str]) -> tuple[str, str]:
    """Return the mean over perturbations of (before - after), over the seeds in both, and its interval."""
    together = clusters([result for recipe in recipes for result in before[recipe]])
    gone: list[int] = []
    rows: list[str] = []
    for recipe in recipes:
        first, second = outcomes(before[recipe]), outcomes(after[recipe])
        for key in sorted(first.keys() & second.keys()):
            row = row_of(key)
            gone.append(int(first[key]) - int(second[key]))
            rows.append(together.get(row, row))
    if not gone:
        return "", ""
    ends = verdicts.interval(verdicts.sample(gone, rows))
    return f"{100 * sum(gone) / len(gone):.1f}", interval(ends)


def cross_table(results: Sequence[Result], name: str) -> str:
    """Tabulate the accuracy of every model on every test set, and its difference to the clean model.

    All models answer the same rows of a test set, so differences are paired. They show the cost of a
    defense on clean problems and its effect under other attacks.
    """
    by: dict[str, dict[str, list[Result]]] = {}
    for result in fair(results):
        tested, trained = result.tested, _training_label(result, name)
        if tested.original.name == name and trained:
            by.setdefault(trained, {}).setdefault(tested.recipe or "clean", []).append(result)
    # With --also-train no model is trained on clean problems alone. The baseline then has added data too.
    first = min((name for name in by if name.startswith("clean") and "tau" not in name), key=len, default="")
    plain = by.pop(first, {})
    tests = list(dict.fromkeys([*plain, *(test for found in by.values() for test in found)]))
    if not plain or not any(len(found) > 1 for found in by.values()):
        return ""
    lines = [[first, *(percent(share(plain[test])) if test in plain else "" for test in tests)]]
    for trained, found in by.items():
        line = [trained]
        for test in tests:
            entry = percent(share(found[test])) if test in found else ""
            if test in found and test in plain:
                own = {result.seed for result in found[test]}
                before = [result for result in plain[test] if result.seed in own]
                drop = compared(before, {"": found[test]})[""] if before else None
                if drop:
                    low, high = drop.drop_interval
                    entry += f" ({change(-drop.drop)} {interval((-high, -low))})"
            line.append(entry)
        lines.append(line)
    return markdown(("trained on", *(f"on {test}" for test in tests)), lines)


def _training_label(result: Result, name: str) -> str:
    """Return a label for a model's training data; empty if the data is of another dataset."""
    config, *more = _MORE.split(result.data, maxsplit=1)
    variant = catalogue.find(config)
    if variant.original.name != name:
        return ""
    own = f"{variant.recipe} ({variant.setting})" if variant.recipe else "clean"
    added = f"tau {result.training.tau:g}" if result.training.tau else "".join(more)
    return f"{own} + {added}" if added else own


def side_by_side(settings: Mapping[str, Sequence[Result]], name: str) -> str:
    """Tabulate the drops of one solver under several settings, one column each, by equation and by answer."""
    parts = []
    for score in (ANSWER, EQUATION):
        columns: dict[str, dict[str, str]] = {}
        for setting, results in settings.items():
            clean, attacked = clean_results(results, name), attacked_results(results, name)
            if not clean:
                continue
            columns[setting] = {"(clean, accuracy)": percent(share(clean, score))}
            for recipe, comparison in (compared(clean, attacked, score) if attacked else {}).items():
                columns[setting][recipe] = f"{100 * comparison.drop:.1f} {interval(comparison.drop_interval)}"
        rows = list(dict.fromkeys(row for column in columns.values() for row in column))
        lines = [[row, *(column.get(row, "") for column in columns.values())] for row in rows]
        parts.append(markdown((f"drop of the {score}", *columns), lines) if lines else "")
    return "\n".join(filter(None, parts))

"""Summaries over many cells: the two stages and recovery, every model on every test set, settings side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from dnc_datasets.serving import catalogue
from dnc_metrics import intervals, paired, stages
from dnc_trainers.protocol import RIGHT, SAME_EQUATION
from dnc_trainers.tables import (
    Cell,
    attacked_cells,
    change,
    clean_cells,
    clusters_of,
    compared,
    config_of,
    fair,
    interval,
    markdown,
    percent,
    pooled,
    share,
)

# Between a config, whose recipe may have a + too, and what was added to it (`protocol.Job.data`).
_MORE = re.compile(r"\+(?=added_|[0-9])")
By = Mapping[str, Sequence[Cell]]


def defended_cells(cells: Sequence[Cell], name: str, setting: str = "defense") -> dict[str, list[Cell]]:
    """Perturbation -> the cells of models trained on problems perturbed so, on their own tests."""
    found: dict[str, list[Cell]] = {}
    for cell in fair(cells):
        if config_of(cell) == cell["test"]:
            variant = catalogue.find(cell["test"])
            if variant.setting == setting and variant.original.name == name:
                found.setdefault(variant.recipe, []).append(cell)
    return found


def stage_table(cells: Sequence[Cell], name: str) -> str:
    """The mean drop of each stage and, below it, of its capabilities; and how much of it a defense takes back.

    A mean is over perturbations; its interval is over problems. Recovery is the mean, over the perturbations that
    have both, of what a model trained on perturbed problems has more than the clean one under the attack.
    """
    clean, attacked, defended = (
        clean_cells(cells, name),
        attacked_cells(cells, name),
        defended_cells(cells, name),
    )
    if not clean or not attacked:
        return ""
    of = {recipe: catalogue.find(found[0]["test"]).capability for recipe, found in attacked.items()}
    lines = []
    for stage in stages.STAGES:
        parts = [(stage, stages.capabilities(stage))]
        parts += [(f"· {one.replace('_', ' ')}", (one,)) for one in stages.capabilities(stage)]
        for title, capabilities in parts:
            recipes = [recipe for recipe, capability in of.items() if capability in capabilities]
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
    """The mean over perturbations of (before - after), over the seeds that both have, with its interval."""
    together = clusters_of([cell for recipe in recipes for cell in before[recipe]])
    gone: list[int] = []
    rows: list[str] = []
    for recipe in recipes:
        first, second = pooled(before[recipe]), pooled(after[recipe])
        for key in sorted(first.keys() & second.keys()):
            row = key.split("/", 1)[1]
            gone.append(int(first[key]) - int(second[key]))
            rows.append(together.get(row, row))
    if not gone:
        return "", ""
    ends = paired.evidence(gone, rows, intervals.ALPHA).interval
    return f"{100 * sum(gone) / len(gone):.1f}", interval(ends)


def cross_table(cells: Sequence[Cell], name: str) -> str:
    """Every model on every test set: accuracy, and in brackets how much more it has than the clean model there.

    Each test set is the same rows for all models, so that what a defense costs on clean problems, and whether it
    helps under another attack, is told by pairs.
    """
    by: dict[str, dict[str, list[Cell]]] = {}
    for cell in fair(cells):
        tested, trained = catalogue.find(cell["test"]), _trained(cell, name)
        if tested.original.name == name and trained:
            by.setdefault(trained, {}).setdefault(tested.recipe or "clean", []).append(cell)
    # With --also-train no model is trained on the clean problems alone: then on them and what was added to all.
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
                own = {cell["seed"] for cell in found[test]}
                before = [cell for cell in plain[test] if cell["seed"] in own]
                told = compared(before, {"": found[test]})[""] if before else None
                if told:
                    low, high = told.drop_interval
                    entry += f" ({change(-told.drop)} {interval((-high, -low))})"
            line.append(entry)
        lines.append(line)
    return markdown(("trained on", *(f"on {test}" for test in tests)), lines)


def _trained(cell: Cell, name: str) -> str:
    """What tells a model's training data from the clean ones of the config; empty for another config."""
    config, *more = _MORE.split(str(cell["train"]), maxsplit=1)
    variant = catalogue.find(config)
    if variant.original.name != name:
        return ""
    own = f"{variant.recipe} ({variant.setting})" if variant.recipe else "clean"
    added = f"tau {cell['tau']:g}" if cell.get("tau") else "".join(more)
    return f"{own} + {added}" if added else own


def side_by_side(settings: Mapping[str, Sequence[Cell]], name: str) -> str:
    """The drops of one solver under several settings, one column each, of equations and of answers."""
    parts = []
    for title, bit in (("answer", RIGHT), ("equation", SAME_EQUATION)):
        columns: dict[str, dict[str, str]] = {}
        for setting, cells in settings.items():
            clean, attacked = clean_cells(cells, name), attacked_cells(cells, name)
            if not clean:
                continue
            columns[setting] = {"(clean, accuracy)": percent(share(clean, bit))}
            for recipe, told in (compared(clean, attacked, bit) if attacked else {}).items():
                columns[setting][recipe] = f"{100 * told.drop:.1f} {interval(told.drop_interval)}"
        rows = list(dict.fromkeys(row for column in columns.values() for row in column))
        lines = [[row, *(column.get(row, "") for column in columns.values())] for row in rows]
        parts.append(markdown((f"drop of the {title}", *columns), lines) if lines else "")
    return "\n".join(filter(None, parts))

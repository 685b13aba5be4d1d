"""Tables of protocol cells as Markdown: drops under attack, models trained on perturbed problems, folds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dnc_datasets import markup
from dnc_datasets.serving import catalogue
from dnc_metrics import intervals
from dnc_metrics.robustness import Comparison, table
from dnc_trainers.protocol import PERTURBED, RIGHT, SAME_EQUATION

Cell = Mapping[str, Any]


def config_of(cell: Cell) -> str:
    """The config that a cell's model was trained on, without the name of what was added to it."""
    return str(cell["train"]).partition("+added_")[0]


def markdown(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, the others to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    cells = ([markup.markdown(cell) for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in (header, rule, *cells))


def percent(share: float | None) -> str:
    """0.5549 -> 55.5"""
    return "" if share is None else f"{100 * share:.1f}"


def interval(pair: tuple[float, float]) -> str:
    """(0.1, 0.25) -> [10.0, 25.0]"""
    low, high = map(_points, pair)
    return f"[{low:.1f}, {high:.1f}]"


def change(share: float) -> str:
    """0.125 -> +12.5"""
    return f"{_points(share):+.1f}"


def _points(share: float) -> float:
    """In percent, to one place; never -0.0, which a sum with 0 takes away."""
    return round(100 * share, 1) + 0.0


def pooled(cells: Sequence[Cell], bit: int = RIGHT) -> dict[str, bool]:
    """The outcomes of several cells, each row under its fold, seed and id."""
    return {
        f"{cell['seed']}/{row}": bool(outcome & bit)
        for cell in cells
        for row, outcome in cell["outcomes"].items()
    }


def share(cells: Sequence[Cell], bit: int = RIGHT) -> float:
    """The share of right rows over all cells."""
    outcomes = pooled(cells, bit)
    return sum(outcomes.values()) / len(outcomes)


def share_interval(cells: Sequence[Cell]) -> tuple[float, float]:
    """The 95 % interval of `share`: Wilson's for one seed, for several a bootstrap over problems."""
    outcomes = pooled(cells)
    right: Counter[str] = Counter()
    seeds: Counter[str] = Counter()
    for key, is_right in outcomes.items():
        row = key.split("/", 1)[1]
        right[row] += is_right
        seeds[row] += 1
    if len(seeds) == len(outcomes):
        return intervals.wilson(sum(right.values()), len(outcomes))
    return intervals.bootstrap([seeds[row] for row in seeds], [right[row] for row in seeds])


def compared(
    clean: Sequence[Cell],
    perturbed: Mapping[str, Sequence[Cell]],
    bit: int = RIGHT,
    *,
    changed: bool = False,
) -> dict[str, Comparison]:
    """Each perturbation against the clean test set of the same seeds, verdicts corrected for their number.

    The outcomes of one problem under several seeds are one cluster, since seeds are no new problems; so are those
    of problems that belong together, such as those of one template. With `changed`, on the rows alone that a
    perturbation changed, as records have it; one that changed none is left out.
    """
    original = pooled(clean, bit)
    together = clusters_of(clean)
    clusters = {key: together.get(row, row) for key in original for row in [key.split("/", 1)[1]]}
    outcomes = {name: pooled(cells, bit) for name, cells in perturbed.items()}
    if changed:
        touched = {name: pooled(cells, PERTURBED) for name, cells in perturbed.items()}
        outcomes = {
            name: {key: right for key, right in found.items() if touched[name][key]}
            for name, found in outcomes.items()
        }
    outcomes = {name: found for name, found in outcomes.items() if found}
    # A record has a line for each capability too, and its intervals hold for all lines together.
    capabilities = {catalogue.find(cells[0]["test"]).capability for cells in perturbed.values()}
    lines = len(perturbed) + len(capabilities) if changed else 0
    return table(original, outcomes, clusters=clusters, lines=lines) if outcomes else {}


def clusters_of(cells: Sequence[Cell]) -> dict[str, str]:
    """Row id -> what the row belongs to, where that is more than itself."""
    return {row: name for cell in cells for row, name in cell.get("clusters", {}).items()}


def _by_test(cells: Sequence[Cell]) -> tuple[list[Cell], dict[tuple[str, str], list[Cell]]]:
    """The fair cells, and those whose epoch was chosen on the test set, by what was trained and tested on."""
    chosen: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        if cell.get("chosen_on_test"):
            chosen.setdefault((cell["train"], cell["test"]), []).append(cell)
    return [cell for cell in cells if not cell.get("chosen_on_test")], chosen


def _with_baselines(header: Sequence[str], lines: list[list[str]], cells: Sequence[Cell]) -> Sequence[str]:
    """The header with a column for each baseline of the cells' readers; `lines` get their figures."""
    names = list(dict.fromkeys(name for cell in cells for name in cell.get("baselines", ())))
    for line, cell in zip(lines, cells, strict=True):
        line += [percent(cell.get("baselines", {}).get(name)) for name in names]
    return (*header, *names)


def _beside(
    header: Sequence[str], lines: list[list[str]], chosen: Mapping[Any, list[Cell]], keys: Sequence[Any]
) -> str:
    """A table with, where there are any, the scores of epochs chosen on the test set as a column of their own."""
    if chosen:
        header = (*header, "answer, epoch chosen on test")
        lines = [
            [*line, percent(share(chosen[key])) if key in chosen else ""]
            for line, key in zip(lines, keys, strict=True)
        ]
    return markdown(header, lines) if lines else ""


def fair(cells: Sequence[Cell]) -> list[Cell]:
    """The cells whose epoch was not chosen on the test set."""
    return _by_test(cells)[0]


def clean_cells(cells: Sequence[Cell], name: str) -> list[Cell]:
    """The clean models of a config on its clean test set."""
    return [cell for cell in fair(cells) if config_of(cell) == cell["test"] == name]


def attacked_cells(cells: Sequence[Cell], name: str) -> dict[str, list[Cell]]:
    """Perturbation -> the clean models of a config on its test set perturbed so."""
    found: dict[str, list[Cell]] = {}
    for cell in fair(cells):
        variant = catalogue.find(cell["test"])
        if config_of(cell) == name == variant.original.name and variant.setting == "attack":
            found.setdefault(variant.recipe, []).append(cell)
    return found


def attack_table(cells: Sequence[Cell], clean_name: str) -> str:
    """Raw accuracy, drop and relative drop under every attack, on answers, with equations beside."""
    _, chosen = _by_test(cells)
    clean, attacked = clean_cells(cells, clean_name), attacked_cells(cells, clean_name)
    if not clean or not attacked:
        return ""
    answers, equations = (compared(clean, attacked, bit) for bit in (RIGHT, SAME_EQUATION))
    changed = compared(clean, attacked, changed=True)
    lines = [["(clean)", percent(share(clean, SAME_EQUATION)), percent(share(clean)), *[""] * 6]]
    # A model that was trained on more has a name of its own.
    trained = clean[0]["train"]
    keys = [(trained, clean_name), *((trained, attacked[name][0]["test"]) for name in answers)]
    for name, result in answers.items():
        lines.append(
            [
                name,
                percent(equations[name].perturbed),
                percent(result.perturbed),
                f"{100 * result.drop:.1f}",
                percent(result.relative_drop),
                *_on_changed(changed.get(name)),
            ]
        )
    header = (
        "attack", "equation", "answer", "drop", "relative drop", "changed rows", "drop on these", "95 % interval",
        "verdict",
    )  # fmt: skip
    named = _with_baselines(header, lines, [clean[0], *(attacked[name][0] for name in answers)])
    return _beside(named, lines, chosen, keys)


def _on_changed(result: Comparison | None) -> tuple[str, str, str, str]:
    """How many rows an attack changed, over all seeds; the drop on them, its interval, and the verdict."""
    if result is None:
        return "0", "", "", "no row changed"
    return (
        str(result.pairs), f"{100 * result.drop:.1f}", interval(result.drop_interval), str(result.verdict),
    )  # fmt: skip


def defense_table(cells: Sequence[Cell], clean_name: str) -> str:
    """Accuracy of models trained on perturbed data, on test data perturbed in the same way."""
    cells, chosen = _by_test(cells)
    clean = clean_cells(cells, clean_name)
    lines, keys, shown = [], [], []
    for cell in cells:
        if cell.get("tau") or catalogue.find(cell["test"]).setting not in ("defense", "augment"):
            continue
        variant = catalogue.find(config_of(cell))
        if variant.setting in ("defense", "augment") and variant.original.name == clean_name:
            keys.append((cell["train"], cell["test"], cell["seed"]))
            shown.append(cell)
            own = [c for c in clean if c["seed"] == cell["seed"]]
            before = share(own) if own else None
            more = "" if before is None else change(cell["accuracy"] - before)
            lines.append(
                [
                    f"{variant.recipe} ({variant.setting})",
                    percent(cell["equation_accuracy"]),
                    percent(cell["accuracy"]),
                    more,
                    str(cell["seed"]),
                ]
            )
    header = ("trained on", "equation", "answer", "against clean", "seed")
    by_seed = {
        (train, test, cell["seed"]): [cell] for (train, test), found in chosen.items() for cell in found
    }
    return _beside(_with_baselines(header, lines, shown), lines, by_seed, keys)


def augment_table(cells: Sequence[Cell], clean_name: str) -> str:
    """Models trained with a share of perturbed problems, beside the clean model of the same seed."""
    cells, _ = _by_test(cells)
    plain = {
        (cell["seed"], cell["test"]): cell
        for cell in cells
        if config_of(cell) == clean_name and not cell.get("tau")
    }
    mixed = [cell for cell in cells if cell.get("tau") and cell["train"].startswith(f"{clean_name}+")]
    lines = []
    for cell in mixed:
        before = plain.get((cell["seed"], cell["test"]))
        lines.append(
            [
                f"{cell['tau']:g}",
                cell["test"],
                percent(cell["equation_accuracy"]),
                percent(cell["accuracy"]),
                percent(before["accuracy"]) if before else "",
                percent(cell["validation_accuracy"]),
                str(cell["seed"]),
            ]
        )
    header = ("tau", "tested on", "equation", "answer", "answer of the clean model", "validation", "seed")
    return markdown(header, lines) if lines else ""


def fold_table(cells: Sequence[Cell], dataset: str) -> str:
    """One line per solver: the accuracy of each fold over its seeds, and over all rows with an interval."""
    folds = catalogue.find(dataset).source.folds
    cells, chosen = _by_test(cells)
    lines, keys = [], []
    for solver in dict.fromkeys(cell["solver"] for cell in cells):
        own = [cell for cell in cells if cell["solver"] == solver and config_of(cell) == cell["test"]]
        by_fold = [[cell for cell in own if cell["test"] == f"{dataset}-{fold}"] for fold in folds]
        there = [cell for fold in by_fold for cell in fold]
        if there:
            keys.append(solver)
            lines.append(
                [
                    solver,
                    *(percent(share(fold)) if fold else "" for fold in by_fold),
                    percent(share(there)),
                    interval(share_interval(there)),
                    percent(share(there, SAME_EQUATION)),
                ]
            )
    header = ("solver", *folds, "all rows", "95 % interval", "equation")
    by_solver: dict[Any, list[Cell]] = {}
    names = {f"{dataset}-{fold}" for fold in folds}
    for cell in (cell for found in chosen.values() for cell in found):
        if config_of(cell) == cell["test"] and cell["test"] in names:
            by_solver.setdefault(cell["solver"], []).append(cell)
    return _beside(header, lines, by_solver, keys)

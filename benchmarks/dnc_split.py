"""The tables of the DNC paper for docs/reproduction.md: models on its splits, attacked and defended."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dnc_metrics
from dnc_datasets.serving import catalogue
from dnc_trainers import searching, tables
from dnc_trainers.protocol import RIGHT, SAME_EQUATION

Cells = Sequence[Mapping[str, Any]]
# The eight perturbations of Xu et al. (2022).
PERTURBATIONS = ("language", "type", "noise", "distribution", "verbosity", "extra", "logic", "order")


@dataclass(frozen=True)
class System:
    """A model of the DNC splits' tables, and the published one that stands beside it."""

    solver: str
    title: str
    published: str
    command: str
    note: str = ""
    dataset: str = "asdiv_a"
    # What it was to be defended against.
    defended: tuple[str, ...] = PERTURBATIONS

    def figures(self) -> dict[tuple[str, str], tuple[float | None, float]]:
        """(setting, perturbation) -> equation (where there is one) and answer accuracy in table 9 of Xu et al."""
        path = Path(dnc_metrics.path("robustness")) / "published.csv"
        with path.open(encoding="utf-8", newline="") as file:
            place = (self.dataset, self.published)
            rows = [row for row in csv.DictReader(file) if (row["dataset"], row["model"]) == place]
        found = {(row["setting"], row["perturbation"], row["target"]): float(row["accuracy"]) for row in rows}
        return {
            (setting, name): (found.get((setting, name, "equation")), found[setting, name, "answer"])
            for setting, name, target in found
            if target == "answer"
        }

    @property
    def heading(self) -> str:
        """What the sections are of."""
        return f"{'The DNC split' if self.dataset == 'asdiv_a' else self.dataset}: {self.title}"


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
        "rules that make *logic* and *order* differ as for Graph2Tree. Defended rows of *language*, *type*, *noise*, "
        "*distribution* and *verbosity* are those of the rules when these cells were run; a few have been mended "
        "since.",
    ),
    System(
        "smollm2",
        "SmolLM2-135M-Instruct",
        "gpt2",
        "dnc protocol --model smollm2 --data asdiv_a --set form=chat --set epochs=2 --set lr=2e-4",
        "Fine-tuned whole, as a chat whose reply is the equation, with the loss on the reply alone "
        "(`python -m dnc_harness.smollm smollm2` makes the folder). The published column is GPT-2 with numbers as "
        "tokens, trained for up to a hundred times the epochs: what may be compared is how the two attacks stand to "
        "each other, and whether a defense helps.",
        defended=("language", "verbosity"),
    ),
    System(
        "flan_t5_small_titles",
        "a flan-T5-small derivative",
        "t5-base",
        "dnc protocol --model flan-t5-small-titles --data drop_num --from drop_num=DIR --set target=answer "
        "--set epochs=1",
        "The number alone as the target, as in the paper. DIR holds a stand-in made of DROP's own questions, cut to "
        "its first 1,000 training and 150 validation questions, where the paper has 42,258; problems longer than the "
        "model's 512 pieces are left out of training and count as wrong. One epoch on so few taught little: "
        "what is next to nothing cannot fall far, and no drop may be compared.",
        dataset="drop_num",
        defended=(),
    ),
)


def attacks(system: System, cells: Cells) -> str:
    """A model on the DNC split under every attack."""
    own = [c for c in cells if _is(c, system) and c["train"] == system.dataset]
    clean = [c for c in own if c["test"] == system.dataset]
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
    head = [_shown(start[0]), _equation(system, tables.share(clean, SAME_EQUATION)), f"{start[1]}"]
    lines = [["(clean)", *head, tables.percent(tables.share(clean)), "", "", "", ""]]
    for name, result in answers.items():
        known = published.get(("attack", name))
        lines.append(
            [
                name,
                _shown(known[0]) if known else "",
                _equation(system, equations[name].perturbed),
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
    if set(attacked) <= set(PERTURBATIONS):
        options += (
            f" \\\n        --perturbations {','.join(name for name in PERTURBATIONS if name in attacked)}"
        )
    rows = clean[0]["rows"]
    return (
        f"## {system.heading} under attack, {len(seeds)} seed(s)\n\n"
        f"    {system.command} --settings attack{options}\n\n"
        + (f"{system.note}\n\n" if system.note else "")
        + f"{means if len(seeds) > 1 else f'Seed {seeds[0]}'}; {rows} test problems, so that "
        f"one is {100 / rows:.1f} points. Intervals: bootstrap over problems; verdicts: exact test, Holm's "
        "correction.\n\n" + tables.markdown(header, lines)
    )


def defenses(system: System, cells: Cells) -> str:
    """A model trained on perturbed data."""
    published = system.figures()
    lines = []
    for cell in cells:
        if not _is(cell, system) or cell.get("tau"):
            continue
        variant = catalogue.find(cell["train"])
        if (
            cell["train"] == cell["test"]
            and variant.dataset == system.dataset
            and variant.setting == "defense"
        ):
            known = published.get(("defense", variant.recipe))
            lines.append(
                [
                    variant.recipe,
                    _shown(known[0]) if known else "",
                    tables.percent(cell["equation_accuracy"]),
                    f"{known[1]}" if known else "",
                    tables.percent(cell["accuracy"]),
                ]
            )
    if not system.defended:
        return ""
    missing = [name for name in system.defended if name not in {line[0] for line in lines}]
    note = f"\nNot run yet: {', '.join(missing)}; the command goes on where it stopped.\n" if missing else ""
    header = ("defense", "equation, published", "equation, ours", "answer, published", "answer, ours")
    return (
        f"## {system.heading} trained on perturbed data, one seed\n\n"
        f"    {system.command} --settings defense \\\n"
        f"        --perturbations {','.join(system.defended)}\n\n"
        + (tables.markdown(header, lines) if lines else "")
        + note
    )


def _is(cell: Mapping[str, Any], system: System) -> bool:
    """Is this cell of the system? Its form is the one that the dataset is trained in."""
    form = "" if system.dataset == "asdiv_a" else " target=answer"
    return bool(cell["solver"] == system.solver + form)


def _shown(figure: float | None) -> str:
    return "" if figure is None else f"{figure}"


def _equation(system: System, share: float) -> str:
    """A share of equations, where the dataset has any."""
    return tables.percent(share) if system.dataset == "asdiv_a" else ""


def searched(results: Path) -> str:
    """The fine-tuned model under search, and trained again on what was found in its training part."""
    found = [one for one in searching.read_stages(results / "searches") if one["solver"] == SYSTEMS[1].solver]
    if not found:
        return ""
    found.sort(key=lambda one: (one["search"], one["stage"] != "trained"))
    return (
        f"## {SYSTEMS[1].heading}, searched for rewordings\n\n"
        f"    {SYSTEMS[1].command} --settings search,retrain --search reordering,paraphrase\n\n"
        "Each problem's question is put first (*reordering*) or its sentences are worded anew (*paraphrase*) until the "
        f"answer is wrong, with at most {found[0]['budget']} questions to the model; *trained again* is from its "
        "start, on the training problems and on what flipped those of them that it had right. One seed. No figure of "
        f"the paper stands beside it: it did not search.\n\n" + searching.table(found)
    )


PARTS = (attacks, defenses)

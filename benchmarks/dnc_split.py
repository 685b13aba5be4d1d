"""The tables of the DNC paper for docs/reproduction.md: models on its splits under attack and defense."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import dnc_metrics
from dnc_datasets.serving import catalogue
from dnc_trainers import pooling, searching, stored, tables
from dnc_trainers.results import ANSWER, EQUATION, Result

Cells = Sequence[Result]
# The eight perturbations of Xu et al. (2022).
PERTURBATIONS = ("language", "type", "noise", "distribution", "verbosity", "extra", "logic", "order")


@dataclass(frozen=True)
class System:
    """A model of the DNC splits' tables, and the published model for comparison."""

    solver: str
    title: str
    published: str
    command: str
    note: str = ""
    dataset: str = "asdiv_a"
    # The perturbations of its planned defenses.
    defended: tuple[str, ...] = PERTURBATIONS

    def figures(self) -> dict[tuple[str, str], tuple[float | None, float]]:
        """Map (setting, perturbation) to the accuracies of equations and answers in table 9 of Xu et al."""
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
        """Return the heading of the sections."""
        return f"{'The DNC split' if self.dataset == 'asdiv_a' else self.dataset}: {self.title}"


SYSTEMS = (
    System("graph2tree", "Graph2Tree", "graph2tree", "dnc research protocol graph2tree --data asdiv_a"),
    System(
        "flan_t5_small_titles",
        "a flan-T5-small derivative",
        "t5-base",
        "dnc research protocol --model hf:flan-t5-small-titles --data asdiv_a --set epochs=4",
        "Fine-tuned: the question, then the body; the equation in infix as the target, decoded greedily and freely. "
        "The model (77 million weights; `python -m dnc_trainers.finetuning.flan_t5 flan-t5-small-titles` makes its "
        "folder) was distilled from flan-T5-small to write titles and rounded to eight bits by those who published "
        "it; the published column is T5-base, with three times the weights, trained for ten times the epochs or "
        "more. So neither clean accuracies nor the sizes of single drops may be read as a reproduction. What may be "
        "compared is which perturbations hurt such a model, whether numbers or statements, and in what order. The "
        "published equations are compared as strings, ours up to spacing, brackets and the spelling of numbers; the "
        "rules that make *logic* and *order* differ as for Graph2Tree. Defended rows of *language*, *type*, *noise*, "
        "*distribution* and *verbosity* are those of the rules when these cells were run; a few have been fixed "
        "since.",
    ),
    System(
        "smollm2",
        "SmolLM2-135M-Instruct",
        "gpt2",
        "dnc research protocol --model hf:smollm2 --data asdiv_a --set form=chat --set epochs=2 --set lr=2e-4",
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
        "dnc research protocol --model hf:flan-t5-small-titles --data drop_num --from drop_num=DIR --set target=answer "
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
    """Return the section of a model on the DNC split under every attack."""
    own = [c for c in cells if _is(c, system) and c.data == system.dataset]
    clean = [c for c in own if c.test == system.dataset]
    attacked: dict[str, list[Result]] = {}
    for cell in own:
        variant = catalogue.find(cell.test)
        if variant.setting == "attack":
            attacked.setdefault(variant.recipe, []).append(cell)
    if not clean or not attacked:
        return ""
    published = system.figures()
    start = published["original", "none"]
    answers, equations = (pooling.compared(clean, attacked, score) for score in (ANSWER, EQUATION))
    seeds = sorted(c.seed for c in clean)
    each = ", ".join(tables.percent(c.accuracy) for c in sorted(clean, key=lambda c: c.seed))
    head = [_shown(start[0]), _equation(system, pooling.share(clean, EQUATION)), f"{start[1]}"]
    lines = [["(clean)", *head, tables.percent(pooling.share(clean)), "", "", "", ""]]
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
    rows = clean[0].cell.rows
    return (
        f"## {system.heading} under attack, {len(seeds)} seed(s)\n\n"
        f"    {system.command} --settings attack{options}\n\n"
        + (f"{system.note}\n\n" if system.note else "")
        + f"{means if len(seeds) > 1 else f'Seed {seeds[0]}'}; {rows} test problems, so that "
        f"one is {100 / rows:.1f} points. Intervals: bootstrap over problems; verdicts: exact test, Holm's "
        "correction.\n\n" + tables.markdown(header, lines)
    )


def defenses(system: System, cells: Cells) -> str:
    """Return the section of a model trained on perturbed data."""
    published = system.figures()
    lines = []
    for cell in cells:
        if not _is(cell, system) or cell.training.tau:
            continue
        variant = catalogue.find(cell.data)
        if cell.data == cell.test and variant.dataset == system.dataset and variant.setting == "defense":
            known = published.get(("defense", variant.recipe))
            lines.append(
                [
                    variant.recipe,
                    _shown(known[0]) if known else "",
                    tables.percent(cell.share(EQUATION)),
                    f"{known[1]}" if known else "",
                    tables.percent(cell.accuracy),
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


def _is(cell: Result, system: System) -> bool:
    """Return whether the cell is of the system, in the form in which the dataset is trained."""
    form = "" if system.dataset == "asdiv_a" else " target=answer"
    return bool(cell.model == system.solver + form)


def _shown(figure: float | None) -> str:
    return "" if figure is None else f"{figure}"


def _equation(system: System, share: float) -> str:
    """Return a share of equations, empty for a dataset without equations."""
    return tables.percent(share) if system.dataset == "asdiv_a" else ""


def searched(results: Path) -> str:
    """Return the section of the fine-tuned model under search, and retrained on flipped problems."""
    found = [one for one in stored.searches("searches", results) if one.result.model == SYSTEMS[1].solver]
    if not found:
        return ""
    found.sort(key=lambda one: (one.search, one.name != "trained"))
    budget = found[0].result.settings["budget"]
    return (
        f"## {SYSTEMS[1].heading}, searched for rewordings\n\n"
        f"    {SYSTEMS[1].command} --settings search,retrain --search reordering,paraphrase\n\n"
        "Each problem's question is put first (*reordering*) or its sentences are reworded (*paraphrase*) until the "
        f"answer is wrong, with at most {budget} questions to the model; *trained again* is from its "
        "start, on the training problems and on what flipped those of them that it had right. One seed. No figure of "
        f"the paper is beside it: it did not search.\n\n" + searching.table(found)
    )


PARTS = (attacks, defenses)


# Forms of the input of a pretrained model: tables 5 and 6 of the paper.
_SOLVER = "flan_t5_small_titles"
# Answers and equations of T5-base in table 5 of Xu et al. (2022).
_TARGETS: dict[str, tuple[float, float | None] | None] = {
    "equation": (72.95, 68.03),
    "equation_answer": (2.46, None),
    "answer": None,
}
# Answers of GPT-2 in table 6, with numbers as tokens and with numbers replaced.
_NUMBERS = {
    "": (45.08, 57.38),
    "language": (32.79, 47.54),
    "type": (34.43, 57.38),
    "noise": (36.07, 57.38),
    "distribution": (31.97, 57.38),
    "verbosity": (33.61, 22.13),
    "extra": (16.39, 11.48),
    "logic": (21.31, 40.16),
    "order": (37.70, 36.07),
}
_COMMAND = "    dnc research protocol --model hf:flan-t5-small-titles --data asdiv_a --set epochs=4"


def label(cell: Result) -> str:
    """Return the settings in which a fine-tuned model's form differs from the paper's, as a suffix."""
    settings = cell.settings
    form = {"target": "equation", "numbers": "text"} if "form" in settings else {}
    return " ".join(
        f"{name}={settings[name]}" for name in form if settings.get(name, form[name]) != form[name]
    )


def targets(cells: Cells) -> str:
    """Return the section on targets: the equation, the equation and its value, or the value alone."""
    clean = {_form(cell): cell for cell in _own(cells) if cell.test == "asdiv_a"}
    found = {name: clean.get((name, "text")) for name in _TARGETS}
    if sum(cell is not None for cell in found.values()) < 2:
        return ""
    lines = []
    for name, cell in found.items():
        known = _TARGETS[name]
        answer, equation = (f"{figure:g}" if figure else "" for figure in known or (None, None))
        written = tables.percent(pooling.share([cell], EQUATION)) if cell and name != "answer" else ""
        ours = tables.percent(cell.accuracy) if cell else "not run"
        lines.append([name.replace("_", " and "), equation, written, answer, ours])
    header = ("target", "equation, published", "equation, ours", "answer, published", "answer, ours")
    return (
        "## The DNC split: what a flan-T5-small derivative is asked to write, one seed\n\n"
        f"{_COMMAND} --set target=answer\n{_COMMAND} --set target=equation_answer\n\n"
        "Table 5 of the paper, whose column is T5-base; its M_ans is trained on equation and answer. Where "
        "an answer is written, it is the one that is compared, also after an equation whose value is another.\n\n"
        + tables.markdown(header, lines)
    )


def numbers(cells: Cells) -> str:
    """Return the section on numbers as text and as slots."""
    by_test = {(_form(cell)[1], cell.test): cell for cell in _own(cells) if _form(cell)[0] == "equation"}
    if ("slots", "asdiv_a") not in by_test:
        return ""
    lines = []
    for name, known in _NUMBERS.items():
        test = f"asdiv_a-{name}-attack" if name else "asdiv_a"
        line = [name or "(clean)"]
        for kind, published in zip(("text", "slots"), known, strict=True):
            cell, clean = by_test.get((kind, test)), by_test.get((kind, "asdiv_a"))
            line += [f"{published}", tables.percent(cell.accuracy) if cell else "not run"]
            if not name:
                line += ["", ""]
            else:
                start = _NUMBERS[""][("text", "slots").index(kind)]
                drop = f"{100 * (clean.accuracy - cell.accuracy):.1f}" if cell and clean else ""
                line += [f"{start - published:.1f}", drop]
        lines.append(line)
    header = (
        "attack", "text, published", "text, ours", "drop, published", "drop, ours",
        "slots, published", "slots, ours", "drop, published", "drop, ours",
    )  # fmt: skip
    return (
        "## The DNC split: numbers as text and as slots, one seed\n\n"
        f"{_COMMAND} --set numbers=slots --settings attack \\\n"
        f"        --perturbations {','.join(filter(None, _NUMBERS))}\n\n"
        "Table 6 of the paper, whose model is GPT-2; ours is the flan-T5-small derivative of above, seed 0. Answers, "
        "and how much of them an attack takes. With slots a model never sees a value: attacks on values alone (*type*, "
        "*noise*, *distribution*) leave what it reads as it was.\n\n" + tables.markdown(header, lines)
    )


def _own(cells: Cells) -> list[Result]:
    return [
        cell for cell in cells if cell.model.startswith(_SOLVER) and cell.data == "asdiv_a" and cell.seed == 0
    ]


def _form(cell: Result) -> tuple[str, str]:
    return cell.settings["target"], cell.settings["numbers"]

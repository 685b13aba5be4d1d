"""How a problem is put to a pretrained model, for docs/reproduction.md: tables 5 and 6 of the DNC paper beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dnc_trainers import tables
from dnc_trainers.protocol import SAME_EQUATION

Cells = Sequence[Mapping[str, Any]]
_SOLVER = "flan_t5_small_titles"
# Answers and equations of T5-base in table 5 of Xu et al. (2022).
_TARGETS: dict[str, tuple[float, float | None] | None] = {
    "equation": (72.95, 68.03),
    "equation_answer": None,
    "answer": (2.46, None),
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
_COMMAND = "    dnc protocol --model flan-t5-small-titles --data asdiv_a --set epochs=4"


def label(cell: Mapping[str, Any]) -> str:
    """The settings in which a fine-tuned model's form differs from the paper's, as words behind its name."""
    settings = cell.get("settings", {})
    form = {"target": "equation", "numbers": "text"} if "form" in settings else {}
    return " ".join(
        f"{name}={settings[name]}" for name in form if settings.get(name, form[name]) != form[name]
    )


def targets(cells: Cells) -> str:
    """What the model is trained to write: the equation, the equation and its value, or the value alone."""
    clean = {_form(cell): cell for cell in _own(cells) if cell["test"] == "asdiv_a"}
    found = {name: clean.get((name, "text")) for name in _TARGETS}
    if sum(cell is not None for cell in found.values()) < 2:
        return ""
    lines = []
    for name, cell in found.items():
        known = _TARGETS[name]
        answer, equation = (f"{figure:g}" if figure else "" for figure in known or (None, None))
        written = tables.percent(tables.share([cell], SAME_EQUATION)) if cell and name != "answer" else ""
        ours = tables.percent(cell["accuracy"]) if cell else "not run"
        lines.append([name.replace("_", " and "), equation, written, answer, ours])
    header = ("target", "equation, published", "equation, ours", "answer, published", "answer, ours")
    return (
        "## The DNC split: what a flan-T5-small derivative is asked to write, one seed\n\n"
        f"{_COMMAND} --set target=answer\n{_COMMAND} --set target=equation_answer\n\n"
        "Table 5 of the paper, whose column is T5-base. Where an answer is written, it is the one that is compared, "
        "also behind an equation whose value is another.\n\n" + tables.markdown(header, lines)
    )


def numbers(cells: Cells) -> str:
    """Numbers as they stand in the text, and as slots."""
    by_test = {(_form(cell)[1], cell["test"]): cell for cell in _own(cells) if _form(cell)[0] == "equation"}
    if ("slots", "asdiv_a") not in by_test:
        return ""
    lines = []
    for name, known in _NUMBERS.items():
        test = f"asdiv_a-{name}-attack" if name else "asdiv_a"
        line = [name or "(clean)"]
        for kind, published in zip(("text", "slots"), known, strict=True):
            cell, clean = by_test.get((kind, test)), by_test.get((kind, "asdiv_a"))
            line += [f"{published}", tables.percent(cell["accuracy"]) if cell else "not run"]
            if not name:
                line += ["", ""]
            else:
                start = _NUMBERS[""][("text", "slots").index(kind)]
                drop = f"{100 * (clean['accuracy'] - cell['accuracy']):.1f}" if cell and clean else ""
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


def _own(cells: Cells) -> list[Mapping[str, Any]]:
    return [
        cell
        for cell in cells
        if cell["solver"].startswith(_SOLVER) and cell["train"] == "asdiv_a" and cell["seed"] == 0
    ]


def _form(cell: Mapping[str, Any]) -> tuple[str, str]:
    return cell["settings"]["target"], cell["settings"]["numbers"]

"""Prune step over tables: "the change in net sales from 2018 to 2019" -> "the amount of net sales in 2019"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from dnc_datasets import expression, operand_links
from dnc_datasets.draws import Draw
from dnc_datasets.errors import ExpressionError
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.reasoning.rows import calculated
from dnc_datasets.perturbations.tables.periods import year_at
from dnc_datasets.problem import Problem
from dnc_datasets.tables.typed import AMOUNT, COUNT, typed

# A label that alone says what it counts: words, and no sum, class or remainder of something above it.
_LABEL: Final = re.compile(r"[A-Za-z][A-Za-z&,'’ -]{5,60}")
_NEEDS_MORE: Final = re.compile(
    r"\b(?:others?|basic|diluted|totals?|subtotal|current|non-current|federal|state|foreign|domestic|balance|add|less|"
    r"plus|average|change|increase|decrease)\b",
    re.IGNORECASE,
)
_NUMBER_OF: Final = re.compile(r"number of ", re.IGNORECASE)
_SCALES: Final = frozenset(("", "thousand", "million", "billion"))


@perturbation(
    "prune_step",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "equation_gives_answer", "equation_is_a_step", "asked_cell_is_named"),
    shapes=("table",),
    languages=("en",),
    needs_equations=True,
    qualifies="an operand in a cell that its label and its year name",
)
def ask_for_an_operand(problem: Problem, draw: Draw) -> Problem | None:
    """What was the change in net sales from 2018 to 2019? -> What was the amount of net sales in 2019?"""
    scale = problem.note("table_scale")
    if not problem.equation or problem.note("defect") or problem.history or scale not in _SCALES:
        return None
    try:
        operands = operand_links.operand_values(expression.parse(problem.equation))
    except ExpressionError:
        return None
    named = list(_named(problem, operand_links.stored(problem))) if len(operands) > 1 else []
    if not named:
        return None
    question, value, kind = draw.choice(named)
    made = calculated(problem, question, expression.number(value), scale if kind == AMOUNT else "")
    known = {one: link for one, link in operand_links.stored(problem).items() if one == value}
    meta = tuple(
        (key, operand_links.to_note(known) if key == "operands" else text) for key, text in made.meta
    )
    return made.replace(meta=meta)


def _named(problem: Problem, stored: Mapping[Fraction, str]) -> Iterator[tuple[str, Fraction, str]]:
    """The operands that a label and a year name, each with its question and its kind."""
    read = typed(problem.table)
    labels = [row[0].strip().lower() for row in problem.table if row]
    for value, link in stored.items():
        if not link.startswith("table."):
            continue
        row, column = (int(part) for part in link.split(".")[1:])
        label, year = problem.table[row][0].strip(), year_at(problem, link)
        kind = read.kinds.get((row, column), "")
        if year is None or kind not in (AMOUNT, COUNT) or read.values.get((row, column), -1) != value:
            continue
        years = [year_at(problem, f"table.{row}.{other}") for other in range(1, len(problem.table[row]))]
        if labels.count(label.lower()) > 1 or years.count(year) > 1:
            continue
        if not _LABEL.fullmatch(label) or _NEEDS_MORE.search(label) or not _is_asked_about(problem, label):
            continue
        words = label if label[:2].isupper() else label[0].lower() + label[1:]
        what = "the number of" if kind == COUNT else "the amount of"
        asked = f"the {words}" if _NUMBER_OF.match(words) else f"{what} {words}"
        yield f"What was {asked} in {year}?", value, kind


def _is_asked_about(problem: Problem, label: str) -> bool:
    """Whether the question asks for the figure of this label itself: not for orders "from Siemens"."""
    asked = rf"\b(?:in|of|average|total)(?: the)? {re.escape(label.lower())}\b"
    return re.search(asked, problem.question.lower()) is not None

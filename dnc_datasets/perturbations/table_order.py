"""Order over tables: paragraphs and independent rows change places, and the links to them follow."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets import links, numerals
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.amounts import is_year
from dnc_datasets.perturbations.table_values import with_note
from dnc_datasets.problem import Problem

# A row with such a label is computed from others or belongs at its place in the sequence.
_DEPENDS = re.compile(
    r"\b(?:sub-?total|total|totals|sum|net|gross|balances?|beginning|ending|end|opening|closing|less|plus|add|"
    r"deduct|thereof|of which|including|excluding|profit|loss|margin|change|increase|decrease|average|"
    r"before|after|per|remaining|thereafter|within|later|first|second|third|fourth|quarter|year|years|"
    r"january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|%|\b(?:19|20)[0-9]{2}\b|:$",
    re.IGNORECASE,
)


@perturbation(
    "order",
    capability=Capability.OPERATION_REASONING,
    promises=("target_kept", "parts_rearranged", "links_follow"),
    shapes=("table",),
)
def rearrange(problem: Problem, draw: Draw) -> Problem | None:
    """Paragraphs in another order, and neighbouring rows that stand for themselves; the numbers stay."""
    parts = links.paragraphs(problem.body)
    paragraph_order = draw.shuffled(range(len(parts)))
    row_order = _row_order(problem.table, draw)
    moves = {
        **{f"body.{old}": f"body.{new}" for new, old in enumerate(paragraph_order)},
        **{f"table.{old}": f"table.{new}" for new, old in enumerate(row_order)},
    }
    table = tuple(problem.table[old] for old in row_order)
    body = links.PARAGRAPH_BREAK.join(parts[old] for old in paragraph_order)
    if (body, table) == (problem.body, problem.table):
        return None
    known = {value: _moved(link, moves) for value, link in links.stored(problem).items()}
    return problem.replace(
        body=body,
        table=table,
        evidence=tuple(_moved(link, moves) for link in problem.evidence),
        meta=with_note(problem, "operands", links.to_note(known)),
    )


def _moved(link: str, moves: dict[str, str]) -> str:
    field, first, *rest = [*link.split("."), ""]
    place = moves.get(f"{field}.{first}")
    return link if place is None else ".".join([place, *rest[:-1]])


def _row_order(table: Sequence[Sequence[str]], draw: Draw) -> list[int]:
    """The old numbers of the rows in their new order; only rows within one run change places."""
    order: list[int] = []
    run: list[int] = []
    for number, row in enumerate(table):
        if number and _stands_alone(row):  # the first row is a heading, whatever it looks like
            run.append(number)
            continue
        order += [*draw.shuffled(run), number]
        run = []
    return order + draw.shuffled(run)


def _stands_alone(row: Sequence[str]) -> bool:
    """Whether the row is an item with a label and amounts, and not a heading or a sum."""
    if not row or not row[0] or _DEPENDS.search(row[0]):
        return False
    numbers = [quantity for cell in row[1:] for quantity in numerals.find(cell)]
    return bool(numbers) and not all(is_year(quantity.text) for quantity in numbers)

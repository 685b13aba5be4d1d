"""Order over tables: paragraphs and independent rows change places, and the links to them follow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from dnc_datasets import operand_links
from dnc_datasets.draws import Draw
from dnc_datasets.memoization import memoized
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.table_values import with_note
from dnc_datasets.perturbations.tables.row_roles import movable_runs
from dnc_datasets.problem import Problem

# A heading has no end mark, and what ends in a colon belongs to what follows it.
_ENDS = re.compile(r"[.!?][\"'”’)]*\Z")
# "(1) Includes", "2 See", "* Amounts", "Notes:", "• growth", "A Leasing activity": its place says what it is.
_MARKED = re.compile(r"\(?(?:\w{1,3}|[ivx]+)\) |\d{1,2}[. ]|[*•–—−-]|[A-Za-z] [A-Z]|Notes?\b|\(|[¹²³⁰-⁹]")
# A paragraph whose first sentence says one of these leans on the one before it.
_LEANS = re.compile(
    r"\A(?:However|In addition|Additionally|Further|Furthermore|Also|Accordingly|As a result|Therefore|Thus|"
    r"Similarly|Conversely|Finally|Moreover|In contrast|Other|Within|Partly|Partially|Offset|Still|Yet|Nevertheless|"
    r"The (?:remaining|remainder|other|new|latter|increase|decrease|change|growth|decline)s?|"
    r"Under the|It|They|Both|Each|Had)\b|\b(?:this|these|those|such|aforementioned|foregoing|above|also|"
    r"following|the same|latter|former|said)\b",
    re.IGNORECASE,
)
_FIRST_SENTENCE = re.compile(r".*?[.!?](?= |\Z)", re.DOTALL)
# (the “Tax Act”): whatever uses the name comes after it.
_DEFINED = re.compile(r"[“\"‘']([^”\"’']{2,40})[”\"’']\)")
# Several questions are asked about a table.
_movable_runs = memoized(movable_runs)


@perturbation(
    "order",
    capability=Capability.OPERATION_REASONING,
    promises=("target_kept", "parts_rearranged", "links_follow"),
    shapes=("table",),
)
def rearrange(problem: Problem, draw: Draw) -> Problem | None:
    """Neighbouring paragraphs and rows that are self-contained change places; the numbers stay.

    Headings, notes, subtotals and whatever leans on its neighbour keep their places, and nothing
    moves past them.
    """
    parts = operand_links.paragraphs(problem.body)
    paragraph_order = _order(len(parts), _paragraph_runs(parts), draw)
    row_order = _order(len(problem.table), _movable_runs(problem.table), draw)
    moves = {
        **{f"body.{old}": f"body.{new}" for new, old in enumerate(paragraph_order)},
        **{f"table.{old}": f"table.{new}" for new, old in enumerate(row_order)},
    }
    table = tuple(problem.table[old] for old in row_order)
    body = operand_links.PARAGRAPH_BREAK.join(parts[old] for old in paragraph_order)
    if (body, table) == (problem.body, problem.table):
        return None
    known = {value: _moved(link, moves) for value, link in operand_links.stored(problem).items()}
    return problem.replace(
        body=body,
        table=table,
        evidence=tuple(_moved(link, moves) for link in problem.evidence),
        meta=with_note(problem, "operands", operand_links.to_note(known)),
    )


def _moved(link: str, moves: dict[str, str]) -> str:
    field, first, *rest = [*link.split("."), ""]
    place = moves.get(f"{field}.{first}")
    return link if place is None else ".".join([place, *rest[:-1]])


def _order(count: int, runs: Sequence[range], draw: Draw) -> list[int]:
    """The old numbers in their new order: each run in another order, all else at its place."""
    order = list(range(count))
    for run in runs:
        shuffled = draw.shuffled(run)
        if shuffled == list(run):
            shuffled = [*run[1:], run[0]]
        order[run.start : run.stop] = shuffled
    return order


def _paragraph_runs(parts: Sequence[str]) -> list[range]:
    """Where two or more neighbouring paragraphs may change places."""
    fixed = [at for at in range(len(parts)) if _stays(parts, at)]
    bounds = pairwise([-1, *fixed, len(parts)])
    return [range(before + 1, after) for before, after in bounds if after - before > 2]


def _stays(parts: Sequence[str], at: int) -> bool:
    """Whether a paragraph must keep its place: it is no prose, leans on another, or another leans on it."""
    text = parts[at]
    if not _ENDS.search(text) or _MARKED.match(text) or _leans(text) or _names_for_others(parts, at):
        return True
    return at + 1 < len(parts) and not _MARKED.match(parts[at + 1]) and _leans(parts[at + 1])


def _leans(text: str) -> bool:
    first = _FIRST_SENTENCE.match(text)
    return first is not None and _LEANS.search(first[0]) is not None


def _names_for_others(parts: Sequence[str], at: int) -> bool:
    """Whether a later paragraph uses a name that this one brings in."""
    return any(name in later for name in _DEFINED.findall(parts[at]) for later in parts[at + 1 :])

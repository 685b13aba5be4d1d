"""Order over tables: paragraphs and independent rows change places, and the links to them follow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import lcm

from dnc_datasets import numerals, operand_links
from dnc_datasets.draws import Draw
from dnc_datasets.memoization import memoized
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.table_values import with_note
from dnc_datasets.problem import Problem
from dnc_datasets.tables.relations import signed
from dnc_datasets.tables.typed import YEARS, keeps_its_place

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
_INTRODUCES = re.compile(
    r"(?:\bfollowing tables?\b|\bas follows\b|\b(?:tables?|shown|set forth) below\b)[^.]{0,300}\.\Z|:[ .]*\Z",
    re.IGNORECASE,
)
_FIRST_SENTENCE = re.compile(r".*?[.!?](?= |\Z)", re.DOTALL)
# (the “Tax Act”): whatever uses the name comes after it.
_DEFINED = re.compile(r"[“\"‘']([^”\"’']{2,40})[”\"’']\)")


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
    if text[:1].islower() or _INTRODUCES.search(text):
        return True  # cut out of a page, or followed by its table
    if not _ENDS.search(text) or _MARKED.match(text) or _leans(text) or _names_for_others(parts, at):
        return True
    return at + 1 < len(parts) and not _MARKED.match(parts[at + 1]) and _leans(parts[at + 1])


def _leans(text: str) -> bool:
    first = _FIRST_SENTENCE.match(text)
    return first is not None and _LEANS.search(first[0]) is not None


def _names_for_others(parts: Sequence[str], at: int) -> bool:
    """Whether a later paragraph uses a name that this one brings in."""
    return any(name in later for name in _DEFINED.findall(parts[at]) for later in parts[at + 1 :])


# A row with such a label is computed from others or belongs at its place in the sequence.
_DEPENDS = re.compile(
    r"\b(?:sub-?total|total|totals|sum|net|gross|balances?|beginning|ending|end|opening|closing|less|plus|add|"
    r"deduct|therein|thereof|of which|including|excluding|profit|loss|margin|change|increase|decrease|average|"
    r"before|after|per|remaining|thereafter|within|later|first|second|third|fourth|quarter|year|years|"
    r"months?|days?|level|q[1-4]|fy ?\d\d|ebitda?|earnings|accumulated|allowance|adjusted|adjustments?|"
    r"income|results?|surplus|deficit|equity|outstanding|granted|vested|exercised|forfeited|high|low|minimum|maximum|"
    r"january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|%|\b(?:19|20)[0-9]{2}\b|:$|\A[\W\d]|"
    r"\A(?:revenues?|sales|net sales|turnover|others?)[\W\d]*\Z",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"\b(?:sub-?)?total\b", re.IGNORECASE)
_WORDS = re.compile(r"[A-Za-z]{4}")
_MAX_TERMS = 12
_FEWEST_MOVED = 2


def movable_runs(table: Sequence[Sequence[str]]) -> list[range]:
    """Where two or more neighbouring rows may change places without changing what the table says."""
    groups = _groups(table)
    cuts = _group_bounds(table, groups)
    runs: list[range] = []
    start = 1  # the first row is a heading, whatever it looks like
    for at in range(1, len(table) + 1):
        movable = at < len(table) and _stands_alone(table[at]) and not groups[at]
        if movable and at not in cuts:
            continue
        if at - start >= _FEWEST_MOVED and _is_closed(table, start, at):
            runs.append(range(start, at))
        start = at if movable else at + 1
    return runs


# Several questions are asked about a table.
_movable_runs = memoized(movable_runs)


def _stands_alone(row: Sequence[str]) -> bool:
    """Whether the row is an item with a label and amounts, and not a heading or a sum."""
    if not row or not row[0] or _DEPENDS.search(row[0]) or keeps_its_place(row[0]):
        return False
    if any(quantity.kind in ("time", "date") for cell in row for quantity in numerals.find(cell)):
        return False  # a timetable runs in its order
    # "Value Realized(1)" is a heading: its number marks a note.
    numbers = [quantity for cell in row[1:] if not _WORDS.search(cell) for quantity in numerals.find(cell)]
    return bool(numbers) and not all(YEARS.fullmatch(quantity.text) for quantity in numbers)


def _is_heading(row: Sequence[str]) -> bool:
    return bool(row) and bool(row[0]) and not any(numerals.find(cell) for cell in row[1:])


def _is_closed(table: Sequence[Sequence[str]], start: int, end: int) -> bool:
    """Whether it is clear which rows a heading above represents: up to a total, a heading or the end."""
    if not _is_heading(table[start - 1]) or end == len(table):
        return True
    return not table[end][0] or _is_heading(table[end]) or _TOTAL.search(table[end][0]) is not None


def _group_bounds(table: Sequence[Sequence[str]], groups: Sequence[Sequence[tuple[int, int]]]) -> set[int]:
    """Rows before which a group starts or ends: what another row sums up, or what fills other columns."""
    bounds = set()
    for at in range(1, len(table)):
        for first, last in groups[at]:
            bounds |= {first, last + 1}
        # Rows that fill other columns are parts of a row above, or the other way round.
        # A percent sign in the first row is meant for those below it.
        if _filled(table[at]) != _filled(table[at - 1]) or _percents(table[at]) != _percents(table[at - 1]):
            bounds.add(at)
    return bounds


def _filled(row: Sequence[str]) -> list[bool]:
    return [bool(cell.strip()) for cell in row[1:]]


def _percents(row: Sequence[str]) -> list[bool]:
    return ["%" in cell for cell in row[1:]]


def _groups(table: Sequence[Sequence[str]]) -> list[list[tuple[int, int]]]:
    """Of each row, the first and last row of each run of rows, right above or below, that adds up to it."""
    read = [[signed(cell) for cell in row[1:]] for row in table]
    unit = lcm(*(value.denominator for row in read for value in row if value is not None))
    # Whole numbers of one small unit are added many times as fast as fractions.
    amounts = [
        [None if value is None else value.numerator * (unit // value.denominator) for value in row]
        for row in read
    ]
    return [[], *(_groups_of(amounts, at, unit) for at in range(1, len(table)))]


def _groups_of(amounts: Sequence[Sequence[int | None]], at: int, unit: int) -> list[tuple[int, int]]:
    wanted = amounts[at]
    columns = {place: value for place, value in enumerate(wanted) if value}
    if not columns:
        return []
    found = []
    for step in (-1, 1):
        sums = [0] * len(wanted)
        for count in range(1, _MAX_TERMS + 1):
            other = at + step * count
            if not 1 <= other < len(amounts):
                break
            values = amounts[other]
            if len(values) != len(wanted) or not any(value is not None for value in values):
                break
            sums = [total + (value or 0) for total, value in zip(sums, values, strict=True)]
            if count > 1 and all(abs(sums[place] - size) <= unit for place, size in columns.items()):
                if max(columns.values()) > _MAX_TERMS * unit or min(columns.values()) < -_MAX_TERMS * unit:
                    found.append((min(at + step, other), max(at + step, other)))
                break
    return found

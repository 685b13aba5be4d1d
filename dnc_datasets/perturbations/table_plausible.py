"""Noise and Distribution over tables: amounts move, and all dependent amounts and mentions follow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import islice
from typing import Final, NamedTuple

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.certificate.earlier_turns import earlier_turns_hold
from dnc_datasets.certificate.stated_figures import stated_figures_follow
from dnc_datasets.certificate.tables import (
    operands_within_half,
    relations_hold,
    restatements_follow,
    told_sums_hold,
)
from dnc_datasets.draws import Draw
from dnc_datasets.errors import ExpressionError
from dnc_datasets.memoization import memoized
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.amounts import amounts
from dnc_datasets.perturbations.numbers.operands import moved as with_operands
from dnc_datasets.perturbations.numbers.value_search import places
from dnc_datasets.perturbations.statements.report_statements import is_company_report
from dnc_datasets.perturbations.table_values import with_note
from dnc_datasets.perturbations.tables import leaves
from dnc_datasets.perturbations.tables.bound_rows import bound_rows
from dnc_datasets.perturbations.tables.claims import (
    claims_hold,
    judges_sizes,
    names_amounts,
    shows_pence,
    shows_prices,
)
from dnc_datasets.perturbations.tables.composed import Said, composed_exactly, read_said
from dnc_datasets.perturbations.tables.document import Origins, with_history
from dnc_datasets.perturbations.tables.new_cells import (
    SCALED,
    decimals,
    has_no_end,
    moved_operands,
    moves_a_constant,
    names_unknown_constants,
    operands_can_move,
    written_cells,
)
from dnc_datasets.perturbations.tables.possible import Possible, possible
from dnc_datasets.perturbations.tables.restated import SCALES, Texts, read_texts, states_more
from dnc_datasets.perturbations.tables.shares import Shares, read_shares
from dnc_datasets.perturbations.tables.stated_sums import rounded_parts_hold, stated_sums_hold
from dnc_datasets.problem import Problem
from dnc_datasets.tables.identities import line_sums, sums_of_all_columns
from dnc_datasets.tables.relations import Amounts, Cell, Relation
from dnc_datasets.tables.running import products, products_kept, running_sums
from dnc_datasets.tables.typed import COUNT, GROWING, INDEX, Typed, typed

_PROMISES = (
    "linked_operands_follow",
    "equation_gives_answer",
    "text_elsewhere_kept",
    "relations_hold",
    "restatements_follow",
    "told_sums_hold",
    "signs_kept",
    "counts_stay_whole",
    "stated_figures_follow",
    "earlier_turns_hold",
    "restatements_agree",
)
_QUALIFIES = (
    "every operand must be an amount of the table or the text, and every total, stated figure and earlier answer "
    "that depends on it must follow for certain"
)
# Common factors of all amounts: for leaves that also move separately, and for amounts that only grow together.
_NEAR: Final = (Fraction(1),)
_NEAR_ALONE: Final = tuple(Fraction(tenths, 10) for tenths in (6, 7, 8, 9, 11, 12, 13, 14))
_FAR: Final = tuple(map(Fraction, (6, 7, 8, 9, 11, 12)))
_COARSE: Final = 3
# An amount in full units has no tenths of a dollar.
_IN_FULL: Final = 10_000
# "US$ 8,300" is an amount that the table reader does not read.
_FOREIGN_MONEY: Final = re.compile(
    r"\s*(?:[A-Z]{1,3} ?[$€£¥]|[$€£¥] ?[A-Z]{2}|RMB|EUR|USD|GBP|Rs\.?)\s?\(?\d"
)
# "2.978,478" beside "2,836,289": the separators of thousands and of decimals changed places.
_MIXED_SEPARATORS: Final = re.compile(r"\d\.\d{1,3},\d")
# In meta: how the amounts moved.
MOVED: Final = "moved"
_EXTREME: Final = re.compile(
    r"\b(?:range|maximum|minimum|highest|lowest|largest|smallest|greatest|most|least|fewest|median|mode|top)\b",
    re.IGNORECASE,
)


class Reading(NamedTuple):
    """A table as a perturbation reads it: its types, its variables and the values that follow from cells."""

    read: Typed
    growing: frozenset[Cell]
    sums: tuple[Relation, ...]
    system: leaves.System | None
    origins: Origins
    shares: Shares
    possible: Possible
    # True if all amounts grow and every sum is exact: then every sum holds with one factor.
    scales: bool
    products: tuple[tuple[Cell, Cell, Cell], ...]


class Document(NamedTuple):
    """The claims of a body about its table: mentions of amounts, bound rows, and judgements of sizes.

    `said` holds the relations between amounts of the text and cells.
    """

    texts: Texts
    bound: frozenset[int]
    judges: bool
    said: tuple[Said, ...]


@perturbation(
    "noise_plausible",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=(*_PROMISES, "operands_within_half"),
    shapes=("table",),
    needs_equations=True,
    qualifies=_QUALIFIES,
)
def move_a_little(problem: Problem, draw: Draw) -> Problem | None:
    """1,196 -> 1,288: each amount by less than half of itself; totals, shares and mentions are rebuilt."""
    return _moved(problem, draw, _NEAR, _NEAR_ALONE, far=False)


@perturbation(
    "distribution_plausible",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=(*_PROMISES, "magnitude_changed"),
    shapes=("table",),
    needs_equations=True,
    qualifies=_QUALIFIES,
)
def move_far(problem: Problem, draw: Draw) -> Problem | None:
    """561 -> 5,049: all amounts of the report about ten times as large; totals, shares and mentions are rebuilt."""
    return _moved(problem, draw, _FAR, _FAR, far=True)


def _moved(
    problem: Problem, draw: Draw, near: tuple[Fraction, ...], alone: tuple[Fraction, ...], *, far: bool
) -> Problem | None:
    if not problem.equation or problem.note("defect") or amounts(problem, ("question",)):
        return None
    if any(quantity.kind == "money" for quantity in numerals.find(problem.question)) or shows_prices(
        problem.table
    ):
        return None
    if names_unknown_constants(problem):
        return None
    scale = problem.note("table_scale")
    reading = _reading(problem.table, scale)
    if reading is None or not operands_can_move(problem, reading.read):
        return None
    document = _document(problem.table, scale, problem.body)
    if document is None:
        return None
    origins = reading.origins
    if not far:
        made = _independently(problem, draw, reading, origins, document, near, far)
        return made or _together(problem, draw, reading, origins, document, alone)
    # One factor keeps all relations between amounts. Values that it leaves unchanged, such as ratios, need several.
    scaled = _together(problem, draw, reading, origins, document, alone)
    if scaled is not None and scaled.answer != problem.answer:
        return scaled
    return _independently(problem, draw, reading, origins, document, near, far) or scaled


# Several questions may share a table and its text.
@memoized
def _document(table: tuple[tuple[str, ...], ...], scale: str, body: str) -> Document | None:
    """Return the claims of a body about its table. Return None if one of its numbers cannot be stated."""
    reading = _reading(table, scale)
    problem = Problem("", body, "", table, meta=(("table_scale", scale),))
    texts = read_texts(problem, reading.origins) if reading is not None else None
    if texts is None or reading is None:
        return None
    if not is_company_report(problem) and states_more(body, texts):
        return None
    said = read_said(
        table,
        SCALES.get(scale, 1),
        body,
        {cell: size for cell, size in reading.read.values.items() if cell in reading.growing},
    )
    return Document(texts, bound_rows(problem, texts), judges_sizes(body, table), said)


@memoized
def _reading(table: tuple[tuple[str, ...], ...], scale: str) -> Reading | None:
    """Return the types of a table and its movable amounts.

    Return None if a cell cannot be read or nothing can move.
    """
    read = typed(table)
    cells = [cell for row in table for cell in row[1:]]
    if read.unclear or any(_FOREIGN_MONEY.match(cell) or _MIXED_SEPARATORS.search(cell) for cell in cells):
        return None
    origins = Origins(table, read)
    shares = read_shares(table, read, origins)
    growing = frozenset(read.cells(*GROWING)) - shares.cells
    if not growing & read.values.keys():
        return None
    values = {
        cell: read.values[cell]
        for cell in read.cells(*GROWING, INDEX)
        if cell in read.values and cell not in shares.cells
    }
    shown = {
        cell: max(places(read.numbers[cell].value), decimals(read.numbers[cell].text)) for cell in values
    }
    # A sum is left out if its target does not move, such as a rate.
    known = {frozenset((one.target, *one.plus, *one.minus)) for one in read.relations}
    grown = {cell: size for cell, size in values.items() if cell in growing}
    more = (*line_sums(grown), *running_sums(grown), *sums_of_all_columns(read.relations, grown))
    sums = (
        *read.relations,
        *(one for one in more if frozenset((one.target, *one.plus, *one.minus)) not in known),
    )
    held = [one for one in sums if one.target in values]
    system = leaves.system(values, shown, held, shares.groups)
    parts = {cell for one in sums for cell in (*one.plus, *one.minus)}
    unsure = possible(table, read.headings, values, shown, parts, shares.quotients.keys())
    before = Amounts(read.values)
    scales = read.values.keys() <= growing and not any(map(before.off, sums))
    found = tuple(products(origins.values))
    return Reading(read, growing, sums, system, origins, shares, unsure, scales, found)


def _independently(
    problem: Problem,
    draw: Draw,
    reading: Reading,
    origins: Origins,
    document: Document,
    choices: tuple[Fraction, ...],
    far: bool,
) -> Problem | None:
    """Return the problem with each leaf moved by its own factor.

    Return None if a claim could become false.
    """
    read, system = reading.read, reading.system
    judges = document.judges or any(judges_sizes(turn.question, problem.table) for turn in problem.history)
    if system is None or judges or shows_pence(problem.table):
        return None
    if not _covers(reading, system):
        return None
    factor = draw.choice(choices)
    asked = _asked(problem, reading)
    named = _rows_that_name_amounts(problem.table)
    if factor != 1 and named:
        return None
    # An index counts from 100: its values move, but not by the common factor.
    if factor != 1 and any(read.kinds[cell] == INDEX for cell in system.variable):
        return None
    fixed = document.bound | named
    asks_extreme = _EXTREME.search(problem.question) is not None
    for attempt in range(leaves.attempts()):
        moved = system.moved(factor, draw, attempt, system.leaves_of(asked, attempt))
        if moved is None or any(row in fixed for row, _ in moved.stepped):
            continue
        if not reading.possible.kept_beside(read.values, moved.values, moved.stepped):
            continue
        new = {**origins.values, **moved.values}
        shares = reading.shares.moved(origins, new)
        if shares is None:
            continue
        if not _ratios_in_order(reading, origins, shares):
            continue
        new.update(shares)
        if not reading.shares.hold(origins, new) or (asks_extreme and not _columns_kept(origins, new)):
            continue
        made = _written(problem, reading, origins, document, new, factor, "independently")
        if made is not None and _holds(problem, made, far):
            return made
    return None


def _ratios_in_order(reading: Reading, origins: Origins, shares: Mapping[Cell, Fraction]) -> bool:
    """Return whether the ratios of a row that holds only ratios keep their order."""
    read = reading.read
    mixed = {row for row, column in read.numbers if (row, column) not in shares}
    old = {cell: origins.values[cell] for cell in shares if cell[0] not in mixed}
    return leaves.order_kept(old, {cell: shares[cell] for cell in old})


@memoized
def _rows_that_name_amounts(table: tuple[tuple[str, ...], ...]) -> frozenset[int]:
    return frozenset(row for row in range(len(table)) if names_amounts(table, row))


def _asked(problem: Problem, reading: Reading) -> set[Cell]:
    """Return the cells that the question needs: its operands, or the amounts that give them by division."""
    values = reading.origins.values
    found: set[Cell] = set()
    for value, link in operand_links.stored(problem).items():
        field, _, place = link.partition(".")
        row, _, column = place.partition(".")
        cells = [(int(row), int(column))] if field == "table" else []
        if field != "table" and link != operand_links.CONSTANT:
            cells = [cell for cell, size in values.items() if abs(size) == value]
        found.update(source for cell in cells for source in reading.shares.sources(cell))
    return found


def _holds(problem: Problem, made: Problem, far: bool) -> bool:
    """Return whether the checks of tables and texts hold for the new problem."""
    return (
        relations_hold(problem, made)
        and restatements_follow(problem, made)
        and told_sums_hold(problem, made)
        and stated_figures_follow(problem, made)
        and earlier_turns_hold(problem, made)
        and (far or operands_within_half(problem, made))
    )


def _together(
    problem: Problem,
    draw: Draw,
    reading: Reading,
    origins: Origins,
    document: Document,
    choices: tuple[Fraction, ...],
) -> Problem | None:
    """Return the problem with all amounts multiplied by one factor, which keeps every relation."""
    read = reading.read
    if any(read.kinds[cell] == INDEX for cell in read.numbers) or _rows_that_name_amounts(problem.table):
        return None
    fitting = (factor for factor in draw.shuffled(choices) if _stay_whole(problem, reading, factor))
    for factor in islice(fitting, 3):
        new, scales = _adjusted(reading, factor), reading.scales
        if new is not None and not _samedecimals(reading, new):
            new, scales = _rounded(reading, factor, draw), False
        if new is None:
            continue
        if not scales and not reading.possible.sums_kept(
            {cell: read.values[cell] for cell in new}, new, factor
        ):
            continue
        new = {**origins.values, **new}
        if not reading.shares.hold(origins, new):
            continue
        made = _written(problem, reading, origins, document, new, factor, "together")
        if made is not None and _holds(problem, made, True):
            return made
    return None


def _samedecimals(reading: Reading, new: Mapping[Cell, Fraction]) -> bool:
    """Return whether no amount gets more decimals than its table shows."""
    numbers = reading.read.numbers
    shown = max((decimals(numbers[cell].text) for cell in reading.growing), default=0)
    return all(places(new[cell]) <= shown for cell in reading.growing if cell in new)


def _rounded(reading: Reading, factor: Fraction, draw: Draw) -> dict[Cell, Fraction] | None:
    """Return the amounts after growth, rounded as they are shown, with sums that hold.

    Return None if a sum has terms that are no variables.
    """
    system = reading.system
    if system is None or not _covers(reading, system):
        return None
    moved = system.moved(factor, draw, None)
    return None if moved is None else moved.values


def _covers(reading: Reading, system: leaves.System) -> bool:
    """Return whether all terms of the sums of a table are variables."""
    terms = {cell for one in reading.sums for cell in (one.target, *one.plus, *one.minus)}
    return (terms & reading.read.values.keys()) <= system.variable.keys()


def _stay_whole(problem: Problem, reading: Reading, factor: Fraction) -> bool:
    """Return whether counts of single things remain integers."""
    if factor.denominator == 1 or problem.note("table_scale") in SCALED:
        return True
    numbers = reading.read.numbers
    return all(
        (numbers[cell].value * factor).denominator == 1 or not numbers[cell].is_integer
        for cell in reading.growing
        if numbers[cell].value >= _IN_FULL or reading.read.kinds[cell] == COUNT
    )


def _adjusted(reading: Reading, factor: Fraction) -> dict[Cell, Fraction] | None:
    """Return the amounts after growth. Rounded sums are re-computed. Return None if not all sums can hold."""
    values, held = reading.read.values, reading.sums
    new = {cell: value * (factor if cell in reading.growing else 1) for cell, value in values.items()}
    if reading.scales:
        return new
    before, after = Amounts(values), Amounts(new)
    exact = {one.target for one in held if not before.off(one)}
    # A small total of many rounded terms counts because of the other columns.
    small = {one for one in held if not before.is_close(one)}

    def holds(one: Relation) -> bool:
        return after.rounds(one) if one in small else after.is_close(one)

    for relation in held:
        if relation.target not in exact and not holds(relation):
            new[relation.target] = relation.computed(new)
            after = Amounts(new)
    # A price that does not move is not comparable with the counts of its row.
    grown = {cell: value for cell, value in values.items() if cell in reading.growing}
    return new if all(map(holds, held)) and leaves.order_kept(grown, new) else None


def _written(
    problem: Problem,
    reading: Reading,
    origins: Origins,
    document: Document,
    new: Mapping[Cell, Fraction],
    factor: Fraction,
    how: str,
) -> Problem | None:
    """Return the problem with these cells, and with text, history, equation and answer in agreement."""
    if not products_kept(reading.products, new):
        return None
    table = written_cells(problem, origins, reading.read, reading.growing, new, even=how == "together")
    if table is None:
        return None
    changed = problem.with_texts(table)
    # If all operands are cells, the equation is changed first, because a text takes longer to read.
    links = operand_links.stored(problem).values()
    in_cells = all(link.startswith("table.") or link == operand_links.CONSTANT for link in links)
    solved = _solved(problem, changed, origins, new, how) if in_cells else None
    if in_cells and solved is None:
        return None
    made = _with_text(problem, changed, origins, document, new, factor)
    if made is None:
        return None
    solved = solved or _solved(problem, made, origins, new, how)
    if solved is None:
        return None
    equation, answer, operands = solved
    meta = with_note(problem, "operands", operands)
    return made.replace(equation=equation, answer=answer, meta=tuple(sorted((*meta, (MOVED, how)))))


def _solved(
    problem: Problem, made: Problem, origins: Origins, new: Mapping[Cell, Fraction], how: str
) -> tuple[str, str, str] | None:
    """Return the changed equation, its answer and the links of its operands.

    Return None if they do not fit the question.
    """
    moves = moved_operands(problem, made)
    if moves is None or moves_a_constant(problem, origins, new):
        return None
    known = operand_links.stored(problem)
    stored = {moves.get(value, value): link for value, link in known.items()}
    if len(stored) < len(known):
        return None
    equation = with_operands(expression.parse(problem.equation), moves)
    try:
        value = equation.value()
        if (value < 0) != (expression.parse(problem.equation).value() < 0):
            return None
        answer = expression.canonical(expression.round_value(value, problem.note("rounding")))
    except ExpressionError:
        return None
    if (how == "independently" and answer == problem.answer) or has_no_end(problem, answer):
        return None
    return equation.infix(), answer, operand_links.to_note(stored)


def _with_text(
    problem: Problem,
    changed: Problem,
    origins: Origins,
    document: Document,
    new: Mapping[Cell, Fraction],
    factor: Fraction,
) -> Problem | None:
    """Return the problem with text and history that agree with a changed table. Return None if they cannot.

    A large factor multiplies rounding differences. If these show, amounts keep their number of digits.
    """
    loose = None
    for coarse in (False, True) if factor >= _COARSE else (False,):
        made = document.texts.moved(changed, new, factor, coarse)
        made = with_history(made, origins, new) if made is not None else None
        if made is None or not stated_sums_hold(problem.body, made.body):
            continue
        if not claims_hold(problem, made, origins.values, new, document.said):
            continue
        if not rounded_parts_hold(problem.body, made.body):
            continue
        pairs = list(zip(numerals.find(problem.body), numerals.find(made.body), strict=True))
        if composed_exactly(document.said, pairs, origins.values, new):
            return made
        loose = loose or made
    return loose


def _columns_kept(origins: Origins, new: Mapping[Cell, Fraction]) -> bool:
    """Return whether the columns keep their order too, as a question for an extreme or range requires."""
    turned = {(column, row): size for (row, column), size in origins.values.items()}
    return leaves.order_kept(turned, {(column, row): new[row, column] for column, row in turned})

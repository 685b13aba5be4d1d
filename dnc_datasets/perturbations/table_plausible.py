"""Noise and Distribution over tables that still add up: amounts move, and all that follows from them follows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from dnc_datasets import expression, numerals, operand_links
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
from dnc_datasets.perturbations.numbers.amounts import CURRENCIES, amounts
from dnc_datasets.perturbations.numbers.operands import moved as with_operands
from dnc_datasets.perturbations.numbers.value_search import places
from dnc_datasets.perturbations.table_values import grouping, with_note
from dnc_datasets.perturbations.tables import leaves
from dnc_datasets.perturbations.tables.document import Origins, with_history
from dnc_datasets.perturbations.tables.restated import Texts, read_texts, stated_sums_hold
from dnc_datasets.perturbations.tables.shares import Shares, read_shares
from dnc_datasets.problem import Problem
from dnc_datasets.tables.identities import line_sums
from dnc_datasets.tables.relations import Amounts, Cell, Relation
from dnc_datasets.tables.typed import COUNT, GROWING, INDEX, YEARS, Typed, typed

_PROMISES = (
    "linked_operands_follow",
    "equation_gives_answer",
    "text_elsewhere_kept",
    "relations_hold",
    "restatements_follow",
    "told_sums_hold",
    "signs_kept",
    "counts_stay_whole",
    "restatements_agree",
)
_QUALIFIES = (
    "every operand must be an amount that grows with its table, and every total must be seen to follow"
)
# Common factors of all amounts: for leaves that also move by themselves, and for amounts that only grow together.
_NEAR: Final = tuple(Fraction(tenths, 20) for tenths in (16, 17, 18, 22, 23, 24))
_NEAR_ALONE: Final = tuple(Fraction(tenths, 10) for tenths in (6, 7, 8, 9, 11, 12, 13, 14))
_FAR: Final = tuple(map(Fraction, (6, 7, 8, 9, 11, 12)))
# An amount that is given in full has no tenths of a dollar.
_IN_FULL: Final = 10_000
_CENTS: Final = 2
_SCALED: Final = frozenset(("thousand", "million", "billion"))
# "US$ 8,300" is an amount that is not read as one.
_FOREIGN_MONEY: Final = re.compile(
    r"\s*(?:[A-Z]{1,3} ?[$€£¥]|[$€£¥] ?[A-Z]{2}|RMB|EUR|USD|GBP|Rs\.?)\s?\(?\d"
)
# In meta: how the amounts moved.
MOVED: Final = "moved"
# A text that judges sizes may become false when amounts move apart: "doubled", "the majority", "one third of".
_JUDGES: Final = re.compile(
    r"\b(?:doubled|tripled|quadrupled|halved|majority|flat|unchanged|in line with|consistent with|comparable to|"
    r"slight(?:ly)?|marginal(?:ly)?|modest(?:ly)?|half|one[- ]third|two[- ]thirds|one[- ]quarter|three[- ]quarters|"
    r"largest|smallest|highest|lowest|most of)\b",
    re.IGNORECASE,
)
_EXTREME: Final = re.compile(
    r"\b(?:range|maximum|minimum|highest|lowest|largest|smallest|greatest|most|least|fewest|median|mode|top)\b",
    re.IGNORECASE,
)


class Reading(NamedTuple):
    """What a table's perturbation needs to know: its types, its variables, and what follows from its cells."""

    read: Typed
    growing: frozenset[Cell]
    sums: tuple[Relation, ...]
    system: leaves.System | None
    origins: Origins
    shares: Shares


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
    if any(quantity.kind == "money" for quantity in numerals.find(problem.question)):
        return None
    reading = _reading(problem.table, problem.note("table_scale"))
    if reading is None:
        return None
    origins = reading.origins
    texts = read_texts(problem, origins)
    if texts is None:
        return None
    made = _independently(problem, draw, reading, origins, texts, near, far)
    return made or _together(problem, draw, reading, origins, texts, alone)


# Several questions are asked about a table.
@memoized
def _reading(table: tuple[tuple[str, ...], ...], scale: str) -> Reading | None:
    """The types of a table and what can move in it; None where a cell cannot be read or nothing moves."""
    read = typed(table)
    if read.unclear or any(_FOREIGN_MONEY.match(cell) for row in table for cell in row[1:]):
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
        cell: max(places(read.numbers[cell].value), _decimals(read.numbers[cell].text)) for cell in values
    }
    # A term that stays, such as a rate that adds up with others, leaves its sum out.
    known = {frozenset((one.target, *one.plus, *one.minus)) for one in read.relations}
    more = line_sums({cell: size for cell, size in values.items() if cell in growing})
    sums = (
        *read.relations,
        *(one for one in more if frozenset((one.target, *one.plus, *one.minus)) not in known),
    )
    held = [one for one in sums if one.target in values]
    system = leaves.system(values, shown, held, shares.groups)
    return Reading(read, growing, sums, system, origins, shares)


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _independently(
    problem: Problem,
    draw: Draw,
    reading: Reading,
    origins: Origins,
    texts: Texts,
    choices: tuple[Fraction, ...],
    far: bool,
) -> Problem | None:
    """The problem with each leaf moved by a factor of its own; None where something could become false."""
    read, system = reading.read, reading.system
    if system is None or any(
        map(_JUDGES.search, (problem.body, *(turn.question for turn in problem.history)))
    ):
        return None
    if not _covers(reading, system):
        return None
    values = {cell: read.values[cell] for cell in system.variable}
    factor = draw.choice(choices)
    # An index counts from 100: its values move, but never by the common factor.
    factors = {cell: factor if cell in reading.growing else Fraction(1) for cell in values}
    if far and any(read.kinds[cell] == INDEX for cell in values):
        return None
    for attempt in range(leaves.attempts()):
        moved = leaves.moved(values, system, factors, draw, attempt)
        if moved is None:
            continue
        new = {**origins.values, **moved}
        shares = reading.shares.moved(origins, new)
        if shares is None:
            continue
        new.update(shares)
        if not reading.shares.hold(origins, new) or not _extremes_kept(problem, origins, new):
            continue
        made = _written(problem, reading, origins, texts, new, factor, "independently")
        if made is not None and _holds(problem, made, far):
            return made
    return None


def _holds(problem: Problem, made: Problem, far: bool) -> bool:
    """Whether a second reading of table and text finds nothing broken."""
    return (
        relations_hold(problem, made)
        and restatements_follow(problem, made)
        and told_sums_hold(problem, made)
        and (far or operands_within_half(problem, made))
    )


def _together(
    problem: Problem,
    draw: Draw,
    reading: Reading,
    origins: Origins,
    texts: Texts,
    choices: tuple[Fraction, ...],
) -> Problem | None:
    """The problem with all amounts multiplied by one factor, so that every relation of them holds."""
    read = reading.read
    if any(read.kinds[cell] == INDEX for cell in read.numbers):
        return None
    fitting = [factor for factor in draw.shuffled(choices) if _stay_whole(problem, reading, factor)]
    for factor in fitting[:3]:
        new = _adjusted(reading, factor)
        if new is not None and not _same_decimals(reading, new):
            new = _rounded(reading, factor, draw)
        if new is None:
            continue
        new = {**origins.values, **new}
        if not reading.shares.hold(origins, new):
            continue
        made = _written(problem, reading, origins, texts, new, factor, "together")
        if made is not None and _holds(problem, made, True):
            return made
    return None


def _same_decimals(reading: Reading, new: Mapping[Cell, Fraction]) -> bool:
    """Whether no amount gets more decimals than its table shows."""
    numbers = reading.read.numbers
    shown = max((_decimals(numbers[cell].text) for cell in reading.growing), default=0)
    return all(places(new[cell]) <= shown for cell in reading.growing if cell in new)


def _rounded(reading: Reading, factor: Fraction, draw: Draw) -> dict[Cell, Fraction] | None:
    """The amounts after growing, rounded as they are shown, with sums that hold; None where a sum is not a variable."""
    read, system = reading.read, reading.system
    if system is None or not _covers(reading, system):
        return None
    values = {cell: read.values[cell] for cell in system.variable}
    return leaves.moved(values, system, dict.fromkeys(values, factor), draw, None)


def _covers(reading: Reading, system: leaves.System) -> bool:
    """Whether all terms of the sums of a table are variables."""
    terms = {cell for one in reading.sums for cell in (one.target, *one.plus, *one.minus)}
    return (terms & reading.read.values.keys()) <= system.variable.keys()


def _stay_whole(problem: Problem, reading: Reading, factor: Fraction) -> bool:
    """Whether what is counted one by one stays whole."""
    if factor.denominator == 1 or problem.note("table_scale") in _SCALED:
        return True
    numbers = reading.read.numbers
    return all(
        (numbers[cell].value * factor).denominator == 1 or not numbers[cell].is_integer
        for cell in reading.growing
        if numbers[cell].value >= _IN_FULL or reading.read.kinds[cell] == COUNT
    )


def _adjusted(reading: Reading, factor: Fraction) -> dict[Cell, Fraction] | None:
    """The amounts after growing; what held up to rounding is computed again. None where not all can hold."""
    values, held = reading.read.values, reading.sums
    new = {cell: value * (factor if cell in reading.growing else 1) for cell, value in values.items()}
    before, after = Amounts(values), Amounts(new)
    exact = {one.target for one in held if not before.off(one)}
    for relation in held:
        if relation.target not in exact and not after.is_close(relation):
            new[relation.target] = relation.computed(new)
            after = Amounts(new)
    return new if all(map(after.is_close, held)) and leaves.order_kept(values, new) else None


def _written(
    problem: Problem,
    reading: Reading,
    origins: Origins,
    texts: Texts,
    new: Mapping[Cell, Fraction],
    factor: Fraction,
    how: str,
) -> Problem | None:
    """The problem with these cells, and with text, history, equation and answer that agree with them."""
    table = _cells(problem, reading, origins, new, even=how == "together")
    if table is None:
        return None
    made = texts.moved(problem.with_texts(table), new, factor)
    made = with_history(made, origins, new) if made is not None else None
    if made is None or not stated_sums_hold(problem.body, made.body):
        return None
    moves = _moves(problem, made)
    if moves is None or _moves_a_constant(problem, origins, new):
        return None
    known = operand_links.stored(problem)
    stored = {moves.get(value, value): link for value, link in known.items()}
    if len(stored) < len(known):
        return None
    equation = with_operands(expression.parse(problem.equation), moves)
    try:
        if (equation.value() < 0) != (expression.parse(problem.equation).value() < 0):
            return None
        answer = expression.canonical(expression.round_value(equation.value(), problem.note("rounding")))
    except ExpressionError:
        return None
    if (how == "independently" and answer == problem.answer) or _has_no_end(problem, answer):
        return None
    meta = with_note(problem, "operands", operand_links.to_note(stored))
    return made.replace(equation=equation.infix(), answer=answer, meta=tuple(sorted((*meta, (MOVED, how)))))


def _has_no_end(problem: Problem, answer: str) -> bool:
    """Whether a new answer that nothing rounds has more decimals than the old one and than money."""
    if problem.note("rounding") or numerals.parse(problem.answer) is None:
        return False
    return places(Fraction(answer)) > max(places(Fraction(problem.answer)), _CENTS)


def _moves_a_constant(problem: Problem, origins: Origins, new: Mapping[Cell, Fraction]) -> bool:
    """Whether a cell moves that a constant of the equation may mention: the base 100 of an index, a count of 6."""
    fixed = {value for value, link in operand_links.stored(problem).items() if link == operand_links.CONSTANT}
    return any(abs(size) in fixed and new[cell] != size for cell, size in origins.values.items())


def _extremes_kept(problem: Problem, origins: Origins, new: Mapping[Cell, Fraction]) -> bool:
    """Whether the columns keep their order too, where the question asks for the largest or the range."""
    if not _EXTREME.search(problem.question):
        return True
    turned = {(column, row): size for (row, column), size in origins.values.items()}
    return leaves.order_kept(turned, {(column, row): new[row, column] for column, row in turned})


def _is_odd_money(problem: Problem, cell: str, value: Fraction, old: str) -> bool:
    """Whether money in full, with cents or without, would get another number of decimals: "$1.4", "$0.108"."""
    in_full = any(sign in cell for sign in CURRENCIES) and problem.note("table_scale") not in _SCALED
    return in_full and _decimals(old) in (0, 2) and places(value) not in (0, 2)


def _cells(
    problem: Problem, reading: Reading, origins: Origins, new: Mapping[Cell, Fraction], even: bool
) -> dict[str, str] | None:
    """The texts of the cells that changed, with the same decimals where `even`; None where one cannot be written."""
    manner, changed = grouping(problem), {}
    shown = max((places(new[cell]) for cell in reading.growing), default=0) if even else 0
    for (row, column), quantity in reading.read.numbers.items():
        value = new[row, column]
        if value == origins.values[row, column]:
            continue
        text = problem.table[row][column]
        like = quantity.text
        if "." not in like and places(value) and (row, column) in reading.growing:
            like = f"{like}.{'0' * shown}"
        spelled = numerals.digits(abs(value), like=f"{manner}{like}")
        if _is_odd_money(problem, text, value, quantity.text):
            return None
        if "/" in spelled or YEARS.fullmatch(spelled) or (value < 0) != (origins.values[row, column] < 0):
            return None
        changed[f"table.{row}.{column}"] = text[: quantity.start] + spelled + text[quantity.end :]
    return changed


def _moves(problem: Problem, made: Problem) -> dict[Fraction, Fraction] | None:
    """The new value of each operand; None unless all but shares and constants by nature moved."""
    fixed = operand_links.constants(expression.parse(problem.equation))
    found: dict[Fraction, Fraction] = {}
    for value, link in operand_links.stored(problem).items():
        if link == operand_links.CONSTANT:
            if value not in fixed:
                return None  # it is somewhere in other words
            continue
        places = [link] if link != operand_links.AMBIGUOUS else operand_links.places_of(problem, value)
        after = [operand_links.locate(made, place) for place in places]
        sizes = {place.value for place in after if place is not None}
        if None in after or len(sizes) != 1:
            return None  # it may be any of them, and they are no longer the same
        now = sizes.pop()
        if now == value and not all(_is_share(problem, place) for place in places):
            return None
        if now != value and value in fixed:
            return None  # the 100 of percent is in a cell too
        if now != value:
            found[value] = now
    return found or None


def _is_share(problem: Problem, link: str) -> bool:
    place = operand_links.locate(problem, link)
    if place is None:
        return False
    text = problem.text_at(place.field)
    return place.kind == "percent" or text[place.end : place.end + 1] == "%"

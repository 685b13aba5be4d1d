"""Promises about links: checks of operands that are linked to cells and paragraphs."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.certificate.changes import changed_numbers
from dnc_datasets.certificate.structure import definition, follows, numbers_of
from dnc_datasets.certificate.tables import Place, Sum, figures, found_relations
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Unary
from dnc_datasets.problem import Problem


def linked_operands_moved(original: Problem, perturbed: Problem) -> bool:
    """each linked operand has its new value in the equation and at its link, and no other number changed"""
    old, new = expression.parse(original.equation), expression.parse(perturbed.equation)
    was, now = operand_links.operand_values(old), operand_links.operand_values(new)
    before, after = operand_links.stored(original), operand_links.stored(perturbed)
    if old.operators != new.operators or len(was) != len(now) or before.keys() != set(was):
        return False
    moved = 0
    for old_value, new_value in zip(was, now, strict=True):
        link = before[old_value]
        if after.get(new_value) != link:
            return False
        if "." not in link:
            if link != operand_links.CONSTANT or old_value != new_value:
                return False
        elif _value_at(original, link) != old_value or _value_at(perturbed, link) != new_value:
            return False
        else:
            moved += old_value != new_value
    numbers = changed_numbers(original, perturbed)
    return moved > 0 and numbers is not None and sum(a != b for a, b in zip(*numbers, strict=True)) == moved


def linked_operands_kept(original: Problem, perturbed: Problem) -> bool:
    """the new equation uses the same cells and spans, each at the value that is there"""
    if (original.body, original.table) != (perturbed.body, perturbed.table):
        return False
    if sorted(original.ratios()) != sorted(perturbed.ratios()):
        return False
    before, after = _linked(original), _linked(perturbed)
    used = set(operand_links.operand_values(expression.parse(perturbed.equation)))
    return before == after and set(after) <= used and all(_value_at(perturbed, after[v]) == v for v in after)


def operation_changed(original: Problem, perturbed: Problem) -> bool:
    """question and equation differ, and the equation is not the old one in another form"""
    try:
        same = expression.equivalent(original.equation, perturbed.equation)
    except ExpressionError:
        return False
    return original.question != perturbed.question and not same


_ASKED_BACK = re.compile(
    r"(?<=[.?]) [Ii]f the answer is [$€£¥]?(?P<answer>-?\d[\d,]*(?:\.\d+)?)(?P<unit>%| [A-Za-z][A-Za-z '-]{0,60})?, "
    r"what is x in the table\?\Z"
)
_CELL_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")
_LONE_X = re.compile(r"(?<![A-Za-z])[xX](?![A-Za-z])")
_SCALES = (1, 10**3, 10**6, 10**9)
_TELLING = 3  # digits: a shorter number is a result of two figures by chance


def _hidden_cell(original: Problem, perturbed: Problem) -> tuple[Place, Fraction] | None:
    """Return the only cell with x in place of its only number, and that number.

    The number must be stated nowhere else.
    """
    if [len(row) for row in original.table] != [len(row) for row in perturbed.table]:
        return None
    changed = [
        (row, column)
        for row, cells in enumerate(original.table)
        for column, cell in enumerate(cells)
        if cell != perturbed.table[row][column]
    ]
    if len(changed) != 1:
        return None
    ((row, column),) = changed
    found = list(_CELL_NUMBER.finditer(original.table[row][column]))
    cell = original.table[row][column]
    if len(found) != 1:
        return None
    hidden = f"{cell[: found[0].start()]}x{cell[found[0].end() :]}"
    if perturbed.table[row][column] != hidden or re.search(r"[(−–-]", cell[: found[0].start()]):
        return None
    value = Fraction(found[0][0].replace(",", ""))
    texts = [text for path, text in perturbed.texts() if path not in ("body", "question")]
    defined = definition(perturbed)
    texts.append(defined[1] if defined else perturbed.body)
    stated = {abs(one.value) for text in texts for one in numerals.find(text)}
    restated = any(value * scale in stated or value / scale in stated for scale in _SCALES)
    uses = sum(len(_LONE_X.findall(text)) for text in texts)
    return None if restated or uses != 1 else ((row, column), value)


def one_cell_hidden(original: Problem, perturbed: Problem) -> bool:
    """one cell holds x in place of its number, the exact answer is given in its unit, and all else is the original's"""
    asked = _ASKED_BACK.search(perturbed.question)
    if asked is None or perturbed.question[: asked.start()] != original.question.rstrip():
        return False
    if (original.body, original.history) != (perturbed.body, perturbed.history):
        return False
    unit = {"percent": "%", "": "", **dict.fromkeys("$€£¥", "")}.get(original.unit, f" {original.unit}")
    units = {unit} if original.unit else {"", f" {original.note('table_scale')}"}
    hidden = _hidden_cell(original, perturbed)
    given = Fraction(asked["answer"].replace(",", ""))
    return (
        hidden is not None
        and (asked["unit"] or "") in units
        and given == expression.parse(original.equation).value() == numerals.parse(original.answer)
        and perturbed.answer == expression.canonical(hidden[1])
    )


def hidden_cell_follows(original: Problem, perturbed: Problem) -> bool:
    """solved for the hidden cell, the original's equation gives it, also if another answer were given"""
    hidden = _hidden_cell(original, perturbed)
    if hidden is None:
        return False
    try:
        forward, inverse = expression.parse(original.equation), expression.parse(perturbed.equation)
        answer, value = forward.value(), hidden[1]
        if answer < 0:  # the question gives -12 as the negative of 12
            forward, answer = Unary("-", forward), -answer
        if inverse.value() != value or value in numbers_of(inverse) or numbers_of(forward).count(value) != 1:
            return False
        return all(follows(forward, inverse, value, answer, value + shift) for shift in (1, 7, 60))
    except ExpressionError:
        return False


def hidden_cell_is_no_part(original: Problem, perturbed: Problem) -> bool:
    """no total, difference or change of the table holds the hidden cell, and the text states no sum with it"""
    hidden = _hidden_cell(original, perturbed)
    if hidden is None:
        return False
    (row, column), value = hidden
    for one in found_relations(original.table):
        places = [one.whole, *(at for _, at in one.parts)] if isinstance(one, Sum) else list(one)
        if (row, column) in places:
            return False
    others = [
        abs(figure.value)
        for place, figure in figures(original.table).items()
        if (place[0] == row or place[1] == column) and place != (row, column) and figure.value
    ]
    stated = {
        abs(one.value) for one in numerals.find(original.body) if sum(map(str.isdigit, one.text)) >= _TELLING
    }
    return not any(abs(value - other) in stated or value + other in stated for other in others)


def cell_defined(original: Problem, perturbed: Problem) -> bool:
    """with the value of its definition in place of x, table, text and question are the original's to the letter"""
    found, hidden = definition(perturbed), _hidden_cell(original, perturbed)
    if found is None or hidden is None:
        return False
    return (
        found[1] == original.body
        and (original.question, original.history) == (perturbed.question, perturbed.history)
        and hidden[1] == found[0].value()
    )


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (
    one_cell_hidden,
    hidden_cell_follows,
    hidden_cell_is_no_part,
    cell_defined,
    linked_operands_moved,
    linked_operands_kept,
    operation_changed,
)


def _value_at(problem: Problem, link: str) -> Fraction | None:
    quantity = operand_links.locate(problem, link)
    return quantity.value if quantity else None


def _linked(problem: Problem) -> dict[Fraction, str]:
    return {value: link for value, link in operand_links.stored(problem).items() if "." in link}

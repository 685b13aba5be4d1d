"""Promises about links: what a certificate checks where operands point at cells and paragraphs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dnc_datasets import expression, operand_links
from dnc_datasets.certificate.changes import changed_numbers
from dnc_datasets.errors import ExpressionError
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
    return moved > 0 and numbers is not None and sum(a != b for a, b in numbers) == moved


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


def parts_rearranged(original: Problem, perturbed: Problem) -> bool:
    """paragraphs and table rows are the same in another order, the heading rows first, the question kept"""
    old, new = operand_links.paragraphs(original.body), operand_links.paragraphs(perturbed.body)
    return (
        original.question == perturbed.question
        and sorted(old) == sorted(new)
        and sorted(original.table) == sorted(perturbed.table)
        and original.table[:1] == perturbed.table[:1]
        and (old, original.table) != (new, perturbed.table)
    )


def links_follow(original: Problem, perturbed: Problem) -> bool:
    """every linked operand is at its new link in the row or paragraph where it stood"""
    before, after = operand_links.stored(original), operand_links.stored(perturbed)
    if before.keys() != after.keys():
        return False
    return all(
        _surroundings(original, link) == _surroundings(perturbed, after[value])
        for value, link in before.items()
        if "." in link
    )


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (
    linked_operands_moved,
    linked_operands_kept,
    operation_changed,
    parts_rearranged,
    links_follow,
)


def _value_at(problem: Problem, link: str) -> Fraction | None:
    quantity = operand_links.locate(problem, link)
    return quantity.value if quantity else None


def _linked(problem: Problem) -> dict[Fraction, str]:
    return {value: link for value, link in operand_links.stored(problem).items() if "." in link}


def _surroundings(problem: Problem, link: str) -> object:
    field, first, second = link.split(".")
    parts = problem.table if field == "table" else operand_links.paragraphs(problem.body)
    return (parts[int(first)], second)

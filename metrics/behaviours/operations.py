"""Behaviours that apply another calculation to the right numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from dnc_metrics._mistakes import (
    OTHER_OPERATION,
    STEP,
    SWAPPED,
    Ratio,
    Tree,
    lowest,
    operators,
    with_operators,
)
from dnc_metrics.behaviours.case import Case
from dnc_metrics.behaviours.operands import negative, size, total
from dnc_metrics.behaviours.registry import behaviour

_INVERSE = {"+": "-", "-": "+", "*": "/", "/": "*"}
_PLUS_FOR_TIMES = {"+": "*", "*": "+", "-": "/", "/": "-"}


@behaviour("adds, whatever is asked", OTHER_OPERATION)
def always_adds(case: Case) -> Iterator[Ratio]:
    if len(case.operands) > 1:
        yield total(case.operands)


@behaviour("subtracts, whatever is asked", OTHER_OPERATION)
def always_subtracts(case: Case) -> Iterator[Ratio]:
    yield from _either(case, lambda first, others: total((first, negative(total(others)))))


@behaviour("multiplies, whatever is asked", OTHER_OPERATION)
def always_multiplies(case: Case) -> Iterator[Ratio]:
    if len(case.operands) > 1:
        yield _product(case.operands)


@behaviour("divides, whatever is asked", OTHER_OPERATION)
def always_divides(case: Case) -> Iterator[Ratio]:
    yield from _either(case, _quotient)


def _either(case: Case, fold: Callable[[Ratio, Sequence[Ratio]], Ratio | None]) -> Iterator[Ratio]:
    """Yield the results with the first and with the largest operand in front."""
    operands = case.operands
    if len(operands) < 2:
        return
    largest = max(range(len(operands)), key=lambda place: size(operands[place]))
    for place in dict.fromkeys((0, largest)):
        value = fold(operands[place], (*operands[:place], *operands[place + 1 :]))
        if value is not None:
            yield value


def _product(numbers: Sequence[Ratio]) -> Ratio:
    return lowest(math.prod(top for top, _ in numbers), math.prod(bottom for _, bottom in numbers))


def _quotient(first: Ratio, others: Sequence[Ratio]) -> Ratio | None:
    top, bottom = _product(others)
    if not top:
        return None
    sign = 1 if top > 0 else -1
    return lowest(first[0] * bottom * sign, first[1] * top * sign)


@behaviour(
    "inverts the operation (adds where it has to subtract, divides where it has to multiply)", OTHER_OPERATION
)
def inverts_the_operation(case: Case) -> Iterator[Ratio]:
    yield from _replaced(case, _INVERSE)


@behaviour("multiplies where it has to add, and adds where it has to multiply", OTHER_OPERATION)
def confuses_plus_and_times(case: Case) -> Iterator[Ratio]:
    yield from _replaced(case, _PLUS_FOR_TIMES)


def _replaced(case: Case, others: dict[str, str]) -> Iterator[Ratio]:
    """Yield the calculation with other operators; a difference or quotient also with swapped sides."""
    if case.tree is None:
        return
    tree = with_operators(case.tree, iter([others[op] for op in operators(case.tree)]))
    yield from case.result(case.operands, tree)
    if len(case.operands) == 2:
        yield from case.result(case.operands, _reversed(tree))


@behaviour("subtracts and divides the wrong way round", SWAPPED)
def swaps_the_operands(case: Case) -> Iterator[Ratio]:
    if case.tree is not None:
        yield from case.result(case.operands, _reversed(case.tree))


@behaviour("subtracts and divides in the order of the text", SWAPPED)
def calculates_in_the_order_of_the_text(case: Case) -> Iterator[Ratio]:
    place = {number: at for at, number in reversed(list(enumerate(case.numbers)))}
    if len(case.operands) == 2 and all(value in place for value in case.operands):
        yield from case.result(sorted(case.operands, key=place.__getitem__))


def _reversed(tree: Tree) -> Tree:
    if not isinstance(tree, tuple):
        return tree
    op, left, right = tree
    sides = (_reversed(left), _reversed(right))
    return (op, *(sides[::-1] if op in "-/" else sides))


@behaviour("stops after the first step", STEP)
def stops_after_the_first_step(case: Case) -> Iterator[Ratio]:
    if case.tree is not None:
        for step in _first_steps(case.tree):
            if step is not case.tree:
                yield from case.result(case.operands, step)


def _first_steps(tree: Tree) -> Iterator[Tree]:
    """Yield the parts that calculate only with numbers of the text."""
    if isinstance(tree, tuple):
        if not isinstance(tree[1], tuple) and not isinstance(tree[2], tuple):
            yield tree
        else:
            yield from _first_steps(tree[1])
            yield from _first_steps(tree[2])


@behaviour("leaves out the last step", STEP)
def leaves_out_the_last_step(case: Case) -> Iterator[Ratio]:
    if isinstance(case.tree, tuple):
        for part in case.tree[1:]:
            if isinstance(part, tuple):
                yield from case.result(case.operands, part)

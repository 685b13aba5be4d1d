"""Equation accuracy: the same equation, an equivalent one, or one that gives the gold answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_metrics import answers, extraction
from dnc_metrics.errors import MetricError, check_lengths
from dnc_metrics.extraction.equation_text import INFIX, PREFIX, FoundEquation, read

_SPACES = re.compile(r"\s+")
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-"})


class EquationScore(NamedTuple):
    """Scores of a predicted equation; `executes` is None without an answer or numbers."""

    exact: bool
    same: bool
    equivalent: bool
    executes: bool | None
    rule: str


def score(
    prediction: str,
    gold: str,
    *,
    answer: str | None = None,
    numbers: Sequence[str] | None = None,
    rounding: str = "",
) -> EquationScore:
    """Compare the equation in a model's text with the gold equation; each may be infix or prefix.

    exact: the same characters up to spaces and the part after "=", as in the DNC paper; if a notation is
    prefix, the same tokens in prefix order, as in MWPToolkit. same: exact up to redundant brackets and the
    spelling of numbers. equivalent: the same calculation, up to order and grouping. executes: its value,
    rounded by the row's `rounding`, is the gold answer, or the gold equation's value without `answer`. An
    equation that is equivalent to the gold equation always executes, because a source may round its answer
    without a note. `numbers` fills slots: number0 is the first.

    >>> score("4 + 3 = 7", "3+4", answer="7")
    EquationScore(exact=False, same=False, equivalent=True, executes=True, rule='bare')
    >>> score("- number0 number1", "number0 - number1", answer="3", numbers=["5", "2"])
    EquationScore(exact=True, same=True, equivalent=True, executes=True, rule='bare')
    """
    target = read(gold.strip()) if isinstance(gold, str) else None
    if target is None or target.expr is None:
        raise MetricError(f"the gold equation {gold!r:.60} cannot be read; write it infix or prefix")
    found = extraction.equation(prediction)
    if found.expr is None:
        return EquationScore(False, False, False, False, found.rule)
    slots = _slots(numbers)
    wanted = answers.gold_value(answer) if answer is not None else _value(target.expr, slots, rounding)
    equivalent = expression.equivalent(found.expr, target.expr)
    executes = _executes(found.expr, wanted, slots, rounding)
    return EquationScore(
        exact=_exact(found, target),
        same=expression.same(found.expr, target.expr),
        equivalent=equivalent,
        executes=executes if executes is None else executes or equivalent,
        rule=found.rule,
    )


def accuracy(
    predictions: Sequence[str],
    references: Sequence[str],
    *,
    answers: Sequence[str] | None = None,
    numbers: Sequence[Sequence[str]] | None = None,
    roundings: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the shares of equations that are exact, same, equivalent and executing; and the missing ones.

    `executes` is over the rows that have a value for it, and None if no row does.
    """
    columns = {"answers": answers, "numbers": numbers, "roundings": roundings}
    check_lengths(
        predictions=predictions,
        references=references,
        **{name: column for name, column in columns.items() if column is not None},
    )
    if not predictions:
        raise MetricError("no predictions to score; give at least one")
    outcomes = []
    for index, (prediction, gold) in enumerate(zip(predictions, references, strict=True)):
        try:
            outcomes.append(
                score(
                    prediction,
                    gold,
                    answer=answers[index] if answers is not None else None,
                    numbers=numbers[index] if numbers is not None else None,
                    rounding=roundings[index] if roundings is not None else "",
                )
            )
        except MetricError as error:
            raise MetricError(f"row {index}: {error}") from None
    executed = [outcome.executes for outcome in outcomes if outcome.executes is not None]
    return {
        "exact": sum(outcome.exact for outcome in outcomes) / len(outcomes),
        "same": sum(outcome.same for outcome in outcomes) / len(outcomes),
        "equivalent": sum(outcome.equivalent for outcome in outcomes) / len(outcomes),
        "executes": sum(executed) / len(executed) if executed else None,
        "not_found": sum(outcome.rule == extraction.NOT_FOUND for outcome in outcomes),
    }


def _exact(found: FoundEquation, gold: FoundEquation) -> bool:
    if found.notation == gold.notation == INFIX:
        return _compact(found.text) == _compact(gold.text)
    return _prefix_tokens(found) == _prefix_tokens(gold)


def _compact(text: str) -> str:
    """Return an infix equation without spaces, and without "x =" before it and "= 7" after it."""
    sides = _SPACES.sub("", text).translate(_SIGNS).split("=")
    return sides[1] if len(sides) > 1 and sides[0].isalpha() else sides[0]


def _prefix_tokens(equation: FoundEquation) -> list[str]:
    assert equation.expr is not None  # checked by the callers
    return equation.text.split() if equation.notation == PREFIX else equation.expr.prefix().split()


def _slots(numbers: Sequence[str] | None) -> Mapping[str, Fraction]:
    """Return the values of number0, num0, n0 and so on, with or without an underscore and in either case."""
    slots: dict[str, Fraction] = {}
    for index, text in enumerate(numbers or ()):
        value = numerals.parse(str(text))
        if value is None:
            raise MetricError(f"number {index} is {text!r:.60}, which is not a number")
        for stem in ("number", "num", "n"):
            for name in (f"{stem}{index}", f"{stem}_{index}"):
                slots[name] = slots[name.upper()] = value
    return slots


def _value(expr: expression.Expr, slots: Mapping[str, Fraction], rounding: str) -> Fraction | None:
    try:
        return expression.round_value(expr.value(slots), rounding)
    except ExpressionError:
        return None


def _executes(
    expr: expression.Expr, wanted: Fraction | None, slots: Mapping[str, Fraction], rounding: str
) -> bool | None:
    if wanted is None or (not slots and any(isinstance(leaf, expression.Name) for leaf in expr.leaves())):
        return None
    try:
        return expression.rounds_to(expr.value(slots), wanted, rounding)
    except ExpressionError:
        return False

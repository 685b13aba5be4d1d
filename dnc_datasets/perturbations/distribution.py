"""Distribution: every operand moves to a range that training data hardly holds, and the answer follows."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets.draws import Draw
from dnc_datasets.expression import Binary, Expr, literal
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.operands import moved, operands, with_operands
from dnc_datasets.problem import TEXT_FIELDS, Problem

# How often plausible mode draws anew before it gives a problem up.
_MAX_DRAWS = 40


@perturbation(
    "distribution",
    capability=Capability.VALUE_UNDERSTANDING,
    changes_target=True,
    promises=("operands_moved", "equation_gives_answer", "text_elsewhere_kept"),
    shapes=("word_problem",),
    needs_equations=True,
    qualifies="every operand must stand at just one place, and be no percentage in a table",
)
def shift_operands(
    problem: Problem,
    draw: Draw,
    *,
    scope: Sequence[str] = TEXT_FIELDS,
    mu: float = 1000,
    sigma: float = 300,
    plausible: bool = False,
) -> Problem | None:
    """12 pens -> 1036 pens: n + floor(X), X ~ N(mu, sigma^2), for each operand of the equation.

    As published, subtraction may go below zero and division may leave a fraction; `plausible=True`
    draws until every step of the calculation keeps its sign and stays whole where it was whole.
    """
    found = operands(problem, scope)
    if not found:
        return None
    for _ in range(_MAX_DRAWS):
        new = [_shifted(value, draw, mu, sigma) for value in found.values]
        if not plausible:
            return with_operands(problem, found, [str(value) for value in new])
        if (mended := _mended(found.equation, new)) is not None:
            return with_operands(problem, found, [str(value) for value in mended])
    return None


def _shifted(value: int, draw: Draw, mu: float, sigma: float) -> int:
    """The operand plus a draw; drawn anew in the rare case that it falls below one."""
    for _ in range(_MAX_DRAWS):
        if (new := value + draw.normal(mu, sigma)) >= 1:
            return new
    return value


def _mended(equation: Expr, new: list[int]) -> list[int] | None:
    """The draw itself if plausible, else with one operand raised to the next value that makes it so."""
    wanted = _shape(equation)
    if _moved_shape(equation, new) == wanted:
        return new
    if "/" not in equation.operators:
        return None
    for at in range(len(new)):
        # The next multiple is at most one divisor away, and no divisor exceeds the largest operand.
        for step in range(1, max(new) + 1):
            trial = [*new[:at], new[at] + step, *new[at + 1 :]]
            if _moved_shape(equation, trial) == wanted:
                return trial
    return None


def _moved_shape(equation: Expr, new: list[int]) -> list[tuple[bool, bool]]:
    return _shape(moved(equation, [literal(str(value)) for value in new]))


def _shape(equation: Expr) -> list[tuple[bool, bool]]:
    """For each operation, whether its value is negative and whether it is whole."""
    if not isinstance(equation, Binary):
        return []
    value = equation.value()
    return [(value < 0, value.denominator == 1), *_shape(equation.left), *_shape(equation.right)]

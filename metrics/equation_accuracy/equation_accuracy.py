"""Equation accuracy as a module of the evaluate library."""

from __future__ import annotations

from dnc_metrics import equations
from dnc_metrics.evaluate_module import metric_class

EquationAccuracy = metric_class(
    __name__,
    equations.accuracy,
    columns={"predictions": "string", "references": "string"},
    description="""
The shares of predicted equations that are written exactly as the gold equation, that do the same calculation,
and that evaluate to the gold answer. Infix, prefix and number slots ("number0"); exact rational arithmetic.
""",
    inputs="""
predictions: list of str, what the model wrote.
references: list of str, the gold equations.
answers: list of str, optional: the gold answers; otherwise the gold equation's value is taken.
numbers: list of list of str, optional: the numbers that fill each row's slots.
roundings: list of str, optional: how each answer follows from its equation ("floor", "ceil", "places:2").
""",
)

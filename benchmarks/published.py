"""The five perturbations of numbers as the DNC paper defines them, written plainly, to measure our own beside them.

Filters are the paper's: a number that changes the equation stands once in the body, is whole, and an operand. Nothing
is checked afterwards. Arithmetic is in floats, as such scripts do it.
"""

from __future__ import annotations

import ast
import operator
import random
import re

from num2words import num2words

from dnc_datasets.problem import Problem

NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def language(problems: list[Problem]) -> list[Problem | None]:
    """Every number of the body in words."""
    return [
        problem.replace(
            body=NUMBER.sub(lambda found: num2words(float(found[0].replace(",", ""))), problem.body)
        )
        for problem in problems
    ]


def type_(problems: list[Problem]) -> list[Problem | None]:
    """Every operand with a decimal zero."""
    return [moved(problem, lambda number: f"{number}.0", target=False) for problem in problems]


def noise(problems: list[Problem]) -> list[Problem | None]:
    """n + 0.1 X with X from 1 to 9, in text and equation; the answer computed anew."""
    draw = random.Random(0)
    return [moved(problem, lambda number: str(int(number) + draw.randint(1, 9) / 10)) for problem in problems]


def distribution(problems: list[Problem]) -> list[Problem | None]:
    """n + X with X from N(1000, 300), in text and equation; the answer computed anew."""
    draw = random.Random(0)
    return [
        moved(problem, lambda number: str(int(number) + int(draw.gauss(1000, 300)))) for problem in problems
    ]


def verbosity(problems: list[Problem]) -> list[Problem | None]:
    """Behind every number of the body a denied one from N(100, 30)."""
    draw = random.Random(0)
    return [
        problem.replace(
            body=NUMBER.sub(lambda found: f"{found[0]} (not {int(draw.gauss(100, 30))})", problem.body)
        )
        for problem in problems
    ]


DEFINED = {
    "language": language,
    "type": type_,
    "noise": noise,
    "distribution": distribution,
    "verbosity": verbosity,
}


def moved(problem: Problem, new, *, target: bool = True) -> Problem | None:  # type: ignore[no-untyped-def]
    """The problem with its operands changed; None where the filters leave it out."""
    found = NUMBER.findall(problem.body)
    used = NUMBER.findall(problem.equation)
    if not used or any(not number.isdigit() or found.count(number) != 1 for number in used):
        return None
    changes = {number: new(number) for number in dict.fromkeys(used)}
    body = NUMBER.sub(lambda one: changes.get(one[0], one[0]), problem.body)
    if not target:
        return problem.replace(body=body)
    equation = NUMBER.sub(lambda one: changes[one[0]], problem.equation)
    return problem.replace(
        body=body, equation=equation, answer=str(computed(ast.parse(equation, mode="eval").body))
    )


def computed(node: ast.expr) -> float:
    """The value of a parsed equation."""
    if isinstance(node, ast.BinOp):
        return OPERATIONS[type(node.op)](computed(node.left), computed(node.right))
    return float(node.value) if isinstance(node, ast.Constant) else -computed(node.operand)

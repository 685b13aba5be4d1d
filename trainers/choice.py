"""Choice among beam hypotheses: the likelihood of the text combined with the plausibility of the numbers.

A decoder that reads slots does not see the numbers, so it may subtract the larger one or share 7 pens among 4
children. By Bayes' rule the posterior of an equation is its probability given the text, times the likelihood
of the numbers given the equation. The second factor is estimated from the training problems. For answers, it
counts positive answers, equations that use each number once, and, where all numbers are integers, answers of
at least one. For the operands of each operator, it bins the smaller one and the ratio, and records
divisibility.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dnc_datasets.expression import Binary, Expr, Name, Unary

# Lower bounds of the bins: of the smaller operand, and of the ratio of the larger operand to it.
_SIZES = (0, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_TIMES = (0, 1, 2, 5, 10, 20)
_ANY = "any"  # the kind of all operands
# Pseudo-count of operands per kind, with the operators in their overall shares.
# It gives rare kinds little effect.
_PRIOR = 5


@dataclass(frozen=True)
class Seen:
    """Statistics of the training problems."""

    # A trait of answers -> the number of answers with it and without it.
    answers: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    # A kind of operands -> the count of each operator.
    operands: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        return {
            "answers": {name: list(counts) for name, counts in self.answers.items()},
            "operands": {kind: dict(counts) for kind, counts in self.operands.items()},
        }

    @staticmethod
    def from_json(record: Mapping[str, Any]) -> Seen:
        """Return the counts from the values of `to_json`."""
        return Seen(
            {str(name): (int(yes), int(no)) for name, (yes, no) in record["answers"].items()},
            {
                str(kind): {str(operator): int(n) for operator, n in counts.items()}
                for kind, counts in record["operands"].items()
            },
        )


@dataclass(frozen=True)
class Calculation:
    """An equation over the names of a problem's numbers, and the numbers; it must have a value."""

    tree: Expr
    numbers: Mapping[str, Fraction]

    def traits(self) -> dict[str, bool]:
        """Return the traits of the answer: positive, each number used once, at least one."""
        value = self.tree.value(self.numbers)
        used = [leaf.name for leaf in self.tree.leaves() if isinstance(leaf, Name)]
        traits = {"positive": value > 0, "once": len(set(used)) == len(used)}
        if all(number.denominator == 1 for number in self.numbers.values()):
            traits["at_least_one"] = value >= 1
        return traits

    def steps(self) -> Iterator[tuple[str, Fraction, Fraction]]:
        """Yield every operator with the values of its two operands."""
        pending = [self.tree]
        while pending:
            node = pending.pop()
            if isinstance(node, Binary):
                yield node.op, node.left.value(self.numbers), node.right.value(self.numbers)
                pending += (node.left, node.right)
            elif isinstance(node, Unary):
                pending.append(node.operand)


def operand_kinds(left: Fraction, right: Fraction) -> tuple[str, str, str]:
    """Return the bins of the smaller operand and of the ratio, and the divisibility of the larger operand.

    >>> operand_kinds(Fraction(12), Fraction(3))
    ('size 2', 'times 2', 'divides')
    """
    smaller, larger = sorted((abs(left), abs(right)))
    size = _SIZES[bisect_left(_SIZES, smaller, 1) - 1]
    times = _TIMES[bisect_left(_TIMES, larger / smaller, 1) - 1] if smaller else _TIMES[-1]
    if not smaller.denominator == larger.denominator == 1:
        division = "broken"
    elif smaller <= 1:
        division = "by one"
    else:
        division = "does not divide" if larger % smaller else "divides"
    return f"size {size}", f"times {times}", division


def count(calculations: Iterable[Calculation]) -> Seen:
    """Return the statistics of these calculations, usually those of the training problems."""
    answers: Counter[tuple[str, bool]] = Counter()
    operands: dict[str, Counter[str]] = {}
    for calculation in calculations:
        answers.update(calculation.traits().items())
        for operator, left, right in calculation.steps():
            for kind in (_ANY, *operand_kinds(left, right)):
                operands.setdefault(kind, Counter())[operator] += 1
    names = sorted({name for name, _ in answers})
    return Seen(
        {name: (answers[name, True], answers[name, False]) for name in names},
        {kind: dict(sorted(counts.items())) for kind, counts in sorted(operands.items())},
    )


def weight(seen: Seen, calculation: Calculation) -> float:
    """Return the log-likelihood of the numbers given the equation; unseen traits are smoothed.

    >>> from dnc_datasets.expression import parse
    >>> def made(text: str) -> Calculation:
    ...     return Calculation(parse(text), {})
    >>> seen = count([made("12 / 3"), made("12 + 5"), made("12 - 7")])
    >>> weight(seen, made("8 / 2")) > weight(seen, made("8 - 2")) > weight(seen, made("2 - 8"))
    True
    """
    total = 0.0
    for name, there in calculation.traits().items():
        with_it, without = seen.answers.get(name, (0, 0))
        total += math.log(((with_it if there else without) + 1) / (with_it + without + 2))
    every = seen.operands.get(_ANY, {})
    for operator, left, right in calculation.steps():
        if operator not in every:
            continue
        share = every[operator] / sum(every.values())
        for kind in operand_kinds(left, right):
            counts = seen.operands.get(kind, {})
            # Frequency of the operator among operands of this kind, relative to that among all operands.
            commoner = (counts.get(operator, 0) / share + _PRIOR) / (sum(counts.values()) + _PRIOR)
            total += math.log(commoner)
    return total

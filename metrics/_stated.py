"""What a calculation that a model states says of its mistake: which numbers it uses, and what it does with them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from dnc_metrics._mistakes import (
    DISTRACTOR,
    LEFT_OUT,
    MISREAD,
    OTHER_OPERATION,
    SWAPPED,
    Explanation,
    Question,
    Ratio,
    Tree,
    evaluate,
    infix,
    misreadings,
    operators,
    written,
)

_HALF = Fraction(1, 200)  # answers are written with two decimals or more


def gives(tree: Tree, leaves: tuple[Ratio, ...], answer: Ratio) -> bool:
    """Is the answer what the calculation gives, perhaps rounded to two places?"""
    value = evaluate(tree, leaves)
    return value is not None and (
        value == answer or (value[1] != 1 and abs(Fraction(*value) - Fraction(*answer)) <= _HALF)
    )


def mistake(question: Question, tree: Tree, leaves: tuple[Ratio, ...]) -> Explanation | None:
    """The mistake of a calculation that is not the question's; None where it has numbers of its own making."""
    if question.tree is None:
        return None
    shown = infix(tree, leaves)
    wanted, used = Counter(question.leaves), Counter(leaves)
    missing, more = wanted - used, used - wanted
    strange = [value for value in more if value not in wanted]
    denied = [value for value in strange if value in question.numbers]
    if denied:
        named = " and ".join(map(written, denied))
        return Explanation(DISTRACTOR, f"{shown} uses {named}, which does not count")
    if strange:
        return _misread(question, shown, missing, strange)
    if missing:
        named = " and ".join(map(written, missing))
        return Explanation(LEFT_OUT, f"{shown} leaves out {named}")
    same = not more and Counter(operators(tree)) == Counter(operators(question.tree))
    cause = SWAPPED if same else OTHER_OPERATION
    return Explanation(cause, f"{shown} instead of {infix(question.tree, question.leaves)}")


def _misread(
    question: Question, shown: str, missing: Counter[Ratio], strange: list[Ratio]
) -> Explanation | None:
    """One number that is another one misread: its old value, a digit less, two digits exchanged."""
    if len(strange) != 1 or len(missing) != 1:
        return None
    (value,), (wrong,) = missing, strange
    before = question.before[question.leaves.index(value)] if question.before else None
    if wrong not in misreadings(value, before):
        return None
    return Explanation(MISREAD, f"{shown} reads {written(wrong)} for {written(value)}")

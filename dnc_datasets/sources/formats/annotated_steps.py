"""GSM8K's solutions ("48/2 = <<48/2=24>>24 clips ... #### 72") as steps and as one equation over the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Name, Number
from dnc_datasets.numerals import Quantity
from dnc_datasets.steps import DISAGREES, Step, reference

_STEP = re.compile(r"<<([^<>=]{1,200})=([^<>=]{1,60})>>")
# A calculation with its annotation and the result after that.
_ANNOTATED = re.compile(r"=\s*\$?<<[^<>]{1,260}>>\s*\$?[\d,.]*")
_RESULT = re.compile(r"[\d)%a-z]\s*=\s*\$?(\d[\d,.]{0,20})")
_WITH_RESULT = re.compile(
    r"<<(?P<left>[^<>=]{1,200})=(?P<right>[^<>=]{1,60})>>[\s$]{0,4}(?P<after>\d[\d,]{0,20}(?:\.\d{1,20})?)?"
)
_PROSE = 200  # characters before an annotation
_CALCULATION = re.compile(r"[\d.,$%()\s*/+x-]{1,120}\Z")
# The calculation began earlier: "24 bottles - 8", "2 × $3".
_CONTINUES = re.compile(r"\d\s?[A-Za-z’'/]*\s?\Z|[×÷–−]\s*\Z")
_ONE_NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,20})?|\.\d{1,20}")
_OPERATION = re.compile(r"\d[^\d.;:]{0,30}\s?[-+*/×÷]\s?[^\d.;:]{0,30}\d")
_FINAL = re.compile(r"####\s*(\S[^\n]{0,60})")
_SIGNS = re.compile(r"[$€£,%]")
_MAX_READINGS = 256
_MAX_LEAVES = 40
_HUNDRED = expression.number(Fraction(100))

# Reasons for the absence of an equation, which are counted.
NO_STEPS = "no annotated step"
UNREAD = "a step cannot be read"
ROUNDED = "a step does not give its value exactly"
NO_ANSWER = "no step gives the answer"
NOT_STATED = "an operand is not stated in the text"
AMBIGUOUS = "a number may be stated or be a step's value"
TOO_LONG = "the composed equation is too long"


class Solution(NamedTuple):
    """The final answer, the steps, and one equation over the text's numbers or a reason."""

    answer: Fraction
    steps: tuple[Step, ...]
    equation: Expr | None
    reason: str = ""


def read_solution(text: str, solution: str) -> Solution | None:
    """Read an annotated solution of the problem with this text. Return None where it has no final answer.

    >>> read_solution("Ann has 48 clips and Bob half as many. How many have they?",
    ...     "48/2 = <<48/2=24>>24, 48+24 = <<48+24=72>>72 #### 72").equation.infix()
    '48 + 48 / 2'
    """
    answer = final_answer(solution)
    if answer is None:
        return None
    try:
        steps = tuple(_read(solution))
    except ExpressionError:
        return Solution(answer, (), None, UNREAD)
    if not steps:
        return Solution(answer, (), None, NO_STEPS)
    if _disagrees(solution):
        return Solution(answer, steps, None, DISAGREES)
    if any(step.equation.value() != step.value for step in steps):
        return Solution(answer, steps, None, ROUNDED)
    last = max((at for at, step in enumerate(steps) if step.value == answer), default=None)
    if last is None or _goes_on(solution, answer):
        return Solution(answer, steps, None, NO_ANSWER)
    linked, equation, reason = _compose(steps[: last + 1], _Stated(text, _results(solution)))
    return Solution(answer, (*linked, *steps[last + 1 :]), equation, reason)


def final_answer(solution: str) -> Fraction | None:
    """Return the number after ####."""
    found = _FINAL.search(solution)
    return numerals.parse(_SIGNS.sub("", found[1]).strip()) if found else None


def _results(solution: str) -> set[Fraction]:
    """Return the results that the solution computes without an annotation: the 30 of "60kg - 30kg = 30kg"."""
    plain = _ANNOTATED.sub("", solution)
    values = {numerals.parse(number.replace(",", "").rstrip(".")) for number in _RESULT.findall(plain)}
    return {value for value in values if value is not None}


_LAST_RESULT = re.compile(r"\d[^=\n]{0,60}[/*×÷+][^=\n]{0,60}=\s*\$?(\d[\d,.]{0,20})")


def _goes_on(solution: str, answer: Fraction) -> bool:
    """Return whether a step after the last annotation gives the answer: "16 / 40 * 100% = 40%"."""
    rest = solution.rpartition(">>")[2].partition("####")[0]
    values = [numerals.parse(number.replace(",", "").rstrip(".")) for number in _LAST_RESULT.findall(rest)]
    return answer in values


def _disagrees(solution: str) -> bool:
    """Return whether the prose around an annotation has another calculation: "60 - 30 = <<30=30>>30"."""
    for match in _WITH_RESULT.finditer(solution):
        prose = _prose_before(solution, match.start())
        left, right = match["left"], numerals.parse(_SIGNS.sub("", match["right"]).strip())
        after = numerals.parse(match["after"].replace(",", "")) if match["after"] else None
        if after is not None and right is not None and after not in (right, right * 100):
            return True
        operation = _OPERATION.search(prose)
        if operation and _ONE_NUMBER.fullmatch(_SIGNS.sub("", left).strip()):
            return True
        written = _CALCULATION.search(prose)
        if not operation or written is None or right is None:
            continue
        began_earlier = _CONTINUES.search(prose[: written.start()])
        if not began_earlier and _gives_another(written[0], right):
            return True
    return False


def _prose_before(solution: str, start: int) -> str:
    """Return the text before an annotation, back to the previous line break, annotation or equals sign."""
    text = solution[max(0, start - _PROSE) : start].rstrip(" $").removesuffix("=")
    return re.split(r"[\n<>=]", text)[-1]


def _gives_another(written: str, value: Fraction) -> bool:
    """Return whether this text is a calculation with another value than the stated one."""
    try:
        found = expression.parse(
            re.sub(r"[$]|(?<=\d),(?=\d{3})", "", written).strip(" ,").rstrip(".")
        ).value()
    except ExpressionError:
        return False
    return found not in (value, value * 100, value / 100) and abs(found - value) > 1


def _read(solution: str) -> Iterator[Step]:
    for left, right in _STEP.findall(solution):
        value = expression.parse(_SIGNS.sub("", right) if right.strip(" $") else right).value()
        yield Step(expression.parse(left.replace("$", "")).replace(_plain), value)


def _plain(leaf: Number | Name) -> Expr:
    """Return the number without thousands separators and trailing zeros."""
    return expression.number(leaf.number) if isinstance(leaf, Number) else leaf


class _Stated:
    """The numbers that a text states: in digits, in words, or implied by its words."""

    def __init__(self, text: str, computed: set[Fraction]) -> None:
        found = numerals.find(text)
        self.computed = computed  # without annotation, so not distinguishable from numbers of the text
        self.written = {abs(quantity.value) for quantity in found}
        parts = [quantity.value for quantity in found if quantity.value.denominator > 1]
        self.meant = numerals.implied(text) | {Fraction(1)}
        self.meant |= {Fraction(part) for value in parts for part in value.as_integer_ratio()}
        self.hundredths = {abs(quantity.value) for quantity in found if _is_hundredth(text, quantity)}

    def reading(self, value: Fraction) -> Expr | None:
        """Return the form of a number in the text: itself, or hundredths ("20%", "50 cents").

        Return None if it is absent.
        """
        if value in self.written or value in self.meant:
            return expression.number(value)
        if value * 100 in self.hundredths:
            return Binary("/", expression.number(value * 100), _HUNDRED)
        return None


def _is_hundredth(text: str, quantity: Quantity) -> bool:
    return quantity.kind == "percent" or text[quantity.end : quantity.end + 5].lower() in (" cent", " cents")


def _compose(steps: Sequence[Step], stated: _Stated) -> tuple[tuple[Step, ...], Expr | None, str]:
    """Return the steps with their references, and the last one with every reference written out."""
    choices: list[list[int | None]] = []  # for each leaf: the index of an earlier step, or None for the text
    for at, step in enumerate(steps):
        by_nature = operand_links.constants(step.equation)
        for leaf in step.equation.leaves():
            assert isinstance(leaf, Number)  # `_read` allows no names
            earlier: list[int | None] = [j for j in range(at) if steps[j].value == leaf.number]
            known = leaf.number in by_nature or stated.reading(leaf.number) is not None
            if known and not earlier and leaf.number in stated.computed:
                return tuple(steps), None, AMBIGUOUS
            if known:
                earlier.append(None)
            if not earlier:
                return tuple(steps), None, NOT_STATED
            choices.append(earlier)
    count = 1
    for options in choices:
        count *= len(options)
    if count > _MAX_READINGS:
        return tuple(steps), None, AMBIGUOUS
    best: list[tuple[tuple[Step, ...], list[Expr]]] = []
    best_score = (-1, -1)
    for chosen in product(*choices):
        linked, written_out, score = _linked(steps, chosen, stated)
        if score > best_score:
            best, best_score = [], score
        if score == best_score:
            best.append((linked, written_out))
    linked, written_out = best[0]
    equation = written_out[-1]
    if any(not expression.equivalent(equation, other[-1]) for _, other in best[1:]):
        return tuple(steps), None, AMBIGUOUS
    if len(equation.leaves()) > _MAX_LEAVES:
        return linked, None, TOO_LONG
    return linked, equation, ""


def _linked(
    steps: Sequence[Step], chosen: Sequence[int | None], stated: _Stated
) -> tuple[tuple[Step, ...], list[Expr], tuple[int, int]]:
    """Return the steps under one choice of references, also written out, and the last one's size."""
    each = iter(chosen)
    linked: list[Step] = []
    written_out: list[Expr] = []
    used: list[set[int]] = []
    numbers: list[set[Fraction]] = []
    for step in steps:
        leaves = list(zip(step.equation.leaves(), each, strict=False))
        own = [at for _, at in leaves if at is not None]
        used.append(set(own).union(*[used[at] for at in own]))
        from_text = {leaf.number for leaf, at in leaves if at is None and isinstance(leaf, Number)}
        numbers.append((from_text & stated.written).union(*[numbers[at] for at in own]))
        linked.append(Step(_with(step.equation, leaves, None, stated), step.value))
        written_out.append(_with(step.equation, leaves, written_out, stated))
    return tuple(linked), written_out, (len(used[-1]), len(numbers[-1]))


def _with(
    equation: Expr,
    leaves: Sequence[tuple[Number | Name, int | None]],
    written_out: Sequence[Expr] | None,
    stated: _Stated,
) -> Expr:
    """Return the calculation with its references as names, or written out."""
    each = iter(leaves)

    def leaf(old: Number | Name) -> Expr:
        _, at = next(each)
        if at is None:
            return (stated.reading(old.number) if isinstance(old, Number) else None) or old
        return reference(at) if written_out is None else written_out[at]

    return equation.replace(leaf)

"""Other operations on the figures of a question over a table, in the wording of the question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from dnc_datasets import expression, operand_links
from dnc_datasets.english.rewording.share_questions import share
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number
from dnc_datasets.perturbations.reasoning import share_rows, yearly_views
from dnc_datasets.perturbations.table_logic import has_scale, may_be_summed, scale_in_text
from dnc_datasets.perturbations.tables.yearly import AVERAGE, CHANGE, GROWTH, SUM, Yearly
from dnc_datasets.problem import Problem

_PLACES = 2
_HUNDRED = Fraction(100)
_SCALES = frozenset(("", "thousand", "million", "billion"))
_NAMED = re.compile(r"the (?:figure for|value of) ")
# "the grant over the two seasons" is of no single year.
_SPANS = re.compile(r"\b(?:over|across|both|two|three|each|all|every|periods?)\b")
_WHEN = re.compile(r"(?:in|on|at) (?P<when>(?!the year)[^{}]{0,40}\{\})")


def operations(problem: Problem) -> Iterator[Problem]:
    """Yield the problem with each other operation that its figures and their names allow.

    The figures of two years have a change, a percentage change, an average and, for flows, a sum. Those of
    more years have an average and a sum. The part and the total of a share have a difference.
    """
    if made := _rest_of_whole(problem):
        yield made
    if of_rows := share_rows.read(problem):
        difference = of_rows.difference()
        made = _with(problem, *difference, of_rows.unit) if difference else None
        if made is not None:
            yield made
        return
    asked = yearly_views.read(problem)
    if asked is None and yearly_views.read_rates(problem) is None:
        asked = yearly_views.read_change(problem)
    if asked is None or min(asked.figures.values()) <= 0 or operand_links.AMBIGUOUS in _links(problem):
        return
    unit = (
        problem.unit if problem.unit != "percent" else scale_in_text(problem) or problem.note("table_scale")
    )
    when = _WHEN.fullmatch(asked.when)
    if when is None or unit not in _SCALES or not _scale_is_sure(problem, unit):
        return
    years = [when["when"].format(year) for year in asked.figures] if "FY" not in asked.when else []
    if not years:
        return
    what = _NAMED.sub("", asked.figure, count=1)
    if _SPANS.search(what):
        return
    terms = [expression.number(value) for value in asked.figures.values()]
    for operation, question, equation in _worded(asked, what, years, terms):
        if operation == asked.operation or (operation == SUM and not may_be_summed(problem, what, unit)):
            continue
        if operation in (AVERAGE, SUM) and "average" in what.split():
            continue  # "the average average price"
        text = asked.compared(question) if operation == GROWTH else asked.asked(question)
        made = _with(problem, text, equation, "percent" if operation == GROWTH else unit)
        if made is not None and not expression.equivalent(problem.equation, made.equation):
            yield made


def _rest_of_whole(problem: Problem) -> Problem | None:
    """Return the question for the other share: "what percentage of the costs was not rent"."""
    asked = share(problem.question) if problem.unit == "percent" and not problem.note("defect") else None
    if asked is not None and asked.has_noun and share_rows.row_of(problem, asked.part) is None:
        return None
    question = asked.rest_of_whole() if asked else None
    try:
        equation = expression.parse(problem.equation) if question else None
    except ExpressionError:
        return None
    if (
        question is None
        or not isinstance(equation, Binary)
        or equation.op != "*"
        or equation.right.value() != _HUNDRED
    ):
        return None
    inner = equation.left
    if not isinstance(inner, Binary) or inner.op != "/" or not 0 < inner.value() < 1:
        return None
    if not isinstance(inner.right, Number) or "-" in inner.left.operators:
        return None
    rest = Binary("-", inner.right, inner.left)
    return _with(problem, question, Binary("*", Binary("/", rest, inner.right), equation.right), "percent")


def _worded(asked: Yearly, what: str, years: list[str], terms: list[Expr]) -> Iterator[tuple[str, str, Expr]]:
    """Yield each operation with its question and its equation."""
    total = terms[0]
    for term in terms[1:]:
        total = Binary("+", total, term)
    preposition = asked.when.split()[0]
    listed = f"{preposition} {', '.join(years[:-1])} and {years[-1]}"
    if len(terms) == 2:
        old, new = terms
        period = f"from {years[0]} to {years[1]}"
        change = Binary("-", new, old)
        growth = Binary("*", Binary("/", change, old), expression.number(_HUNDRED))
        yield CHANGE, f"what was the change in {what} {period}", change
        yield GROWTH, f"what was the percentage change in {what} {period}", growth
    count = expression.number(Fraction(len(terms)))
    if what == asked.figure:
        opening, averaged, summed = f"what {asked.verb} the", "average", "combined"
    else:  # "of": whether a name is a plural is not known
        opening, averaged, summed = "what was the", "average of", "sum of"
    named = what if averaged.endswith("of") else what.removeprefix("the ")
    yield AVERAGE, f"{opening} {averaged} {named} {listed}", Binary("/", total, count)
    yield SUM, f"{opening} {summed} {named} {listed}", total


def _scale_is_sure(problem: Problem, unit: str) -> bool:
    """Return whether the scale of an amount is certain: from the original's answer, the text or the table."""
    return problem.unit != "percent" or bool(scale_in_text(problem)) or has_scale(problem, unit)


def _links(problem: Problem) -> set[str]:
    return set(operand_links.stored(problem).values())


def _with(problem: Problem, question: str, equation: Expr, unit: str) -> Problem | None:
    """Return the problem with another question and equation. The links of its operands remain."""
    values = operand_links.operand_values(equation)
    linked = {value: link for value, link in operand_links.stored(problem).items() if "." in link}
    if not linked.keys() <= set(values):
        return None
    try:
        decimals = max(len(expression.canonical(value).partition(".")[2]) for value in values)
        rounding = f"places:{max(_PLACES, decimals)}"
        value = expression.round_value(equation.value(), rounding)
    except ExpressionError:
        return None
    stored = operand_links.stored(problem)
    fixed = {value: stored.get(value, operand_links.CONSTANT) for value in values if value not in linked}
    meta = {
        **dict(problem.meta),
        "rounding": rounding,
        "operands": operand_links.to_note({**linked, **fixed}),
    }
    return problem.replace(
        question=question,
        equation=equation.infix(),
        answer=expression.canonical(value),
        answers=(),
        answer_type="number",
        unit=unit,
        meta=tuple(sorted(meta.items())),
    )

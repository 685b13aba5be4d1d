"""Logic over tables: templates change the question to another operation on the same operands."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import CHANGE_NOUNS, MEASURE_NOUNS, TOTAL_WORDS, any_of
from dnc_datasets.english.reading.tokens import Element, matches, needed, tokens
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number, Unary
from dnc_datasets.graph import pair_of, relative_change, terms_of
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.tables.periods import (
    PERIODS,
    is_day,
    operands_in_named_years,
    runs_forward,
    year_at,
    years,
)
from dnc_datasets.problem import Problem
from dnc_datasets.tables.relations import signed

_HUNDRED = Fraction(100)
_PLACES = 2


def _word(*words: str, optional: bool = False, exact: bool = False) -> Element:
    return Element(frozenset(words), optional=optional, exact=exact)


# "increase / (decrease) in": the whole head represents one word.
_SLASHED = tuple(_word(part, optional=True) for part in ("/", "(", "decrease", ")"))
_IN = _word("in", "of")
_TEMPLATES: dict[str, tuple[tuple[Element, ...], ...]] = {
    "change": ((_word(*CHANGE_NOUNS, "difference"), *_SLASHED, _IN),),
    "percentage change": ((_word("percentage", "percent", "%"), _word(*CHANGE_NOUNS), *_SLASHED, _IN),),
    "difference": ((_word("difference"), _word("between")),),
    "average": ((_word("average"), _word("of", optional=True)),),
    "sum": ((_word("sum"), _word("of")), (_word("the"), _word("total", exact=True))),
    "ratio": ((_word("ratio", "proportion"), _word("of")),),
}
_NEEDED = {template: needed(template) for some in _TEMPLATES.values() for template in some}
_SLASH = re.compile(r"increase ?/ ?\(decrease\)")
_SEVERAL_PERIODS = re.compile(r"\d{4}.*\d{4}|\bboth\b|\ball\b|\bthree\b")
_SEVERAL = re.compile(r"\d{4}.*\d{4}|\band\b|\bboth\b|\ball\b|\bthree\b")
# Rates and prices have no meaningful sum.
_NO_SUM = re.compile(
    r"\brates?\b|\bmargin|\bratio|%|percent|\bper\b|\bprice|\bage\b|\bdays\b|weighted|\b[ar]p[ru][aup]\b|\bauv\b|"
    r"\b(?:beginning|end) of\b|\bannual\b|\breceivables?\b|\bpayables?\b|\bbalances?\b|\breturns?\b|\bindex\b|"
    r"\b(?:company|inc|corp(?:oration)?|llc|ltd)\b",
    re.IGNORECASE,
)
_SHARE = re.compile(r"%|\bper ?cent(?:age)?s?\b|\bratios?\b", re.IGNORECASE)
# Balances at one time have no sum over two: year-end balances.
_STOCK = re.compile(
    r"\b(?:sum|combined|total|assets?|liabilit(?:y|ies)|inventor(?:y|ies)|goodwill|cash equivalents|deposits?|debt|"
    r"equity|investments?|reserves?|borrowings|work[- ]in[- ]pro(?:gress|cess)|raw materials|finished goods|equipment|"
    r"property|improvements|"
    r"outstanding|unrecognized|carry-?forwards?|allowances?|backlog|accrued|deferred|prepaid|fair value|carrying|"
    r"securities|intangibles?|loans?|obligations?|commitments?|capital|closing cash|unvested|headcount|employees)\b",
    re.IGNORECASE,
)
# "the net change" has no net average.
_OF_CHANGES = re.compile(
    r"\b(?:net|nominal|absolute|overall|year[- ]over[- ]year|annual|total) \Z", re.IGNORECASE
)
# "the net change" is "the percentage change".
_OF_AMOUNTS = re.compile(r"\b(?:net|nominal|absolute|overall|total) \Z", re.IGNORECASE)
# "what were the changes in" asks for one sum, or average.
_PLURAL_BEFORE = re.compile(r"\b(?P<verb>were|are)(?= the \Z)", re.IGNORECASE)
_SINGULAR_OF = {"were": "was", "are": "is"}
_NAMES_AMOUNT = re.compile(
    rf"(?: (?:{any_of(MEASURE_NOUNS | TOTAL_WORDS)}|gross|net|proportion)\b)", re.IGNORECASE
)
_NO_ARTICLE = re.compile(r"\b(?:is|was|what's|are|were) \Z", re.IGNORECASE)
_TWO_YEARS = re.compile(
    r" (?:for|in|between|from|during|over|of)(?: the)?(?: fiscal| financial)?(?: years?)?(?: ended| ending)? "
    r"(?:(?:19|20)\d\d|FY ?\d\d) (?:and|to) (?:(?:19|20)\d\d|FY ?\d\d) ?\?\Z"
)
# Amounts that are not in the scale of their table: "(in thousands, except per share data)".
_UNSCALED = re.compile(
    r"\bper\b|\beps\b|\bprices?\b|\brates?\b|\bratio\b|\bnumber\b|\bemployees\b|\bheadcount\b|\bdays\b|"
    r"\bshares\b|\bunits\b|\boptions\b|\bRSUs?\b|\bage\b|\byield\b|\bvolatility\b|\bterm \(",
    re.IGNORECASE,
)
# The rate of growth of an amount: the amount is no rate.
_GROWTH_RATE = re.compile(r"\b(?:growth rate|rate of growth)\b", re.IGNORECASE)
# "£125m": the cell has a separate scale.
_SCALED_CELL = re.compile(r"\d ?(?:k|m|mn|bn|b)\b", re.IGNORECASE)
# "the change in millions": no percentage is.
_IN_SCALE = re.compile(
    r"\bin (?:thousands|millions|billions|dollars)\b|%|\b(?:percent|percentage|basis points)\b", re.IGNORECASE
)
_OF_ALL = re.compile(r"\ball\b", re.IGNORECASE)
_UNKNOWN_SCALE = "unknown"  # of `sources.table_scale`, as it is in meta


class Rewrite(NamedTuple):
    """A question with its equation and the unit of its answer."""

    question: str
    equation: Expr
    unit: str


@perturbation(
    "logic",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("linked_operands_kept", "operation_changed", "equation_gives_answer"),
    shapes=("table",),
    needs_equations=True,
)
def change_operation(problem: Problem, draw: Draw) -> Problem | None:
    """ "the change in sales from 2018 to 2019" -> "the average of sales in 2018 and 2019", and the like."""
    stored = operand_links.stored(problem)
    used = stored.values()
    if not problem.equation or problem.note("defect") or operand_links.AMBIGUOUS in used:
        return None
    if not stored.keys() >= set(operand_links.operand_values(expression.parse(problem.equation))):
        return None  # the places of its operands are not known
    if not _signs_are_clear(problem):
        return None  # an average of losses, or a change between them, can have either sign
    if not operands_in_named_years(problem, used):
        return None  # the source used other numbers than those of the question
    # "increase/ (decrease)" is spaced in many ways, of which the templates know one.
    spaced = problem.replace(question=_SLASH.sub("increase / (decrease)", problem.question))
    choices = rewrites(spaced)
    while choices:
        made = draw.choice(choices)
        if changed := _with(problem, made):
            return changed
        choices = [other for other in choices if other is not made]
    return None


def rewrites(problem: Problem) -> list[Rewrite]:
    """Return every other question on the same operands that a template derives from this one."""
    equation = expression.parse(problem.equation)
    heads = _heads(problem.question)
    found: list[Rewrite] = []
    for operation, make in _MAKERS.items():
        if operation in heads:
            found += make(problem, equation, heads[operation])
    return found


def _with(problem: Problem, made: Rewrite) -> Problem | None:
    try:
        rounding = f"places:{max(_PLACES, *map(_decimals, operand_links.operand_values(made.equation)))}"
        value = expression.round_value(made.equation.value(), rounding)
    except ExpressionError:
        return None
    known = {value: link for value, link in operand_links.stored(problem).items() if "." in link}
    fixed = [value for value in operand_links.operand_values(made.equation) if value not in known]
    meta = {
        **dict(problem.meta),
        "rounding": rounding,
        "operands": operand_links.to_note({**known, **dict.fromkeys(fixed, operand_links.CONSTANT)}),
    }
    return problem.replace(
        question=made.question,
        equation=made.equation.infix(),
        answer=expression.canonical(value),
        unit=made.unit,
        meta=tuple(sorted(meta.items())),
    )


def _decimals(value: Fraction) -> int:
    return len(expression.canonical(value).partition(".")[2])


def _of_change(problem: Problem, equation: Expr, head: tuple[int, int]) -> list[Rewrite]:
    """Return the questions derived from a change: percentage change, and sum or average of both periods."""
    pair = pair_of(equation, "-")
    if pair is None or problem.unit == "percent":
        return []
    found = _over_periods(problem, *pair, head, problem.unit)
    word = problem.question[head[0] :].split()[0].lower()
    in_scale = _IN_SCALE.search(problem.question)
    if isinstance(pair[1], Number) and word != "difference" and not in_scale and _is_forward(problem, *pair):
        before = _OF_AMOUNTS.sub("", problem.question[: head[0]])
        before = f"{before}the " if _NO_ARTICLE.search(before) else before
        question = f"{before}percentage {problem.question[head[0] :]}"
        ratio = Binary("/", equation, pair[1])
        found.append(Rewrite(question, Binary("*", ratio, expression.number(_HUNDRED)), "percent"))
    return found


def _of_percentage_change(problem: Problem, equation: Expr, head: tuple[int, int]) -> list[Rewrite]:
    """Return the questions derived from a percentage change: change, sum and average."""
    terms = relative_change(equation)
    if terms is None:
        return []
    new, old = terms
    unit = scale_in_text(problem) or problem.note("table_scale")
    if not scale_in_text(problem) and not has_scale(problem, unit):
        return []
    found = _over_periods(problem, new, old, head, unit)
    start = problem.question.index(" ", head[0]) + 1
    question = problem.question[: head[0]] + problem.question[start:]
    if not _is_forward(problem, new, old) or not _as_written(problem, new, old):
        return found
    return [*found, Rewrite(question, Binary("-", new, old), unit)]


def _over_periods(
    problem: Problem, first: Expr, second: Expr, head: tuple[int, int], unit: str
) -> list[Rewrite]:
    periods = PERIODS.search(problem.question)
    if periods is None or periods.start() < head[1] or _NO_SUM.search(problem.question[head[1] :]):
        return []
    if (periods["open"] in ("in", "for")) != (periods["join"] == "from"):
        return []
    if not _as_written(problem, first, second):
        return []
    what = problem.question[head[1] : periods.start()]
    article = " the" if _NAMES_AMOUNT.match(what) else ""
    when = "as of" if is_day(periods["first"]) else "in"
    when = f"{when} {periods['first']} and {periods['second']}{periods['scale'] or ''}?"
    total = Binary("+", first, second)
    average = Binary("/", total, expression.number(Fraction(2)))
    before = _before(problem, head)
    averaged = Rewrite(f"{before}average of{article}{what} {when}", average, unit)
    if _STOCK.search(what) or _are_shares(problem, unit):
        return [averaged]
    return [Rewrite(f"{before}sum of{article}{what} {when}", total, unit), averaged]


def _before(problem: Problem, head: tuple[int, int], *, one: bool = True) -> str:
    """Return the text before the operation with its article, without a word that only fits a change.

    `one` asks for the singular.

    >>> _before(Problem("1", "", "what is net change in rent from 2018 to 2019?"), (12, 18))
    'what is the '
    """
    before = _OF_CHANGES.sub("", problem.question[: head[0]])
    before = f"{before}the " if _NO_ARTICLE.search(before) else before
    return _PLURAL_BEFORE.sub(lambda found: _SINGULAR_OF[found["verb"].lower()], before) if one else before


def _of_difference(problem: Problem, equation: Expr, head: tuple[int, int]) -> list[Rewrite]:
    """Return the question derived from a difference between two things: their sum."""
    pair = pair_of(equation, "-")
    if pair is None:
        return []
    rest = problem.question[head[1] :]
    if " and " not in rest or " between " in rest or _NO_SUM.search(rest):
        return []
    if (_STOCK.search(rest) or _are_shares(problem, problem.unit)) and len(set(_labels(problem))) == 1:
        return []
    question = f"{_before(problem, head)}sum of{rest}"
    return [Rewrite(question, Binary("+", *pair), problem.unit)]


def _of_average(problem: Problem, equation: Expr, head: tuple[int, int]) -> list[Rewrite]:
    """Return the questions derived from an average: the sum, or the change between two periods."""
    if not (isinstance(equation, Binary) and equation.op == "/" and isinstance(equation.right, Number)):
        return []
    if equation.right.number != len(terms_of(equation.left)):
        return []
    if not _several(problem).search(problem.question[head[1] :]):
        return []
    found = _between_years(problem, terms_of(equation.left), head)
    no_sum = _NO_SUM.search(problem.question) or _are_shares(problem, problem.unit)
    if no_sum or (_STOCK.search(problem.question) and _is_one_row(problem)):
        return found
    word = "sum of" if problem.question[: head[1]].endswith(" of") else "combined"
    question = _before(problem, head, one=word == "sum of") + word + problem.question[head[1] :]
    return [Rewrite(question, equation.left, problem.unit), *found]


def _between_years(problem: Problem, terms: list[Expr], head: tuple[int, int]) -> list[Rewrite]:
    """Return the change of one row between the two years that end the question."""
    when = _TWO_YEARS.search(problem.question)
    if len(terms) != 2 or when is None or when.start() < head[1] or problem.unit == "percent":
        return []
    stored = operand_links.stored(problem)
    links = [stored[operand_links.operand_values(term)[0]] for term in terms]
    found = {year_at(problem, link): term for link, term in zip(links, terms, strict=True)}
    named = sorted(years(when[0]))
    if not _is_one_row(problem) or sorted(found, key=str) != named or not _as_written(problem, *terms):
        return []
    what = problem.question[head[1] : when.start()]
    if not what.strip():
        return []
    question = f"{_before(problem, head)}change in{what} from {named[0]} to {named[1]}?"
    return [Rewrite(question, Binary("-", found[named[1]], found[named[0]]), problem.unit)]


def _of_sum(problem: Problem, equation: Expr, head: tuple[int, int]) -> list[Rewrite]:
    """Return the question derived from a sum over several things or periods: their average."""
    terms = terms_of(equation)
    total = problem.question[: head[1]].endswith("total")
    several = _SEVERAL_PERIODS if total else _several(problem)
    if len(terms) < 2 or not several.search(problem.question[head[1] :]):
        return []
    if _OF_ALL.search(problem.question):
        return []  # "all the directors in the table": unclear for those without an amount
    if total and any("total" in label.lower() for label in _labels(problem)):
        return []  # "the total revenue" names a row
    word = "the average" if total else "average of"
    question = (
        (problem.question[: head[0]] if total else _before(problem, head))
        + word
        + problem.question[head[1] :]
    )
    count = expression.number(Fraction(len(terms)))
    found = _between_years(problem, terms, head) if not total else []
    return [Rewrite(question, Binary("/", equation, count), problem.unit), *found]


def _of_ratio(problem: Problem, equation: Expr, head: tuple[int, int]) -> list[Rewrite]:
    """Return the question derived from a ratio of two things: their difference."""
    pair = pair_of(equation, "/")
    if pair is None:
        return []
    join = " over " if " over " in problem.question[head[1] :] else " to "
    parts = problem.question[head[1] :].split(join)
    if len(parts) != 2:
        return []
    unit = problem.note("table_scale")
    if not has_scale(problem, unit):
        return []
    question = f"{problem.question[: head[0]]}difference between{parts[0]} and {parts[1]}"
    return [Rewrite(question, Binary("-", *pair), unit)]


# The operation of a question -> the function that derives other questions. Percentage change is before
# change, whose words it contains.
_MAKERS: dict[str, Callable[[Problem, Expr, tuple[int, int]], list[Rewrite]]] = {
    "percentage change": _of_percentage_change,
    "change": _of_change,
    "difference": _of_difference,
    "average": _of_average,
    "sum": _of_sum,
    "ratio": _of_ratio,
}


def scale_in_text(problem: Problem) -> str:
    """Return the scale that the text gives for all operands, each stated once: "$1,310 million"."""
    equation = expression.parse(problem.equation)
    operands = set(operand_links.operand_values(equation)) - operand_links.constants(equation)
    if any(operand_links.stored(problem).get(value, "").startswith("table.") for value in operands):
        return ""
    scales = []
    for quantity in numerals.find(problem.body):
        digits, _, word = quantity.text.partition(" ")
        if numerals.parse(digits.lstrip("$€£¥")) in operands:
            scales.append(word)
    once = len(scales) == len(operands) and len(set(scales)) == 1
    return scales[0] if once and scales[0] in ("thousand", "million", "billion") else ""


def _are_shares(problem: Problem, unit: str) -> bool:
    """Return whether the operands are percentages or ratios, which have no sum over several years."""
    places = [link.split(".")[1:] for link in operand_links.stored(problem).values() if link[:6] == "table."]
    cells = [problem.table[int(row)][int(column)] for row, column in places]
    said = " ".join((*cells, *_labels(problem)))
    return unit == "percent" or _SHARE.search(said) is not None


def may_be_summed(problem: Problem, what: str, unit: str) -> bool:
    """Return whether the figures of several years have a sum: flows, not rates or balances."""
    named = " ".join((what, *_labels(problem)))
    return not (_NO_SUM.search(named) or _STOCK.search(named) or _are_shares(problem, unit))


def has_scale(problem: Problem, unit: str) -> bool:
    """Return whether an amount of these operands is certainly in the scale of the table."""
    cells = [problem.table[int(row)] for row in _rows(problem)]
    stored, equation = operand_links.stored(problem), expression.parse(problem.equation)
    operands = set(operand_links.operand_values(equation)) - operand_links.constants(equation)
    if not all(stored.get(value, "").startswith("table.") for value in operands):
        return False  # a number of the text has a separate scale
    if unit == _UNKNOWN_SCALE or any(_SCALED_CELL.search(cell) for row in cells for cell in row[1:]):
        return False
    about = " ".join((_GROWTH_RATE.sub("", problem.question), *_labels(problem)))
    return not unit or _UNSCALED.search(about) is None


def _several(problem: Problem) -> re.Pattern[str]:
    """Return the pattern of a question with clear operands. "and" may be part of their common label."""
    return _SEVERAL_PERIODS if len(set(_labels(problem))) == 1 else _SEVERAL


def _is_forward(problem: Problem, new: Expr, old: Expr) -> bool:
    stored = operand_links.stored(problem)
    return runs_forward(problem, *(stored[operand_links.operand_values(term)[0]] for term in (new, old)))


def _as_written(problem: Problem, *terms: Expr) -> bool:
    """Return whether the terms have the signs of their cells. For a ratio, sources often drop both signs."""
    stored = operand_links.stored(problem)
    for term in terms:
        field, *place = stored[operand_links.operand_values(term)[0]].split(".")
        if field == "table" and (signed(problem.table[int(place[0])][int(place[1])]) or 0) * term.value() < 0:
            return False
    return True


def _signs_are_clear(problem: Problem) -> bool:
    """Return whether the signs are unambiguous: signed gains and losses, or losses without signs."""
    places = [
        link.split(".")[1:] for link in operand_links.stored(problem).values() if link.startswith("table.")
    ]
    below = {value < 0 for row, column in places if (value := signed(problem.table[int(row)][int(column)]))}
    counts_signs = _has_minus(expression.parse(problem.equation))
    return counts_signs == (False in below) if True in below else not counts_signs


def _has_minus(equation: Expr) -> bool:
    if isinstance(equation, Binary):
        return _has_minus(equation.left) or _has_minus(equation.right)
    return isinstance(equation, Unary) and equation.op == "-"


def _labels(problem: Problem) -> list[str]:
    """Return the labels of the rows that contain operands."""
    return [problem.table[int(row)][0] for row in _rows(problem)]


def _is_one_row(problem: Problem) -> bool:
    return len(set(_rows(problem))) == 1


def _rows(problem: Problem) -> list[str]:
    return [
        link.split(".")[1] for link in operand_links.stored(problem).values() if link.startswith("table.")
    ]


def _heads(question: str) -> dict[str, tuple[int, int]]:
    """Return the span of each operation that the question names exactly once."""
    question_tokens = tokens(question)
    words = [token.text for token in question_tokens]
    found: dict[str, list[tuple[int, int]]] = {}
    said = {word.lower() for word in words}
    for name, templates in _TEMPLATES.items():
        for template in templates:
            if any(map(said.isdisjoint, _NEEDED[template])):
                continue
            for start, first in enumerate(question_tokens):
                for match in matches(template, words, start):
                    found.setdefault(name, []).append((first.start, question_tokens[match.end - 1].end))
    heads = {name: _widest(spans) for name, spans in found.items()}
    if "percentage change" in heads:
        heads.pop("change", None)
    return {name: span for name, span in heads.items() if span is not None}


def _widest(spans: list[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the widest span if all spans are at one place, otherwise None."""
    first = min(spans)
    widest = (first[0], max(end for start, end in spans if start == first[0]))
    return widest if all(start < widest[1] for start, _ in spans) else None

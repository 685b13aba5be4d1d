"""Questions for a change, an average or a sum over years, and the figure of each year."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from fractions import Fraction
from typing import Final, NamedTuple

from dnc_datasets import expression, operand_links
from dnc_datasets.english.lexicon import (
    FINANCIAL_MEASURES,
    MEASURE_NOUNS,
    MONTH,
    TOTAL_WORDS,
    UNNAMED_FIGURES,
    VALUED_THINGS,
    is_plural,
)
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Unary
from dnc_datasets.graph import pair_of, relative_change, terms_of
from dnc_datasets.perturbations.tables.periods import year_at, years
from dnc_datasets.problem import Problem
from dnc_datasets.tables.relations import signed

CHANGE, GROWTH, AVERAGE, SUM = "change", "growth", "average", "sum"
_CHANGED: Final = (
    r"(?:changes?|increases?|decreases?|increase ?/ ?\(decrease\)|growth|decline|difference|variance)"
)
_A_YEAR: Final = r"(?:(?:19|20)\d\d|FY ?['’]?\d\d)(?: year[- ]end)?"
_BEFORE_A_YEAR: Final = (
    r"(?:(?:the|both|fiscal|financial|calendar|years?|ended|ending|end|of|as|at|"
    rf"{MONTH}|\d{{1,2}},?) ){{0,7}}"
)
_ONE_PERIOD: Final = rf"{_BEFORE_A_YEAR}{_A_YEAR}"
_SEVERAL_YEARS: Final = (
    r"(?:across|over|for|during|in) (?:the |both |all )?(?:\d |two |three |four |five )?(?:year period|years)"
)
_YEARLY: Final = re.compile(
    r"(?P<lead>(?:(?:For|In|On|Under|Within|Of|Among) [^?\d]{2,120}, )?)(?:[Ww]hat|[Hh]ow much) (?:is|was|are|were) "
    r"(?P<owner>the (?:company|group)['’]s )?(?:the )?"
    r"(?:(?:year[- ]on[- ]year|year[- ]over[- ]year|annual|net|overall|total|nominal|absolute) )?"
    rf"(?:(?P<growth>(?:percentage|percent|%) {_CHANGED} (?:in|of))|(?P<change>{_CHANGED} (?:in|of))|"
    r"(?P<average>average(?: annual)?(?: of)?)|(?P<sum>sum of|total(?= (?!percent|number|value|amount))))"
    r" (?:the )?(?P<what>[A-Za-z(][^?]{1,150}?)"
    rf"(?P<period> {_SEVERAL_YEARS}|(?: {_SEVERAL_YEARS})?,? (?:from|between|in|for|across|over|during|of|at|as of|on) "
    rf"{_ONE_PERIOD}(?:(?:,? and|,| to| ?[-–]| from|,? compared (?:to|with)| versus) ?{_ONE_PERIOD}){{0,5}})?"
    r"(?P<rest>,? (?:based on|in terms of|in (?:thousands|millions|billions)\b)[^?]{0,100})? ?\??"
)
_UNIT_NAMED: Final = re.compile(r",? in (?:thousands|millions|billions)\b")
_YEARS_BETWEEN: Final = re.compile(r" to | ?[-–] ?|between ")
_DAY_OF_YEAR: Final = re.compile(rf"(?:{MONTH}) \d{{1,2}}(?=,? )|\d{{1,2}} (?:{MONTH})(?= )")
_A_MONTH: Final = re.compile(rf"\b(?:{MONTH})\b")
_PART_OF_A_YEAR: Final = re.compile(
    r"\bquarters?\b|(?<!twelve )(?<!12 )\bmonths?\b|(?<!52 )(?<!53 )\bweeks?\b|\bhalf\b|\bq[1-4]\b|\bh[12]\b|"
    r"\bperiods?\b(?! from)|\bcumulative\b|\bchange\b",
    re.IGNORECASE,
)
_PREPOSITION: Final = r"(?:of|from|to|for|in|on|by|under|with|within|at|as|after|before|per|upon)"
_HEAD_ENDS: Final = re.compile(
    rf" {_PREPOSITION}\b| (?:that|relating|due|owed)\b|"
    rf" (?:paid|spent|made|held|sold|[A-Za-z]{{2,20}}ed)(?= {_PREPOSITION}\b|\Z)"
)
# What follows a name and does not change what it is: "(net)", ", net", "and other", "%".
_ADDED: Final = re.compile(r"\([^()]{0,60}\)|,? (?:net|noncurrent|non-current)\Z|,? and others?\Z| %\Z| \d\Z")
# A name with a time of its own: "outstanding at 1 April", "the balance between the beginning".
_TIMED: Final = re.compile(
    rf"\b(?:between|beginning|{MONTH}|at (?:the )?(?:start|end|opening|closing|year|period|\d{{1,2}}))\b"
)
# Words that make an amount of any noun: "total emissions", "the average quotations".
_OF_AMOUNTS: Final = frozenset(("total", "average"))
_WORD: Final = re.compile(r"[a-z]{3,}")
_LETTERS: Final = re.compile(r"[a-z][a-z-]*")
# Figures that may be negative: a result, or a label that says so ("provided by (used in)").
_BOTH_SIGNS: Final = re.compile(
    r"\(|\b(?:net income|profit|earnings|net cash|cash flow|ebitda|ebit|operating income)\b", re.IGNORECASE
)
# Figures that no single day has: "the service cost on December 31".
_OF_A_YEAR: Final = re.compile(
    r"\b(?:costs?|expenses?|income|revenues?|sales|profit|loss|earnings|charges|fees)\b", re.IGNORECASE
)
_OWNED: Final = re.compile(r"(?:company|group)['’]s ", re.IGNORECASE)
_PERIOD_NAMED: Final = re.compile(r"\bperiods?\b", re.IGNORECASE)
_CONDITIONED: Final = re.compile(r"\b(?:upon|after|before|adoption|adopting|due to)\b", re.IGNORECASE)
_HUNDRED: Final = Fraction(100)
_OF_CHANGE: Final = re.compile(
    r"\b(?:changes?|increases?|decreases?|growth|difference|variance)\b", re.IGNORECASE
)


class Yearly(NamedTuple):
    """A question for an operation on the figures of one row in several years, and these figures."""

    operation: str
    lead: str
    figure: str
    plural: bool
    when: str
    rest: str
    row: int
    figures: dict[int, Fraction]
    capital: bool

    @property
    def verb(self) -> str:
        """Return the verb form that agrees with the figure."""
        return "were" if self.plural else "was"

    def at(self, year: int) -> str:
        """Return the year as the question writes it: "in fiscal 2019"."""
        return self.when.format(f"{year % 100:02d}" if self.when.endswith("FY{}") else year)

    def asked(self, question: str) -> str:
        """Return a question with the introductory words of the original one."""
        start = question[:1].upper() if self.capital and not self.lead else question[:1].lower()
        return f"{self.lead}{start}{question[1:]}{self.rest}?"

    def compared(self, question: str) -> str:
        """Return a yes/no question, or one for a year, which has no unit."""
        return self._replace(rest=_UNIT_NAMED.sub("", self.rest)).asked(question)


def yearly(problem: Problem) -> Yearly | None:
    """Return the reading of a question for a change, average or sum over years.

    Return None if it is uncertain.

    The operands are the figures of one row, one for each year that the question names, with the signs of
    their cells.
    """
    if is_too_long(problem.question) or not problem.equation or problem.note("defect") or problem.history:
        return None
    found = _YEARLY.fullmatch(problem.question)
    if found is None:
        return None
    operation = next(name for name in (GROWTH, CHANGE, AVERAGE, SUM) if found[name])
    row, figures = _figures(problem, set(_WORD.findall(found["what"].lower())))
    if not figures or (operation in (CHANGE, GROWTH) and len(figures) != 2):
        return None
    period, what = found["period"] or "", found["what"].strip()
    if found[SUM] == "total" and "total" in problem.table[row][0].lower():
        what = f"total {what}"  # a separate row
    named = figure_of(what, found["owner"] or "")
    when = _when(period)
    if named is None or when is None or years(what) or years(found["rest"] or ""):
        return None
    if problem.unit == "percent" and not relative_change(expression.parse(problem.equation)):
        return None  # "the revenues from Avnet" in percent are a share
    if not period and _CONDITIONED.search(what):
        return None
    if _PERIOD_NAMED.search(what) and not _PERIOD_NAMED.search(problem.table[row][0]):
        return None  # "the acres that expire in the three year period" are of no single year
    if period.startswith(" for ") and when.startswith("on ") and not named[0].startswith("the value "):
        return None  # "costs for December 31" may mean the day or the year
    if when.startswith("on ") and _OF_A_YEAR.search(named[0]):
        return None
    if not _runs_as_asked(problem, figures):
        return None
    if not _are_named(sorted(set(years(period))), period, figures, operation, problem, row):
        return None
    if not _is_its_row(problem, row, f"{found['lead']} {what}"):
        return None
    figure, plural = named
    rest, capital = found["rest"] or "", problem.question[:1].isupper()
    return Yearly(operation, found["lead"], figure, plural, when, rest, row, figures, capital)


def _figures(problem: Problem, words: Set[str]) -> tuple[int, dict[int, Fraction]]:
    """Return the row of the operands and the figure of each year. Return no figure if they are uncertain."""
    try:
        equation = expression.parse(problem.equation)
    except ExpressionError:
        return 0, {}
    fixed = operand_links.constants(equation)
    wanted = [value for value in operand_links.operand_values(equation) if value not in fixed]
    stored = operand_links.stored(problem)
    links = [stored.get(value, "") for value in wanted]
    if len(wanted) < 2 or any(link[:5] not in ("table", "ambig") for link in links):
        return 0, {}
    if not _is_one_operation(equation):
        return 0, {}
    rows = {int(link.split(".")[1]) for link in links if link.startswith("table.")}
    if not rows:  # each value has several cells: take the row whose label has all words of the question
        rows = {
            row for row, cells in enumerate(problem.table) if words <= set(_WORD.findall(cells[0].lower()))
        }
    if len(rows) != 1:
        return 0, {}
    row = rows.pop()
    by_year, used = year_cells(problem, row), _signed_terms(equation)
    found: dict[int, Fraction] = {}
    for value in wanted:
        named = [year for year, values in by_year.items() if [abs(one) for one in values] == [value]]
        if len(named) != 1 or by_year[named[0]][0] not in used:
            return 0, {}
        found[named[0]] = by_year[named[0]][0]
    if min(found.values()) < 0 and not _BOTH_SIGNS.search(problem.table[row][0]):
        return 0, {}  # no question says "minus" of payments
    return row, dict(sorted(found.items()))


def _runs_as_asked(problem: Problem, figures: Mapping[int, Fraction]) -> bool:
    """Return whether a change is from the earlier to the later year, or the question reverses them."""
    equation = expression.parse(problem.equation)
    pair = relative_change(equation) or pair_of(equation, "-")
    named = years(problem.question)
    if pair is None or len(figures) != 2 or (len(named) > 1 and named[0] > named[1]):
        return True
    return pair[0].value() == figures[max(figures)]


def _is_one_operation(equation: Expr) -> bool:
    """Return whether an equation is one change, growth, average or sum of figures, perhaps in percent."""
    if relative_change(equation) or pair_of(equation, "-") or len(terms_of(equation)) > 1:
        return True
    if not isinstance(equation, Binary):
        return False
    left, right = equation.left, equation.right
    if equation.op == "/" and len(terms_of(left)) > 1:
        return right.value() == len(terms_of(left))
    if equation.op == "-" and right.value() == 1:  # a / b - 1
        return pair_of(left, "/") is not None
    return equation.op == "*" and right.value() == _HUNDRED and pair_of(left, "-") is not None


def _signed_terms(equation: Expr) -> set[Fraction]:
    """Return the numbers of an equation with the signs before them."""
    if isinstance(equation, Binary):
        return _signed_terms(equation.left) | _signed_terms(equation.right)
    if isinstance(equation, Unary) and isinstance(equation.operand, Binary):
        return set()  # -(12 + 7): the signs are ambiguous
    return {equation.value()}


def year_cells(problem: Problem, row: int) -> dict[int, list[Fraction]]:
    """Return the amounts of a row by the year of their column, with their signs, without shares."""
    found: dict[int, list[Fraction]] = {}
    for column in range(1, len(problem.table[row])):
        heads = [cells[column] for cells in problem.table[:row] if column < len(cells)]
        value = signed(problem.table[row][column].strip())
        year = year_at(problem, f"table.{row}.{column}")
        if value is None or year is None or not problem.table[row][column].strip():
            continue
        if any(_PART_OF_A_YEAR.search(head) for head in heads):
            continue  # a quarter is not the year
        found.setdefault(year, []).append(value)
    return found


def _are_named(
    named: list[int], period: str, figures: Mapping[int, Fraction], operation: str, problem: Problem, row: int
) -> bool:
    """Return whether the question names the years of the figures: each, the first and last, or all years."""
    there = sorted(figures)
    if not named:
        return there == sorted(year_cells(problem, row))
    if named == there:
        return True
    if len(named) == 1:  # "the percentage change in 2019"
        return operation in (CHANGE, GROWTH) and there == [named[0] - 1, named[0]]
    spans = len(named) == 2 and _YEARS_BETWEEN.search(period) is not None
    return spans and operation in (AVERAGE, SUM) and there == list(range(named[0], named[1] + 1))


def _is_its_row(problem: Problem, row: int, what: str) -> bool:
    """Return whether the label of the row shares words with the question and no other row fits better."""
    words = set(_WORD.findall(what.lower()))
    labels = [cells[0].strip().lower() if cells else "" for cells in problem.table]
    own = set(_WORD.findall(labels[row]))
    if not own & words or labels.count(labels[row]) > 1:
        return False
    if not set(_OF_CHANGE.findall(labels[row])) <= words:
        return False  # "the increase in cash" may be the row of that name, and no change of it
    return own == words or not any(set(_WORD.findall(label)) == words for label in labels)


def _when(period: str) -> str | None:
    """Return the words that name one of the years of a period: "in {}", "in fiscal {}", "on June 30, {}"."""
    days = {day[0] for day in _DAY_OF_YEAR.finditer(period)}
    if _PART_OF_A_YEAR.search(re.sub(r"\byear period\b", "", period)) or len(days) > 1:
        return None
    if days:
        day = days.pop()
        day += ", {}" if day[0].isalpha() else " {}"
        return f"in the year ended {day}" if re.search(r"\bend(?:ed|ing)\b", period) else f"on {day}"
    if _A_MONTH.search(period):
        return None
    if "FY" in period:
        return "in FY{}" if re.search(r"FY ?['’]?\d\d\b(?!\d)", period) else "in fiscal {}"
    if re.search(r"\byear[- ]end\b|\bend of\b", period):
        return "at the end of {}"
    for word in ("fiscal", "financial"):
        if re.search(rf"\b{word}\b", period, re.IGNORECASE):
            return f"in {word} year {{}}" if word == "financial" else "in fiscal {}"
    return "in {}"


def figure_of(what: str, owner: str = "") -> tuple[str, bool] | None:
    """Return the name of a figure and whether it is a plural. Return None if its words do not name it.

    >>> figure_of("net sales"), figure_of("Food Care"), figure_of("finished goods"), figure_of("other")
    (('the net sales', True), ('the figure for Food Care', False), ('the value of finished goods', False), None)
    >>> figure_of("fair value per share"), figure_of("total emissions"), figure_of("shares held at 1 April")
    (('the fair value per share', False), ('the total emissions', True), None)
    """
    words = _WORD.findall(what.lower())
    if not set(words) - UNNAMED_FIGURES or words[-1] in TOTAL_WORDS or "thereof" in words:
        return None
    if _TIMED.search(what):
        return None
    head = _head(what)
    article = owner or "the "
    if not owner and _OWNED.match(what):
        owner = "the "
    if head in MEASURE_NOUNS or head in FINANCIAL_MEASURES or (head and words[0] in _OF_AMOUNTS):
        return f"{article}{what}", is_plural(head)
    if (
        "," not in what and words[0] != "other" and head in VALUED_THINGS and head != "securities"
    ):  # dilutive ones are counted
        return f"the value of {owner}{what}", False
    singular = what[:1].islower() and not is_plural(head) and words[0] != "other"
    return f"the figure for {owner or ('the ' if singular else '')}{what}", False


def _head(what: str) -> str:
    """Return the noun that a name is of: "income" of "net income per share", "gains" of "gains (losses), net"."""
    name = _ADDED.sub("", _ADDED.sub("", what)).strip()
    words = _LETTERS.findall(_HEAD_ENDS.split(name)[0].lower())
    return words[-1] if words else ""

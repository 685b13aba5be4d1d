"""Statements for a company's report: a purchase, an action or a holding that the report does not mention."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import Final

from dnc_datasets import numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import COMPANY_ACTIONS, COMPANY_HOLDINGS, COMPANY_PURCHASES, PURCHASE_FORMS
from dnc_datasets.english.reading.report_sentences import is_tokenised
from dnc_datasets.english.reading.report_words import words
from dnc_datasets.perturbations.statements.places import after_complete, is_in_small_letters
from dnc_datasets.perturbations.tables.document import grouping
from dnc_datasets.problem import Problem
from dnc_datasets.tables.typed import typed

_NAMES: Final = ("The Company", "The Group", "We")
_COMPANY: Final = re.compile(rf"\b(?:{'|'.join(_NAMES)})\b", re.IGNORECASE)
_REPORTS: Final = re.compile(
    r"\b(?:fiscal|(?:years?|quarters?|months|weeks) ended|december 31|31 december|1 january|consolidated|corporation|"
    r"subsidiar(?:y|ies)|(?:stock|share)holders?|(?:common|preferred) (?:stock|shares?)|ordinary shares?|"
    r"dividends?|actuarial|(?:income|deferred|effective) tax(?:es)?|segment assets|fy ?\d\d(?:\d\d)?|"
    r"restricted stock|stock options?|(?:share|stock)-based|shares (?:issued|granted|outstanding)|fair value|"
    r"weighted[- ]average|vest(?:ed|ing)?|outstanding|granted|audit(?:or|-related)?|ghg|scope [12]|"
    r"emissions?|acquisitions?|goodwill|cash flows?|joint venture|10-[kq]|governance|directors)\b",
    re.IGNORECASE,
)
# A pay stub shows income tax too.
_FEWEST_WORDS: Final = 2
_SIGNS: Final = frozenset("$€£¥")
# "RMB2,767 million", "US$5": a currency with its code, not only its sign.
_CODE: Final = re.compile(r"\b[A-Z]{2,3}(?= ?[$€£¥]?\d)|\b[A-Z]{1,3}(?=[$€£¥])")
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
# Counts grow with the company: the largest amount of its table in millions, and the factor.
_SIZES: Final = ((100, 1), (5_000, 2))
_OF_A_LARGE_ONE: Final = 3
# The number of drills and fairs does not depend on the company's size. Large counts do not grow, either.
_GROWS, _COUNTED_ALIKE = 100, 1000
_LEAST_YEAR, _LAST_YEAR = 1000, 2100
# The smallest and largest expense on one item, in millions.
_LEAST, _MOST = Fraction(4, 10), Fraction(8)
_SHORT_MILLIONS: Final = re.compile(r"[$€£]\d[\d.]*m\b")
_MILLIONS: Final = re.compile(r"[$€£¥] ?\d[\d.,]* million\b|[$€£]\d[\d.]*m\b")
_MONEY: Final = re.compile(r"[$€£¥] ?\d")
_FIRST_PERSON: Final = re.compile(r"\b(?:we|our|us)\b", re.IGNORECASE)
_THIRD_PERSON: Final = re.compile(r"\bthe (company|group|corporation|firm)\b(?! of\b)", re.IGNORECASE)
_ASKS_OF_SPENDING: Final = words("cost payment cash purchase operating")
_IN_YEAR: Final = (
    "{we} {done} during the year.",
    "During the year, {we} {done}.",
    "In the course of the year, {we} {done}.",
    "Over the year, {we} {done}.",
)
_AT_YEAR_END: Final = ("{we} {done} at the end of the year.", "At year-end, {we} {done}.")
_CURRENCY: Final = re.compile(r"([$€£¥])(?=\d)")


def is_company_report(problem: Problem) -> bool:
    """Return whether a table is from a company report, by its scale or by typical words."""
    if problem.note("table_scale") in _SCALES:
        return True
    texts = (problem.body, *(cell for row in problem.table for cell in row))
    said = {match[0].lower() for text in texts for match in _REPORTS.finditer(text)}
    said |= {match[0].lower() for match in _COMPANY.finditer(problem.body)}
    return len(said) >= _FEWEST_WORDS


def with_report_statement(problem: Problem, draw: Draw) -> Problem | None:
    """Return the problem with a statement that the question does not need, or None where none fits.

    >>> rows = (("in millions", "2019", "2018"), ("Marketing costs", "$310", "$295"), ("Rent", "42", "40"))
    >>> report = Problem("1", "We make pens in two old mills.", "What was the change in rent?", table=rows)
    >>> report = report.replace(meta=(("table_scale", "million"),))
    >>> with_report_statement(report, Draw(0, "", "1", "extra")).body.splitlines()[-1]
    'The cost of apprentice workshops was $0.3 million for the year.'
    """
    text = f"{problem.body} {' '.join(cell for row in problem.table for cell in row)}"
    asked = words(problem.question).union(*(words(turn.question) for turn in problem.history))
    known = words(text) | asked
    taken = {abs(value) for value in problem.values()} | {numerals.parse(problem.answer)}
    purchase = ""
    if not asked & _ASKS_OF_SPENDING and draw.integer(0, 1):
        purchase = _purchase(problem, draw, text, known, taken)
    statement = purchase or _count(problem, draw, known, taken)
    if not statement:
        return None
    return after_complete(problem, _in_manner(problem, statement))


def _purchase(
    problem: Problem, draw: Draw, text: str, known: frozenset[str], taken: set[Fraction | None]
) -> str:
    """Return a sentence about an expense, or "" where the report's currency is not certain."""
    signs, scale = _SIGNS.intersection(text), _SCALES.get(str(problem.note("table_scale")), 0)
    if len(signs) != 1 or _CODE.search(text) or not _states_millions(problem.body, scale):
        return ""
    largest = _largest(problem) * scale / 10**6
    for thing in draw.shuffled(list(COMPANY_PURCHASES)):
        millions = (
            min(max(largest * draw.integer(5, 40) / 10**4, _LEAST), _MOST) * draw.integer(80, 120) / 100
        )
        value = Fraction(round(millions * 10), 10)
        same = {value, *(value * other for other in _SCALES.values())}
        if value and taken.isdisjoint(same) and words(thing).isdisjoint(known):
            amount = f"{min(signs)}{numerals.digits(value, like=f'{grouping(problem)}0.0')}"
            amount += "m" if _SHORT_MILLIONS.search(problem.body) else " million"
            return _said(problem, draw.choice(PURCHASE_FORMS), thing=thing, amount=amount)
    return ""


def _states_millions(body: str, scale: int) -> bool:
    """Return whether a text writes "$5.2 million", or no money at all and its table is in millions."""
    if not scale:
        return False
    return _MILLIONS.search(body) is not None or (scale > 1000 and not _MONEY.search(body))


def _count(problem: Problem, draw: Draw, known: frozenset[str], taken: set[Fraction | None]) -> str:
    """Return a sentence about a number of actions in the year, or of things at its end."""
    scale = _SCALES.get(str(problem.note("table_scale")), 1)
    most = next(
        (factor for limit, factor in _SIZES if _largest(problem) * scale <= limit * 10**6), _OF_A_LARGE_ONE
    )
    counts: list[tuple[str, str, str, int, int]] = [
        (form, verb, things, least, largest)
        for forms, rows in ((_IN_YEAR, COMPANY_ACTIONS), (_AT_YEAR_END, COMPANY_HOLDINGS))
        for verb, things, least, largest in rows
        for form in forms
    ]
    for form, verb, things, least, largest in draw.shuffled(counts):
        grows = _GROWS <= largest < _COUNTED_ALIKE
        number = draw.integer(least, largest) * (draw.integer(1, most) if grows else 1)
        if number in taken or _LEAST_YEAR <= number <= _LAST_YEAR or not words(things).isdisjoint(known):
            continue
        shown = numerals.digits(Fraction(number), like=f"{grouping(problem)}0")
        done = _said(problem, f"{verb} {{n}} {things}", n=shown, capital=False)
        return _said(problem, form, done=done)
    return ""


def _said(problem: Problem, form: str, *, capital: bool = True, **parts: str) -> str:
    """Fill the sentence with the report's usual name of the company: "we", "the Group"."""
    names = Counter(name.capitalize() for name in _THIRD_PERSON.findall(problem.body))
    name = names.most_common(1)[0][0] if names else "Company"
    first = len(_FIRST_PERSON.findall(problem.body)) > names[name]
    subject = "we" if first else f"the {name}"
    text = form.format(we=subject, us="us" if first else subject, our="our" if first else "its", **parts)
    return f"{text[0].upper()}{text[1:]}" if capital else text


def _largest(problem: Problem) -> Fraction:
    return max(map(abs, typed(problem.table).values.values()), default=Fraction(0))


def _in_manner(problem: Problem, statement: str) -> str:
    """Return the statement in lower case, with blanks around its marks, if the report is written so."""
    if not is_in_small_letters(problem.body):
        return statement
    if is_tokenised(problem.body):
        statement = _CURRENCY.sub(r"\1 ", statement.removesuffix(".")).replace(", ", " , ") + " ."
    return statement.lower()

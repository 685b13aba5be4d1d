"""Speller of amounts with their units, in the style of a story or a report."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import AFTER_MONEY_AMOUNT, CASH_NOUNS, COUNTRIES_OF_DOLLARS, TIME_UNIT
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import CURRENCIES, currency_before
from dnc_datasets.perturbations.numbers.report_reach import describes_thing
from dnc_datasets.problem import Edit

_SAID_AGAIN: Final = re.compile(r" (?:dollars?|euros?|pounds?|yen|bucks)\b")
_NEXT_WORD: Final = re.compile(r"\s+([A-Za-z]+)")
_DETERMINER: Final = re.compile(
    r"\b(?:an?|the|its|our|their|this|that|each|any|another|annual|his|her|my|every|remaining|old|new) $",
    re.IGNORECASE,
)
_SCALED: Final = re.compile(r"([0-9.,]+) (dozen|thousand|million|billion|trillion)")
# "the 10th Cavalry" is a name.
_NAME_AFTER: Final = re.compile(
    r"(?: [A-Z][a-z]+)? (?:Cavalry|Infantry|Army|Division|Battalion|Squadron|Regiment|Corps|Brigade|Fleet|Force|"
    r"Amendment|Congress|District|Avenue|Street|Ward)\b"
)
# A full stop after these words does not end a sentence.
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:[A-Z]|approx|ca|c|vs|St|Mrs?|Ms|Dr|Gen|Lt|Col|Capt|e\.g|i\.e))\.$"
)
_ARTICLE: Final = re.compile(r"\ban? $", re.IGNORECASE)
# "8.1m", "1.2bn", "54 bps", "2.5 years".
_SHORT_SCALED: Final = re.compile(r"(\d+(?:\.\d+)?)(m|bn)")
_SHORT_SCALES: Final = {"m": "million", "bn": "billion"}
_SHORT_UNIT: Final = re.compile(r" ?bps\b")
_HALF: Final = re.compile(r"[1-9]\.5")
_PERIODS_AFTER: Final = re.compile(rf" (?:{TIME_UNIT})s\b", re.IGNORECASE)
_COUNTRY_BEFORE: Final = re.compile(r"(?<![\w.])(?:(?:US|U\.S\.) ?|AU?|CA?|HK|NZ|S)\Z")
_YEAR_BEFORE: Final = re.compile(r"\((?:19|20)\d\d \Z")
_NOTE_BEFORE: Final = re.compile(r"(?:\A|\n)\(\d\)\Z")
_WINDOW: Final = 12


def spelled(text: str, quantity: Quantity, prose: bool, *, report: bool = False) -> Edit:
    """Return the edit that writes a number and the sign or unit beside it in words."""
    start, end = quantity.start, quantity.end
    if quantity.kind == "ordinal":
        words = numerals.spell_ordinal(int(quantity.value))
        if _NAME_AFTER.match(text, end):
            words = words.capitalize()
    elif scaled := _SCALED.fullmatch(quantity.text):
        # "74.2 billion" is said as it is written.
        words = _in_scale(scaled[1], scaled[2])
    elif report and (scaled := _SHORT_SCALED.fullmatch(quantity.text)):
        words = _in_scale(scaled[1], _SHORT_SCALES[scaled[2]])
    elif report and is_half(text, quantity):
        words = f"{numerals.spell(int(quantity.value))} and a half"
    else:
        words = numerals.spell(quantity.value)
    if text[end : end + 1] == "-" and text[end + 1 : end + 2].isalpha():
        words = words.replace(" ", "-")
    if sign := currency_before(text, start):
        start = currency_start(text, start)
        unit, plural = CURRENCIES[sign]
        if (
            report
            and (country := _COUNTRY_BEFORE.search(text, max(0, start - _WINDOW), start))
            and sign == "$"
        ):
            start = country.start()
            where = COUNTRIES_OF_DOLLARS[country[0].strip()]
            unit, plural = f"{where} {unit}", f"{where} {plural}"
        elif report and text[start - 1 : start].islower():
            words = f" {words}"  # "approximately$5 million"
        if _SAID_AGAIN.match(text, end):
            pass  # "$5 dollars"
        elif report and describes_thing(text, quantity.start, end):
            words = f"{words} {unit}"  # "a five million dollar increase"
        elif _describes(text, start, end, prose):
            words = f"{words.replace(' ', '-') if quantity.is_integer else words}-{unit}"
        else:
            words = f"{words} {unit if quantity.value == 1 else plural}"
    if text[end : end + 1] == "%":
        words, end = f"{words} percent", end + 1
        if text[end : end + 1] == "-" and text[end + 1 : end + 2].isalpha():
            words = words.replace(" ", "-")  # "a seventy-percent-owned subsidiary"
    elif report and (points := _SHORT_UNIT.match(text, end)):
        words, end = f"{words} basis points", points.end()
    if report and _YEAR_BEFORE.search(text, max(0, start - _WINDOW), start):
        start, words = start - 1, f": {words}"  # "(2018 $5 million)"
    opens = _opens_sentence(text, start) and not (report and text == text.lower())
    return Edit(start, end, words[0].upper() + words[1:] if opens else words)


def is_in_scale(quantity: Quantity) -> bool:
    """Return whether a number includes its scale: "5 million", "8.1m"."""
    return any(pattern.fullmatch(quantity.text) for pattern in (_SCALED, _SHORT_SCALED))


def _in_scale(size: str, scale: str) -> str:
    return f"{numerals.spell(numerals.parse(size) or Fraction(0))} {scale}"


def is_half(text: str, quantity: Quantity) -> bool:
    """Return whether the number is a count of periods with a half: "2.5 years"."""
    return _HALF.fullmatch(quantity.text) is not None and _PERIODS_AFTER.match(text, quantity.end) is not None


def currency_start(text: str, start: int) -> int:
    """Return the start of the number, including the currency sign before it."""
    sign = currency_before(text, start)
    return text.rindex(sign, 0, start) if sign else start


def _describes(text: str, start: int, end: int, prose: bool) -> bool:
    """Return whether an amount of money modifies a noun: "a $5 ticket".

    "a profit of $5 related to" does not.
    """
    following = _NEXT_WORD.match(text, end)
    if following is None:
        return False
    if not _DETERMINER.search(text, max(0, start - 12), start):
        return not prose and following[1] in CASH_NOUNS  # "$20 bills", but "saved $20 toward"
    if following[1][0].isupper():  # "a $59 CD player", but not "He paid Ann $59 Monday"
        return _ARTICLE.search(text, max(0, start - 3), start) is not None
    # "The $5 allocated to it"
    return following[1] not in AFTER_MONEY_AMOUNT and not following[1].endswith(
        ("ing", "ed") if prose else "ing"
    )


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \"'(")
    if before.endswith(")") and _NOTE_BEFORE.search(before, max(0, len(before) - _WINDOW)):
        return True  # "(2) $5 million in costs"
    return not before or (before[-1] in ".!?\n" and not _ABBREVIATION.search(before[-8:]))

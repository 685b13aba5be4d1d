"""Limits for longer numbers of a report that are written in words if it has no shorter number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import AFTER_DEFINITE_AMOUNT, CHANGES_OF_AMOUNTS, ENDS_AMOUNT
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers.amounts import currency_before, is_year

# "5.9 million", "8.1m", "1.2bn".
IN_SCALE: Final = re.compile(
    r"(\d{1,3}(?:\.\d{1,2})?|\d,\d{3})(?: (?:thousand|million|billion|trillion)|m|bn)", re.IGNORECASE
)
_WITH_DECIMALS: Final = re.compile(r"\d{1,3}\.(\d{1,2})")
# "$(9.8) million"
_NEGATIVE_BEFORE: Final = re.compile(r"[$€£¥] ?[(−-] ?\Z")
_SMALL_UNIT: Final = re.compile(r" ?(?:bps|basis points?|cents)\b", re.IGNORECASE)
# "$5 million after tax", but not "a $5 million after-tax charge".
_NEXT_FREE_WORD: Final = re.compile(r"\s+(net of|[A-Za-z]+)(?![\w-])")
_OR: Final = re.compile(
    r" ?(?:%|per ?cent)? ?,? ?(?:or|\() ?(?:approximately|about|nearly|almost)? ?[$€£¥]? ?", re.IGNORECASE
)
_INDEFINITE_BEFORE: Final = re.compile(
    r"\b(?:an?|each|another|every)(?: (?:approximately|about))? ?(?:[A-Z]{1,3})?[$€£¥] ?\Z", re.IGNORECASE
)
# "(2018 ", "(2017/18: ", ", 2017 – ".
_OPENS_BRACKET: Final = re.compile(r"[(,] ?\Z")
ARTICLE_BEFORE: Final = re.compile(
    r"\b(?:an?|the|its|our|their|this|that|each|another|any|additional|new)(?: (?:approximately|about))? ?"
    r"(?:US)?[$€£¥] ?\Z",
    re.IGNORECASE,
)
# "£nil" counts as an amount of its sentence.
NO_MONEY: Final = re.compile(r"[$€£] ?nil\b", re.IGNORECASE)
_PLAIN: Final = re.compile(r"\d{1,3}(?:,\d{3})*|\d+")
_NEXT_WORD: Final = re.compile(r"\s+([A-Za-z]+)")
_SENTENCE_BEFORE: Final = re.compile(r"(?:\A|[.!?\n]) ?\Z")
_MOST_OF_ATTRIBUTE, _THOUSAND = 4, 1000
_WINDOW: Final = 40


class Reach(NamedTuple):
    """Limits of the numbers that are written in words if there is no shorter one, and their agreement.

    `digits`, `decimals` and `words` are the most that a number has. All numbers with signs agree in a sentence,
    `all_alike`, or those of a kind; so do those of the sentences beside it, or with `all_money` all money. With
    `whole_counts`, counts and periods have no decimals.
    """

    digits: int
    decimals: int
    words: int
    beside: int
    all_alike: bool = False
    all_money: bool = False
    attributes: bool = False
    whole_counts: bool = False


_DECIMALS: Final = (
    Reach(3, 1, 3, beside=1, all_alike=True, whole_counts=True),
    Reach(3, 1, 5, beside=1, all_alike=True),
    Reach(3, 1, 5, beside=1),
    Reach(4, 1, 6, beside=1, all_money=True, attributes=True),
    Reach(4, 1, 6, beside=0, attributes=True),
)
# Tried in this order: "one point six percent" only where no number without decimals can be in words.
REACHES: Final = (*(reach._replace(decimals=0) for reach in _DECIMALS), *_DECIMALS)


def is_in_reach(text: str, quantity: Quantity, kind: str, reach: Reach) -> bool:
    """Return whether the number takes only a few words.

    It has up to three or four digits, or is a count of five or six words.
    """
    surface = quantity.text
    if kind in ("?", "", "ordinal") or not _fits_sentence(text, quantity, kind, reach):
        return False
    if scaled := IN_SCALE.fullmatch(surface):
        # "$1,831 million" would be said in another unit.
        in_unit = "," not in scaled[1]
        few = len(scaled[1].partition(".")[2].rstrip("0")) <= reach.decimals
        return in_unit and few and _digits(scaled[1]) <= reach.digits
    if decimal := _WITH_DECIMALS.fullmatch(surface):
        few = len(decimal[1]) <= reach.decimals and (kind == "percent" or not reach.whole_counts)
        return few and kind != "money" and _digits(surface) <= reach.digits
    if not _PLAIN.fullmatch(surface):
        return False
    size = surface.replace(",", "")
    if kind == "percent":
        return len(size) <= reach.digits
    # "$12,548" may be in thousands.
    unsure = kind == "money" and int(size) % _THOUSAND
    return int(size) > 0 and not unsure and words_of(size) <= reach.words


def _fits_sentence(text: str, quantity: Quantity, kind: str, reach: Reach) -> bool:
    """Return whether money is a noun or a short attribute, and a count does not open a sentence.

    A number at the start of a sentence is often a page number.
    """
    if kind == "money":
        return _is_noun(text, quantity) or (reach.attributes and _is_attribute(text, quantity))
    scaled = kind == "percent" or quantity.text[-1].isalpha()
    return scaled or not _SENTENCE_BEFORE.search(text, max(0, quantity.start - 2), quantity.start)


def _digits(size: str) -> int:
    """Return the number of digits without zeros at both ends: 2 of "0.59", and 3 of "131.0"."""
    return len(size.strip("0").replace(".", "")) if "." in size else len(size.replace(",", ""))


def describes_thing(text: str, start: int, end: int) -> bool:
    """Return whether an amount of money modifies a noun: "a $5 million increase"."""
    following = _NEXT_WORD.match(text, end)
    return (
        following is not None
        and following[1].islower()
        and (following[1] not in ENDS_AMOUNT or text[following.end() : following.end() + 1] == "-")
        and ARTICLE_BEFORE.search(text, max(0, start - _WINDOW), start) is not None
    )


def _is_attribute(text: str, quantity: Quantity) -> bool:
    """Return whether an amount describes one thing: "a $572 million decrease".

    It has at most four words, or precedes a change.
    """
    size = IN_SCALE.fullmatch(quantity.text)
    if not size and not _PLAIN.fullmatch(quantity.text):
        return False
    words = words_of(size[1]) + 1 if size else words_of(quantity.text)
    following = _NEXT_FREE_WORD.match(text, quantity.end)
    is_change = following is not None and following[1] in CHANGES_OF_AMOUNTS
    return (words <= _MOST_OF_ATTRIBUTE or is_change) and describes_thing(text, quantity.start, quantity.end)


def _is_noun(text: str, quantity: Quantity) -> bool:
    """Return whether an amount of money is not an attribute, also after "the": "$3 million net of tax"."""
    before = max(0, quantity.start - _WINDOW)
    if _INDEFINITE_BEFORE.search(text, before, quantity.start):
        return False
    following = _NEXT_FREE_WORD.match(text, quantity.end)
    if following is None:
        return _NEXT_WORD.match(text, quantity.end) is None
    return following[1].lower() in ENDS_AMOUNT and (
        following[1].lower() in AFTER_DEFINITE_AMOUNT
        or not ARTICLE_BEFORE.search(text, before, quantity.start)
    )


def words_of(size: str) -> int:
    return len(numerals.spell(Fraction(size.replace(",", ""))).split())


def states_whole_amounts(text: str, found: Sequence[Quantity]) -> bool:
    """Return whether a text mixes full amounts and millions: "$2.2 million" and "$710,000".

    "$710,482" does not qualify.
    """
    money = [one for one in found if one.in_digits and currency_before(text, one.start)]
    plain = [one.text for one in money if not one.text[-1].isalpha() and "," in one.text]
    if not all(size.endswith(",000") for size in plain):
        return False
    sizes = {int(size.replace(",", "")) // 1000 for size in plain}
    return len(plain) < len(money) or (len(sizes) > 1 and any(size % 5 for size in sizes))


def kind_in_reach(text: str, quantity: Quantity, kind: str) -> str:
    """Return the kind of a number. Money has one kind in every scale, and basis points are a kind."""
    if kind.endswith("money"):
        return "money"
    if kind == "?" and _NEGATIVE_BEFORE.search(text, max(0, quantity.start - 4), quantity.start):
        return "money"
    small_unit = _SMALL_UNIT.match(text, quantity.end) if kind == "?" else None
    return "small units" if small_unit else kind


def appositions(text: str, found: Sequence[Quantity]) -> Iterator[tuple[int, int]]:
    """Yield pairs of numbers that state the same fact: "$5.1 million, or 3.2%"."""
    for at in range(len(found) - 1):
        if _OR.fullmatch(text, found[at].end, found[at + 1].start) and not is_year(found[at + 1].text):
            yield at, at + 1


def states_year(text: str, one: Quantity, other: Quantity) -> bool:
    """Return whether one of two adjacent numbers is the year or note mark of the other: "(2018 $5"."""
    opened = _OPENS_BRACKET.search(text, max(0, one.start - 2), one.start)
    if is_year(other.text):
        return _OPENS_BRACKET.search(text, other.start - 2, other.start) is not None
    return opened is not None and (is_year(one.text) or _is_mark(text, one.start, one.end))


def _is_mark(text: str, start: int, end: int) -> bool:
    """Return whether a number in brackets opens a line as the mark of a note: "(2) $5 million in costs"."""
    opens = text[max(0, start - 2) : start] in ("(", "\n(")
    return opens and end - start <= 2 and text[end : end + 2] == ") "

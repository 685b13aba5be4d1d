"""Speller of numbers as English words.

It does not use num2words, which loses the sign of -0.5, puts commas into one number ("one thousand, two
hundred") and is about fifty times slower. The perturbation `language` uses num2words, as published.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from dnc_datasets.english.lexicon import IRREGULAR_ORDINALS, SCALES, SMALL_NUMBERS, TENS
from dnc_datasets.errors import DncError

LIMIT = 1000 ** (len(SCALES) + 1)
_BELOW_HUNDRED = (
    *SMALL_NUMBERS,
    *(f"{ten}-{SMALL_NUMBERS[unit]}" if unit else ten for ten in TENS[2:] for unit in range(10)),
)
_MAX_PLACES = 400
# Larger denominators have no usual name. `parse` reads "five over twenty-one", `find` does not.
_MAX_NAMED_DENOMINATOR = 20


@lru_cache(maxsize=1 << 14)  # of up to 2.4 kB each
def spell(value: Fraction | int) -> str:
    """Return the value in English words, the shortest exact form.

    >>> spell(105), spell(Fraction(-1, 2)), spell(Fraction(2, 3))
    ('one hundred and five', 'minus zero point five', 'two thirds')
    """
    numerator, denominator = abs(value.numerator), value.denominator
    sign = "minus " if value.numerator < 0 else ""
    if numerator >= LIMIT * denominator:
        raise DncError(
            f"no English words for a number of 10^{3 * len(SCALES) + 3} or more; write it in digits"
        )
    if denominator == 1:
        return sign + spell_integer(numerator)
    places = decimal_places(denominator)
    if places is None or places > _MAX_PLACES:
        return sign + _fraction(numerator, denominator)
    whole, part = divmod(numerator * 10**places // denominator, 10**places)
    tail = " ".join(SMALL_NUMBERS[int(digit)] for digit in f"{part:0{places}d}")
    return f"{sign}{spell_integer(whole)} point {tail}"


def can_spell(value: Fraction) -> bool:
    """Return whether `spell` supports the value: below 10^33, and with a denominator that has a name."""
    if abs(value.numerator) >= LIMIT * value.denominator:
        return False
    return value.denominator < LIMIT or (decimal_places(value.denominator) or _MAX_PLACES + 1) <= _MAX_PLACES


@lru_cache(maxsize=8192)
def spell_ordinal(value: int) -> str:
    """Return the ordinal in English words: 16 -> "sixteenth", 121 -> "one hundred and twenty-first"."""
    if value < 0:
        raise DncError(f"no ordinal of {value}; ordinals start at zero")
    head, last = _split_last(spell(value))
    return head + ordinal_of(last)


def ordinal_of(word: str) -> str:
    """Return the ordinal of one cardinal word: "five" -> "fifth", "twenty" -> "twentieth"."""
    if word in IRREGULAR_ORDINALS:
        return IRREGULAR_ORDINALS[word]
    return f"{word[:-1]}ieth" if word.endswith("y") else f"{word}th"


def decimal_places(denominator: int) -> int | None:
    """Return the number of decimals of a fraction in lowest terms; None for an infinite expansion.

    >>> decimal_places(8), decimal_places(3)
    (3, None)
    """
    twos = (denominator & -denominator).bit_length() - 1
    rest = denominator >> twos
    fives = 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    return max(twos, fives) if rest == 1 else None


def spell_integer(value: int, separator: str = " ") -> str:
    """Return an integer from 0 to below 10^36 in words, with `separator` between groups of thousands.

    >>> spell_integer(1250), spell_integer(1250, ", "), spell_integer(2005, ", ")
    ('one thousand two hundred and fifty', 'one thousand, two hundred and fifty', 'two thousand and five')
    """
    if value < 1000:
        return _below_thousand(value)
    thousands, rest = divmod(value, 1000)
    groups: list[str] = []
    for scale in SCALES:
        thousands, count = divmod(thousands, 1000)
        if count:
            groups.append(f"{_below_thousand(count)} {scale}")
    words = separator.join(reversed(groups))
    if rest:
        words += (" and " if rest < 100 else separator) + _below_thousand(rest)
    return words


def _below_thousand(value: int) -> str:
    hundreds, rest = divmod(value, 100)
    if not hundreds:
        return _BELOW_HUNDRED[rest]
    words = f"{SMALL_NUMBERS[hundreds]} hundred"
    return f"{words} and {_BELOW_HUNDRED[rest]}" if rest else words


def _fraction(numerator: int, denominator: int) -> str:
    if denominator > _MAX_NAMED_DENOMINATOR:
        return f"{spell(numerator)} over {spell(denominator)}"
    return f"{spell(numerator)} {spell_ordinal(denominator)}{'s' if numerator > 1 else ''}"


def _split_last(words: str) -> tuple[str, str]:
    at = max(words.rfind(" "), words.rfind("-")) + 1
    return words[:at], words[at:]

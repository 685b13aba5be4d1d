"""Writes numbers as English words.

Not with num2words, which loses the sign of -0.5, puts commas into one number ("one thousand, two hundred") and
takes about fifty times as long. The perturbation `language` uses num2words, as published.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from dnc_datasets.english.lexicon import IRREGULAR_ORDINALS, SCALES, SMALL_NUMBERS, TENS
from dnc_datasets.errors import DncError

_LIMIT = 1000 ** (len(SCALES) + 1)
_MAX_PLACES = 400
# Larger denominators have no usual name; "five over twenty-one" is read back by parse, not by find.
_MAX_NAMED_DENOMINATOR = 20


@lru_cache(maxsize=1 << 14)  # of up to 2.4 kB each
def spell(value: Fraction | int) -> str:
    """The value in English words, the shortest exact form.

    >>> spell(105), spell(Fraction(-1, 2)), spell(Fraction(2, 3))
    ('one hundred and five', 'minus zero point five', 'two thirds')
    """
    numerator, denominator = abs(value.numerator), value.denominator
    sign = "minus " if value.numerator < 0 else ""
    if numerator >= _LIMIT * denominator:
        raise DncError(
            f"no English words for a number of 10^{3 * len(SCALES) + 3} or more; write it in digits"
        )
    if denominator == 1:
        return sign + " ".join(_integer(numerator))
    places = decimal_places(denominator)
    if places is None or places > _MAX_PLACES:
        return sign + _fraction(numerator, denominator)
    whole, part = divmod(numerator * 10**places // denominator, 10**places)
    tail = " ".join(SMALL_NUMBERS[int(digit)] for digit in f"{part:0{places}d}")
    return f"{sign}{' '.join(_integer(whole))} point {tail}"


def can_spell(value: Fraction) -> bool:
    """Whether `spell` has words for it: not for 10^33 and more, nor for such a denominator."""
    if abs(value.numerator) >= _LIMIT * value.denominator:
        return False
    return value.denominator < _LIMIT or (decimal_places(value.denominator) or _MAX_PLACES + 1) <= _MAX_PLACES


@lru_cache(maxsize=8192)
def spell_ordinal(value: int) -> str:
    """The ordinal in English words: 16 -> "sixteenth", 121 -> "one hundred and twenty-first"."""
    if value < 0:
        raise DncError(f"no ordinal of {value}; ordinals start at zero")
    head, last = _split_last(spell(value))
    return head + ordinal_of(last)


def ordinal_of(word: str) -> str:
    """The ordinal of one cardinal word: "five" -> "fifth", "twenty" -> "twentieth"."""
    if word in IRREGULAR_ORDINALS:
        return IRREGULAR_ORDINALS[word]
    return f"{word[:-1]}ieth" if word.endswith("y") else f"{word}th"


def decimal_places(denominator: int) -> int | None:
    """How many decimals a fraction in lowest terms with this denominator has; None if they never end.

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


def _integer(value: int) -> list[str]:
    if value < 1000:
        return _below_thousand(value)
    words: list[str] = []
    for power in range(len(SCALES), 0, -1):
        count, value = divmod(value, 1000**power)
        if count:
            words += [*_below_thousand(count), SCALES[power - 1]]
    if value:
        words += (["and"] if value < 100 else []) + _below_thousand(value)
    return words


def _below_thousand(value: int) -> list[str]:
    hundreds, rest = divmod(value, 100)
    words = [SMALL_NUMBERS[hundreds], "hundred"] if hundreds else []
    if hundreds and rest:
        words.append("and")
    if rest or not hundreds:
        tens, unit = divmod(rest, 10)
        words.append(
            SMALL_NUMBERS[rest]
            if rest < 20
            else f"{TENS[tens]}-{SMALL_NUMBERS[unit]}"
            if unit
            else TENS[tens]
        )
    return words


def _fraction(numerator: int, denominator: int) -> str:
    if denominator > _MAX_NAMED_DENOMINATOR:
        return f"{spell(numerator)} over {spell(denominator)}"
    return f"{spell(numerator)} {spell_ordinal(denominator)}{'s' if numerator > 1 else ''}"


def _split_last(words: str) -> tuple[str, str]:
    at = max(words.rfind(" "), words.rfind("-")) + 1
    return words[:at], words[at:]

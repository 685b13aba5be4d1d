"""Cardinal numbers in words, as num2words writes them, in English and in other languages.

The perturbation `language` uses the English words, as published.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dnc_datasets.errors import UnknownNameError


@lru_cache(maxsize=1 << 14)
def spell_digits(digits: str) -> str:
    """Return the words of num2words for a number in digits. Commas between thousands are ignored.

    Decimals are spelled digit by digit. num2words does the same, but it goes through a float and loses digits.

    >>> spell_digits("1,250"), spell_digits("12.46"), spell_digits("-5")
    ('one thousand, two hundred and fifty', 'twelve point four six', 'minus five')
    """
    from num2words import num2words

    sign = "minus " if digits[0] in "-−" else ""
    integer, _, decimals = digits.lstrip("-−").replace(",", "").partition(".")
    words = [num2words(int(integer or 0))]
    if decimals:
        words += ["point", *(num2words(int(digit)) for digit in decimals)]
    return sign + " ".join(words)


_LIMIT = 10**9


def check(language: str) -> None:
    """Raise UnknownNameError for a language that num2words does not support, with the nearest name."""
    spellers = _spellers()
    if language not in spellers:
        raise UnknownNameError("language", language, sorted(spellers))


def can_spell(value: int) -> bool:
    """Return whether the words of a number are likely to fit its sentence in another language.

    In most languages of num2words, numbers that end in one change with the gender of the noun.
    """
    return 1 < value < _LIMIT and (value % 10 != 1 or value % 100 == 11)


@lru_cache(maxsize=1 << 12)
def spell(value: int, language: str) -> str:
    """Spell an integer in another language: `spell(12, "de")` is "zwölf".

    The number finder does not read it back.
    """
    check(language)
    words: str = _spellers()[language].to_cardinal(value)
    return words


def _spellers() -> Any:
    from num2words import CONVERTER_CLASSES

    return CONVERTER_CLASSES

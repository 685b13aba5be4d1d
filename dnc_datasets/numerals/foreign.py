"""Whole numbers in the words of another language, as num2words spells them; they are not read back."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dnc_datasets.errors import DncError, UnknownNameError

_LIMIT = 10**9


def check(language: str) -> None:
    """Refuse a language that cannot be spelled, with the nearest that can."""
    spellers = _spellers()
    if language not in spellers:
        raise UnknownNameError("language", language, sorted(spellers))


def can_spell(value: int) -> bool:
    """Whether a number's words are likely to fit where it stands.

    Those that end in one change with the gender of what they count, in most languages that num2words knows.
    """
    return 1 < value < _LIMIT and (value % 10 != 1 or value % 100 == 11)


@lru_cache(maxsize=1 << 12)
def spell(value: int, language: str) -> str:
    """A whole number in words: `spell(12, "de")` is "zwölf"."""
    check(language)
    words: str = _spellers()[language].to_cardinal(value)
    return words


def _spellers() -> Any:
    try:
        from num2words import CONVERTER_CLASSES
    except ImportError as error:
        raise DncError(
            "other languages are spelled by num2words: pip install 'dnc-bench[languages]'"
        ) from error
    return CONVERTER_CLASSES

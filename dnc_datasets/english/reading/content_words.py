"""Content words: the words of a text that name people, things and actions.

In Chinese they are pairs of adjacent characters.

In Chinese, pairs of characters.
"""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import EMPTY_WORDS, FOREIGN_WORDS
from dnc_datasets.memoization import memoized

_CHINESE = re.compile("[\u4e00-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
# Runs of characters between those that carry no entity. Pairs of adjacent characters represent words.
_CHINESE_RUN = re.compile("[^\\W\\da-zA-Z_的了有是在和一个每多少共多天元千米克本人]{2,}")


def is_chinese(text: str) -> bool:
    """Return whether the text has Chinese characters."""
    return not text.isascii() and _CHINESE.search(text) is not None


def language_of(text: str) -> str:
    """Return "zh" for Chinese, "other" for a text that is clearly not English, else "en".

    A few foreign words do not make a text foreign: they must outnumber the English function words.

    >>> language_of("Der Preis ist 118 Euro."), language_of("El Paso has 12 parks. How many are left?")
    ('other', 'en')
    """
    if is_chinese(text):
        return "other" if _KANA.search(text) else "zh"
    if not text.isascii():
        letters = [letter for letter in text if letter.isalpha()]
        if sum(letter > "\u024f" for letter in letters) * 2 > len(letters):
            return "other"  # another script
    words = _LETTERS.findall(text.lower())
    if FOREIGN_WORDS.isdisjoint(words):
        return "en"
    foreign = sum(word in FOREIGN_WORDS for word in words)
    return "other" if foreign >= 2 and foreign > sum(word in EMPTY_WORDS for word in words) else "en"


@memoized
def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that name people, things and actions, in lower case without plural -s.

    In Chinese, pairs of characters.
    """
    if is_chinese(text):
        runs = _CHINESE_RUN.findall(text)
        return frozenset(run[at : at + 2] for run in runs for at in range(len(run) - 1))
    words = (word.lower() for word in _WORD.findall(text))
    return (
        frozenset(word[:-1] if word.endswith("s") and len(word) > 3 else word for word in words) - EMPTY_WORDS
    )

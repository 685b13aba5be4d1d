"""Content words: the words of a text that name people, things and actions; in Chinese, pairs of characters."""

from __future__ import annotations

import re

from dnc_datasets.remembering import remembered

_CHINESE = re.compile("[\u4e00-\u9fff]")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
# Runs of characters between those that carry no entity; pairs of neighbours stand for words.
_CHINESE_RUN = re.compile("[^\\W\\da-zA-Z_的了有是在和一个每多少共多天元千米克本人]{2,}")
# Words that carry no entity, so that two statements may share them.
_EMPTY_WORDS = frozenset(
    "a an the of to in on at by for from with and or but is are was were be been has have had do does did "
    "there that this these those each every per all some many much more than as if so not no will would can "
    "could out up into over under about after before during when while which who how what".split()
)


def is_chinese(text: str) -> bool:
    """Whether the text has Chinese characters."""
    return not text.isascii() and _CHINESE.search(text) is not None


@remembered
def content_words(text: str) -> frozenset[str]:
    """The words of a text that name people, things and actions, in small letters without plural -s.

    In Chinese, pairs of characters.
    """
    if is_chinese(text):
        runs = _CHINESE_RUN.findall(text)
        return frozenset(run[at : at + 2] for run in runs for at in range(len(run) - 1))
    words = (word.lower() for word in _WORD.findall(text))
    return (
        frozenset(word[:-1] if word.endswith("s") and len(word) > 3 else word for word in words)
        - _EMPTY_WORDS
    )

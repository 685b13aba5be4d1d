"""Writes Chinese numerals as digits where they are surely numbers: "四十二个" -> "42个", "三分之二" -> "2/3"."""

from __future__ import annotations

import re

from dnc_datasets.numerals import chinese

# In a reply a single numeral is a number before more words than in a text, or where nothing but a stop follows it.
_COUNTED = chinese.COUNTED | frozenset("角月周")
_STOPS = frozenset(" \n.,;:!?。，；：！？、)）}】\"”'％%*<")


def digits(text: str) -> str:
    """The text with the Chinese numerals in it as digits; what is not surely a number stays."""
    return chinese.RUN.sub(_written, text)


def _written(found: re.Match[str]) -> str:
    value = chinese.whole(found["top"])
    after = found.string[found.end() : found.end() + 1]
    before = found.string[found.start() - 1 : found.start()] if found.start() else ""
    if value is None or before == "第":
        return found[0]
    if found["percent"]:
        return f"{found['minus'] and '-'}{value}{_part(found['part'])}%"
    if found["bottom"]:
        bottom = chinese.whole(found["bottom"])
        return f"{found['minus'] and '-'}{value}/{bottom}" if bottom else found[0]
    alone = not before or before in '是为：: \n=为有{>"'
    short = len(found[0]) == 1
    if short and after and after not in _COUNTED and not (alone and after in _STOPS):
        return found[0]
    return f"{found['minus'] and '-'}{value}{_part(found['part'])}"


def _part(decimals: str | None) -> str:
    return "." + "".join(str(chinese.DIGITS[digit]) for digit in decimals) if decimals else ""

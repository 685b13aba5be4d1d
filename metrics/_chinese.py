"""Writes Chinese numerals as digits where they are surely numbers: "四十二个" -> "42个", "三分之二" -> "2/3"."""

from __future__ import annotations

import re

_DIGITS = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}
_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
_RUN = re.compile(
    rf"(?P<minus>负?)(?:(?P<percent>百分之)|(?P<bottom>[{_NUMERAL}]{{1,20}})分之)?"
    rf"(?P<top>[{_NUMERAL}]{{1,20}})(?:点(?P<part>[零〇一二三四五六七八九]{{1,20}}))?"
)
# A single numeral is a number before one of these, or where nothing but a stop follows it: not in 一共, 一些.
_COUNTED = frozenset(
    "个只本元块米天岁人条张件辆支枝棵朵颗粒包箱盒瓶袋升克吨页次倍双对名位头匹台套间层排列角年月周时秒"
)
_STOPS = frozenset(" \n.,;:!?。，；：！？、)）}】\"”'％%*<")


def digits(text: str) -> str:
    """The text with the Chinese numerals in it as digits; what is not surely a number stays."""
    return _RUN.sub(_written, text)


def _written(found: re.Match[str]) -> str:
    value = _value(found["top"])
    after = found.string[found.end() : found.end() + 1]
    before = found.string[found.start() - 1 : found.start()] if found.start() else ""
    if value is None or before == "第":
        return found[0]
    if found["percent"]:
        return f"{found['minus'] and '-'}{value}{_part(found['part'])}%"
    if found["bottom"]:
        bottom = _value(found["bottom"])
        return f"{found['minus'] and '-'}{value}/{bottom}" if bottom else found[0]
    alone = not before or before in '是为：: \n=为有{>"'
    short = len(found[0]) == 1
    if short and after and after not in _COUNTED and not (alone and after in _STOPS):
        return found[0]
    return f"{found['minus'] and '-'}{value}{_part(found['part'])}"


def _part(decimals: str | None) -> str:
    return "." + "".join(str(_DIGITS[digit]) for digit in decimals) if decimals else ""


def _value(run: str) -> int | None:
    """The number that a run of numerals spells; None where it spells none, as "千万" or "两三"."""
    if len(run) > 1 and all(sign in _DIGITS for sign in run):
        # Digit by digit, as years are; "两三个" is two or three.
        spelled = "".join(str(_DIGITS[sign]) for sign in run)
        return int(spelled) if len(run) > 2 or "0" in spelled else None
    total = section = 0
    digit: int | None = None
    for sign in run:
        if sign in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[sign]
        elif sign in _UNITS:
            if digit is None and not (sign == "十" and not section):
                return None
            section += (1 if digit is None else digit) * _UNITS[sign]
            digit = None
        else:
            section += digit or 0
            if not section and not total:
                return None
            total = (total + section) * _LARGE[sign]
            section, digit = 0, None
    if digit and len(run) > 1 and run[-2] not in "十零〇":
        return None  # "一百二" is 120 to some and 102 to nobody: said with 零
    return total + section + (digit or 0)

"""Chinese numerals: find, read and write them. Only certain numbers are found (十二个)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from dnc_datasets.errors import DncError
from dnc_datasets.numerals._quantity import Quantity
from dnc_datasets.numerals._spell import decimal_places

DIGITS = {
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
ANY = re.compile("[零〇一二两三四五六七八九十百千]")  # no number has only 万 and 亿
RUN = re.compile(
    rf"(?P<minus>负?)(?:(?P<percent>百分之)|(?P<bottom>[{_NUMERAL}]{{1,24}})分之)?"
    rf"(?P<top>[{_NUMERAL}]{{1,24}})(?:点(?P<part>[零〇一二三四五六七八九]{{1,20}}))?"
)
# A single numeral is a number before one of these: not in 一共, 三角, 四周, 六月, 十分.
COUNTED = frozenset(
    "个只本元块米天岁人条张件辆支枝棵朵颗粒包箱盒瓶袋升克吨页次倍双对名位头匹台套间层排列年时秒种"
)
_LONG_UNITS = frozenset(("厘米", "毫米", "公里", "公斤", "毫升", "平方", "立方", "小时", "分钟", "星期"))
# Units that begin with 千: "五千米" may be five kilometres or five thousand metres.
_KILO = frozenset("米克瓦卡")
# Before a numeral, these make it a name: 第三, 星期五, 周六, 初二, 其一; digits make it a scale, "3千".
_NAMING = frozenset("第期周拜初其百千万亿0123456789.,")
# 两三个, 十几个, 三十多个, 一百来个 are approximate.
_ABOUT = frozenset("几多来余")
_NAMES = frozenset(("年级", "人称", "时候"))  # after a single numeral they make a name: 六年级
_LIMIT = 10**12
_MAX_PLACES = 20


def find(text: str) -> Iterator[Quantity]:
    """Yield the Chinese numerals of a text that are certainly numbers, in order.

    >>> [(q.text, str(q.value)) for q in find("他买了十二个，一共三百零五元，打八折")]
    [('十二', '12'), ('三百零五', '305')]
    """
    for match in RUN.finditer(text):
        before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 2]
        if before in _NAMING or after[:1] in _ABOUT or after[:1].isdigit():
            continue
        if match[0].endswith("千") and after[:1] in _KILO:
            continue
        whole_text = match[0] == text
        if len(match[0]) == 1 and not whole_text and (match[0] in "零〇一" or not is_counted(after)):
            continue
        value = value_of(match)
        if value is not None:
            year = after[:1] == "年" and len(match[0]) == 4 and DIGITS.keys() >= set(match[0])
            kind = "year" if year else "word"
            yield Quantity(match[0], value.as_integer_ratio(), match.start(), match.end(), kind)


def is_counted(after: str) -> bool:
    """Return whether a countable noun or a measure word follows a single numeral."""
    return after in _LONG_UNITS or (after[:1] in COUNTED and after not in _NAMES)


def parse(text: str) -> Fraction | None:
    """Return the value of a string that is exactly one number in Chinese numerals.

    >>> parse("负二点五"), parse("四分之三"), parse("两三")
    (Fraction(-5, 2), Fraction(3, 4), None)
    """
    match = RUN.fullmatch(text)
    return value_of(match) if match else None


def value_of(match: re.Match[str]) -> Fraction | None:
    """Return the value of a match of `RUN`.

    The value of a percentage is its number, as everywhere in `numerals`.
    """
    top = whole(match["top"])
    if top is None:
        return None
    value = Fraction(top)
    if match["part"]:
        figures = "".join(str(DIGITS[digit]) for digit in match["part"])
        value += Fraction(int(figures), 10 ** len(figures))
    if match["bottom"]:
        bottom = whole(match["bottom"])
        if not bottom:
            return None
        value /= bottom
    return -value if match["minus"] else value


def whole(run: str) -> int | None:
    """Return the integer that a run of numerals spells, or None for an invalid run such as "千万" or "两三".

    >>> whole("三百零五"), whole("二〇一九"), whole("两三")
    (305, 2019, None)
    """
    if len(run) > 1 and all(sign in DIGITS for sign in run):
        # Digit by digit, as years are; "两三个" is two or three.
        spelled = "".join(str(DIGITS[sign]) for sign in run)
        return int(spelled) if len(run) > 2 or "0" in spelled else None
    total = section = last = 0
    digit: int | None = None
    for sign in run:
        if sign in DIGITS:
            if digit:
                return None
            digit = DIGITS[sign]
        elif sign in _UNITS:
            if digit is None and not (sign == "十" and not section):
                return None
            section += (1 if digit is None else digit) * _UNITS[sign]
            digit = None
        else:
            section += digit or 0
            if not section and not total:
                return None
            # 一万亿 is ten thousand times 亿. In 一亿零五万, the 万 multiplies only the part after the 亿.
            large = _LARGE[sign]
            total = (total + section) * large if large > last else total + section * large
            section, digit, last = 0, None, large
    if digit and len(run) > 1 and run[-2] not in "十零〇":
        return None  # "一百二" may mean 120, never 102, which needs 零
    return total + section + (digit or 0)


def spell(value: Fraction | int, *, counting: bool = False) -> str:
    """Return the value in Chinese numerals. Before a measure word (`counting`), two is 两.

    >>> spell(12), spell(305), spell(Fraction(-5, 2)), spell(2, counting=True), spell(20_000)
    ('十二', '三百零五', '负二点五', '两', '两万')
    """
    number = Fraction(value)
    size, sign = abs(number), "负" if number < 0 else ""
    places = decimal_places(size.denominator)
    if size >= _LIMIT or (places or 0) > _MAX_PLACES:
        raise DncError(f"no Chinese numerals for {value}; write it in digits")
    if places is None:
        return f"{sign}{_integer(size.denominator)}分之{_integer(size.numerator)}"
    if counting and size == 2:
        return f"{sign}两"
    top, part = divmod(size.numerator * 10**places // size.denominator, 10**places)
    tail = "".join(_digit(int(figure)) for figure in f"{part:0{places}d}") if places else ""
    return f"{sign}{_integer(top)}{'点' if tail else ''}{tail}"


def can_spell(value: Fraction) -> bool:
    """Return whether `spell` supports the value."""
    places = decimal_places(value.denominator)
    return abs(value) < _LIMIT and (places or 0) <= _MAX_PLACES and value.denominator < _LIMIT


def _digit(value: int) -> str:
    return "零一二三四五六七八九"[value]


def _integer(value: int) -> str:
    if not value:
        return "零"
    made, skipped = "", False
    for size, name in ((10**8, "亿"), (10**4, "万"), (1, "")):
        section, value = divmod(value, size)
        if not section:
            skipped = bool(made)
            continue
        # A section of less than four figures after another section, or after an empty one, needs 零.
        if made and (skipped or section < 1000):
            made += "零"
        made += f"{_section(section, first=not made)}{name}" if section != 2 or not name else f"两{name}"
        skipped = False
    return made


def _section(value: int, *, first: bool) -> str:
    made = ""
    for size, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        figure, value = divmod(value, size)
        if figure:
            # 12 is 十二, but 112 is 一百一十二; 2000 is 两千.
            bare = name == "十" and figure == 1 and first and not made
            made += "十" if bare else f"{'两' if (figure, name) == (2, '千') else _digit(figure)}{name}"
        elif made and value and not made.endswith("零"):
            made += "零"
    return made

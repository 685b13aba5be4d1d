"""Which numbers of a Chinese text, or of one in another language than English, can be written in words, and how."""

from __future__ import annotations

from dnc_datasets import numerals
from dnc_datasets.numerals import Quantity, cardinals, chinese
from dnc_datasets.perturbations.numbers.amounts import is_year
from dnc_datasets.problem import Edit

_KINDS = frozenset(("cardinal", "decimal", "fraction", "percent"))
# Dates, times and discounts; 3千 and 5万 go on.
_GOES_ON = frozenset("月日号点折时百千万亿几多来余:：/-–—~～°,.％")
_THOUSANDS_OF = ("千米", "千克", "千瓦")  # units, not thousands
_JOINED = frozenset("第周期:：/-–—~～#$¥￥€£.,")
_PERCENT = "%"


def chinese_edits(text: str) -> list[Edit]:
    """12个 -> 十二个, 5% -> 百分之五, 3/4 -> 四分之三.

    >>> [edit.new for edit in chinese_edits("他用2小时走了12千米，到3月5日")]
    ['两', '十二']
    """
    edits = []
    for quantity in numerals.find(text):
        before, after = _around(text, quantity)
        if quantity.kind not in _KINDS or not quantity.in_digits or not chinese.can_spell(quantity.value):
            continue
        if before in _JOINED or (before.isascii() and before.isalpha()):
            continue
        if after == _PERCENT:
            edits.append(Edit(quantity.start, quantity.end + 1, f"百分之{chinese.spell(quantity.value)}"))
            continue
        unit = text.startswith(_THOUSANDS_OF, quantity.end)
        if (after in _GOES_ON and not unit) or (after.isascii() and after.isalnum()):
            continue
        if after == "年" and is_year(quantity.text):
            continue
        counting = chinese.is_counted(text[quantity.end : quantity.end + 2])
        edits.append(Edit(quantity.start, quantity.end, chinese.spell(quantity.value, counting=counting)))
    return edits


def foreign_edits(text: str, language: str) -> list[Edit]:
    """12 Hefte -> zwölf Hefte: whole numbers that stand alone, but for years and those that end in one."""
    edits = []
    for quantity in numerals.find(text):
        before, after = _around(text, quantity)
        plain = quantity.kind == "cardinal" and quantity.text.isdigit() and not is_year(quantity.text)
        alone = (not before or before in " (\n\"'") and (not after or after in " .,;:?!)\n\"'")
        # "7,3" and "1.050" are one number in most languages.
        goes_on = text[quantity.end + 1 : quantity.end + 2].isdigit() and after in (",", ".")
        if plain and alone and not goes_on and cardinals.can_spell(int(quantity.text)):
            words = cardinals.spell(int(quantity.text), language)
            opens = not text[: quantity.start].rstrip(" (\"'") or text[: quantity.start].rstrip()[-1] in ".!?"
            edits.append(Edit(quantity.start, quantity.end, words[0].upper() + words[1:] if opens else words))
    return edits


def _around(text: str, quantity: Quantity) -> tuple[str, str]:
    return text[max(0, quantity.start - 1) : quantity.start], text[quantity.end : quantity.end + 1]

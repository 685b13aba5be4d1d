"""What fills the gap of a yes-or-no question: "more than 12 red pens", "less than $40"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.english.rewording.yes_no import Asked
from dnc_datasets.perturbations.reasoning.thresholds import Threshold
from dnc_datasets.problem import Problem

_MEASURES = frozenset(
    """dollars cents miles kilometers meters feet inches yards centimeters millimeters hours minutes seconds days weeks
    months years pounds ounces grams kilograms tons lbs kg km cm m liters gallons quarts pints cups milliliters degrees
    calories points percent""".split()
)
_MONEY_NOUNS = frozenset(
    ("", "money", "change", "more money", "profit", "more", "total money", "money in total", "of a profit")
)
_FAMILIES = {
    "time": ("hours", "minutes", "seconds", "days", "weeks", "months", "years"),
    "weight": ("pounds", "ounces", "grams", "kilograms", "tons", "kg", "lbs"),
    "volume": ("liters", "gallons", "quarts", "pints", "milliliters", "cups", "ounces"),
    "length": ("miles", "kilometers", "meters", "feet", "inches", "yards", "centimeters", "km"),
}
_LIQUIDS = frozenset("water oil milk juice paint soda lemonade coffee gas fuel".split())
_PARTS = re.compile(r"\b(?:half|quarter|third) (?:an?|of)\b")
_MONEY_VERBS = re.compile(
    r"\b(?:is|was|cost|spend|pay|earn|save|owe|raise|receive|donate|collect|charge|make|have|need|get|worth|give|left|lose|"
    r"spent|paid|spending|paying|earning|saving|making|earned|saved|borrow|invest|deposit|withdraw|lend|bring|"
    r"start|made|allocate|contribute|keep|win|afford)\b"
)
_WHAT_MONEY = re.compile(
    r"\b(?:cost|price|money|profit|revenue|income|bill|pay|salary|savings|budget|earnings|wage|payment|spent|spends|spend|balance|loss|"
    r"expenses|fee|rent|debt|discount|tip|tax)\b"
)
_WHAT_COUNT = re.compile(r"\bnumber of [a-z]|\bdifference between the number\b")
_OTHER_MONEY = re.compile(r"[€£¥¢]|\b(?:cents|euros?|pounds sterling|pesos|yen|rupees)\b", re.IGNORECASE)
_DOLLARS = re.compile(r"\$|\bdollars?\b", re.IGNORECASE)
_POSSIBLE = re.compile(r"\b(?:can|could|able|may|might|possible|possibly)\b", re.IGNORECASE)
_COMMA = re.compile(r"\d,\d{3}(?!\d)")
COUNT_WORDS = ("more than", "fewer than", "at least", "at most", "exactly")
AMOUNT_WORDS = ("more than", "less than", "at least", "at most", "exactly")


def words_for(asked: Asked) -> Sequence[str]:
    """The comparisons that one would say of what is asked for."""
    if _POSSIBLE.search(asked.question):
        return ("more than", "at least")  # whoever can buy 6 can buy fewer than 3
    if asked.noun.startswith("percent"):
        return AMOUNT_WORDS
    first, last = (asked.noun.split() or [""])[0], (asked.noun.split(" of ")[0].split() or [""])[-1]
    if first in ("more", "fewer", "less", "additional", "extra"):
        return ("more than", "at least", "at most", "exactly")
    measured = last in _MEASURES or first in _MEASURES  # "less than 3 years younger"
    return COUNT_WORDS if asked.word == "many" and not measured else AMOUNT_WORDS


def unit_of(problem: Problem, asked: Asked) -> str | None:
    """What stands with the number: "$", a measure, the noun itself; None where that is not sure."""
    noun, unit = asked.noun, asked.unit or problem.unit.strip()
    if asked.word == "many":
        return noun
    dollars = unit in ("dollars", "dollar", "$") or (not unit and _is_dollars(problem))
    if not unit and (family := _family(asked)):
        unit = _told_unit(problem, family)
    if asked.word == "what":
        if unit in _MEASURES and unit not in ("dollars", "cents"):
            return unit
        if noun.split()[-1] == "age":
            return ""
        if _WHAT_COUNT.search(noun) and not _WHAT_MONEY.search(noun.split("number of")[0]):
            return ""
        return "$" if dollars and _WHAT_MONEY.search(noun) else None
    if asked.word == "much":
        if noun in _MONEY_NOUNS:
            if dollars and (noun not in ("", "more") or _MONEY_VERBS.search(asked.question)):
                return "$"
            measured = unit in _MEASURES - {"dollars", "cents"} and noun not in ("money", "change")
            return unit if measured else None
        if noun in ("time", "more time", "total time"):
            more = "more " if noun.startswith("more") else ""
            return f"{more}{unit}" if unit in _FAMILIES["time"] else None
        if unit in _MEASURES and unit not in noun and unit not in ("dollars", "cents"):
            more = "more " if noun.startswith("more ") else ""
            return f"{more}{unit} of {noun.removeprefix('more ')}"
        return None
    if asked.word == "old":
        return "years"
    return unit if unit in _MEASURES else None


def _family(asked: Asked) -> str:
    """The kind of measure that is asked for, where the words say so."""
    if "time" in asked.noun.split() or (asked.word == "long" and re.search(r"\btake\b", asked.question)):
        return "time"
    if re.search(r"\bweigh\b|\bweight\b", asked.question):
        return "weight"
    if set(asked.noun.split()) & _LIQUIDS:
        return "volume"
    return "length" if asked.word == "far" or re.search(r"\bdistance\b", asked.noun) else ""


def _told_unit(problem: Problem, family: str) -> str:
    """The only unit of this kind in the text; nothing where there are several, or parts of one."""
    text = problem.text.lower()
    told = [unit for unit in _FAMILIES[family] if re.search(rf"\b{unit.removesuffix('s')}s?\b", text)]
    if family == "length":
        told = [unit for unit in told if unit != "feet"] + (
            ["feet"] if re.search(r"\bf(?:ee|oo)t\b", text) else []
        )
    return told[0] if len(told) == 1 and not _PARTS.search(text) else ""


def _is_dollars(problem: Problem) -> bool:
    return bool(_DOLLARS.search(problem.text)) and not _OTHER_MONEY.search(problem.text)


def written(value: Fraction, problem: Problem) -> str:
    """The number, with commas where the problem writes them: 256,651."""
    text = expression.canonical(value)
    whole, point, places = text.partition(".")
    told = (problem.text, *(cell for row in problem.table for cell in row))
    if len(whole.lstrip("-")) < 4 or not any(_COMMA.search(one) for one in told):
        return text
    return f"{int(whole):,}{point}{places}"


def filled(asked: Asked, threshold: Threshold, unit: str, number: str = "") -> str:
    """The question with its gap filled; `number` is how the threshold is written.

    >>> filled(Asked("Did he buy {}?", "pens", "many"), Threshold("more than", Fraction(12)), "pens")
    'Did he buy more than 12 pens?'
    """
    more = ""
    if unit == "$":
        more = " more" if asked.noun.startswith("more") else ""
        more = f" in {asked.noun}" if asked.noun in ("change", "profit") else more
    return asked.question.replace(
        "{}", f"{threshold.words} {_number(threshold.value, unit, number)}{more}", 1
    )


def _number(value: Fraction, unit: str, written_as: str) -> str:
    text = written_as or expression.canonical(value)
    if unit[:1].isdigit():  # "two 1-yard runs"; what is said in no short word is not said at all
        return f"{numerals.spell(value)} {unit}"
    if unit == "$":
        places = len(text.partition(".")[2])
        return f"${text}0" if places == 1 else f"${text}"
    if text == "1":  # "more than 1 year"
        unit = unit.removesuffix("s")
    return f"{text} {unit}".strip()

"""Phrases for the gap of a yes-or-no question: "more than 12 red pens", "less than $40"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.english.lexicon import LIQUIDS, PLURAL_UNITS, TIME_UNITS, UNITS_BY_KIND
from dnc_datasets.english.rewording.yes_no import Asked
from dnc_datasets.expression import Binary, Expr
from dnc_datasets.perturbations.numbers.amounts import CURRENCIES
from dnc_datasets.perturbations.reasoning.thresholds import Threshold
from dnc_datasets.problem import Problem
from dnc_datasets.tables.typed import AMOUNT, typed

_MONEY_NOUNS = frozenset(
    ("", "money", "change", "more money", "profit", "more", "total money", "money in total", "of a profit")
)
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
OTHER_THAN = "other than"
AMOUNT_WORDS = ("more than", "less than", "at least", "at most", "exactly")


def words_for(asked: Asked) -> Sequence[str]:
    """Return the comparisons that are natural for the noun of the question."""
    if _POSSIBLE.search(asked.question):
        return ("more than", "at least")  # the ability to buy 6 implies the ability to buy fewer than 3
    if asked.noun.startswith("percent"):
        return AMOUNT_WORDS
    first, last = (asked.noun.split() or [""])[0], (asked.noun.split(" of ")[0].split() or [""])[-1]
    if first in ("more", "fewer", "less", "additional", "extra"):
        return ("more than", "at least", "at most", "exactly")
    measured = last in PLURAL_UNITS or first in PLURAL_UNITS  # "less than 3 years younger"
    return COUNT_WORDS if asked.word == "many" and not measured else AMOUNT_WORDS


def published_words(asked: Asked, unit: str) -> Sequence[str]:
    """Return the comparisons of the published form: more, less, at least, at most, not equal."""
    words = words_for(asked)
    compares = unit.split()[:1] in (["more"], ["fewer"], ["less"], ["additional"], ["extra"])
    differs = "exactly" in words and not compares and not unit[:1].isdigit()
    return [word for word in words if word != "exactly"] + ([OTHER_THAN] if differs else [])


def unit_of(problem: Problem, asked: Asked) -> str | None:
    """Return the unit of the number: "$", a measure, or the noun itself.

    Return None where it is not certain.
    """
    noun, unit = asked.noun, asked.unit or problem.unit.strip()
    if asked.word == "many":
        return noun
    dollars = unit in ("dollars", "dollar", "$") or (not unit and _is_dollars(problem))
    if not unit and (family := _family(asked)):
        unit = _stated_unit(problem, family)
    if asked.word == "what":
        return _unit_of_what(noun, unit, dollars)
    if asked.word == "much":
        return _unit_of_much(asked, unit, dollars)
    if asked.word == "old":
        return "years"
    return unit if unit in PLURAL_UNITS else None


def _unit_of_what(noun: str, unit: str, dollars: bool) -> str | None:
    """Return the unit of "What is the total cost?" and "What is the number of pens?"."""
    if unit in PLURAL_UNITS and unit not in ("dollars", "cents"):
        return unit
    if noun.split()[-1] == "age":
        return ""
    if _WHAT_COUNT.search(noun) and not _WHAT_MONEY.search(noun.split("number of")[0]):
        return ""
    return "$" if dollars and _WHAT_MONEY.search(noun) else None


def _unit_of_much(asked: Asked, unit: str, dollars: bool) -> str | None:
    """Return the unit of "How much money ...?", "How much time ...?" and "How much milk ...?"."""
    noun, measured = asked.noun, unit in PLURAL_UNITS and unit not in ("dollars", "cents")
    if noun in _MONEY_NOUNS:
        if dollars and (noun not in ("", "more") or _MONEY_VERBS.search(asked.question)):
            return "$"
        return unit if measured and noun not in ("money", "change") else None
    if noun in ("time", "more time", "total time"):
        more = "more " if noun.startswith("more") else ""
        return f"{more}{unit}" if unit in TIME_UNITS else None
    if measured and unit not in noun:
        more = "more " if noun.startswith("more ") else ""
        return f"{more}{unit} of {noun.removeprefix('more ')}"
    return None


def _family(asked: Asked) -> str:
    """Return the kind of measure that the question names, or an empty string."""
    if "time" in asked.noun.split() or (asked.word == "long" and re.search(r"\btake\b", asked.question)):
        return "time"
    if re.search(r"\bweigh\b|\bweight\b", asked.question):
        return "weight"
    if set(asked.noun.split()) & LIQUIDS:
        return "volume"
    return "length" if asked.word == "far" or re.search(r"\bdistance\b", asked.noun) else ""


def _stated_unit(problem: Problem, family: str) -> str:
    """Return the only unit of this kind in the text, or "" where there are several units or parts of one."""
    text = problem.text.lower()
    stated = [unit for unit in UNITS_BY_KIND[family] if re.search(rf"\b{unit.removesuffix('s')}s?\b", text)]
    if family == "length":
        stated = [unit for unit in stated if unit != "feet"] + (
            ["feet"] if re.search(r"\bf(?:ee|oo)t\b", text) else []
        )
    return stated[0] if len(stated) == 1 and not _PARTS.search(text) else ""


def _is_dollars(problem: Problem) -> bool:
    return bool(_DOLLARS.search(problem.text)) and not _OTHER_MONEY.search(problem.text)


def written(value: Fraction, problem: Problem) -> str:
    """Return the number, with commas where the problem uses them: 256,651."""
    text = expression.canonical(value)
    whole, point, places = text.partition(".")
    stated = (problem.text, *(cell for row in problem.table for cell in row))
    if len(whole.lstrip("-")) < 4 or not any(_COMMA.search(one) for one in stated):
        return text
    return f"{int(whole):,}{point}{places}"


def filled(asked: Asked, threshold: Threshold, unit: str, number: str = "") -> str:
    """Return the question with its gap filled. `number` is the threshold as a text.

    >>> filled(Asked("Did he buy {}?", "pens", "many"), Threshold("more than", Fraction(12)), "pens")
    'Did he buy more than 12 pens?'
    """
    more = ""
    if threshold.words == OTHER_THAN and unit not in ("", "$"):
        stated = number or expression.canonical(threshold.value)
        return asked.question.replace("{}", f"a number of {unit} {OTHER_THAN} {stated}", 1)
    amount = "an amount " if threshold.words == OTHER_THAN and asked.word == "much" else ""
    if unit == "$":
        more = " more" if asked.noun.startswith("more") else ""
        more = f" in {asked.noun}" if asked.noun in ("change", "profit") else more
    return asked.question.replace(
        "{}", f"{amount}{threshold.words} {_number(threshold.value, unit, number)}{more}", 1
    )


def _number(value: Fraction, unit: str, written_as: str) -> str:
    text = written_as or expression.canonical(value)
    if unit[:1].isdigit():  # "two 1-yard runs": only values with a short number word are written
        return f"{numerals.spell(value)} {unit}"
    if unit == "$":
        places = len(text.partition(".")[2])
        return f"${text}0" if places == 1 else f"${text}"
    if text == "1":  # "more than 1 year"
        unit = unit.removesuffix("s")
    return f"{text} {unit}".strip()


_UNITS = {"percent": "%", "": ""}
SCALES = ("thousand", "million", "billion")
_SURELY_IN_FULL = 100_000
_OWN_DOLLAR = re.compile(r"(?<![A-Za-z])\$")  # and not "NT$"
_IN_SCALE = re.compile(r"\bin (?:thousands|millions|billions)\b", re.IGNORECASE)


def in_unit(value: Fraction, problem: Problem) -> str | None:
    """Return a number in the form of answers over tables ("$5.20"), or None if its unit is unclear."""
    unit, text = _answer_unit(problem), written(value, problem)
    if unit is None:
        return None
    if problem.unit in CURRENCIES:
        return f"{problem.unit}{text}{'0' * (len(text.partition('.')[2]) == 1)}"
    dollars = value > 0 and (unit.strip() in SCALES or value >= _SURELY_IN_FULL) and _in_dollars(problem)
    return f"${text}{unit}" if dollars else f"{text}{unit}"


def _in_dollars(problem: Problem) -> bool:
    """Return whether the operands are in rows with a dollar sign, and the answer is no ratio of them."""
    equation = expression.parse(problem.equation)
    fixed = operand_links.constants(equation)
    if problem.unit == "percent" or _IN_SCALE.search(problem.question) or not _divisors(equation) <= fixed:
        return False
    links = [link for value, link in operand_links.stored(problem).items() if value not in fixed]
    rows = [problem.table[int(link.split(".")[1])] for link in links if link.startswith("table.")]
    in_cells = {_kind(problem, link) for link in links} == {AMOUNT}
    return in_cells and all(any(map(_OWN_DOLLAR.search, row)) for row in rows)


def _answer_unit(problem: Problem) -> str | None:
    """Return the unit of an answer over a table: its own, or the scale of added amounts.

    Return None if it is unclear.
    """
    if problem.unit:
        return _UNITS.get(problem.unit, f" {problem.unit}")
    scale = problem.note("table_scale")
    if scale not in SCALES or not problem.equation or _IN_SCALE.search(problem.question):
        return ""
    equation = expression.parse(problem.equation)
    stored = operand_links.stored(problem)
    operands = set(operand_links.operand_values(equation)) - operand_links.constants(equation)
    if not _divisors(equation) <= operand_links.constants(equation):
        return ""
    kinds = {_kind(problem, stored.get(value, "")) for value in operands}
    return f" {scale}" if kinds == {AMOUNT} else None


def _divisors(equation: Expr) -> set[Fraction]:
    """Return the numbers by which an equation divides."""
    if not isinstance(equation, Binary):
        return set()
    found = _divisors(equation.left) | _divisors(equation.right)
    return found | set(operand_links.operand_values(equation.right)) if equation.op == "/" else found


def _kind(problem: Problem, link: str) -> str:
    """Return the kind of the cell at a link, or an empty string for any other place."""
    field, *place = link.split(".")
    return typed(problem.table).kinds.get((int(place[0]), int(place[1])), "") if field == "table" else ""

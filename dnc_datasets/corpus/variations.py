"""Variations of the embedded corpus's templates: the same words and numbers, another story or question."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from typing import Any

from dnc_datasets import expression
from dnc_datasets.corpus.generate import Fillings, fill, read_fillings
from dnc_datasets.corpus.lexicon import lexicon
from dnc_datasets.corpus.template import Range, Template, templates
from dnc_datasets.draws import Draw
from dnc_datasets.errors import SourceError
from dnc_datasets.problem import Problem

_MAX_DRAWS = 60


@lru_cache(maxsize=1)
def _records() -> dict[tuple[str, str], dict[str, Any]]:
    text = files("dnc_datasets.corpus").joinpath("variations.json").read_text(encoding="utf-8")
    return {(record["of"], record["type"]): record for record in json.loads(text)}


def vary(problem: Problem, kind: str, draw: Draw) -> Problem | None:
    """The variation of this kind of a generated problem, with its own words and numbers; None if it has none.

    Numbers that the variation adds are drawn until all numbers and the answer differ and are positive.
    """
    record = _records().get((problem.note("template"), kind))
    if record is None:
        return None
    known = _known(problem)
    if known is None:
        return None
    base, fillings = known
    template = _varied(base, record)
    for _ in range(_MAX_DRAWS):
        numbers = dict(fillings.numbers)
        for name, rule in record.get("numbers", {}).items():
            if isinstance(rule, str):
                numbers[name] = expression.parse(rule, names=True).value(numbers)
            else:
                numbers[name] = Fraction(draw.integer(*rule))
        answer = template.equation.value(numbers)
        seen = [numbers[name] for name in template.visible]
        if len(set(seen)) == len(seen) and min(*seen, answer) > 0 and answer not in seen:
            made = fill(template, Fillings(fillings.words, numbers), int(problem.id.rpartition("-")[2]))
            return made.replace(id=problem.id)
    return None


def _known(problem: Problem) -> tuple[Template, Fillings] | None:
    """The template and the fillings that give this problem; None where it is not, or no longer, theirs."""
    template = next((one for one in templates() if one.id == problem.note("template")), None)
    row = problem.id.rpartition("-")[2]
    if template is None or not (row.isascii() and row.isdigit()):
        return None
    try:
        fillings = read_fillings(problem)
        made = fill(template, fillings, int(row))
    except (SourceError, KeyError, ValueError):
        return None
    whole = (made.body, made.question, made.equation) == (problem.body, problem.question, problem.equation)
    return (template, fillings) if whole else None


def _varied(base: Template, record: dict[str, Any]) -> Template:
    rules: dict[str, Any] = dict(base.numbers)
    for name, rule in record.get("numbers", {}).items():
        if isinstance(rule, str):
            rules[name] = expression.parse(rule, names=True)
        else:
            rules[name] = Range(Fraction(rule[0]), Fraction(rule[1]), Fraction(1))
    return replace(
        base,
        body=tuple(record["body"]),
        question=record["question"],
        equation=expression.parse(record["equation"], names=True),
        numbers=rules,
    )


def refill(problem: Problem, draw: Draw) -> Problem | None:
    """A generated problem with another word in one of the slots that name things."""
    known = _known(problem)
    if known is None:
        return None
    template, fillings = known
    linked = {wanted.partition(".")[0] for wanted in template.slots.values() if "." in wanted}
    open_slots = [
        slot
        for slot, word in fillings.words.items()
        if "many" in word.forms and slot not in linked and "." not in template.slots[slot]
    ]
    if not open_slots:
        return None
    slot = draw.choice(open_slots)
    taken = {word.text for word in fillings.words.values()}
    choices = [word for word in lexicon().words(template.slots[slot]) if word.text not in taken]
    if not choices:
        return None
    words = {**fillings.words, slot: draw.choice(choices)}
    made = fill(template, Fillings(words, fillings.numbers), int(problem.id.rpartition("-")[2]))
    return made.replace(id=problem.id)

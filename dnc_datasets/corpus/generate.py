"""Makes problems from templates: chooses words and numbers by hash-derived draws and fills them in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dnc_datasets import expression, numerals
from dnc_datasets.corpus.lexicon import Word, lexicon
from dnc_datasets.corpus.template import SLOT, Range, Template, templates
from dnc_datasets.draws import Draw
from dnc_datasets.errors import SourceError
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.problem import SPLITS, Problem

DATASET = "tiny"
# Rows of one template are nearly one piece of evidence, so each test template gives a single row.
ROWS_PER_TEMPLATE = {"train": 7, "validation": 4, "test": 1}
MONEY_UNIT = "dollars"

# The corpus is fixed data, so its seed is no option; another seed would be another corpus.
_SEED = 0
_MAX_ATTEMPTS = 2000
_MAX_SPREAD_ATTEMPTS = 20
# Many times as fast on short records as making an encoder for each.
_ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_STRETCHES = 4  # parts of a range of numbers; consecutive rows of a template draw from different parts


@dataclass(frozen=True, slots=True)
class Fillings:
    """What fills a template: a word for every slot and a value for every number."""

    words: Mapping[str, Word]
    numbers: Mapping[str, Fraction]

    def to_json(self) -> str:
        """As JSON text, words by their keys."""
        record = {
            "words": {slot: word.key for slot, word in self.words.items()},
            "numbers": {name: expression.canonical(value) for name, value in self.numbers.items()},
        }
        return _ENCODE(record)


def problems() -> dict[str, list[Problem]]:
    """Return the corpus by split; it is always the same. A row that repeats a text is left out."""
    splits: dict[str, list[Problem]] = {split: [] for split in SPLITS}
    seen: set[str] = set()
    for template in templates():
        for row in range(1, ROWS_PER_TEMPLATE[template.split] + 1):
            problem = fill(template, choose(template, row), row)
            if problem.text not in seen:
                seen.add(problem.text)
                splits[template.split].append(problem)
    return splits


def one_row_per_template() -> list[Problem]:
    """Return the first row of every template, for systems that are not trained on the corpus."""
    return [fill(template, choose(template, 1), 1) for template in templates()]


def choose(template: Template, row: int) -> Fillings:
    """The words and numbers of one row of a template."""
    words = _choose_words(template, row)
    draw = Draw(_SEED, DATASET, f"{template.id}-{row}", "generate")
    for attempt in range(_MAX_ATTEMPTS):
        # The parts of the ranges that fall to this row may not go together; then it draws from the whole.
        numbers = _draw_numbers(template, row, draw, spread=attempt < _MAX_SPREAD_ATTEMPTS)
        if _suits(template, numbers):
            return Fillings(words, numbers)
    raise _no_numbers(template)


def fresh(template: Template, seed: int, row: int) -> Problem:
    """A problem that is not in the corpus: words and numbers are drawn independently for this seed and row.

    >>> one = templates()[0]
    >>> fresh(one, 1, 1) == fresh(one, 1, 1), fresh(one, 1, 1) == fresh(one, 2, 1)
    (True, False)
    """
    draw = Draw(seed, DATASET, f"{template.id}-{row}", "fresh")
    words: dict[str, Word] = {}
    for slot, wanted in template.slots.items():
        words[slot] = draw.choice(_suitable(wanted, words))
    for _ in range(_MAX_ATTEMPTS):
        numbers = _draw_numbers(template, row, draw, spread=False)
        if _suits(template, numbers):
            return fill(template, Fillings(words, numbers), row)
    raise _no_numbers(template)


def fill(template: Template, fillings: Fillings, row: int) -> Problem:
    """The problem that a template gives with these fillings; its id is the template's and the row."""

    def written(found: re.Match[str]) -> str:
        slot, form = found[1], found[2] or ""
        if slot in template.numbers:
            return _number_text(fillings.numbers[slot], form)
        return fillings.words[slot].form(form)

    *sentences, question = (SLOT.sub(written, text) for text in template.texts)
    body = " ".join(map(_capitalised, sentences))
    equation = template.equation.replace(lambda leaf: _operand(leaf, fillings.numbers))
    return Problem(
        id=f"{template.id}-{row}",
        body=body,
        question=question if body.endswith(",") else _capitalised(question),
        equation=equation.infix(),
        answer=expression.canonical(equation.value()),
        unit=SLOT.sub(written, template.unit),
        meta=(
            ("category", template.category),
            ("fillings", fillings.to_json()),
            ("kind", template.kind),
            ("steps", str(template.steps)),
            ("template", template.id),
        ),
    )


def read_fillings(problem: Problem) -> Fillings:
    """What a generated problem was filled with, read from its notes."""
    try:
        record = json.loads(problem.note("fillings"))
        words = {slot: lexicon().word(key) for slot, key in record["words"].items()}
        return Fillings(words, {name: Fraction(text) for name, text in record["numbers"].items()})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError(
            f"problem {problem.id!r} has no readable fillings; only rows of {DATASET!r} have them"
        ) from error


def _choose_words(template: Template, row: int) -> dict[str, Word]:
    chosen: dict[str, Word] = {}
    for slot, wanted in template.slots.items():
        order = _word_order(template.id, slot, _word_classes(wanted, chosen))
        taken = {word.text for word in chosen.values()}
        turn = (order[(row - 1 + skip) % len(order)] for skip in range(len(order)))
        chosen[slot] = next(word for word in turn if word.text not in taken)
    return chosen


def _word_classes(wanted: str, chosen: Mapping[str, Word]) -> str:
    """The classes of a slot; a linked slot such as "a.place" takes those that suit the word of slot "a"."""
    base, dot, link = wanted.partition(".")
    classes = lexicon().linked(chosen[base].word_class, link) if dot else wanted
    assert classes is not None  # checked when the template was read
    return classes


def _suitable(wanted: str, chosen: Mapping[str, Word]) -> Sequence[Word]:
    """The words of a slot, without those that other slots have."""
    classes = _word_classes(wanted, chosen)
    words, taken = lexicon().words(classes), {word.text for word in chosen.values()}
    if taken.isdisjoint(lexicon().texts(classes)):
        return words
    return [word for word in words if word.text not in taken]


def _no_numbers(template: Template) -> SourceError:
    return SourceError(f"template {template.id} of the embedded corpus: no numbers meet its constraints")


@lru_cache(maxsize=1024)
def _word_order(template_id: str, slot: str, classes: str) -> list[Word]:
    """The words of a slot in the order in which the rows take them, so that no row repeats another's."""
    return Draw(_SEED, DATASET, template_id, f"words of {slot}").shuffled(lexicon().words(classes))


def _draw_numbers(template: Template, row: int, draw: Draw, spread: bool) -> dict[str, Fraction]:
    numbers: dict[str, Fraction] = {}
    for name, rule in template.numbers.items():
        if isinstance(rule, Range):
            at = draw.integer(0, rule.size - 1)
            if spread:
                at = (_stretch(template.id, name, row) * rule.size + at) // _STRETCHES
            numbers[name] = rule.low + rule.step * at
        else:
            numbers[name] = rule.value(numbers)
    return numbers


def _stretch(template_id: str, name: str, row: int) -> int:
    """Which part of a number's range a row draws from: each row of a template another, in random order."""
    return _stretches(template_id, name)[(row - 1) % _STRETCHES]


@lru_cache(maxsize=1024)
def _stretches(template_id: str, name: str) -> list[int]:
    return Draw(_SEED, DATASET, template_id, f"range of {name}").shuffled(range(_STRETCHES))


def _suits(template: Template, numbers: Mapping[str, Fraction]) -> bool:
    """Whether text and answer have different positive numbers, whole or, for money, in cents."""
    answer = template.equation.value(numbers)
    seen = [numbers[name] for name in template.visible] + [answer]
    smallest = 100 if template.unit == MONEY_UNIT else 1
    return (
        len(set(seen)) == len(seen)
        and min(seen) > 0
        and all((value * smallest).denominator == 1 for value in seen)
        and all(constraint.holds(numbers) for constraint in template.constraints)
    )


def _number_text(value: Fraction, form: str) -> str:
    if form == "words":
        return numerals.spell(value)
    text = numerals.digits(value, like="1,000" if value.denominator == 1 else "1,000.00")
    return f"${text}" if form == "money" else text


def _operand(leaf: Number | Name, numbers: Mapping[str, Fraction]) -> Expr:
    if isinstance(leaf, Number):
        return leaf
    value = numbers[leaf.name]
    return expression.literal(numerals.digits(value, like="" if value.denominator == 1 else "0.00"))


def _capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]

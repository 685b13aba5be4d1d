"""A template of the embedded corpus: its parts, how it is read from JSON, and what makes it invalid."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any

from dnc_datasets import expression
from dnc_datasets.corpus.lexicon import ARTICLE_FORM, Lexicon, lexicon
from dnc_datasets.errors import ExpressionError, SourceError
from dnc_datasets.expression import Expr, Name
from dnc_datasets.problem import SPLITS

# Every kind has its templates in a file; its categories say what is unknown or which operations meet.
KINDS: Mapping[str, tuple[str, ...]] = {
    "addition": ("combine", "price"),
    "subtraction": ("take-away", "part-unknown"),
    "comparison": ("difference-unknown", "larger-unknown", "smaller-unknown", "times"),
    "multiplication": ("equal-groups", "array", "price"),
    "division": ("sharing", "grouping", "price"),
    "rate": ("total-unknown", "units-unknown", "unit-rate-unknown", "price"),
    "change": ("start-unknown", "change-unknown", "result-unknown"),
    "two_step": ("additive", "multiplicative", "mixed"),
    "three_step": ("additive", "multiplicative", "mixed"),
}
STEPS = {"two_step": 2, "three_step": 3}  # operations of the equation; every other kind has one

SLOT = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
# How a number may be written: {n} 1,250, {n.words} twelve, {n.money} $2.50
NUMBER_FORMS = ("", "words", "money")
RELATIONS = (" > ", " <= ", " divisible by ")

_FIELDS = ("id", "split", "category", "body", "question", "equation", "unit", "slots", "numbers")
_OPTIONAL = ("constraints",)


@dataclass(frozen=True)
class Range:
    """The numbers low, low + step, ... up to high."""

    low: Fraction
    high: Fraction
    step: Fraction

    @cached_property
    def size(self) -> int:
        """How many numbers these are."""
        return int((self.high - self.low) / self.step) + 1


@dataclass(frozen=True, slots=True)
class Constraint:
    """A relation (one of RELATIONS) that the drawn numbers must satisfy."""

    left: Expr
    relation: str
    right: Expr

    def holds(self, numbers: Mapping[str, Fraction]) -> bool:
        """Whether these numbers satisfy it."""
        left, right = self.left.value(numbers), self.right.value(numbers)
        if self.relation == " > ":
            return left > right
        if self.relation == " <= ":
            return left <= right
        return left % right == 0


@dataclass(frozen=True)
class Template:
    """One word problem with slots, e.g. "{a} had {start} {x.many}." and the equation start - change.

    `body` holds whole sentences; the last may end with a comma, the question then goes on in lower case.
    `slots` names each slot's word class, `numbers` each number's range or its expression over earlier
    numbers. Numbers that the equation does not use are irrelevant ones. Number names tell their roles:
    part, whole; start, change, end; big, small, gap, times; groups, each, total; rate, units; other.
    """

    id: str
    kind: str
    category: str
    split: str
    body: tuple[str, ...]
    question: str
    equation: Expr
    unit: str
    slots: Mapping[str, str]
    numbers: Mapping[str, Range | Expr]
    constraints: tuple[Constraint, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The sentences of the body, then the question."""
        return (*self.body, self.question)

    @cached_property
    def visible(self) -> tuple[str, ...]:
        """The names of the numbers that occur in the text, in reading order."""
        found = (name for text in self.texts for name, _ in SLOT.findall(text))
        return tuple(name for name in found if name in self.numbers)

    @cached_property
    def operands(self) -> frozenset[str]:
        """The names of the numbers that the equation uses."""
        return frozenset(leaf.name for leaf in self.equation.leaves() if isinstance(leaf, Name))

    @cached_property
    def distractors(self) -> tuple[str, ...]:
        """The names of the numbers in the text that the equation does not use."""
        return tuple(name for name in self.visible if name not in self.operands)

    @cached_property
    def steps(self) -> int:
        """How many operations the equation has."""
        return len(self.equation.operators)


@lru_cache(maxsize=1)
def templates() -> tuple[Template, ...]:
    """Every template of the embedded corpus, in the order of its files."""
    found: dict[str, Template] = {}
    folder = files("dnc_datasets.corpus") / "templates"
    for kind in KINDS:
        for record in json.loads((folder / f"{kind}.json").read_text(encoding="utf-8")):
            template = parse_template(kind, record)
            if template.id in found:
                raise _invalid(template.id, "its id is used twice; give it another")
            found[template.id] = template
    return tuple(found.values())


def parse_template(kind: str, record: Mapping[str, Any], words: Lexicon | None = None) -> Template:
    """The template of a JSON record of this kind; a SourceError names the template and its fault."""
    name = str(record.get("id", "without id"))
    if missing := [field for field in _FIELDS if field not in record]:
        raise _invalid(name, f"it lacks {', '.join(missing)}")
    if unknown := sorted(set(record) - {*_FIELDS, *_OPTIONAL}):
        raise _invalid(
            name, f"it has the unknown field {', '.join(unknown)}; known: {', '.join(_FIELDS + _OPTIONAL)}"
        )
    for field in ("id", "split", "category", "question", "equation", "unit"):
        if not isinstance(record[field], str) or not record[field]:
            raise _invalid(name, f"{field!r} must be text, not {record[field]!r}")
    if not _is_text_list(record["body"]) or not record["body"]:
        raise _invalid(name, "'body' must be a list of sentences")
    if not _is_text_list(record.get("constraints", [])):
        raise _invalid(name, "'constraints' must be a list of texts")
    for field in ("slots", "numbers"):
        if not isinstance(record[field], Mapping):
            raise _invalid(name, f"{field!r} must be an object")
    if not _is_text_list(list(record["slots"].values())):
        raise _invalid(name, "'slots' must map each slot to the name of a word class")
    template = Template(
        id=record["id"],
        kind=kind,
        category=record["category"],
        split=record["split"],
        body=tuple(record["body"]),
        question=record["question"],
        equation=_expression(name, record["equation"], record["numbers"]),
        unit=record["unit"],
        slots=dict(record["slots"]),
        numbers=_numbers(name, record["numbers"]),
        constraints=tuple(
            _constraint(name, text, record["numbers"]) for text in record.get("constraints", ())
        ),
    )
    _check(template, words or lexicon())
    return template


def _is_text_list(value: object) -> bool:
    return (
        isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(v, str) for v in value)
    )


def _expression(template: str, text: str, names: Mapping[str, Any]) -> Expr:
    try:
        expr = expression.parse(text, names=True)
    except ExpressionError as error:
        raise _invalid(template, str(error)) from error
    for leaf in expr.leaves():
        if isinstance(leaf, Name) and leaf.name not in names:
            raise _invalid(template, f"{text!r} uses {leaf.name!r}, which 'numbers' does not define above it")
    return expr


def _numbers(template: str, rules: Mapping[str, Any]) -> dict[str, Range | Expr]:
    found: dict[str, Range | Expr] = {}
    for name, rule in rules.items():
        if isinstance(rule, str):
            found[name] = _expression(template, rule, found)
            continue
        if not isinstance(rule, Sequence) or len(rule) not in (2, 3):
            raise _invalid(
                template, f"number {name!r} must be [low, high], [low, high, step] or an expression"
            )
        try:
            if any(isinstance(bound, float) for bound in rule):
                raise ValueError("a decimal must be written as text")
            low, high, step = map(Fraction, (*rule, 1)[:3])
        except (TypeError, ValueError) as error:
            raise _invalid(template, f"number {name!r} has the bounds {rule!r}: {error}") from error
        if low > high or step <= 0 or (high - low) % step:
            raise _invalid(template, f"number {name!r}: {rule!r} does not step from low to high")
        found[name] = Range(low, high, step)
    return found


def _constraint(template: str, text: str, names: Mapping[str, Any]) -> Constraint:
    for relation in RELATIONS:
        left, found, right = text.partition(relation)
        if found:
            return Constraint(
                _expression(template, left, names), relation, _expression(template, right, names)
            )
    raise _invalid(
        template, f"constraint {text!r} has none of the relations {', '.join(r.strip() for r in RELATIONS)}"
    )


def _check(template: Template, words: Lexicon) -> None:
    name = template.id
    if template.category not in KINDS[template.kind]:
        raise _invalid(
            name,
            f"{template.kind} has no category {template.category!r}; use {', '.join(KINDS[template.kind])}",
        )
    if template.split not in SPLITS:
        raise _invalid(name, f"there is no split {template.split!r}; use {', '.join(SPLITS)}")
    if template.steps != STEPS.get(template.kind, 1):
        raise _invalid(
            name, f"its equation has {template.steps} operations, but it is of kind {template.kind}"
        )
    *first, last = template.body
    if not all(text.endswith(".") for text in first) or not last.endswith((".", ",")):
        raise _invalid(name, "a body sentence must end with a full stop, the last perhaps with a comma")
    if not template.question.endswith("?"):
        raise _invalid(name, "the question must end with a question mark")
    if len(set(template.visible)) != len(template.visible):
        raise _invalid(name, "a number occurs more than once in the text; each may occur once")
    if hidden := sorted(template.operands - set(template.visible)):
        raise _invalid(name, f"its equation uses {', '.join(hidden)}, which the text does not show")
    for text in (*template.texts, template.unit):
        if "{" in (rest := SLOT.sub("", text)) or "}" in rest:
            raise _invalid(name, f"a brace is left open in {text!r}")
        for slot, form in SLOT.findall(text):
            _check_slot(template, slot, form, words)
    used = {slot for text in template.texts for slot, _ in SLOT.findall(text)}
    if idle := sorted(set(template.slots) - used):
        raise _invalid(name, f"it does not use its slot {', '.join(idle)}")


def _check_slot(template: Template, slot: str, form: str, words: Lexicon) -> None:
    if slot in template.numbers:
        if form not in NUMBER_FORMS:
            raise _invalid(template.id, f"a number has no form {form!r}; use {', '.join(NUMBER_FORMS[1:])}")
        return
    if slot not in template.slots:
        raise _invalid(template.id, f"{{{slot}}} is neither in 'slots' nor in 'numbers'")
    for word_class in slot_classes(template, slot, words):
        if form not in ("", ARTICLE_FORM) and form not in words.words(word_class)[0].forms:
            raise _invalid(template.id, f"words of class {word_class!r} have no form {form!r}")


def slot_classes(template: Template, slot: str, words: Lexicon) -> tuple[str, ...]:
    """The word classes that may fill a slot; "x.box" is whatever goes with the class of slot x as its box."""
    wanted = template.slots[slot]
    base, dot, link = wanted.partition(".")
    if not dot:
        if lost := [part for part in wanted.split("|") if part not in words.classes]:
            raise _invalid(template.id, f"the lexicon has no class {', '.join(lost)}")
        return tuple(wanted.split("|"))
    order = list(template.slots)
    if base not in order[: order.index(slot)] or "." in template.slots[base]:
        raise _invalid(template.id, f"slot {slot!r} follows {base!r}, which is no slot with a class above it")
    linked = tuple(words.linked(part, link) for part in slot_classes(template, base, words))
    if None in linked:
        raise _invalid(template.id, f"not every class of slot {base!r} has the link {link!r}")
    return tuple(part for part in linked if part is not None)


def _invalid(template: str, why: str) -> SourceError:
    return SourceError(f"template {template} of the embedded corpus is not valid: {why}")

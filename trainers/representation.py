"""Representation of numbers in input and output: slots or digits in the text, symbols in the target.

*replacement* replaces every number by a slot ("number0 pens cost number1") and decodes the equation in prefix
order over slots and constants. The numbers are inserted after decoding. *tokenization* keeps the numbers in
the text, digit by digit, and decodes digits. The target is the equation, the answer, or both.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.memoization import memoized
from dnc_datasets.problem import Problem
from dnc_trainers import choice
from dnc_trainers.config import Config

OPERATORS = ("+", "-", "*", "/", "^", "%")
# More quantities than any word problem of the datasets has; further ones cannot be selected.
SLOTS = 16
_DIGIT_CHARACTERS = "0123456789."
CLOSE = "end"  # ends a number in digits
PAD, UNKNOWN = "<pad>", "<unk>"
_TOKEN = re.compile(r"[^\W\d_]+(?:'[a-z]+)?|\S")
SLOT_NAME = "number{}"
_DIGIT_NAME = "digit{}"
DIGITS = tuple(_DIGIT_NAME.format(character) for character in _DIGIT_CHARACTERS)


@dataclass(frozen=True)
class Text:
    """A problem as tokens, with the positions and values of its numbers."""

    tokens: tuple[str, ...]
    positions: tuple[int, ...]
    values: tuple[Fraction, ...]


def read_text(problem: Problem, numbers: str) -> Text:
    """Return the lower-case tokens of a problem, with its numbers as `number{i}` or as digits.

    In a conversation, the passage and the earlier turns precede the question.

    >>> read_text(Problem("1", "Ann has twelve pens.", "How many?"), "replacement").tokens[:3]
    ('ann', 'has', 'number0')
    """
    before = (*problem.segments, *(part for turn in problem.history for part in turn))
    text = " ".join((*before, problem.text))
    tokens: list[str] = []
    positions: list[int] = []
    values: list[Fraction] = []
    at = 0
    for quantity in numerals.find(text):
        if not may_be_operand(quantity):
            continue
        tokens += _TOKEN.findall(text[at : quantity.start].lower())
        positions.append(len(tokens))
        values.append(quantity.value)
        if numbers == "replacement":
            tokens.append(SLOT_NAME.format(len(values) - 1))
        elif quantity.in_digits:
            tokens += quantity.text
        else:
            tokens += _TOKEN.findall(quantity.text.lower())
        at = quantity.end
    tokens += _TOKEN.findall(text[at:].lower())
    return Text(tuple(tokens), tuple(positions), tuple(values))


def may_be_operand(quantity: numerals.Quantity) -> bool:
    """Return whether a quantity may be an operand. "The third box" and "one of them" are read as words."""
    return quantity.kind != "ordinal" and quantity.text.lower() != "one"


def slotted_prefix(equation: str, values: Sequence[Fraction]) -> list[str]:
    """Return the equation in prefix order: operands of the text as `number{i}`, others as constants.

    Repeated values are assigned from left to right: in "5 + 5", each operand has its own number.

    >>> slotted_prefix("5 * 2 + 5", [Fraction(5), Fraction(5)])
    ['+', '*', 'number0', '2', 'number1']
    """
    symbols = []
    used: set[int] = set()
    for token in expression.parse(equation).prefix().split():
        if token in OPERATORS:
            symbols.append(token)
            continue
        value = expression.parse(token).value()
        places = [i for i, shown in enumerate(values[:SLOTS]) if shown == value]
        if not places:
            symbols.append(expression.canonical(value))
            continue
        place = next((i for i in places if i not in used), places[0])
        used.add(place)
        symbols.append(SLOT_NAME.format(place))
    return symbols


def _slot_values(values: Sequence[Fraction]) -> dict[str, Fraction]:
    """Return the numbers of a problem by the names of their slots."""
    return {SLOT_NAME.format(i): value for i, value in enumerate(values)}


def _digit_symbols(value: Fraction) -> list[str] | None:
    """Return the digits of a value and the closing symbol; None without a finite, unsigned decimal form."""
    text = expression.canonical(value)
    if not set(text) <= set(_DIGIT_CHARACTERS):
        return None
    return [*(_DIGIT_NAME.format(character) for character in text), CLOSE]


@dataclass(frozen=True)
class Vocabulary:
    """The input words and the output symbols of a model.

    The symbols are operators, constants and slots, then, if digits are written, the digits and the closing
    symbol. `seen` holds statistics of the training problems (`choice.py`).
    """

    words: tuple[str, ...]
    constants: tuple[str, ...]
    digits: bool = False
    seen: choice.Seen = field(default_factory=choice.Seen)

    @property
    def symbols(self) -> tuple[str, ...]:
        """Return every output symbol; its index is its id."""
        slots = tuple(SLOT_NAME.format(i) for i in range(SLOTS))
        return (*OPERATORS, *self.constants, *slots, *((*DIGITS, CLOSE) if self.digits else ()))

    @property
    def first_slot(self) -> int:
        """Return the id of `number0`."""
        return len(OPERATORS) + len(self.constants)

    def to_json(self) -> dict[str, Any]:
        """Return the vocabulary as JSON values."""
        return {
            "words": list(self.words),
            "constants": list(self.constants),
            "digits": self.digits,
            "seen": self.seen.to_json(),
        }

    @staticmethod
    def from_json(record: Mapping[str, Any]) -> Vocabulary:
        """Return the vocabulary from the values of `to_json`."""
        for name in ("words", "constants"):
            if not isinstance(record[name], list) or not all(isinstance(one, str) for one in record[name]):
                raise ValueError(f"{name} is no list of texts")
            if len(set(record[name])) < len(record[name]):
                raise ValueError(f"{name} holds a text twice")
        return Vocabulary(
            tuple(record["words"]),
            tuple(record["constants"]),
            bool(record["digits"]),
            choice.Seen.from_json(record["seen"]),
        )


@dataclass(frozen=True)
class Example:
    """A problem as ids; `target` is None if it is not representable (never trained on, scored wrong)."""

    problem: Problem
    words: tuple[int, ...]
    text: Text
    target: tuple[int, ...] | None


class Representation:
    """Converts problems to examples and decoded symbols to expressions, for a config and vocabulary."""

    def __init__(self, config: Config, vocabulary: Vocabulary) -> None:
        self.numbers = config.numbers
        self.target = config.target
        self.max_length = config.decoded_length
        # In digits, the text's numbers cannot be distinguished from other numbers.
        over_slots = config.numbers == "replacement" and config.target == "equation"
        self._any_answer = config.choice == "likeliest" or not over_slots
        self.vocabulary = vocabulary
        self.symbols = vocabulary.symbols
        self._word_ids = {word: i for i, word in enumerate(vocabulary.words)}
        self._symbol_ids = {symbol: i for i, symbol in enumerate(self.symbols)}

    @staticmethod
    def of(config: Config, problems: Sequence[Problem]) -> Representation:
        """Return the representation with the vocabulary of these training problems."""
        words: Counter[str] = Counter()
        constants: Counter[str] = Counter()
        calculations: list[choice.Calculation] = []
        for problem in problems:
            text = read_text(problem, config.numbers)
            words.update(map(stem, text.tokens))
            if config.numbers == "replacement" and config.target != "answer" and problem.equation:
                symbols = slotted_prefix(problem.equation, text.values)
                constants.update(s for s in symbols if s not in OPERATORS and not s.startswith("number"))
                if problem.exact_value() is not None:
                    tree = expression.parse_prefix(" ".join(symbols))
                    calculations.append(choice.Calculation(tree, _slot_values(text.values)))
        slots = [SLOT_NAME.format(i) for i in range(SLOTS)] if config.numbers == "replacement" else []
        known = [w for w, n in sorted(words.items()) if n >= config.least_word_count and w not in slots]
        frequent = [
            c
            for c, n in sorted(constants.items(), key=lambda item: (-item[1], item[0]))
            if n >= config.least_constant_count and set(c) <= set(_DIGIT_CHARACTERS)
        ]
        digits = config.numbers == "tokenization" or config.target != "equation"
        vocabulary = Vocabulary(
            (PAD, UNKNOWN, *slots, *known), tuple(frequent), digits, choice.count(calculations)
        )
        return Representation(config, vocabulary)

    def example(self, problem: Problem) -> Example:
        """Return one problem as ids."""
        text = read_text(problem, self.numbers)
        unknown = self._word_ids[UNKNOWN]
        words = tuple(self._word_ids.get(stem(token), unknown) for token in text.tokens)
        return Example(problem, words, text, self._target(problem, text))

    def examples(self, problems: Iterable[Problem]) -> list[Example]:
        """Return every problem as ids, in order."""
        return [self.example(problem) for problem in problems]

    def _target(self, problem: Problem, text: Text) -> tuple[int, ...] | None:
        ids: list[int] = []
        if self.target != "answer":
            if not problem.equation:
                return None
            if self.numbers == "replacement":
                for symbol in slotted_prefix(problem.equation, text.values):
                    if symbol not in self._symbol_ids:
                        return None
                    ids.append(self._symbol_ids[symbol])
            else:
                for token in expression.parse(problem.equation).prefix().split():
                    if token in OPERATORS:
                        ids.append(self._symbol_ids[token])
                    elif (digits := _digit_symbols(expression.parse(token).value())) is not None:
                        ids += [self._symbol_ids[digit] for digit in digits]
                    else:
                        return None
        if self.target != "equation":
            answer = numerals.parse(problem.answer)
            spelled = _digit_symbols(answer) if answer is not None else None
            if spelled is None:
                return None
            ids += [self._symbol_ids[digit] for digit in spelled]
        return tuple(ids) if len(ids) <= self.max_length else None

    def choose(
        self, hypotheses: Sequence[tuple[Sequence[int], float]], values: Sequence[Fraction]
    ) -> Prediction:
        """Return the prediction among beam hypotheses with their log-likelihoods, likeliest first.

        The choice maximises the log-likelihood plus the weight of the numbers. With `choice` "likeliest", and
        if no hypothesis has a value, it is the first hypothesis.
        """
        likeliest = self.read_symbols(hypotheses[0][0], values)
        chosen, best = likeliest, -math.inf
        for ids, score in () if self._any_answer or len(hypotheses) == 1 else hypotheses:
            prediction = self.read_symbols(ids, values)
            weighed = score + self._weight(ids, values, prediction)
            if weighed > best:
                chosen, best = prediction, weighed
        return replace(chosen, likeliest=likeliest.value)

    def _weight(self, ids: Sequence[int], values: Sequence[Fraction], prediction: Prediction) -> float:
        if prediction.value is None:
            return -math.inf
        tree = expression.parse_prefix(" ".join(self.symbols[i] for i in ids))
        return choice.weight(self.vocabulary.seen, choice.Calculation(tree, _slot_values(values)))

    def read_symbols(self, ids: Sequence[int], values: Sequence[Fraction]) -> Prediction:
        """Return the prediction of decoded symbols, with slots replaced by the problem's numbers."""
        tokens: list[str] = []
        number = ""
        for symbol in (self.symbols[i] for i in ids):
            if symbol == CLOSE:
                tokens.append(number)
                number = ""
            elif symbol in DIGITS:
                number += symbol[-1]
            else:
                tokens.append(symbol)
        answer = tokens.pop() if self.target != "equation" and tokens else None
        if self.target == "answer":
            return Prediction("", _value(answer, {}))
        names = _slot_values(values)
        try:
            tree = expression.parse_prefix(" ".join(tokens))
            equation = tree.replace(
                lambda leaf: (
                    expression.number(names[leaf.name]) if isinstance(leaf, expression.Name) else leaf
                )
            ).infix()
        except (ExpressionError, KeyError):
            return Prediction("", None)
        if answer is not None:
            return Prediction(equation, _value(answer, {}))
        return Prediction(equation, _value(" ".join(tokens), names))


def _value(prefix: str | None, names: Mapping[str, Fraction]) -> Fraction | None:
    try:
        return expression.parse_prefix(prefix).value(names) if prefix else None
    except ExpressionError:
        return None


@dataclass(frozen=True)
class Prediction:
    """A decoded expression in infix over the problem's numbers, and its value or None.

    `likeliest` is the value of the first beam hypothesis, which may differ from the chosen one.
    """

    equation: str
    value: Fraction | None
    likeliest: Fraction | None = None

    @property
    def text(self) -> str:
        """Return the value as canonical text, empty if there is none."""
        return "" if self.value is None else expression.canonical(self.value)


# Suffixes and their replacements; the first match applies, and at least three letters remain. "marbles" and
# "marble" so share one entry of a small vocabulary.
_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("shes", "sh"),
    ("ches", "ch"),
    ("xes", "x"),
    ("ing", ""),
    ("ed", ""),
    ("s", ""),
)
_LEAST_STEM = 3


@memoized
def stem(word: str) -> str:
    """Return a word's stem by its suffix: a key, not always a word.

    >>> [stem(word) for word in ("boxes", "shared", "shares", "stopping", "glass")]
    ['box', 'shar', 'shar', 'stop', 'glass']
    """
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM and not word.endswith("ss"):
            word = word.removesuffix(ending) + instead
            doubled = ending in ("ing", "ed") and word[-1] == word[-2] and word[-1] not in "ls"
            word = word[:-1] if doubled and len(word) > _LEAST_STEM else word
            break
    # "shared" has lost its e, so "share" must lose it too.
    return word[:-1] if word.endswith("e") and len(word) > _LEAST_STEM else word

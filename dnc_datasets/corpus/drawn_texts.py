"""Passages and tables drawn from templates: exact numbers, totals that add up, restatements that agree.

A template (`texts/passages.txt`, `texts/tables.txt`) begins with `# name split topic`. Its lines are

    P The ferry carried {a:2,100..3,900} people in May and {b:4,000..5,500} in July.
    T Route | 2019 | 2018
    a North | $12,400..18,900 | 9,100..12,300
    - of which at night | 1,204 | 987
    t Total | $sum | sum
    where b > a + 500
    Q How many more people did the ferry carry in July than in May? = b - a
    Q What was the percentage change in the north from 2018 to 2019? = (a1 - a2) / a2 : percent

P is a paragraph, T the heading of the table. A row begins with its letter, by which its cells are named (a1, a2), or
with `-`. `20..60` is a range, `20..60/5` one with a step; a number is written as the low end is (commas, places).
`{t=a+b}` shows a computed number, `{a}` one that is named elsewhere. `{who:Ann|Lena}` is a word, `{who.lower}` the same
in lower case; the first drawing takes the first word of each list. `sum` is the sum of the rows above it that have
letters. After the equation comes the scale of the answer, if it has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from typing import Any

from dnc_datasets import expression, numerals
from dnc_datasets.corpus.template import RELATIONS, Constraint
from dnc_datasets.draws import Draw
from dnc_datasets.errors import ExpressionError, SourceError
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.problem import SPLITS

# Rows of one template are nearly one piece of evidence, so a test template is drawn once.
DRAWS = {"train": 4, "validation": 2, "test": 1}
PERCENT = "percent"
MOST_DIGITS = 5  # of an answer: scorers of other tools compare no more
_SEED = 0  # the corpus is fixed data, so its seed is no option
_MAX_ATTEMPTS = 2000
_NUMBER = r"\d[\d,]{0,15}(?:\.\d{1,9})?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?:/({_NUMBER}))?")
_SLOT = re.compile(r"\{([A-Za-z]\w*)(\.lower)?(?:([:=])([^{}]+))?\}")
_COLUMN = re.compile(r"(?:\A|\s)\|(?:\s|\Z)")
_CELL = re.compile(rf"({_RANGE.pattern})|\bsum\b|=([^|]+)")


@dataclass(frozen=True)
class Amount:
    """A number of a template: a range, or an expression over the numbers above it, and how it is written."""

    like: str
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    step: Fraction = Fraction(1)
    rule: Expr | None = None

    def draw(self, draw: Draw, known: Mapping[str, Fraction]) -> Fraction:
        """Return a value of the range, or the value of the expression."""
        if self.rule is not None:
            return self.rule.value(known)
        return self.low + self.step * draw.integer(0, int((self.high - self.low) / self.step))

    def written(self, value: Fraction) -> str:
        """Return the value as the template writes it."""
        return numerals.digits(value, like=self.like)


@dataclass
class TextTemplate:
    """A passage, or a table with its paragraphs, and the questions over it."""

    name: str
    split: str
    topic: str
    paragraphs: list[str] = field(default_factory=list)
    table: list[list[str]] = field(default_factory=list)
    amounts: dict[str, Amount] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)
    places: dict[str, tuple[int, ...]] = field(default_factory=dict)
    constraints: list[Constraint] = field(default_factory=list)
    questions: list[tuple[str, Expr, str]] = field(default_factory=list)

    @property
    def draws(self) -> int:
        """Number of texts that are drawn; a template without ranges gives one."""
        return DRAWS[self.split] if self.amounts else 1


@dataclass(frozen=True)
class Question:
    """A question over a drawn text, with the equation in digits and the places of its operands."""

    text: str
    equation: Expr
    answer: Fraction
    scale: str
    cells: tuple[tuple[int, int], ...]
    paragraphs: tuple[int, ...]


@dataclass(frozen=True)
class DrawnText:
    """One drawing of a template."""

    id: str
    template: TextTemplate
    paragraphs: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    questions: tuple[Question, ...]


def texts(kind: str) -> Iterator[DrawnText]:
    """Draw every text of a kind, `passages` or `tables`, in the order of its file."""
    for template in templates(kind):
        for number in range(1, template.draws + 1):
            yield draw_text(template, number)


@lru_cache(maxsize=2)
def templates(kind: str) -> tuple[TextTemplate, ...]:
    """Return the templates of a kind, in the order of the file."""
    folder = files("dnc_datasets.corpus") / "texts"
    return parse((folder / f"{kind}.txt").read_text(encoding="utf-8"))


def parse(text: str) -> tuple[TextTemplate, ...]:
    """Read templates; a SourceError names the template and the line at fault."""
    made: dict[str, TextTemplate] = {}
    template: TextTemplate | None = None
    for line in filter(str.strip, text.splitlines()):
        if line.startswith("# "):
            name, split, topic = [*line[2:].split(maxsplit=2), "", ""][:3]
            if name in made or split not in SPLITS or not topic:
                raise SourceError(f"text template {line!r}: expected '# name split topic' with a new name")
            template = made[name] = TextTemplate(name, split, topic)
            continue
        if template is None:
            raise SourceError(f"text templates begin with '# name split topic', not with {line!r}")
        try:
            _add_line(template, line)
        except (ExpressionError, KeyError, ValueError) as error:
            raise SourceError(f"text template {template.name}: {line!r} is not valid: {error}") from error
    return tuple(made.values())


def _add_line(template: TextTemplate, line: str) -> None:
    kind, _, rest = line.partition(" ")
    if kind == "P":
        template.paragraphs.append(rest)
        _declare(template, rest, len(template.paragraphs))
    elif kind == "T":
        template.table.append(_cells(rest))
        _declare(template, rest)
    elif kind == "where":
        left, relation, right = next(parts for sign in RELATIONS if (parts := rest.partition(sign))[1])
        template.constraints.append(Constraint(_expr(template, left), relation, _expr(template, right)))
    elif kind == "Q":
        question, mark, formula = rest.partition("? = ")
        if not mark:
            raise ValueError("expected 'Q question? = equation'")
        equation, _, scale = formula.partition(" : ")
        template.questions.append((f"{question}?", _expr(template, equation), scale))
    elif len(kind) == 1 and (kind.islower() or kind == "-"):
        _add_row(template, kind, _cells(rest))
    else:
        raise ValueError("a line begins with P, T, Q, where, a row's letter or '-'")


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in _COLUMN.split(text)]


def _add_row(template: TextTemplate, letter: str, cells: list[str]) -> None:
    if not template.table or len(cells) != len(template.table[0]):
        raise ValueError("a row must have as many cells as the heading above it")
    row = len(template.table)
    template.table.append(cells)
    _declare(template, cells[0])
    if letter == "-":
        return
    for column, cell in enumerate(cells[1:], 1):
        name = f"{letter}{column}"
        if name in template.amounts:
            raise ValueError(f"{name} is used twice")
        if not (match := _CELL.search(cell)):
            continue
        above = [one for one in template.amounts if one[1:] == str(column) and one in template.places]
        rule = match[0].removeprefix("=") if match[0] != "sum" else " + ".join(above)
        template.amounts[name] = _amount(template, rule)
        template.places[name] = (row, column)
        cells[column] = f"{cell[: match.start()]}{{{name}}}{cell[match.end() :]}"


def _declare(template: TextTemplate, text: str, paragraph: int = 0) -> None:
    for name, _, sign, rule in _SLOT.findall(text):
        if not sign:
            continue
        if name in template.amounts or name in template.words:
            raise ValueError(f"{name} is used twice")
        if sign == ":" and not _RANGE.fullmatch(rule):
            template.words[name] = rule.split("|")
        else:
            template.amounts[name] = _amount(template, rule)
            template.places[name] = (paragraph,)


def _amount(template: TextTemplate, rule: str) -> Amount:
    if match := _RANGE.fullmatch(rule):
        low, high = (Fraction(match[at].replace(",", "")) for at in (1, 2))
        places = len(match[1].partition(".")[2])
        step = Fraction(match[3].replace(",", "")) if match[3] else Fraction(1, 10**places)
        if low >= high or (high - low) % step:
            raise ValueError(f"{rule} does not step from low to high")
        # Only a low end such as 1890 says that there are no commas.
        return Amount(_like("," in match[1] or low < 1000, places), low, high, step)
    expr = _expr(template, rule)
    used = [template.amounts[leaf.name].like for leaf in expr.leaves() if isinstance(leaf, Name)]
    # A sum may pass a thousand where its parts do not, so that it always has commas.
    return Amount(_like(True, max(len(like.partition(".")[2]) for like in used)), rule=expr)


def _like(commas: bool, places: int) -> str:
    return ("1,000" if commas else "1000") + ("." + "0" * places if places else "")


def _expr(template: TextTemplate, text: str) -> Expr:
    expr = expression.parse(text.strip(), names=True)
    for leaf in expr.leaves():
        if isinstance(leaf, Name) and leaf.name not in template.amounts:
            raise ValueError(f"{leaf.name!r} is not a number above")
    return expr


def draw_text(template: TextTemplate, number: int) -> DrawnText:
    """Draw one text of a template: its words, its numbers, and the answers of its questions."""
    identity = f"{template.name}-{number}" if template.draws > 1 else template.name
    draw = Draw(_SEED, "tiny_texts", identity, "generate")
    words = {name: some[(number - 1) % len(some)] for name, some in template.words.items()}
    for _ in range(_MAX_ATTEMPTS):
        values: dict[str, Fraction] = {}
        for name, amount in template.amounts.items():
            values[name] = amount.draw(draw, values)
        answers = [_answer(equation, scale, values) for _, equation, scale in template.questions]
        if _suits(template, values, answers):
            break
    else:
        raise SourceError(f"text template {template.name}: no numbers meet its constraints")

    def filled(slot: re.Match[str]) -> str:
        if word := words.get(slot[1]):
            return word.lower() if slot[2] else word
        return template.amounts[slot[1]].written(values[slot[1]])

    def written(text: str) -> str:
        return _SLOT.sub(filled, text)

    return DrawnText(
        identity,
        template,
        tuple(map(written, template.paragraphs)),
        tuple(tuple(map(written, row)) for row in template.table),
        tuple(
            _question(template, written(text), equation, answer, scale, values)
            for (text, equation, scale), answer in zip(template.questions, answers, strict=True)
        ),
    )


def _answer(equation: Expr, scale: str, values: Mapping[str, Fraction]) -> Fraction:
    exact = equation.value(values) * (100 if scale == PERCENT else 1)
    return expression.round_value(exact, "places:2")


def _suits(template: TextTemplate, values: Mapping[str, Fraction], answers: list[Fraction]) -> bool:
    """Whether numbers and constants differ, answers are new and short, and the constraints hold."""
    seen = set(values.values())
    constants = {
        leaf.number for _, expr, _ in template.questions for leaf in expr.leaves() if isinstance(leaf, Number)
    }
    return (
        len(seen) == len(values)
        and not seen & {*constants, Fraction(100)}
        and (not values or not any(answer == 0 or abs(answer) in seen for answer in answers))
        and (not values or all(map(_is_short, answers)))
        and all(constraint.holds(values) for constraint in template.constraints)
    )


def _is_short(answer: Fraction) -> bool:
    return sum(map(str.isdigit, expression.canonical(answer))) <= MOST_DIGITS


def _question(
    template: TextTemplate,
    text: str,
    equation: Expr,
    answer: Fraction,
    scale: str,
    values: Mapping[str, Fraction],
) -> Question:
    def operand(leaf: Number | Name) -> Expr:
        return expression.number(values[leaf.name]) if isinstance(leaf, Name) else leaf

    places = [template.places[leaf.name] for leaf in equation.leaves() if isinstance(leaf, Name)]
    cells = tuple((place[0], place[1]) for place in places if len(place) > 1)
    paragraphs = tuple(place[0] for place in places if len(place) == 1)
    return Question(text, equation.replace(operand), answer, scale, cells, paragraphs)


def context(text: DrawnText) -> dict[str, Any]:
    """Return a drawn table as TAT-QA writes its contexts."""
    return {
        "table": {"uid": text.id, "table": text.table},
        "paragraphs": [
            {"uid": f"{text.id}-p{order}", "order": order, "text": paragraph}
            for order, paragraph in enumerate(text.paragraphs, 1)
        ],
        "questions": [
            {
                "uid": f"{text.id}-{order}",
                "order": order,
                "question": question.text,
                "answer": expression.canonical(question.answer),
                "derivation": question.equation.infix(),
                "answer_type": "arithmetic",
                "scale": question.scale,
                "mapping": {
                    "table": list(question.cells),
                    "paragraph": {str(place): [] for place in question.paragraphs},
                },
            }
            for order, question in enumerate(text.questions, 1)
        ],
    }

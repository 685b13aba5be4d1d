"""Prune step: the question asks for an intermediate step instead of the last one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from fractions import Fraction
from typing import Final

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets import steps as solution
from dnc_datasets.certificate.passages import operands_behind_answer
from dnc_datasets.certificate.reasoning import equation_is_a_step, only_question_changed
from dnc_datasets.certificate.table_figures import asked_figure_is_named
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import (
    FINANCIAL_MEASURES,
    MONTH,
    SUMMED_VERBS,
    TIME_UNIT,
    VALUED_THINGS,
    any_of,
    is_past,
    is_plural,
    plain,
)
from dnc_datasets.english.reading.number_pairs import listed_pairs
from dnc_datasets.english.reading.quantities import counted
from dnc_datasets.english.reading.sentences import is_too_long, sentences
from dnc_datasets.english.rewording.conditions import bears_on, open_condition, stated
from dnc_datasets.english.rewording.passage_differences import difference
from dnc_datasets.english.rewording.step_questions import step_question
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number, Unary
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.logic import ask_otherwise
from dnc_datasets.perturbations.reasoning import share_rows, yearly_views
from dnc_datasets.perturbations.reasoning.naming import singles_out
from dnc_datasets.perturbations.reasoning.rows import are_stated_together, calculated, decomposition
from dnc_datasets.perturbations.reasoning.self_contained_steps import is_self_contained
from dnc_datasets.perturbations.reasoning.table_gates import is_fit
from dnc_datasets.perturbations.table_logic import has_scale
from dnc_datasets.perturbations.tables.periods import year_at
from dnc_datasets.perturbations.tables.yearly import GROWTH
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import transform
from dnc_datasets.qdmr.steps import Operator
from dnc_datasets.tables.typed import AMOUNT, COUNT, typed

# In meta: human questions for the steps of the solution, a JSON list of objects (`question`, `value`).
STEP_QUESTIONS = "step_questions"
_TWO_AMOUNTS = re.compile(
    r"(?!(?:He|She|They|It|We|There|If|Then)\b)(?P<who>(?:A|The) [a-z]+|(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]+) "
    r"(?P<verb>[a-z]+) \$?\d[\d.,]{0,12} [^,;]{2,60} and \$?\d[^,;]{1,60}\.\Z"
)
_GROUPED = re.compile(
    r"\b(?P<size>\d{1,5}) (?:[a-z]+ ){0,3}(?:in|into|on) (?:each|every|a) "
    r"(?P<noun>bag|box|basket|crate|pack|packet|tray|jar|row|bunch|carton|case|page|plate|tank|van|bus|bottle|bucket)\b"
)
_EACH_TIME = re.compile(rf"\b(?:each|every|per|an?) (?:{TIME_UNIT}|weekend|time|game|trip)\b")
# "If he had 4 pens" without a comma, or with a full stop: no statement can be made of it.
_HANGING = re.compile(r"(?:\A|[.!?] )(?:[Ii]f [^.!?]*[^.!?,]\Z|If [^.!?,]{2,200}[.!?](?:\s|\Z))")


@perturbation(
    "prune_step",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "equation_gives_answer", "equation_is_a_step", "asked_as_computed"),
    shapes=("word_problem",),
    languages=("en",),
    needs_equations=True,
    qualifies="a step before the last that the solution states, named so that nothing else is meant",
)
def ask_for_a_step(problem: Problem, draw: Draw) -> Problem | None:
    """How many figs do both have? -> How many figs does Amy have?"""
    if is_too_long(problem.text) or not problem.body:
        return None
    for made in (list(_named(problem)), list(_of_sums(problem)), list(_of_lists(problem))):
        new = [
            (body, question, part)
            for question, part in made
            if question.lower() != problem.question.lower()
            and (body := _body(problem.body, part)) is not None
        ]
        if new:
            body, question, part = draw.choice(new)
            return calculated(problem.replace(body=body), question, part, "")
    return _by_rule_of_logic(problem, draw)


def _by_rule_of_logic(problem: Problem, draw: Draw) -> Problem | None:
    """Return another question over the same facts that asks for a step.

    Example: "How many shelves did Gwen have in all?".
    """
    other = ask_otherwise(problem, draw)
    if other is None:
        return None
    made = calculated(
        problem.replace(body=other.body), other.question, expression.parse(other.equation), other.unit
    )
    holds = equation_is_a_step(problem, made) and only_question_changed(problem, made)
    return made if holds else None


def _named(problem: Problem) -> Iterator[tuple[str, Expr]]:
    """Yield the questions of a solution and for groups that name their step and no other amount."""
    for question, part in (*_of_solution(problem), *_of_groups(problem)):
        if is_self_contained(problem, question, part) and singles_out(problem, question, part):
            yield question, part


def _body(body: str, part: Expr) -> str | None:
    """Return the body. An open condition becomes a statement if the step does not need it."""
    if _HANGING.search(body) or (body.endswith(",") and not open_condition(body)):
        return None
    if bears_on(body, part) and _is_only_there(body, part):
        return body
    restated = stated(body, "")
    return restated[0] if restated else None


def _is_only_there(body: str, part: Expr) -> bool:
    """Return whether the step needs a number that only the open condition states."""
    condition = open_condition(body)
    needed = {leaf.number for leaf in part.leaves() if isinstance(leaf, Number)}
    before = {quantity.value for quantity in numerals.find(body.removesuffix(condition))}
    return not condition or any(one.value in needed - before for one in numerals.find(condition))


def _of_solution(problem: Problem) -> Iterator[tuple[str, Expr]]:
    """Yield a question for each step except the last, written by a person or derived from the solution."""
    steps = solution.stored(problem)
    parts = solution.composed(steps)
    values = [step.value for step in steps]
    asked = _questions(problem)
    for at, (part, value) in enumerate(zip(parts[:-1], values, strict=False)):
        if values.count(value) > 1 or value <= 0 or isinstance(part, Number):
            continue  # two steps with the same value are ambiguous
        named = [question for question, said in asked if said == value]
        if (
            len(named) == 1
            and sum(question == named[0] for question, _ in asked) == 1
            and at < len(steps) - 1
        ):
            yield named[0], part


def _questions(problem: Problem) -> list[tuple[str, Fraction | None]]:
    """Return the questions for steps, with their values.

    Human questions replace those of the solution, if there are any. Their values must also occur in the
    solution.
    """
    found = [step_question(line) for line in problem.note("solution").splitlines()]
    named = [(one.question, numerals.parse(one.value)) for one in found if one]
    if own := problem.note(STEP_QUESTIONS):
        asked = [(one["question"], numerals.parse(one["value"])) for one in json.loads(own)]
        return [(question, value) for question, value in asked if value in {value for _, value in named}]
    return named


def _of_groups(problem: Problem) -> Iterator[tuple[str, Expr]]:
    """Yield a question for the number of groups with a given number in each: "12 rolls in each bag"."""
    try:
        equation = expression.parse(problem.equation) if problem.equation else None
    except ExpressionError:
        return
    for found in _GROUPED.finditer(problem.body):
        noun, size = found["noun"], numerals.parse(found["size"])
        parts = [part for part in _quotients(equation) if part is not equation and part.right.value() == size]
        plural = f"{noun}es" if noun.endswith(("x", "s", "ch", "sh")) else f"{noun}s"
        if len(parts) == 1 and parts[0].value().denominator == 1 and plural not in problem.body:
            yield f"How many {plural} are there?", parts[0]


def _quotients(tree: Expr | None) -> Iterator[Binary]:
    if isinstance(tree, Binary):
        if tree.op == "/" and isinstance(tree.left, Number) and isinstance(tree.right, Number):
            yield tree
        yield from _quotients(tree.left)
        yield from _quotients(tree.right)


def _of_sums(problem: Problem) -> Iterator[tuple[str, Expr]]:
    """Yield a question for two amounts of one sentence that a step adds: "$3 on Friday and $2 on Sunday"."""
    try:
        equation = expression.parse(problem.equation) if problem.equation else None
    except ExpressionError:
        return
    for sentence in sentences(problem.body):
        found = _TWO_AMOUNTS.match(sentence)
        items = counted(sentence)
        if equation is None or found is None or len(items) != 2 or plain(found["verb"]) not in SUMMED_VERBS:
            continue
        if _EACH_TIME.search(sentence):
            continue  # the period is unclear
        verb = plain(found["verb"]) or ""
        money = [sentence[item.start - 1] == "$" for item in items]
        nouns = {item.noun for item in items}
        if any(plain(word) == verb for word in re.findall(r"[a-z]+", problem.text.replace(sentence, ""))):
            continue  # the question would ask for that, too
        who = re.sub(r"\AAn? ", "the ", found["who"])
        what = "How much" if all(money) else f"How many {nouns.pop()}" if len(nouns) == 1 else ""
        wanted = {expression.number(item.value) for item in items}
        parts = [part for part in _sums(equation) if part is not equation and set(part.leaves()) == wanted]
        if what and len(parts) == 1 and parts[0].value() not in problem.values():
            yield f"{what} {'did' if is_past(found['verb']) else 'does'} {who} {verb} altogether?", parts[0]


def _of_lists(problem: Problem) -> Iterator[tuple[str, Expr]]:
    """Yield a question for two kinds of things of one sentence that a step adds: "7 roses and 3 daisies"."""
    try:
        equation = expression.parse(problem.equation) if problem.equation else None
    except ExpressionError:
        return
    if equation is None:
        return
    for pair in listed_pairs(problem.body):
        wanted = {pair.larger, pair.smaller}
        parts = [part for part in _sums(equation) if part is not equation and set(part.leaves()) == wanted]
        if pair.in_all and len(parts) == 1 and parts[0].value() not in problem.values():
            yield pair.in_all, parts[0]


def _sums(tree: Expr) -> Iterator[Binary]:
    """Yield the sums of two numbers in a calculation."""
    if isinstance(tree, Binary):
        if tree.op == "+" and isinstance(tree.left, Number) and isinstance(tree.right, Number):
            yield tree
        yield from _sums(tree.left)
        yield from _sums(tree.right)


@perturbation(
    "prune_step",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "operands_behind_answer"),
    shapes=("passage",),
    languages=("en",),
)
def ask_for_one_side(problem: Problem, draw: Draw) -> Problem | None:
    """How many more whites are there than Asians? -> How many whites are there?"""
    asked = difference(problem.question)
    answer = numerals.parse(problem.answer)
    steps = decomposition(problem)
    if asked is None or not asked.first or answer is None or steps is None:
        return None
    last = steps[-1]
    if last.operator is not Operator.ARITHMETIC or "difference" not in last.text or len(last.references) != 2:
        return None
    pair = transform.operands_of(
        answer, [quantity.value for quantity in numerals.find(problem.body)], "difference"
    )
    if pair is None or not are_stated_together(problem, pair):
        return None
    value = pair[0] if asked.more else pair[1]
    kept = transform.needed(steps[: last.references[0]])
    made = calculated(problem, asked.first, expression.number(value), "", kept)
    return made if operands_behind_answer(problem, made) else None


# A label that is clear without its context: no sum, class or remainder of rows above it.
_LABEL: Final = re.compile(r"[A-Za-z][A-Za-z&,'’ -]{5,60}")
_NEEDS_MORE: Final = re.compile(
    r"\b(?:others?|basic|diluted|totals?|subtotal|current|non-current|federal|state|foreign|domestic|balance|add|less|"
    r"plus|average|change|increase|decrease|company|inc|corp(?:oration)?|llc|ltd|effect|rate|margin|turns)\b",
    re.IGNORECASE,
)
# The words before the label ask for an operation on its figures: not "the balance of", not "sales of".
_OPERATION: Final = (
    r"(?:changes?|increases?|decreases?|increase ?/ ?\(decrease\)|growth|decline|difference|variance|average|sum|total|"
    r"ratio|percentage|percent|proportion|portion|share|amounts?|values?|number)"
)
# Text after the label in the question: a period, or nothing.
_PERIOD_FOLLOWS: Final = re.compile(
    r"(?: ?\?| ?\Z|,? (?:in|from|between|for|during|over|across|as (?:of|at)|at|on|of|by)(?: the)?(?: |\Z)"
    r"(?:(?:end|period|periods|fiscal|financial|calendar|years?|ended|ending|two|three|both|all|FY|F|as|of|from|to|and|"
    rf"{MONTH}|\d{{1,2}},?) ?){{0,6}}(?:\d|\?|\Z|FY|F\d))",
    re.IGNORECASE,
)
_PART_OF_A_YEAR: Final = re.compile(
    r"\bquarters?\b|(?<!twelve )(?<!12 )\bmonths?\b|\bweeks?\b|\bhalf\b|\bq[1-4]\b|\bh[12]\b|\bperiods?\b",
    re.IGNORECASE,
)
# "the fair value of": not any value.
_VALUATION: Final = re.compile(r"\b(?:fair|carrying|book|face|nominal|market|net) \Z", re.IGNORECASE)
_NUMBER_OF: Final = re.compile(r"number of ", re.IGNORECASE)
_HEAD_ENDS: Final = re.compile(
    r",| (?:of|from|to|for|in|on|by|under|with|at|before|after|provided|used|incurred|expensed)\b",
    re.IGNORECASE,
)
_PERCENT: Final = "percent"
_SCALES: Final = frozenset(("", "thousand", "million", "billion"))


@perturbation(
    "prune_step",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=(
        "only_question_changed",
        "equation_gives_answer",
        "equation_is_a_step",
        "asked_figure_is_named",
    ),
    shapes=("table",),
    languages=("en",),
    needs_equations=True,
    qualifies="an operand in a cell that its year and its label, or the words of the question, name",
)
def ask_for_an_operand(problem: Problem, draw: Draw) -> Problem | None:
    """What was the change in net sales from 2018 to 2019? -> What was the amount of net sales in 2019?"""
    scale = problem.note("table_scale")
    if not problem.equation or problem.note("defect") or problem.history or not is_fit(problem):
        return None
    try:
        operands = operand_links.operand_values(expression.parse(problem.equation))
    except ExpressionError:
        return None
    questions: list[tuple[str, Fraction, str]] = []
    if scale in _SCALES and len(operands) > 1:
        questions = list(_operand_questions(problem, operand_links.stored(problem)))
    if not questions and scale not in _SCALES:
        questions = list(_rate_questions(problem))
    elif not questions:
        questions = list(_figure_questions(problem))
    if not questions:
        return None
    question, value, unit = draw.choice(questions)
    size = expression.number(abs(value))
    made = calculated(problem, question, Unary("-", size) if value < 0 else size, unit)
    known = {one: link for one, link in operand_links.stored(problem).items() if one == abs(value)}
    meta = tuple(
        (key, operand_links.to_note(known) if key == "operands" else text) for key, text in made.meta
    )
    made = made.replace(meta=meta)
    return made if asked_figure_is_named(problem, made) else None


def _figure_questions(problem: Problem) -> Iterator[tuple[str, Fraction, str]]:
    """Yield the figures of a change, an average or a sum by year, in the words of the question."""
    asked = yearly_views.read(problem)
    if asked is None:
        rates = list(_rate_questions(problem))
        yield from rates
        if of_rows := share_rows.read(problem):
            yield from ((question, value, of_rows.unit) for question, value in of_rows.figures())
        asked = yearly_views.read_change(problem) if not rates else None
    if asked is None:
        return
    unit = problem.unit
    if unit and asked.figure.startswith("the number "):
        return  # 19 thousand shops, or 19?
    if asked.operation == GROWTH or unit == "percent":
        unit = problem.note("table_scale")
        if unit not in _SCALES or not has_scale(problem, unit):
            return
    for year, value in asked.figures.items():
        if value:
            yield asked.asked(f"what {asked.verb} {asked.figure} {asked.at(year)}"), value, unit


def _rate_questions(problem: Problem) -> Iterator[tuple[str, Fraction, str]]:
    """Yield the percentages by year that an average or a change of rates uses."""
    asked = yearly_views.read_rates(problem)
    for year, value in asked.figures.items() if asked else ():
        if asked and value:
            yield asked.asked(f"what {asked.verb} {asked.figure} {asked.at(year)}"), value, _PERCENT


def _operand_questions(
    problem: Problem, stored: Mapping[Fraction, str]
) -> Iterator[tuple[str, Fraction, str]]:
    """Yield the operands that a label and a year identify, each with its question and its unit."""
    read = typed(problem.table)
    labels = [row[0].strip().lower() for row in problem.table if row]
    if any(_PART_OF_A_YEAR.search(cell) for row in problem.table[: max(1, read.headings)] for cell in row):
        return  # "in 2018" would ask for the year
    for value, link in stored.items():
        if not link.startswith("table."):
            continue
        row, column = (int(part) for part in link.split(".")[1:])
        label, year = problem.table[row][0].strip(), year_at(problem, link)
        kind = read.kinds.get((row, column), "")
        if year is None or kind not in (AMOUNT, COUNT) or read.values.get((row, column), -1) != value:
            continue
        years = [year_at(problem, f"table.{row}.{other}") for other in range(1, len(problem.table[row]))]
        if labels.count(label.lower()) > 1 or years.count(year) > 1:
            continue
        if not _LABEL.fullmatch(label) or _NEEDS_MORE.search(label):
            continue
        if any(_PART_OF_A_YEAR.search(cells[column]) for cells in problem.table[:row] if column < len(cells)):
            continue
        others = [
            problem.table[int(one.split(".")[1])][0] for one in stored.values() if one.startswith("table.")
        ]
        asked = _asked_figure(problem, label, kind, {other.strip().lower() for other in others})
        if asked:
            opening = "What" if problem.question[:1].isupper() else "what"
            unit = problem.note("table_scale") if kind == AMOUNT else ""
            yield f"{opening} {asked} in {year}?", value, unit


def _asked_figure(problem: Problem, label: str, kind: str, operands: Set[str]) -> str:
    """Return the figure of a label in the words of the question: "were the net sales".

    Return "" if the words name more than the label.
    """
    found = re.search(
        rf"\b(?:{_OPERATION} (?:in|of|between)|average|total)(?: the)? (?P<label>{re.escape(label)}"
        rf"(?P<noun> (?:{any_of(FINANCIAL_MEASURES | {'value', 'inventory'})}))?)\b(?P<rest>.*)",
        problem.question,
        re.IGNORECASE,
    )
    if found is None:
        return ""
    if found[0].lower().startswith("value") and _VALUATION.search(problem.question[: found.start()]):
        return ""
    beside = re.match(r",? (?:and|to|over)(?: the)? ", found["rest"])
    rest = found["rest"][beside.end() :].lower() if beside else ""
    if not (_PERIOD_FOLLOWS.match(found["rest"]) or any(rest.startswith(one) for one in operands if one)):
        return ""
    words = found["label"]
    head = (found["noun"] or _HEAD_ENDS.split(words)[0]).split()[-1].lower()
    if kind == COUNT:
        in_money = any(sign in cell for row in problem.table for cell in row for sign in "$€£¥")
        if (problem.note("table_scale") or in_money) and not _NUMBER_OF.match(words):
            return ""  # "stock options" of a table in thousands may be their cost
        return f"was the {words}" if _NUMBER_OF.match(words) else f"was the number of {words}"
    if _NUMBER_OF.match(words):
        return f"was the {words}"
    if head in VALUED_THINGS:
        return f"was the value of {words}"
    if head in FINANCIAL_MEASURES or head == "value":
        return f"{'were' if is_plural(head) else 'was'} the {words}"
    return ""

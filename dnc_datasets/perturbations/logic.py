"""Logic: a new question about the same numbers, which another operation answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from dnc_datasets import expression, numerals, steps
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import RATE_NOUNS, VAGUE_COUNTS
from dnc_datasets.english.reading.named_amounts import Amounts, named_amounts
from dnc_datasets.english.reading.number_pairs import dated_pairs, listed_pairs, priced_pairs
from dnc_datasets.english.reading.quantities import counted
from dnc_datasets.english.reading.questions import Patterns, without_total
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.english.relations import changes, places, rates, repeats, several_steps, shares
from dnc_datasets.english.relations.relation import RELATIONS, Case, read
from dnc_datasets.english.rewording.conditions import bears_on, stated
from dnc_datasets.english.rewording.logic_rules import Rule, rules_for
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number
from dnc_datasets.graph import nodes
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.variables import recalculated
from dnc_datasets.problem import Problem

_RELATIONS_OF = (
    changes,
    places,
    rates,
    repeats,
    shares,
    several_steps,
)  # imported to register their relations
_OPERATIONS = (("+",), ("-",), ("*",), ("+", "+"), ("+", "-"), ("-", "+"), ("-", "-"), ("+", "*"), ("*", "+"),
               ("+", "/"), ("/", "+"), ("+", "+", "+"),
               ("/",), ("*", "-"), ("/", "-"), ("-", "*"), ("-", "/"))  # fmt: skip
# "In total, how much ...": the opening phrase belongs to the old question.
_OPEN_END = re.compile(
    r"(?:^|[.!?] )(?:in total|in all|altogether|all together|(?:according to|in order to|being) [^.,]*),$",
    re.IGNORECASE,
)
_TWO_STEPS = 2
# Notes of a source that apply only to the original question.
_STALE = ("formula", "solution_type", "rounding")


@perturbation(
    "logic",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=(
        "question_changed",
        "other_operation",
        "equation_gives_answer",
        "answer_plausible",
        "asked_as_computed",
    ),
    shapes=("word_problem",),
    needs_equations=True,
    qualifies="a template must match the question and its equation",
    not_for={"dialogue": "later questions refer to the operation of earlier ones"},
)
def ask_otherwise(problem: Problem, draw: Draw) -> Problem | None:
    """How many pens do Amy and Ben have? -> How many more pens does Amy have than Ben?"""
    equation = _equation(problem)
    if equation is None:
        return None
    several = len(equation.operators) > _TWO_STEPS or len(steps.stored(problem)) > 1
    if several and (made := _compared_owners(problem, equation, draw)):
        return made
    if tuple(equation.operators) in _OPERATIONS and (made := _by_rule(problem, equation)):
        return made
    return _compared_pair(problem, equation, draw) if several else None


def _equation(problem: Problem) -> Expr | None:
    """Return the equation of a problem with a complete body, or None if it cannot be read."""
    if (
        not problem.equation
        or not problem.body
        or is_too_long(problem.text)
        or _OPEN_END.search(problem.body)
    ):
        return None
    try:
        return expression.parse(problem.equation)
    except ExpressionError:
        return None


def compare_two(problem: Problem, draw: Draw) -> Problem | None:
    """Return a question for the difference of two amounts in the text of a problem with several steps.

    The amounts are those of two owners, of two kinds of one list, of two prices, or of one person on two
    days.
    """
    equation = _equation(problem)
    if equation is None or len(equation.operators) < _TWO_STEPS:
        return None
    return _compared_owners(problem, equation, draw) or _compared_pair(problem, equation, draw, "-")


def _by_rule(problem: Problem, equation: Expr) -> Problem | None:
    """Return the question of the first rule that matches the question, the equation and the relation."""
    question, total = without_total(problem.question)
    case = read(problem.body, problem.question, equation, total)
    for rule, slots in _matching(question, case):
        made = _asked(problem, rule, slots)
        if made is not None:
            return made
    return None


def _compared_pair(problem: Problem, equation: Expr, draw: Draw, operators: str = "-+") -> Problem | None:
    """Return a question that compares two numbers of the text.

    They are two prices, two kinds of one list, or the numbers of two days.
    """
    body = problem.body
    known = set(problem.values())
    leaves = {leaf.number for leaf in equation.leaves() if isinstance(leaf, Number)}
    pairs = (*priced_pairs(body), *listed_pairs(body), *dated_pairs(body))
    for operator in operators:
        choices = []
        for pair in pairs:
            asked = Binary(operator, pair.larger, pair.smaller)
            question = pair.question if operator == "-" else pair.in_all
            used = {leaf.number for leaf in asked.leaves() if isinstance(leaf, Number)}
            if question and asked.value() not in known | {equation.value()} and used <= leaves:
                choices.append((question, asked, pair.unit if operator == "-" else ""))
        if choices:
            return _with_question(problem, *draw.choice(choices))
    return None


def _with_question(problem: Problem, question: str, asked: Expr, unit: str) -> Problem | None:
    """Return the problem with this question and equation. An irrelevant condition becomes a statement."""
    body = problem.body
    if not bears_on(body, asked):
        restated = stated(body, question)
        if restated is None:
            return None
        body, question = restated
    if body.endswith(","):
        question = question[0].lower() + question[1:]
    return recalculated(problem.replace(body=body, question=question), asked, unit)


def _compared_owners(problem: Problem, equation: Expr, draw: Draw) -> Problem | None:
    """Return a question that compares the amounts of two people in the text."""
    amounts = named_amounts(problem.body)
    if amounts is None:
        return None
    values = {node.value() for _, node in nodes(equation)}
    known = set(problem.values())
    whole = all(value.denominator == 1 for value in known)
    choices = []
    for one in amounts.owners:
        for two in amounts.owners:
            try:
                asked = Binary("-", one.value, two.value)
                value = asked.value()
                fits = {one.value.value(), two.value.value()} <= values
            except ExpressionError:
                continue
            if not fits or value <= 0 or value in known or (whole and value.denominator > 1):
                continue
            if value != equation.value() and asked.operators != equation.operators:
                choices.append((_comparison(amounts, one.who, two.who), asked))
    if not choices:
        return None
    question, asked = draw.choice(choices)
    return _with_question(problem, question, asked, "" if amounts.noun == "$" else amounts.noun)


def _comparison(amounts: Amounts, one: str, two: str) -> str:
    """Return the question for the difference between the amounts of two owners."""
    if amounts.noun == "years old":
        return f"How many years older is {one} than {two}?"
    helper = "did" if amounts.past else "does"
    money = "money " if amounts.plain == "have" else ""
    what = f"How much more {money}" if amounts.noun == "$" else f"How many more {amounts.noun} "
    return f"{what}{helper} {one} {amounts.plain} than {two}?"


@cache
def _table(operators: tuple[str, ...], asked: bool) -> tuple[tuple[Rule, ...], Patterns]:
    """Return the rules for these operators, and their question patterns."""
    return _compiled(rules_for(operators, asked=asked))


@cache
def _compiled(rules: tuple[Rule, ...]) -> tuple[tuple[Rule, ...], Patterns]:
    """Return the rules with their distinct question patterns, because several rules may share one."""
    return rules, Patterns([(asks, asks) for asks in dict.fromkeys(rule.asks for rule in rules)])


def _matching(question: str, case: Case) -> Iterator[tuple[Rule, dict[str, str]]]:
    """Yield the rules whose question pattern and relation both match, with the words for their slots."""
    rules, patterns = _table(tuple(case.equation.operators), bool(numerals.find(question)))
    found = patterns.match(question)
    how = "How much" if question.lower().startswith("how much") else "How many"
    for rule in rules:
        asked = found.get(rule.asks)
        if asked is None:
            continue
        slots = {"relation": rule.relation, "question": question, "how_much": how, **asked}
        related = RELATIONS[rule.relation](case, slots)
        if related is not None:
            yield rule, {**slots, **related, "eq": case.equation.infix()}


def _asked(problem: Problem, rule: Rule, slots: dict[str, str]) -> Problem | None:
    """Return the problem with the question, equation and answer of the rule, or None if it is implausible."""
    values = {key: _number(value) if key in ("a", "b", "known") else value for key, value in slots.items()}
    try:
        equation = expression.parse(rule.equation.format_map(values))
        value = equation.value()
    except (ExpressionError, KeyError):
        return None
    whole = all(q.is_integer for q in numerals.find(problem.body))
    if equation.operators == expression.parse(problem.equation).operators:
        return None
    if problem.note("rounding") and "/" in equation.operators:
        return None  # the rounding of the new answer is not known
    if value <= 0 or (whole and value.denominator != 1):
        return None
    filled = rule.says.format_map(_Blank(slots))
    question = spoken_of_again(re.sub(r"\s+", " ", filled).replace(" ?", "?").strip(), problem.body)
    if _counts_two_groups(question, problem.body):
        return None
    if problem.question[:1].islower():
        question = question[0].lower() + question[1:]
    body = problem.body
    if not bears_on(body, equation):
        restated = stated(body, question)
        if restated is None:
            return None
        body, question = restated
    return problem.replace(
        body=body,
        question=question,
        equation=equation.infix(),
        answer=expression.canonical(value),
        unit=_unit(rule, slots) or problem.unit,
        meta=tuple(pair for pair in problem.meta if pair[0] not in _STALE),
    )


_THINGS_COMPARED = re.compile(
    r"How many more (?P<one>[a-z' -]+?) than (?P<two>[a-z' -]+?) (?:are|were|is|was) (?:there|in|on|at)\b"
)


def _counts_two_groups(question: str, body: str) -> bool:
    """Return whether a compared noun is counted twice: "13 boys play and 50 boys sing".

    >>> _counts_two_groups("How many more figs than boys are there?", "6 boys ate. 9 boys drank. They had 20 figs.")
    True
    """
    compared = _THINGS_COMPARED.match(question)
    nouns = [item.noun for item in counted(body)]
    return compared is not None and any(nouns.count(thing) > 1 for thing in compared.groups())


_NEW_THING = re.compile(r"\b(?P<new>an?|some) (?P<first>[a-z-]+)(?P<second> [a-z-]+)?(?![\w-])")


def spoken_of_again(question: str, body: str) -> str:
    """Return the question with "the" for phrases that the body introduces in the same words.

    >>> spoken_of_again("How many did he sell at a fair?", "Ben sold 5 pens at a fair.")
    'How many did he sell at the fair?'
    """

    def known(match: re.Match[str]) -> str:
        thing = f"{match['first']}{match['second'] or ''}"
        shorter = re.search(rf"\b{match['new']} {match['first']}(?![\w-]| of\b)", body)
        is_repeated = shorter or (match["second"] and re.search(rf"\b{match['new']} {thing}(?![\w-])", body))
        return f"the {thing}" if is_repeated and match["first"] not in RATE_NOUNS | VAGUE_COUNTS else match[0]

    return _NEW_THING.sub(known, question)


def _unit(rule: Rule, slots: dict[str, str]) -> str:
    """Return the unit of the new answer, if it differs from that of the old one."""
    if slots.get("unit"):
        return slots["unit"]
    noun = slots.get("big", "") if rule.equation == "{a} - {b}" else ""
    noun = noun or slots.get("noun", "")
    return "" if noun == "money" else noun


class _Blank(dict[str, str]):
    """Slots of a pattern, where an unmatched slot is blank."""

    def __missing__(self, key: str) -> str:
        return ""


def _number(text: str) -> str:
    """Return a number of the text in the form of an equation."""
    value = numerals.parse(text)
    return expression.canonical(value) if value is not None else text

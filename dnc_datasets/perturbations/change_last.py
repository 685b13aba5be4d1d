"""Change last: instead of how many more, the question asks whether there are more."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.certificate.passages import comparison_from_difference
from dnc_datasets.certificate.reasoning import comparison_holds
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.english.rewording.passage_differences import difference
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Number
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.logic import ask_otherwise
from dnc_datasets.perturbations.reasoning.rows import QDMR, constrained, decomposition, yes_or_no
from dnc_datasets.perturbations.tables.periods import year_at
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import equations, transform
from dnc_datasets.qdmr.steps import Operator, Step
from dnc_datasets.tables.relations import signed

_RELATIVE = re.compile(r"\b(?:more|fewer|less|times as|twice|half as)\b[^.?!]{0,80}\b(?:than|as)\b")
_NAME = r"(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?"
_DIFFERENCE = re.compile(
    rf"[Hh]ow many (?P<word>more|fewer|less) (?P<noun>[a-z][a-z '-]{{1,40}}) (?P<helper>do|does|did) (?P<one>{_NAME}) "
    rf"(?P<verb>[a-z]{{2,12}}) than (?P<other>{_NAME})(?: (?:do|does|did))? ?\?"
)


@perturbation(
    "change_last",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "comparison_holds"),
    shapes=("word_problem",),
    languages=("en",),
    asks_yes_no=True,
    needs_equations=True,
    qualifies="a difference or a sum of what two named people have or do, or a difference of two kinds or places",
)
def ask_which_way(problem: Problem, draw: Draw) -> Problem | None:
    """How many more pens does Amy have than Ben? -> Does Ben have more pens than Amy?"""
    truth = bool(draw.integer(0, 1))  # first, and never again
    word = draw.choice(("more", "fewer"))
    if is_too_long(problem.text) or not problem.equation:
        return None
    if _RELATIVE.search(problem.body):
        return None  # "39 more than Zoe": the numbers are not what each of them has
    asked = _difference(problem, problem)
    if asked is None:
        # A sum of what two people have: whose is larger is what its difference says.
        other = ask_otherwise(problem, draw)
        asked = _difference(other, problem) if other is not None and other.body == problem.body else None
    if asked is None:
        return _of_things(problem, truth, word)
    found, equation = asked
    if equation.left.value() == equation.right.value():
        return None
    # The original says that `one` has more (or fewer); so `more` is true of the one who has more.
    high, low = (found["one"], found["other"]) if found["word"] == "more" else (found["other"], found["one"])
    first, second = (high, low) if truth == (word == "more") else (low, high)
    helper = found["helper"].capitalize()
    question = f"{helper} {first} {found['verb']} {word} {found['noun']} than {second}?"
    made = equations.decompose(equation)
    how = "higher" if word == "more" else "lower"
    sides = ("#1", "#2") if first == high else ("#2", "#1")
    steps = (*made.steps[:-1], Step(f"if {sides[0]} is {how} than {sides[1]}")) if made else None
    changed = yes_or_no(problem, question, truth, steps)
    return changed if comparison_holds(problem, changed) else None


def _of_things(problem: Problem, truth: bool, drawn: str) -> Problem | None:
    """How many more girls than boys are there? -> Are there more boys than girls?"""
    asked = difference(problem.question)
    try:
        equation = expression.parse(problem.equation)
        positive = equation.value() > 0
    except ExpressionError:
        return None
    if (
        asked is None
        or not asked.swapped
        or not positive
        or not isinstance(equation, Binary)
        or equation.op != "-"
    ):
        return None
    word = asked.words[(drawn == "more") != (asked.words[0] == "more")]
    question = asked.comparison(word, swapped=(word == asked.word) != truth)
    made = equations.decompose(equation)
    # The larger of the two is the first side of the difference.
    sides = made.steps[-1].references if made else ()
    high = truth == (word in ("more", "longer", "higher", "larger"))
    first, second = sides if high else sides[::-1] if sides else ("", "")
    how = "higher" if word in ("more", "longer", "higher", "larger") else "lower"
    steps = (*made.steps[:-1], Step(f"if #{first} is {how} than #{second}")) if made and sides else None
    changed = yes_or_no(problem, question, truth, steps)
    return changed if comparison_holds(problem, changed) else None


def _difference(asked: Problem, original: Problem) -> tuple[re.Match[str], Binary] | None:
    """The question for a difference between two named people, and its equation, the larger number first."""
    found = _DIFFERENCE.fullmatch(asked.question)
    try:
        equation = expression.parse(asked.equation)
    except ExpressionError:
        return None
    if (
        found is None
        or not isinstance(equation, Binary)
        or equation.op != "-"
        or found["one"] == found["other"]
    ):
        return None
    stated = set(original.values())
    leaves = (equation.left, equation.right)
    if not all(isinstance(leaf, Number) and leaf.number in stated for leaf in leaves):
        return None
    return (found, equation) if equation.value() > 0 else None


_CHANGE = re.compile(
    r"What (?:is|was) the (?:percentage )?(?:change|increase|decrease|increase ?/ ?\(decrease\)|difference) (?:in|of) "
    r"(?P<what>[A-Za-z][^?]{2,120}?) (?:from|between) (?P<first>(?:19|20)\d\d) (?:to|and) (?P<second>(?:19|20)\d\d) ?\?"
)


@perturbation(
    "change_last",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "table_comparison_holds"),
    shapes=("table",),
    languages=("en",),
    asks_yes_no=True,
    needs_equations=True,
)
def ask_which_year(problem: Problem, draw: Draw) -> Problem | None:
    """What was the change in sales from 2018 to 2019? -> Was the figure for sales higher in 2019 than in 2018?"""
    truth = bool(draw.integer(0, 1))  # first, and never again
    word = draw.choice(("higher", "lower"))
    asked = None if is_too_long(problem.question) else _CHANGE.fullmatch(problem.question)
    if asked is None or not problem.equation or problem.note("defect"):
        return None
    values = figures(problem)
    first, second = values.get(int(asked["first"])), values.get(int(asked["second"]))
    if first is None or second is None or len(values) != 2 or first == second:
        return None
    high, low = (asked["first"], asked["second"]) if first > second else (asked["second"], asked["first"])
    one, other = (high, low) if truth == (word == "higher") else (low, high)
    return yes_or_no(
        problem, f"Was the figure for {asked['what']} {word} in {one} than in {other}?", truth, None
    )


def figures(problem: Problem) -> dict[int, Fraction]:
    """The figure of each year, with its sign, from the cells that the operands stand in; all of one row."""
    try:
        wanted = set(operand_links.operand_values(expression.parse(problem.equation)))
    except ExpressionError:
        return {}
    stored = {value: link for value, link in operand_links.stored(problem).items() if value in wanted}
    cells = [link for link in stored.values() if link.startswith("table.")]
    if (
        operand_links.AMBIGUOUS in stored.values()
        or len(cells) != 2
        or len({link.split(".")[1] for link in cells}) != 1
    ):
        return {}
    found: dict[int, Fraction] = {}
    for link in cells:
        _, row, column = link.split(".")
        year = year_at(problem, link)
        value = signed(problem.table[int(row)][int(column)])
        if year is None or value is None or value < 0:  # a larger loss may be called higher or lower
            return {}
        found[year] = value
    return found


_MAX_TEXT = 100
_MEASURED = re.compile(
    r"(?:percent|percentage|number|size|population|year|date|average|median) of [A-Za-z0-9]"
)
# What people write in steps, and a question cannot say: "the size of German group", "the number of 25 years old", "the
# number of people lived in Rome", "the population As of 2000", "the percent of the average size", "the percent of oil
# that Peru sell".
_NOT_ENGLISH = re.compile(
    r"of (?:(?!the |in |people )\S+ ){0,4}group\b|\A\w+ of \d|people [a-z]+ed\b| As |percent(?:age)? of the average\b"
    r"|that [A-Z]\w+ (?!did\b|had\b)[a-z]+(?<!s)(?<!ed)\Z"
)
# "Were there fewer percent of jobs ...", "... fewer men than both women and children", each or together?
_UNSURE = re.compile(r"\bpercent\b|\bboth\b")
_UP = frozenset("more longer higher larger".split())


@perturbation(
    "change_last",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "compared_or_constrained"),
    shapes=("passage",),
    languages=("en",),
    asks_yes_no=True,
)
def ask_which_way_over_a_passage(
    problem: Problem, draw: Draw, *, constraints: bool = False
) -> Problem | None:
    """How many more whites are there than Asians? -> Are there more Asians than whites?

    With `constraints`, also a comparison becomes a difference, and a difference a question for equality, whose answer
    is not known but for its kind.
    """
    return _compared(problem, draw) or (_constrained(problem) if constraints else None)


def _compared(problem: Problem, draw: Draw) -> Problem | None:
    truth = bool(draw.integer(0, 1))  # first, and never again
    at = draw.integer(0, 1)
    asked = difference(problem.question)
    answer = numerals.parse(problem.answer)
    steps = decomposition(problem)
    if asked is None or not asked.swapped or answer is None or answer <= 0 or steps is None:
        return None
    if _UNSURE.search(asked.swapped):
        return None
    last = steps[-1]
    if last.operator is not Operator.ARITHMETIC or "difference" not in last.text or len(last.references) != 2:
        return None
    word = asked.words[at]
    swapped = (word == asked.word) != truth
    high, low = last.references if asked.more else last.references[::-1]
    first, second = (high, low) if truth == (word in _UP) else (low, high)
    how = "higher" if word in _UP else "lower"
    made = yes_or_no(
        problem,
        asked.comparison(word, swapped),
        truth,
        (*steps[:-1], Step(f"if #{first} is {how} than #{second}")),
    )
    return made if comparison_from_difference(problem, made) else None


def _constrained(problem: Problem) -> Problem | None:
    """ "the percent of Germans", "the percent of Irish", as the steps tell: their difference, or are they the same?"""
    steps = decomposition(problem)
    last = steps[-1] if steps else None
    if steps is None or last is None or len(last.references) != 2 or len(steps) != 3:
        return None
    one, two = (steps[reference - 1].text.removeprefix("the ") for reference in last.references)
    if not all(_MEASURED.match(text) and len(text) < _MAX_TEXT for text in (one, two)) or one == two:
        return None
    # What a rule has read is seldom a phrase ("the percent of of voters were white"), but where the question has it.
    if not problem.note(QDMR) and not all(text in problem.question for text in (one, two)):
        return None
    if _NOT_ENGLISH.search(one) or _NOT_ENGLISH.search(two):
        return None
    if last.operator is Operator.COMPARISON and (made := transform.change_last(steps, "difference")):
        question = f"What is the difference between the {one} and the {two}?"
    elif last.operator is Operator.ARITHMETIC and (made := transform.change_last(steps, "same")):
        question = f"Is the {one} the same as the {two}?"
    else:
        return None
    return constrained(problem, " ".join(question.split()), made.constraint, made.steps)

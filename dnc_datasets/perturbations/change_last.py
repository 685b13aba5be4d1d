"""Change last: the question asks whether there are more, instead of how many more."""

from __future__ import annotations

import re

from dnc_datasets import expression, numerals
from dnc_datasets.certificate.passages import comparison_from_difference
from dnc_datasets.certificate.reasoning import comparison_holds, only_question_changed
from dnc_datasets.certificate.table_figures import table_comparison_holds
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.number_pairs import listed_pairs
from dnc_datasets.english.reading.sentences import is_too_long
from dnc_datasets.english.rewording.conditions import open_condition, stated
from dnc_datasets.english.rewording.passage_differences import difference
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Number
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.logic import ask_otherwise, compare_two
from dnc_datasets.perturbations.reasoning import yearly_views
from dnc_datasets.perturbations.reasoning.rows import QDMR, answered, constrained, decomposition, yes_or_no
from dnc_datasets.perturbations.reasoning.table_gates import is_fit
from dnc_datasets.perturbations.tables.yearly import Yearly
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import equations, transform
from dnc_datasets.qdmr.steps import Operator, Step

_RELATIVE = re.compile(r"\b(?:more|fewer|less|times as|twice|half as)\b[^.?!]{0,80}\b(?:than|as)\b")
_NAME = r"(?:(?:Mr|Mrs|Ms)\. )?[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?"
_DIFFERENCE = re.compile(
    rf"[Hh]ow many (?P<word>more|fewer|less) (?P<noun>[a-z][a-z '-]{{1,40}}) (?P<helper>do|does|did) (?P<one>{_NAME}) "
    rf"(?P<verb>[a-z]{{2,12}}) than (?P<other>{_NAME})(?: (?:do|does|did))? ?\?"
)


# "If he sold half of them." with a full stop is no sentence.
_HANGING = re.compile(r"(?:\A|[.!?] )If [^.!?,]{2,200}[.!?](?:\s|\Z)")
_KINDS = re.compile(
    r"How many more (?P<one>[a-z][a-z' -]{1,60}?) than (?P<two>[a-z][a-z' -]{1,60}?) "
    r"(?:(?P<there>are|were) there(?P<where>[^?]{0,60})|"
    r"(?P<helper>do|does|did) (?P<who>(?:the )?[A-Za-z'. ]{2,40}?) (?P<verb>[a-z]+))\?"
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
    qualifies="a difference or a sum of what two named people have or do, a difference of two kinds or places, two "
    "kinds of things that one sentence counts, or two prices or days of a text in several steps",
)
def ask_which_way(problem: Problem, draw: Draw) -> Problem | None:
    """How many more pens does Amy have than Ben? -> Does Ben have more pens than Amy?"""
    truth = bool(draw.integer(0, 1))  # drawn first and only once
    word = draw.choice(("more", "fewer"))
    if is_too_long(problem.text) or not problem.equation:
        return None
    if _RELATIVE.search(problem.body):
        return None  # "39 more than Zoe": the numbers are not the amounts of the two
    asked = _difference(problem, problem)
    if asked is None:
        # A sum of the amounts of two people. Its difference shows the larger one.
        other = ask_otherwise(problem, draw)
        asked = _difference(other, problem) if other is not None and other.body == problem.body else None
    if asked is None:
        things = _of_things(problem, truth, word) or _of_a_list(problem, truth, word, draw)
        return things or _of_two_amounts(problem, truth, word, draw)
    found, equation = asked
    if equation.left.value() == equation.right.value():
        return None
    # The original states that `one` has more (or fewer), so `more` is true of the person who has more.
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
    """Rewrite "How many more girls than boys are there?" as "Are there more boys than girls?"."""
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


def _of_a_list(problem: Problem, truth: bool, word: str, draw: Draw) -> Problem | None:
    """Rewrite the question over "Ann bought 9 figs and 4 pears" as "Did Ann buy more pears than figs?"."""
    try:
        equation = expression.parse(problem.equation)
    except ExpressionError:
        return None
    used = {leaf.number for leaf in equation.leaves() if isinstance(leaf, Number)}
    pairs = [
        found
        for pair in listed_pairs(problem.body)
        if {pair.larger.value(), pair.smaller.value()} <= used
        and (found := _KINDS.fullmatch(pair.question))
        and not found["one"].endswith(" ones")
    ]
    if not pairs or _HANGING.search(problem.body):
        return None
    found = draw.choice(pairs)
    body = problem.body
    if body.endswith(",") and found["one"] not in open_condition(body).lower():
        restated = stated(body, "")
        if restated is None:
            return None
        body = restated[0]
    first, second = ("one", "two") if truth == (word == "more") else ("two", "one")
    kinds = f"{word} {found[first]} than {found[second]}"
    if found["there"]:
        question = f"{found['there'].capitalize()} there {kinds}{found['where']}?"
    else:
        question = f"{found['helper'].capitalize()} {found['who']} {found['verb']} {kinds}?"
    made = yes_or_no(problem.replace(body=body), question, truth, None)
    return made if comparison_holds(problem, made) else None


_PRICES = re.compile(
    r"how much more (?P<helper>do|does|did) (?P<one>[a-z][a-z' -]{1,60}?) cost than (?P<two>[a-z][a-z' -]{1,60}?)\?",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"how many more (?P<noun>[a-z][a-z' -]{1,40}) (?P<helper>did|does) (?P<who>[A-Za-z][A-Za-z'. ]{1,30}?) "
    r"(?P<verb>[a-z]{2,12}) (?P<one>(?:on|in|during|this|last) [A-Za-z ]{3,20}?) than "
    r"(?P<two>(?:on|in|during|this|last) [A-Za-z ]{3,20}?)\?",
    re.IGNORECASE,
)
_OWNERS = re.compile(
    rf"how many more (?P<noun>[a-z][a-z' -]{{1,40}}) (?P<helper>did|does) (?P<one>{_NAME}) "
    rf"(?P<verb>[a-z]{{2,12}}) than (?P<two>{_NAME})\?"
)


def _of_two_amounts(problem: Problem, truth: bool, word: str, draw: Draw) -> Problem | None:
    """Rewrite the question over "A film costs $5 and a book $4" as "Does a book cost more than a film?"."""
    other = compare_two(problem, draw)
    if other is None:
        return None
    first, second = ("one", "two") if truth == (word == "more") else ("two", "one")
    question = f"{other.question[0].lower()}{other.question[1:]}"
    if found := _PRICES.fullmatch(question):
        less = "more" if word == "more" else "less"
        text = f"{found['helper']} {found[first]} cost {less} than {found[second]}?"
    elif found := _TIMES.fullmatch(question):
        did = f"{found['helper']} {found['who']} {found['verb']} {word} {found['noun']}"
        text = f"{did} {found[first]} than {found[second]}?"
    elif found := _OWNERS.fullmatch(question):
        text = (
            f"{found['helper']} {found[first]} {found['verb']} {word} {found['noun']} than {found[second]}?"
        )
    else:
        return None
    made = yes_or_no(problem.replace(body=other.body), f"{text[0].upper()}{text[1:]}", truth, None)
    return made if comparison_holds(problem, made) and only_question_changed(problem, made) else None


def _difference(asked: Problem, original: Problem) -> tuple[re.Match[str], Binary] | None:
    """Return the question for a difference between two people, and its equation, larger number first."""
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


_CHOICE = 1  # the rank of the member that asks for the year itself


@perturbation(
    "change_last",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "table_comparison_holds"),
    shapes=("table",),
    languages=("en",),
    asks_yes_no=True,
    needs_equations=True,
    qualifies="a change, an average or a sum over years of one row whose figures the table gives",
)
def ask_which_year(problem: Problem, draw: Draw, *, rank: int = 0) -> Problem | None:
    """What was the change in sales from 2018 to 2019? -> Were the sales higher in 2019 than in 2018?

    The second member of a contrast set (`rank` 1) asks for the year: "In which year were the sales higher, 2018 or
    2019?", of three and more years for the highest.
    """
    truth = bool(draw.integer(0, 1))  # drawn first and only once
    word = draw.choice(("higher", "lower"))
    asked = yearly_views.read_any(problem) if rank <= _CHOICE and is_fit(problem) else None
    if asked is None or sum(value < 0 for value in asked.figures.values()) > 1:
        return None  # a larger loss may be called higher or lower
    made = _year_of(problem, asked, word) if rank == _CHOICE else _years(problem, asked, truth, word, draw)
    return made if made is not None and table_comparison_holds(problem, made) else None


def _years(problem: Problem, asked: Yearly, truth: bool, word: str, draw: Draw) -> Problem | None:
    """Return the comparison of two years with the given truth value."""
    first, second = draw.shuffled(list(asked.figures))[:2]
    figures = asked.figures
    if figures[first] == figures[second]:
        return None
    high, low = (first, second) if figures[first] > figures[second] else (second, first)
    one, other = (high, low) if truth == (word == "higher") else (low, high)
    question = f"{asked.verb} {asked.figure} {word} {asked.at(one)} than {asked.at(other)}"
    return yes_or_no(problem, asked.compared(question), truth, None)


def _year_of(problem: Problem, asked: Yearly, word: str) -> Problem | None:
    """Return the question for the year with the highest or the lowest figure."""
    best = (max if word == "higher" else min)(asked.figures.values())
    chosen = [year for year, value in asked.figures.items() if value == best]
    if len(chosen) != 1 or not asked.when.startswith("in ") or len(asked.when.split()) > 3:
        return None
    kind = " ".join(asked.when.split()[1:-1])
    year_word = kind if kind.endswith("year") else f"{kind} year".strip()
    named = [asked.at(year).split()[-1] for year in asked.figures]
    if len(named) == 2:
        question = f"in which {year_word} {asked.verb} {asked.figure} {word}, {named[0]} or {named[1]}"
    else:
        listed = f"{', '.join(named[:-1])} and {named[-1]}"
        most = "highest" if word == "higher" else "lowest"
        question = f"in which of the {year_word}s {listed} {asked.verb} {asked.figure} the {most}"
    return answered(problem, asked.compared(question), str(chosen[0]), None)


_MAX_TEXT = 100
_MEASURED = re.compile(
    r"(?:percent|percentage|number|size|population|year|date|average|median) of [A-Za-z0-9]"
)
# Phrases of steps that do not fit a question: "the size of German group", "the number of 25 years old", "the
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
    truth = bool(draw.integer(0, 1))  # drawn first and only once
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
    """Return a question for two quantities of the steps: "the percent of Germans", "the percent of Irish".

    A comparison becomes a question for their difference. A difference becomes the question whether they are
    equal.
    """
    steps = decomposition(problem)
    last = steps[-1] if steps else None
    if steps is None or last is None or len(last.references) != 2 or len(steps) != 3:
        return None
    one, two = (steps[reference - 1].text.removeprefix("the ") for reference in last.references)
    if not all(_MEASURED.match(text) and len(text) < _MAX_TEXT for text in (one, two)) or one == two:
        return None
    # The extracted text is rarely a phrase ("the percent of of voters were white"), unless the question contains it.
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

"""The rows of perturbations of reasoning: a new question, its answer and its steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.english.lexicon import COMPARING_QUESTION_WORDS, GRAMMAR_WORDS
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.errors import ExpressionError, ProblemError
from dnc_datasets.expression import Expr
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import CONSTRAINT, Problem
from dnc_datasets.qdmr import equations, questions
from dnc_datasets.qdmr.steps import Decomposition, fault, parse_steps, write_steps

YES_NO = "yes_no"
QDMR = "qdmr"  # in meta: the steps in Break's form
# Notes of a source that only the original question needs.
_STALE = (
    "formula",
    "solution_type",
    "rounding",
    "derivation",
    "solution",
    "solution_steps",
    "no_equation",
    "type",
)
_MAX_LEAVES = 20
_THAN = re.compile(r" (?:than|compared to|compared with|versus|over) ", re.IGNORECASE)
_FEWER = re.compile(r"\b(?:fewer|less|shorter|lower|smaller)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z][a-z'-]+")


def answer_of(problem: Problem) -> tuple[Fraction, Fraction] | None:
    """Return the exact answer and the stated answer, which may be rounded, or None where it is no number."""
    if problem.answer_type != "number" or problem.note("defect"):
        return None
    try:
        stated = expression.parse(problem.answer).value()
        exact = problem.exact_value()
    except ExpressionError:
        return None
    return (exact, stated) if exact is not None and abs(exact - stated) <= 1 else None


def steps_of(problem: Problem) -> Decomposition | None:
    """Return the equation as a decomposition, or None where it has none."""
    try:
        equation = expression.parse(problem.equation) if problem.equation else None
    except ExpressionError:
        return None
    if equation is None or len(equation.leaves()) > _MAX_LEAVES:
        return None
    made = equations.decompose(equation)
    return made.steps if made else None


def decomposition(problem: Problem) -> Decomposition | None:
    """Return the decomposition that a source gives or that rules read from the question, or None."""
    given = problem.note(QDMR)
    try:
        steps = parse_steps(given) if given else questions.decomposed(problem.question)
    except ProblemError:
        return None
    return steps if steps and not fault(steps) else None


def opened(problem: Problem, question: str) -> str:
    """Return the question in lower case where the body leads to it: "If he had 4 pens, how many ..."."""
    leads = problem.body.rstrip().endswith(",") and not problem.table
    return question[:1].lower() + question[1:] if leads else question


def yes_or_no(problem: Problem, question: str, truth: bool, steps: Decomposition | None) -> Problem:
    """Return the problem with a yes-or-no question.

    It has no equation, because arithmetic does not give yes or no.
    """
    return problem.replace(
        question=opened(problem, question),
        equation="",
        answer="yes" if truth else "no",
        answers=(),
        unit="",
        answer_type=YES_NO,
        meta=_meta(problem, steps),
    )


def answered(problem: Problem, question: str, answer: str, steps: Decomposition | None) -> Problem:
    """Return the problem with a question whose answer is a text."""
    return problem.replace(
        question=opened(problem, question),
        equation="",
        answer=answer,
        answers=(),
        unit="",
        answer_type="number" if numerals.parse(answer) is not None else "span",
        meta=_meta(problem, steps),
    )


def constrained(problem: Problem, question: str, constraint: str, steps: Decomposition | None) -> Problem:
    """Return the problem with a question that has only a constraint (">= 12", "numeric")."""
    made = answered(problem, question, constraint, steps)
    return made.replace(answer_type=CONSTRAINT)


def calculated(
    problem: Problem, question: str, equation: Expr, unit: str, steps: Decomposition | None = None
) -> Problem:
    """Return the problem with a question whose answer follows from another equation."""
    made = equations.decompose(equation)
    return problem.replace(
        question=opened(problem, question),
        equation=equation.infix(),
        answer=expression.canonical(equation.value()),
        answers=(),
        unit=unit,
        answer_type="number",
        meta=_meta(problem, steps or (made.steps if made else None)),
    )


def _meta(problem: Problem, steps: Decomposition | None) -> tuple[tuple[str, str], ...]:
    kept = {key: value for key, value in problem.meta if key not in _STALE}
    if steps is not None:
        kept[QDMR] = write_steps(steps)
    return tuple(sorted(kept.items()))


def are_stated_together(problem: Problem, pair: Sequence[Fraction]) -> bool:
    """Return whether a passage binds each of two numbers to one of the two things that a question compares.

    A number is bound to a thing if it is the nearest of its kind to a word that names only this thing. Either
    one sentence contains both numbers and both things, or each number is in the only sentence with numbers
    about its thing.

    >>> passage = Problem("1", "There were 600 Reds and 80 Germans.", "How many more Reds than Germans were there?")
    >>> are_stated_together(passage, (Fraction(600), Fraction(80)))
    True
    """
    sides = [_names(side) for side in _THAN.split(problem.question)]
    if len(sides) != 2 or not (sides[0] - sides[1] and sides[1] - sides[0]):
        return False
    values = pair[::-1] if _FEWER.search(problem.question) else pair
    found = []
    for words, value in zip((sides[0] - sides[1], sides[1] - sides[0]), values, strict=True):
        statements = [
            text for text in sentences(problem.body) if _names(text) & words and numerals.find(text)
        ]
        found.append(
            (statements, {text for text in statements if _is_nearest(text, words, value, problem.question)})
        )
    (first, bound), (second, also_bound) = found
    if bound & also_bound:
        return True
    return len(first) == len(second) == 1 and bool(bound) and bool(also_bound)


def _is_nearest(text: str, words: set[str], value: Fraction, question: str) -> bool:
    """Return whether a number of a sentence is the nearest of its kind to a mention of a thing."""
    numbers = numerals.find(text)
    own = [one for one in numbers if one.value == value]
    if len(own) != 1:
        return False
    noun = _noun_after(text, own[0])
    alike = [
        one
        for one in numbers
        if (one.kind == "percent", one.in_digits) == (own[0].kind == "percent", own[0].in_digits)
        and one.kind not in ("year", "date", "ordinal")
        and (noun not in question.lower().split() or _noun_after(text, one) == noun)
    ]
    for mention in _WORD.finditer(text.lower()):
        if mention[0].removesuffix("s") in words:
            gaps = sorted(
                (max(one.start - mention.end(), mention.start() - one.end), one.start) for one in alike
            )
            if gaps and gaps[0][1] == own[0].start and (len(gaps) == 1 or gaps[1][0] > gaps[0][0]):
                return True
    return False


def _noun_after(text: str, quantity: Quantity) -> str:
    found = _WORD.match(text.lower(), quantity.end + 1)
    return found[0] if found else ""


def _names(text: str) -> set[str]:
    """Return the words of a text that can name something, in lower case and without plural -s."""
    words = {word for word in _WORD.findall(text.lower()) if word not in GRAMMAR_WORDS}
    return {word.removesuffix("s") for word in words - COMPARING_QUESTION_WORDS}

"""Whether a question for a step can stand for itself, once the problem's own question is gone."""

from __future__ import annotations

import re
from fractions import Fraction

from dnc_datasets import numerals
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.english.reading.verbs import is_past, plain
from dnc_datasets.expression import Expr, Number
from dnc_datasets.problem import Problem

_WORD = re.compile(r"[a-z]+")
# "in cents": said by the old question, it would have to be said by the new one.
_IN_UNIT = re.compile(
    r"\bin (?:cents|dollars|inches|feet|yards|meters|centimeters|minutes|seconds|hours|days|weeks|pounds|ounces|"
    r"grams)\b"
)
_AWKWARD = re.compile(
    r"\b(?:do|does|did) (?:this|that|it|which)\b(?! take)|\bby [a-z]+ing\b|"
    r"\bnumber of [a-z ]{2,40} from the\b|"
    r"\b(?:for|of) the (?:liter|gallon|pound|kilogram|bottle|box|bag|pack|ticket) of\b"
)
_WHAT = re.compile(r"What (?:is|was) (?:the )?(?P<what>[a-z][a-z' -]{2,60})\?")
_SMALL = frozenset(
    "how many much what is was are were do does did the a an of there in to for at on his her their".split()
)
# What is compared or shared out is not told as it is.
_RELATIVE = re.compile(r"\b(?:more|fewer|less|than|times|twice|half|as|each|every|third|quarter|of the)\b")
# Where the old question doubles a way, the body does not.
_BACK = re.compile(r"\b(?:round[- ]trip|both ways|each way|and back|return)\b")
_FEWEST = 2
_ORDINALS = frozenset((Fraction(1), Fraction(2), Fraction(3)))  # "the first day"


def stands_alone(problem: Problem, question: str, part: Expr) -> bool:
    """Does the question ask for this step of the body, and can nothing else be read off as its answer?"""
    told = {quantity.value for quantity in numerals.find(problem.body)}
    asked = {quantity.value for quantity in numerals.find(question)}
    before = {quantity.value for quantity in numerals.find(problem.question)}
    if not asked <= told | before | _ORDINALS or (
        _BACK.search(problem.question) and not _BACK.search(question)
    ):
        return False  # the value of another step, or what nobody would know any more
    if _IN_UNIT.search(problem.question) and not _IN_UNIT.search(question):
        return False
    leaves = {leaf.number for leaf in part.leaves() if isinstance(leaf, Number)}
    if leaves & before - told - asked:
        return False  # a number that only the old question gave
    if _AWKWARD.search(question.lower()):
        return False
    return not _is_stated(problem, question, part, leaves) and not _is_told_otherwise(problem, question, part)


def _is_stated(problem: Problem, question: str, part: Expr, leaves: set[Fraction]) -> bool:
    """ "The tax is 5%" answers "What is the tax?"; "he saved $5" answers "What was saved?"."""
    body = problem.body.lower()
    if found := _WHAT.fullmatch(question):
        what = re.escape(found["what"])
        if re.search(rf"\b{what} (?:is|was|of|are|were|at) \$?\d", body):
            return True
    if isinstance(part, Number):
        return False
    verbs = [word for word in _WORD.findall(question.lower()) if word.endswith("ed") and is_past(word)]
    return any(
        re.search(rf"\b{verb} \$?{re.escape(quantity.text.lower())}", body)
        for verb in verbs
        for quantity in numerals.find(problem.body)
        if quantity.value in leaves
    )


def _is_told_otherwise(problem: Problem, question: str, part: Expr) -> bool:
    """Does a clause say all that the question says, with another number?"""
    words = [_form(word) for word in _WORD.findall(question.lower()) if word not in _SMALL]
    wanted = set(words)
    if len(wanted) < _FEWEST:
        return True  # "What was the cost?" may mean any
    for sentence in sentences(problem.body):
        for clause in re.split(r"[,;]| and | but | if ", sentence):
            said = {_form(word) for word in _WORD.findall(clause.lower())}
            values = [quantity.value for quantity in numerals.find(clause)]
            if _RELATIVE.search(clause):
                continue
            elided = set(words[1:])  # "and burns 2300 a day"
            same = wanted <= said or (len(elided) >= _FEWEST and elided <= said)
            if same and values and part.value() not in values:
                return True
    return False


def _form(word: str) -> str:
    known = plain(word) or word
    return known[:-1] if known.endswith("s") and len(known) > 3 else known

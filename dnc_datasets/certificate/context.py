"""Promises about context: text around a problem, conversations, and rows assembled from a small proposal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction

from dnc_datasets import expression, numerals
from dnc_datasets.certificate.clauses import sentences, stem
from dnc_datasets.english.lexicon import (
    FEMALE_NAMES,
    FILLERS,
    MALE_NAMES,
    OPPOSITE_WORDS,
    UNITS_OF_MEASURE,
    plain,
)
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Number
from dnc_datasets.problem import Problem

_SENTENCES = re.compile(r"(?:[A-Z][^.!?]*\.(?:\s|\Z))*")
# A person to whom a pronoun of the problem could refer.
_PERSON = re.compile(r"\b(?:he|she|his|hers?|him|they|their|them|who)\b", re.IGNORECASE)
_UNKNOWN = ("some", "Some", "a certain number of", "A certain number of")
_BLOCK = re.compile(r"Problem (\d+): (?P<text>[^\n]+)\nAnswer: (?P<answer>-?[\d.,/]+)\n\n")


def padding_is_unrelated(original: Problem, perturbed: Problem) -> bool:
    """the text holds the original body once, and around it only complete sentences without a number or a person"""
    if (
        not original.body
        or perturbed.body.count(original.body) != 1
        or original.question != perturbed.question
    ):
        return False
    before, after = perturbed.body.split(original.body)
    if not (before or after) or (after and original.body.endswith(",")):
        return False
    parts = (before.strip(), after.strip())
    return all(
        _SENTENCES.fullmatch(part) is not None and not numerals.find(part) and not _PERSON.search(part)
        for part in parts
    )


def history_is_separate(original: Problem, perturbed: Problem) -> bool:
    """solved problems, numbered from 1, precede the original under the next number; none has its answer"""
    if original.question != perturbed.question:
        return False
    at, number = 0, 0
    gold = numerals.parse(original.answer)
    while block := _BLOCK.match(perturbed.body, at):
        number += 1
        if int(block[1]) != number or numerals.parse(block["answer"]) == gold:
            return False
        at = block.end()
    return number > 0 and perturbed.body[at:] == f"Problem {number + 1}: {original.body}"


def needed_number_removed(original: Problem, perturbed: Problem) -> bool:
    """one number, on which the answer depends and which is nowhere else, became "some" or "a certain number of" """
    if (
        perturbed.answer_type != "unanswerable"
        or perturbed.equation
        or original.question != perturbed.question
    ):
        return False
    gone = [
        one.value
        for one in numerals.find(original.body)
        if perturbed.body
        in (f"{original.body[: one.start]}{word}{original.body[one.end :]}" for word in _UNKNOWN)
    ]
    if len(gone) != 1 or gone[0] in perturbed.values() or gone[0] in numerals.implied(perturbed.text):
        return False
    (value,) = gone
    try:
        equation = expression.parse(original.equation)
        leaves = [leaf.number for leaf in equation.leaves() if isinstance(leaf, Number)]
        results = {
            equation.replace(
                lambda leaf, new=new: (
                    expression.number(new)  # type: ignore[misc]
                    if isinstance(leaf, Number) and leaf.number == value
                    else leaf
                )
            ).value()
            for new in (value, value + 1, value + 3)
        }
    except ExpressionError:
        return False
    return leaves.count(value) == 1 and len(results) == 3


def spoken_operands_moved(original: Problem, perturbed: Problem) -> bool:
    """the numbers that changed in passage and question are operands, each at the new equation's value"""
    moves = _moves(original, perturbed)
    if not moves or not _follows(original.equation, perturbed.equation, moves):
        return False
    used = {leaf.number for leaf in expression.parse(original.equation).leaves() if isinstance(leaf, Number)}
    return moves.keys() <= used


def history_follows(original: Problem, perturbed: Problem) -> bool:
    """every earlier equation uses the changed numbers and gives the answer that the history shows"""
    moves = _moves(original, perturbed)
    before, after = _equations(original), _equations(perturbed)
    if moves is None or len(before) != len(after) or len(after) != len(perturbed.history):
        return False
    if not _answers_carried(original, perturbed, after):
        return False
    for old, new, turn in zip(before, after, perturbed.history, strict=True):
        if bool(old) != bool(new):
            return False
        if new and not _follows(old, new, moves):
            return False
        if new and numerals.said(expression.parse(new).value()) != turn.answer:
            return False
    return True


def _answers_carried(original: Problem, perturbed: Problem, equations: list[str]) -> bool:
    """Return whether no equation still uses an earlier answer that changed and is stated nowhere else."""
    stated = {quantity.value for quantity in perturbed.quantities(("segments", "question"))}
    for at, text in enumerate((*equations, perturbed.equation)):
        turns = zip(original.history[:at], perturbed.history[:at], strict=True)
        gone = {numerals.parse(was.answer) for was, now in turns if was.answer != now.answer} - stated
        gone -= {numerals.parse(turn.answer) for turn in perturbed.history[:at]}
        leaves = expression.parse(text).leaves() if text else []
        if any(isinstance(leaf, Number) and leaf.number in gone for leaf in leaves):
            return False
    return True


def passage_removed(original: Problem, perturbed: Problem) -> bool:
    """the passage was there and is gone, and all else is the original's"""
    had = bool(original.body or original.segments)
    return had and perturbed == original.replace(body="", segments=())


def history_removed(original: Problem, perturbed: Problem) -> bool:
    """earlier turns were there and are gone, and all else is the original's"""
    return bool(original.history) and perturbed == original.replace(history=())


def _moves(original: Problem, perturbed: Problem) -> dict[Fraction, Fraction] | None:
    """Return the changed numbers of passage and question, old to new. Return None if they do not match up."""
    before = [quantity.value for quantity in original.quantities(("segments", "question"))]
    after = [quantity.value for quantity in perturbed.quantities(("segments", "question"))]
    if len(before) != len(after):
        return None
    return {old: new for old, new in zip(before, after, strict=True) if old != new}


def _follows(old: str, new: str, moves: dict[Fraction, Fraction]) -> bool:
    """Return whether one equation is the other with the changed numbers."""
    before, after = expression.parse(old), expression.parse(new)
    was, now = before.leaves(), after.leaves()
    return (
        before.operators == after.operators
        and len(was) == len(now)
        and all(
            isinstance(a, Number) and isinstance(b, Number) and moves.get(a.number, a.number) == b.number
            for a, b in zip(was, now, strict=True)
        )
    )


def _equations(problem: Problem) -> list[str]:
    return [turn["equation"] for turn in json.loads(problem.note("turns") or "[]")]


_TOKEN = re.compile(r"[A-Za-z]+")
_FIXED = (
    FILLERS | UNITS_OF_MEASURE | frozenset(word for pair in OPPOSITE_WORDS for side in pair for word in side)
)
_VOWELS = tuple("aeiou")


def words_mapped(original: Problem, perturbed: Problem) -> bool:
    """undoing a one-to-one map of words, none of which was in the text, gives the original to the letter"""
    found = _map(original.text, perturbed.text)
    if not found or _TOKEN.split(original.text) != _TOKEN.split(perturbed.text):
        return False
    said = {word.lower() for word in _TOKEN.findall(original.text)}
    kept = {stem(old.lower()) for old in said - {old.lower() for old in found}}
    return len(set(found.values())) == len(found) and all(
        new.lower() not in said
        and stem(old.lower()) not in kept
        and not {old.lower(), new.lower()} & _FIXED
        and not plain(old.lower())
        and not numerals.stated(f"{old} of")
        and not numerals.stated(f"{new} of")
        and old[0].isupper() == new[0].isupper()
        and old.endswith("s") == new.endswith("s")
        and old.lower().startswith(_VOWELS) == new.lower().startswith(_VOWELS)
        for old, new in found.items()
    )


def _map(before: str, after: str) -> dict[str, str]:
    """Return the words that differ. Return nothing if one word became two different ones."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if len(old) != len(new):
        return {}
    found: dict[str, str] = {}
    for one, two in zip(old, new, strict=True):
        if found.setdefault(one, two) != two:
            return {}
    return {one: two for one, two in found.items() if one != two}


def names_mapped(original: Problem, perturbed: Problem) -> bool:
    """only first names of known gender are exchanged, each for one of the same gender"""
    return all(
        any(old in group and new in group for group in (FEMALE_NAMES, MALE_NAMES))
        for old, new in _map(original.text, perturbed.text).items()
    )


def one_statement_added(original: Problem, perturbed: Problem) -> bool:
    """deleting one statement gives the original; the statement asks nothing"""
    text, spans = perturbed.text, sentences(perturbed.text)
    plain_original = original.text.split()
    return any(
        f"{text[:start]} {text[end:]}".split() == plain_original and "?" not in text[start:end]
        for start, end in spans
    )


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (
    padding_is_unrelated,
    history_is_separate,
    needed_number_removed,
    spoken_operands_moved,
    history_follows,
    passage_removed,
    history_removed,
    words_mapped,
    names_mapped,
    one_statement_added,
)

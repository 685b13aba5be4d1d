"""Promises about context: checks of rows with text around the problem, or with a needed number taken out."""

from __future__ import annotations

import re

from dnc_datasets import expression, numerals
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


CHECKS = (padding_is_unrelated, history_is_separate, needed_number_removed)

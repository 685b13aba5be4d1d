"""Promises about wording: what a certificate checks where a perturbation changes what a problem says."""

from __future__ import annotations

import re

from dnc_datasets import expression, numerals
from dnc_datasets.english.reading.attachments import same_attachments
from dnc_datasets.english.reading.head_entities import heads
from dnc_datasets.english.reading.introductions import introduced_as_before
from dnc_datasets.problem import Problem


def values_permuted(original: Problem, perturbed: Problem) -> bool:
    """both texts hold the same values, each as often, in any order"""
    return sorted(original.ratios()) == sorted(perturbed.ratios())


def question_first(original: Problem, perturbed: Problem) -> bool:
    """one question, opened by the word that opens the original's, holds the body's numbers in their order"""
    asked = re.search(r"\b(?:how|what|which|who)\b", original.question, re.IGNORECASE)
    body = [quantity.ratio for quantity in numerals.find(original.body)]
    rest = iter(perturbed.ratios())
    return (
        asked is not None
        and asked[0].lower() in perturbed.text.lower().split("'")[0].split()[:3]
        and perturbed.text.count("?") == 1
        and all(value in rest for value in body)
    )


def order_changed(original: Problem, perturbed: Problem) -> bool:
    """the values occur in another order"""
    return original.ratios() != perturbed.ratios()


def question_changed(original: Problem, perturbed: Problem) -> bool:
    """only the question is another one; the body is the original's to the letter, its last "If" aside"""
    return original.question != perturbed.question and perturbed.body in (
        original.body,
        told_instead(original.body),
    )


def told_instead(body: str) -> str:
    """The body with what its last clause supposes told instead: "If she ate 5," -> "She ate 5."."""
    at = body.rfind("If ")
    if at < 0 or not body.endswith(",") or len(body) < at + 5:
        return body
    return f"{body[:at]}{body[at + 3].upper()}{body[at + 4 : -1]}."


def other_operation(original: Problem, perturbed: Problem) -> bool:
    """the equation applies other operations, to numbers that the text states"""
    old, new = expression.parse(original.equation), expression.parse(perturbed.equation)
    stated = set(perturbed.ratios())
    numbers = {leaf.ratio for leaf in new.leaves() if isinstance(leaf, expression.Number)}
    return old.operators != new.operators and numbers <= stated and len(new.leaves()) > 1


def answer_plausible(original: Problem, perturbed: Problem) -> bool:
    """the answer is positive, and whole where every number of the text is whole"""
    answer = perturbed.value()
    return answer > 0 and (answer.denominator == 1 or any(bottom != 1 for _, bottom in perturbed.ratios()))


def heads_kept(original: Problem, perturbed: Problem) -> bool:
    """every number still counts the same things"""
    old, new = heads(original.text), heads(perturbed.text)
    return [head[:2] for head in old] == [head[:2] for head in new]


def attachments_kept(original: Problem, perturbed: Problem) -> bool:
    """read again, every number keeps its noun, the numbers of its phrase and what ties it (each, times, with)"""
    return same_attachments(original.text, perturbed.text) and _ifs(perturbed) <= max(1, _ifs(original))


def introductions_kept(original: Problem, perturbed: Problem) -> bool:
    """read again, nothing is spoken of as known ("the stand") before it is brought in ("a stand")"""
    return introduced_as_before(original.text, perturbed.text)


# "given that Amy ...; and that Ben ...": no word that points at something.
_GIVEN_THAT = re.compile(r"((?:\bgiven|\band|[,;]) )that ")


def given_after_asked(original: Problem, perturbed: Problem) -> bool:
    """read again, the question takes nothing for known ("the pond") that only what is given brings in"""
    return introduced_as_before(original.text, _GIVEN_THAT.sub(r"\1", perturbed.text))


def ties_kept(original: Problem, perturbed: Problem) -> bool:
    """read again, every number keeps the numbers of its phrase and what ties it, whatever it counts"""
    return same_attachments(original.text, perturbed.text, nouns=False)


def _ifs(problem: Problem) -> int:
    return len(re.findall(r"\bif\b", problem.text, re.IGNORECASE))


def text_changed(original: Problem, perturbed: Problem) -> bool:
    """the words are others"""
    return original.text.split() != perturbed.text.split()


def operands_stated(original: Problem, perturbed: Problem) -> bool:
    """every number of the equation is stated in the text, and the equation is another one"""
    new = expression.parse(perturbed.equation)
    numbers = {leaf.ratio for leaf in new.leaves() if isinstance(leaf, expression.Number)}
    return numbers <= set(perturbed.ratios()) and original.equation != perturbed.equation


def same_numbers(original: Problem, perturbed: Problem) -> bool:
    """numbers, equation and answer are the original's"""
    return (
        original.ratios() == perturbed.ratios()
        and original.equation == perturbed.equation
        and original.answer == perturbed.answer
    )


CHECKS = (
    values_permuted,
    question_first,
    order_changed,
    question_changed,
    other_operation,
    answer_plausible,
    operands_stated,
    same_numbers,
    heads_kept,
    attachments_kept,
    introductions_kept,
    given_after_asked,
    ties_kept,
    text_changed,
)

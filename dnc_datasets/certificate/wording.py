"""Promises about wording: checks of perturbations that change the sentences of a problem."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.certificate.counted_values import counted_noun, same_counted_values, same_values
from dnc_datasets.english.lexicon import (
    NO_HEAD_NOUNS,
    TYING_WORDS,
    TYING_WORDS_BEFORE_NUMBER,
    is_verb,
)
from dnc_datasets.memoization import once_per_pair
from dnc_datasets.problem import Problem

_ASKING = re.compile(r"\b(?:how|what|which|who)\b")
_IF = re.compile(r"\bif\b")


def values_permuted(original: Problem, perturbed: Problem) -> bool:
    """both texts hold the same values, each as often, in any order"""
    return same_values(original, perturbed)


@once_per_pair
def question_first(original: Problem, perturbed: Problem) -> bool:
    """one question, opened by the word that opens the original's, holds the body's numbers in their order"""
    asked = _ASKING.search(original.question.lower())
    text = perturbed.text
    if asked is None or text.count("?") != 1 or asked[0] not in text.lower().split("'")[0].split()[:3]:
        return False
    rest = iter(perturbed.ratios())
    return all(quantity.ratio in rest for quantity in numerals.find(original.body))


def order_changed(original: Problem, perturbed: Problem) -> bool:
    """the values occur in another order"""
    return original.ratios() != perturbed.ratios()


def question_changed(original: Problem, perturbed: Problem) -> bool:
    """only the question is another one; the body is the original's to the letter, its last "If" aside"""
    return original.question != perturbed.question and perturbed.body in (
        original.body,
        without_last_condition(original.body),
    )


def without_last_condition(body: str) -> str:
    """Return the body with its last condition as a statement: "If she ate 5," -> "She ate 5."."""
    at = body.rfind("If ")
    if at < 0 or not body.endswith(",") or len(body) < at + 5:
        return body
    return f"{body[:at]}{body[at + 3].upper()}{body[at + 4 : -1]}."


def other_operation(original: Problem, perturbed: Problem) -> bool:
    """the equation applies other operations, to numbers that the text states"""
    old, new = expression.parse(original.equation), expression.parse(perturbed.equation)
    stated = {one.value.as_integer_ratio() for one in numerals.stated(perturbed.text)} | set(
        perturbed.ratios()
    )
    numbers = {leaf.ratio for leaf in new.leaves() if isinstance(leaf, expression.Number)}
    return old.operators != new.operators and numbers <= stated and len(new.leaves()) > 1


def answer_plausible(original: Problem, perturbed: Problem) -> bool:
    """the answer is positive, and whole where every number of the text is whole"""
    answer = perturbed.value()
    return answer > 0 and (answer.denominator == 1 or any(bottom != 1 for _, bottom in perturbed.ratios()))


@once_per_pair
def heads_kept(original: Problem, perturbed: Problem) -> bool:
    """every number still counts the same things"""
    return same_counted_values(original, perturbed)


@once_per_pair
def attachments_kept(original: Problem, perturbed: Problem) -> bool:
    """read again, every number keeps its noun, the numbers of its phrase and what ties it (each, times, with)"""
    return same_attachments(original.text, perturbed.text) and _ifs(perturbed) <= max(1, _ifs(original))


@once_per_pair
def introductions_kept(original: Problem, perturbed: Problem) -> bool:
    """read again, nothing is spoken of as known ("the stand") before it is brought in ("a stand")"""
    return introduced_as_before(original.text, perturbed.text)


# "given that Amy ...; and that Ben ...": these words do not refer to anything.
_GIVEN_THAT = re.compile(r"((?:\bgiven|\bknown|\band|[,;]) )that ")


@once_per_pair
def given_after_asked(original: Problem, perturbed: Problem) -> bool:
    """read again, the question takes nothing for known ("the pond") that only what is given brings in"""
    text = perturbed.text
    return introduced_as_before(original.text, _GIVEN_THAT.sub(r"\1", text) if " that " in text else text)


def ties_kept(original: Problem, perturbed: Problem) -> bool:
    """read again, every number keeps the numbers of its phrase and what ties it, whatever it counts"""
    return same_attachments(original.text, perturbed.text, nouns=False)


def _ifs(problem: Problem) -> int:
    return len(_IF.findall(problem.text.lower()))


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


_KNOWN = re.compile(
    r"\b(?:[Tt]he|[Tt]his|[Tt]hat|[Tt]hese|[Tt]hose) (?=([a-z]+)(?: ([a-z]+))?(?: ([a-z]+))?)"
)


def introduced_as_before(before: str, after: str) -> bool:
    """Return whether the second text takes a noun as known before naming it only if the first does.

    >>> text = "A stand sells 9 pies. How many days does the stand need to sell 90?"
    >>> introduced_as_before(text, "How many days does the stand need to sell 90 if a stand sells 9 pies?")
    False
    """
    old, new = before.lower(), after.lower()
    return not any(_opens_as_known(noun, new) and not _opens_as_known(noun, old) for noun in _known(after))


@lru_cache(maxsize=256)
def _known(text: str) -> frozenset[str]:
    """Return the nouns of "the ...": up to three words, none of them a verb."""
    found: set[str] = set()
    for match in _KNOWN.finditer(text):
        phrase: list[str] = []
        for word in match.groups():
            if word is None or word in NO_HEAD_NOUNS or (phrase and is_verb(word) and not word.endswith("s")):
                break
            phrase.append(word)
        # "the bus carries": the second word may be a verb, so the first one is also a candidate.
        found |= {_stem(word) for word in phrase if len(_stem(word)) > 2}
    return frozenset(found)


_POINTERS = frozenset(("the", "this", "that", "these", "those"))
_PLURAL_END = re.compile(r"(?:e?s)?\b")
_POINTER = re.compile(r"\b(?:the|this|that|these|those)\Z")
_LETTERS = re.compile(r"[a-z'’]+")
_MAX_BETWEEN = 3


def _opens_as_known(stem: str, text: str) -> bool:
    """Return whether the first mention of the noun follows "the", with at most three words between."""
    at, end = -1, None
    while end is None:
        at = text.find(stem, at + 1)
        if at < 0:
            return False
        if at == 0 or not (text[at - 1].isalnum() or text[at - 1] == "_"):
            end = _PLURAL_END.match(text, at + len(stem))
    words = text[: max(0, at - 1)].rsplit(" ", _MAX_BETWEEN + 1)[-_MAX_BETWEEN - 1 :]
    for word in reversed(words if text[at - 1 : at] == " " else ()):
        if _POINTER.search(word):
            return True
        if word in ("a", "an") or not _LETTERS.fullmatch(word):
            break
    # "those who ... those": the noun is such a word, and occurs once more after it.
    return text[at : end.end()] in _POINTERS and _is_repeated(stem, text[at:])


def _is_repeated(pointer: str, text: str) -> bool:
    first = rf"(?:the|this|that|these|those) (?:(?!an? )[a-z'’]+ ){{0,3}}\b{pointer}(?:e?s)?\b"
    return re.match(first, text) is not None


def _stem(word: str) -> str:
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word.removesuffix("s")


# The end of a number's scope: "5 pens with caps | and 3 cups | , ..."
_BOUNDARY = re.compile(r"[,;:.!?](?!\d)|\b(?:and|but|while|then|if|so|or|because)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z']+")
# "for $3", "for 5 minutes", "for each friend". In "8 pens and 3 cups for her sister", both are for her.
_FOR = re.compile(r"\bfor (?=\$|\d|each\b|every\b|a total\b|the price\b)")
_COUNTS = frozenset(("money", "percent"))


class Attachment(NamedTuple):
    """A number, its noun, the other numbers of its phrase and the words that tie it."""

    value: Fraction
    noun: str  # the head of the counted phrase; empty if the text leaves it out
    companions: tuple[Fraction, ...]
    ties: tuple[str, ...]
    before: str


@lru_cache(maxsize=64)
def attachments(text: str) -> list[Attachment]:
    """Return the attachments of all numbers of a text, smallest value first.

    >>> [(one.noun, one.ties, one.before) for one in attachments("Two tables with 4 legs and 9 chairs.")]
    [('tables', ('with',), ''), ('legs', (), 'with'), ('chairs', (), '')]
    """
    quantities = numerals.find(text)
    inside = [(quantity.start, quantity.end) for quantity in quantities]
    cuts = [
        match.end()
        for match in _BOUNDARY.finditer(text)
        if not any(start <= match.start() < end for start, end in inside)
    ]
    found: list[Attachment] = []
    first_before, last_end = "", -1
    for at, quantity in enumerate(quantities):
        start = max((cut for cut in cuts if cut <= quantity.start), default=0)
        end = min((cut for cut in cuts if cut >= quantity.end), default=len(text))
        own = [other for other in quantities if start <= other.start and other.end <= end]
        stop = quantities[at + 1].start if quantity is not own[-1] else end
        following_words = [word.lower() for word in _WORD.findall(text[quantity.end : stop])]
        noun = counted_noun(text, quantity.end)
        leading = _WORD.findall(text[start : quantity.start])
        before = leading[-1].lower() if leading and leading[-1].lower() in TYING_WORDS_BEFORE_NUMBER else ""
        if quantity is own[0]:
            # "among 4 boys and 3 girls": the word before a list applies to all of it.
            joined = not leading and last_end >= 0 and not text[last_end:start].strip(" ,and")
            first_before = first_before if joined else before
            before, last_end = first_before, end
        ties = [word for word in following_words if word in TYING_WORDS]
        ties += ["for"] * len(_FOR.findall(text[quantity.end : end]))
        if (quantity.value.denominator != 1 or quantity.kind in _COUNTS) and following_words[:1] == ["of"]:
            ties.append("of")
        companions = tuple(sorted(other.value for other in own if other is not quantity))
        found.append(Attachment(quantity.value, noun, companions, tuple(ties), before))
    return sorted(found)


def same_attachments(before: str, after: str, *, nouns: bool = True) -> bool:
    """Return whether every number is tied to the same words in both texts. One of them may omit a noun.

    Without `nouns`, the things counted may differ.
    """
    old, new = attachments(before), attachments(after)
    if len(old) != len(new):
        return False
    return all(
        one.value == two.value
        and one[2:] == two[2:]
        and (not nouns or one.noun == two.noun or not one.noun or not two.noun)
        for one, two in zip(_paired(old), _paired(new), strict=True)
    )


def _paired(found: list[Attachment]) -> list[Attachment]:
    """Sort in an order that does not depend on nouns, which a text may omit."""
    return sorted(found, key=lambda one: (one.value, one.companions, one.ties, one.before, one.noun))

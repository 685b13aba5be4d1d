"""Promises about numbers: checks of values, targets, denials and statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat, starmap

from dnc_datasets import expression, numerals
from dnc_datasets.certificate.changes import changed_numbers, changed_texts
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Number
from dnc_datasets.memoization import memoized, once_per_pair
from dnc_datasets.numerals import Ratio, cardinals
from dnc_datasets.numerals.cardinals import spell_digits
from dnc_datasets.problem import Problem

# "(not £87m)"
_SCALE_LETTER = re.compile(r"(?<=\d)(?:k|m|mn|bn|b)\Z", re.IGNORECASE)
# "(not 87 basis points)"
_POINTS = re.compile(r"(?<=\d) (?:basis|percentage) points\Z")
# "(not 87)", and "( not $ 87 )" of tokenised text.
_DENIED = re.compile(r" \( ?not ([^()]+)\)")
_DENIED_IN_CHINESE = re.compile(r"(?: \( ?not |（不是)([^()（）]+)[)）]")  # the same without wide brackets
_FEW_DIGITS = 18
_DIGITS = re.compile(r"([-−])?((?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)( ?%)?")
_MAX_SPELLED = 33


# The note on a row whose number words are in a language that `numerals` does not read.
SPELLED_IN = "spelled_in"


def target_kept(original: Problem, perturbed: Problem) -> bool:
    """equation, answer and unit are the original's"""
    return (
        original.equation == perturbed.equation
        and original.answer == perturbed.answer
        and original.answers == perturbed.answers
        and original.unit == perturbed.unit
    )


def equation_gives_answer(original: Problem, perturbed: Problem) -> bool:
    """the equation evaluates to the answer, exactly"""
    try:
        return perturbed.expected_answer() == perturbed.answer
    except ExpressionError:
        return False


def values_kept(original: Problem, perturbed: Problem) -> bool:
    """both texts hold the same values in the same order"""
    if language := perturbed.note(SPELLED_IN):
        before, after = original.texts(), perturbed.texts()
        return len(before) == len(after) and all(
            was[0] == now[0] and _spelled_again(was[1], now[1], language)
            for was, now in zip(before, after, strict=True)
        )
    numbers = changed_numbers(original, perturbed)
    return numbers is not None and numbers[0] == numbers[1]


def numbers_spelled(original: Problem, perturbed: Problem) -> bool:
    """both texts hold the same values in the same order, or differ only by digits in the words of num2words"""
    if values_kept(original, perturbed):
        return True
    texts = changed_texts(original, perturbed)
    return texts is not None and all(_spelled_form(was).fullmatch(now) for was, now in texts)


def text_elsewhere_kept(original: Problem, perturbed: Problem) -> bool:
    """nothing but numbers changed"""
    texts = changed_texts(original, perturbed)
    if texts is None:
        return False
    only_numbers_differ = (
        _only_numbers_differ_in_passage if original.note("passage") else _only_numbers_differ
    )
    return all(starmap(only_numbers_differ, texts))


def operands_moved(original: Problem, perturbed: Problem) -> bool:
    """the numbers that changed are the equation's operands, each to the value the new equation uses"""
    numbers = changed_numbers(original, perturbed)
    old, new = expression.parse(original.equation), expression.parse(perturbed.equation)
    old_leaves, new_leaves = old.leaves(), new.leaves()
    if numbers is None or len(old_leaves) != len(new_leaves) or old.signs != new.signs:
        return False
    moves: dict[Ratio, Ratio] = {}
    for was, now in zip(*numbers, strict=True):
        if was != now:
            if was in moves:  # it is ambiguous which of the two the equation means
                return False
            moves[was] = now
    unused = set(moves)
    for leaf, new_leaf in zip(old_leaves, new_leaves, strict=True):
        if not isinstance(leaf, Number) or not isinstance(new_leaf, Number):
            return False
        if new_leaf.ratio != moves.get(leaf.ratio, leaf.ratio):
            return False
        unused.discard(leaf.ratio)
    return bool(moves) and not unused


def distractors_new(original: Problem, perturbed: Problem) -> bool:
    """every denied number is positive, new to the problem, and is after a number of it"""
    denied = _without_denials(original, perturbed)[1]
    return bool(denied) and min(denied)[0] > 0 and set(original.ratios()).isdisjoint(denied)


def rest_is_original(original: Problem, perturbed: Problem) -> bool:
    """without the denials, the text is the original's to the letter"""
    return _without_denials(original, perturbed)[0] == _text(original)


def statement_added(original: Problem, perturbed: Problem) -> bool:
    """one statement with only new numbers was added to the body and nothing else changed"""
    kept = (original.question, original.table, original.history)
    if (perturbed.question, perturbed.table, perturbed.history) != kept:
        return False
    before, after = ("\n".join((problem.body, *problem.segments)) for problem in (original, perturbed))
    known = set(original.ratios())
    for added, at in _insertions(before, after):
        new = {quantity.ratio for quantity in numerals.find(added)}
        # A separate paragraph may follow a heading, which has no full stop.
        own = after[at : at + 1] == "\n"
        after_sentence = own or not before[:at].strip() or before[:at].rstrip("\"') \n")[-1:] in ".!?。！？"
        if added.endswith((".", "。")) and after_sentence and new and new.isdisjoint(known):
            return True
    return False


def statement_appended(original: Problem, perturbed: Problem) -> bool:
    """one statement with only new numbers ends the body and nothing else changed"""
    kept = (original.question, original.table, original.history)
    if (perturbed.question, perturbed.table, perturbed.history) != kept:
        return False
    before, after = ("\n".join((problem.body, *problem.segments)) for problem in (original, perturbed))
    if not after.startswith(before.rstrip()):
        return False
    added = after[len(before.rstrip()) :].strip()
    new = {quantity.ratio for quantity in numerals.find(added)}
    return added.endswith((".", "。")) and bool(new) and new.isdisjoint(original.ratios())


def question_removed(original: Problem, perturbed: Problem) -> bool:
    """the body is the original's and the question is empty"""
    return perturbed == original.replace(question="")


CHECKS = (
    target_kept,
    equation_gives_answer,
    values_kept,
    numbers_spelled,
    text_elsewhere_kept,
    operands_moved,
    distractors_new,
    rest_is_original,
    statement_added,
    statement_appended,
    question_removed,
)


def _insertions(before: str, after: str) -> Iterator[tuple[str, int]]:
    """Yield every text, with its position in `before`, whose insertion there gives `after`."""
    longer = len(after) - len(before)
    first = len(before) - _shared(before[::-1], after[::-1])
    for at in range(_shared(before, after), first - 1, -1) if longer > 0 else ():
        yield after[at : at + longer].strip(), at


def _shared(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    return next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


@once_per_pair
def _without_denials(original: Problem, perturbed: Problem) -> tuple[str, list[Ratio]]:
    """Return the text of the perturbed problem without its denials, and the numbers that they deny."""
    text = _text(perturbed)
    pattern = _DENIED_IN_CHINESE if "（" in text or "）" in text else _DENIED
    pieces = pattern.split(text)
    inner = pieces[1::2]
    digits = "".join(inner)
    if digits.isascii() and digits.isdigit() and max(map(len, inner)) < _FEW_DIGITS:  # nearly all
        return "".join(pieces[::2]), list(zip(map(int, inner), repeat(1)))
    denied = [number for number in map(_denied, inner) if number is not None]
    return pattern.sub(_without_number, text), denied


def _without_number(denial: re.Match[str]) -> str:
    # Other brackets such as "(not counting guests)" belong to the source.
    return denial[0] if _denied(denial[1]) is None else ""


def _denied(text: str) -> Ratio | None:
    text = _POINTS.sub("", text.rstrip(" "))
    number = numerals.parse(text if text.isdigit() else _SCALE_LETTER.sub("", text))
    return None if number is None else number.as_integer_ratio()


def _text(problem: Problem) -> str:
    # A line break prevents a number across the boundary of two texts.
    return "\n".join([text for _, text in problem.texts()])


def _spelled_again(before: str, after: str, language: str) -> bool:
    """Return whether two texts differ only in numbers that are unchanged or spelled in their words."""
    at = done = 0
    for quantity in numerals.find(before):
        gap = before[done : quantity.start]
        if not after.startswith(gap, at):
            return False
        at, done = at + len(gap), quantity.end
        if not after.startswith(quantity.text, at):
            words = cardinals.spell(int(quantity.value), language) if quantity.is_integer else quantity.text
            if after[at : at + len(words)].lower() != words.lower():
                return False
            at += len(words)
        else:
            at += len(quantity.text)
    return after[at:] == before[done:]


def _spelled_form(text: str) -> re.Pattern[str]:
    """Return a pattern for the text in which each number in digits may be in words.

    For example, "-5%" is "minus five percent" or "-five percent".
    """
    parts = []
    at = 0
    for token in _DIGITS.finditer(text):
        sign, digits, percent = token.groups(default="")
        words = [re.escape(token[0])]
        if len(digits) <= _MAX_SPELLED:
            ending = " percent" if percent else ""
            words += [f"{sign}{spell_digits(digits)}{ending}", f"{spell_digits(sign + digits)}{ending}"]
        # Each form occurs once: with two equal forms, a text that differs at its end takes exponential time.
        parts += [re.escape(text[at : token.start()]), f"(?:{'|'.join(dict.fromkeys(words))})"]
        at = token.end()
    return re.compile("".join((*parts, re.escape(text[at:]))))


def _only_numbers_differ(was: str, now: str) -> bool:
    """Return whether two texts have the same number of numbers, and the same text around them."""
    before, after = numerals.find(was), numerals.find(now)
    if len(before) != len(after):
        return False
    at = place = 0
    for old, new in zip(before, after, strict=True):
        if was[at : old.start] != now[place : new.start]:
            return False
        at, place = old.end, new.end
    return was[at:] == now[place:]


# Many questions share a passage. Other problems have unique texts, which are not worth caching.
_only_numbers_differ_in_passage = memoized(_only_numbers_differ)

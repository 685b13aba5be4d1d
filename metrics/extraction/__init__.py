"""Reads the answer or the equation from a model's output, and returns the rule that read it.

An answer is read by these rules, in this order. The first rule that gives a number applies:

    json         {"answer": 42}, if the text is JSON
    hash         #### 42
    boxed        \\boxed{42}
    tag          <answer>42</answer>
    answer_is    the answer is 42; final answer: 42; 答案是42
    heading      a line "A: 42" or "Answer: 42 apples", or such a heading above a line with the number
    bare         the entire text is a number, perhaps with a unit: "42 apples."
    equals       the text ends in "= 42"
    last_number  the last number in the text, as a guess
    not_found    there is no number, or it is "either 5 or 6"
    truncated    the text ends while the model is still thinking (see `_thinking`)

Of hash, boxed, tag and answer_is, the last one in the text applies, so that a model may correct itself. Text
after the model turns to another question or repeats itself is ignored (see `_markers`). All but the last
three rules are *explicit*.

After a marker, the first number of the sentence is the answer ("the answer is 42, for 6 bags"), or the number
that corrects it ("the answer is 7, no, sorry: 5"). A calculation is read by its result ("the answer is 40 + 2
= 42"), or by its value if it has no result. A measure in two units ("3 hours and 20 minutes") is read in the
unit of the question, or not at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from importlib import resources
from itertools import islice, pairwise
from typing import Any, NamedTuple

from dnc_datasets import numerals
from dnc_metrics.errors import MetricError
from dnc_metrics.extraction import measures
from dnc_metrics.extraction.equation_text import FoundEquation, equation
from dnc_metrics.extraction.final_number import (
    OPERATOR,
    SENTENCE_END,
    before_the_bracket,
    before_the_denial,
    before_the_reason,
    calculation,
    end_of_chain,
    last_numbers,
)
from dnc_metrics.extraction.markers import (
    MAX_MARKS,
    SEGMENT,
    has_number,
    has_words,
    marked,
    own_words,
    runs_on,
)
from dnc_metrics.extraction.plain_text import collapsed, tidy, western, window
from dnc_metrics.extraction.thinking import spoken

__all__ = [
    "EXPLICIT",
    "LAST_NUMBER",
    "NOT_FOUND",
    "RULES",
    "TRUNCATED",
    "Found",
    "FoundEquation",
    "answer",
    "equation",
    "phrase",
    "plain",
]

NOT_FOUND, TRUNCATED, LAST_NUMBER = "not_found", "truncated", "last_number"
_MARKED = ("json", "hash", "boxed", "tag", "answer_is", "heading", "bare", "equals")
EXPLICIT = frozenset(_MARKED)
RULES = (*_MARKED, LAST_NUMBER, NOT_FOUND, TRUNCATED)


class Found(NamedTuple):
    """A number read from text: exact value, the rule that read it, its spelling, its kind ("percent")."""

    value: Fraction | None
    rule: str
    text: str
    kind: str = ""

    @property
    def explicit(self) -> bool:
        """Return whether the model marked the number as its answer."""
        return self.rule in EXPLICIT


_NOTHING = Found(None, NOT_FOUND, "")
_TRUNCATED = Found(None, TRUNCATED, "")
_JSON_NAMES = ("final_answer", "answer", "finalanswer", "result", "value", "solution", "output", "答案")
_BARE = 60  # maximum number of characters of an answer in digits, perhaps with a unit
_BARE_WORDS = 200  # and in words: "seven hundred and forty-five thousand two hundred and fifty-two"
# Every pattern below is linear. White space is collapsed before, so that short bounds on it suffice.
_HEADING = re.compile(r"^[ \t>#*-]{0,12}(?:A|Ans|Answer|Solution|Result) ?\d? ?[:.)] {0,3}(.*)$", re.I | re.M)
_ANSWER_HEADING = re.compile(r"\n[ >#*-]{0,12}(?:Final )?Answer ?[:.] {0,3}(.*)$", re.I | re.M)
_NUMBER_LEAD = re.compile(
    r"[\s$€£¥₹(=:~\"']{0,12}(?:(?:about|approximately|exactly|only|around|is|it's)\s[\s$€£¥₹(]{0,6})?"
)
# "7, no, sorry: 5" and "7. Wait, I mean 5": the number after the correction is the answer.
_CORRECTED = re.compile(
    r"\d[^.!?\n]{0,30}[.,;:!?…–—-]{1,3}\s{0,2}"
    r"(?:(?:(?:no|wait)[,;:.!…–—-]|sorry|oops|hold on|my mistake|correction|scratch that|make that|I meant?)"
    r"[,;:.!…–— -]{1,4}){1,4}"
    r"(?:(?:actually|rather)[, ]{1,2})?(?:(?:it|that|the answer)(?:['’]s| is| should be)\s)?(?=[$€£]?-?\d)",
    re.I,
)
_DIGIT = re.compile(r"\d")
_UNIT_SIGNS = " \t\n.!?,;:()\"'{}[]$%°¢。"
_UNIT_WORD = re.compile(r"[A-Za-z²³'()\-\u4e00-\u9fff]{1,20}")
_MAX_UNIT_WORDS = 5
_OR = re.compile(
    r"[^.;:\n]{0,30}?\bor\b[ $€£~(]{0,4}(?:about |even |maybe |perhaps )?[$€£~-]?|[^.;:\n]{0,12}?或者?"
)
_UNKNOWN = re.compile(r"[\s:*\"']{0,6}(?:unknown|unclear|undefined|impossible|cannot|can't|not )", re.I)
_EXPLAINED = re.compile(r"[.!?](?=\s)|\s\(|,?\s(?:because|since|as)\s")
_ARITHMETIC = re.compile(r"[-+*/^×÷·().,\d\s$%]+")
_NO_OPERAND = frozenset(("date", "time", "range", "ordinal"))
_GUESS_LAST = frozenset(("ordinal", "time", "date"))  # "on the 3rd day": rarely the answer


def answer(text: str, unit: str = "") -> Found:
    """Return the number of a model's answer; `unit` is the unit that the question asks for, if known.

    >>> answer("She has 3 + 4 = 7. The answer is 7 apples.\\n\\nQ: Tom has 9")
    Found(value=Fraction(7, 1), rule='answer_is', text='7', kind='cardinal')
    >>> answer("I cannot tell.").rule, answer("<think>So the answer is 5, but").rule
    ('not_found', 'truncated')
    """
    value = plain(text)
    if value is not None:
        return Found(value, "bare", text)
    shown, unfinished = _shown(text, has_number)
    if unfinished:
        return _TRUNCATED
    if "{" in shown:
        found = _in_json(shown, unit)
        if found is not None:
            return found
    return _last_marked(shown, unit) or _unmarked(tidy(shown), unit)


def plain(text: str) -> Fraction | None:
    """Return the value of a text that consists of digits, as most golds and many answers do."""
    if isinstance(text, str) and text.isdigit() and text.isascii() and len(text) <= _BARE:
        return Fraction(int(text))
    return None


def phrase(text: str, like: str = "") -> tuple[str, str]:
    """Return the answer in words and its rule: after a marker, under a heading, or the entire text.

    After a marker it is one sentence, or the number of sentences of `like`, since an answer such as "Ann K.
    Lee" may look like two.

    >>> phrase("Both are taller, so the answer is yes.")
    ('yes', 'answer_is')
    """
    return next(phrases(text, like))


def phrases(text: str, like: str = "") -> Iterator[tuple[str, str]]:
    """Yield candidate answers in words, most certain first; the last is the entire text."""
    shown, unfinished = _shown(text, has_words)
    if unfinished:
        yield "", TRUNCATED
        return
    like = tidy(like)
    sentences = 1 + sum(end.end() < len(like) for end in SENTENCE_END.finditer(like))
    given = _json_value(shown) if "{" in shown else None
    if given is not None:
        yield _first_sentences(given, sentences), "json"
        return
    for segment, mark in marked(shown, max(SEGMENT, 2 * len(like))):
        words = _first_sentences(tidy(segment), sentences)
        if words:
            yield words, mark.rule
    heading = _HEADING.search(tidy(shown))
    words = _first_sentences(heading[1], sentences) if heading else ""
    if words:
        yield words, "heading"
    bare = shown.strip(" \t\n。")
    yield bare, "bare" if bare else NOT_FOUND


def _first_sentences(segment: str, count: int) -> str:
    segment = segment.strip(" \t\n:*=>\"'")
    ends = list(islice(SENTENCE_END.finditer(segment), count))
    return (segment[: ends[-1].start()] if len(ends) == count else segment).strip(" \t\n\"'")


def _shown(text: str, has_answer: Callable[[str], bool]) -> tuple[str, bool]:
    """Return the model's own words without reasoning and later questions; and whether reasoning is open."""
    if not isinstance(text, str):
        raise MetricError(f"a prediction must be text, not {type(text).__name__}")
    said, unfinished = spoken(western(text))
    return own_words(collapsed(window(said)), has_answer), unfinished


def _in_json(text: str, unit: str) -> Found | None:
    given = _json_value(text)
    return _stated(tidy(given), "json", unit) if given is not None else None


def _json_value(text: str) -> str | None:
    """Return the answer in a text that is a JSON object, perhaps in a code block; None for other texts."""
    text = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        found = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    for _ in range(3):  # {"answer": {"value": "42", "unit": "apples"}}
        if isinstance(found, dict):
            names = {str(name).lower().replace(" ", "_"): name for name in found}
            name = next((names[known] for known in _JSON_NAMES if known in names), None)
            found = (
                found[name] if name is not None else next(iter(found.values())) if len(found) == 1 else None
            )
        elif isinstance(found, list) and len(found) == 1:
            found = found[0]
    if isinstance(found, bool):
        return str(found).lower()
    return found if isinstance(found, str) else None


def _last_marked(text: str, unit: str) -> Found | None:
    """Return the number after the last explicit marker with one, or under a later heading."""
    for segment, mark in marked(text):
        if _UNKNOWN.match(segment):
            return _NOTHING
        found = _stated(tidy(segment), mark.rule, unit)
        if found is None:
            continue
        if text.find("nswer", mark.end) >= 0:
            rest = text[mark.end : runs_on(text, mark.end)]
            return _headed(tidy(rest), unit, _ANSWER_HEADING) or found
        return found
    return None


def _stated(segment: str, rule: str, unit: str) -> Found | None:
    """Return the number of the sentence after a marker."""
    while correction := _CORRECTED.search(segment):
        segment = segment[correction.end() :]
    segment = segment.lstrip(" \t\n:*=>\"'(")
    if segment.startswith("- ") and segment[2:3].isdigit():
        segment = "-" + segment[2:]
    if not segment:
        return None
    end = SENTENCE_END.search(segment)
    return _result(segment[: end.end()] if end else segment, rule, unit)


def _result(sentence: str, rule: str, unit: str) -> Found | None:
    """Return the first number of a sentence, or the result of a calculation that starts there."""
    quantities = numerals.find(sentence)
    if not quantities:
        return None
    first = quantities[0]
    start = first.start
    while start and sentence[start - 1] in "($ -":
        start -= 1
    if "=" in sentence:
        at = end_of_chain(sentence, start)
        for quantity in quantities:
            if at > start and quantity.start >= at:
                return Found(quantity.value, rule, quantity.text, quantity.kind)
    if len(quantities) > 1 and first.kind not in _NO_OPERAND:
        value = calculation(sentence, start)
        if value is not None:
            return Found(value[0], rule, value[1], "calculation")
    return _taken(sentence, quantities, 0, rule, unit)


def _taken(text: str, quantities: Sequence[numerals.Quantity], place: int, rule: str, unit: str) -> Found:
    """Return a number of a text with its measure or fraction; empty if it is one of two alternatives."""
    one = quantities[place]
    if len(quantities) == 1:
        return Found(one.value, rule, one.text, one.kind)
    if (" or " in text or "或" in text) and _is_alternative(text, quantities, place):
        return _NOTHING
    if place and text[quantities[place - 1].end : one.start] == "/" and one.value:
        top = quantities[place - 1]  # "2074/27" after other words, where 2074 could be a year
        minus = text[max(0, top.start - 2) : top.start].lstrip() == "-"
        part = -top.value / one.value if minus else top.value / one.value
        return Found(part, rule, f"{'-' if minus else ''}{top.text}/{one.text}", "fraction")
    measure = measures.joined(text, quantities, place)
    if measure is None:
        return Found(one.value, rule, one.text, one.kind)
    parts = quantities[measure[0] : measure[1] + 1]
    value = measures.value(text, parts, unit)
    return _NOTHING if value is None else Found(value, rule, text[parts[0].start : parts[-1].end], "measure")


def _is_alternative(text: str, quantities: Sequence[numerals.Quantity], place: int) -> bool:
    """Return whether this number is one of two alternatives, as in "5 or 6"; "1/2 or 0.5" is one number."""
    near = quantities[max(0, place - 1) : place + 2]
    return any(
        first.value != second.value and _OR.fullmatch(text, first.end, second.start)
        for first, second in pairwise(near)
    )


def _is_unit(text: str, start: int) -> bool:
    """Return whether the rest of the text is a unit of a few words, or only the end of a sentence."""
    rest = text[start : start + 2 * _BARE]
    if len(text) > start + 2 * _BARE:
        return False
    words = rest.strip(_UNIT_SIGNS).replace("/", " ").split()
    return len(words) <= _MAX_UNIT_WORDS and all(map(_UNIT_WORD.fullmatch, words))


def _unmarked(text: str, unit: str) -> Found:
    """Read an answer without a marker: under a heading, alone, after an equals sign, or the last number."""
    text = text.strip()
    if len(text) <= _BARE or (len(text) <= _BARE_WORDS and not _DIGIT.search(text)):
        found = _short(text, "bare", unit)
        if found is not None:
            return found
    if _ARITHMETIC.fullmatch(text) and OPERATOR.search(text):
        # The text is only a calculation without a value; no number in it is the answer.
        return _NOTHING
    heading = _headed(text, unit, _HEADING) if ":" in text or "." in text or ")" in text else None
    return heading or _at_the_end(text, unit)


def _headed(text: str, unit: str, pattern: re.Pattern[str]) -> Found | None:
    """Return the number under the last heading that has one."""
    for heading in reversed(list(islice(pattern.finditer(text), MAX_MARKS))):
        below = text[heading.end() : heading.end() + SEGMENT].lstrip()
        line = heading[1].strip() or below.partition("\n")[0].strip(" \t*-#>")
        found = _short(line[:SEGMENT], "heading", unit) or _opening(line[:SEGMENT], unit)
        if found is not None:
            return found
    return None


def _short(line: str, rule: str, unit: str) -> Found | None:
    """Return the number of a line: a number, perhaps with a unit, a calculation, or a number in words."""
    line = line.strip()
    value = numerals.parse(line) if len(line) <= _BARE_WORDS else None
    if value is not None:
        return Found(value, rule, line.rstrip("."), "percent" if line.endswith("%") else "")
    quantities = numerals.find(line)
    if not quantities:
        return None
    first = quantities[0]
    # "123 third graders": an ordinal after the number belongs to the unit.
    quantities = (first, *(other for other in quantities[1:] if other.kind != "ordinal"))
    if "=" in line or len(quantities) > 1:
        begins = _NUMBER_LEAD.match(line)
        leads = begins is not None and begins.end() >= first.start
        result = _result(line, rule, unit) if leads else None
        if result is not None and result.kind == "measure":
            return result
        if result is not None and result.text != first.text:
            end = line.rfind(result.text) + len(result.text)
            return result if result.value is None or _is_unit(line, end) else None
        if len(quantities) > 1:
            # "-5 (a loss of 5)": the bracket explains the number before it.
            bracket = line.find(" (")
            if first.end <= bracket < quantities[1].start and line.rstrip(". ").endswith(")"):
                return _short(line[:bracket], rule, unit)
            return None
    lead = line[: first.start]
    if rule == "heading":
        return Found(first.value, rule, first.text, first.kind)
    alone = _NUMBER_LEAD.fullmatch(lead) is not None and _is_unit(line, first.end)
    return Found(first.value, rule, first.text, first.kind) if alone else None


def _opening(line: str, unit: str) -> Found | None:
    """Return the number at the start of a line that then explains it: "42. Because 6 times 7 is 42."."""
    end = _EXPLAINED.search(line)
    opening = line[: end.start()] if end else ""
    # A calculation may be the first of several steps.
    return _short(opening, "heading", unit) if "=" not in opening and len(opening) <= _BARE else None


def _at_the_end(text: str, unit: str) -> Found:
    quantities = last_numbers(text)
    if not quantities:
        return _NOTHING
    tail, found = quantities
    last = found[-1]
    before = tail[: last.start].rstrip(" $€£(")
    if before.endswith("=") and _is_unit(tail, last.end):
        return Found(last.value, "equals", last.text, last.kind)
    place = len(found) - 1
    while place and found[place].kind in _GUESS_LAST:
        place -= 1
    if found[place].kind in _GUESS_LAST:
        place = len(found) - 1
    else:
        place = before_the_denial(tail, found, before_the_bracket(tail, found, place))
        place = before_the_reason(tail, found, place)
    return _taken(tail, found, place, LAST_NUMBER, unit)


def reply_cases() -> list[dict[str, Any]]:
    """Return the public set of replies: each text, the value of its answer or None, and the reading rule."""
    text = resources.files(__name__).joinpath("reply_cases.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)
    return found

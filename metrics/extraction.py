"""Reads the answer, or the equation, from what a model wrote, and says by which rule.

An answer is looked for by these rules, in this order; the first that gives a number is taken:

    hash         #### 42
    boxed        \\boxed{42}
    tag          <answer>42</answer>
    answer_is    the answer is 42; final answer: 42; 答案是42
    heading      a line "A: 42" or "Answer: 42 apples", or such a heading above a line with the number
    bare         the whole text is a number, perhaps with a unit: "42 apples."
    equals       the text ends in "= 42"
    last_number  the last number in the text: the fallback, and no more than a guess
    not_found    there is no number

Of hash, boxed, tag and answer_is the one that stands first in the text wins, so that nothing counts that a
model goes on to write after its answer. Text from a new question on ("\\nQ:", "<|im_end|>") is read only
where there is no number before it. All but the last two rules are *explicit*.

After a marker the first number of the sentence counts ("the answer is 42, for 6 bags"); a calculation
counts by its result ("the answer is 40 + 2 = 42"), or by its value where no result is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_metrics._equation_text import FoundEquation, equation
from dnc_metrics._tidy import collapsed, tidy, window
from dnc_metrics.errors import MetricError

__all__ = [
    "EXPLICIT",
    "LAST_NUMBER",
    "NOT_FOUND",
    "RULES",
    "Found",
    "FoundEquation",
    "answer",
    "equation",
    "phrase",
    "plain",
]

NOT_FOUND, LAST_NUMBER = "not_found", "last_number"
EXPLICIT = frozenset(("hash", "boxed", "tag", "answer_is", "heading", "bare", "equals"))
RULES = ("hash", "boxed", "tag", "answer_is", "heading", "bare", "equals", LAST_NUMBER, NOT_FOUND)


class Found(NamedTuple):
    """A number read from text: exact value, the rule that found it, its spelling, its kind ("percent")."""

    value: Fraction | None
    rule: str
    text: str
    kind: str = ""

    @property
    def explicit(self) -> bool:
        """Whether the model marked it as its answer, so that it is not a guess of ours."""
        return self.rule in EXPLICIT


_NOTHING = Found(None, NOT_FOUND, "")
_SEGMENT = 200  # characters after a marker in which its number must stand
_TAIL = 400  # characters of the first look at the end of a text
_MAX_MARKS = 50  # places of one text that are looked at
_BARE = 60  # characters of a text that is nothing but an answer

# Every pattern below is linear: white space is collapsed before, so that a few characters of it are enough.
_NEXT_QUESTION = re.compile(
    r"\n ?(?:\#{1,6} ?)?"
    r"(?:Q|Question|Problem|Exercise|User|Human|Instruction|Example|Passage|问题?|問) ?\d{0,4} ?[:：.]"
    r"|<\|(?:im_end|endoftext|eot_id|end|eos)\|>|</s>|\[INST\]",
    re.I,
)
_TAG = re.compile(r"<\s?(?:final_?)?answer\s?>\s{0,3}([^<]{1,200})", re.I)
_IS = (
    r"(?:is|are|was|would be|will be|should be|must be|equals|comes(?: out)? to|turns out to be|becomes)\b"
    r"(?!\s{1,3}not\b)"
    r"(?:\s(?:therefore|thus|then|simply|just|exactly|approximately|about|equal to|that)\b){0,4}"
)
_ANSWER = re.compile(
    rf"answers?\b\"?(?:\s(?:to|for|of|here)\b[^.:=\n]{{0,80}}?)?(?:\s?,\s?(?:then|therefore|thus)\s?,?)?"
    rf"\s{{0,3}}(?P<by>{_IS}|[:=]|-{{1,3}}>|→|⇒)\s{{0,3}}[:=]?",
    re.I,
)
_FINAL = re.compile(r"(?:final|the|my|correct|numerical|numeric|our)\s{1,3}$", re.I)
_CHINESE = re.compile(r"答案?\s?(?:是|为|為|:|：|=){1,3}\s{0,3}")
_HEADING = re.compile(r"^[ \t>#*-]{0,12}(?:A|Ans|Answer|Solution|Result) ?\d? ?[:.)] {0,3}(.*)$", re.I | re.M)
_NUMBER_LEAD = re.compile(
    r"[\s$€£¥₹(=:~\"']{0,12}(?:(?:about|approximately|exactly|only|around|is|it's)\s[\s$€£¥₹(]{0,6})?"
)
_DIGIT = re.compile(r"\d")
_UNIT_SIGNS = " \t\n.!?,;:()\"'{}[]$%°¢。"
_UNIT_WORD = re.compile(r"[A-Za-z²³'()\u4e00-\u9fff]{1,20}")
_MAX_UNIT_WORDS = 4
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
_EXPLAINED = re.compile(r"[.!?](?=\s)|\s\(|,?\s(?:because|since|as)\s")
# The pieces of a calculation: a number, a word of a unit, an operator, what may stand around a number.
_TERM = re.compile(
    r"(?P<number>-?[\d.,]{0,40}\d%?)|(?P<word>[a-z]{1,14}\b)|(?P<sign>[-+*/^×÷·])|[$€£()\s]", re.I
)
_MAX_TERMS = 13
_CALCULATION = re.compile(r"[$€£]?[(\s]{0,6}-?\d[\d.,\s()$€£+\-*/^×÷·]{0,200}[\d)]")
_ARITHMETIC = re.compile(r"[-+*/^×÷·().,\d\s$%]+")
_OPERATOR = re.compile(r"[+*/^×÷·]|(?<=[\s)])-|(?<=\d)-(?=\d)")
_NO_OPERAND = frozenset(("date", "time", "range", "ordinal"))
_GUESS_LAST = frozenset(("ordinal", "time", "date"))  # "on the 3rd day": rarely the answer


def answer(text: str) -> Found:
    """The number that a model gives as its answer.

    >>> answer("She has 3 + 4 = 7. The answer is 7 apples.\\n\\nQ: Tom has 9")
    Found(value=Fraction(7, 1), rule='answer_is', text='7', kind='cardinal')
    >>> answer("I cannot tell.").rule
    'not_found'
    """
    value = plain(text)
    if value is not None:
        return Found(value, "bare", text)
    shown = _own_words(text)
    return _first_marked(shown) or _unmarked(tidy(shown))


def plain(text: str) -> Fraction | None:
    """The value of a text that is nothing but digits: most golds, and many answers."""
    if isinstance(text, str) and text.isdigit() and text.isascii() and len(text) <= _BARE:
        return Fraction(int(text))
    return None


def phrase(text: str) -> tuple[str, str]:
    """The answer in words and the rule that found it: behind a marker, under a heading, or the whole text.

    >>> phrase("Both are taller, so the answer is yes.")
    ('yes', 'answer_is')
    """
    shown = _own_words(text)
    for segment, rule in _marked(shown):
        words = _first_sentence(tidy(segment))
        if words:
            return words, rule
    heading = _HEADING.search(tidy(shown))
    words = _first_sentence(heading[1]) if heading else ""
    return (words, "heading") if words else (shown.strip(), "bare" if shown.strip() else NOT_FOUND)


def _first_sentence(segment: str) -> str:
    segment = segment.strip(" \t\n:*=>\"'")
    end = _SENTENCE_END.search(segment)
    return (segment[: end.start()] if end else segment).strip(" \t\n\"'")


def _own_words(text: str) -> str:
    """The text up to where the model goes on to another question."""
    if not isinstance(text, str):
        raise MetricError(f"a prediction must be text, not {type(text).__name__}")
    shown = collapsed(window(text))
    cut = _NEXT_QUESTION.search(shown) if "\n" in shown or "<" in shown or "[" in shown else None
    start = 0
    while cut is not None and not _has_number(shown[start : cut.start()]):
        start = cut.end()
        cut = _NEXT_QUESTION.search(shown, start)
    return shown if cut is None else shown[: cut.start()]


def _has_number(text: str) -> bool:
    return _DIGIT.search(text) is not None or bool(numerals.find(text[-_TAIL:]))


def _first_marked(text: str) -> Found | None:
    """The number behind the first explicit marker that has one."""
    for segment, rule in _marked(text):
        found = _stated(tidy(segment), rule)
        if found is not None:
            return found
    return None


def _marked(text: str) -> Iterator[tuple[str, str]]:
    """What stands behind each explicit marker, first to last, and the marker's rule."""
    marks = []
    if "####" in text:
        marks += [(found.end(), "hash") for found in re.finditer(r"####+", text)]
    if "\\boxed" in text or "\\fbox" in text:
        marks += [(found.end(), "boxed") for found in re.finditer(r"\\f?boxed\s*\{?|\\fbox\s*\{?", text)]
    lower = text.lower()
    if "answer" in lower:
        if "<" in text:
            marks += [(found.start(1), "tag") for found in _TAG.finditer(text)]
        marks += [(end, "answer_is") for end in _answer_marks(text, lower)]
    if "答" in text:
        marks += [(found.end(), "answer_is") for found in _CHINESE.finditer(text)]
    for end, rule in sorted(marks)[:_MAX_MARKS]:
        segment = _braced(text, end) if rule == "boxed" else text[end : end + _SEGMENT]
        yield segment.partition("</")[0] if rule == "tag" else segment, rule


def _answer_marks(text: str, lower: str) -> Iterator[int]:
    plain = text.replace("*", " ")
    at = lower.find("answer")
    while at >= 0:
        found = _ANSWER.match(plain, at)
        if found is not None:
            # "Answer:" at the start of a line heads what follows, which may be the whole reasoning.
            start = text.rfind("\n", 0, at) + 1
            heads = found["by"] in (":", "=") and not text[start:at].strip(" #*>-\t")
            if not heads or _FINAL.search(text, start, at):
                yield found.end()
        at = lower.find("answer", at + 6)


def _braced(text: str, start: int) -> str:
    """What stands between a brace that opened before `start` and the one that closes it, if near."""
    depth = 1
    for index in range(start, min(len(text), start + _SEGMENT)):
        if text[index] == "{":
            depth += 1
        elif text[index] == "}":
            depth -= 1
            if not depth:
                return text[start:index]
    return text[start : start + _SEGMENT]


def _stated(segment: str, rule: str) -> Found | None:
    """The number of the sentence after a marker."""
    segment = segment.lstrip(" \t\n:*=>\"'(")
    if segment.startswith("- ") and segment[2:3].isdigit():
        segment = "-" + segment[2:]
    if not segment:
        return None
    end = _SENTENCE_END.search(segment)
    return _result(segment[: end.end()] if end else segment, rule)


def _result(sentence: str, rule: str) -> Found | None:
    """The first number of a sentence; where a calculation starts there, its result."""
    quantities = numerals.find(sentence)
    if not quantities:
        return None
    first = quantities[0]
    start = first.start
    while start and sentence[start - 1] in "($ -":
        start -= 1
    if "=" in sentence:
        at = _end_of_chain(sentence, start)
        for quantity in quantities:
            if at > start and quantity.start >= at:
                return Found(quantity.value, rule, quantity.text, quantity.kind)
    if len(quantities) > 1 and first.kind not in _NO_OPERAND:
        calculation = _calculation(sentence, start)
        if calculation is not None:
            return Found(calculation[0], rule, calculation[1], "calculation")
    return Found(first.value, rule, first.text, first.kind)


def _end_of_chain(sentence: str, start: int) -> int:
    """Where the result of "3 + 4 = 7 = ..." stands: behind the last "=" that ends a calculation, or `start`.

    The first side must have an operator, or be followed by another side: "a = 5" is no calculation.
    """
    at, several = start, sentence.count("=", start) > 1
    end = sentence.find("=", start)
    while end >= 0:
        terms = _terms(sentence[at:end])
        if terms < (1 if several or at > start else 2):
            break
        at = end + 1
        end = sentence.find("=", at)
    return at


def _terms(side: str) -> int:
    """How many numbers the side of an equation adds, multiplies and so on; 0 where it is something else.

    A number may have two words behind it: "5 red apples + 3 green apples" has two terms.
    """
    place, terms, words, wanted = 0, 0, 0, True  # wanted: a number comes next
    while place < len(side):
        token = _TERM.match(side, place)
        if token is None or terms > _MAX_TERMS:
            return 0
        kind = token.lastgroup
        if kind == "number" and not wanted and token[0][0] == "-":
            kind, end = "sign", place + 1  # "5-3"
        else:
            end = token.end()
        if kind == "word" and token[0] in "xX" and not wanted and side[end : end + 1] in " \n(0123456789":
            kind = "sign"
        if kind == "number":
            if not wanted:
                return 0
            wanted, words, terms = False, 0, terms + 1
        elif kind == "sign":
            if wanted:
                return 0
            wanted = True
        elif kind == "word":
            words += 1
            if wanted or words > 2:
                return 0
        place = end
    return 0 if wanted else terms


def _is_unit(text: str, start: int) -> bool:
    """Is what stands from here on a unit of a few words, or nothing but the end of a sentence?"""
    rest = text[start : start + 2 * _BARE]
    if len(text) > start + 2 * _BARE:
        return False
    words = rest.strip(_UNIT_SIGNS).replace("/", " ").split()
    return len(words) <= _MAX_UNIT_WORDS and all(map(_UNIT_WORD.fullmatch, words))


def _calculation(sentence: str, start: int) -> tuple[Fraction, str] | None:
    """The value of arithmetic that starts here and has an operator and no result."""
    found = _CALCULATION.match(sentence, start)
    if found is None or not _OPERATOR.search(found[0]) or sentence[found.end() :].lstrip()[:1] == "=":
        return None
    text = found[0].strip()
    text = text + ")" * (text.count("(") - text.count(")"))
    try:
        return expression.parse(text).value(), text
    except ExpressionError:
        return None


def _unmarked(text: str) -> Found:
    """An answer without a marker: under a heading, alone, at the end of an equation, or the last number."""
    text = text.strip()
    if len(text) <= _BARE:
        found = _short(text, "bare")
        if found is not None:
            return found
    if _ARITHMETIC.fullmatch(text) and _OPERATOR.search(text):
        # Nothing but a calculation, without a value: no number in it is the answer.
        return _NOTHING
    heading = _headed(text) if ":" in text or "." in text or ")" in text else None
    return heading or _at_the_end(text)


def _headed(text: str) -> Found | None:
    for heading in islice(_HEADING.finditer(text), _MAX_MARKS):
        below = text[heading.end() : heading.end() + _SEGMENT].lstrip()
        line = heading[1].strip() or below.partition("\n")[0].strip(" \t*-#>")
        found = _short(line[:_SEGMENT], "heading") or _opening(line[:_SEGMENT])
        if found is not None:
            return found
    return None


def _short(line: str, rule: str) -> Found | None:
    """The number of a line that is a number and perhaps a unit, a calculation, or one number in words."""
    line = line.strip()
    value = numerals.parse(line) if len(line) <= _BARE else None
    if value is not None:
        return Found(value, rule, line.rstrip("."), "percent" if line.endswith("%") else "")
    quantities = numerals.find(line)
    if not quantities:
        return None
    first = quantities[0]
    if "=" in line or len(quantities) > 1:
        begins = _NUMBER_LEAD.match(line)
        result = _result(line, rule) if begins is not None and begins.end() >= first.start else None
        if result is not None and result.text != first.text:
            end = line.rfind(result.text) + len(result.text)
            return result if _is_unit(line, end) else None
        if len(quantities) > 1:
            return None
    lead = line[: first.start]
    if rule == "heading":
        return Found(first.value, rule, first.text, first.kind)
    alone = _NUMBER_LEAD.fullmatch(lead) is not None and _is_unit(line, first.end)
    return Found(first.value, rule, first.text, first.kind) if alone else None


def _opening(line: str) -> Found | None:
    """The number that a line opens with and then explains: "42. Because 6 times 7 is 42."."""
    end = _EXPLAINED.search(line)
    opening = line[: end.start()] if end else ""
    # A calculation may be the first of several steps.
    return _short(opening, "heading") if "=" not in opening and len(opening) <= _BARE else None


def _at_the_end(text: str) -> Found:
    quantities = _last_numbers(text)
    if not quantities:
        return _NOTHING
    tail, found = quantities
    last = found[-1]
    before = tail[: last.start].rstrip(" $€£(")
    if before.endswith("=") and _is_unit(tail, last.end):
        return Found(last.value, "equals", last.text, last.kind)
    for quantity in reversed(found):
        if quantity.kind not in _GUESS_LAST:
            last = quantity
            break
    return Found(last.value, LAST_NUMBER, last.text, last.kind)


def _last_numbers(text: str) -> tuple[str, tuple[numerals.Quantity, ...]] | None:
    """The last stretch of text that holds numbers, and the numbers; long text is read from its end."""
    end = len(text)
    while end > 0:
        start = max(0, end - _TAIL)
        if start:
            gap = text.find(" ", start, start + 40)
            start = gap + 1 if gap >= 0 else start
            while start < end and text[start].isdigit():  # no gap: not in the middle of a number
                start += 1
        found = numerals.find(text[start:end])
        if found:
            return text[start:end], found
        end = start if start < end else 0
    return None

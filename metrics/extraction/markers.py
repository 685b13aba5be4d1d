"""Finds the places where a model marks its final answer, before it turns to something else.

The last marker applies, so that a model may correct itself. Markers after the model turns to another problem
or repeats itself in a loop are ignored. White space is collapsed before (see `_tidy`), and every pattern is
linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dnc_datasets import numerals
from dnc_metrics.extraction.plain_text import digits

SEGMENT = 200  # maximum number of characters between a marker and its answer
TAIL = 400  # number of characters at the end of a text
MAX_MARKS = 50  # maximum number of markers of one text

_NEXT_QUESTION = re.compile(
    r"\n ?(?:\#{1,6} ?)?(?:\*\*|\[)?"
    r"(?:Q|Question|Problem|Exercise|User|Human|Instruction|Example|Passage|问题?|問|题目|例题?) ?\d{0,4}"
    r" ?(?:\*\*|\])? ?[:：.]"
    r"|\n(?:\#{1,6} |\*\*)?(?:Question|Problem|Exercise|Example) \d{1,4}\b|\n(?:user|human)\n"
    r"|<\|(?:im_end|im_start|endoftext|eot_id|end|eos|return|user|eom_id)\|>|</s>|\[INST\]|<(?:start|end)_of_turn>",
    re.I,
)
_DIGIT = re.compile(r"\d")
_HASH = re.compile(r"####+")
_BOX = re.compile(r"\\f?boxed\s?\{?|\\fbox\s?\{?")
_TAG = re.compile(r"<\s?(?:final_?)?answer\s?>\s{0,3}([^<]{1,200})", re.I)
_IS = (
    r"(?:is|are|was|would be|will be|should be|must be|equals|comes(?: out)? to|turns out to be|becomes)\b"
    r"(?!\s{1,3}not\b)"
    r"(?:\s(?:therefore|thus|then|simply|just|exactly|approximately|about|equal to|that|actually|now)\b){0,4}"
)
_ANSWER = re.compile(
    rf"answers?\b\"?(?:\s(?:to|for|of|here)\b[^.:=\n]{{0,80}}?)?(?:\s?,\s?(?:then|therefore|thus)\s?,?)?"
    rf"\s{{0,3}}(?P<by>{_IS}|[:=]|-{{1,3}}>|→|⇒)\s{{0,3}}[:=]?",
    re.I,
)
_FINAL = re.compile(r"(?:final|the|my|correct|numerical|numeric|our)\s{1,3}$", re.I)
_SUPPOSED = re.compile(
    r"\b(?:if|whether|unless|suppose|assuming)(?: that)?(?: (?:the|my|our|your))?(?: \w{1,12})? $", re.I
)
_CHINESE = re.compile(r"答案?\s?(?:(?:应该)?(?:是|为|為)\s?[:：=]?|[:：=])\s{0,3}")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？\n]")

# A line that asks a question, without the words of a model that talks to itself.
_ASKS = re.compile(
    r"\bhow (?:many|much|far|long|old|tall|fast|big|often|heavy)\b|\bwhat (?:is|was|are|were) (?:the|his|her)\b"
    r"|多少|几",
    re.I,
)
_TALKS = re.compile(
    r"[\s*_>#-]{0,6}(?:wait|hmm|actually|but|let|no|hold|oh|alternatively|however|so|check|is|did|does|are|to|now"
    r"|okay|ok|sorry|hang|the question|we|i|because|since|therefore|this|that|等等|不对|让我)\b",
    re.I,
)


class Mark(NamedTuple):
    """A marker: its start, the start of the marked text, and its rule."""

    start: int
    end: int
    rule: str


def own_words(shown: str, has_answer: Callable[[str], bool]) -> str:
    """Return the text before the model turns to another question, once it has given a possible answer."""
    cut = _NEXT_QUESTION.search(shown) if "\n" in shown or "<" in shown or "[" in shown else None
    start = 0
    while cut is not None and not has_answer(shown[start : cut.start()]):
        start = cut.end()
        cut = _NEXT_QUESTION.search(shown, start)
    return shown if cut is None else shown[: cut.start()]


def has_number(text: str) -> bool:
    """Return whether the text has a number, in digits or in words."""
    return _DIGIT.search(text) is not None or bool(numerals.find(text[-TAIL:])) or digits(text) != text


def has_words(text: str) -> bool:
    """Return whether the text is not blank."""
    return bool(text.strip())


def marked(text: str, length: int = SEGMENT) -> list[tuple[str, Mark]]:
    """Return the text after each valid marker, cut to `length`, with the marker; the last marker first."""
    marks = _marks(text)
    if not marks:
        return []
    if len(marks) > 1:
        marks = _before_the_loop(text, _before_the_next_problem(text, marks))
    return [(_segment(text, mark, length), mark) for mark in reversed(marks[-MAX_MARKS:])]


def _marks(text: str) -> list[Mark]:
    marks: list[Mark] = []
    if "####" in text:
        marks += [Mark(found.start(), found.end(), "hash") for found in _HASH.finditer(text)]
    if "\\boxed" in text or "\\fbox" in text:
        marks += [Mark(found.start(), found.end(), "boxed") for found in _BOX.finditer(text)]
    lower = text.lower()
    if "answer" in lower:
        if "<" in text:
            marks += [Mark(found.start(), found.start(1), "tag") for found in _TAG.finditer(text)]
        marks += _answer_marks(text, lower)
    if "答" in text:
        marks += [Mark(found.start(), found.end(), "answer_is") for found in _CHINESE.finditer(text)]
    return sorted(marks)


def _answer_marks(text: str, lower: str) -> Iterator[Mark]:
    plain = text.replace("*", " ")
    at = lower.find("answer")
    while at >= 0:
        found = _ANSWER.match(plain, at)
        if found is not None and not (at > 2 and _SUPPOSED.search(plain, max(0, at - 40), at)):
            # "Answer:" at the start of a line is a heading, and the entire reasoning may follow it.
            start = text.rfind("\n", 0, at) + 1
            heads = found["by"] in (":", "=") and not text[start:at].strip(" #*>-\t")
            if not heads or _FINAL.search(text, start, at):
                yield Mark(at, found.end(), "answer_is")
        at = lower.find("answer", at + 6)


def _segment(text: str, mark: Mark, length: int = SEGMENT) -> str:
    if mark.rule == "boxed":
        return _braced(text, mark.end, length)
    segment = text[mark.end : mark.end + length]
    return segment.partition("</")[0] if mark.rule == "tag" else segment


def _braced(text: str, start: int, length: int) -> str:
    """Return the text between a brace that opened before `start` and its closing brace, if it is near."""
    depth = 1
    for index in range(start, min(len(text), start + length)):
        if text[index] == "{":
            depth += 1
        elif text[index] == "}":
            depth -= 1
            if not depth:
                return text[start:index]
    return text[start : start + length]


def _before_the_next_problem(text: str, marks: list[Mark]) -> list[Mark]:
    """Return the markers before a line with a new question, which follows the first marked number."""
    first = next((mark for mark in marks if _DIGIT.search(_segment(text, mark)[:60])), marks[0])
    cut = runs_on(text, first.end)
    return [mark for mark in marks if mark.start < cut]


def runs_on(text: str, start: int) -> int:
    """Return the start of the first line or sentence from `start` that asks a new question, or the end."""
    at = start
    if text.find("?", start) < 0 and text.find("？", start) < 0:
        return len(text)
    own = False  # the model has begun to doubt, so its questions are to itself
    for end in _SENTENCE_END.finditer(text, start):
        sentence = text[at : end.end()]
        own = own if at > start and text[at - 1] != "\n" else False
        own = own or _TALKS.match(sentence) is not None
        if at > start and not own and end[0] in "?？" and _ASKS.search(sentence[-SEGMENT:]):
            return at
        at = end.end()
    return len(text)


def _before_the_loop(text: str, marks: list[Mark]) -> list[Mark]:
    """Return the markers before a loop, which starts when a marked sentence that occurs three times recurs.

    A sentence that breaks off at the end of the text within an earlier one is removed too.
    """
    said: dict[str, list[int]] = {}
    sentences = []
    for place, mark in enumerate(marks):
        end = _SENTENCE_END.search(text, mark.end, mark.end + SEGMENT)
        sentence = text[mark.start : end.start() if end else mark.end + SEGMENT]
        sentences.append(sentence)
        places = said.setdefault(sentence, [])
        places.append(place)
        if len(places) == 3:
            return marks[: places[1]]
    last, broken = sentences[-1], text.endswith(sentences[-1])
    if broken and any(len(other) > len(last) and other.startswith(last) for other in sentences[:-1]):
        return marks[:-1]
    return marks

"""A passage or a conversation as words with their numbers: what the readers of text point at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from dnc_datasets import numerals
from dnc_datasets.problem import Problem

_CHINESE = ("\u4e00", "\u9fff")


@dataclass(frozen=True)
class Word:
    """A word of one part of the text; the first word of a number carries its value."""

    text: str
    part: str  # body, segments.1, history.0.question, question
    start: int
    end: int
    value: Fraction | None = None


def parts(problem: Problem) -> Iterator[tuple[str, str]]:
    """The texts in which an answer may stand: passage or segments, then the earlier turns."""
    for path, text in problem.texts(("body", "segments", "history")):
        if text:
            yield path, text


def words(text: str, part: str) -> list[Word]:
    """The words of a text; a Chinese character is one, and a number is never cut.

    >>> [word.text for word in words("Ann has 1,200 pens.", "body")]
    ['Ann', 'has', '1,200', 'pens', '.']
    """
    found = [(q.start, q.end, q.value) for q in numerals.find(text)]
    made: list[Word] = []
    at = 0
    for start, end, value in [*found, (len(text), len(text), None)]:
        made += _plain(text, part, at, start)
        if end > start:
            made.append(Word(text[start:end], part, start, end, value))
        at = end
    return made


def _plain(text: str, part: str, at: int, stop: int) -> Iterator[Word]:
    while at < stop:
        character = text[at]
        end = at + 1
        if character.isspace():
            at = end
            continue
        if (character.isalnum() or character == "'") and not _CHINESE[0] <= character <= _CHINESE[1]:
            while (
                end < stop
                and (text[end].isalnum() or text[end] in "'’")
                and not _CHINESE[0] <= text[end] <= _CHINESE[1]
            ):
                end += 1
        yield Word(text[at:end], part, at, end)
        at = end


def written(problem: Problem, run: list[Word]) -> str:
    """The text from a run's first word to its last, as it stands in its part."""
    return problem.text_at(run[0].part)[run[0].start : run[-1].end]

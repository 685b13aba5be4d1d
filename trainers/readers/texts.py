"""A passage or a conversation as words with their numbers, the targets of the readers of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import torch
from torch import Tensor

from dnc_datasets import numerals
from dnc_datasets.perturbations.numbers.amounts import is_year
from dnc_datasets.problem import Problem
from dnc_trainers.readers.tables import content

_CHINESE = ("\u4e00", "\u9fff")
FEATURES = 7
_STOPS = frozenset(".!?;。！？；")
_NEAR = 5  # words to either side


@dataclass(frozen=True)
class Word:
    """A word of one part of the text; the first word of a number carries its value."""

    text: str
    part: str  # body, segments.1, history.0.question, question
    start: int
    end: int
    value: Fraction | None = None


def parts(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield the texts that may contain an answer: passage or segments, then the earlier turns."""
    for path, text in problem.texts(("body", "segments", "history")):
        if text:
            yield path, text


def words(text: str, part: str) -> list[Word]:
    """Return the words of a text; a Chinese character is one, and a number is never split.

    >>> [word.text for word in words("Ann has 1,200 pens.", "body")]
    ['Ann', 'has', '1,200', 'pens', '.']
    """
    quantities = [(q.start, q.end, q.value) for q in numerals.find(text)]
    result: list[Word] = []
    at = 0
    for start, end, value in [*quantities, (len(text), len(text), None)]:
        result += _plain(text, part, at, start)
        if end > start:
            result.append(Word(text[start:end], part, start, end, value))
        at = end
    return result


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
    """Return the source text from a run's first word to its last."""
    return problem.text_at(run[0].part)[run[0].start : run[-1].end]


def features(question: str, run: Sequence[Word]) -> tuple[tuple[float, ...], ...]:
    """Return the match of each word, its neighbours and its sentence with the question, and number flags."""
    question_words = set(content(question))
    stems = [set(content(word.text)) & question_words for word in run]
    sentence_of, spans = _sentences(run)
    shares = [
        len(set().union(*stems[start:end])) / len(question_words) if question_words and end > start else 0.0
        for start, end in spans
    ]
    best = max(shares, default=0.0)
    rows = []
    for at, word in enumerate(run):
        start, end = spans[sentence_of[at]]
        near = set().union(*stems[max(start, at - _NEAR) : min(end, at + _NEAR + 1)])
        share = shares[sentence_of[at]]
        rows.append(
            (
                float(bool(stems[at])),
                len(near) / len(question_words) if question_words else 0.0,
                share,
                float(share == best > 0),
                float(word.value is not None),
                float(is_year(word.text)),
                1.0,
            )
        )
    return tuple(rows)


def no_features(run: Sequence[Word]) -> tuple[tuple[float, ...], ...]:
    """Return features that are all zero."""
    return ((0.0,) * FEATURES,) * len(run)


def padded_features(rows: Sequence[Sequence[Sequence[float]]], count: int) -> Tensor:
    """Return features of texts with different numbers of words, padded to [B, count, FEATURES]."""
    tensor = torch.zeros(len(rows), count, FEATURES)
    for at, row in enumerate(rows):
        if row:
            tensor[at, : len(row)] = torch.tensor(row)
    return tensor


def _sentences(run: Sequence[Word]) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the index of each word's sentence, and the start and end of each sentence."""
    sentence_of: list[int] = []
    spans: list[tuple[int, int]] = []
    start = 0
    for at, word in enumerate(run):
        sentence_of.append(len(spans))
        if word.text in _STOPS or at + 1 == len(run) or run[at + 1].part != word.part:
            spans.append((start, at + 1))
            start = at + 1
    return sentence_of, spans

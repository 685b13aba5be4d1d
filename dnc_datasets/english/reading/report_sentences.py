"""Sentences of a report and their positions in the text, also in tokenised lower-case text."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.memoization import memoized

_SPACED_MARK: Final = re.compile(r"[^\s.] [.,](?: |\Z)")
# " . " ends a sentence, but not in "the u.s . plan" and "acme inc . and".
_TOKENISED_END: Final = re.compile(
    r"(?<!\.[a-z])(?<!\binc)(?<!\bltd)(?<!\bvs)(?<!\bno)(?<!\bco)(?<!\bcorp) [.?!](?= |\Z)"
)
_LINE: Final = re.compile(r"[^\n]+")


def is_tokenised(text: str) -> bool:
    """Return whether a text has no capital letter and its marks between blanks, as in the reports of FinQA.

    >>> is_tokenised("net sales rose , as planned ."), is_tokenised("Net sales rose, as planned.")
    (True, False)
    """
    return text == text.lower() and _SPACED_MARK.search(text) is not None


@memoized
def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Return the start and end of each sentence. A line break also ends a sentence.

    >>> sentence_spans("Sales rose. Costs fell.")
    ((0, 11), (12, 23))
    """
    spans = []
    tokenised = is_tokenised(text)
    for line in _LINE.finditer(text):
        if tokenised:
            cuts = [line.start(), *(end.end() for end in _TOKENISED_END.finditer(text, *line.span()))]
            spans += _trimmed(text, [*cuts, line.end()])
            continue
        at = line.start()
        for sentence in sentences(line[0]):
            start = text.index(sentence, at)
            at = start + len(sentence)
            spans.append((start, at))
    return tuple(spans)


def _trimmed(text: str, cuts: list[int]) -> list[tuple[int, int]]:
    """Return the parts between these cuts, without surrounding blanks."""
    parts = []
    for start, end in pairwise(cuts):
        part = text[start:end]
        if part.strip():
            parts.append((start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
    return parts

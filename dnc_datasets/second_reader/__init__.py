"""The second reader: spaCy reads the original and the changed text and may refuse a row. It never makes one.

It compares, for every number, the noun that it counts, the modifiers of that noun, who acts, the verb and its polarity,
and, where the question is meant to stay, what is asked. It needs the extra `parse` and is off by default: a build gives
the same rows with and without spaCy. It is on by default for text that no rule of this package wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dnc_datasets.english.reading.content_words import is_chinese
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.problem import Problem
from dnc_datasets.second_reader import compare, frames

MARK = "second_reader"
REFUSED = f"refused:{MARK}"
_KEEPS_WORDS = "words_stay_together"


class Reading(NamedTuple):
    """The parts that the steps of a recipe do not change: the words of every statement, and the question."""

    words: bool
    question: bool


# The verdict of a reader on a step's row: an objection, "" for none, or None where it did not read the row.
Reader = Callable[[Problem, Problem, Perturbation], str | None]


def reading(steps: Sequence[Perturbation]) -> Reading:
    """Return the parts that must be the same in both texts after these steps."""
    words = all(_KEEPS_WORDS in step.promises for step in steps)
    return Reading(words, not any(step.changes_target for step in steps))


def objections(pairs: Iterable[tuple[Problem, Problem, Reading]]) -> Iterator[str | None]:
    """Yield an objection to each changed problem, "" for none, or None for an unreadable problem.

    Texts are parsed in batches, each once.
    """
    kept = list(pairs)
    readable = [_is_readable(before) and bool(after.text) for before, after, _ in kept]
    texts = dict.fromkeys(
        text
        for (before, after, _), can_read in zip(kept, readable, strict=True)
        if can_read
        for text in (before.text, after.text)
    )
    read = dict(zip(texts, frames.read(texts), strict=True))
    for (before, after, what), can_read in zip(kept, readable, strict=True):
        if can_read:
            yield compare.objection(
                read[before.text], read[after.text], words=what.words, question=what.question
            )
        else:
            yield None


def read_row(original: Problem, changed: Problem, step: Perturbation) -> str | None:
    """Read one row with spaCy: the reader of `--second-reader`."""
    return next(objections([(original, changed, reading([step]))]))


def read_nothing(original: Problem, changed: Problem, step: Perturbation) -> str | None:
    """Read no row: the reader of `--no-second-reader`."""
    return None


class Stored:
    """The verdicts that are stored on the rows of a dataset: rows are derived again without spaCy.

    Where refused rows are `dropped`, a row without a verdict has been refused, provided that other rows have one.
    """

    def __init__(self, records: Iterable[Mapping[str, Any]], *, dropped: bool) -> None:
        self._verdicts = {
            record["id"]: marks
            for record in records
            if (marks := tuple(mark for mark in record["certificate"] if mark.endswith(MARK)))
        }
        self._dropped = dropped and bool(self._verdicts)

    def __call__(self, original: Problem, changed: Problem, step: Perturbation) -> str | None:
        """Return the stored verdict."""
        marks = self._verdicts.get(f"{original.id}#{step.name}", self._verdicts.get(original.id, ()))
        if REFUSED in marks or (self._dropped and not marks):
            return "refused when the rows were built"
        return "" if MARK in marks or f"{step.name}:{MARK}" in marks else None


def reader_for(asked: bool | None) -> Reader | None:
    """Return the reader that a user asked for with `--second-reader` or `--no-second-reader`, or None for the
    default.
    """
    if asked is None:
        return None
    if asked:
        frames.pipeline()  # an error before any work, and not at the first row
    return read_row if asked else read_nothing


def chosen(reader: Reader | None, step: Perturbation, parameters: Mapping[str, Any]) -> Reader:
    """Return the reader of a step. The default reads only text that no rule of this package wrote."""
    if reader is not None:
        return reader
    return read_row if step.second_reader or parameters.get("model") else read_nothing


def _is_readable(problem: Problem) -> bool:
    return problem.shape == "word_problem" and not is_chinese(problem.text)

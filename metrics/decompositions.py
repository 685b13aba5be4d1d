"""Decompositions: similarity of a predicted QDMR to the gold one, by steps, edits and operators."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from dnc_datasets.qdmr.steps import Decomposition, parse_steps
from dnc_metrics.errors import MetricError, check_lengths

_SEPARATOR = "@@SEP@@"
_MARK = re.compile(r"@@(\d{1,3})@@")
_MOST_WORDS = 4  # of an n-gram
_MAX_TEXT = 20_000
# Optional words of steps, and equivalent words.
_ARTICLES = frozenset(("the", "a", "an"))
_SAME = {
    "highest": "max", "largest": "max", "most": "max", "more": "max", "biggest": "max", "higher": "max",
    "larger": "max", "lowest": "min", "smallest": "min", "least": "min", "fewest": "min", "lower": "min",
    "smaller": "min", "less": "min", "fewer": "min", "was": "is", "were": "are",
}  # fmt: skip


class Score(NamedTuple):
    """Scores of a prediction: exact match up to case, exact match when normalised, SARI, operators."""

    exact: bool
    normalised: bool
    sari: float
    operators: bool


def score(question: str, prediction: str, reference: str) -> Score:
    """Score one predicted decomposition.

    It is in the form of Break ("return pens ;return number of #1"), or separated by @@SEP@@ with @@1@@ for
    #1.


    >>> score("How many pens?", "return pens ;return number of #1", "return the pens ;return number of #1")[:2]
    (False, True)
    """
    if max(map(len, (question, prediction, reference))) > _MAX_TEXT:
        raise MetricError(
            f"a text of more than {_MAX_TEXT} characters; give one question and its decompositions"
        )
    gold, made = _steps(reference), _steps(prediction)
    return Score(
        exact=[step.text.lower() for step in made] == [step.text.lower() for step in gold],
        normalised=[_normal(step.text) for step in made] == [_normal(step.text) for step in gold],
        sari=sari(question.split(" "), _marked(prediction, made), _marked(reference, gold)),
        operators=[step.operator for step in made] == [step.operator for step in gold],
    )


def mean(questions: Sequence[str], predictions: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """Return the means of all scores over several questions."""
    check_lengths(questions=questions, predictions=predictions, references=references)
    found = list(map(score, questions, predictions, references))
    count = len(found)
    return {
        "exact_match": sum(one.exact for one in found) / count,
        "normalised_exact_match": sum(one.normalised for one in found) / count,
        "sari": sum(one.sari for one in found) / count,
        "operator_accuracy": sum(one.operators for one in found) / count,
    }


def sari(source: Sequence[str], prediction: Sequence[str], target: Sequence[str]) -> float:
    """Return SARI: agreement of kept, added and deleted n-grams of one to four words with the target.

    It is the mean of F1 of kept n-grams, F1 of added ones and precision of deleted ones.

    >>> sari("a b".split(), "a c".split(), "a c".split())
    1.0
    """
    total = 0.0
    for size in range(1, _MOST_WORDS + 1):
        old, new, gold = (_grams(words, size) for words in (source, prediction, target))
        total += _f1(len(old & new & gold), len(old & new), len(old & gold))
        total += _f1(len((new - old) & gold), len(new - old), len(gold - old))
        total += _share(len(old - new - gold), len(old - new))
    return total / (3 * _MOST_WORDS)


def _grams(words: Sequence[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def _share(found: int, of: int) -> float:
    return found / of if of else 1.0


def _f1(found: int, selected: int, relevant: int) -> float:
    precision, recall = _share(found, selected), _share(found, relevant)
    return 2 * precision * recall / (precision + recall) if precision and recall else 0.0


def _steps(text: str) -> Decomposition:
    plain = _MARK.sub(r"#\1", text).replace(_SEPARATOR, ";")
    return parse_steps(plain)


def _marked(text: str, steps: Decomposition) -> list[str]:
    """Return the words in the form that SARI compares; a text in that form remains unchanged."""
    if _SEPARATOR in text or _MARK.search(text):
        return text.split(" ")
    joined = f" {_SEPARATOR} ".join(step.text for step in steps)
    return re.sub(r"#(\d{1,3})", r"@@\1@@", joined).split()


def _normal(text: str) -> list[str]:
    """Return words in lower case, without articles, commas and plural endings, with comparisons unified."""
    words = text.lower().replace(",", " ").split()
    kept = [_SAME.get(word, word) for word in words if word not in _ARTICLES]
    return [
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in kept
    ]

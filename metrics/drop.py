"""DROP's exact match and numeracy-aware F1, as its official evaluator defines them."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from dnc_metrics._assignment import assign
from dnc_metrics.errors import MetricError, check_lengths

Answer = str | Sequence[str]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_MAX_WORK = 2_000_000  # maximum number of comparisons when the spans of two answers are matched
_MAX_SPANS = 1000
_MAX_TEXT = 10_000  # maximum number of characters of a predicted span; no reference is longer


class DropScore(NamedTuple):
    """Exact match (0 or 1) and F1 (0 to 1, two decimals)."""

    em: float
    f1: float


def score(prediction: Answer, references: Iterable[Answer]) -> DropScore:
    """Return the best exact match and the best F1 over the reference answers.

    An answer is a text, or a list of texts if it has several spans. A reference whose first span is blank is
    skipped, as in the official evaluator.

    >>> score("5.0 yards", ["5", "5 yards"])
    DropScore(em=1.0, f1=1.0)
    >>> score("6 yards", ["5 yards"])
    DropScore(em=0.0, f1=0.0)
    """
    predicted = [span[:_MAX_TEXT] for span in _spans(prediction)]
    best_em = best_f1 = 0.0
    some = False
    for reference in references:
        some = True
        gold = _spans(reference)
        if any(len(span) > _MAX_TEXT for span in gold):
            raise MetricError(f"a reference of more than {_MAX_TEXT} characters; check that it is an answer")
        if gold and gold[0].strip():
            em, f1 = _compare([normalise(span) for span in predicted], [normalise(span) for span in gold])
            best_em, best_f1 = max(best_em, em), max(best_f1, f1)
    if not some:
        raise MetricError("no reference answer; give at least one")
    return DropScore(best_em, best_f1)


def mean(predictions: Sequence[Answer], references: Sequence[Iterable[Answer]]) -> dict[str, float]:
    """Return the means over questions: {"em": ..., "f1": ...}; `references` has a list for each question."""
    check_lengths(predictions=predictions, references=references)
    if not predictions:
        raise MetricError("no predictions to score; give at least one")
    scores = []
    for index, (prediction, answers) in enumerate(zip(predictions, references, strict=True)):
        try:
            if isinstance(answers, str):
                raise MetricError(f"references must be a list of answers, not the text {answers[:60]!r}")
            scores.append(score(prediction, answers))
        except MetricError as error:
            raise MetricError(f"row {index}: {error}") from None
    return {
        "em": sum(item.em for item in scores) / len(scores),
        "f1": sum(item.f1 for item in scores) / len(scores),
    }


def reference(answer: Mapping[str, object]) -> list[str]:
    """Return the spans of an answer in DROP's JSON: a number, spans, or a date.

    >>> reference({"number": "", "spans": [], "date": {"day": "4", "month": "July", "year": ""}})
    ['4 July']
    """
    number, spans, date = answer.get("number"), answer.get("spans"), answer.get("date")
    if number not in (None, ""):
        return [str(number)]
    if isinstance(spans, Sequence) and not isinstance(spans, str) and spans:
        return [str(span) for span in spans]
    if isinstance(date, Mapping):
        parts = (str(date.get(part) or "") for part in ("day", "month", "year"))
        return [" ".join(part for part in parts if part)]
    raise MetricError(
        f"an answer without number, spans and date; it has {', '.join(map(str, answer)) or 'nothing'}"
    )


def _spans(answer: Answer) -> list[str]:
    if isinstance(answer, str):
        return [answer]
    if not isinstance(answer, Sequence) or not all(isinstance(span, str) for span in answer):
        raise MetricError(f"an answer must be a text or a list of texts, not {answer!r:.60}")
    if len(answer) > _MAX_SPANS:
        raise MetricError(f"an answer of {len(answer)} spans; at most {_MAX_SPANS} are accepted")
    return list(answer)


def normalise(span: str) -> str:
    """Return DROP's normal form: lower case; no hyphens, articles or punctuation; numbers as floats.

    >>> normalise("The 1,050-yard run!")
    '1050.0 yard run'
    """
    words = []
    for token in span.lower().replace("-", " ").split(" "):
        if not _is_number(token):
            token = token.translate(_PUNCTUATION)
        if _is_number(token):
            token = str(float(token))
        words += _ARTICLES.sub(" ", token).split()
    return " ".join(words)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _compare(predicted: Sequence[str], gold: Sequence[str]) -> DropScore:
    em = float(set(predicted) == set(gold) and len(predicted) == len(gold))
    few, many = sorted((len(predicted), len(gold)))
    if few * few * many > _MAX_WORK:
        raise MetricError(f"answers of {len(predicted)} and {len(gold)} spans are too long to match")
    bags = [set(span.split()) for span in predicted]
    table = [[_f1(bag, set(span.split())) for bag in bags] for span in gold]
    total = sum(table[row][column] for row, column in assign(table))
    # Half to even on the hundredfold, as numpy rounds in the official evaluator.
    return DropScore(em, round(100 * (total / many)) / 100 if many else 0.0)


def _f1(predicted: set[str], gold: set[str]) -> float:
    """Return the F1 of two bags of words; 0 if the gold one has numbers of which the other has none."""
    numbers = {word for word in gold if _is_number(word)}
    shared = gold & predicted
    if numbers and not numbers & predicted:
        return 0.0
    precision = len(shared) / len(predicted) if predicted else 1.0
    recall = len(shared) / len(gold) if gold else 1.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

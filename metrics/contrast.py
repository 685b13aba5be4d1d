"""Consistency: whether a model is correct on an original question and all of its variants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dnc_metrics import extraction
from dnc_metrics.errors import MetricError

Score = float | bool
# One score, or several if a perturbation derives several questions from one original.
Members = Score | Sequence[Score]

CONSTRAINTS = ("numeric", "boolean", ">=", "<=")
THRESHOLD = 0.8


@dataclass(frozen=True)
class Pairs:
    """Counts of outcomes of (original, perturbed) pairs."""

    right_right: int = 0
    right_wrong: int = 0
    wrong_right: int = 0
    wrong_wrong: int = 0


@dataclass(frozen=True)
class Consistency:
    """Scores of a model on groups: an original and its members.

    `consistency` is the share of groups with every member correct. `worst_case` is the share with every
    perturbed member correct, regardless of the original. `lowest_score` is the mean of the lowest score in
    each group. `pairs` counts the outcomes of each perturbation.
    """

    groups: int
    consistent: int
    consistency: float
    worst_case: float
    lowest_score: float
    pairs: dict[str, Pairs]
    left_out: int  # originals without a perturbed member


def score(
    original: Mapping[str, Score],
    perturbed: Mapping[str, Mapping[str, Members]],
    *,
    constraints: Mapping[str, Members] | None = None,
    threshold: float = THRESHOLD,
    strict: bool = False,
) -> Consistency:
    """Score consistency over originals (row id -> score) and perturbed sets (name -> row id -> scores).

    A member is correct if its score reaches the threshold, 0.8 as in the paper; with `strict` it must exceed
    it, as in that paper's code. `constraints` adds 0/1 members (see `holds`) to groups that have a perturbed
    member. Originals without one are excluded and counted.

    >>> score({"a": 1.0, "b": 0.9}, {"noise": {"a": 1.0, "b": 0.2}}).consistency
    0.5
    """
    right = _judge(threshold, strict)
    members: dict[str, list[float]] = {}
    pairs: dict[str, Pairs] = {}
    for name, rows in perturbed.items():
        counts = [[0, 0], [0, 0]]
        for row, value in rows.items():
            if row not in original:
                raise MetricError(f"row {row!r} of {name!r} has no original; give a score for it too")
            scores = _scores(value, f"row {row!r} of {name!r}")
            members.setdefault(row, []).extend(scores)
            was_right = right(_score(original[row], f"original {row!r}"))
            for member in scores:
                counts[not was_right][not right(member)] += 1
        pairs[name] = Pairs(*counts[0], *counts[1])
    groups = {row: scores for row, scores in members.items() if scores}
    if not groups:
        raise MetricError("no original has a perturbed member; give at least one perturbed set that has rows")
    consistent = worst = 0
    lowest = 0.0
    for row, scores in groups.items():
        extra = _scores((constraints or {}).get(row, ()), f"constraint of {row!r}")
        first = _score(original[row], f"original {row!r}")
        everywhere = all(map(right, scores)) and all(extra)
        worst += everywhere
        consistent += everywhere and right(first)
        lowest += min(first, *scores, *extra)
    count = len(groups)
    return Consistency(
        groups=count,
        consistent=consistent,
        consistency=consistent / count,
        worst_case=worst / count,
        lowest_score=lowest / count,
        pairs=pairs,
        left_out=len(original) - count,
    )


def holds(constraint: str, prediction: str, original_answer: str) -> bool | None:
    """Return whether a predicted answer satisfies a constraint; None if the gold answer is no number.

    "numeric": a number can be read from it; "boolean": it is yes or no; ">=" and "<=": it is a number not
    below, or not above, the gold answer of the original.

    >>> holds(">=", "about 12 yards", "7"), holds("boolean", "Yes", "7"), holds("<=", "3", "Smith")
    (True, True, None)
    """
    if constraint not in CONSTRAINTS:
        raise MetricError(f"unknown constraint {constraint!r}; use one of {', '.join(CONSTRAINTS)}")
    if constraint == "boolean":
        return prediction.strip().lower() in ("yes", "no")
    value = extraction.answer(prediction).value
    if constraint == "numeric":
        return value is not None
    bound = _gold(original_answer)
    if bound is None:
        return None
    return value is not None and (value >= bound if constraint == ">=" else value <= bound)


def _gold(answer: str) -> Fraction | None:
    return extraction.answer(answer).value


def _judge(threshold: float, strict: bool) -> Callable[[float], bool]:
    if not 0 <= threshold <= 1:
        raise MetricError(f"the threshold must be from 0 to 1, not {threshold}")
    return (lambda score: score > threshold) if strict else (lambda score: score >= threshold)


def _scores(value: Members, where: str) -> list[float]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_score(item, where) for item in value]
    return [_score(value, where)]


def _score(value: Score, where: str) -> float:
    if not isinstance(value, (bool, int, float)) or not 0 <= value <= 1:
        raise MetricError(f"{where}: a score must be from 0 to 1, not {value!r:.60}")
    return float(value)

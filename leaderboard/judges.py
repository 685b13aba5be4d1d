"""What several judges say together: majorities, Fleiss' kappa, ratings, and how well people answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from dnc_datasets.attack.goal import is_right
from dnc_datasets.problem import Problem
from dnc_datasets.review import VERDICTS, Mark
from dnc_metrics import intervals

# Fewer judges than this have no majority to speak of.
LEAST_JUDGES = 3
Key = tuple[str, str]


def verdicts(marks: Sequence[Mark]) -> dict[Key, Counter[str]]:
    """(config, id) -> how many judges gave each verdict; of a judge who marked a pair twice, the last counts."""
    last = {(mark.config, mark.id, mark.judge): mark.verdict for mark in marks if mark.verdict}
    found: dict[Key, Counter[str]] = defaultdict(Counter)
    for (config, row, _), verdict in last.items():
        found[config, row][verdict] += 1
    return dict(found)


def majority(marks: Sequence[Mark], least: int = LEAST_JUDGES) -> dict[Key, str]:
    """(config, id) -> the verdict of more than half of its judges; pairs with fewer than `least` are left out."""
    return {
        key: next((verdict for verdict in VERDICTS if 2 * counts[verdict] > counts.total()), "none")
        for key, counts in verdicts(marks).items()
        if counts.total() >= least
    }


def fleiss(marks: Sequence[Mark]) -> tuple[int, float | None]:
    """Fleiss' kappa over the pairs that several judges marked, and how many pairs; None where chance decides."""
    rows = [counts for counts in verdicts(marks).values() if counts.total() > 1]
    if not rows:
        return 0, None
    total = sum(counts.total() for counts in rows)
    chance = sum((sum(counts[verdict] for counts in rows) / total) ** 2 for verdict in VERDICTS)
    if chance == 1:
        return len(rows), None
    agreed = sum(
        (sum(count * count for count in counts.values()) - counts.total())
        / (counts.total() * (counts.total() - 1))
        for counts in rows
    )
    return len(rows), (agreed / len(rows) - chance) / (1 - chance)


class Rated(NamedTuple):
    """The adversarial form of one config: shares and means, as Kumar et al. (2021) report them in table 4."""

    config: str
    pairs: int
    same_equation: float
    similarity: float | None
    grammar: float | None


def ratings(marks: Sequence[Mark]) -> list[Rated]:
    """For each config with ratings, over all marks: the share with the same equation, and the mean ratings."""
    found = []
    for config in dict.fromkeys(mark.config for mark in marks if mark.similarity or mark.grammar):
        own = [mark for mark in marks if mark.config == config and (mark.similarity or mark.grammar)]
        same = sum(mark.verdict == VERDICTS[0] for mark in own) / len(own)
        pairs = len({mark.id for mark in own})
        found.append(Rated(config, pairs, same, _mean(own, "similarity"), _mean(own, "grammar")))
    return found


def _mean(marks: Sequence[Mark], name: str) -> float | None:
    values = [float(getattr(mark, name)) for mark in marks if getattr(mark, name)]
    return sum(values) / len(values) if values else None


class Answered(NamedTuple):
    """How well a person answers a config: problems, right ones, and the 95 % interval of the share."""

    config: str
    judge: str
    rows: int
    right: int
    interval: tuple[float, float]


def answered(marks: Sequence[Mark], problems: Callable[[str], Mapping[str, Problem]]) -> list[Answered]:
    """The accuracy of each person on each config; `problems` gives a config's problems by id.

    An answer is right by its value: the last number in it counts, exactly.
    """
    given: dict[Key, dict[str, str]] = {}
    for mark in marks:
        if mark.answer:
            given.setdefault((mark.config, mark.judge), {})[mark.id] = mark.answer
    found = []
    for (config, judge), answers in given.items():
        known = problems(config)
        scored = [is_right(known[row], answer) for row, answer in answers.items() if row in known]
        if scored:
            ends = intervals.wilson(sum(scored), len(scored))
            found.append(Answered(config, judge, len(scored), sum(scored), ends))
    return found

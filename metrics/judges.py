"""Agreement of judges: majorities, Fleiss' kappa, ratings, human accuracy."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dnc_datasets.attack.goal import is_right
from dnc_datasets.draws import Draw
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.review import VERDICTS, Mark, read_marks
from dnc_metrics import intervals
from dnc_metrics.record import Outcome, Record

# Minimum number of judges for a majority.
LEAST_JUDGES = 3
Key = tuple[str, str]


def verdicts(marks: Sequence[Mark]) -> dict[Key, Counter[str]]:
    """Count the verdicts for each (config, id); only the last mark of a judge on a pair counts."""
    last = {(mark.config, mark.id, mark.judge): mark.verdict for mark in marks if mark.verdict}
    found: dict[Key, Counter[str]] = defaultdict(Counter)
    for (config, row, _), verdict in last.items():
        found[config, row][verdict] += 1
    return dict(found)


def majority(marks: Sequence[Mark], least: int = LEAST_JUDGES) -> dict[Key, str]:
    """Map (config, id) to the majority verdict of its judges; pairs with fewer than `least` are omitted."""
    return {
        key: next((verdict for verdict in VERDICTS if 2 * counts[verdict] > counts.total()), "none")
        for key, counts in verdicts(marks).items()
        if counts.total() >= least
    }


def fleiss(marks: Sequence[Mark]) -> tuple[int, float | None]:
    """Return the number of pairs with several judges, and Fleiss' kappa over them; None if undefined."""
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
    """Return the share with the same equation and the mean ratings of each config with ratings."""
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
    """Human accuracy on a config: problems, correct answers, and the 95 % interval of the share."""

    config: str
    judge: str
    rows: int
    right: int
    interval: tuple[float, float]


def answered(marks: Sequence[Mark], problems: Callable[[str], Mapping[str, Problem]]) -> list[Answered]:
    """Return the accuracy of each person on each config; `problems` returns a config's problems by id.

    The last number of an answer is compared by its exact value.
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


class Part(NamedTuple):
    """Perturbed rows of a record: their description, number, number of correct ones, and the interval."""

    name: str
    rows: int
    right: int
    interval: tuple[float, float]


def parts(record: Record, outcomes: Sequence[Outcome], marks: Sequence[Mark], *, seed: int = 0) -> list[Part]:
    """Return all perturbed rows of the judged configs, those judged valid, and a random sample of equal size.

    A row is valid if more than half of its judges, one or several, call it good. The random rows are drawn by
    config, in the same numbers, from all perturbed rows, including unjudged and bad ones.
    """
    valid = _valid(marks)
    judged = {mark.config for mark in marks}
    cells = {cell.key: cell.config for cell in record.cells if cell.config in judged}
    asked = [one for one in outcomes if one.cell in cells and one.perturbed]
    if not asked:
        raise DncError(
            f"the marks are of {', '.join(sorted(judged)) or 'nothing'}, of which no perturbed row was scored"
        )
    good = [one for one in asked if (cells[one.cell], one.id) in valid]
    drawn = [one for key in cells for one in _drawn(key, asked, good, seed)]
    named = (("all perturbed rows", asked), ("judged valid", good), ("random, the same mix", drawn))
    return [_part(name, some) for name, some in named if some]


def _valid(marks: Sequence[Mark]) -> set[tuple[str, str]]:
    """Return the config and id of every row that most of its judges call good."""
    return {key for key, verdict in majority(marks, least=1).items() if verdict == VERDICTS[0]}


def _drawn(key: str, asked: Sequence[Outcome], good: Sequence[Outcome], seed: int) -> Iterator[Outcome]:
    """Yield a random sample of a cell's rows, equal in size to its valid rows."""
    many = sum(one.cell == key for one in good)
    own = sorted((one for one in asked if one.cell == key), key=lambda one: one.id)
    yield from Draw(seed, key, "sample", "marks").shuffled(own)[:many]


def _part(name: str, some: Sequence[Outcome]) -> Part:
    right = sum(one.right for one in some)
    return Part(name, len(some), right, intervals.wilson(right, len(some)))


def read(paths: Sequence[Path]) -> list[Mark]:
    """Return the marks of these files."""
    for path in paths:
        if not path.is_file():
            raise DncError(f"there is no file of marks {path}; `dnc research review` writes one")
    return [mark for path in paths for mark in read_marks(path)]


def summary(record: Record, outcomes: Sequence[Outcome], marks: Sequence[Mark]) -> str:
    """Return the parts as lines, and the number of valid rows that were not scored."""
    lines = [
        f"{part.name}: {100 * part.right / part.rows:.1f} % of {part.rows} "
        f"[{100 * part.interval[0]:.1f}, {100 * part.interval[1]:.1f}]"
        for part in parts(record, outcomes, marks)
    ]
    configs = {cell.key: cell.config for cell in record.cells}
    left = len(_valid(marks) - {(configs[one.cell], one.id) for one in outcomes})
    if left:
        lines.append(f"{left} more rows were judged valid and not scored")
    return "\n".join(lines)

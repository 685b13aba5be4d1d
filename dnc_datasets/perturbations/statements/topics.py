"""What a question over a report is about, and whether a statement speaks of something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dnc_datasets.english.reading.report_words import words
from dnc_datasets.problem import Problem


def report_words(problem: Problem) -> frozenset[str]:
    """The words of the report that a problem is about, without the question's."""
    return words(problem.body).union(*_cells(problem))


def _cells(problem: Problem) -> list[frozenset[str]]:
    return [words(cell) for row in problem.table for cell in row if not cell[-1:].isdigit()]


def common(reports: Iterable[frozenset[str]]) -> frozenset[str]:
    """The words that stand in at least a twentieth of these reports, and in three: they tell none apart."""
    found: Counter[str] = Counter()
    total = 0
    for report in reports:
        found.update(report)
        total += 1
    return frozenset([word for word, count in found.items() if count >= 3 and count * 20 >= total])


@dataclass(frozen=True)
class Topic:
    """The words of a question, those that tell its report apart, and the lines of its table."""

    asked: frozenset[str]
    special: frozenset[str]
    lines: frozenset[frozenset[str]]

    def is_left_alone_by(self, statement: frozenset[str]) -> bool:
        """Return whether a statement with these words speaks of nothing that is asked for or is in the table."""
        return (
            statement.isdisjoint(self.asked)
            and statement.isdisjoint(self.special)
            and not any(map(statement.issuperset, self.lines))
        )


def topic(problem: Problem, shared: frozenset[str]) -> Topic:
    """What the problem is about, where the words of `shared` tell no report apart."""
    cells = _cells(problem)
    earlier = frozenset[str]().union(*[words(f"{turn.question} {turn.answer}") for turn in problem.history])
    return Topic(
        words(problem.question) | earlier,
        words(problem.body).union(*cells) - shared,
        frozenset(cells) - {frozenset()},
    )

"""The topic of a question over a report, and a test whether a statement has another topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from dnc_datasets.english.reading.report_words import words
from dnc_datasets.problem import Problem


def report_words(problem: Problem) -> frozenset[str]:
    """Return the words of a problem's report, without those of the question."""
    return words(problem.body).union(*_cells(problem))


def _cells(problem: Problem) -> list[frozenset[str]]:
    return [words(cell) for row in problem.table for cell in row if not cell[-1:].isdigit()]


def common(reports: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the words that occur in at least three reports and in a twentieth of them.

    They do not distinguish reports.
    """
    found: Counter[str] = Counter()
    total = 0
    for report in reports:
        found.update(report)
        total += 1
    return frozenset([word for word, count in found.items() if count >= 3 and count * 20 >= total])


@dataclass(frozen=True)
class Topic:
    """The words of a question, the distinctive words of its report, and the lines of its table."""

    asked: frozenset[str]
    special: frozenset[str]
    lines: frozenset[frozenset[str]]

    def is_left_alone_by(self, statement: frozenset[str]) -> bool:
        """Return whether a statement with these words mentions nothing of the question or the table."""
        return (
            statement.isdisjoint(self.asked)
            and statement.isdisjoint(self.special)
            and not any(map(statement.issuperset, self.lines))
        )


def topic(problem: Problem, shared: frozenset[str]) -> Topic:
    """Return the topic of the problem. The words of `shared` do not distinguish its report."""
    cells = _cells(problem)
    earlier = frozenset[str]().union(*[words(f"{turn.question} {turn.answer}") for turn in problem.history])
    return Topic(
        words(problem.question) | earlier,
        words(problem.body).union(*cells) - shared,
        frozenset(cells) - {frozenset()},
    )

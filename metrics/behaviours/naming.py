"""Names the wrong rows that a fitted behaviour predicts, consistently with the explanation of each row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from dnc_metrics.behaviours.case import Case
from dnc_metrics.behaviours.evidence import Reply, spellings
from dnc_metrics.behaviours.fit import Fitted
from dnc_metrics.causes import SEARCHED, Explained


class Naming:
    """The fitted behaviours of a system, and counts of the wrong answers that each predicts."""

    def __init__(self, fitted: Sequence[Fitted]) -> None:
        self._fitted = fitted
        self.wrong = 0
        self.configs = [Counter[str]() for _ in fitted]
        self._hits = [Counter[str]() for _ in fitted]
        self._capabilities = Counter[str]()
        # Chance of the causes that the search over single rows does not measure.
        self._nulls: dict[str, float] = {}

    def name(self, reply: Reply, *, is_counted: bool) -> int | None:
        """Return the index of the first behaviour that predicts a wrong answer; count it if `is_counted`."""
        if is_counted:
            self.wrong += 1
            self._capabilities[reply.capability] += 1
        number = self._predicted(reply)
        if number is None:
            return None
        fitted = self._fitted[number]
        if fitted.behaviour.cause not in SEARCHED:
            self._nulls[fitted.behaviour.cause] = fitted.chance
        if is_counted:
            self.configs[number][reply.config] += 1
            self._hits[number][reply.capability] += 1
        return number

    def _predicted(self, reply: Reply) -> int | None:
        case = None if not self._fitted or reply.answer is None else Case.of(reply.row)
        if case is None or reply.answer is None:
            return None
        answer = reply.answer.numerator, reply.answer.denominator
        for number, one in enumerate(self._fitted):
            values = one.behaviour.answers(case)
            if any(answer in spellings(value, case.gold) for value in values):
                return number
        return None

    def story(self, one: Explained, number: int | None) -> Explained:
        """Return an explanation with the behaviour as its cause, unless the model states its mistake.

        All wrong answers must be named first.
        """
        if self._nulls and one.chance is not None:
            one = one._replace(nulls={**one.nulls, **self._nulls})
        if number is not None and not one.stated:
            behaviour = self._fitted[number].behaviour
            one = one._replace(causes=(behaviour.cause,), sentence=behaviour.sentence)
        return one

    def shares(self, number: int) -> Mapping[str, float]:
        """Return the share of each capability's wrong answers that a behaviour predicts, the largest first."""
        hits = self._hits[number]
        found = {
            name: hits[name] / count for name, count in self._capabilities.items() if name and hits[name]
        }
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

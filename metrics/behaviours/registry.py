"""The registry of behaviours: each is a function from a problem to the answers that it predicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dnc_datasets.errors import DncError
from dnc_metrics._mistakes import Ratio
from dnc_metrics.behaviours.case import Case

Predict = Callable[[Case], Iterable[Ratio]]


@dataclass(frozen=True)
class Behaviour:
    """A mistake that a model makes systematically.

    `sentence` follows the name of a model: "adds all numbers of the text". `cause` is its name in tables of
    causes. `kind_of` names a broader behaviour whose predictions include its own.
    """

    name: str
    sentence: str
    cause: str
    predict: Predict
    kind_of: str = ""

    def related(self, other: Behaviour) -> bool:
        """Return whether one behaviour is a kind of the other."""
        return self.kind_of == other.name or other.kind_of == self.name

    def answers(self, case: Case) -> set[Ratio]:
        """Return the wrong answers that it predicts for a problem."""
        return set(self.predict(case)) - {case.gold}


_REGISTERED: dict[str, Behaviour] = {}


def behaviour(sentence: str, cause: str, *, kind_of: str = "") -> Callable[[Predict], Predict]:
    """Register a function as a behaviour; its name is the function's.

    The function yields exact ratios in lowest terms. The right answer is removed if it yields it. It yields
    nothing if the behaviour does not apply.
    """

    def register(predict: Predict) -> Predict:
        name = predict.__name__
        if name in _REGISTERED:
            raise DncError(f"a behaviour called {name!r} is registered already; choose another name")
        _REGISTERED[name] = Behaviour(name, sentence, cause, predict, kind_of)
        return predict

    return register


def behaviours() -> tuple[Behaviour, ...]:
    """Return every registered behaviour, in the order of registration."""
    return tuple(_REGISTERED.values())

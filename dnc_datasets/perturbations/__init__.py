"""The perturbations: one file each, found by name; a recipe such as `language+verbosity` chains them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

from dnc_datasets.draws import Draw
from dnc_datasets.errors import UnknownNameError
from dnc_datasets.perturbations.neighbours import Neighbours
from dnc_datasets.problem import Problem

# Perturbation name -> module. Adding a perturbation is its file, its line here, and its test.
_MODULES = {
    "language": "dnc_datasets.perturbations.language",
    "type": "dnc_datasets.perturbations.type",
    "noise": "dnc_datasets.perturbations.noise",
    "distribution": "dnc_datasets.perturbations.distribution",
    "verbosity": "dnc_datasets.perturbations.verbosity",
    "extra": "dnc_datasets.perturbations.extra",
    "no_question": "dnc_datasets.perturbations.no_question",
}


class Capability(str, Enum):
    """What a perturbation tests; the first four are the framework's, probes look for shortcuts."""

    NUMBER_DETECTION = "number_detection"
    VALUE_UNDERSTANDING = "value_understanding"
    OPERAND_SELECTION = "operand_selection"
    OPERATION_REASONING = "operation_reasoning"
    PROBE = "probe"


@dataclass(frozen=True)
class Perturbation:
    """A registered perturbation: what it tests, what it promises, and the function that does it."""

    name: str
    capability: Capability
    changes_target: bool
    promises: tuple[str, ...]  # names of checks in `dnc_datasets.certificate`
    shapes: tuple[str, ...]
    function: Callable[..., Problem | None]
    needs_neighbours: bool
    parameters: Mapping[str, Any]

    @property
    def description(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").split("\n")[0]

    def apply(
        self, problem: Problem, draw: Draw, neighbours: Neighbours | None = None, **parameters: Any
    ) -> Problem | None:
        """The perturbed problem, or None where the problem does not qualify."""
        if self.needs_neighbours:
            return self.function(problem, draw, neighbours or Neighbours(()), **parameters)
        return self.function(problem, draw, **parameters)


_REGISTERED: dict[str, Perturbation] = {}


def perturbation(
    name: str,
    *,
    capability: Capability,
    promises: tuple[str, ...],
    changes_target: bool = False,
    shapes: tuple[str, ...] = ("word_problem", "passage", "table", "dialogue"),
) -> Callable[[Callable[..., Problem | None]], Callable[..., Problem | None]]:
    """Register a function `(problem, draw[, neighbours], *, scope, ...) -> Problem | None`.

    `promises` names the checks that every row it changes must pass; `shapes` the kinds of source it
    can act on. Keyword-only arguments are the parameters that users may set.
    """

    def register(function: Callable[..., Problem | None]) -> Callable[..., Problem | None]:
        signature = inspect.signature(function).parameters
        _REGISTERED[name] = Perturbation(
            name=name,
            capability=capability,
            changes_target=changes_target,
            promises=promises,
            shapes=shapes,
            function=function,
            needs_neighbours="neighbours" in signature,
            parameters={
                key: parameter.default
                for key, parameter in signature.items()
                if parameter.kind is inspect.Parameter.KEYWORD_ONLY
            },
        )
        return function

    return register


def names() -> tuple[str, ...]:
    """Every perturbation's name, in the order of the framework."""
    return tuple(_MODULES)


@cache
def get(name: str) -> Perturbation:
    """The perturbation called `name`; an unknown name answers with the nearest ones."""
    if name not in _MODULES:
        raise UnknownNameError("perturbation", name, _MODULES)
    import_module(_MODULES[name])
    return _REGISTERED[name]


def recipe(name: str) -> tuple[Perturbation, ...]:
    """The steps of a recipe: `recipe("language+verbosity")` is language, then verbosity."""
    return tuple(get(part) for part in name.split("+"))

"""The perturbations: one file each, found by name; a recipe such as `language+verbosity` chains them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

from dnc_datasets.draws import Draw
from dnc_datasets.errors import UnknownNameError
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem

# Perturbation name -> modules. Adding a perturbation is its file, its line here, and its test. Where a name
# has several, the first is the general one and each other acts on the shapes of source that it states.
_MODULES = {
    "language": ("dnc_datasets.perturbations.language",),
    "type": ("dnc_datasets.perturbations.type",),
    "noise": (
        "dnc_datasets.perturbations.noise",
        "dnc_datasets.perturbations.table_values",
        "dnc_datasets.perturbations.dialogue_values",
    ),
    "distribution": (
        "dnc_datasets.perturbations.distribution",
        "dnc_datasets.perturbations.table_values",
        "dnc_datasets.perturbations.dialogue_values",
    ),
    "verbosity": ("dnc_datasets.perturbations.verbosity",),
    "extra": ("dnc_datasets.perturbations.extra",),
    "logic": ("dnc_datasets.perturbations.logic", "dnc_datasets.perturbations.table_logic"),
    "order": ("dnc_datasets.perturbations.order", "dnc_datasets.perturbations.table_order"),
    "no_question": ("dnc_datasets.perturbations.no_question",),
    "paraphrase": ("dnc_datasets.perturbations.paraphrase",),
    "question_reordering": ("dnc_datasets.perturbations.question_reordering",),
}
# The nine variations of the SVAMP protocol: made on request, and not listed among the perturbations.
_VARIATIONS = (
    "same_object_different_structure",
    "different_object_same_structure",
    "different_object_different_structure",
    "add_relevant_information",
    "change_information",
    "invert_operation",
    "change_order_of_objects",
    "change_order_of_phrases",
    "add_irrelevant_information",
)
# With this ending, a perturbation of numbers reaches the cells of a table as well as the text, to which the
# published one is kept: `language_table`.
_WITH_CELLS = "_table"
_CELL_SCOPE = ("body", "table", "question")
_SCOPED = ("language", "type", "verbosity")
_MODULES |= {f"vary-{name}": ("dnc_datasets.perturbations.variations",) for name in _VARIATIONS}


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
    languages: tuple[str, ...]
    function: Callable[..., Problem | None]
    needs_neighbours: bool
    parameters: Mapping[str, Any]
    fixed: Mapping[str, Any] = field(default_factory=dict)  # arguments that nobody sets

    def acts_on(self, shape: str, language: str) -> bool:
        """Whether sources of this shape and language can be perturbed by it."""
        return shape in self.shapes and language in self.languages

    @property
    def description(self) -> str:
        """The first line of the function's docstring."""
        first = (inspect.getdoc(self.function) or "").split("\n")[0]
        return f"{first} In the cells of the table too." if self.name.endswith(_WITH_CELLS) else first

    def apply(
        self, problem: Problem, draw: Draw, neighbours: Neighbours | None = None, **parameters: Any
    ) -> Problem | None:
        """The perturbed problem, or None where the problem does not qualify."""
        if self.fixed:
            parameters = dict(**parameters, **self.fixed)  # an error where somebody sets a fixed one
        if self.needs_neighbours:
            return self.function(problem, draw, neighbours or Neighbours(()), **parameters)
        return self.function(problem, draw, **parameters)


_REGISTERED: dict[str, list[Perturbation]] = {}


def perturbation(
    name: str,
    *,
    capability: Capability,
    promises: tuple[str, ...],
    changes_target: bool = False,
    shapes: tuple[str, ...] = ("word_problem", "passage", "table", "dialogue"),
    languages: tuple[str, ...] = ("en", "zh"),
) -> Callable[[Callable[..., Problem | None]], Callable[..., Problem | None]]:
    """Register a function `(problem, draw[, neighbours], *, scope, ...) -> Problem | None`.

    `promises` names the checks that every row it changes must pass; `shapes` and `languages` the kinds
    of source it can act on. Keyword-only arguments are the parameters that users may set.
    """

    def register(function: Callable[..., Problem | None]) -> Callable[..., Problem | None]:
        signature = inspect.signature(function).parameters
        made = Perturbation(
            name=name,
            capability=capability,
            changes_target=changes_target,
            promises=promises,
            shapes=shapes,
            languages=languages,
            function=function,
            needs_neighbours="neighbours" in signature,
            parameters={
                key: parameter.default
                for key, parameter in signature.items()
                if parameter.kind is inspect.Parameter.KEYWORD_ONLY
            },
        )
        _REGISTERED.setdefault(name, []).append(made)
        return function

    return register


def names(shape: str = "word_problem") -> tuple[str, ...]:
    """Every listed perturbation's name, in the order of the framework; variations are named on request.

    For tables, those that reach the cells follow: `language_table` and the like.
    """
    listed = tuple(name for name in _MODULES if not name.startswith("vary-"))
    return (*listed, *(f"{name}{_WITH_CELLS}" for name in _SCOPED)) if shape == "table" else listed


def variation_names() -> tuple[str, ...]:
    """The names of the nine variations, e.g. "vary-invert_operation"."""
    return tuple(f"vary-{name}" for name in _VARIATIONS)


@cache
def get(name: str, shape: str = "word_problem") -> Perturbation:
    """The perturbation called `name`, as it acts on sources of this shape.

    Where none does, the general one is given; its `shapes` then lack this shape. An unknown name
    answers with the nearest ones.
    """
    plain = name.removesuffix(_WITH_CELLS)
    if name != plain and plain in _SCOPED:
        base = get(plain, "table")
        free = {key: default for key, default in base.parameters.items() if key != "scope"}
        return replace(base, name=name, shapes=("table",), parameters=free, fixed={"scope": _CELL_SCOPE})
    if name not in _MODULES:
        raise UnknownNameError("perturbation", name, (*_MODULES, *names("table")))
    for module in _MODULES[name]:
        import_module(module)
    made = _REGISTERED[name]
    return next((one for one in made if shape in one.shapes), made[0])


def recipe(name: str, shape: str = "word_problem") -> tuple[Perturbation, ...]:
    """The steps of a recipe: `recipe("language+verbosity")` is language, then verbosity."""
    return tuple(get(part, shape) for part in name.split("+"))

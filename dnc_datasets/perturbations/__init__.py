"""The perturbations: one file each, found by name. A recipe such as `language+verbosity` chains them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

from dnc_datasets import plugins
from dnc_datasets.certificate import CHECKS
from dnc_datasets.draws import Draw
from dnc_datasets.errors import PluginError, UnknownNameError
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import SHAPES, Problem

GROUP = "dnc.perturbations"
_HERE = "dnc_datasets.perturbations"
# Perturbation name -> modules in this folder. Adding a perturbation is its file, its line here, and its test;
# from outside, an entry point or a plug-in file (`dnc_datasets.plugins`). Where a name has several, the first is
# the general one and each other acts on the shapes of source that it states.
_MODULES = {
    "language": ("language",),
    "type": ("type",),
    "noise": ("noise", "table_values", "dialogue_values"),
    "distribution": ("distribution", "table_values", "dialogue_values"),
    "noise_plausible": ("noise_plausible", "table_plausible", "dialogue_values"),
    "distribution_plausible": ("distribution_plausible", "table_plausible", "dialogue_values"),
    "verbosity": ("verbosity",),
    "extra": ("extra",),
    "language_plausible": ("language_plausible",),
    "verbosity_plausible": ("verbosity_plausible",),
    "extra_plausible": ("extra_plausible",),
    "logic": ("logic", "table_logic"),
    "order": ("order", "table_order"),
    "no_question": ("no_question",),
    "no_passage": ("no_passage",),
    "no_history": ("no_history",),
    "paraphrase": ("paraphrase",),
    "question_reordering": ("question_reordering",),
    # The question asks for another step of its reasoning.
    "append_bool": ("append_bool",),
    "change_last": ("change_last",),
    "replace_arith": ("replace_arith",),
    "replace_comp": ("replace_comp",),
    "replace_bool": ("replace_bool",),
    "prune_step": ("prune_step",),
    # One number, relation, statement or name of the problem changes according to its solution graph.
    "reverse": ("reverse",),
    "define": ("define",),
    "relation": ("relation",),
    "noop": ("noop",),
    "names": ("person_names",),
    "extend": ("extend",),
    # Conditions of chat models: other problems, unrelated text, or too little information.
    "history": ("history",),
    "padding": ("padding",),
    "unanswerable": ("unanswerable",),
    # The nine variations of the SVAMP protocol.
    "vary-same_object_different_structure": ("variations",),
    "vary-different_object_same_structure": ("variations",),
    "vary-different_object_different_structure": ("variations",),
    "vary-add_relevant_information": ("variations",),
    "vary-change_information": ("variations",),
    "vary-invert_operation": ("variations",),
    "vary-change_order_of_objects": ("variations",),
    "vary-change_order_of_phrases": ("variations",),
    "vary-add_irrelevant_information": ("variations",),
}
# With this ending, a perturbation that `reaches_cells` changes the cells of a table as well as the text:
# `type_table`. Of a perturbation with a plausible form it is that form: `language_table` writes "five dollars".
WITH_CELLS = "_table"
PLAUSIBLE = "_plausible"
_CELL_SCOPE = ("body", "table", "question")


class Capability(str, Enum):
    """The capability that a perturbation tests.

    Four are those of the framework; probes look for shortcuts.
    """

    NUMBER_DETECTION = "number_detection"
    VALUE_UNDERSTANDING = "value_understanding"
    OPERAND_SELECTION = "operand_selection"
    OPERATION_REASONING = "operation_reasoning"
    PROBE = "probe"


@dataclass(frozen=True)
class Perturbation:
    """A registered perturbation: its capability, its promises, and its function."""

    name: str
    capability: Capability
    changes_target: bool
    promises: tuple[str, ...]  # names of checks in `dnc_datasets.certificate`
    shapes: tuple[str, ...]
    languages: tuple[str, ...]
    function: Callable[..., Problem | None]
    needs_neighbours: bool
    needs_equations: bool
    reaches_cells: bool
    asks_yes_no: bool
    needs_spans: bool
    second_reader: bool
    parameters: Mapping[str, Any]
    qualifies: str
    not_for: Mapping[str, str]
    measure: Callable[[Problem, Problem, Draw], Mapping[str, Any]] | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)  # arguments that users cannot set
    draw_key: str = ""  # the key of its draws, if it differs from its name

    @property
    def key(self) -> str:
        """The key of its draws. Rows keep their numbers when a perturbation is renamed."""
        return self.draw_key or self.name

    @property
    def is_plugin(self) -> bool:
        """Return whether it is from another package, or from a file of the user."""
        return self.function.__module__.partition(".")[0] != _HERE.partition(".")[0]

    def why_not(self, shape: str, language: str, equations: bool = True) -> str:
        """Return the reason why it does not support such a source; "" if it does."""
        if language not in self.languages:
            return f"not for {language}"
        if self.needs_equations and not equations:
            return "the source gives no equations, so the new answer could not be computed"
        if shape in self.shapes:
            return ""
        shapes = " and ".join(known.replace("_", " ") for known in self.shapes)
        return self.not_for.get(shape, f"for {shapes} sources only")

    @property
    def description(self) -> str:
        """The first line of the function's docstring."""
        first = (inspect.getdoc(self.function) or "").split("\n")[0]
        return f"{first} In the cells of the table too." if self.fixed else first

    def apply(
        self, problem: Problem, draw: Draw, neighbours: Neighbours | None = None, **parameters: Any
    ) -> Problem | None:
        """Return the perturbed problem, or None if the problem does not qualify."""
        if self.fixed:
            parameters = dict(**parameters, **self.fixed)  # an error if the caller sets a fixed one
        if self.needs_neighbours:
            return self.function(problem, draw, neighbours or Neighbours(()), **parameters)
        return self.function(problem, draw, **parameters)

    def measured(self, original: Problem, changed: Problem, draw: Draw) -> Mapping[str, Any]:
        """Return the facts that it records for a changed row, such as the strength of the change."""
        return self.measure(original, changed, draw) if self.measure else {}


_REGISTERED: dict[str, list[Perturbation]] = {}


def perturbation(
    name: str,
    *,
    capability: Capability,
    promises: tuple[str, ...],
    changes_target: bool = False,
    shapes: tuple[str, ...] = SHAPES,
    languages: tuple[str, ...] = ("en", "zh"),
    needs_equations: bool = False,
    reaches_cells: bool = False,
    asks_yes_no: bool = False,
    needs_spans: bool = False,
    second_reader: bool = False,
    draw_key: str = "",
    measure: Callable[[Problem, Problem, Draw], Mapping[str, Any]] | None = None,
    qualifies: str = "",
    not_for: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Problem | None]], Callable[..., Problem | None]]:
    """Register a function `(problem, draw[, neighbours], *, scope, ...) -> Problem | None`.

    `promises` names the checks that every changed row must pass. `shapes` and `languages` are the supported
    kinds of source. `not_for` gives the reason why a shape is not supported, and `qualifies` states which
    rows change. With `needs_equations`, a source without equations has no config. With `reaches_cells`,
    tables have a second config, NAME_table. With `asks_yes_no`, the new problem has no equation. With
    `needs_spans`, a source with only numeric answers has no config.

    With `second_reader`, the text is not written by rules. Each row is also read by the second reader
    (`dnc_datasets.second_reader`), which needs the extra `parse`.

    `draw_key` is the key of the draws if it is not the name of the perturbation. `measure` computes facts
    about a changed row from both problems and a new draw. The row stores them beside its parameters.

    Keyword-only arguments are the parameters that users may set.
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
            needs_equations=needs_equations,
            reaches_cells=reaches_cells,
            asks_yes_no=asks_yes_no,
            needs_spans=needs_spans,
            second_reader=second_reader,
            parameters={
                key: parameter.default
                for key, parameter in signature.items()
                if parameter.kind is inspect.Parameter.KEYWORD_ONLY
            },
            qualifies=qualifies,
            not_for=not_for or {},
            draw_key=draw_key,
            measure=measure,
        )
        if fault := _fault(made):
            raise PluginError(f"{_place(made)}: perturbation {name!r} {fault}")
        kept = [one for one in _REGISTERED.get(name, ()) if not _is_again(one, made)]
        _REGISTERED[name] = [*kept, made]
        get.cache_clear()
        return function

    return register


def _fault(made: Perturbation) -> str:
    """Return the error of a perturbation and its remedy; "" if there is none."""
    if not made.name.replace("-", "_").isidentifier() or not made.name.islower():
        return "has a name that no config can have; use small letters, digits and _"
    if not isinstance(made.capability, Capability):
        known = ", ".join(f"Capability.{one.name}" for one in Capability)
        return f"tests the unknown capability {made.capability!r}; use one of {known}"
    if unknown := [promise for promise in made.promises if promise not in CHECKS]:
        return (
            f"promises {unknown[0]!r}, which nothing checks; {_nearest(unknown[0], CHECKS)}, or register a check of "
            "your own first, with @dnc_datasets.certificate.check"
        )
    if unknown := [shape for shape in (*made.shapes, *made.not_for) if shape not in SHAPES]:
        return f"names the unknown shape {unknown[0]!r}; use {', '.join(SHAPES)}"
    for module in _MODULES.get(made.name, ()):
        if made.function.__module__ not in _modules(made.name):
            import_module(f"{_HERE}.{module}")  # our module may not be imported yet
    for other in _REGISTERED.get(made.name, ()):
        if set(other.shapes) & set(made.shapes) and not _is_again(other, made):
            return (
                f"exists already for {' and '.join(s for s in made.shapes if s in other.shapes)} sources, in "
                f"{_place(other)}; choose another name, or other shapes"
            )
    return ""


def _nearest(name: str, known: Iterable[str]) -> str:
    """Return the names of the nearest checks, or the place where all checks are listed.

    >>> _nearest("target_kpet", ["target_kept", "text_changed"])
    "use 'target_kept'"
    """
    near = get_close_matches(name, list(known), n=3)
    return (
        f"use {' or '.join(map(repr, near))}"
        if near
        else "`dnc_datasets.certificate.CHECKS` lists the checks"
    )


def _is_again(old: Perturbation, new: Perturbation) -> bool:
    """Return whether it is the same function, registered once more by a reload or a notebook cell."""
    one, two = old.function, new.function
    if (one.__module__, one.__qualname__) != (two.__module__, two.__qualname__) or old.shapes != new.shapes:
        return False
    return one.__module__ == "__main__" or _place(old) == _place(new)


def _place(made: Perturbation) -> str:
    code = inspect.unwrap(made.function).__code__
    return f"{code.co_filename}, line {code.co_firstlineno}"


def _modules(name: str) -> tuple[str, ...]:
    return tuple(f"{_HERE}.{module}" for module in _MODULES.get(name, ()))


def is_own(name: str) -> bool:
    """Return whether it is part of this package and not of a plug-in."""
    return name in _MODULES or name.removesuffix(WITH_CELLS) in _MODULES


def plausible_form(name: str) -> str:
    """Return the name of the plausible form, which diagnosis uses, or the name itself if there is none.

    >>> plausible_form("language"), plausible_form("type")
    ('language_plausible', 'type')
    """
    plausible = f"{name}{PLAUSIBLE}"
    return plausible if plausible in _MODULES else name


def names(shape: str = "word_problem") -> tuple[str, ...]:
    """Return the names of all perturbations in the order of the framework, followed by those of plug-ins.

    For tables, those that reach the cells follow: `language_table` and others.
    """
    listed = tuple(dict.fromkeys((*_MODULES, *plugins.entry_points(GROUP), *_REGISTERED)))
    if shape != "table":
        return listed
    reaching = (name.removesuffix(PLAUSIBLE) for name in listed if get(name, shape).reaches_cells)
    return (*listed, *(f"{name}{WITH_CELLS}" for name in reaching))


@cache
def get(name: str, shape: str = "word_problem") -> Perturbation:
    """Return the perturbation called `name` for sources of this shape.

    If there is none for the shape, return the general one, whose `shapes` lack this shape. An unknown name is
    an error that lists the nearest names.
    """
    if found := _found(name, shape):
        return found
    base = _reaching_cells(name.removesuffix(WITH_CELLS)) if name.endswith(WITH_CELLS) else None
    if base is None:
        raise UnknownNameError("perturbation", name, names("table"))
    free = {key: default for key, default in base.parameters.items() if key != "scope"}
    fixed = {"scope": _CELL_SCOPE}
    return replace(base, name=name, shapes=("table",), parameters=free, fixed=fixed, draw_key="")


def _reaching_cells(name: str) -> Perturbation | None:
    """Return the perturbation, or its plausible form, that can change the cells of a table."""
    forms = (_found(name, "table"), _found(f"{name}{PLAUSIBLE}", "table"))
    return next((one for one in forms if one is not None and one.reaches_cells), None)


def _found(name: str, shape: str) -> Perturbation | None:
    for module in _modules(name):
        import_module(module)
    if name in _MODULES and name not in _REGISTERED:
        raise PluginError(
            f"{_modules(name)[0]} registers no perturbation called {name!r}; fix its line in {_HERE}"
        )
    made = _for_shape(name, shape)
    if made is not None and shape in made.shapes:
        return made
    points = plugins.entry_points(GROUP)
    if name not in points:
        return made
    plugins.load(GROUP, name)
    if name not in _REGISTERED:
        raise PluginError(
            f"the entry point {name!r} loads {points[name].value}, which registers no perturbation of that name; "
            f'decorate its function with @perturbation("{name}", ...)'
        )
    return _for_shape(name, shape)


def _for_shape(name: str, shape: str) -> Perturbation | None:
    # By the order of the shapes, not by the order in which modules were imported.
    made = sorted(_REGISTERED.get(name, []), key=lambda one: min(map(SHAPES.index, one.shapes)))
    return next((one for one in made if shape in one.shapes), made[0] if made else None)


def variation_names() -> tuple[str, ...]:
    """Return the names of the nine variations, e.g. "vary-invert_operation"."""
    return tuple(name for name, modules in _MODULES.items() if "variations" in modules)


def recipe(name: str, shape: str = "word_problem") -> tuple[Perturbation, ...]:
    """Return the steps of a recipe: `recipe("language+verbosity")` is language, then verbosity."""
    return tuple(get(part, shape) for part in name.split("+"))

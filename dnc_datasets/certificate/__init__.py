"""The proof that a perturbed row is right: every promise of its perturbation, checked against the two texts.

There is one module per kind of promise. A check is its function and its line in that module's `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from dnc_datasets.certificate import (
    arrangement,
    asked,
    context,
    earlier_turns,
    foreign_text,
    links,
    moved_words,
    numbers,
    passages,
    plausibility,
    reasoning,
    restatements,
    stated_figures,
    structure,
    table_figures,
    table_operations,
    tables,
    wording,
)
from dnc_datasets.errors import CertificateError, PluginError
from dnc_datasets.problem import Problem

Check = Callable[[Problem, Problem], bool]

CHECKS: dict[str, Check] = {
    check.__name__: check
    for module in (
        numbers,
        wording,
        moved_words,
        asked,
        links,
        arrangement,
        plausibility,
        tables,
        restatements,
        stated_figures,
        earlier_turns,
        reasoning,
        table_figures,
        table_operations,
        structure,
        context,
        foreign_text,
        passages,
    )
    for check in module.CHECKS
}


def check(function: Check) -> Check:
    """Register a custom check `(original, perturbed) -> bool`, so that a perturbation can promise it.

    Errors show its docstring.
    """
    name, module = function.__name__, function.__module__
    if name in CHECKS and CHECKS[name].__module__ != module:
        raise PluginError(
            f"{module}: a check called {name!r} is in {CHECKS[name].__module__} already; choose another name"
        )
    CHECKS[name] = function
    return function


class Promising(Protocol):
    """An object with promises: a perturbation, which imports this package and so is not imported by it."""

    @property
    def name(self) -> str: ...

    @property
    def promises(self) -> tuple[str, ...]: ...


def certify(original: Problem, perturbed: Problem, perturbation: Promising) -> tuple[str, ...]:
    """Return the checks that hold for this pair, or raise an error that names the row and the broken promise.

    A check reads only the two problems, not the way in which the second one was made.
    """
    for name in perturbation.promises:
        if not CHECKS[name](original, perturbed):
            raise CertificateError(
                f"row {original.id!r}: {perturbation.name} breaks its promise {name!r} "
                f"({CHECKS[name].__doc__}); original {original.text!r}, perturbed {perturbed.text!r}. "
                "The row was not written.",
                name,
            )
    return perturbation.promises

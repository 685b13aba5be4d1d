"""The solvers: one file each, found by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from dnc_datasets import plugins
from dnc_datasets.errors import PluginError, UnknownNameError
from dnc_trainers.config import Config

if TYPE_CHECKING:
    from dnc_trainers.representation import Vocabulary
    from dnc_trainers.solvers.solver import Solver

    Class = TypeVar("Class", bound=type[Solver])

GROUP = "dnc.solvers"
# Solver name -> module. A new solver needs its file, a line here, and a test. An external one needs an entry
# point that names its module, or a plug-in file.
_MODULES = {
    "seq2seq": "dnc_trainers.solvers.seq2seq",
    "constrained": "dnc_trainers.solvers.constrained",
    "transformer": "dnc_trainers.solvers.transformer",
    "gts": "dnc_trainers.solvers.gts",
    "graph2tree": "dnc_trainers.solvers.graph2tree",
}
_REGISTERED: dict[str, tuple[type[Solver], dict[str, Any]]] = {}


def register(name: str, **settings: Any) -> Callable[[Class], Class]:
    """Register a subclass of `Solver` by name, with the settings that differ from `Config`'s defaults.

    Usage: `@register("mine", dropout=0.1, epochs=40)` before the class.
    """

    def add(made: Class) -> Class:
        taken = _MODULES.get(name, made.__module__)
        if name in _REGISTERED:
            taken = _REGISTERED[name][0].__module__
        if taken != made.__module__:
            raise PluginError(
                f"{made.__module__}: a solver called {name!r} is in {taken} already; choose another name"
            )
        Config(solver=name, **settings)  # raises an error for an unknown setting early, not during a run
        _REGISTERED[name] = made, settings
        return made

    return add


def names() -> tuple[str, ...]:
    """Return every solver's name."""
    return tuple(dict.fromkeys((*_MODULES, *plugins.entry_points(GROUP), *_REGISTERED)))


def get(name: str) -> type[Solver]:
    """Return the class of a solver; an unknown name raises an error with the nearest names."""
    return _registered(name)[0]


def default_config(name: str) -> Config:
    """Return the default settings of a solver."""
    return Config(solver=name, **_registered(name)[1])


def build(config: Config, vocabulary: Vocabulary) -> Solver:
    """Return the solver of a config with weights initialised from torch's generator."""
    return get(config.solver)(config, vocabulary)


def _registered(name: str) -> tuple[type[Solver], dict[str, Any]]:
    if name in _MODULES:
        import_module(_MODULES[name])
    elif name not in _REGISTERED:
        if name not in plugins.entry_points(GROUP):
            raise UnknownNameError("solver", name, names())
        plugins.load(GROUP, name)
        if name not in _REGISTERED:
            raise PluginError(
                f"the entry point {name!r} loads {plugins.entry_points(GROUP)[name].value}, which registers no "
                f'solver of that name; put @register("{name}") before its class'
            )
    return _REGISTERED[name]

"""The solvers: one file each, found by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dnc_datasets.errors import UnknownNameError
from dnc_trainers.config import Config

if TYPE_CHECKING:
    from dnc_trainers.representation import Vocabulary
    from dnc_trainers.solvers.solver import Solver

# Solver name -> (module, class, the settings in which it differs from `Config`'s defaults).
_SOLVERS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "seq2seq": ("dnc_trainers.solvers.seq2seq", "Seq2Seq", {}),
    "constrained": (
        "dnc_trainers.solvers.constrained",
        "Constrained",
        {"dropout": 0.1, "lr": 2e-3, "epochs": 40},
    ),
    "transformer": (
        "dnc_trainers.solvers.transformer",
        "Transformer",
        {"dropout": 0.1, "lr": 5e-4, "layers": 2, "batch": 32, "epochs": 60},
    ),
    "gts": ("dnc_trainers.solvers.gts", "Gts", {}),
    "graph2tree": (
        "dnc_trainers.solvers.graph2tree",
        "Graph2Tree",
        {"layers": 2, "word_dropout": 0.25, "epochs": 60},
    ),
}


def names() -> tuple[str, ...]:
    """Every solver's name."""
    return tuple(_SOLVERS)


def default_config(name: str) -> Config:
    """The settings that a solver is trained with unless told otherwise."""
    if name not in _SOLVERS:
        raise UnknownNameError("solver", name, _SOLVERS)
    return Config(solver=name, **_SOLVERS[name][2])


def needs_graphs(name: str) -> bool:
    """Does the solver read the graphs over the tokens?"""
    return name == "graph2tree"


def build(config: Config, vocabulary: Vocabulary) -> Solver:
    """The solver of a config with fresh weights, drawn from torch's generator as it stands."""
    if config.solver not in _SOLVERS:
        raise UnknownNameError("solver", config.solver, _SOLVERS)
    module, name, _ = _SOLVERS[config.solver]
    made: Solver = getattr(import_module(module), name)(config, vocabulary)
    return made

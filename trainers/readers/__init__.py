"""The readers of tables, passages and conversations: one file each, found by name beside the solvers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from dnc_datasets.errors import UnknownNameError

if TYPE_CHECKING:
    from dnc_trainers.readers.reader import Reader
    from dnc_trainers.readers.replies import Reading

    Class = TypeVar("Class", bound=type[Reader])

# Reader name -> module. Adding a reader is its file, its line here, and its test.
_MODULES = {
    "tagop": "dnc_trainers.readers.tagop",
    "table_rules": "dnc_trainers.readers.table_rules",
    "discrete": "dnc_trainers.readers.discrete",
    "rgnet": "dnc_trainers.readers.rgnet",
    "sequence": "dnc_trainers.readers.sequence",
}
_REGISTERED: dict[str, tuple[type[Reader], Reading]] = {}


def register(name: str, config: Reading) -> Callable[[Class], Class]:
    """Register a subclass of `Reader` by name, with the settings that it has unless stated otherwise."""

    def add(made: Class) -> Class:
        _REGISTERED[name] = made, config
        return made

    return add


def names() -> tuple[str, ...]:
    """Every reader's name."""
    return tuple(_MODULES)


def get(name: str) -> type[Reader]:
    """The class of a reader; an unknown name answers with the nearest ones."""
    return _registered(name)[0]


def default_config(name: str) -> Reading:
    """The settings that a reader is trained with unless stated otherwise."""
    return _registered(name)[1]


def _registered(name: str) -> tuple[type[Reader], Reading]:
    if name not in _MODULES:
        raise UnknownNameError("reader", name, names())
    import_module(_MODULES[name])
    return _REGISTERED[name]

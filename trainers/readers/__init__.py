"""The readers of tables, passages and conversations: one file each, found by name like the solvers."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from dnc_datasets.errors import UnknownNameError

if TYPE_CHECKING:
    from dnc_trainers.readers.reader import Reader
    from dnc_trainers.readers.replies import Reading

    Class = TypeVar("Class", bound=type[Reader])

# Reader name -> module. A new reader needs its file, a line here, and a test.
_MODULES = {
    "tagop": "dnc_trainers.readers.tagop",
    "table_rules": "dnc_trainers.readers.table_rules",
    "discrete": "dnc_trainers.readers.discrete",
    "rgnet": "dnc_trainers.readers.rgnet",
    "sequence": "dnc_trainers.readers.sequence",
}
_REGISTERED: dict[str, tuple[type[Reader], Reading]] = {}


def register(name: str, config: Reading) -> Callable[[Class], Class]:
    """Register a subclass of `Reader` by name, with its default settings."""

    def add(made: Class) -> Class:
        _REGISTERED[name] = made, config
        return made

    return add


def names() -> tuple[str, ...]:
    """Return every reader's name."""
    return tuple(_MODULES)


def get(name: str) -> type[Reader]:
    """Return the class of a reader; an unknown name raises an error with the nearest names."""
    return _registered(name)[0]


def default_config(name: str) -> Reading:
    """Return the default settings of a reader."""
    return _registered(name)[1]


def _registered(name: str) -> tuple[type[Reader], Reading]:
    if name not in _MODULES:
        raise UnknownNameError("reader", name, names())
    import_module(_MODULES[name])
    return _REGISTERED[name]

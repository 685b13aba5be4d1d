"""What others add to DNC: packages found by their entry points, and files of one's own named by the user.

A package that is installed beside ours says in its metadata what it brings, by name:

    [project.entry-points."dnc.perturbations"]
    shout = "my_package.shout"

The groups are `dnc.perturbations`, `dnc.sources`, `dnc.solvers`, `dnc.metrics`, `dnc.models` and `dnc.scorers`;
nothing of a package is imported before one of its names is asked for. Our own are listed in our own registries, so that
they are there whatever the metadata of an old installation says.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnc_datasets.errors import PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# How the reason of a row that a plug-in failed at begins.
PLUGIN = "plug-in "
_loaded: dict[Path, str] = {}


@cache
def entry_points(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name; two packages that bring the same name are an error."""
    from importlib import metadata  # reading what is installed takes time, and `dnc --help` needs none of it

    found: dict[str, EntryPoint] = {}
    for point in metadata.entry_points(group=group):
        # The same package may be on the path twice (a checkout and an installation).
        if point.name in found and found[point.name].value != point.value:
            raise PluginError(
                f"{_owner(point)} and {_owner(found[point.name])} both bring {point.name!r} ({group}); "
                "uninstall one of them, or rename it in its metadata"
            )
        found[point.name] = point
    return found


def load(group: str, name: str) -> Any:
    """What the entry point of this name represents; it is imported now."""
    point = entry_points(group)[name]
    try:
        return point.load()
    except PluginError:
        raise
    except Exception as error:
        raise PluginError(
            f"{name!r} of {_owner(point)} cannot be loaded from {point.value} ({type(error).__name__}: {error}); "
            f"fix it, or uninstall the package"
        ) from error


def load_plugin(path: str | PathLike[str]) -> None:
    """Run a Python file that registers perturbations, sources, solvers or checks; a second time does nothing.

    `dnc COMMAND --plugin FILE` does the same, also in the processes that a command starts.
    """
    file = Path(path).resolve()
    if file in _loaded:
        return
    if not file.is_file():
        raise PluginError(f"there is no plug-in file {path}; give the path of a Python file")
    name = f"dnc_plugin_{len(_loaded)}_{file.stem}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise PluginError(f"plug-in {path} is no Python file; its name must end in .py")
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look a class's module up by name
    try:
        spec.loader.exec_module(module)
    except PluginError:
        del sys.modules[name]
        raise
    except Exception as error:
        del sys.modules[name]
        raise PluginError(f"plug-in {path} cannot be run: {type(error).__name__}: {error}") from error
    _loaded[file] = name


def loaded() -> tuple[Path, ...]:
    """The plug-in files of this process, in order; a process that it starts must load them too."""
    return tuple(_loaded)


def _owner(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value

"""Plug-ins: packages found by their entry points, and Python files named by the user.

An installed package names its additions in its metadata:

    [project.entry-points."dnc.perturbations"]
    shout = "my_package.shout"

The groups are `dnc.perturbations`, `dnc.sources`, `dnc.solvers`, `dnc.metrics`, `dnc.models` and `dnc.scorers`;
a package is imported only when one of its names is used. Our own perturbations, sources and so on are listed in our
registries, so that they do not depend on the metadata of an old installation.
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

# Start of the reason of a row at which a plug-in failed.
PLUGIN = "plug-in "
_loaded: dict[Path, str] = {}


@cache
def entry_points(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name. Two packages with the same name are an error."""
    from importlib import metadata  # slow, and `dnc --help` does not need it

    points: dict[str, EntryPoint] = {}
    for point in metadata.entry_points(group=group):
        # The same package may be on the path twice (a checkout and an installation).
        if point.name in points and points[point.name].value != point.value:
            raise PluginError(
                f"{_owner(point)} and {_owner(points[point.name])} both bring {point.name!r} ({group}); "
                "uninstall one of them, or rename it in its metadata"
            )
        points[point.name] = point
    return points


def load(group: str, name: str) -> Any:
    """Import and return the object of an entry point."""
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
    """Run a Python file that registers perturbations, sources, solvers or checks.

    A second call does nothing.

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
    """Return the plug-in files of this process, in order. Its child processes must load them too."""
    return tuple(_loaded)


def _owner(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value

"""Makes `load_dataset("dnc", config)` work after any import of `dnc_datasets`, without a built folder.

`datasets` has no public way to add a builder. `load_dataset` gets every builder from
`datasets.load.load_dataset_builder`, so this function gets the code of a wrapper. The wrapper serves the path
"dnc" and passes on all others. Where `./dnc` is a folder that `dnc build` wrote and it holds the config, that
folder is read as without the wrapper. This module never imports `datasets`: a hook waits for its import.
"""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from types import ModuleType

PATH = "dnc"
_DEFAULT_CONFIG = "tiny"
_WAY_ONE = (
    'this release of `datasets` does not let dnc_datasets answer load_dataset("dnc", ...). Run `dnc build` '
    "and call it in the parent of the folder `dnc` that it writes; that works with every release"
)


def install() -> None:
    """Register with `datasets`, now or when it is imported. A second call does nothing."""
    if "datasets" in sys.modules and hasattr(sys.modules["datasets"], "load_dataset"):
        register(sys.modules["datasets"])
    elif not any(isinstance(finder, _WhenImported) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())


class _WhenImported:
    """A finder that finds no module. It lets `register` run once `datasets` has been imported."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the spec of `datasets` with our step after its loading, and None for every other module."""
        if name != "datasets":
            return None
        from importlib.util import find_spec

        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_register(module: ModuleType) -> None:
                load(module)
                register(module)

            spec.loader.exec_module = load_and_register  # type: ignore[method-assign]
        return spec


def register(datasets: ModuleType) -> None:
    """Wrap the function that `load_dataset` calls.

    If this release calls another one, let "dnc" raise an error.
    """
    original = getattr(getattr(datasets, "load", None), "load_dataset_builder", None)
    if getattr(original, "serves_dnc", False):
        return
    if original is not None and _is_called_by(datasets.load_dataset, original):
        _redirect(original, _serving(_copied(original)), _builder_code)
        names = getattr(getattr(datasets, "inspect", None), "get_dataset_config_names", None)
        if names is not None:
            _redirect(names, _naming(_copied(names)), _names_code)
    elif not getattr(datasets.load_dataset, "serves_dnc", False):
        _replace(datasets.load_dataset, _refusing(datasets.load_dataset))


def _is_called_by(load_dataset: Callable[..., Any], load_builder: Callable[..., Any]) -> bool:
    import inspect  # 5 ms that only users of `datasets` should pay

    code = getattr(inspect.unwrap(load_dataset), "__code__", None)
    expected = ["path", "name", "data_dir", "data_files", "cache_dir", "features"]
    return (
        code is not None
        and load_builder.__name__ in code.co_names
        and list(inspect.signature(load_builder).parameters)[: len(expected)] == expected
    )


# Name of a function of `datasets` -> the function that answers in its place.
_answering: dict[str, Callable[..., Any]] = {}


def _builder_code(*arguments: Any, **options: Any) -> Any:
    from dnc_datasets.serving import hub

    return hub._answering["load_dataset_builder"](*arguments, **options)


def _names_code(*arguments: Any, **options: Any) -> Any:
    from dnc_datasets.serving import hub

    return hub._answering["get_dataset_config_names"](*arguments, **options)


def _copied(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function with the code of another, which does not change when the other is redirected."""
    from types import FunctionType

    function: Any = original
    copy = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return functools.wraps(original)(copy)


def _redirect(original: Callable[..., Any], new: Callable[..., Any], code: Any) -> None:
    """Redirect a function by its code, so that earlier imports by name are redirected, too."""
    from inspect import signature

    function: Any = original
    if function.__closure__:  # the code of a closure cannot be replaced
        _replace(original, new)
        return
    _answering[function.__name__] = new
    function.__signature__ = signature(original)
    function.__code__ = code.__code__
    function.__defaults__ = function.__kwdefaults__ = None
    function.serves_dnc = True


def _replace(original: Callable[..., Any], new: Callable[..., Any]) -> None:
    """Put the wrapper in the place of the original in all modules of `datasets`."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "datasets" and vars(module).get(original.__name__) is original:
            setattr(module, original.__name__, new)


def _serving(original: Callable[..., Any]) -> Callable[..., Any]:
    from inspect import signature

    known = signature(original).parameters

    @functools.wraps(original)
    def load_dataset_builder(
        path: str,
        name: str | None = None,
        data_dir: str | None = None,
        data_files: Any = None,
        cache_dir: str | None = None,
        features: Any = None,
        *rest: Any,
        **options: Any,
    ) -> Any:
        # A folder holds one seed. With a seed given, the rows are made.
        is_ours = path == PATH and data_files is None
        if not is_ours or ("seed" not in options and _is_in_local_folder(name)):
            return original(path, name, data_dir, data_files, cache_dir, features, *rest, **options)
        from dnc_datasets.serving.hub_builder import make_builder

        _check_revision(dict(zip(list(known)[6:], rest, strict=False)) | options)
        own = {key: value for key, value in options.items() if key not in known}
        return make_builder(name or _DEFAULT_CONFIG, data_dir, cache_dir, features, **own)

    load_dataset_builder.serves_dnc = True  # type: ignore[attr-defined]
    return load_dataset_builder


def _check_revision(options: dict[str, Any]) -> None:
    """Raise an error for another version than the installed one, whose code makes the rows."""
    from dnc_datasets.version import __version__

    revision = options.get("revision")
    if revision is not None and str(revision).removeprefix("v") not in (__version__, "main"):
        from dnc_datasets.errors import DncError

        raise DncError(
            f'load_dataset("dnc", revision={revision!r}): version {__version__} of dnc-bench is installed and makes '
            "the rows; install that version, or load a folder or Hub repository that `dnc build` of it wrote"
        )


def _naming(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def get_dataset_config_names(path: str, *arguments: Any, **options: Any) -> Any:
        if path != PATH:
            return original(path, *arguments, **options)
        from dnc_datasets import sources
        from dnc_datasets.serving import catalogue

        return [variant.name for dataset in sources.names() for variant in catalogue.variants(dataset)]

    return get_dataset_config_names


def _refusing(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def load_dataset(path: str, *arguments: Any, **options: Any) -> Any:
        if path == PATH and not os.path.isdir(path):
            from dnc_datasets.errors import BuildError

            raise BuildError(_WAY_ONE)
        return original(path, *arguments, **options)

    load_dataset.serves_dnc = True  # type: ignore[attr-defined]
    return load_dataset


def _is_in_local_folder(config: str | None) -> bool:
    """Return whether `./dnc` is a built folder that holds the config (any, if none is named)."""
    from pathlib import Path

    from dnc_datasets.serving import checksums

    folder = Path(PATH)
    if not (folder / checksums.FILE_NAME).is_file():
        return False
    return config is None or config in checksums.read(folder).configs

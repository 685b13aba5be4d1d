"""Replaces the files of a folder together: all of them, or none."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from dnc_datasets import atomic, owned_folder, untrusted
from dnc_datasets.errors import OutputError
from dnc_datasets.filesystem import Lock, flush_file, flush_folder

_MAX_PLAN = 64 << 20  # bytes
_PLAN = "plan.json"  # names the files to remove from a folder once the new files are in their places


@contextmanager
def updated_folder(path: Path, ours: Callable[[], Iterable[str]] = tuple) -> Iterator[Path]:
    """Give an empty folder to fill.

    When the block ends without an error, its files take their places in `path`.

    `ours()` names the files of `path` (as a/b/c) that an earlier call wrote: those that are not written again are
    removed. Everything else in the folder remains unchanged. A file to be written whose name is taken by a file
    that is not ours is an error, before anything is changed.

    A folder that was not there appears complete. A process killed while the block runs leaves `path` unchanged. One
    killed while the files change places leaves a plan, and the next call finishes it first. Two calls at once for
    the same path are an error.
    """
    path = owned_folder.usable(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    building = unfinished_folder(path)
    new, plan = building / "new", building / _PLAN
    lock = Lock(path.with_name(f".{path.name}.dnc-lock"), str(path))
    lock.acquire()
    try:
        if building.is_symlink() or (building.exists() and not building.is_dir()):
            raise OutputError(f"{building} is a link or a file, where DNC works in a folder; move it away")
        building.mkdir(exist_ok=True)
        if os.path.lexists(plan):
            _take_places(path, new, plan)
        for stale in building.iterdir():
            _remove(stale)
        new.mkdir()
        try:
            known = set(ours())
            yield new
            written = sorted(file.relative_to(new).as_posix() for file in _files(new))
            for name in written:
                owned_folder.refuse_outside(path, name)
                owned_folder.refuse_foreign(path, name, name in known)
            _flush_all(new)
        except BaseException:
            _remove(building)
            raise
        if not path.exists() or not any(path.iterdir()):
            if path.exists():
                path.rmdir()
            os.rename(new, path)
        else:
            atomic.write_text(plan, json.dumps(sorted(known - set(written))))
            _take_places(path, new, plan)
        flush_folder(path.parent)
        _remove(building)
    finally:
        lock.release()


def replaced_folder(path: Path) -> AbstractContextManager[Path]:
    """Like `updated_folder`, for a folder that only DNC writes: none of its earlier files remains."""
    return updated_folder(
        path, lambda: [file.relative_to(path).as_posix() for file in path.rglob("*") if not file.is_dir()]
    )


def unfinished_folder(path: Path) -> Path:
    """Return the folder in which `updated_folder` works. A plan in it says that `path` is half changed."""
    return path.with_name(f".{path.name}.building")


def is_half_changed(path: Path) -> bool:
    """Return whether a process was killed while it changed this folder.

    The next call of `updated_folder` finishes its work.
    """
    return (unfinished_folder(path.resolve()) / _PLAN).exists()


def _take_places(path: Path, new: Path, plan: Path) -> None:
    """Move the new files to their places and remove the old ones. A second call changes nothing."""
    names, files = _planned(plan), _files(new)
    for name in (*names, *(file.relative_to(new).as_posix() for file in files)):
        owned_folder.refuse_outside(path, name)
    for file in (new, *files):
        if file.is_symlink():
            raise OutputError(f"{file} is a symbolic link that DNC did not write; look at it and remove it")
    for name in names:
        (path / name).unlink(missing_ok=True)
        with suppress(OSError):  # something else is in it, or it is gone already
            if "/" in name:
                (path / name).parent.rmdir()
    for file in files:
        place = path / file.relative_to(new)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(file, place)
        flush_folder(place.parent)
    plan.unlink()


def _planned(plan: Path) -> list[str]:
    """Return the names of the files to remove. A plan that DNC did not write is an error."""
    remedy = f"DNC did not write it; look at {plan.parent} and remove it"
    if plan.is_symlink():
        raise OutputError(f"{plan} is a symbolic link; {remedy}")
    names = untrusted.read_json(plan, error=OutputError, remedy=remedy, max_bytes=_MAX_PLAN)
    if not isinstance(names, list) or not all(isinstance(name, str) and _is_name(name) for name in names):
        raise OutputError(f"{plan} is not a list of names; {remedy}")
    return names


def _is_name(name: str) -> bool:
    """Return whether a file system can hold a file of this name."""
    return (
        "\0" not in name
        and len(name) <= 1000
        and all(0 < len(part.encode()) <= 255 for part in name.split("/"))
    )


def _files(folder: Path) -> list[Path]:
    """Return everything below the folder that is not a folder, symbolic links included."""
    return [file for file in sorted(folder.rglob("*")) if file.is_symlink() or not file.is_dir()]


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _flush_all(folder: Path) -> None:
    for name, _, files in os.walk(folder):
        for file in files:
            flush_file(Path(name, file))
        flush_folder(Path(name))

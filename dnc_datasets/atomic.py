"""Files and folders that are there whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from dnc_datasets.errors import BuildError, OutputError

_SHOWN = 40  # characters of a file's name that its temporary name keeps
# What a file is called while it is written: .NAME.RANDOM and this.
_UNFINISHED = ".dnc-unfinished"
_PLAN = "plan.json"  # what is to go from a folder once the new files are in their places


def write_text(path: Path, text: str) -> None:
    """Write a text file by way of a temporary sibling, flushed to disk before it takes its name."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """The same for bytes. What killed processes left unfinished in the folder is removed."""
    with new_file(path) as file:
        file.write(data)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write in pieces; it takes the name `path` when the block ends without an error.

    A device, a pipe, a folder or a symbolic link of that name is refused, never replaced.
    """
    _refuse_special(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_unfinished(path.parent)
    handle, name = _unfinished(path)
    try:
        with os.fdopen(handle, "wb") as file:
            # Temporary files are for their owner's eyes only; this one is to be like any other file.
            os.fchmod(handle, 0o666 & ~_umask())
            yield file
            file.flush()
            os.fsync(file.fileno())
        _refuse_special(path)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _refuse_special(path: Path) -> None:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return  # what is wrong with the path is told when it is written
    if not stat.S_ISREG(mode):
        raise OutputError(
            f"{path} is a folder, a link, a device or a pipe, and stays as it is; name another file"
        )


def _unfinished(path: Path) -> tuple[int, str]:
    """A new temporary file beside the path, locked as long as its writer lives."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:_SHOWN]}.", suffix=_UNFINISHED)
        try_lock(handle)
        # Another process may have taken it for a dead one's before it was locked.
        if os.path.exists(name):
            return handle, name
        os.close(handle)


def _remove_unfinished(folder: Path) -> None:
    """Remove the temporary files whose writers are gone: their locks went with them."""
    for entry in os.scandir(folder):
        if not entry.name.endswith(_UNFINISHED) or not entry.is_file(follow_symlinks=False):
            continue
        with suppress(OSError):
            handle = os.open(entry.path, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if try_lock(handle):
                    os.unlink(entry.path)
            finally:
                os.close(handle)


def _umask() -> int:
    """The permissions that new files do not get; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


@contextmanager
def updated_folder(path: Path, ours: Callable[[], Iterable[str]] = tuple) -> Iterator[Path]:
    """An empty folder to fill; when the block ends without an error, its files take their places in `path`.

    `ours()` names the files of `path` (as a/b/c) that were written by an earlier call: those that are not
    written again go, and whatever else is in the folder stays as it is, where it is. A file to be written
    whose name is taken by something that is not ours is an error, before anything is changed.

    A folder that was not there appears whole. A process killed while the block runs leaves `path` as it was;
    one killed while the files change places leaves both behind, and the next call finishes that first. Two
    calls at once for the same path are an error.
    """
    path = path.parent.resolve() / path.name
    path.parent.mkdir(parents=True, exist_ok=True)
    building = unfinished_folder(path)
    new, plan = building / "new", building / _PLAN
    lock = _locked(building)
    try:
        if plan.exists():
            _take_places(path, new, plan)
        for stale in building.iterdir():
            _remove(stale)
        new.mkdir()
        try:
            known = set(ours())
            yield new
            written = sorted(str(file.relative_to(new)) for file in new.rglob("*") if file.is_file())
            for name in written:
                _refuse_taken(path, name, name in known)
            _sync_all(new)
        except BaseException:
            _remove(building)
            raise
        if not path.exists() or not any(path.iterdir()):
            os.rename(new, path)
        else:
            write_text(plan, json.dumps(sorted(known - set(written))))
            _take_places(path, new, plan)
        _sync_folder(path.parent)
        _remove(building)
    finally:
        os.close(lock)


def replaced_folder(path: Path) -> AbstractContextManager[Path]:
    """The same for a folder that is ours alone: of the files that it held, none stays."""
    return updated_folder(
        path, lambda: [file.relative_to(path).as_posix() for file in path.rglob("*") if not file.is_dir()]
    )


def unfinished_folder(path: Path) -> Path:
    """Where `updated_folder` works; that it holds a plan says that the folder is only half changed."""
    return path.with_name(f".{path.name}.building")


def is_half_changed(path: Path) -> bool:
    """Was a process killed while it changed this folder? The next `updated_folder` finishes it."""
    return (unfinished_folder(path.resolve()) / _PLAN).exists()


def _take_places(path: Path, new: Path, plan: Path) -> None:
    """Move the new files to their places and take away the old ones; done twice, it does nothing more."""
    for name in json.loads(plan.read_text(encoding="utf-8")):
        (path / name).unlink(missing_ok=True)
        with suppress(OSError):  # something else is in it, or it is gone already
            if "/" in name:
                (path / name).parent.rmdir()
    for file in sorted(new.rglob("*")):
        if file.is_file():
            place = path / file.relative_to(new)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(file, place)
            _sync_folder(place.parent)
    plan.unlink()


def _refuse_taken(folder: Path, name: str, is_ours: bool) -> None:
    """An error where a file cannot take its place without harm to something that is not ours."""
    place = folder
    for part in Path(name).parent.parts:
        place /= part
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise OutputError(f"{place} is no folder of ours and stays as it is; move it away")
    place = folder / name
    if os.path.lexists(place):
        _refuse_special(place)
        if not is_ours:
            raise OutputError(f"{place} was not written by this command and stays as it is; move it away")


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Make the folder and hold its lock while the block runs; whoever else asks for it waits.

    The system lets the lock go when this process ends, however it ends.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        try_lock(handle, wait=True)
        yield
    finally:
        os.close(handle)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make the folder and hold its lock while the block runs; for whoever else asks, it is an error at once."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        if try_lock(handle) is False:
            raise OutputError(
                f"another process is writing {folder} at this moment; wait for it, or choose another folder"
            )
        yield
    finally:
        os.close(handle)


def try_lock(handle: int, *, wait: bool = False) -> bool | None:
    """Lock an open file or folder: False where another process holds the lock, None where there are no locks."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _locked(folder: Path) -> int:
    """Make the folder and lock it; the system lets the lock go when this process ends, however it ends."""
    while True:
        folder.mkdir(exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
        if try_lock(handle) is False:
            os.close(handle)
            raise BuildError(
                f"another process is writing {folder.name} in {folder.parent} at this moment; "
                "wait for it, or choose another folder"
            )
        # Another process may have finished and renamed it between our open and our lock.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), os.stat(folder)):
                return handle
        os.close(handle)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _sync_all(folder: Path) -> None:
    for name, _, files in os.walk(folder):
        for file in files:
            _sync(Path(name, file))
        _sync_folder(Path(name))


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_folder(path: Path) -> None:
    # Some network file systems cannot; a rename there is as safe as they make it.
    with suppress(OSError):
        _sync(path)

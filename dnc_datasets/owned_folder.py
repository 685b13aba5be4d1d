"""Folders and files that commands write to: each command replaces only the files that it wrote itself.

A folder has a mark, `.dnc-mark`, with the names of the files that DNC wrote and the command that wrote each. While a
command writes, it holds the folder's lock. No name leads out of the folder, and no symbolic link in it is followed.
"""

from __future__ import annotations

import json
import logging
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import BinaryIO

from dnc_datasets import atomic, secrets, untrusted
from dnc_datasets.errors import DncError, OutputError
from dnc_datasets.filesystem import Lock

MARK, LOCK = ".dnc-mark", ".dnc-lock"
_MAX_MARK = 16 << 20  # bytes
_MAX_HEAD = 1 << 20  # bytes of a file that are read to identify the command that wrote it
_log = logging.getLogger(__name__)

# Names the files in a folder that an earlier version of the command wrote, judged by their content.
Adopts = Callable[[Path], Iterable[str]]
# Judges by its first line whether the same command wrote a file.
IsOurs = Callable[[str], bool]


def _nothing(folder: Path) -> Iterable[str]:
    return ()


class OwnedFolder:
    """A folder in which one command writes, without any other, from `__enter__` to `__exit__`.

    `names` are files that will be written: one that another command or person wrote is an error at once, before any
    work. With `force` such files are replaced, and a warning names each. `adopts` names the files of a folder without
    a mark, which a version of DNC before the mark wrote.
    """

    def __init__(
        self,
        path: Path,
        command: str,
        *,
        names: Iterable[str] = (),
        adopts: Adopts = _nothing,
        force: bool = False,
        wait: bool = False,
    ) -> None:
        self.path = usable(path)
        self._command, self._names, self._adopts = command, tuple(names), adopts
        self._force, self._wait = force, wait
        self._lock = Lock(self.path / LOCK, str(path))
        self._written: dict[str, str] = {}

    def __enter__(self) -> OwnedFolder:
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock.acquire(wait=self._wait, command=self._command)
        try:
            self._written = _read_mark(self.path)
            for name in self._names:
                self._check(name)
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def claim(self, *names: str) -> None:
        """Add files to the mark before they are written. A file that is not ours is an error."""
        for name in names:
            self._check(name)
        if any(self._written.get(name) != self._command for name in names):
            self._written |= dict.fromkeys(names, self._command)
            text = json.dumps({"dnc": 1, "files": self._written}, indent=0, sort_keys=True)
            atomic.write_text(self.path / MARK, text + "\n")

    def write_text(self, name: str, text: str) -> Path:
        """Write a file of the folder, without keys. `name` may hold folders (a/b/c)."""
        return self.write_bytes(name, atomic.encoded(secrets.file_cleaner()(text)))

    def write_bytes(self, name: str, data: bytes) -> Path:
        """Write bytes in the same way."""
        with self.new_file(name) as file:
            file.write(data)
        return self.path / name

    @contextmanager
    def new_file(self, name: str) -> Iterator[BinaryIO]:
        """Open a file of the folder to write in pieces.

        It takes its name when the block ends without an error.
        """
        self.claim(name)
        with atomic.new_file(self.path / name) as file:
            yield file

    def _check(self, name: str) -> None:
        refuse_outside(self.path, name)
        place = self.path / name
        if not os.path.lexists(place) or self._is_ours(name):
            return
        if self._force and not place.is_dir():
            atomic.refuse_special(place)
            _log.warning(
                "--force: replacing %s, written by %s", place, self._written.get(name, "another program")
            )
            return
        owner = self._written.get(name)
        who = f"was written by `{owner}`" if owner else f"was not written by `{self._command}`"
        raise OutputError(
            f"{place} {who} and is not replaced; choose another folder with --out, or move it away"
        )

    def _is_ours(self, name: str) -> bool:
        """Return whether the same command wrote this file, or a file in this folder."""
        place = self.path / name
        if not place.is_dir() or place.is_symlink():
            atomic.refuse_special(place)
        if name in self._written:
            return self._written[name] == self._command
        if any(file.startswith(f"{name}/") and by == self._command for file, by in self._written.items()):
            return True
        adopted = {*self._adopts(self.path)}
        return name in adopted or any(file.startswith(f"{name}/") for file in adopted)


def check(
    path: Path, command: str, names: Iterable[str], adopts: Adopts = _nothing, force: bool = False
) -> Path:
    """Return the real path of a folder if the command may write these files there.

    The folder is not created.
    """
    real = usable(path)
    if real.exists():
        with OwnedFolder(path, command, names=names, adopts=adopts, force=force):
            pass
    return real


def usable(path: Path) -> Path:
    """Return the real path of a folder to write in. A file, a device or a link to nothing is an error.

    The folder itself may be a symbolic link.
    """
    mode = _mode(path)
    if mode is not None and stat.S_ISLNK(mode):
        mode = _mode(path.resolve())
        if mode is None:
            raise OutputError(
                f"{path} is a symbolic link to {os.readlink(path)}, which is not there; make it first"
            )
    if mode is not None and not stat.S_ISDIR(mode):
        kind = "a file" if stat.S_ISREG(mode) else "a device, a pipe or a socket"
        raise OutputError(f"{path} is {kind}; name a folder")
    return path.resolve()


@contextmanager
def exclusive(path: Path, *, wait: bool = False) -> Iterator[Path]:
    """Create the folder and hold its lock. A second process waits, or gets an error that names the first."""
    with OwnedFolder(path, "", wait=wait) as folder:
        yield folder.path


@contextmanager
def new_owned_file(path: Path, is_ours: IsOurs, force: bool = False) -> Iterator[BinaryIO]:
    """Open a single file that a command writes.

    A second process that writes it at the same time gets an error.
    """
    with locked_file(path, is_ours, force), atomic.new_file(path) as file:
        yield file


@contextmanager
def locked_file(path: Path, is_ours: IsOurs, force: bool = False) -> Iterator[Path]:
    """Hold the lock of a single file that a command writes or continues, after checking that the file is its own."""
    owned_file(path, is_ours, force)
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = Lock(path.with_name(f".{path.name}.dnc-lock"), str(path))
    lock.acquire()
    try:
        yield path
    finally:
        lock.release()


def write_owned_text(path: Path, text: str, is_ours: IsOurs, force: bool = False) -> None:
    """Write a text to a single file that a command owns."""
    with new_owned_file(path, is_ours, force) as file:
        file.write(atomic.encoded(text))


def owned_file(path: Path, is_ours: IsOurs, force: bool = False) -> Path:
    """Return the path if a command may write a file there: it is new, or the same command wrote it.

    A folder, a symbolic link, a device or a pipe is an error, and so is another program's file without `force`.
    """
    mode = _mode(path)
    if mode is None:
        return path
    if stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a folder; name the file to write in it, e.g. {path / 'out.jsonl'}")
    if stat.S_ISLNK(mode):
        raise OutputError(f"{path} is a symbolic link; name the place that it leads to, {os.readlink(path)}")
    if not stat.S_ISREG(mode):
        raise OutputError(f"{path} is a device, a pipe or a socket; name a file")
    if not is_ours(_first_line(path)):
        if not force:
            raise OutputError(
                f"{path} is there already and this command has not written it; name another file, or move it away"
            )
        _log.warning("--force: replacing %s, written by another program", path)
    return path


def refuse_outside(folder: Path, name: str) -> None:
    """Raise an error where a name leads out of the folder: by its parts, or through a symbolic link."""
    inside = PurePosixPath(name)
    plain = not inside.is_absolute() and ".." not in inside.parts and not set(name) & set("\\\0")
    if not plain or not inside.parts or inside.parts[0] in (MARK, LOCK) or Path(name).drive:
        raise OutputError(
            f"{name!r:.80} is not a file in {folder}; DNC writes nothing else. Find what names it and remove it"
        )
    place = folder
    for part in inside.parts[:-1]:
        place /= part
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise OutputError(
                f"{place} is a link or a file where DNC needs a folder; look at it and remove it"
            )


def refuse_foreign(folder: Path, name: str, is_ours: bool) -> None:
    """Raise an error where a file of this name is there and not ours."""
    place = folder / name
    if os.path.lexists(place):
        atomic.refuse_special(place)
        if not is_ours:
            raise OutputError(f"{place} was not written by this command and is not replaced; move it away")


def _read_mark(folder: Path) -> dict[str, str]:
    path = folder / MARK
    if not os.path.lexists(path):
        return {}
    try:
        atomic.refuse_special(path)
        files = untrusted.read_json(path, remedy="it may be damaged", max_bytes=_MAX_MARK)["files"]
        return {str(name): str(command) for name, command in files.items()}
    except (OSError, DncError, LookupError, AttributeError, TypeError) as error:
        raise OutputError(
            f"{path} is not a mark that DNC wrote ({error}); look at it and remove it"
        ) from error


def _mode(path: Path) -> int | None:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}; choose another place") from error


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.readline(_MAX_HEAD).decode("utf-8", "replace")
    except OSError as error:
        raise OutputError(f"{path} cannot be read: {error.strerror}; choose another file") from error

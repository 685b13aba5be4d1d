"""Where a command may write: a new place, or one that the same command wrote before; all else is refused."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from dnc_datasets.errors import OutputError

_MAX_HEAD = 1 << 20  # bytes of a file that are looked at to tell whose it is

IsOurs = Callable[[str], bool]


def file(path: Path, is_ours: IsOurs) -> Path:
    """The path, if a file may be written there.

    `is_ours(first_line)` tells whether a file that is there was written by the same command. A folder, a
    symbolic link, a device or a pipe is refused, and so is another program's file.
    """
    mode = _mode(path)
    if mode is None:
        return path
    if stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a folder; name the file to write in it, e.g. {path / 'out.jsonl'}")
    _refuse_special(path, mode)
    if not is_ours(_first_line(path)):
        raise OutputError(
            f"{path} is there already and this command has not written it; name another file, or move it away"
        )
    return path


def folder(path: Path, mark: str = "", ours: Iterable[str] = ()) -> Path:
    """The path, if results may be written into that folder.

    `ours` are the names that will be written there. Where one of them is there without the file `mark`, which
    the same command leaves in its folders, it is another program's.
    """
    mode = _mode(path)
    if mode is None:
        return path
    _refuse_special(path, mode)
    if not stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a file; name a folder")
    for name in (mark, *ours) if mark else ours:
        inner = _mode(path / name)
        if inner is None:
            continue
        _refuse_special(path / name, inner)
        if mark and not (path / mark).is_file():
            raise OutputError(
                f"{path} holds a {name} that this command has not written (there is no {mark} beside it); "
                "choose another folder with --out"
            )
    return path


def _mode(path: Path) -> int | None:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}; choose another place") from error


def _refuse_special(path: Path, mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise OutputError(f"{path} is a symbolic link; name the place that it leads to, {os.readlink(path)}")
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OutputError(f"{path} is a device, a pipe or a socket; name a file or a folder of its own")


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as opened:
            return opened.readline(_MAX_HEAD).decode("utf-8", "replace")
    except OSError as error:
        raise OutputError(f"{path} cannot be read: {error.strerror}; choose another file") from error

"""Files that are either complete or missing: written under a temporary name, flushed, then renamed."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from dnc_datasets import filesystem
from dnc_datasets.errors import OutputError

_SHOWN = 40  # characters of a file's name that its temporary name keeps
# Ending of a file's name while it is written: .NAME.RANDOM and this.
_UNFINISHED = ".dnc-unfinished"
_SURROGATE = re.compile("[\ud800-\udfff]")


def write_text(path: Path, text: str) -> None:
    """Write a text file by way of a temporary sibling, flushed to disk before it takes its name."""
    write_bytes(path, encoded(text))


def write_bytes(path: Path, data: bytes) -> None:
    """Write bytes in the same way. Unfinished files of killed processes in the folder are removed."""
    with new_file(path) as file:
        file.write(data)


def encoded(text: str) -> bytes:
    """Return the text as UTF-8. Half of a surrogate pair, which UTF-8 lacks, becomes U+FFFD.

    >>> encoded("7 \\ud83d").decode()
    '7 \ufffd'
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode("utf-8")


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write in pieces. It takes the name `path` when the block ends without an error.

    A device, a pipe, a folder or a symbolic link of that name is refused, never replaced.
    """
    refuse_special(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_unfinished(path.parent)
    handle, name = _unfinished(path)
    try:
        with os.fdopen(handle, "wb") as file:
            filesystem.give_usual_permissions(handle)
            yield file
            file.flush()
            os.fsync(file.fileno())
        refuse_special(path)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def refuse_special(path: Path) -> None:
    """Raise an error where the path is there and is not a regular file."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return  # a path that cannot be used is an error when it is written
    if not stat.S_ISREG(mode):
        raise OutputError(
            f"{path} is a folder, a link, a device or a pipe and is not replaced; name another file"
        )


def _unfinished(path: Path) -> tuple[int, str]:
    """Create a temporary file beside the path, locked as long as its writer lives."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:_SHOWN]}.", suffix=_UNFINISHED)
        with suppress(OSError):  # without locks, an unfinished file of a killed process is not removed
            filesystem.try_lock(handle)
        # Another process may have taken it for a dead one's before it was locked.
        if os.path.exists(name):
            return handle, name
        os.close(handle)


def _remove_unfinished(folder: Path) -> None:
    """Remove the temporary files whose writers have ended, as their released locks show."""
    for entry in os.scandir(folder):
        if not entry.name.endswith(_UNFINISHED) or not entry.is_file(follow_symlinks=False):
            continue
        with suppress(OSError):
            handle = filesystem.open_existing(entry.path)
            try:
                if filesystem.try_lock(handle):
                    os.unlink(entry.path)
            finally:
                os.close(handle)

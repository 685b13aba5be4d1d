"""The operations on files that differ between POSIX and Windows: locks, flushing and permissions."""

from __future__ import annotations

import errno
import json
import os
import re
import socket
import stat
import sys
from contextlib import suppress
from hashlib import sha256
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO

from dnc_datasets.errors import OutputError

_WINDOWS = os.name == "nt"
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)  # Windows makes links only for administrators
_NONBLOCK, _BINARY = getattr(os, "O_NONBLOCK", 0), getattr(os, "O_BINARY", 0)
_MAX_HOLDER = 4096  # bytes
_LOCKED_BYTE = 2**31 - 2


class Lock:
    """A lock file that one process holds at a time. Its text names the holder.

    The system releases the lock at the end of the process, in every case. A lock that cannot be taken is an
    error.
    """

    def __init__(self, path: Path, purpose: str) -> None:
        self._path, self._purpose = path, purpose
        self._handle: int | None = None
        self._windows: Any = None

    def acquire(self, *, wait: bool = False, command: str = "") -> None:
        """Take the lock. If another process holds it, wait or raise an error that names the process."""
        holder = json.dumps(
            {"pid": os.getpid(), "host": socket.gethostname(), "command": command or _command()}
        )
        try:
            if _WINDOWS:
                self._acquire_windows(wait, holder)
            else:
                self._acquire_posix(wait, holder)
        except OutputError:
            raise
        except OSError as error:
            raise OutputError(
                f"{self._path} cannot be locked ({error.strerror or error}); choose a folder that can be written, "
                "on a file system with locks"
            ) from error

    def release(self) -> None:
        """Remove the lock file and let other processes take the lock."""
        if self._handle is not None:
            with suppress(OSError):
                os.unlink(self._path)
            os.close(self._handle)
            self._handle = None
        if self._windows is not None:
            self._windows.release()
            self._windows = None

    def _acquire_posix(self, wait: bool, holder: str) -> None:
        import fcntl

        while True:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | _NOFOLLOW, 0o644)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
                # The process before us may have removed the file between our opening and our lock.
                current = _same_file(handle, self._path)
            except BlockingIOError:
                text = os.pread(handle, _MAX_HOLDER, 0)
                os.close(handle)
                raise self._held(text) from None
            except BaseException:
                os.close(handle)
                raise
            if current:
                break
            os.close(handle)
        os.ftruncate(handle, 0)
        os.pwrite(handle, holder.encode(), 0)
        self._handle = handle

    def _acquire_windows(self, wait: bool, holder: str) -> None:
        import filelock

        named = self._path.with_name(f"{self._path.name}-holder")
        lock = filelock.FileLock(str(self._path))
        try:
            lock.acquire(timeout=-1 if wait else 0)
        except filelock.Timeout:
            raise self._held(named.read_bytes()[:_MAX_HOLDER] if named.exists() else b"") from None
        named.write_text(holder, encoding="utf-8")
        self._windows = lock

    def _held(self, text: bytes) -> OutputError:
        try:
            holder = json.loads(text)
            name = f"another process ({str(holder['command'])[:80]!r}, pid {int(holder['pid'])})"
            if str(holder["host"]) != socket.gethostname():
                name = f"{name[:-1]} on {str(holder['host'])[:80]!r})"
        except (ValueError, TypeError, KeyError, RecursionError):  # it has not written its name yet
            name = "another process"
        return OutputError(
            f"{name} is writing {self._purpose} at this moment; wait for it, or choose another --out"
        )


def try_lock(handle: int) -> bool:
    """Lock an open file until it is closed. Return False if another process holds the lock.

    On Windows this does nothing: an open file cannot be removed or replaced there.
    """
    if _WINDOWS:
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_until_closed(handle: int) -> bool:
    """Lock an open file, on Windows too, until it is closed.

    Return False if another process holds the lock.
    """
    if sys.platform != "win32":
        return try_lock(handle)
    import msvcrt

    # Windows locks bytes, and no other process may read them. This one is after the end of every file.
    os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    finally:
        os.lseek(handle, 0, os.SEEK_SET)
    return True


def open_existing(path: str) -> int:
    """Open a file for reading and writing. A symbolic link is an OSError."""
    return os.open(path, os.O_RDWR | _NOFOLLOW)


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading. A pipe or a device, which could block indefinitely, is an OSError.

    A link to a file is followed.
    """
    _refuse_irregular(os.stat(path), path)
    handle = os.open(path, os.O_RDONLY | _NONBLOCK | _BINARY)
    try:
        _refuse_irregular(os.fstat(handle), path)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: Path) -> bytes:
    """Return the bytes of a regular file. A pipe or a device is an OSError."""
    with open_regular(path) as file:
        return file.read()


def read_regular_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a regular file, with every line end as a newline."""
    with TextIOWrapper(open_regular(path), encoding=encoding) as file:
        return file.read()


def open_log(path: Path) -> int:
    """Open or create a file to read and to append to. A link, a pipe or a device is an OSError."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | _NOFOLLOW | _NONBLOCK | _BINARY
    handle = os.open(path, flags, 0o644)
    try:
        _refuse_irregular(os.fstat(handle), path)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _refuse_irregular(status: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe or a device"
        raise OSError(errno.EINVAL, f"it is {kind}, not a file", str(path))


def give_usual_permissions(handle: int) -> None:
    """Let others read a temporary file as they read files that are created normally."""
    if _WINDOWS:
        return
    mask = os.umask(0o077)  # it can only be read by setting it
    os.umask(mask)
    os.fchmod(handle, 0o666 & ~mask)


def flush_file(path: Path) -> None:
    """Wait until the file's content is on the disk."""
    # Windows flushes only files that are open for writing.
    handle = os.open(path, os.O_RDWR if _WINDOWS else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def flush_folder(path: Path) -> None:
    """Wait until the folder's names are on the disk, where the system can do that."""
    if _WINDOWS:
        return  # folders cannot be opened there
    # Some network file systems cannot; a rename there is as safe as they make it.
    with suppress(OSError):
        flush_file(path)


def _same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False


def _command() -> str:
    """Return the name of the running command, without its arguments: they may hold secrets."""
    program = Path(sys.argv[0]).stem if sys.argv and sys.argv[0] else "python"
    first = sys.argv[1] if program in ("dnc", "cli") and len(sys.argv) > 1 else ""
    return f"dnc {first}".strip() if program in ("dnc", "cli") else program


_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 80
# Names that Windows keeps for devices, whatever their ending.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10)))
)


def safe_name(text: str) -> str:
    """Return a file name for a text: the text itself where it is one, else its letters and a short hash.

    Different texts get different names, on file systems without upper case too.

    >>> safe_name("number_detection")
    'number_detection'
    >>> safe_name("../../thesis")
    'thesis-4e0c6291'
    """
    plain = _UNSAFE.sub("-", text).strip("-. ")[:_LONGEST].rstrip("-. ")
    if plain and plain == text and plain == plain.lower() and plain.partition(".")[0] not in _DEVICES:
        return plain
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return (
        f"{plain}-{digest}" if plain and plain.partition(".")[0].lower() not in _DEVICES else f"name-{digest}"
    )

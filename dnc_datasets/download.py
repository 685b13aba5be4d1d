"""Resumable download of a URL into a local file, continued where a connection broke."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote, urlsplit

from dnc_datasets.errors import SourceError
from dnc_datasets.model_arguments import address

if TYPE_CHECKING:
    from http.client import HTTPResponse

_CHUNK = 1 << 16
_TIMEOUT_SECONDS = 30
_MAX_BYTES = 1 << 31
# Seconds to wait before each new try; the count starts again whenever bytes have arrived.
_WAITS = (0.5, 1.0, 2.0, 4.0)
_WORTH_ANOTHER_TRY = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}
_FIRST_SERVER_ERROR = 500

Progress = Callable[[int, int], None]


def download(
    url: str, part: Path, size: int = 0, progress: Progress | None = None, waits: tuple[float, ...] = _WAITS
) -> None:
    """Fill `part` with the bytes at `url`, continuing after those it already holds.

    `size` is the expected number of bytes (0: unknown, the server's length is used); more than that is
    refused. `progress(done, total)` is called as bytes arrive. The bytes are not checked here, because the
    caller knows the checksum. Raises SourceError when the server refuses or the tries are used up. A user and
    password in the address are sent to its host alone, and no message repeats them or its query.
    """
    shown = address(url)
    if urlsplit(url).scheme not in ("http", "https"):
        raise SourceError(f"{shown}: only http and https addresses can be downloaded; check DNC_UPSTREAM")
    part.parent.mkdir(parents=True, exist_ok=True)
    tries_left = list(waits)
    while True:
        before = _size(part)
        try:
            _receive(url, part, size, progress)
            return
        except _BrokenOffError as error:
            if _size(part) > before:
                tries_left = list(waits)
            if not tries_left:
                raise SourceError(
                    f"{shown}: {error}, also after {len(waits) + 1} tries; {_size(part)} bytes are kept "
                    f"in {part}. Check the network and run the command again: it continues from there"
                ) from error
            time.sleep(tries_left.pop(0))


class _BrokenOffError(Exception):
    """The transfer stopped for a reason that may be temporary."""


def _size(path: Path) -> int:
    return path.lstat().st_size if path.exists() else 0


def _opened(part: Path, *, fresh: bool) -> BinaryIO:
    """Open the file to append to. A link in its place is not followed: it could lead to a file of the user."""
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if fresh else os.O_APPEND) | getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.fdopen(os.open(part, flags, 0o666), "wb")
    except OSError as error:
        raise SourceError(
            f"{part} cannot be written: {error.strerror}; remove it, or grant access"
        ) from error


def _receive(url: str, part: Path, size: int, progress: Progress | None) -> None:
    # Imported here because they take 30 ms, which only a download needs.
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    received = _size(part)
    if size and received >= size:
        if received == size:
            return  # The caller's checksum decides.
        part.unlink()
        received = 0
    headers = {"User-Agent": "dnc-bench", "Accept-Encoding": "identity"}
    if received:
        headers["Range"] = f"bytes={received}-"
    target, credentials = _without_user(url)
    request = Request(target, headers=headers)
    if credentials:
        request.add_unredirected_header("Authorization", credentials)
    try:
        with urlopen(request, timeout=_TIMEOUT_SECONDS) as response:
            _write(response, url, part, received, size, progress)
    except HTTPError as error:
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and received:
            part.unlink()
            raise _BrokenOffError(f"the server has no bytes after {received}") from error
        if error.code >= _FIRST_SERVER_ERROR or error.code in _WORTH_ANOTHER_TRY:
            raise _BrokenOffError(f"HTTP {error.code} {error.reason}") from error
        raise SourceError(f"{address(url)}: HTTP {error.code} {error.reason}") from error
    except URLError as error:
        raise _BrokenOffError(f"no connection ({error.reason})") from error
    except (HTTPException, OSError) as error:
        raise _BrokenOffError(f"the connection broke ({error or type(error).__name__})") from error


def _without_user(url: str) -> tuple[str, str]:
    """Return the address without user and password, and the Authorization header that replaces them."""
    from base64 import b64encode

    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    if not at:
        return url, ""
    name, _, password = user.partition(":")
    pair = f"{unquote(name)}:{unquote(password)}".encode()
    return parts._replace(netloc=host).geturl(), f"Basic {b64encode(pair).decode()}"


def _write(
    response: HTTPResponse, url: str, part: Path, received: int, size: int, progress: Progress | None
) -> None:
    if response.status != HTTPStatus.PARTIAL_CONTENT:
        received = 0  # the server sends the complete file
    elif not (response.getheader("Content-Range") or "").startswith(f"bytes {received}-"):
        part.unlink()
        raise _BrokenOffError("the server sent another range than the one asked for")
    stated = response.getheader("Content-Length")
    # The server's length counts first: a complete reply of another length is a wrong file, not a broken connection.
    total = received + int(stated) if stated and stated.isdigit() else size
    done = received
    with _opened(part, fresh=not received) as file:
        while chunk := response.read(_CHUNK):
            done += len(chunk)
            if done > (size or _MAX_BYTES):
                file.truncate(0)
                raise SourceError(f"{address(url)}: more than the expected {size or _MAX_BYTES} bytes")
            file.write(chunk)
            if progress:
                progress(done, total)
    if done < total:
        raise _BrokenOffError(f"the connection ended after {done} of {total} bytes")

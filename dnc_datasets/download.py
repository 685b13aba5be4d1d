"""One resumable download: a URL into a local file, picked up again where a broken connection left it."""

from __future__ import annotations

import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dnc_datasets.errors import SourceError

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

    `size` is the expected number of bytes (0: unknown, the server's word is taken); more than that is
    refused. `progress(done, total)` is called as bytes arrive. The bytes are not checked here: whoever
    calls knows the checksum. Raises SourceError when the server says no or the tries are used up.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise SourceError(f"{url}: only http and https addresses can be downloaded; check DNC_UPSTREAM")
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
                    f"{url}: {error}, also after {len(waits) + 1} tries; {_size(part)} bytes are kept "
                    f"in {part}. Check the network and run the command again: it continues from there"
                ) from error
            time.sleep(tries_left.pop(0))


class _BrokenOffError(Exception):
    """The transfer stopped for a reason that may be gone in a moment."""


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _receive(url: str, part: Path, size: int, progress: Progress | None) -> None:
    # Imported here: 30 ms that only a download should pay.
    from http.client import HTTPException
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    have = _size(part)
    if size and have >= size:
        if have == size:
            return  # The caller's checksum decides.
        part.unlink()
        have = 0
    headers = {"User-Agent": "dnc-bench", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    try:
        with urlopen(Request(url, headers=headers), timeout=_TIMEOUT_SECONDS) as response:
            _write(response, url, part, have, size, progress)
    except HTTPError as error:
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
            part.unlink()
            raise _BrokenOffError(f"the server has no bytes after {have}") from error
        if error.code >= _FIRST_SERVER_ERROR or error.code in _WORTH_ANOTHER_TRY:
            raise _BrokenOffError(f"HTTP {error.code} {error.reason}") from error
        raise SourceError(f"{url}: HTTP {error.code} {error.reason}") from error
    except URLError as error:
        raise _BrokenOffError(f"no connection ({error.reason})") from error
    except (HTTPException, OSError) as error:
        raise _BrokenOffError(f"the connection broke ({error or type(error).__name__})") from error


def _write(
    response: HTTPResponse, url: str, part: Path, have: int, size: int, progress: Progress | None
) -> None:
    if response.status != HTTPStatus.PARTIAL_CONTENT:
        have = 0  # The server sends the whole file again.
    elif not (response.getheader("Content-Range") or "").startswith(f"bytes {have}-"):
        part.unlink()
        raise _BrokenOffError("the server sent another range than the one asked for")
    stated = response.getheader("Content-Length")
    # The server's word before ours: a whole answer of the wrong length is a wrong file, not a broken line.
    total = have + int(stated) if stated and stated.isdigit() else size
    done = have
    with part.open("ab" if have else "wb") as file:
        while chunk := response.read(_CHUNK):
            done += len(chunk)
            if done > (size or _MAX_BYTES):
                file.truncate(0)
                raise SourceError(f"{url}: more than the expected {size or _MAX_BYTES} bytes")
            file.write(chunk)
            if progress:
                progress(done, total)
    if done < total:
        raise _BrokenOffError(f"the connection ended after {done} of {total} bytes")

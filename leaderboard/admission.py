"""Limits for clients of a public leaderboard: rates per client and in total, and the uploads on disk."""

from __future__ import annotations

import shutil
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

UPLOADS = "/upload"  # suffix of the path of Gradio's upload
MAX_CLIENTS = 10_000
_Scope = MutableMapping[str, Any]
_App = Callable[[_Scope, Any, Any], Awaitable[None]]


@dataclass
class Rate:
    """A limit of calls or bytes within a number of seconds: `per_client` for one client, `in_all` for all."""

    per_client: int
    in_all: int
    seconds: float
    clock: Callable[[], float] = time.monotonic
    _calls: dict[str, deque[tuple[float, int]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def allows(self, client: str, amount: int = 1) -> bool:
        """Count an amount of a client and return True, or return False without counting above a limit."""
        now = self.clock()
        with self._lock:
            for name in list(self._calls):
                calls = self._calls[name]
                while calls and calls[0][0] <= now - self.seconds:
                    calls.popleft()
                if not calls:
                    del self._calls[name]
            spent = {name: sum(size for _, size in calls) for name, calls in self._calls.items()}
            known = self._calls.get(client)
            if sum(spent.values()) + amount > self.in_all or spent.get(client, 0) + amount > self.per_client:
                return False
            if known is None and len(self._calls) >= MAX_CLIENTS:
                return False
            self._calls.setdefault(client, deque()).append((now, amount))
            return True


@dataclass(frozen=True)
class Uploads:
    """The folder of uploads: files expire, and the oldest are removed if the total size exceeds the quota."""

    folder: Path
    seconds: float = 3600.0
    max_bytes: int = 1024**3

    def sweep(self, now: float | None = None) -> None:
        """Remove uploads that have expired or exceed the quota, the oldest first."""
        now = time.time() if now is None else now
        entries = []
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            files = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
            try:
                sizes = [one.stat() for one in files]
                changed = max([path.stat().st_mtime, *(one.st_mtime for one in sizes)])
            except OSError:  # removed concurrently
                continue
            entries.append((changed, sum(one.st_size for one in sizes), path))
        total = 0
        for changed, size, path in sorted(entries, key=lambda one: one[0], reverse=True):
            total += size
            if now - changed > self.seconds or total > self.max_bytes:
                path.unlink(missing_ok=True) if path.is_file() else shutil.rmtree(path, ignore_errors=True)


class Gate:
    """ASGI middleware: refuses uploads above the rate or the size with 429 or 413, and sweeps before each."""

    def __init__(self, app: _App, *, rate: Rate, volume: Rate, uploads: Uploads, max_bytes: int) -> None:
        self._app, self._rate, self._volume = app, rate, volume
        self._uploads, self._max_bytes = uploads, max_bytes

    async def __call__(self, scope: _Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or not (
            scope["method"] == "POST" and scope["path"].rstrip("/").endswith(UPLOADS)
        ):
            await self._app(scope, receive, send)
            return
        self._uploads.sweep()
        length = dict(scope["headers"]).get(b"content-length", b"")
        if not length.isdigit() or int(length) > self._max_bytes:
            await _refuse(send, 413, "the upload is too large, or does not state its size")
        elif not (self._rate.allows(client_of(scope)) and self._volume.allows(client_of(scope), int(length))):
            await _refuse(send, 429, "too many uploads; try again later")
        else:
            await self._app(scope, receive, send)


def client_of(scope: _Scope) -> str:
    """Return the address of a client; headers that the client controls are not trusted."""
    client = scope.get("client")
    return str(client[0]) if client else ""


async def _refuse(send: Any, status: int, reason: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": reason.encode()})

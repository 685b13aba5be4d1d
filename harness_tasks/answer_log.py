"""The append-only log of a model's answers; a request that it holds is never sent twice."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from dnc_datasets import filesystem, json_lines, secrets, untrusted
from dnc_harness.errors import HarnessError


@dataclass(frozen=True)
class Request:
    """One question to a model: its task and row, the text and the options of the request."""

    task: str
    row: str
    context: str
    options: dict[str, Any]
    time: int = 0  # index of the repetition, if a model that samples is asked several times for a row

    @cached_property
    def key(self) -> str:
        """Return the key of the request in the log.

        With greedy decoding, rows with the same text share one key and are asked once. With sampling, each row
        has its own key.
        """
        identity: list[Any] = [self.context, self.options]
        if self.options.get("do_sample") or self.options.get("temperature"):
            identity += [self.task, self.row, *([self.time] if self.time else [])]
        return sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()[:32]


class AnswerLog:
    """A file of JSON lines, one per row: task, row id, key of the request, reply, and whether it was cut off.

    A server fault is also a line, with the fault instead of a reply. A later reply to the same request replaces it.

    Each line is written with one system call as soon as its reply arrives. A killed process leaves at most
    one incomplete line, which readers skip. Only one process at a time may write. Its lock ends with the
    process.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._file = filesystem.open_log(path)
        except OSError as error:
            raise HarnessError(
                f"{path} cannot be written: {error.strerror}; look at it and move it away"
            ) from error
        if not filesystem.lock_until_closed(self._file):
            os.close(self._file)
            raise HarnessError(
                f"another process is writing {path} at this moment; wait for it, or choose another --out"
            )
        self._clean = secrets.file_cleaner()
        self.replies: dict[str, str] = {}
        self.faults: dict[str, str] = {}  # request -> the server's fault, until a reply arrives
        self.cut_off: set[tuple[str, str, str]] = set()  # task, row, reply of those that hit the token limit
        self._cut_keys: set[str] = set()
        self._rows: set[tuple[str, str, str]] = set()
        for line in self._lines():
            if line["fault"]:
                self._note_fault(line["request"], line["fault"])
                continue
            self.faults.pop(line["request"], None)
            self.replies[line["request"]] = line["reply"]
            if line["cut_off"]:
                self._cut_keys.add(line["request"])
                self.cut_off.add((line["task"], line["row"], line["reply"]))
            self._rows.add((line["task"], line["row"], line["request"]))

    def add(self, requests: Sequence[Request], reply: str, *, cut_off: bool = False) -> None:
        """Log one reply for all rows that asked for it. Rows that already have it remain unchanged.

        API keys are removed from the reply, and lone surrogates are replaced.

        `cut_off` marks a reply that hit the token limit. A reply that was marked once remains marked.
        """
        reply = self._clean(untrusted.clean_text(str(reply)))
        lines = []
        for request in requests:
            entry = (request.task, request.row, request.key)
            if cut_off:
                self._cut_keys.add(request.key)
            cut = request.key in self._cut_keys
            if cut:
                self.cut_off.add((request.task, request.row, reply))
            if entry not in self._rows:
                self._rows.add(entry)
                line = dict(zip(("task", "row", "request", "reply"), (*entry, reply), strict=True))
                lines.append(json.dumps({**line, "cut_off": True} if cut else line) + "\n")
            self.replies[request.key] = reply
            self.faults.pop(request.key, None)
        self._append(lines)

    def add_fault(self, requests: Sequence[Request], fault: str) -> None:
        """Log that the server failed to answer these rows, so that a later run asks for them."""
        fault = self._clean(fault)
        lines = []
        for request in requests:
            self._note_fault(request.key, fault)
            line = {"task": request.task, "row": request.row, "request": request.key, "fault": fault}
            lines.append(json.dumps(line) + "\n")
        self._append(lines)

    def _note_fault(self, key: str, fault: str) -> None:
        if key not in self.replies:
            self.faults[key] = fault

    def _append(self, lines: Sequence[str]) -> None:
        try:
            _write_all(self._file, "".join(lines).encode())
        except OSError as error:
            raise HarnessError(
                f"cannot write {self.path}: {error}. What is in it is kept; free space or grant access, and "
                "run the same command again"
            ) from error

    def close(self) -> None:
        """Close the file and release its lock."""
        os.close(self._file)

    def _lines(self) -> Iterator[dict[str, Any]]:
        data = self.path.read_bytes()
        names = ("task", "row", "request")
        for entry in json_lines.unbroken(data.splitlines()):
            if entry.keys() >= set(names) and ("reply" in entry or entry.get("fault")):
                fields = {name: str(entry[name]) for name in names}
                reply, fault = str(entry.get("reply", "")), str(entry.get("fault") or "")
                yield {**fields, "reply": reply, "fault": fault, "cut_off": entry.get("cut_off") is True}
        if data and not data.endswith(b"\n"):
            _write_all(self._file, b"\n")  # the next line must not join the incomplete one


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]

"""Scored replies in a temporary file, which bounds the memory of a million replies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import msgspec

from dnc_metrics.record_builder import ScoredReply
from dnc_metrics.spool import Spool, decode, encode

# Columns of a row that are available without decoding it.
_LIGHT = ("id", "perturbed", "original_id")


class StoredReply(msgspec.Struct, array_like=True, dict=True):
    """A scored reply in the file; its row and its answer are decoded on access."""

    columns: dict[str, Any]
    encoded_row: bytes
    right: bool
    status: str
    number: str | None
    reply: str
    stated: str
    cluster: str
    scores: dict[str, float | bool]
    rule: str
    cut_off: bool
    asked_id: str
    fault: str
    labels: dict[str, str]
    digest: str

    @property
    def id(self) -> str:
        """Return the id of the row."""
        return str(self.columns["id"])

    @property
    def perturbed(self) -> bool:
        """Return whether the row was changed."""
        return bool(self.columns.get("perturbed"))

    @property
    def row(self) -> Mapping[str, Any]:
        """Return the row that was asked."""
        # `functools.cached_property` takes a lock, which takes longer than this entire property.
        kept: dict[str, Any] = self.__dict__
        if "row" not in kept:
            kept["row"] = _StoredRow(self.columns, self.encoded_row)
        found: _StoredRow = kept["row"]
        return found

    @property
    def answer(self) -> Fraction | None:
        """Return the number that was read."""
        return None if self.number is None else _number(self.number)


@lru_cache(maxsize=4096)
def _number(text: str) -> Fraction:
    return Fraction(int(text)) if text.lstrip("-").isdecimal() else Fraction(text)


_decode_replies = msgspec.msgpack.Decoder(list[StoredReply]).decode


class StoredReplies:
    """The scored replies of one config: a sequence that is read from the file at each iteration."""

    def __init__(self, spool: Spool, replies: Iterable[ScoredReply]) -> None:
        self._spool, self._start = spool, spool.position()
        self._count = 0
        for reply in replies:
            spool.append(_stored(reply))
            self._count += 1
        self._end = spool.position()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[StoredReply]:
        return self._spool.values(self._start, self._end, _decode_replies)


class _StoredRow(Mapping[str, Any]):
    """A row that is decoded on access to a column that is not in `_LIGHT`."""

    __slots__ = ("_light", "_raw", "_row")

    def __init__(self, light: dict[str, Any], raw: bytes) -> None:
        self._light, self._raw = light, raw
        self._row: dict[str, Any] | None = None

    def _all(self) -> dict[str, Any]:
        if self._row is None:
            self._row = decode(self._raw)
        return self._row

    def __getitem__(self, name: str) -> Any:
        return self._light[name] if name in self._light else self._all()[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self._light[name] if name in self._light else self._all().get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def _stored(reply: ScoredReply) -> StoredReply:
    row = reply.row
    return StoredReply(
        columns={name: row[name] for name in _LIGHT if name in row},
        encoded_row=encode(row if isinstance(row, dict) else dict(row)),
        right=reply.right,
        status=reply.status,
        number=None if reply.answer is None else str(reply.answer),
        reply=reply.reply,
        stated=reply.stated,
        cluster=reply.cluster,
        scores=dict(reply.scores),
        rule=reply.rule,
        cut_off=reply.cut_off,
        asked_id=reply.asked_id,
        fault=reply.fault,
        labels=dict(reply.labels),
        digest=reply.digest,
    )

"""Scoring of replies for a record: every reply is scored, explained, and compared with the original row's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dnc_datasets.serving.catalogue import Variant
from dnc_harness import data, listing
from dnc_metrics import baselines
from dnc_metrics.record import FAULT
from dnc_metrics.record_builder import Asked, Scored
from dnc_metrics.reply_scores import ANSWER, score_reply
from dnc_metrics.row_labels import cluster
from dnc_metrics.spool import Spool
from dnc_metrics.stored_replies import StoredReplies

Row = Mapping[str, Any]


class Reply(NamedTuple):
    """A reply of a model, whether the token limit cut it off, and the server's fault if there is one."""

    text: str
    cut_off: bool = False
    fault: str = ""


# Row id -> its replies: one, or several if a model that samples was asked repeatedly.
Replies = Mapping[str, Sequence[Reply]]


class Once(Mapping[str, Sequence[Reply]]):
    """A mapping of each row to one reply, from the texts of the replies."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def __getitem__(self, row: str) -> Sequence[Reply]:
        return [Reply(self._texts[row])]

    def __contains__(self, row: object) -> bool:
        return row in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def once(given: Mapping[str, str]) -> Replies:
    """Return a mapping of each row to one reply."""
    return Once(given)


def asked(
    variant: Variant,
    prompt: str,
    given: Replies,
    built: Path,
    records: Sequence[Row] | None = None,
    spool: Spool | None = None,
) -> Asked:
    """Return a config with its replies scored; `records` are its test rows if they are already read.

    With a spool, the scored replies are stored in its file.
    """
    records = data.test_records(variant, built) if records is None else records
    asked_ids = set(given)
    found = [row for row in records if row["id"] in asked_ids]
    return of_rows(
        found,
        given,
        config=variant.name,
        dataset=variant.dataset,
        fold=variant.fold,
        perturbation=variant.recipe,
        setting=variant.setting,
        capability=variant.capability,
        prompt=prompt,
        data=data.provenance(variant, built),
        left_out=data.left_out(variant, built, prompt),
        spool=spool,
    )


def of_rows(
    found: Iterable[Row], given: Replies, *, prompt: str, spool: Spool | None = None, **place: Any
) -> Asked:
    """Return scored replies for any rows, such as those of a user's own file."""
    target = listing.target(prompt)
    floors = baselines.Tally()

    def scored() -> Iterator[Scored]:
        for row in found:  # all uses of a row's numbers, while they are cached
            replies_to_row = given[row["id"]]
            for time, reply in enumerate(replies_to_row, 1):
                yield _faulty(row, reply, time) if reply.fault else _scored(row, reply, time, target)
            if target == ANSWER and not all(reply.fault for reply in replies_to_row):
                floors.add(row, row["source"]["answer"] if row.get("source") else None)

    kept = list(scored()) if spool is None else StoredReplies(spool, scored())
    return Asked(
        prompt=prompt,
        score=listing.SCORES[prompt][0],
        replies=kept,
        baselines=floors.shares(),
        **place,
    )


def _faulty(row: Row, given: Reply, time: int) -> Scored:
    """Return the entry of a row for which the server failed."""
    row_id = str(row["id"])
    own = row if time == 1 else {**row, "id": f"{row_id}#{time}"}
    return Scored(own, False, FAULT, cluster=cluster(row), asked_id=row_id, fault=given.fault)


def _scored(row: Row, given: Reply, time: int, target: str) -> Scored:
    """Return a scored reply; later replies to a row have their own id in the row's cluster."""
    found = score_reply(row, given.text, target, cut_off=given.cut_off)
    row_id = str(row["id"])
    return Scored(
        row=row if time == 1 else {**row, "id": f"{row_id}#{time}"},
        right=found.right,
        status=found.status,
        answer=found.answer,
        reply=given.text,
        stated=found.stated,
        cluster=cluster(row),
        scores=found.scores,
        rule=found.rule,
        cut_off=given.cut_off,
        asked_id=row_id,
    )

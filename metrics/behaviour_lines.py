"""The behaviours of a record: fitted to all replies, with the rows and capabilities that they explain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dnc_metrics import behaviours
from dnc_metrics.behaviours import Fitted, Reply
from dnc_metrics.behaviours.naming import Naming
from dnc_metrics.capabilities import PROBE
from dnc_metrics.record import FAULT, Behaviour

if TYPE_CHECKING:
    from dnc_metrics.record_builder import Asked, ScoredReply


def fit(asked: Sequence[Asked]) -> tuple[Fitted, ...]:
    """Return the behaviours of a system."""
    return behaviours.fit(_Counted(asked))


def reply_of(asked: Asked, scored: ScoredReply) -> Reply:
    """Return a scored reply in the form that behaviours read."""
    cluster = f"{asked.dataset}\t{scored.cluster or scored.asked_id or scored.id}"
    capability = asked.capability if asked.perturbation else ""
    return Reply(scored.row, scored.right, scored.answer, cluster, asked.config, capability)


def is_shown(asked: Asked) -> bool:
    """Return whether behaviours explain a config's replies: not for probes, where failure is expected."""
    return asked.capability != PROBE


def is_counted(asked: Asked, scored: ScoredReply) -> bool:
    """Return whether a reply counts; a row that the perturbation did not change is the original's."""
    return is_shown(asked) and (not asked.perturbation or scored.perturbed)


class _Counted:
    """The replies that count, read once more at each iteration."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        self._asked = asked

    def __iter__(self) -> Iterator[Reply]:
        for one in self._asked:
            if is_shown(one):
                for reply in one.replies:
                    if reply.status != FAULT and is_counted(one, reply):
                        yield reply_of(one, reply)


def lines(fitted: Sequence[Fitted], names: Naming) -> tuple[Behaviour, ...]:
    """Return the fitted behaviours for a record, after all wrong answers are named."""
    return tuple(
        Behaviour(
            name=one.behaviour.name,
            sentence=one.behaviour.sentence,
            rows=one.rows,
            clusters=one.clusters,
            share=one.share,
            interval=one.interval,
            chance=one.chance,
            p=one.p,
            tried=one.tried,
            named=names.configs[number].total(),
            wrong=names.wrong,
            configs=tuple(config for config, _ in names.configs[number].most_common()),
            capabilities=names.shares(number),
            rivals=tuple(rival.sentence for rival in one.rivals),
        )
        for number, one in enumerate(fitted)
    )

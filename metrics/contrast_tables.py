"""Contrast sets in a record: consistency over originals and members, and scores of each kind of member.

For consistency, an answer in words is correct from an F1 of 0.8, as in Break, Perturb, Build.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dnc_metrics import baselines, contrast, drop, extraction
from dnc_metrics.record import FAULT, Contrast, Kind
from dnc_metrics.replies import CONSTRAINT

if TYPE_CHECKING:
    from dnc_metrics.record_builder import Asked, ScoredReply

SETTING = "contrast"
# The types of answers that are texts.
_WORDS = ("span", "multi-span")


def contrasts(asked: Sequence[Asked]) -> tuple[Contrast, ...]:
    """Return a result for each contrast set that was asked together with its originals."""
    originals = {(one.dataset, one.fold, one.prompt): one for one in asked if not one.perturbation}
    made = []
    for one in asked:
        original = originals.get((one.dataset, one.fold, one.prompt))
        if one.setting != SETTING or (original is None and not _is_unanswered(one)):
            continue
        if found := _contrast(one, original):
            made.append(found)
    return tuple(made)


def _is_unanswered(asked: Asked) -> bool:
    """Return whether the originals have no answers; consistency is then only over the members."""
    return all(reply.row.get("source") and not reply.row["source"]["answer"] for reply in asked.replies)


def _contrast(asked: Asked, original: Asked | None) -> Contrast | None:
    if original is None:
        right = {str(reply.row["original_id"]): 1.0 for reply in asked.replies}
    else:
        right = {str(reply.row["id"]): _value(reply) for reply in original.replies if reply.status != FAULT}
    # An original counts with all its members; a server fault in one of them excludes it.
    for reply in asked.replies:
        if reply.status == FAULT:
            right.pop(str(reply.row["original_id"]), None)
    members: dict[str, dict[str, list[float]]] = {}
    constraints: dict[str, list[bool]] = {}
    kinds: dict[str, list[ScoredReply]] = {}
    for reply in asked.replies:
        if reply.status == FAULT:
            continue
        kind = _kind(reply.row)
        kinds.setdefault(kind, []).append(reply)
        row = str(reply.row["original_id"])
        if row in right and reply.row.get("answer_type") == CONSTRAINT:
            constraints.setdefault(row, []).append(reply.right)
        elif row in right:
            members.setdefault(kind, {}).setdefault(row, []).append(_value(reply))
    if not members:
        return None
    # A constraint counts if its original has a member with an answer, as in the paper.
    scored = contrast.score(right, members, constraints=constraints)
    return Contrast(
        dataset=asked.dataset,
        fold=asked.fold,
        perturbation=asked.perturbation,
        prompt=asked.prompt,
        originals=scored.groups,
        consistent=scored.consistent,
        consistency=scored.consistency,
        worst_case=scored.worst_case,
        kinds={kind: _scored(replies) for kind, replies in sorted(kinds.items())},
    )


def _value(reply: ScoredReply) -> float:
    """Return 1 for a correct reply, else the F1 of an answer in words, or 0."""
    row = reply.row
    if reply.right or row.get("answer_type") not in _WORDS:
        return float(reply.right)
    said = extraction.phrase(reply.reply)[0]
    return drop.score(said, list(row.get("answers") or ()) or [str(row["answer"])]).f1 if said else 0.0


def _scored(replies: Sequence[ScoredReply]) -> Kind:
    rows = [reply.row for reply in replies]
    floors = baselines.accuracies(rows, _before(rows))
    return Kind(len(rows), sum(reply.right for reply in replies), floors)


def _before(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {row["id"]: row["source"]["answer"] for row in rows if row.get("source")}


def _kind(row: Mapping[str, Any]) -> str:
    """Return the perturbation that made the row, from its id."""
    return str(row["id"]).rpartition("#")[2]

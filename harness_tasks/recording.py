"""From replies to a record: every reply scored, explained, and compared with that to the original row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from dnc_datasets.serving.catalogue import Variant
from dnc_harness import data, listing
from dnc_leaderboard.making import Asked, Scored
from dnc_leaderboard.record import NOT_FOUND, RIGHT, TRUNCATED, WRONG
from dnc_metrics import baselines, equations, extraction, replies
from dnc_metrics.clusters import cluster

Row = Mapping[str, Any]


class Reply(NamedTuple):
    """What a model said, and whether the limit of tokens cut it off."""

    text: str
    cut_off: bool = False


# Row id -> its replies: one, or several where a model that samples was asked more than once.
Replies = Mapping[str, Sequence[Reply]]


def once(given: Mapping[str, str]) -> Replies:
    """One reply to each row."""
    return {row: [Reply(text)] for row, text in given.items()}


def asked(variant: Variant, prompt: str, given: Replies, built: Path) -> Asked:
    """A config as it was asked, with the replies scored."""
    found = [row for row in data.test_records(variant, built) if row["id"] in given]
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
        left_out=data.without_equation(variant, built) if prompt == listing.EQUATION else 0,
    )


def of_rows(found: Sequence[Row], given: Replies, *, prompt: str, **place: Any) -> Asked:
    """The same for any rows, such as those of a user's own file."""
    floors = {} if prompt == listing.EQUATION else baselines.accuracies(found, _before(found))
    score = _equation if prompt == listing.EQUATION else _answer
    return Asked(
        prompt=prompt,
        score=listing.SCORES[prompt][0],
        replies=[
            _again(score(row, reply), reply, time)
            for row in found
            for time, reply in enumerate(given[row["id"]], 1)
        ],
        baselines=floors,
        **place,
    )


def _again(scored: Scored, reply: Reply, time: int) -> Scored:
    """The reply of the second time and later gets an id of its own; its row stays what it is clustered by."""
    row_id = str(scored.row["id"])
    own = scored.row if time == 1 else {**scored.row, "id": f"{row_id}#{time}"}
    return replace(scored, row=own, asked_id=row_id, cut_off=reply.cut_off)


def _before(found: Sequence[Row]) -> dict[str, str] | None:
    answers = {row["id"]: row["source"]["answer"] for row in found if row.get("source")}
    return answers or None


def _answer(row: Row, given: Reply) -> Scored:
    reply = given.text
    reading = replies.score(row, reply, cut_off=given.cut_off)
    value = reading.found.value if reading.found else None
    status = RIGHT if reading.lenient else _status(reading.rule)
    stated = "" if reading.lenient else _stated(reply)
    scores = {
        "answer_lenient": reading.lenient,
        "answer_strict": reading.strict,
        "answer_exact": reading.exact,
    }
    return Scored(row, reading.lenient, status, value, reply, stated, cluster(row), scores, reading.rule)


def _equation(row: Row, given: Reply) -> Scored:
    reply = given.text
    scored = equations.score(reply, row["equation"], answer=row["answer"], rounding=replies.rounding(row))
    right = bool(scored.executes)
    stated = _stated(reply)
    scores = {
        "equation_executes": right,
        "equation_equivalent": scored.equivalent,
        "equation_exact": scored.exact,
    }
    status = RIGHT if right else _status(scored.rule)
    return Scored(row, right, status, _value(stated), reply, stated, cluster(row), scores, scored.rule)


def _status(rule: str) -> str:
    return {extraction.NOT_FOUND: NOT_FOUND, extraction.TRUNCATED: TRUNCATED}.get(rule, WRONG)


def _stated(reply: str) -> str:
    """The calculation that a reply states, if it states one."""
    found = extraction.equation(reply).expr
    return found.infix() if found is not None else ""


def _value(stated: str) -> Fraction | None:
    from dnc_datasets import expression
    from dnc_datasets.errors import ExpressionError

    try:
        return expression.parse(stated).value() if stated else None
    except ExpressionError:
        return None

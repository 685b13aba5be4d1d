"""From replies to a record: every reply scored, explained, and compared with that to the original row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.serving.catalogue import Variant
from dnc_harness import data, listing
from dnc_leaderboard.making import Asked, Scored
from dnc_leaderboard.record import NOT_FOUND, RIGHT, TRUNCATED, WRONG
from dnc_metrics import baselines, equations, evidence, extraction, replies
from dnc_metrics.clusters import cluster

Row = Mapping[str, Any]
_EQUALS = re.compile(r"= ?[$€£]?")
_RESULT = 40  # characters behind an equals sign in which a result is looked for
_MAX_RESULTS = 50


class Reply(NamedTuple):
    """What a model said, and whether the limit of tokens cut it off."""

    text: str
    cut_off: bool = False


# Row id -> its replies: one, or several where a model that samples was asked more than once.
Replies = Mapping[str, Sequence[Reply]]


def once(given: Mapping[str, str]) -> Replies:
    """One reply to each row."""
    return {row: [Reply(text)] for row, text in given.items()}


def asked(
    variant: Variant, prompt: str, given: Replies, built: Path, records: Sequence[Row] | None = None
) -> Asked:
    """A config as it was asked, with the replies scored; `records` are its test rows where they were read before."""
    records = data.test_records(variant, built) if records is None else records
    found = [row for row in records if row["id"] in given]
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
    )


def of_rows(found: Sequence[Row], given: Replies, *, prompt: str, **place: Any) -> Asked:
    """The same for any rows, such as those of a user's own file."""
    score = {listing.EQUATION: _equation, listing.GRAPH: _graph}.get(prompt, _answer)
    floors = baselines.Tally()
    scored: list[Scored] = []
    for row in found:  # all that a row's numbers are needed for, while they are known
        scored += [score(row, reply, time) for time, reply in enumerate(given[row["id"]], 1)]
        if score is _answer:
            floors.add(row, row["source"]["answer"] if row.get("source") else None)
    return Asked(
        prompt=prompt,
        score=listing.SCORES[prompt][0],
        replies=scored,
        baselines=floors.shares(),
        **place,
    )


def _answer(row: Row, given: Reply, time: int) -> Scored:
    reading = replies.score(row, given.text, cut_off=given.cut_off)
    right = reading.lenient
    scores = {"answer_lenient": right, "answer_strict": reading.strict, "answer_exact": reading.exact}
    value = reading.found.value if reading.found else None
    stated = "" if right else _stated(given.text)
    if stated and _value(stated) != value and _shows_result(given.text, stated):
        stated = ""  # it was calculated without a slip, and something else was read as the answer
    return _scored(row, given, time, right, value, stated, scores, reading.rule)


def _equation(row: Row, given: Reply, time: int) -> Scored:
    scored = equations.score(
        given.text, row["equation"], answer=row["answer"], rounding=replies.rounding(row)
    )
    right = bool(scored.executes)
    stated = _stated(given.text)
    scores = {
        "equation_executes": right,
        "equation_equivalent": scored.equivalent,
        "equation_exact": scored.exact,
    }
    return _scored(row, given, time, right, _value(stated), stated, scores, scored.rule)


def _graph(row: Row, given: Reply, time: int) -> Scored:
    told = evidence.score(given.text, data.graph_of(row))
    scores = {"gem": told.gem, "dagsim": told.dagsim, "edge_f1": told.edge_f1}
    return _scored(row, given, time, told.gem, None, "", scores, told.rule)


def _scored(
    row: Row,
    given: Reply,
    time: int,
    right: bool,
    value: Fraction | None,
    stated: str,
    scores: Mapping[str, float],
    rule: str,
) -> Scored:
    """A reply with its score; that of the second time and later has an id of its own, in the cluster of its row."""
    row_id = str(row["id"])
    own = row if time == 1 else {**row, "id": f"{row_id}#{time}"}
    status = RIGHT if right else _status(rule)
    return Scored(
        own, right, status, value, given.text, stated, cluster(row), scores, rule, given.cut_off, row_id
    )


def _status(rule: str) -> str:
    return {extraction.NOT_FOUND: NOT_FOUND, extraction.TRUNCATED: TRUNCATED}.get(rule, WRONG)


def _stated(reply: str) -> str:
    """The calculation that a reply states, if it states one."""
    found = extraction.equation(reply).expr
    return found.infix() if found is not None else ""


def _shows_result(reply: str, stated: str) -> bool:
    """Does the reply write the true value of its calculation behind an equals sign?"""
    value = _value(stated)
    if value is None:
        return False
    behind = (
        reply[sign.end() : sign.end() + _RESULT] for sign in islice(_EQUALS.finditer(reply), _MAX_RESULTS)
    )
    return any(found[0].value == value for found in map(numerals.find, behind) if found)


def _value(stated: str) -> Fraction | None:
    from dnc_datasets import expression
    from dnc_datasets.errors import ExpressionError

    try:
        return expression.parse(stated).value() if stated else None
    except ExpressionError:
        return None

"""Replies in a file give the record of replies in memory, and do not fill the memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_metrics import record_builder
from dnc_metrics.record import FAULT, Provenance, System
from dnc_metrics.record_builder import Asked, Scored
from dnc_metrics.reply_scores import score_reply
from dnc_metrics.spool import Spool
from dnc_metrics.stored_replies import StoredReplies

_MANY = 1500  # more than a few blocks of a spool


def _row(at: int, *, perturbed: bool) -> dict[str, Any]:
    total, lost = 12 + at % 90, 3 + at % 9
    source = {
        "body": f"Tom had {total} pens and lost {lost} in week {at}.", "question": "How many are left?",
        "equation": f"{total} - {lost}", "answer": str(total - lost), "meta": {},
    }  # fmt: skip
    if not perturbed:
        return {**source, "id": str(at), "perturbed": False, "source": None}
    body = f"Tom had {total} (not {total + 17}) pens and lost {lost} in week {at}."
    return {**source, "id": str(at), "body": body, "perturbed": True, "source": source}


def _replies(count: int, *, perturbed: bool) -> Iterator[Scored]:
    for at in range(count):
        row = _row(at, perturbed=perturbed)
        if at % 97 == 5:
            yield Scored(row, False, FAULT, fault="null reply", asked_id=str(at))
            continue
        wrong = (
            row["answer"],
            f"{29 + at % 90 - 3 - at % 9}",
            "I do not know.",
            f"{at % 90 + 12} + 3 = {at % 90 + 15}",
        )
        text = wrong[at % 4 if perturbed else 0] if at % 7 else wrong[1]
        found = score_reply(row, text)
        yield Scored(
            row, found.right, found.status, found.answer, text, found.stated, str(at), found.scores, found.rule,
            asked_id=str(at),
        )  # fmt: skip


def _asked(count: int, spool: Spool | None) -> list[Asked]:
    asked = []
    for perturbation in ("", "verbosity"):
        replies = _replies(count, perturbed=bool(perturbation))
        asked.append(
            Asked(
                config=f"pens-{perturbation}-attack" if perturbation else "pens", dataset="pens", fold="",
                perturbation=perturbation, setting="attack" if perturbation else "",
                capability="operand selection" if perturbation else "", prompt="direct", score="answer_lenient",
                replies=list(replies) if spool is None else StoredReplies(spool, replies),
            )
        )  # fmt: skip
    return asked


def _made(asked: list[Asked]) -> tuple[Any, list[Any]]:
    record, outcomes = record_builder.build(System("m", "predictions"), Provenance("dnc score", "0"), asked)
    assert len(outcomes) == sum(len(one.replies) for one in asked)
    return record, list(outcomes)


def test_replies_in_a_file_give_the_same_record() -> None:
    in_memory, in_file = _made(_asked(_MANY, None)), _made(_asked(_MANY, Spool()))
    assert in_memory == in_file
    assert in_file[0].causes
    assert in_file[0].cells[0].faults


@given(
    st.lists(st.fractions(), min_size=1, max_size=5),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=20),
)
def test_a_reply_is_read_back_as_it_was(answers: list[Fraction], text: str) -> None:
    row = {
        "id": "a",
        "body": text,
        "question": "How many?",
        "answer": "7",
        "original_id": "b",
        "table": [["1"]],
    }
    replies = [Scored(row, False, "wrong", answer, text, scores={"exact": 0.5}) for answer in answers]
    stored = StoredReplies(Spool(), replies)
    for _ in range(2):
        for one, before in zip(stored, replies, strict=True):
            assert {name: getattr(one, name) for name in vars(before)} == {**vars(before), "row": one.row}
            assert dict(one.row) == row


def test_two_readers_of_one_file_do_not_disturb_each_other() -> None:
    spool = Spool()
    first, second = (StoredReplies(spool, _replies(450, perturbed=one)) for one in (False, True))
    pairs = [(one.id, other.id, other.perturbed) for one, other in zip(first, second, strict=True)]
    assert pairs == [(str(at), str(at), True) for at in range(450)]


def test_memory_does_not_grow_with_the_replies() -> None:
    def kept(count: int) -> int:
        tracemalloc.start()
        try:
            _asked(count, Spool())
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    kept(10)  # what is computed once
    assert kept(4000) < 2 * kept(1000) + (3 << 20)


@pytest.mark.parametrize("count", [0, 1, 199, 200, 201, 1000])
def test_a_spool_yields_its_values_between_two_positions(count: int) -> None:
    spool = Spool()
    spool.append("before")
    start = spool.position()
    for at in range(count):
        spool.append([at, {"a": None}])
    end = spool.position()
    spool.append("after")
    assert list(spool.values(start, end)) == [[at, {"a": None}] for at in range(count)]
    assert next(spool.values()) == "before"

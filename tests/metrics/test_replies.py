"""Replies are scored by the row: its unit, its rounding, the percentage it asks for; baselines beside them."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_metrics import baselines, record_builder, replies
from dnc_metrics.record import FAULT, NOT_FOUND, RIGHT, TRUNCATED, WRONG, Provenance, System
from dnc_metrics.record_builder import Asked, Scored
from dnc_metrics.reply_scores import ANSWER, EQUATION, GRAPH, score_reply
from dnc_metrics.spool import Spool
from dnc_metrics.stored_replies import StoredReplies

_LIST = {"answer_type": replies.SEVERAL, "question": "Which?"}


@pytest.mark.parametrize(
    ("row", "reply", "lenient", "exact"),
    [
        ({"answer": "200", "question": "How many minutes?"}, "3 hours and 20 minutes", True, True),
        ({"answer": "200", "question": "How long?"}, "3 hours and 20 minutes", False, False),
        ({"answer": "200", "question": "How long?", "unit": "minutes"}, "3 hours and 20 minutes", True, True),
        ({"answer": "0.25", "question": "What percentage is left?"}, "25%", True, True),
        ({"answer": "0.25", "question": "How much is left?"}, "25%", False, False),
        ({"answer": "25", "question": "How much is left?"}, "25%", True, True),
        ({"answer": "1/3", "question": "What percent is left?"}, "33.33%", True, False),
        ({"answer": "2608", "question": "x", "unit": "thousand"}, "$2,608 thousand", True, True),
        ({"answer": "2608", "question": "x", "unit": "thousand"}, "2608", True, True),
        ({"answer": "2608", "question": "x", "unit": ""}, "$2,608 thousand", False, False),
        ({"answer": "83.33", "question": "x", "meta": '{"rounding": "places:2"}'}, "83.333", True, False),
        ({"answer": "83.33", "question": "x", "meta": "{}"}, "83.334", False, False),
        ({"answer": "3", "answers": ["3", "4"], "question": "x"}, "four", True, True),
        ({"answer": "unsure", "answer_type": "unanswerable", "question": "x"}, "unknown", True, True),
        ({"answer": "unsure", "answer_type": "unanswerable", "question": "x"}, "7", False, False),
        ({"answer": "Kim", "question": "x"}, '{"answer": "Kim"}', True, True),
        ({"answer": "Kim", "question": "x"}, "<think>Jo?</think>Kim", True, True),
        ({"answer": "8000", "question": "x", "unit": "thousand"}, "eight thousand", True, True),
        ({"answer": "8000", "question": "x", "unit": "thousand"}, "8 thousand", False, False),
        ({"answer": "Ann K. Lee", "question": "x"}, "The answer is Ann K. Lee. She is a clerk.", True, True),
        ({"answer": "Ann K. Lee", "question": "x"}, "The answer is Ann K. Moe.", False, False),
        ({"answer": "the Group’s plan", "question": "x"}, "The answer is the Group's plan.", True, True),
        ({"answer": "2019, 2018", "answers": ["2019", "2018"], **_LIST}, "2018 and 2019", True, True),
        ({"answer": "2019, 2018", "answers": ["2019", "2018"], **_LIST}, "2019", False, False),
        ({"answer": "2019, 2018", "answers": ["2019", "2018"], **_LIST}, "2019, 2018, 2017", False, False),
        (
            {"answer": "$1,050, 0", "answers": ["$1,050", "0"], **_LIST},
            "The answer is $1050 and 0.",
            True,
            True,
        ),
        ({"answer": "a, b and c", "answers": ["a", "b and c"], **_LIST}, "#### a; b; c", True, True),
        ({"answer": "12", "answers": ["12", "a dozen eggs"], "question": "x"}, "a dozen eggs", True, True),
    ],
)
def test_rows(row: dict[str, Any], reply: str, lenient: bool, exact: bool) -> None:
    found = replies.score(row, reply)
    assert (found.lenient, found.exact) == (lenient, exact)


def test_the_three_ways_to_fail() -> None:
    row = {"answer": "7", "question": "How many?"}
    wrong, none, cut = (replies.score(row, reply) for reply in ("8", "I do not know", "<think>7"))
    assert not any(reading.lenient for reading in (wrong, none, cut))
    assert [(reading.not_found, reading.truncated) for reading in (wrong, none, cut)] == [
        (False, False),
        (True, False),
        (False, True),
    ]


def test_words_that_hit_the_limit_are_cut_off_unless_they_mark_an_answer() -> None:
    row = {"answer": "Kim", "question": "Who?"}
    assert replies.score(row, "Let us see who of them", cut_off=True).truncated
    assert not replies.score(row, "The answer is Jo. She", cut_off=True).truncated
    assert replies.score({**row, "answers": ["Kim", "Jo"], **_LIST}, "It is either", cut_off=True).truncated


ROWS = [
    {"id": "a", "body": "Ann had 3 pens and got 14 more.", "question": "How many are there?", "answer": "17"},
    {"id": "b", "body": "Of 20 eggs none was left.", "question": "How many are left?", "answer": "0"},
    {
        "id": "c",
        "table": [["", "2019"], ["Sales", "455"]],
        "question": "What were the sales?",
        "answer": "455",
    },
    {"id": "d", "body": "Bo has 12 and Cy 5 cards.", "question": "Has Cy more?", "answer": "no"},
]


def test_baselines() -> None:
    found = baselines.accuracies(ROWS, {"a": "17", "b": "4"})
    assert found == {
        "always 0": 0.25,
        "always no": 0.25,
        "always yes": 0.0,
        "first number": 0.0,
        "largest number": 0.0,
        "original's answer": 0.5,
    }
    assert baselines.ORIGINAL not in baselines.accuracies(ROWS)
    assert baselines.answers({"body": "none here", "question": "how?"})[baselines.FIRST] == ""


@pytest.mark.parametrize(
    "row",
    [
        {"answer": "7", "body": "Ann has 7 pens and 2.5 boxes.", "question": "How many pens?"},
        {"answer": "2.5", "body": "Ann has 7 pens and 2.5 boxes.", "question": "How many boxes?"},
        {"answer": "0", "body": "Ann has 3 pens and gives 3 away.", "question": "How many are left?"},
        {"answer": "7", "answers": ["7", "12"], "body": "From 7 to 12.", "question": "Which?"},
        {"answer": "no", "body": "Ann has 7 pens.", "question": "Are there 8?"},
        {"answer": "8", "rounding": "places:0", "body": "Ann walks 7.6 km.", "question": "How far about?"},
        {"answer": "25", "body": "5 of 25 pens are red.", "question": "What percentage is not blue?"},
        {
            "answer": "7",
            "answers": ["7", "Ann"],
            "answer_type": "multi-span",
            "body": "7",
            "question": "What?",
        },
        {
            "answer": ">= 7",
            "answer_type": "constraint",
            "body": "At least 7, not 3.",
            "question": "How many?",
        },
        {"answer": "3", "unit": "thousand", "body": "It sold 3,000 pens.", "question": "How many thousands?"},
        {"answer": "-4", "body": "It fell from 3 to -4.", "question": "Where is it?"},
    ],
)
@pytest.mark.parametrize("original", [None, "7", "2.5", "-4", "Ann"])
def test_baselines_are_scored_as_replies_are(row: dict[str, Any], original: str | None) -> None:
    tally = baselines.Tally()
    tally.add(row, original)
    said = baselines.answers(row, original)
    assert tally.shares() == {name: float(replies.score(row, reply).lenient) for name, reply in said.items()}


ROW = {"answer": "9", "question": "How many pens are left?", "equation": "12 - 3"}


@pytest.mark.parametrize(
    ("reply", "status", "answer"),
    [
        ("There are 9 pens left.", RIGHT, Fraction(9)),
        ("There are 15 pens left.", WRONG, Fraction(15)),
        ("I do not know.", NOT_FOUND, None),
        ("<think>12 - 3 is", TRUNCATED, None),
    ],
)
def test_the_status_of_an_answer(reply: str, status: str, answer: Fraction | None) -> None:
    found = score_reply(ROW, reply, ANSWER)
    assert (found.status, found.answer) == (status, answer)


def test_a_wrong_answer_keeps_its_calculation() -> None:
    assert score_reply(ROW, "12 + 3 = 15").stated == "12 + 3"
    # The calculation was right and something else was read as the answer.
    assert score_reply(ROW, "12 - 3 = 9. The answer is 4.").stated == ""


def test_an_equation_is_scored_by_its_value_and_its_form() -> None:
    found = score_reply(ROW, "10 - 1", EQUATION)
    assert found.right
    assert found.scores == {
        "equation_executes": True,
        "equation_equivalent": False,
        "equation_same": False,
        "equation_exact": False,
    }
    assert (found.stated, found.answer) == ("10 - 1", Fraction(9))


@pytest.mark.parametrize(
    "row", [{"graph": [["<q1>", "<s1>"]]}, {"meta": '{"graph": "[[\\"<q1>\\", \\"<s1>\\"]]"}'}]
)
def test_the_gold_graph_is_a_column_or_a_note(row: dict[str, object]) -> None:
    found = score_reply(row, "<q1> <s1>", GRAPH)
    assert set(found.scores) == {"gem", "dagsim", "edge_f1"}


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

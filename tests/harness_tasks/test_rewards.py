"""Rewards: exact on good completions, nothing for degenerate ones, and never an exception."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dnc_datasets
from dnc_harness import rewards

PROMPT = "Tom has 3 pens and 4 pencils. How many things does he have?"
FUNCTIONS = (
    rewards.answer_reward,
    rewards.equation_reward,
    rewards.format_reward,
    rewards.refusal_reward,
    rewards.consistency_reward,
)


def reward(function: Any, completion: Any, **row: Any) -> float:
    columns = {"answer": "7", "equation": "3 + 4", **row}
    (value,) = function([PROMPT], [completion], **{name: [one] for name, one in columns.items()})
    return float(value)


@pytest.mark.parametrize(
    "completion",
    [
        "7",
        "seven",
        "The answer is 7.",
        "3 + 4 = 7\nThe answer is 7.",
        "He has 3 pens and 4 pencils, so \\boxed{7}.",
        "#### 7",
        '{"answer": 7}',
        "The answer is 5. Wait, that leaves out two pencils. The answer is 7.",
        "<think>3 pens, 4 pencils</think>The answer is 7.",
        "答案是7",
        [{"role": "assistant", "content": "The answer is 7."}],
        f"{PROMPT}\nThe answer is 7.",
    ],
)
def test_a_right_answer_earns_one(completion: Any) -> None:
    assert reward(rewards.answer_reward, completion) == 1.0


@pytest.mark.parametrize(
    "completion",
    [
        "",
        " ",
        "8",
        "The answer is 8.",
        "1 2 3 4 5 6 7",
        "The answer is 1, 2, 3, 4, 5, 6, 7.",
        "The answer is 6 or 7.",
        "It could be 5, 6 or 7",
        " ".join(f"The answer is {number}." for number in range(8)),
        " ".join(f"\\boxed{{{number}}}" for number in range(8)),
        "7 " * 20_000,
        PROMPT,
        PROMPT * 3,
        "<think>The answer is 7.",
        [],
        [{"role": "assistant", "content": None}],
        None,
        7,
    ],
)
def test_a_wrong_or_degenerate_completion_earns_nothing(completion: Any) -> None:
    assert reward(rewards.answer_reward, completion) == 0.0


@pytest.mark.parametrize(
    ("completion", "expected"),
    [("3 + 4", 1.0), ("4 + 3 = 7", 1.0), ("7", 0.0), ("10 - 3", 0.0), ("3 * 4", 0.0), ("3 +", 0.0)],
)
def test_an_equation_must_use_the_numbers_of_the_prompt(completion: str, expected: float) -> None:
    assert reward(rewards.equation_reward, completion) == expected


def test_refusing_is_right_only_where_there_is_no_answer() -> None:
    refusal = "There is not enough information to tell."
    assert reward(rewards.refusal_reward, refusal, answer="", answer_type="unanswerable") == 1.0
    assert reward(rewards.refusal_reward, "The answer is 7.", answer="", answer_type="unanswerable") == 0.0
    assert reward(rewards.refusal_reward, refusal) == 0.0
    assert reward(rewards.refusal_reward, "The answer is 8.") == 1.0
    assert reward(rewards.refusal_reward, " ".join(f"The answer is {n}." for n in range(20))) == 0.0


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("The answer is 0. **Answer: 0**", 1.0),
        ("The answer is 1,200 meters.\n#### 1200", 1.0),
        ("The answer is 6. The answer is 7.", 0.0),
        (r"\boxed{5} \boxed{7}", 0.0),
    ],
)
def test_the_format_is_one_marked_answer(text: str, marked: float) -> None:
    assert reward(rewards.format_reward, text) == marked


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("Answer 1: 7\nAnswer 2: 9", 1.0),
        ("Problem 1: 3 + 4 = 7\nProblem 2: 9", 1.0),
        ("Answer 1: 7\nAnswer 2: 7", 0.0),
        ("Answer 1: 9\nAnswer 2: 7", 0.0),
        ("Answer 2: 9", 0.0),
        ("The answer is 9.", 0.0),
    ],
)
def test_a_pair_earns_its_reward_only_where_both_are_right(completion: str, expected: float) -> None:
    assert reward(rewards.consistency_reward, completion, answer="9", source={"answer": "7"}) == expected


def test_a_pair_prompt_shows_both_problems() -> None:
    record = next(iter(dnc_datasets.stream("tiny-noise-attack")))
    original = f"{record['source']['body']} {record['source']['question']}"
    shown = rewards.pair_prompt(record, original)
    assert original in shown
    assert record["prompt"] in shown
    completion = f"Answer 1: {record['source']['answer']}\nAnswer 2: {record['answer']}"
    columns = {name: [record[name]] for name in (*rewards.COLUMNS, "source") if name in record}
    assert rewards.consistency_reward([shown], [completion], **columns) == [1.0]


def test_a_perfect_policy_earns_everything_and_a_copying_one_nothing() -> None:
    tasks = [task for task, _ in zip(dnc_datasets.stream("tiny-type-attack", 5), range(200), strict=False)]
    columns = {name: [task[name] for task in tasks] for name in rewards.COLUMNS if name in tasks[0]}
    prompts = [task["prompt"] for task in tasks]
    golds = [f"The answer is {task['target']}." for task in tasks]
    assert rewards.answer_reward(prompts, golds, **columns) == [1.0] * 200
    assert rewards.answer_reward(prompts, prompts, **columns) == [0.0] * 200


def test_verl_gets_the_same_reward() -> None:
    info = {"prompt": PROMPT, "question": "How many things does he have?"}
    assert rewards.compute_score("dnc/tiny", "The answer is 7.", "7", info) == 1.0
    assert rewards.compute_score("dnc/tiny", "The answer is 8.", "7", None) == 0.0
    assert rewards.compute_score("dnc/tiny", "The answer is 8.", None, None) == 0.0


_PIECES = (
    "The answer is ~7~12~\n~Answer 1:~Answer 2:~\\boxed{~}~<think>~</think>~=~3 + 4~ apples~$~,~%~\ud83d~\x00"
    '~{"answer":~1e309~٣~十二~####~ or '
).split("~")


def test_fuzzed_completions_never_raise() -> None:
    chosen = random.Random(0)
    made = ["".join(chosen.choices(_PIECES, k=chosen.randint(0, 25))) for _ in range(3_000)]
    for function in FUNCTIONS:
        given_rows = {
            "answer": ["7"] * 3_000,
            "equation": ["3 + 4"] * 3_000,
            "source": [{"answer": "7"}] * 3_000,
        }
        assert set(function([PROMPT] * 3_000, made, **given_rows)) <= {0.0, 1.0}


@given(st.text(max_size=60), st.text(max_size=10), st.text(max_size=10))
def test_any_row_and_any_text_earn_zero_or_one(completion: str, answer: str, equation: str) -> None:
    for function in FUNCTIONS:
        assert reward(function, completion, answer=answer, equation=equation) in (0.0, 1.0)

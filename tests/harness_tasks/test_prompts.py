"""What models are asked, and the worked examples that may stand before it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import expression, sources
from dnc_datasets.problem import Problem, to_row
from dnc_datasets.serving import catalogue
from dnc_harness import data, listing, prompts, scoring
from dnc_harness.errors import HarnessError
from dnc_harness.prompts import exemplars

SHAPES = ("word_problem", "passage", "table", "dialogue")
ASKED = (prompts.direct, prompts.cot, prompts.equation)
EXAMPLES = [
    (shape, language, example)
    for language in ("en", "zh")
    for shape in SHAPES
    for example in exemplars(shape, language)
]


def _doc(shape: str, language: str = "en", **fields: Any) -> dict[str, Any]:
    return {
        **to_row(Problem("1", "b", "q")),
        "shape": shape,
        "language": language,
        "numeric": True,
        "perturbed": False,
        **fields,
    }


def test_a_word_problem() -> None:
    doc = _doc("word_problem", body="Tom has 3 pens.", question="How many pens?")
    assert prompts.direct(doc) == (
        "Question: Tom has 3 pens. How many pens?\nReply with the answer only, as a number; if it is not "
        "whole, round it to two decimal places, but keep at least two significant digits.\nAnswer:"
    )
    assert prompts.cot(doc).endswith("\nSolution:")
    assert prompts.equation(doc).endswith("\nExpression:")


def test_without_a_question_nothing_is_left_hanging() -> None:
    assert (
        prompts.layout(_doc("word_problem", body="Tom has 3 pens.", question=""))
        == "Question: Tom has 3 pens."
    )


def test_a_table_with_paragraphs_and_a_conversation() -> None:
    doc = _doc(
        "dialogue",
        body="",
        segments=["First.", "Second."],
        table=[["", "2019"], ["Sales", "5"]],
        history=[{"question": "Who?", "answer": "Ann"}],
        question="How much?",
    )
    assert prompts.layout(doc) == (
        "Passage: First.\nSecond.\nTable:\n|  | 2019 |\n| Sales | 5 |\nEarlier questions:\n- Who? Ann\n"
        "Question: How much?"
    )


def test_chinese_rows_are_asked_in_chinese() -> None:
    assert prompts.direct(_doc("dialogue", "zh")).endswith("答案：")


def test_a_number_is_asked_for_only_where_every_answer_is_one() -> None:
    assert "as a number" in prompts.direct(_doc("table"))
    assert "as a number" not in prompts.direct(_doc("table", numeric=False))
    for dataset in sources.names():
        source = sources.get(dataset)
        if not source.files:
            kinds = {problem.answer_type for problem in catalogue.read(dataset)["test"]}
            assert source.numeric == (kinds == {"number"}), dataset


def test_the_equation_prompt_of_a_table_says_how_a_percentage_is_written() -> None:
    assert "multiply by 100" in prompts.equation(_doc("table"))
    assert "multiply by 100" not in prompts.equation(_doc("word_problem"))


@given(st.sampled_from(SHAPES), st.text(), st.text(), st.booleans())
def test_prompts_do_not_depend_on_the_answer(shape: str, answer: str, kind: str, perturbed: bool) -> None:
    plain = _doc(shape)
    stated = _doc(shape, answer=answer, answer_type=kind, equation=answer, perturbed=perturbed, unit=kind)
    for ask in ASKED:
        assert ask(plain) == ask(stated)


def test_every_shape_has_worked_examples() -> None:
    for dataset in sources.names():
        source = sources.get(dataset)
        shown = exemplars(source.shape, source.language)
        assert len(shown) >= 2, dataset
        assert sum(bool(example["equation"]) for example in shown) >= 2, dataset


@pytest.mark.parametrize(("shape", "language", "example"), EXAMPLES)
def test_worked_examples_are_right(shape: str, language: str, example: dict[str, Any]) -> None:
    doc = {**example, "shape": shape, "language": language}
    assert bool(example["equation"]) == example["answer"].isdigit()
    if example["equation"]:
        assert expression.canonical(expression.parse(example["equation"]).value()) == example["answer"]
    for written, result in re.findall(r"((?:\d+(?:\.\d+)?|[-+*/() ])+) = (\d+)", example["solution"]):
        assert expression.canonical(expression.parse(written).value()) == result
    assert example["answer"] in prompts.cot_target(doc).splitlines()[-1]


def test_worked_examples_are_in_no_split() -> None:
    ours = {example["body"] for _, _, example in EXAMPLES if example["body"]}
    for dataset in sources.names():
        if not sources.get(dataset).files:
            rows = [problem.body for split in catalogue.read(dataset).values() for problem in split]
            assert not ours & set(rows)


def test_worked_examples_are_in_no_real_split(mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    ours = {example["body"] for _, _, example in EXAMPLES if example["body"]}
    for dataset in ("asdiv_a", "svamp", "mawps"):
        rows = [problem.body for split in catalogue.read(dataset).values() for problem in split]
        assert rows
        assert not ours & set(rows)


@pytest.mark.parametrize("dataset", ["tiny_dialogues", "tiny_dialogues_zh"])
def test_the_gold_graph_is_a_perfect_reply_to_the_graph_prompt(dataset: str) -> None:
    asked = [task for task in listing.tasks(dataset) if task.prompt == listing.GRAPH]
    assert {task.variant.setting for task in asked} == {"", "attack"}
    assert not any("no_" in task.variant.recipe for task in asked)
    for task in asked:
        docs = data.graph_splits(task.variant.name)["test"]
        assert docs
        for doc in docs:
            assert f"\nQ: {doc['question']}\n" in prompts.graph(doc)
            scores = scoring.graph(doc, [prompts.graph_target(doc)])
            assert (scores["gem"], scores["dagsim"], scores["edge_f1"]) == (1.0, 1.0, 1.0)


def test_no_graph_is_asked_of_problems_without_turns() -> None:
    assert not [task for task in listing.tasks("tiny") if task.prompt == listing.GRAPH]
    with pytest.raises(HarnessError, match="no row of tiny has a known reasoning graph"):
        data.graph_splits("tiny")


def test_the_twelve_wordings_ask_for_the_same_row_in_other_words() -> None:
    assert len(set(prompts.WORDINGS)) == 12
    row = {"body": "Tom has 3 pens.", "question": "How many?", "shape": "word_problem", "language": "en"}
    asked = {prompts.direct({**row, "numeric": True, "wording": number}) for number in range(13)}
    assert len(asked) == 13
    assert all(one.startswith("Question: Tom has 3 pens. How many?\n") for one in asked)


def test_a_config_without_answers_lets_the_model_say_so() -> None:
    splits = data.splits("tiny-unanswerable-attack", dnc_limit=30)
    assert all('reply "unknown"' in prompts.direct(doc) for doc in splits["test"])
    assert "unknown" not in prompts.direct(data.splits("tiny", dnc_limit=1)["test"][0])

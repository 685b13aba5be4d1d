"""A model that makes one kind of mistake is recognised; random answers are called random."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.serving import catalogue, rows
from dnc_metrics import causes
from dnc_metrics.causes import Mistake, Question, explain, explain_all, tallied

Row = dict[str, Any]
PENS = {
    "body": "Tom had 125 (not 870) pens in 5 boxes, gave 31 away.",
    "question": "How many pens are left?",
    "equation": "125 - 31",
    "answer": "94",
}


@pytest.fixture(scope="module")
def changed() -> dict[str, Row]:
    """Rows of the embedded corpus that a perturbation changed, by perturbation and id."""
    splits = {"test": catalogue.read("tiny")["test"]}
    found = {}
    for recipe in ("verbosity", "extra", "noise", "distribution", "language"):
        variant = catalogue.find(f"tiny-{recipe}-attack")
        for row in variant.rows(splits)["test"]:
            record = rows.to_record(row, variant)
            if record["perturbed"]:
                found[f"{recipe}/{record['id']}"] = record
    return found


def first_distractor(row: Row) -> str | None:
    """The equation with its first operand replaced by a number that the perturbation brought in."""
    old = {
        found.value
        for text in (row["source"]["body"], row["source"]["question"])
        for found in numerals.find(text)
    }
    new = [found.text for found in numerals.find(row["body"]) if found.value not in old]
    if row["perturbation"] not in ("verbosity", "extra") or not new:
        return None
    first = expression.parse(row["equation"]).leaves()[0].infix()
    return str(row["equation"]).replace(first, new[0].replace(",", ""), 1)


def other_operation(row: Row) -> str | None:
    text = str(row["equation"])
    return (
        text.replace(" + ", " - ", 1)
        if " + " in text
        else text.replace(" - ", " + ", 1)
        if " - " in text
        else None
    )


def swapped(row: Row) -> str | None:
    parsed = expression.parse(row["equation"])
    if isinstance(parsed, expression.Binary) and parsed.op == "-":
        return expression.Binary("-", parsed.right, parsed.left).infix()
    return None


def one_step(row: Row) -> str | None:
    parsed = expression.parse(row["equation"])
    left = parsed.left if isinstance(parsed, expression.Binary) else None
    return left.infix() if isinstance(left, expression.Binary) else None


def repeats_first(row: Row) -> str | None:
    found = numerals.find(row["body"])
    return expression.canonical(found[0].value) if found else None


def originals_answer(row: Row) -> str | None:
    return str(row["source"]["answer"]) if row["source"]["answer"] != row["answer"] else None


def ten_times(row: Row) -> str | None:
    return f"10 * ({row['equation']})"


def value(text: str) -> Fraction | None:
    try:
        return expression.parse(text).value()
    except ExpressionError:
        return None


SCRIPTED = [
    (causes.DISTRACTOR, first_distractor),
    (causes.OTHER_OPERATION, other_operation),
    (causes.SWAPPED, swapped),
    (causes.STEP, one_step),
    (causes.REPEATED, repeats_first),
    (causes.ORIGINAL, originals_answer),
    (causes.SCALE, ten_times),
]


def replies(changed: dict[str, Row], model: Callable[[Row], str | None]) -> Iterator[tuple[str, Fraction]]:
    for key, row in changed.items():
        written = model(row)
        answer = value(written) if written else None
        if answer is not None and answer != Fraction(*Question.of(row).gold):  # type: ignore[union-attr]
            yield key, answer


@pytest.mark.parametrize(("cause", "model"), SCRIPTED, ids=[cause for cause, _ in SCRIPTED])
def test_a_model_with_one_mistake_is_told_by_it(
    changed: dict[str, Row], cause: str, model: Callable[[Row], str | None]
) -> None:
    questions = {key: Question.of(row) for key, row in changed.items()}
    found = explain_all([Mistake(key, answer) for key, answer in replies(changed, model)], questions)
    single = [one for one in found if len(one.causes) == 1]
    assert len(single) >= 20
    assert sum(one.causes == (cause,) for one in single) >= 0.95 * len(single)
    assert any(one.sentence for one in single)
    assert all(cause in one.causes for one in found)


def test_random_answers_get_no_sentence_and_no_cause_above_chance(changed: dict[str, Row]) -> None:
    draw = random.Random(7)
    questions = {key: Question.of(row) for key, row in changed.items()}
    mistakes = []
    for key, question in questions.items():
        assert question is not None
        answer = Fraction(draw.randint(1, 3 * int(abs(Fraction(*question.gold))) + 3))
        if answer != Fraction(*question.gold):
            mistakes.append(Mistake(key, answer))
    found = explain_all(mistakes, questions)
    assert sum(bool(one.sentence) for one in found) < 0.02 * len(found)
    assert [line for line in tallied(found).table() if line.above_chance] == []
    assert tallied(found).memorised().p_value > 0.05


def test_a_model_that_has_memorised_is_told_from_one_that_has_not(changed: dict[str, Row]) -> None:
    questions = {key: Question.of(row) for key, row in changed.items()}
    by_heart = [Mistake(key, answer) for key, answer in replies(changed, originals_answer)]
    swaps = [Mistake(key, answer) for key, answer in replies(changed, other_operation)]
    assert tallied(explain_all(by_heart, questions)).memorised().p_value < 1e-9
    # Thirty rows are enough.
    assert tallied(explain_all(by_heart[:30] + swaps[:60], questions)).memorised().p_value < 1e-3
    assert tallied(explain_all(swaps, questions)).memorised().p_value > 0.05


def test_answers_to_variants_of_one_problem_are_not_its_chance(changed: dict[str, Row]) -> None:
    known = dict(replies(changed, originals_answer))
    keys = list(known)[:40]
    mistakes, questions = [], {}
    for variant in range(12):  # each problem in twelve variants, every one answered by heart
        for key in keys:
            name = f"{variant}\t{key}"
            questions[name] = Question.of(changed[key])
            mistakes.append(Mistake(name, known[key], problem=changed[key]["original_id"]))
    (line,) = (
        one for one in tallied(explain_all(mistakes, questions)).table() if one.cause == causes.ORIGINAL
    )
    assert line.above_chance
    assert line.null is not None
    apart = [one._replace(problem="") for one in mistakes]
    (hidden,) = (
        one for one in tallied(explain_all(apart, questions)).table() if one.cause == causes.ORIGINAL
    )
    assert hidden.null is not None
    assert 2 * line.null < hidden.null


def test_sentences() -> None:
    question = Question.of(PENS)
    assert question is not None

    def said(answer: int, stated: str = "") -> list[str]:
        return [one.sentence for one in explain(question, Fraction(answer), stated)]

    assert "870 - 31 uses 870, which does not count" in said(839)
    assert said(156) == ["125 + 31 instead of 125 - 31"]
    assert said(-94) == ["31 - 125 instead of 125 - 31"]
    assert said(99, "125 - 31") == ["125 - 31 is 94"]
    assert said(940) == ["is 10 times the answer"]
    assert said(121) == ["152 - 31 reads 152 for 125"]
    assert said(77) == []


def test_what_was_written_decides_between_explanations() -> None:
    row = {"body": "A 4 by 2 grid, 2 apart.", "question": "How many?", "equation": "4 - 2", "answer": "2"}
    question = Question.of(row)
    assert question is not None
    assert len(explain(question, Fraction(8))) == 1
    assert [one.sentence for one in explain(question, Fraction(6), "4 + 2")] == ["4 + 2 instead of 4 - 2"]


def test_a_rounded_right_answer_is_no_mistake() -> None:
    row = {
        "body": "10 pens for 3 people.",
        "question": "How many each?",
        "equation": "10 / 3",
        "answer": "10/3",
    }
    question = Question.of(row)
    assert question is not None
    assert explain(question, Fraction(333, 100)) == []
    assert [one.cause for one in explain(question, Fraction(3))] == [causes.REPEATED, causes.ROUNDING]


def test_zero_is_no_answer_in_another_unit() -> None:
    row = {"body": "Ana has 12 pens.", "question": "And with 15 more?", "equation": "12 + 15", "answer": "27"}
    question = Question.of(row)
    assert question is not None
    assert explain(question, Fraction(0)) == []
    assert [one.cause for one in explain(question, Fraction(27, 100))] == [causes.SCALE]


def test_rows_without_numbers_equations_or_answers() -> None:
    text = {"body": "Tom has a dog.", "question": "Who has it?", "equation": "", "answer": "Tom"}
    assert Question.of(text) is None
    found = explain_all(
        [
            Mistake("a", None), Mistake("b", None, truncated=True), Mistake("c", Fraction(3)),
            Mistake("d", None, worded=True),
        ],
        {"a": Question.of(PENS), "b": Question.of(PENS), "c": None, "d": None},
    )  # fmt: skip
    assert [one.causes for one in found] == [
        (causes.NOT_FOUND,),
        (causes.TRUNCATED,),
        (causes.UNEXPLAINED,),
        (causes.OTHER_WORDS,),
    ]
    assert {line.cause: line.count for line in tallied(found).table()} == {
        causes.OTHER_WORDS: 1,
        causes.NOT_FOUND: 1,
        causes.TRUNCATED: 1,
        causes.UNEXPLAINED: 1,
    }


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=4), st.sampled_from("+-*"), st.fractions())
def test_any_answer_is_explained_or_not_but_never_an_error(
    numbers: list[int], operator: str, answer: Fraction
) -> None:
    equation = f" {operator} ".join(map(str, numbers))
    gold = expression.parse(equation).canonical()
    row = {"body": " and ".join(map(str, numbers)), "question": "?", "equation": equation, "answer": gold}
    question = Question.of(row)
    assert question is not None
    for one in explain(question, answer):
        assert one.cause in causes.CAUSES
    assert explain(question, Fraction(*question.gold)) == []


@pytest.mark.parametrize(
    ("stated", "cause", "sentence"),
    [
        ("(870 - 31) * 2", causes.DISTRACTOR, "(870 - 31) * 2 uses 870, which does not count"),
        ("870 * 5 - 31", causes.DISTRACTOR, "870 * 5 - 31 uses 870 and 5, which does not count"),
        ("125 * 125 + 125", causes.LEFT_OUT, "125 * 125 + 125 leaves out 31"),
        ("125 * 31 - 31 * 31", causes.OTHER_OPERATION, "125 * 31 - 31 * 31 instead of 125 - 31"),
        ("31 - 125", causes.SWAPPED, "31 - 125 instead of 125 - 31"),
        ("125 / 31", causes.OTHER_OPERATION, "125 / 31 instead of 125 - 31"),
        ("152 - 31", causes.MISREAD, "152 - 31 reads 152 for 125"),
        ("125 - 77", causes.UNEXPLAINED, ""),
    ],
)
def test_a_calculation_that_is_stated_tells_the_mistake(stated: str, cause: str, sentence: str) -> None:
    answer = value(stated)
    assert answer is not None
    (found,) = explain_all([Mistake("a", answer, stated)], {"a": Question.of(PENS)})
    assert (found.causes, found.sentence) == ((cause,), sentence)


def test_a_calculation_that_does_not_give_the_answer_tells_nothing() -> None:
    (found,) = explain_all([Mistake("a", Fraction(7), "870 * 5 - 31")], {"a": Question.of(PENS)})
    assert found.causes == (causes.UNEXPLAINED,)

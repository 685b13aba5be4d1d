"""History, padding and unanswerable: their wording, what they leave alone, and what their certificates refuse."""

from __future__ import annotations

import pytest

from dnc_datasets import expression, numerals, perturbations
from dnc_datasets.certificate import CHECKS, certify
from dnc_datasets.draws import Draw
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue

NAMES = ("history", "padding", "unanswerable")


def _problem(body: str, question: str, equation: str) -> Problem:
    answer = expression.parse(equation).canonical()
    return Problem("1", body, question, equation=equation, answer=answer)


PENS = _problem("Tom has 12 pens and buys 3 books.", "How many things does he have?", "12 + 3")


def _made(name: str, problem: Problem = PENS, seed: int = 0, **parameters: float) -> Problem | None:
    step = perturbations.get(name)
    made = step.apply(problem, Draw(seed, "", "1", name), **parameters)
    if made is not None:
        certify(problem, made, step)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_every_changed_row_of_the_corpus_keeps_its_promises(name: str) -> None:
    rows = list(catalogue.find(f"tiny-{name}-attack").stream("test", catalogue.read("tiny")["test"]))
    changed = [row for row in rows if row.original is not None]
    assert not [row.reason for row in rows if row.failed]
    assert len(changed) >= (20 if name == "unanswerable" else 240)


def test_history_puts_solved_problems_first() -> None:
    made = _made("history", turns=2)
    assert made is not None
    assert made.body.startswith("Problem 1: ")
    assert made.body.count("\nAnswer: ") == 2
    assert made.body.endswith("\n\nProblem 3: Tom has 12 pens and buys 3 books.")
    assert made.question == PENS.question


def test_padding_has_the_length_and_depth_that_are_asked_for() -> None:
    for words, depth in ((50, 0.0), (400, 0.5), (1500, 1.0)):
        made = _made("padding", words=words, depth=depth)
        assert made is not None
        before, after = made.body.split(PENS.body)
        total = len(before.split()) + len(after.split())
        assert words <= total < words + 25
        assert len(before.split()) / total == pytest.approx(depth, abs=0.1)
        assert not numerals.find(before + after)


def test_padding_does_not_part_an_open_condition_from_its_question() -> None:
    made = _made("padding", _problem("If Tom has 12 pens and buys 3,", "how many does he have?", "12 + 3"))
    assert made is not None
    assert made.body.endswith("If Tom has 12 pens and buys 3,")


def test_unanswerable_takes_out_one_needed_number() -> None:
    texts = {made.body for seed in range(20) if (made := _made("unanswerable", seed=seed)) is not None}
    assert texts == {"Tom has some pens and buys 3 books.", "Tom has 12 pens and buys some books."}
    made = _made("unanswerable")
    assert made is not None
    assert (made.answer, made.answer_type, made.equation) == ("unknown", "unanswerable", "")


def test_a_condition_names_a_certain_number() -> None:
    problem = _problem("If Tom has 12 pens and buys 3 books,", "how many things does he have?", "12 + 3")
    made = _made("unanswerable", problem)
    assert made is not None
    assert "a certain number of" in made.body


@pytest.mark.parametrize(
    ("body", "question", "equation"),
    [
        # The missing number follows from the others.
        ("Of 15 things 12 are pens and 3 are pencils.", "How many are pens or pencils?", "12 + 3"),
        ("Tom has 12 pens, which are a dozen pens, and 3 caps.", "How many things are there?", "12 + 3"),
        # No count of things.
        ("A pen costs $12 and a cap costs $3.", "How much do they cost?", "12 + 3"),
        ("Tom is 12 years old.", "How old will he be in 3 years?", "12 + 3"),
        ("Ann has $3. Tom has 12 more pens than Ann has dollars.", "How many pens has he?", "12 + 3"),
        # "Some" would not fit the words before it.
        ("Each of the 12 pens costs $3.", "How much do they cost?", "12 * 3"),
        ("Tom packs exactly 12 pens a day.", "How many pens does he pack in 3 days?", "12 * 3"),
    ],
)
def test_unanswerable_leaves_texts_alone_that_it_is_not_sure_of(
    body: str, question: str, equation: str
) -> None:
    assert all(_made("unanswerable", _problem(body, question, equation), seed) is None for seed in range(10))


@pytest.mark.parametrize(
    ("name", "check", "body"),
    [
        ("padding", "padding_is_unrelated", "The river is wide. Tom has 12 pens and buys 4 books."),
        ("padding", "padding_is_unrelated", "He has 9 caps. Tom has 12 pens and buys 3 books."),
        ("padding", "padding_is_unrelated", "Tom has 12 pens and buys 3 books. The river is"),
        ("padding", "padding_is_unrelated", "Tom has 12 pens and buys 3 books."),
        ("padding", "padding_is_unrelated", "The baker sweeps her steps. Tom has 12 pens and buys 3 books."),
        ("history", "history_is_separate", "Problem 1: Two and two?\nAnswer: 15\n\nProblem 2: " + PENS.body),
        ("history", "history_is_separate", "Problem 1: Two and two?\nAnswer: 4\n\nProblem 3: " + PENS.body),
        ("history", "history_is_separate", "Problem 1: " + PENS.body),
        ("unanswerable", "needed_number_removed", "Tom has some pens and buys some books."),
        ("unanswerable", "needed_number_removed", "Tom has some pens and sells 3 books."),
        ("unanswerable", "needed_number_removed", PENS.body),
    ],
)
def test_certificates_refuse_rows_that_are_wrong(name: str, check: str, body: str) -> None:
    changed = PENS.replace(body=body)
    if name == "unanswerable":
        changed = changed.replace(equation="", answer="unknown", answer_type="unanswerable")
    assert not CHECKS[check](PENS, changed)

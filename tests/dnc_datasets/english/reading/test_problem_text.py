"""Tests of the cut between what a problem tells and what it asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.english.reading.problem_text import split_problem
from dnc_datasets.english.reading.sentences import ends_inside, sentences
from dnc_datasets.serving import catalogue

_CASES = [
    (
        "Amy has 3 pens. How many pens does she have?",
        "Amy has 3 pens.",
        "How many pens does she have?",
    ),
    (
        "Amy has 3 pens.  If she buys 4 more, how many pens does she have?",
        "Amy has 3 pens.  If she buys 4 more,",
        "how many pens does she have?",
    ),
    (
        "Amy has 3 pens. If she sells 2, calculate the number of pens that she has.",
        "Amy has 3 pens. If she sells 2,",
        "calculate the number of pens that she has.",
    ),
    (
        "Parking costs $2 an hour. If Emil paid $8, for how many hours did he park?",
        "Parking costs $2 an hour. If Emil paid $8,",
        "for how many hours did he park?",
    ),
    (
        "Kim got 2 bars a week. After 16 weeks, how many bars did Kim have?",
        "Kim got 2 bars a week.",
        "After 16 weeks, how many bars did Kim have?",
    ),
    (
        "If 3 boys share 12 pens, how many pens does each get?",
        "If 3 boys share 12 pens,",
        "how many pens does each get?",
    ),
    (
        "How many cookies would you have if you had 37 bags with 19 cookies in each?",
        "",
        "How many cookies would you have if you had 37 bags with 19 cookies in each?",
    ),
    (
        "Amy had 9 pens. She gave 4 away. Find the number of pens left.",
        "Amy had 9 pens. She gave 4 away.",
        "Find the number of pens left.",
    ),
    (
        "The jug holds 3 quarts. How many cups is that? (There are 4 cups in a quart.)",
        "The jug holds 3 quarts.",
        "How many cups is that? (There are 4 cups in a quart.)",
    ),
    (
        "A car costs $7,000. What is a third of that? Round to a whole number.",
        "A car costs $7,000.",
        "What is a third of that? Round to a whole number.",
    ),
    (
        "Amy has 3 pens and 4 caps. How many pens has she? How many caps?",
        "Amy has 3 pens and 4 caps.",
        "How many pens has she? How many caps?",
    ),
    (
        "How many pens are left? Amy had 9 pens. She gave 4 away.",
        "",
        "How many pens are left? Amy had 9 pens. She gave 4 away.",
    ),
    (
        "Why 9 pens? Amy had 9 pens. How many are left?",
        "",
        "Why 9 pens? Amy had 9 pens. How many are left?",
    ),
    (
        "Parker wonders what share of kernels pop. 60 of 75 kernels pop.",
        "",
        "Parker wonders what share of kernels pop. 60 of 75 kernels pop.",
    ),
    (
        "amy has 3 pens. how many pens does she have?",
        "amy has 3 pens.",
        "how many pens does she have?",
    ),
    (
        "amy has 3 pens. how many pens has mr. fox?",
        "",
        "amy has 3 pens. how many pens has mr. fox?",
    ),
    (
        "Mr. Fox has 3 pens. How many pens does Mr. Fox have?",
        "Mr. Fox has 3 pens.",
        "How many pens does Mr. Fox have?",
    ),
    (
        "小明有3个苹果。他吃了1个。还剩多少个？",
        "小明有3个苹果。他吃了1个。",
        "还剩多少个？",
    ),
    (
        "",
        "",
        "",
    ),
    (
        "\r",
        "",
        "",
    ),
    (
        "???",
        "",
        "???",
    ),
]
CASES = [
    (
        "Asha paid Rs. 500 for a sari. She has Rs. 20 left.",
        ["Asha paid Rs. 500 for a sari.", "She has Rs. 20 left."],
    ),
    ("The sack weighs approx. 40 kg. Omar lifts it.", ["The sack weighs approx. 40 kg.", "Omar lifts it."]),
    ("J. R. Hill wrote 7 plays. Lena read 3.", ["J. R. Hill wrote 7 plays.", "Lena read 3."]),
    ("Omar has 3 pens.  Lena has 5 pens.", ["Omar has 3 pens.", "Lena has 5 pens."]),
    (
        "Prof. Hill teaches room No. 12. It has 30 seats.",
        ["Prof. Hill teaches room No. 12.", "It has 30 seats."],
    ),
    ("Did he win? No. He lost 3 games.", ["Did he win?", "No.", "He lost 3 games."]),
    (
        "The box weighs 5 lbs. How many boxes weigh 20 lbs.?",
        ["The box weighs 5 lbs.", "How many boxes weigh 20 lbs.?"],
    ),
    (
        "The shop opens at 9 a.m. on Mondays. It closes at 5.",
        ["The shop opens at 9 a.m. on Mondays.", "It closes at 5."],
    ),
    ("Mr. and Mrs. Li bought 2.5 pounds of figs.", ["Mr. and Mrs. Li bought 2.5 pounds of figs."]),
]


@pytest.mark.parametrize(("text", "body", "question"), _CASES)
def test_cases(text: str, body: str, question: str) -> None:
    assert split_problem(text) == (body, question)


def _squeezed(*texts: str) -> str:
    return "".join("".join(texts).split())


@given(st.text(st.sampled_from("Ab 3.?!,。？\n(\r") | st.characters(codec="utf-8"), max_size=60))
def test_nothing_is_lost(text: str) -> None:
    assert _squeezed(*split_problem(text)) == _squeezed(text)


def test_embedded_problems_are_cut_where_their_sources_do() -> None:
    problems = [problem for some in catalogue.read("tiny").values() for problem in some]
    cut_alike = 0
    for problem in problems:
        body, question = split_problem(problem.text)
        assert f"{body} {question}".strip() == problem.text
        assert body
        assert question.endswith("?")
        cut_alike += (body, question) == (problem.body, problem.question)
    # Some of their questions start with the "if" that belongs to the statement.
    assert cut_alike >= 0.98 * len(problems)


@pytest.mark.parametrize(("text", "parts"), CASES)
def test_sentences_end_where_a_reader_sees_it(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@given(st.text(alphabet="aB .?!1Rs", max_size=60))
def test_no_character_is_lost(text: str) -> None:
    assert "".join(sentences(text)).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "ends"), [("he paid Rs. 40", False), ("he has 3. he finds 2", True), ("mr. li", False)]
)
def test_an_end_inside_is_seen_in_small_letters(text: str, ends: bool) -> None:
    assert ends_inside(text) is ends

"""Members of contrast sets over passages: wording, answers that follow, and certificates that can fail."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from dnc_datasets import perturbations
from dnc_datasets.certificate import CHECKS
from dnc_datasets.english.rewording.choices import choice
from dnc_datasets.english.rewording.passage_differences import difference
from dnc_datasets.english.rewording.passage_yes_no import passage_gap
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import Row, perturb

CASES = json.loads((Path(__file__).parent / "passage_cases.json").read_text(encoding="utf-8"))
PASSAGE = Problem(
    "1",
    "The county had 2,500 whites, 330 Asians and 41 others. In 1911 there were 12 schools.",
    "How many more whites are there than Asians?",
    answer="2170",
    meta=(("passage", "1"),),
)


def made(name: str, problem: Problem, **parameters: object) -> Row:
    step = perturbations.get(name, "passage")
    return perturb(problem, (step,), dataset="t", parameters=parameters)


@pytest.mark.parametrize(("question", "becomes"), CASES["yes_no"])
def test_yes_or_no(question: str, becomes: str | None) -> None:
    found = passage_gap(question)
    assert (found.question if found else None) == becomes


@pytest.mark.parametrize(("question", "becomes"), CASES["choices"])
def test_the_other_of_two(question: str, becomes: str | None) -> None:
    found = choice(question)
    assert (found.opposite() if found else None) == becomes


@pytest.mark.parametrize("case", CASES["differences"], ids=lambda case: case[0])
def test_questions_made_of_a_difference(case: list[str]) -> None:
    found = difference(case[0])
    if case[1] is None:
        assert found is None
    else:
        assert found is not None
        assert [found.total, found.first, found.swapped] == case[1:]


def test_the_only_pair_of_numbers_answers() -> None:
    total, first = made("replace_arith", PASSAGE).problem, made("prune_step", PASSAGE).problem
    assert (total.question, total.answer) == ("How many whites and Asians are there in total?", "2830")
    assert (first.question, first.answer) == ("How many whites are there?", "2500")
    several = PASSAGE.replace(body=f"{PASSAGE.body} The town has 2,182 inhabitants.")  # 2182 - 12, too
    assert made("replace_arith", several).original is None
    assert made("prune_step", several).original is None


@pytest.mark.parametrize(
    ("body", "bound"),
    [
        ("There were 2,500 whites. There were 330 Asians.", True),
        ("A bridge of 2,500 feet and a tower of 330 feet stand there. Whites and Asians live there.", False),
        ("Of all whites, 2,500 own land. Another 41 whites moved away. There were 330 Asians.", False),
    ],
)
def test_numbers_belong_to_what_is_compared(body: str, bound: bool) -> None:
    problem = PASSAGE.replace(body=body)
    for name in ("replace_arith", "prune_step"):
        assert (made(name, problem).original is not None) is bound


def test_a_constraint_stands_where_no_answer_follows() -> None:
    several = PASSAGE.replace(body=f"{PASSAGE.body} The town has 2,182 inhabitants.")
    row = made("replace_arith", several, constraints=True)
    assert (row.problem.answer_type, row.problem.answer) == ("constraint", ">= 2170")
    low = row.problem.replace(answer=">= 2171")
    assert CHECKS["constraint_follows"](several, row.problem)
    assert not CHECKS["constraint_follows"](several, low)


@pytest.mark.parametrize(("question", "steps", "becomes"), CASES["constraints"])
def test_what_is_compared_or_measured_is_named_in_english_or_not_at_all(
    question: str, steps: str, becomes: str | None
) -> None:
    """Without steps of a source, only the question's own words name the two."""
    notes = (*PASSAGE.meta, ("qdmr", steps)) if steps else PASSAGE.meta
    row = made("change_last", PASSAGE.replace(question=question, meta=notes), constraints=True)
    assert (row.problem.question if row.original else None) == becomes


def test_comparisons_are_as_even_as_a_coin_and_words_do_not_tell() -> None:
    counts = Counter[tuple[bool, str]]()
    for number in range(400):
        row = made("change_last", PASSAGE.replace(id=str(number)))
        assert row.original is not None
        counts["more" in row.problem.question, row.problem.answer] += 1
    assert min(counts.values()) > 60
    assert len(counts) == 4


def test_certificates_fail_on_wrong_rows() -> None:
    choose = PASSAGE.replace(
        question="Which group is larger: whites or Asians?", answer="whites", answer_type="span"
    )
    right = made("replace_comp", choose).problem
    assert (right.question, right.answer) == ("Which group is smaller: whites or Asians?", "Asians")
    assert not CHECKS["opposite_choice"](choose, right.replace(answer="whites"))
    assert not CHECKS["opposite_choice"](choose, right.replace(question=choose.question))
    total = made("replace_arith", PASSAGE).problem
    assert not CHECKS["operands_behind_answer"](PASSAGE, total.replace(equation="2500 + 41"))
    first = made("prune_step", PASSAGE).problem
    assert not CHECKS["operands_behind_answer"](PASSAGE, first.replace(equation="330"))
    asked = made("change_last", PASSAGE).problem
    flipped = asked.replace(answer="no" if asked.answer == "yes" else "yes")
    assert CHECKS["comparison_from_difference"](PASSAGE, asked)
    assert not CHECKS["comparison_from_difference"](PASSAGE, flipped)


def test_neither_of_both() -> None:
    both = PASSAGE.replace(
        question="Were both Anna Berg and Ben Roth born in Rome?", answer="yes", answer_type="span"
    )
    row = made("replace_bool", both)
    assert (row.problem.question, row.problem.answer) == (
        "Were neither Anna Berg nor Ben Roth born in Rome?",
        "no",
    )
    # A kind that starts with a capital after "both", as in the example of Break, Perturb, Build.
    kind = both.replace(question="Are Anna Berg and Ben Roth both Jazz singers?")
    assert made("replace_bool", kind).problem.question == "Are neither Anna Berg nor Ben Roth Jazz singers?"
    doubled = row.problem.replace(question="Were neither Anna Berg nor Ben Roth both born in Rome?")
    assert not CHECKS["neither_of_both"](both, doubled)
    assert made("replace_bool", both.replace(answer="no")).original is None
    assert not CHECKS["neither_of_both"](both, row.problem.replace(answer="yes"))


def test_percentages_end_at_a_hundred() -> None:
    asked = PASSAGE.replace(question="How many in percent weren't German?", answer="92.8")
    for number in range(60):
        row = made("append_bool", asked.replace(id=str(number)))
        value = next(float(word) for word in row.problem.question.split() if word[0].isdigit())
        assert value <= 100


def test_coverage_with_decompositions_of_break(drop_qdmr: Path) -> None:
    """Of questions that Break has steps for, the share with one member whose answer is exact."""
    splits = catalogue.read("drop_qdmr", given=drop_qdmr)
    variant = catalogue.find("drop_qdmr-bpb-contrast")
    problems = [row for split in splits.values() for row in split]
    covered = {row.original.id for row in variant.stream("test", problems) if row.original}
    assert len(problems) > 1200
    assert len(covered) / len(problems) >= 0.49
    bare = [row.replace(meta=tuple(pair for pair in row.meta if pair[0] != "qdmr")) for row in problems]
    parsed = {row.original.id for row in variant.stream("test", bare) if row.original}
    assert len(parsed) / len(problems) >= 0.44


@pytest.mark.parametrize(
    ("question", "swapped"),
    [
        ("How many more wells than mills were built?", "Were {} mills than wells built?"),
        (
            "How many more wet days were there in May than in June?",
            "Were there {} wet days in June than in May?",
        ),
        (
            "How many more lambs did she have in fall than in spring?",
            "Did she have {} lambs in spring than in fall?",
        ),
        ("How many more sacks of ripe pears than green pears were sold?", None),
        (
            "How many more men did the Danes lose than the Swedes?",
            "Did the Swedes lose {} men than the Danes?",
        ),
        ("How many more men did the Danes lose at Ulm than the Swedes?", ""),
        ("How many yards longer was the first field goal than the third?", ""),
    ],
)
def test_what_is_compared_can_change_places(question: str, swapped: str | None) -> None:
    made = difference(question)
    assert (made.swapped if made else None) == swapped


@pytest.mark.parametrize(
    ("question", "answer", "asked"),
    [
        (
            "Which year was the birth rate higher, 2000 or 2011?",
            "2011",
            {
                ("Was the birth rate higher in 2000 than in 2011?", "no"),
                ("Was the birth rate lower in 2000 than in 2011?", "yes"),
            },
        ),
        (
            "Which year had more schools in the valley, 1911 or 1920?",
            "1911",
            {
                ("Were there more schools in the valley in 1911 than in 1920?", "yes"),
                ("Were there fewer schools in the valley in 1911 than in 1920?", "no"),
            },
        ),
        (
            "Which year had more rain, 2001 or 2002?",
            "2001",
            {
                ("Was there more rain in 2001 than in 2002?", "yes"),
                ("Was there less rain in 2001 than in 2002?", "no"),
            },
        ),
        (
            "Who scored more points, Ann Lee or Bo Ray?",
            "Bo Ray",
            {
                ("Did Ann Lee score more points than Bo Ray?", "no"),
                ("Did Ann Lee score fewer points than Bo Ray?", "yes"),
            },
        ),
        # The two of a superlative, and three things, have no such form.
        ("Which year had the highest growth, 2008 or 2009?", "2008", set()),
        ("Which year was it warmer, 2008, 2009 or 2010?", "2008", set()),
    ],
)
def test_a_choice_becomes_a_comparison(question: str, answer: str, asked: set[tuple[str, str]]) -> None:
    problem = PASSAGE.replace(question=question, answer=answer)
    step = perturbations.get("replace_bool", "passage")
    rows = [perturb(problem, (step,), dataset="t", seed=seed) for seed in range(20)]
    found = {(row.problem.question, row.problem.answer) for row in rows if row.original}
    assert found == asked


def test_the_comparison_of_a_choice_is_checked() -> None:
    problem = PASSAGE.replace(question="Which year had more rain, 2001 or 2002?", answer="2002")
    right = problem.replace(
        question="Was there more rain in 2001 than in 2002?", answer="no", answer_type="yes_no"
    )
    check = CHECKS["choice_as_comparison"]
    assert check(problem, right)
    assert not check(problem, right.replace(answer="yes"))
    assert not check(problem, right.replace(question="Was there less rain in 2001 than in 2002?"))
    assert not check(problem, right.replace(question="Was there more rain in 2002 than in 2001?"))
    assert not check(problem, right.replace(question="Was there more snow in 2001 than in 2002?"))


@pytest.mark.parametrize(
    ("body", "question", "answer", "total"),
    [
        # The nearest numbers are the answer's: 290,000 and 45,000.
        (
            "Of those, 290,000 were Indians, 125,000 Nepalis, 45,000 Filipinos and 8,000 Thais.",
            "How many more Indians were there than Filipinos?",
            "245000",
            "335000",
        ),
        # The source took 45,000 for the Nepalis: its difference fits numbers of other people.
        (
            "Of those, 290,000 were Indians, 125,000 Nepalis, 45,000 Filipinos and 8,000 Thais.",
            "How many more Nepalis were there than Thais?",
            "37000",
            None,
        ),
        # Touchdowns of 60 and 2 yards, and the runs of two others.
        (
            "Ray scored on a run of 60 yards. Lee scored on a run of 2 yards. Poe kicked from 44 yards.",
            "How many more yards did Poe have than Lee?",
            "58",
            None,
        ),
    ],
)
def test_operands_are_bound_to_their_entity(body: str, question: str, answer: str, total: str | None) -> None:
    problem = PASSAGE.replace(body=body, question=question, answer=answer)
    found = {name: made(name, problem) for name in ("replace_arith", "prune_step")}
    assert [row.original is not None for row in found.values()] == [total is not None] * 2
    if total is not None:
        assert found["replace_arith"].problem.answer == total


@pytest.mark.parametrize(
    ("body", "summed"),
    [
        ("The town had 2,500 whites and 330 Latinos.", True),
        ("The town had 2,500 whites. Latinos of any race were 330 people.", False),
        ("The town had 2,500 whites, of whom 330 were Latinos.", False),
        (
            "The town had 2,500 whites and 330 Latinos. Of the 41 farmers, including Asians, most had land.",
            True,
        ),
    ],
)
def test_groups_that_may_overlap_have_no_sum(body: str, summed: bool) -> None:
    problem = PASSAGE.replace(body=body, question="How many more whites are there than Latinos?")
    assert (made("replace_arith", problem).original is not None) == summed

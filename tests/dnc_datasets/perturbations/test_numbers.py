"""The perturbations of numbers: case table, promises as properties, and counts on the real data."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import expression, numerals, perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.errors import CertificateError, DncError
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem, Turn
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import Row

CASES = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))
NOUNS = ("pens", "cups", "red apples", "buses")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['with']}: {case['body'][:40]}")
def test_case(case: dict[str, str | bool | None]) -> None:
    step = perturbations.get(str(case["with"]))
    meta = (("passage", "p"),) if case.get("prose") else ()
    problem = Problem("1", str(case["body"]), "How many are there?", meta=meta)
    changed = step.apply(problem, Draw(0, "cases", "1", step.key))
    assert (changed.body if changed else None) == case["becomes"]
    if changed:
        certify(problem, changed, step)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Word problems of two to four numbers, with an equation over some of them."""
    values = draw(st.lists(st.integers(1, 5000), min_size=2, max_size=4, unique=True))
    parts = [f"Person{i} has {value} {draw(st.sampled_from(NOUNS))}." for i, value in enumerate(values)]
    operator = draw(st.sampled_from("+-*/"))
    equation = f"{values[0]} {operator} {values[1]}"
    answer = expression.canonical(expression.parse(equation).value())
    return Problem(
        draw(st.text(min_size=1, max_size=5)), " ".join(parts), "How many?", equation=equation, answer=answer
    )


@given(
    problems(), st.sampled_from(("type", "language", "verbosity", "noise", "distribution")), st.integers(0, 9)
)
def test_promises_hold_and_seeds_repeat(problem: Problem, name: str, seed: int) -> None:
    step = perturbations.get(name)
    changed = step.apply(problem, Draw(seed, "d", problem.id, name))
    again = step.apply(problem, Draw(seed, "d", problem.id, name))
    assert changed == again
    if changed is not None:
        certify(problem, changed, step)
        assert len(numerals.find(changed.body)) >= len(numerals.find(problem.body))  # no number is lost
        if not step.changes_target:
            assert (changed.equation, changed.answer) == (problem.equation, problem.answer)


@given(problems(), st.integers(0, 99))
def test_noise_digit_is_never_zero(problem: Problem, seed: int) -> None:
    changed = perturbations.get("noise").apply(problem, Draw(seed, "d", problem.id, "noise"))
    assert changed is not None
    before = [leaf.number for leaf in expression.parse(problem.equation).leaves()]  # type: ignore[union-attr]
    after = [leaf.number for leaf in expression.parse(changed.equation).leaves()]  # type: ignore[union-attr]
    for old, new in zip(before, after, strict=True):
        assert 1 <= (new - old) * 10 <= 9


def test_the_old_parameter_names_the_new_perturbations() -> None:
    problem = Problem("1", "Ana has 5 pens and 7 cups.", "How many?", equation="5 + 7", answer="12")
    with pytest.raises(DncError, match=r"distribution_plausible, or noise_plausible"):
        perturbations.get("distribution").apply(problem, Draw(0, "d", "1", "distribution"), plausible=True)


def test_an_operand_used_twice_moves_where_it_stands_once() -> None:
    problem = Problem(
        "1", "Ana has 5 pens. Bo has twice as many.", "How many?", equation="5 + 2 * 5", answer="15"
    )
    changed = perturbations.get("distribution").apply(problem, Draw(0, "d", "1", "d"), mu=20, sigma=0)
    assert changed is not None
    assert changed.body == "Ana has 25 pens. Bo has twice as many."
    assert (changed.equation, changed.answer) == ("25 + 2 * 25", "75")


def test_distribution_parameters_are_used() -> None:
    problem = Problem("1", "Ana has 5 pens and 7 cups.", "How many?", equation="5 + 7", answer="12")
    step = perturbations.get("distribution")
    changed = step.apply(problem, Draw(0, "d", "1", "distribution"), mu=20, sigma=0)
    assert changed is not None
    assert changed.body == "Ana has 25 pens and 27 cups."
    assert (changed.equation, changed.answer) == ("25 + 27", "52")


@pytest.mark.parametrize(
    "problem",
    [
        Problem("1", "Ana has 5 pens and 5 cups.", "?", equation="5 + 5", answer="10"),  # ambiguous
        Problem("1", "Ana has five pens.", "?", equation="5 * 2", answer="10"),  # not in digits
        Problem("1", "Ana has 7 cups.", "?", equation="5 + 7", answer="12"),  # not visible
        Problem("1", "Ana has 2.5 cups and 7 pens.", "?", equation="2.5 + 7", answer="9.5"),  # not whole
        Problem("1", "7 of 30 cups", "?", equation="30 / 7", answer="4", meta=(("rounding", "floor"),)),
        Problem("1", "Ana has 7 cups.", "?", answer="7"),  # no equation
    ],
)
def test_equation_changing_perturbations_are_filtered(problem: Problem) -> None:
    for name in ("noise", "distribution"):
        assert perturbations.get(name).apply(problem, Draw(0, "d", "1", name)) is None


def test_scope_limits_what_changes() -> None:
    problem = Problem("1", "Ana has 5 pens.", "How many are left after 3 go?", equation="5 - 3", answer="2")
    body_only = perturbations.get("type").apply(problem, Draw(0, "d", "1", "type"), scope=("body",))
    assert body_only is not None
    assert (body_only.body, body_only.question) == ("Ana has 5.0 pens.", problem.question)
    assert perturbations.get("noise").apply(problem, Draw(0, "d", "1", "noise"), scope=("body",)) is None


def test_denied_numbers_are_new() -> None:
    problem = Problem("1", "Ana has 100 pens and $101.", "How many?", equation="100", answer="100")
    changed = perturbations.get("verbosity_plausible").apply(
        problem, Draw(0, "d", "1", "verbosity"), mu=100.5, sigma=1
    )
    assert changed is not None
    assert len({q.value for q in numerals.find(changed.body)}) == 4
    assert "$101 (not $" in changed.body
    # With no spread and every number near 1 taken there is no draw left: the problem remains unchanged.
    crowded = Problem("1", "Ana has 1 pen, 2 cups, 3 pots and 4 pans.", "How many of 100 are left?")
    made = [
        perturbations.get("verbosity_plausible").apply(crowded, Draw(seed, "d", "1", "v"), mu=100, sigma=0)
        for seed in range(20)
    ]
    assert made == [None] * 20


def test_denied_numbers_are_near_as_often_as_far() -> None:
    step = perturbations.get("verbosity_plausible")
    near = 0
    for row in range(400):
        changed = step.apply(
            Problem("1", "Ana has 1000 pens.", "How many?"), Draw(0, "d", str(row), "verbosity")
        )
        assert changed is not None
        near += 500 <= numerals.find(changed.body)[1].value <= 1500
    assert 150 < near < 250


def test_extra_borrows_a_free_standing_statement() -> None:
    ours = Problem(
        "1", "Ana has 5 pens. If Bo takes 2 of them,", "how many are left?", equation="5 - 2", answer="3"
    )
    others = [
        Problem("2", "He ate 9 plums.", "?"),  # leans on a name said before
        Problem("3", "Ana owns 40 kites.", "?"),  # about the same person
        Problem("4", "A farm keeps 3 cows.", "?"),  # shares the answer
        Problem("5", "A train carries 88 tons.", "?"),
    ]
    step = perturbations.get("extra_plausible")
    changed = step.apply(ours, Draw(0, "d", "1", "extra"), Neighbours([ours, *others]))
    assert changed is not None
    assert changed.body == "A train carries 88 tons. Ana has 5 pens. If Bo takes 2 of them,"
    certify(ours, changed, step)
    assert step.apply(ours, Draw(0, "d", "1", "extra"), Neighbours([ours])) is None
    graded = Problem(
        "1", "In a class of 25, 8 got a grade of A.", "How many did not?", equation="25 - 8", answer="17"
    )
    changed = step.apply(graded, Draw(0, "d", "1", "extra"), Neighbours(others))
    assert changed is not None
    certify(graded, changed, step)


@pytest.mark.parametrize(
    "statement",
    [
        "In contrast, 88 tons were carried by train.",
        "Similarly, 88 tons were carried by train.",
        "News of the two trains reached 88 towns and was read.",
        "Of all on board, 88 were lost.",
        "The trains were led by 88 men of Gen.",
        "The trains were lost.In 1693 towns had 88 men.",
        "For instance, 88 trains were lost.",
        "The trains were built here in 88 towns.",
        "There were 88 in 1678, when trains were carried.",
        "Trains , as was said, carried 88 tons.",
        "Trains were owned by 88 towns, Susan (b.",
        "The war was fought for 88 trains.",
        "Only 88% had seen trains.",
        "Their trains were sold to 88 towns.",
        "Dover sold the other trains to 88 towns and was paid.",
        "Dover scattered them with 88 trains and was paid.",
        "In 1693, the railway was sold to 88 towns.",
        "With the loss, Dover Trains was out by 88 yards.",
        "Growth dropped to 88 trains in 1693.",
        "There are 88 unemployed, as trains were sold.",
        "Railways In 1693, trains were built in 88 towns.",
        "The first trains were built in 88 towns.",
        "The number of trains was 88 in 1693.",
        "The Rovers gained 88 yards in the first quarter.",
        "There were 88 births in 1693.",
        "Perhaps Dover sold 88 ships.",
    ],
)
def test_extra_borrows_nothing_that_leans(statement: str) -> None:
    passage = (("passage", "p"),)
    ours = Problem("1", "Ana has 5 pens.", "How many?", answer="5", meta=passage)
    other = Problem("2", statement, "?", meta=(("passage", "q"),))
    assert (
        perturbations.get("extra_plausible").apply(ours, Draw(0, "d", "1", "extra"), Neighbours([other]))
        is None
    )


@pytest.mark.parametrize(
    "statement",
    [
        "The War of the Roads was fought for 88 trains.",
        "In 1693 ships and other boats were sold to 88 towns of Kent.",
        "Dover had 88 ships, and most of them were sold.",
    ],
)
def test_extra_borrows_what_stands_alone_in_a_passage(statement: str) -> None:
    passage = (("passage", "p"),)
    ours = Problem("1", "Ana has 5 pens.", "How many pens?", answer="5", meta=passage)
    other = Problem("2", statement, "?", meta=(("passage", "q"),))
    made = perturbations.get("extra_plausible").apply(ours, Draw(0, "d", "1", "extra"), Neighbours([other]))
    assert made is not None
    assert made.body == f"Ana has 5 pens. {statement}"


@pytest.mark.parametrize(
    ("question", "qualifies"),
    [
        ("How many years did these events span?", False),
        ("How many mills burned in this passage?", False),
        ("How many wars are mentioned?", False),
        ("How many kings are listed as founders?", True),
        ("How many kings founded mills?", True),
    ],
)
def test_extra_adds_nothing_where_a_question_asks_of_all_that_is_told(question: str, qualifies: bool) -> None:
    ours = Problem("1", "Two kings founded mills in 1310.", question, answer="2")
    other = Problem("2", "A ferry carried 88 goats.", "")
    made = perturbations.get("extra_plausible").apply(ours, Draw(0, "d", "1", "extra"), Neighbours([other]))
    assert (made is not None) == qualifies


def test_extra_parts_no_sentences_that_belong_together() -> None:
    ours = Problem("1", "Ana won 5 cups. She was 9. And also got a pen", "How many?", answer="5")
    step = perturbations.get("extra_plausible")
    changed = step.apply(
        ours, Draw(0, "d", "1", "extra"), Neighbours([Problem("2", "A van holds 88 tons.", "")])
    )
    assert changed is not None
    assert changed.body == "A van holds 88 tons. Ana won 5 cups. She was 9. And also got a pen"
    certify(ours, changed, step)


def test_no_question_keeps_the_target() -> None:
    problem = Problem("1", "Ana has 5 pens.", "How many?", equation="5", answer="5")
    step = perturbations.get("no_question")
    changed = step.apply(problem, Draw(0, "d", "1", "no_question"))
    assert changed is not None
    assert (changed.question, changed.body, changed.answer) == ("", problem.body, "5")
    certify(problem, changed, step)


def test_probes_of_conversations_keep_the_target_and_remove_one_part() -> None:
    problem = Problem(
        "1", "", "And left?", segments=("Ana has 5 pens.",), history=(Turn("How many?", "5"),), answer="5"
    )
    for name, part in (("no_passage", "segments"), ("no_history", "history")):
        step = perturbations.get(name, "dialogue")
        changed = step.apply(problem, Draw(0, "d", "1", name))
        assert changed is not None
        assert changed == problem.replace(**{part: ()})
        certify(problem, changed, step)
        assert step.apply(changed, Draw(0, "d", "1", name)) is None
        with pytest.raises(CertificateError):
            certify(problem, changed.replace(question="And how many are left?"), step)
        assert step.why_not("word_problem", "en")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Mr. Li has 2.5 kg. He sold 1.", ["Mr. Li has 2.5 kg.", "He sold 1."]),
        ("One sentence without end", ["One sentence without end"]),
        ("A first! 3 more. If so,", ["A first!", "3 more.", "If so,"]),
        ("", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


def test_what_a_perturbation_fixes_cannot_be_set() -> None:
    step = perturbations.get("language_table", "table")
    problem = Problem("1", "", "How many?", table=(("", "a"), ("b", "12")))
    with pytest.raises(TypeError, match="scope"):
        step.apply(problem, Draw(0, "d", "1", step.name), scope=("body",))


@pytest.mark.parametrize(
    ("name", "cell", "becomes"),
    [
        ("type", "£000", "£000"),
        ("language", "£000", "£000"),
        ("verbosity", "£000", "£000"),
        ("type", "4(a)", "4(a)"),
        ("verbosity", "4(a)", "4(a)"),
        ("type", "174,108(8)", "174,108.0(8)"),
        ("language", "12%", "Twelve percent"),
    ],
)
def test_cells(name: str, cell: str, becomes: str) -> None:
    step = perturbations.get(f"{name}_table", "table")
    table = (("", "Note", "2019"), ("", "", "£000"), ("Sales", "5", cell))
    problem = Problem("1", "", "How much?", table=table)
    changed = step.apply(problem, Draw(0, "c", "1", step.name)) or problem
    assert changed.table == (*table[:2], ("Sales", "5", becomes))  # the number of a note stays
    if changed is not problem:
        certify(problem, changed, step)


@pytest.mark.parametrize("digits", [100, 399, 400])
def test_a_number_that_could_not_be_read_back_stays(digits: int) -> None:
    problem = Problem("1", f"Amy has 5 pens and {'7' * digits} cups.", "How many are there?")
    step = perturbations.get("type")
    changed = step.apply(problem, Draw(0, "d", "1", "type"))
    assert changed is not None
    assert changed.body == f"Amy has 5.0 pens and {'7' * digits}{'.0' if digits <= 100 else ''} cups."
    certify(problem, changed, step)


def test_type_leaves_a_question_its_table_headings() -> None:
    table = (("", "Below 5 years", "More than 5 years"), ("Leases", "30", "40"))
    problem = Problem("1", "", "Which leases end in more than 5 years, if 9 leases are new?", table=table)
    changed = perturbations.get("type").apply(problem, Draw(0, "cases", "1", "type"))
    assert changed is not None
    assert changed.question == "Which leases end in more than 5 years, if 9.0 leases are new?"


# The rows of ASDiv-a's test split that each perturbation must reach at least (of 122).
LEAST = {"language": 92, "verbosity": 92, "type": 77, "noise": 77, "distribution": 77, "extra": 118}
ARTEFACT = re.compile(r"\d\.\d*(?:0{6,}|9{6,})\d")


@pytest.fixture(scope="module")
def asdiv_a(mirror: Path) -> dict[str, list[Problem]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DNC_MIRROR", str(mirror))
        return catalogue.read("asdiv_a")


def changed(rows: list[Row]) -> list[tuple[Problem, Problem]]:
    return [(row.original, row.problem) for row in rows if row.original is not None]


@pytest.mark.parametrize("name", LEAST)
def test_coverage_and_targets_on_asdiv_a(name: str, asdiv_a: dict[str, list[Problem]]) -> None:
    variant = catalogue.find(f"asdiv_a-{name}-defense")
    rows = variant.rows(asdiv_a)  # raises if one certificate does not hold
    assert [len(some) for some in rows.values()] == [974, 122, 122]
    assert len(changed(rows["test"])) >= LEAST[name]
    for some in rows.values():
        for original, problem in changed(some):
            assert problem.id == original.id
            assert problem.answer == problem.expected_answer()
            assert not ARTEFACT.search(f"{problem.text} {problem.equation} {problem.answer}")
            if not variant.steps[0].changes_target:
                assert (problem.equation, problem.answer) == (original.equation, original.answer)


def test_noise_moves_every_operand_by_one_decimal_digit(asdiv_a: dict[str, list[Problem]]) -> None:
    for some in catalogue.find("asdiv_a-noise-defense").rows(asdiv_a).values():
        for original, problem in changed(some):
            before = expression.parse(original.equation).leaves()
            after = expression.parse(problem.equation).leaves()
            moves = [10 * (b.value() - a.value()) for a, b in zip(before, after, strict=True)]
            assert any(moves)  # what the text says in words stays
            assert all(0 <= move <= 9 for move in moves)


@pytest.mark.parametrize("dataset", ["svamp", "mawps"])
def test_every_certificate_holds_on_the_other_sets(
    dataset: str, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checks of moved words read for themselves, and may refuse a good row now and then: at most one in fifty."""
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    monkeypatch.delenv("DNC_STRICT", raising=False)
    splits = catalogue.read(dataset)
    for name in (*LEAST, "order", "logic", "question_reordering", "paraphrase"):
        rows = catalogue.find(f"{dataset}-{name}-defense").rows(splits)
        made = [row for some in rows.values() for row in some]
        refused = sum(row.failed for row in made)
        assert refused <= (
            sum(row.original is not None for row in made) * 0.02 if name not in LEAST else 0
        ), name
        assert changed(rows["test"])

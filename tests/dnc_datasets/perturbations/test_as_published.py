"""Language, verbosity and extra as the DNC paper defines them, beside their plausible forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue


def changed(name: str, body: str, *others: Problem) -> str | None:
    step = perturbations.get(name)
    problem = Problem("1", body, "How many are there?")
    made = step.apply(problem, Draw(0, "cases", "1", step.key), Neighbours((problem, *others)))
    if made is None:
        return None
    certify(problem, made, step)
    return made.body


@pytest.mark.parametrize(
    ("body", "becomes"),
    [
        ("Ana has 12 pens.", "Ana has twelve pens."),
        ("Ana paid $5 for 3 pens.", "Ana paid $five for three pens."),
        ("Two bags cost $12.46.", "Two bags cost $twelve point four six."),
        ("The farm has 2,800 hens.", "The farm has two thousand, eight hundred hens."),
        ("Sales rose by 5%.", "Sales rose by five percent."),
        ("It was -5 degrees.", "It was minus five degrees."),
        ("12 pens lie here.", "twelve pens lie here."),
        ("He sold 1 of her 20 trees.", "He sold one of her twenty trees."),
        ("In 2009 he was 16th.", "In two thousand and nine he was 16th."),
        ("Ana has twelve pens.", None),
    ],
)
def test_language_writes_the_words_of_num2words(body: str, becomes: str | None) -> None:
    assert changed("language", body) == becomes


@pytest.mark.parametrize(
    ("body", "becomes"),
    [
        ("Ana has 12 pens.", "Ana has 12 (not 111) pens."),
        ("Ana has 12 pens and four cups.", "Ana has 12 (not 111) pens and four cups."),
        ("Ana paid $5.", "Ana paid $5 (not 111)."),
        ("Sales rose by 5%.", "Sales rose by 5% (not 111)."),
        ("Ana has twelve pens.", None),
    ],
)
def test_verbosity_denies_after_digits_only(body: str, becomes: str | None) -> None:
    assert changed("verbosity", body) == becomes


def test_verbosity_gives_up_where_every_draw_is_taken() -> None:
    step = perturbations.get("verbosity")
    problem = Problem("1", "Ana has 100 pens.", "How many?")
    assert step.apply(problem, Draw(0, "d", "1", "verbosity"), mu=100.5, sigma=0) is None


def test_extra_ends_the_body_and_its_plausible_form_finds_a_place() -> None:
    train = Problem("2", "A train carries 88 tons.", "How heavy is it?")
    body = "Ana has 5 pens. If Bo takes 2 of them,"
    assert changed("extra", body, train) == f"{body} A train carries 88 tons."
    plausible = changed("extra_plausible", body, train)
    assert plausible is not None
    assert plausible.endswith("If Bo takes 2 of them,")
    assert "A train carries 88 tons." in plausible


@given(st.lists(st.decimals(0, 10**9, places=2), min_size=1, max_size=4), st.integers(0, 9))
def test_plain_forms_keep_their_promises(values: list[object], seed: int) -> None:
    body = " ".join(f"Person{at} has {value} pens." for at, value in enumerate(values))
    for name in ("language", "verbosity"):
        step = perturbations.get(name)
        problem = Problem("1", body, "How many?", answer="1")
        made = step.apply(problem, Draw(seed, "d", "1", step.key))
        assert made is not None
        certify(problem, made, step)


def test_a_plausible_form_keeps_the_draws_of_its_plain_name() -> None:
    for name in ("language", "verbosity", "extra"):
        assert perturbations.get(f"{name}_plausible").key == perturbations.get(name).key == name


def test_the_cells_of_a_table_are_changed_by_the_plausible_form() -> None:
    names = perturbations.names("table")
    assert {"language_table", "verbosity_table"} <= set(names)
    assert "language_plausible_table" not in names
    step = perturbations.get("language_table", "table")
    assert step.function is perturbations.get("language_plausible").function
    assert step.key == "language_table"


def test_diagnosis_uses_plausible_forms() -> None:
    replaced = {v.recipe for v in catalogue.variants("tiny") if v.recipe and v.has_plausible_form}
    assert replaced == {"language", "noise", "distribution", "verbosity", "extra"}

"""Config names, settings and the catalogue."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dnc_datasets import perturbations
from dnc_datasets.cli import main
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import card, catalogue, index
from dnc_datasets.serving.catalogue import Variant

SPLITS = {
    "train": [
        Problem(f"a{i}", f"Ana{i} has {i} pens.", "How many?", equation=str(i), answer=str(i))
        for i in range(3, 9)
    ],
    "validation": [Problem("b1", "No number.", "How many?")],
    "test": [
        Problem("c1", "Bo has 41 cups.", "How many?", equation="41", answer="41"),
        Problem("c2", "No number here.", "How many?"),
        Problem("c3", "Cy has 43 cups.", "How many?", equation="43", answer="43"),
    ],
}


def test_names_and_variants_are_one_to_one() -> None:
    variants = catalogue.variants()
    assert len({variant.name for variant in variants}) == len(variants)
    assert all(catalogue.find(variant.name) == variant for variant in variants)


def test_any_recipe_and_setting_can_be_asked_for() -> None:
    variant = catalogue.find("asdiv_a-fold0-language+verbosity-augment")
    assert variant == Variant("asdiv_a", "fold0", "language+verbosity", "augment")
    assert variant.capability == "number_detection+operand_selection"
    assert variant.original == Variant("asdiv_a", "fold0")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("asdiv", "asdiv_a"),
        ("asdiv_a-verbosity-atack", "asdiv_a-verbosity-attack"),
        ("asdiv_a-verbosty-attack", "verbosity"),
        ("asdiv_a-verbosity", "asdiv_a-verbosity-attack"),
        ("asdiv_a-fold9", "fold"),
    ],
)
def test_unknown_names_answer_with_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError, match=nearest):
        catalogue.find(name)


def test_attack_changes_the_test_split_only() -> None:
    rows = Variant("tiny", "", "type", "attack").rows(SPLITS)
    assert {split: [row.original is not None for row in some] for split, some in rows.items()} == {
        "train": [False] * 6,
        "validation": [False],
        "test": [True, False, True],
    }
    assert [row.problem.id for row in rows["test"]] == ["c1", "c2", "c3"]


def test_defense_changes_all_splits_in_place() -> None:
    rows = Variant("tiny", "", "type", "defense").rows(SPLITS)
    assert [row.problem.id for row in rows["train"]] == [problem.id for problem in SPLITS["train"]]
    assert all(row.original is not None for row in rows["train"])


def test_augment_keeps_the_clean_rows() -> None:
    rows = Variant("tiny", "", "type", "augment").rows(SPLITS)
    assert len(rows["train"]) == 12
    assert [row.problem for row in rows["train"][:6]] == SPLITS["train"]
    assert len(rows["validation"]) == 1
    assert len(rows["test"]) == 3


def test_composition_applies_left_to_right_and_certifies_each_step() -> None:
    row = Variant("tiny", "", "verbosity+language", "attack").rows(SPLITS)["test"][0]
    assert row.problem.body.startswith("Bo has forty-one (not ")
    assert "language:numbers_spelled" in row.certificate
    assert "verbosity:distractors_new" in row.certificate


def test_rows_do_not_depend_on_their_order() -> None:
    variant = Variant("tiny", "", "verbosity", "attack")
    forward = variant.rows(SPLITS)["test"]
    backward = variant.rows({**SPLITS, "test": SPLITS["test"][::-1]})["test"]
    assert forward == backward[::-1]


def test_seed_changes_draws() -> None:
    variant = Variant("tiny", "", "verbosity", "attack")
    assert variant.rows(SPLITS, seed=0) != variant.rows(SPLITS, seed=1)


def test_shape_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    step = perturbations.get("type")
    monkeypatch.setattr(
        perturbations, "recipe", lambda name, shape: (step.__class__(**{**vars(step), "shapes": ()}),)
    )
    with pytest.raises(DncError, match="does not act on tiny"):
        catalogue.find("tiny-type-attack")


def test_the_index_is_what_the_rows_give() -> None:
    stored = json.loads(Path(index.__file__).with_name("index.json").read_text(encoding="utf-8"))
    assert stored == json.loads(index.made()), "the rows have changed: run `make index`"


def test_what_is_not_in_it_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    variant = catalogue.find("tiny_tables-type-attack")
    assert index.counts(variant, 1) is None
    assert index.counts(catalogue.find("tiny-language+verbosity-attack"), index.SEED) is None
    assert index.example("type", 1) is None
    assert card.made_example("order", index.SEED) == index.example("order", index.SEED)
    stated = []
    for seed in ("0", "1"):
        assert main(["list", "tiny_tables", "--json", "--count", "--seed", seed]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        # How many members a contrast set has goes by the seed.
        stated.append([(one["config"], one["rows"]) for one in lines if one["setting"] != "contrast"])
    assert stated[0] == stated[1]


def test_counting_an_embedded_corpus_makes_no_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("rows were made")

    monkeypatch.setattr(catalogue, "read", fail)
    assert main(["list", "tiny"]) == 0
    assert "tiny-type-attack" in capsys.readouterr().out

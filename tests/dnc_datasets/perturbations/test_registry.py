"""Registration refuses at import what would go wrong later, and says where and what to do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from dnc_datasets import certificate, perturbations, sources
from dnc_datasets.draws import Draw
from dnc_datasets.errors import PluginError, UnknownNameError
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import SHAPES, Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.sources import Source


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    perturbations.names("table")  # imports every perturbation of the package
    for module, name in ((perturbations, "_REGISTERED"), (sources, "_REGISTERED"), (certificate, "CHECKS")):
        kept = {key: list(v) if isinstance(v, list) else v for key, v in getattr(module, name).items()}
        monkeypatch.setattr(module, name, kept)
    monkeypatch.setattr(perturbations, "CHECKS", certificate.CHECKS)
    perturbations.get.cache_clear()
    yield
    perturbations.get.cache_clear()


def _register(name: str = "shout", **changes: Any) -> None:
    given = {"capability": Capability.PROBE, "promises": ("target_kept",), **changes}

    @perturbation(name, **given)
    def shout(problem: Problem, draw: Draw) -> Problem | None:
        """What is it? -> WHAT IS IT?"""
        return problem.replace(question=problem.question.upper())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"name": "type"},
            r"'type' exists already for word_problem and .*/type\.py, line \d+; choose another",
        ),
        (
            {"name": "order", "shapes": ("passage", "table")},
            r"already for table sources, in .*table_order\.py",
        ),
        (
            {"promises": ("target_kpet",)},
            "promises 'target_kpet', which nothing checks; use 'target_kept'",
        ),
        (
            {"capability": "shouting"},
            r"unknown capability 'shouting'; use one of Capability\.NUMBER_DETECTION",
        ),
        ({"shapes": ("poem",)}, "unknown shape 'poem'; use word_problem"),
        ({"name": "Shout it"}, "a name that no config can have"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PluginError, match=message) as refused:
        _register(**changes)
    assert "test_registry.py, line" in str(refused.value)


def test_a_name_of_ours_is_taken_although_its_module_was_not_imported() -> None:
    import subprocess
    import sys

    code = """if True:
        from dnc_datasets.perturbations import Capability, perturbation
        perturbation("type", capability=Capability.PROBE, promises=())(lambda problem, draw: None)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "exists already" in done.stderr


def test_a_name_may_act_on_a_further_shape() -> None:
    _register("order", shapes=("passage",))
    assert perturbations.get("order", "passage").shapes == ("passage",)
    assert perturbations.get("order").shapes == ("word_problem",)
    assert perturbations.names().count("order") == 1


def test_the_same_code_run_again_replaces_itself() -> None:
    _register()
    _register()
    assert len(perturbations._REGISTERED["shout"]) == 1


def test_a_check_of_ones_own_can_be_promised() -> None:
    def is_loud(original: Problem, perturbed: Problem) -> bool:
        """the question is loud"""
        return perturbed.question.isupper()

    certificate.check(is_loud)
    _register(promises=("is_loud",))
    row = catalogue.find("tiny-shout-attack").rows({"test": catalogue.read("tiny")["test"][:1]})["test"][0]
    assert row.certificate == ("is_loud",)

    def target_kept(original: Problem, perturbed: Problem) -> bool:
        return True

    with pytest.raises(PluginError, match="a check called 'target_kept' is in"):
        certificate.check(target_kept)


def _source(**changes: Any) -> Source:
    given: dict[str, Any] = {"name": "mine", "title": "Mine", "shape": "word_problem", "files": ()}
    given |= {"read": lambda files, fold: {}, "licence": "MIT", "citation": ""}
    return Source(**{**given, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "tiny"}, "a source called 'tiny' is in dnc_datasets.sources.tiny already; choose another"),
        ({"name": "my-own"}, "a name that no config can have"),
        ({"shape": "poem"}, "has the shape 'poem'; use word_problem"),
    ],
)
def test_sources_that_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PluginError, match=message):
        sources.register(_source(**changes))


def test_no_equations_no_configs_that_need_them() -> None:
    sources.register(_source(equations=False))
    sources.register(_source(name="equated"))
    without = {variant.recipe for variant in catalogue.variants("mine")}
    gone = {variant.recipe for variant in catalogue.variants("equated")} - without
    assert {"noise", "distribution", "logic", "vary-invert_operation"} <= gone
    assert {"language", "order", "vary-change_order_of_objects"} <= without
    assert all(perturbations.get(name).needs_equations for name in gone)


def test_unknown_names_are_told_once() -> None:
    with pytest.raises(UnknownNameError) as error:
        perturbations.get("zzzzzzzz")
    known = str(error.value).partition("known: ")[2].split(", ")
    assert len(known) == len(set(known))
    assert {"type", "type_table"} <= set(known)


@pytest.mark.parametrize("name", perturbations.names())
def test_every_perturbation_changes_rows_of_the_embedded_corpora(name: str) -> None:
    """One whose rule never fires there is shown by no card, no diagnosis and hardly a test."""
    corpora = {
        "word_problem": "tiny",
        "passage": "tiny_passages",
        "table": "tiny_tables",
        "dialogue": "tiny_dialogues",
    }
    for shape in SHAPES:
        step = perturbations.get(name, shape)
        if shape not in step.shapes or step.needs_spans:  # answers of embedded passages are numbers
            continue
        variant = catalogue.find(f"{corpora[shape]}-{name}-defense")
        made = variant.rows(catalogue.read(variant.dataset))
        assert any(row.original is not None for rows in made.values() for row in rows), (
            f"{name} changes no row of {variant.dataset}: fix its filter, or add a problem that it fits to "
            f"dnc_datasets/corpus (templates/*.json for word problems)"
        )


def test_the_general_form_is_the_same_whatever_was_imported_first() -> None:
    code = (
        "from dnc_datasets.perturbations import table_order\n"
        "from dnc_datasets import perturbations\n"
        "print(perturbations.get('order', 'passage').why_not('passage', 'en'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == perturbations.get("order", "passage").why_not("passage", "en")
    assert "narrative" in done.stdout

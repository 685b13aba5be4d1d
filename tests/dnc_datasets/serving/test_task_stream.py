"""Streams of training tasks: deterministic, without repeats, and never a row that a model is tested on."""

from __future__ import annotations

from itertools import islice

import pytest

import dnc_datasets
from dnc_datasets.errors import DncError
from dnc_datasets.problem import from_row
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.rows import from_record, original
from dnc_datasets.serving.settings import perturb


def _texts(config: str, count: int, seed: int = 0) -> list[str]:
    return [task["prompt"] for task in islice(dnc_datasets.stream(config, seed), count)]


@pytest.mark.parametrize(
    "config",
    ["tiny", "tiny-distribution-attack", "tiny-noise_plausible-attack", "tiny_tables-noise_plausible-attack"],
)
def test_a_stream_is_deterministic_and_does_not_repeat(config: str) -> None:
    found = _texts(config, 300)
    assert len(set(found)) == len(found) > 50
    assert found == _texts(config, 300)
    assert found != _texts(config, 300, seed=1)


def test_no_task_is_a_test_row_or_from_a_test_template() -> None:
    splits = catalogue.read("tiny")
    held_out = {problem.text for split in ("validation", "test") for problem in splits[split]}
    templates = {problem.note("template") for problem in splits["train"]}
    for task in islice(dnc_datasets.stream("tiny-distribution-attack"), 500):
        before = original(task)
        assert before.note("template") in templates
        assert before.text not in held_out
        assert from_row(task).text not in held_out


def test_a_row_can_be_made_again_from_its_seed() -> None:
    variant = catalogue.find("tiny_passages-noise_plausible-attack")
    for task in islice(dnc_datasets.stream(variant.name), 5):
        row = from_record(task)
        assert row.original is not None
        remade = perturb(
            row.original,
            variant.steps,
            dataset=variant.dataset,
            seed=task["seed"],
            parameters={"scope": variant.source.scope},
        )
        assert remade == row


def test_a_config_with_few_texts_ends_at_its_capacity() -> None:
    tasks = dnc_datasets.stream("tiny_passages-type-attack")
    assert len(list(tasks)) == tasks.capacity()


def test_templates_and_wide_draws_are_endless() -> None:
    assert dnc_datasets.stream("tiny-type-attack").capacity() is None


@pytest.mark.parametrize(
    ("config", "message"), [("tiny_all", "no training rows"), ("tiny_tables-bpb-contrast", "contrast set")]
)
def test_what_cannot_be_streamed_is_refused(config: str, message: str) -> None:
    with pytest.raises(DncError, match=message):
        next(iter(dnc_datasets.stream(config)))

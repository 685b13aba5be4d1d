"""The index that the package carries tells of the embedded corpora what making every row tells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dnc_datasets.cli import main
from dnc_datasets.serving import card, catalogue, index


def test_the_index_is_what_the_rows_give() -> None:
    stored = json.loads(Path(index.__file__).with_name("index.json").read_text(encoding="utf-8"))
    assert stored == json.loads(index.made()), "the rows have changed: run `make index`"


def test_what_is_not_in_it_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    variant = catalogue.find("tiny_tables-type-attack")
    assert index.counts(variant, 1) is None
    assert index.counts(catalogue.find("tiny-language+verbosity-attack"), index.SEED) is None
    assert index.example("type", 1) is None
    assert card.made_example("order", index.SEED) == index.example("order", index.SEED)
    told = []
    for seed in ("0", "1"):
        assert main(["list", "tiny_tables", "--json", "--seed", seed]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        # How many members a contrast set has goes by the seed.
        told.append([(one["config"], one["rows"]) for one in lines if one["setting"] != "contrast"])
    assert told[0] == told[1]


def test_counting_an_embedded_corpus_makes_no_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("rows were made")

    monkeypatch.setattr(catalogue, "read", fail)
    assert main(["list", "tiny"]) == 0
    assert "tiny-type-attack" in capsys.readouterr().out

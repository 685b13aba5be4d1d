"""The coverage page and the commands that show tables and conversations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dnc_datasets import sources
from dnc_datasets.cli import main
from dnc_datasets.commands import coverage
from dnc_datasets.problem import Problem, to_row
from dnc_datasets.serving import catalogue


def test_page_tells_rows_and_reasons(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "coverage.md"
    assert (
        main(["list", "coverage", "tiny_passages", "tiny_dialogues_zh", "noahqa_en", "--write", str(page)])
        == 0
    )
    text = page.read_text(encoding="utf-8")
    sizes = [len(rows) for rows in catalogue.read("tiny_passages").values()]
    assert f"Rows: {sizes[0]} / {sizes[1]} / {sizes[2]} (train / validation / test)." in text
    assert f"| no_question | {sizes[0]} | {sizes[1]} | {sizes[2]} |  |" in text
    assert "another order of sentences would break the narrative" in text
    assert "not for zh" in text
    assert "Its files were not there" in text


def test_rows_without_an_equation_are_counted_by_reason() -> None:
    rows = [
        Problem("1", "", "?", meta=(("no_equation", "no annotated step"),)),
        Problem("2", "", "?", meta=(("no_equation", "no annotated step"),)),
        Problem("3", "", "?", meta=(("no_equation", "a step cannot be read"),)),
        Problem("4", "", "?", equation="1 + 1"),
    ]
    stated = coverage._without_equation({"train": rows[:2], "test": rows[2:]})
    assert stated == " Without an equation: 3 (no annotated step 2, a step cannot be read 1)."
    assert coverage._without_equation({"test": rows[3:]}) == ""


def test_a_dataset_of_test_rows_alone_is_counted() -> None:
    splits = {"test": catalogue.read("tiny_all")["test"][:20]}
    counts, _ = coverage._counts(sources.get("tiny_all"), "no_question", splits, 0, [])
    assert counts == ["0", "0", "20"]


def test_every_cell_without_counts_has_a_reason() -> None:
    from dnc_datasets import perturbations

    for name in sources.names():
        source = sources.get(name)
        listed = {variant.recipe for variant in catalogue.variants(name)}
        for recipe in perturbations.names(source.shape):
            reason = catalogue.why_not(perturbations.get(recipe, source.shape), source)
            assert (recipe in listed) is (reason == ""), (name, recipe)


def test_show_has_table_and_history(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "tiny_tables-noise-attack", "-n", "1"]) == 0
    assert "Finished goods" in capsys.readouterr().out
    assert main(["show", "tiny_dialogues-noise-attack", "-n", "3"]) == 0
    assert "segments" in capsys.readouterr().out


def test_own_tables_are_perturbed_as_tables(tmp_path: Path) -> None:
    rows = [to_row(row) for row in catalogue.read("tiny_tables")["test"]]
    source, out = tmp_path / "own.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert main(["perturb", str(source), "--with", "noise", "--out", str(out)]) == 0
    made = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert any(row["table"] != old["table"] for row, old in zip(made, rows, strict=True))
    assert main(["perturb", str(source), "--with", "type", "--set", "scope=table", "--out", str(out)]) == 0
    made = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert all(row["body"] == old["body"] for row, old in zip(made, rows, strict=True))

"""Tests of `dnc perturb` as a whole: streams, reasons, faults, and one result whatever the number of processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import numerals, perturbations
from dnc_datasets.cli import main
from dnc_datasets.own.lines import _Ids
from dnc_datasets.problem import from_row, to_row
from dnc_datasets.serving import catalogue


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(source: Path, recipe: str, *words: str) -> tuple[int, Path]:
    out = source.with_name("out.jsonl")
    return main(["perturb", str(source), "--with", recipe, "--out", str(out), *words]), out


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    problems = [problem for some in catalogue.read("tiny").values() for problem in some][:600]
    return write(
        tmp_path / "tiny.jsonl",
        [{"id": p.id, "body": p.body, "question": p.question, "equation": p.equation} for p in problems],
    )


@pytest.mark.parametrize("recipe", ["language+verbosity", "extra"])
def test_processes_do_not_change_the_result(tiny: Path, recipe: str) -> None:
    code, out = run(tiny, recipe)
    alone = out.read_bytes()
    assert code == 0
    assert [row["id"] for row in read(out)] == [row["id"] for row in read(tiny)]
    assert run(tiny, recipe, "--jobs", "2")[0] == 0
    assert out.read_bytes() == alone


def test_with_all_writes_a_file_for_each_perturbation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {
        "id": "1",
        "body": "Tom has 3 pens. Amy has 4 pens.",
        "question": "How many pens?",
        "equation": "3+4",
    }
    source = write(tmp_path / "mine.jsonl", [row])
    out = tmp_path / "out"
    assert main(["perturb", str(source), "--with", "all", "--out", str(out)]) == 0
    assert {file.name for file in out.iterdir()} == {f"mine-{name}.jsonl" for name in perturbations.names()}
    assert run(source, "noise")[0] == 0
    assert (out / "mine-noise.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()
    capsys.readouterr()
    assert main(["perturb", str(source), "--with", "all", "--out", str(out), "--set", "mu=5"]) == 1
    assert "one perturbation" in capsys.readouterr().err


def test_extra_does_not_depend_on_the_order_of_the_rows(tiny: Path) -> None:
    _, out = run(tiny, "extra")
    first = {row["id"]: row for row in read(out)}
    write(tiny, read(tiny)[::-1])
    _, out = run(tiny, "extra")
    assert first == {row["id"]: row for row in read(out)}


def test_why_nothing_changed_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write(
        tmp_path / "my.jsonl",
        [{"question": f"Amy has {number} pens. How many pens does she have?"} for number in range(2, 22)],
    )
    code, _ = run(source, "noise", "--reasons", str(tmp_path / "why.jsonl"))
    assert code == 0
    stated = capsys.readouterr().out
    assert "0 of 20 problems perturbed" in stated
    assert "20 unchanged: noise needs an equation" in stated
    why = read(tmp_path / "why.jsonl")
    assert [row["line"] for row in why] == list(range(1, 21))
    assert {row["reason"] for row in why} == {"noise needs an equation, to recompute the answer"}


def test_a_contradiction_is_told_with_its_line_and_never_recomputed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {"body": "Amy has 12 pens and 6 cups.", "question": "How many things?", "equation": "12 + 6"}
    source = write(tmp_path / "my.jsonl", [{**record, "answer": "18"}, {**record, "answer": "19"}])
    code, out = run(source, "noise")
    assert code == 0
    assert [row["perturbed"] for row in read(out)] == [True, False]
    captured = capsys.readouterr()
    assert "my.jsonl, line 2: its answer is 19, but its equation 12 + 6 gives 18" in captured.err
    assert "1 unchanged: noise recomputes the answer" in captured.out
    run(source, "type")
    assert [row["perturbed"] for row in read(out)] == [True, True]
    assert "line 2" in capsys.readouterr().err


def test_faulty_lines_do_not_end_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "my.jsonl"
    good = {"id": "a", "question": "Amy has 3 pens. How many?"}
    lines = [
        json.dumps(good),
        "{",
        json.dumps({"id": "b"}),
        json.dumps(good),
        '{"question": "\\ud800 has 3 pens."}',
    ]
    source.write_text("\n".join(lines), encoding="utf-8")
    code, out = run(source, "type")
    assert code == 0
    assert [(row["id"], row["perturbed"]) for row in read(out)] == [("a", True), ("5", True)]
    assert read(out)[1]["question"] == "\ud800 has 3.0 pens."
    stated = capsys.readouterr()
    assert "line 2: not JSON" in stated.err
    assert "line 3: row 'b' has no 'question'" in stated.err
    assert "line 4: an earlier row has the id 'a' too" in stated.err
    assert "3 left out: unreadable" in stated.out
    assert run(source, "type", "--strict")[0] == 1


def test_what_does_not_act_on_a_shape_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write(
        tmp_path / "my.jsonl", [{"passage": "Amy has 3 pens. Ben has 4.", "question": "How many?"}]
    )
    assert run(source, "order")[0] == 0
    assert "1 unchanged: order does not act on a passage" in capsys.readouterr().out


@pytest.mark.parametrize("dataset", ["tiny", "tiny_passages", "tiny_tables", "tiny_dialogues"])
def test_every_perturbation_does_to_own_rows_what_it_does_to_a_dataset(dataset: str, tmp_path: Path) -> None:
    # Of own rows the question is perturbed too, so that it must hold no number here.
    problems = [one for one in catalogue.read(dataset)["test"] if not numerals.find(one.question)][:40]
    variant = catalogue.find(dataset)
    source = write(tmp_path / "my.jsonl", [{**to_row(p), "meta": dict(p.meta)} for p in problems])
    for name in perturbations.names(variant.source.shape):
        if catalogue.why_not(perturbations.get(name, variant.source.shape), variant.source):
            continue
        code, out = run(source, name, "--dataset", dataset)
        assert code == 0
        made = catalogue.find(f"{dataset}-{name}-attack").rows({"test": problems})["test"]
        assert [from_row(row) for row in read(out)] == [row.problem for row in made], name


def test_ids_are_told_apart_in_little_memory() -> None:
    ids = _Ids()
    assert all(ids.add(str(number)) for number in range(5000))
    assert not any(ids.add(str(number)) for number in range(5000))
    assert len(ids._places) <= 4 * 5000

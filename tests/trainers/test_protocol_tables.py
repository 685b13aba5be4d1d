"""The tables of `dnc research protocol` agree with its records: whose rows, whose epoch, whose model."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import made_results
import pytest

from dnc_datasets.cli import main
from dnc_metrics import record as records
from dnc_trainers import breakdowns, pooling, protocol, results, tables
from dnc_trainers.commands import protocol_tables
from dnc_trainers.config import Config
from dnc_trainers.results import Result

SMALL = ["--set", "epochs=1", "--set", "hidden=8", "--set", "embedding=8", "--set", "beam=1"]


def _lines(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if "|" in line]


def _result(train: str, test: str, right: list[bool], seed: int = 0, **more: Any) -> Result:
    """Every second row is perturbed."""
    touched = made_results.rows(*(bool(i % 2) for i in range(len(right))))
    return made_results.result(train, test, made_results.rows(*right), seed=seed, perturbed=touched, **more)


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_verdict_is_that_of_the_record(in_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = ["--set", "epochs=3", "--set", "hidden=16", "--set", "embedding=16", "--set", "beam=1"]
    words = [
        "research",
        "protocol",
        "constrained",
        "--data",
        "tiny",
        *settings,
        "--settings",
        "attack",
        "--perturbations",
    ]
    assert main([*words, "logic,order"]) == 0
    printed = {line[0]: line for line in _lines(capsys.readouterr().out) if len(line) == 9}
    (path,) = (in_folder / "results").glob(f"*{records.ENDING}")
    found = records.load(path)
    for line in found.tables[0].lines:
        if line.name in printed:
            _, _, _, _, _, rows, drop, ends, verdict = printed[line.name]
            assert (rows, verdict) == (str(line.n), line.verdict)
            assert line.drop is not None
            assert line.interval is not None
            assert drop == f"{100 * line.drop:.1f}"
            assert ends == tables.interval(line.interval)
    # Another command with the same model adds to its record.
    assert main([*words, "noise"]) == 0
    configs = {cell.config for cell in records.load(path).cells}
    assert configs == {"tiny", *(f"tiny-{name}-attack" for name in ("logic", "order", "noise"))}


def test_rows_of_one_template_are_one_cluster() -> None:
    right, wrong = [True] * 40, [i >= 20 for i in range(40)]
    clusters = {f"r{i}": f"template {i // 20}" for i in range(40)}
    alone, together = (
        pooling.compared(
            [_result("tiny", "tiny", right, **more)], {"noise": [_result("tiny", "tiny-noise-attack", wrong)]}
        )["noise"]
        for more in ({}, {"clusters": clusters})
    )
    assert alone.verdict == "drop"
    assert (together.clusters, together.verdict) == (2, "open")


def test_scores_chosen_on_test_stand_beside_the_same_model() -> None:
    half, most = [i < 20 for i in range(40)], [i < 30 for i in range(40)]
    chosen = {"chosen_on_test": True}
    found = [
        _result("asdiv_a-fold0", "asdiv_a-fold0", half),
        _result("asdiv_a-fold0", "asdiv_a-fold0", half, **chosen),
        _result("asdiv_a-fold0-noise-defense", "asdiv_a-fold0-noise-defense", most, **chosen),
    ]
    assert _lines(tables.fold_table(found, "asdiv_a"))[2][-1] == "50.0"
    name = "asdiv_a-noise-defense"
    found = [_result(name, name, half, seed) for seed in (0, 1)]
    found += [_result(name, name, most, 0, **chosen), _result(name, name, half, 1, **chosen)]
    shown = {line[4]: line[-1] for line in _lines(tables.defense_table(found, "asdiv_a"))[2:]}
    assert shown == {"0": "75.0", "1": "50.0"}


def test_models_trained_on_more_are_compared_too() -> None:
    half = [i < 20 for i in range(40)]
    more, name = "+added_12ab34cd", "asdiv_a-noise-defense"
    found = [
        _result(f"asdiv_a{more}", "asdiv_a", half),
        _result(f"asdiv_a{more}", "asdiv_a-noise-attack", [False] * 40),
        _result(f"{name}{more}", name, half),
        _result(f"asdiv_a+0.05_noise{more}", "asdiv_a", half, tau=0.05, validation_accuracy=0.5),
        _result(f"asdiv_a{more}", "asdiv_a", half, chosen_on_test=True),
    ]
    assert _lines(tables.attack_table(found, "asdiv_a"))[2][-1] == "50.0"
    assert _lines(tables.augment_table(found, "asdiv_a"))[2][4] == "50.0"
    stage = {line[0]: line for line in _lines(breakdowns.stage_table(found, "asdiv_a"))}
    assert stage["numerical parsing"][4] == "noise"


def test_no_interval_is_a_point() -> None:
    right = [True] * 18
    found = [_result("tiny", "tiny", right), _result("tiny", "tiny-noise-attack", right)]
    line = _lines(breakdowns.stage_table(found, "tiny"))[2]
    low, high = (float(end) for end in line[3].strip("[]").split(","))
    assert (line[2], low < 0 < high) == ("0.0", True)


def test_augmented_models_are_trained_and_tested_as_the_clean_one() -> None:
    clean, mixed = protocol.plan(
        Config(), "tiny", settings=["augment"], recipes=["noise"], taus=[0.05], other_tests=["tiny_passages"],
        whole=True, refit=True,
    )  # fmt: skip
    assert (mixed.tau, mixed.refit, mixed.whole) == (0.05, True, clean.whole)


def test_tau_is_chosen_over_all_folds(
    folded: str, in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "research",
        "protocol",
        "constrained",
        "--data",
        folded,
        "--folds",
        "--settings",
        "attack,augment",
    ]
    words += ["--perturbations", "noise,no_question", "--tau", "0.05,0.5", "--breakdown", "--set", "epochs=8"]
    words += ["--set", "hidden=32", "--set", "embedding=32", "--set", "beam=1", "--set", "lr=1e-2"]
    assert main(words) == 0
    said = capsys.readouterr().out
    shown = [line for line in _lines(said) if len(line) == 7 and line[0] in ("0.05", "0.5")]
    best = max(shown, key=lambda line: float(line[5]))
    equal = {line[0] for line in shown if line[5] == best[5]}
    assert said.split("choose --tau ")[1].split()[0] in equal
    # Easy is what the clean model itself answers without the question.
    found = [one for one in results.load_folder(in_folder / "results") if not one.training.tau]
    easy = sum(one.cell.right for one in found if one.test.endswith("no_question-attack"))
    (line,) = (line for line in _lines(said) if line[0] == "easy")
    assert line[1] == str(easy)


def test_a_search_that_finds_nothing_trains_nothing_again(
    folded: str, in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "research",
        "protocol",
        "gts",
        "--data",
        folded,
        "--folds",
        "1",
        "--settings",
        "search,retrain",
        *SMALL,
    ]
    words += ["--search", "reordering", "--budget", "2"]
    assert main([*words, "--plan"]) == 0
    plan = capsys.readouterr().out
    assert "under-reordering_2" in plan
    assert "trained again on reordering" in plan
    assert main(words) == 0
    stages = [line for line in _lines(capsys.readouterr().out) if line[0].startswith("trained")]
    assert [(line[0], line[2]) for line in stages] == [
        ("trained", "20"), ("trained again on reordering", "20"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gts", "--data", "tiny", "--settings", "search", "--search", "foo"], "search"),
        (["sequence", "--data", "tiny_dialogues", "--settings", "search"], "is for solvers"),
        (["gts", "--data", "tiny", "--settings", "attack,foo"], "retrain"),
        (["gts", "--data", "tiny", "--settings", "contrast"], "known: attack"),
        (["gts", "--data", "asdiv_a", "--folds", "-1"], "how many of the folds"),
        (["--model", "some", "--data", "tiny", "--encoder", "minilm"], "--encoder is for solvers"),
    ],
)
def test_what_cannot_be_done_is_told_before_training(
    words: list[str], said: str, in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["research", "protocol", *words]) != 0
    assert said in capsys.readouterr().err
    assert not (in_folder / "runs").exists()


def test_problems_that_are_too_long_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    long = _result("tiny", "tiny", [True], too_long_rows=75, too_long=21)
    protocol_tables._lines([long, _result("tiny", "tiny", [True])], Namespace(test=[]))
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith(
        "too long to be read: 75 training rows, left out, and 21 test rows, counted as wrong"
    )
    assert "too long" not in second
    # A reader cuts a long text and reads the rest: no row is left out.
    reader = replace(long, system=replace(long.system, training=replace(long.training, model="discrete")))
    protocol_tables._lines([reader], Namespace(test=[]))
    shown = capsys.readouterr().out
    assert "cut at the length limit: 75 training and 21 test rows" in shown
    assert "left out" not in shown

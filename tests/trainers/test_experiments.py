"""The experiments of the papers: folds together, every model everywhere, settings side by side, search and retrain."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from made_results import first, result

from dnc_datasets import sources
from dnc_datasets.cli import main
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_trainers import breakdowns, data, pooling, protocol, results, searching
from dnc_trainers.readers.replies import Reading

SMALL = ["--set", "epochs=1", "--set", "hidden=8", "--set", "embedding=8", "--set", "beam=1"]


def _lines(text: str) -> list[list[str]]:
    """The cells of every line of Markdown tables."""
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if "|" in line]


def test_folds_are_one_result() -> None:
    noise = "asdiv_a-fold{}-noise-attack"
    one = result("asdiv_a-fold0", noise.format(0), {"a": True, "b": False})
    other = result("asdiv_a-fold1", noise.format(1), dict.fromkeys("cdefgh", True))
    elsewhere = result("asdiv_a-fold0", "svamp", {"x": True})
    (both,) = pooling.over_folds([one, other, elsewhere])
    assert (both.data, both.test, both.cell.rows, both.folds) == ("asdiv_a", "asdiv_a-noise-attack", 8, 2)
    assert both.accuracy == 7 / 8, "over all rows, not the mean of two folds"
    tuned = result("asdiv_a-fold1", noise.format(1), {"c": True}, settings={"seed": 0, "lr": 1e-2})
    assert len(pooling.over_folds([one, tuned])) == 2
    with pytest.raises(DncError, match="tested in two folds"):
        pooling.over_folds([one, result("asdiv_a-fold1", noise.format(1), {"a": True})])


def test_tables_of_folds_have_attacks_break_downs_and_easy_and_hard(
    folded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [
        "research",
        "protocol",
        "constrained",
        "--data",
        folded,
        "--folds",
        "--settings",
        "attack",
        "--breakdown",
    ]
    assert main([*words, "--perturbations", "no_question,type", *SMALL]) == 0
    said = capsys.readouterr().out
    assert said.count("| attack |") == 1
    assert "constrained on folded, 2 folds together" in said
    found = results.load_folder(tmp_path / "results")
    right = sum(one.cell.right for one in found if one.test.endswith("type-attack"))
    (type_line,) = (line for line in _lines(said) if line[0] == "type" and len(line) == 9)
    assert type_line[2] == f"{100 * right / 40:.1f}"
    by_type = [line for line in _lines(said) if line[0] in ("addition", "division")]
    assert by_type
    assert all(line[1].isdigit() for line in by_type)
    easy = [line for line in _lines(said) if line[0] in ("easy", "hard")]
    assert sum(int(line[1]) for line in easy) == 40
    assert "weight of each type in folded" in said
    assert main([*words, "--folds", "1", "--plan", "--perturbations", "no_question,type", *SMALL]) == 0
    assert capsys.readouterr().out.count("done ") == 3


def test_what_a_category_weighs() -> None:
    rows = first(30, of=40)
    labels = {row: ("easy", "short") if i < 20 else ("hard",) for i, row in enumerate(rows)}
    lines = _lines(breakdowns.weight_table([result("tiny", "tiny", rows)], labels, "category"))
    assert lines[2][:3] == ["(all)", "40", "75.0"]
    assert lines[3][1:3] == ["20", "100.0"]
    assert lines[3][4] == "-25.0", "without the easy ones, half of the others are right"
    low, high = (float(end) for end in lines[3][5].strip("[]").split(", "))
    assert low < -25 < high < 0
    assert lines[4][4] == "+25.0"


def test_a_label_that_stands_twice_on_a_row_counts_once() -> None:
    problems = [
        Problem("1", "", "How many?", meta=(("variation", "11+11+23"),)),
        Problem("2", "", "How many?", meta=(("variation", "23"),)),
    ]
    assert breakdowns.labels_of(problems, "variation") == {"1": ("11", "23"), "2": ("23",)}


def test_whole_sets_are_asked_and_own_ones_refused(
    folded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["research", "protocol", "constrained", "--data", "tiny", *SMALL]
    assert main([*words, "--test", folded, "--whole"]) == 1
    # The folded corpus is a part of tiny, so that tiny's training problems are asked.
    assert "of the training problems are test problems of folded" in capsys.readouterr().err
    assert main([*words, "--whole"]) == 1
    assert "name one" in capsys.readouterr().err
    assert len(data.asked(catalogue.find("tiny"), whole=True)) == sum(
        len(split) for split in catalogue.read("tiny").values()
    )
    with pytest.raises(DncError, match="--whole is for originals"):
        data.asked(catalogue.find("tiny-type-attack"), whole=True)


def test_a_set_with_borrowed_training_rows_is_its_test_split() -> None:
    assert sources.get("svamp").borrowed
    assert not sources.get("mawps").borrowed


def test_every_model_on_every_test_set(
    folded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [
        "research",
        "protocol",
        "constrained",
        "--data",
        folded,
        "--settings",
        "attack,defense,augment",
        "--cross",
    ]
    assert main([*words, "--perturbations", "type,extra", *SMALL]) == 0
    said = capsys.readouterr().out
    head, rows = (
        "| trained on | on clean | on type | on extra |",
        ["clean", "type (defense)", "extra (augment)"],
    )
    assert head in said
    table = {line[0]: line for line in _lines(said) if len(line) == 4}
    assert all(all(table[name]) for name in rows)
    # The rows of a defended model's own test are those of the attack, so that they can be compared.
    for recipe in ("type", "extra"):
        attack, defense, augment = (
            [row.problem for row in data.rows(catalogue.find(f"{folded}-{recipe}-{setting}"))["test"]]
            for setting in ("attack", "defense", "augment")
        )
        assert attack == defense == augment
    assert "numerical parsing" in said
    assert "semantic parsing" in said


@pytest.mark.parametrize("added", ["", "+added_0a1b2c3d"])
def test_defended_models_are_compared_with_the_one_that_had_the_same_problems_added(added: str) -> None:
    found = [
        result(train + added, test, {"a": a, "b": b})
        for train, test, a, b in (
            ("asdiv_a", "asdiv_a", True, True),
            ("asdiv_a", "asdiv_a-type-attack", False, False),
            ("asdiv_a-type-defense", "asdiv_a", True, False),
            ("asdiv_a-type-defense", "asdiv_a-type-attack", True, True),
        )
    ]
    found.append(result(f"asdiv_a{added}+added_ffffffff", "asdiv_a", {"a": False, "b": False}))
    (_, _, clean, *others) = _lines(breakdowns.cross_table(found, "asdiv_a"))
    assert clean == [f"clean{' + ' if added else ''}{added[1:]}", "100.0", "0.0"]
    defended = next(line for line in others if line[0].startswith("type (defense)"))
    assert defended[1].startswith("50.0 (-50.0")


def test_crossed_models_are_asked_the_further_test_sets_too() -> None:
    config = protocol.default_config("constrained", 0, None, [])
    given = {
        "settings": ["defense"],
        "recipes": ["type"],
        "other_tests": ["tiny-extra-attack", "tiny-type-attack"],
    }
    for cross, expected in (
        (True, ["tiny-type-defense", "tiny", "tiny-extra-attack"]),
        (False, ["tiny-type-defense"]),
    ):
        _, defended = protocol.plan(config, "tiny", cross=cross, **given)
        assert [test.name for test in defended.tests] == expected


def test_recovery_is_of_pairs() -> None:
    found = [
        result(train, test, first(right, of=40))
        for train, test, right in (
            ("tiny", "tiny", 40),
            ("tiny", "tiny-type-attack", 20),
            ("tiny", "tiny-noise-attack", 30),
            ("tiny", "tiny-order-attack", 36),
            ("tiny-type-defense", "tiny-type-defense", 32),
        )
    ]
    stated = {line[0]: line for line in _lines(breakdowns.stage_table(found, "tiny"))}
    assert stated["numerical parsing"][2] == "37.5", "the mean of 50 and 25"
    assert stated["numerical parsing"][5] == "30.0"
    assert stated["semantic parsing"][2:6] == ["10.0", stated["semantic parsing"][3], "", ""]


def test_settings_stand_side_by_side(
    folded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [
        "research",
        "protocol",
        "constrained",
        "--data",
        folded,
        "--settings",
        "attack",
        "--perturbations",
        "type",
    ]
    assert main([*words, *SMALL, "--vary", "lr=1e-2", "--vary", "batch=64"]) == 0
    out = capsys.readouterr().out
    assert "| drop of the answer | as given | lr=1e-2 | batch=64 |" in out
    made = results.load_folder(tmp_path / "results")
    assert len(made) == 6
    by = {(one.settings["lr"], one.settings["batch"]): one.training.validation_accuracy for one in made}
    names = {(2e-3, 16): "as given", (1e-2, 16): "lr=1e-2", (2e-3, 64): "batch=64"}
    best = max(names, key=lambda key: by[key])
    assert f"validation problems choose: {names[best]} (as given {100 * by[2e-3, 16]:.1f}" in out
    assert main([*words, *SMALL, "--vary", "rate=1"]) == 1
    assert "rate" in capsys.readouterr().err


def test_search_and_retrain(
    folded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = ["--set", "hidden=32", "--set", "embedding=32", "--set", "beam=1", "--set", "epochs=120"]
    words = [
        "research",
        "protocol",
        "constrained",
        "--data",
        folded,
        "--folds",
        "1",
        "--settings",
        "search,retrain",
    ]
    words += ["--search", "reordering,paraphrase", "--budget", "20", *settings]
    assert main(words) == 0
    said = capsys.readouterr().out
    stages = searching.read_stages(tmp_path / "results")
    assert [(one.name, one.search) for one in stages if not one.result.training.added_rows] == [
        ("trained", "paraphrase"), ("trained", "reordering"),
    ]  # fmt: skip
    again = [one for one in stages if one.result.training.added_rows]
    assert again, "a form of a training problem was found and trained on"
    for one in stages:
        outcomes = one.result.outcomes.values()
        right = sum(outcome.scores[searching.BEFORE] for outcome in outcomes)
        assert sum(outcome.right for outcome in outcomes) == right - one.result.cell.measures["flipped"]
    lines = {(line[0], line[1]): line for line in _lines(said) if len(line) == 9}
    assert lines["trained", "reordering"][2] == "20"
    assert lines["trained again on paraphrase", "paraphrase"][-1] == str(
        next(one.result.training.added_rows for one in again if one.search == "paraphrase")
    )
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(DncError, match="one process"):
        searching.run([], ["search"], tmp_path, tmp_path)


def test_a_search_goes_on_where_only_the_cells_were_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [
        "research",
        "protocol",
        "gts",
        "--data",
        "tiny",
        "--settings",
        "search",
        "--search",
        "reordering",
        "--budget",
        "3",
    ]
    assert main([*words, *SMALL]) == 0
    (stage,) = (tmp_path / "results").glob("*-under-*.json")
    before = stage.read_text(encoding="utf-8")
    stage.unlink()
    shutil.rmtree(tmp_path / "runs")
    assert main([*words, *SMALL]) == 0
    assert stage.read_text(encoding="utf-8") == before


@pytest.mark.parametrize("settings", [["search"], ["search", "retrain"]])
def test_progress_does_not_run_over_its_end(settings: list[str], folded: str, tmp_path: Path) -> None:
    given = ["epochs=1", "hidden=8", "embedding=8", "beam=1", "lr=0.01"]
    jobs = protocol.plan(protocol.default_config("constrained", 0, None, given), folded)
    stated: list[str] = []
    searching.run(
        jobs, settings, tmp_path, tmp_path / "runs", searches=["reordering"], budget=5, progress=stated.append
    )
    assert 0 < len(stated) <= searching.steps(jobs, settings, ["reordering"]) + jobs[0].config.epochs
    assert searching.steps(jobs, [], ["reordering"]) == 0


def test_searches_are_refused_for_what_is_no_solver() -> None:
    with pytest.raises(DncError, match="did you mean reordering"):
        searching.chosen("reorderin")
    assert searching.chosen("all") == ["reordering", "paraphrase", "both"]
    with pytest.raises(DncError, match="is for solvers and fine-tuned models; rgnet is a reader"):
        searching.run(protocol.plan(Reading(reader="rgnet"), "tiny_dialogues"), ["search"], Path(), Path())

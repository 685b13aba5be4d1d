"""Statistics of datasets, seed problems, and challenge sets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from datasets import load_dataset

from dnc_datasets import challenge, cli
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_leaderboard import corpora, seeds
from dnc_metrics.clusters import cluster


def _problem(row: int, body: str, equation: str = "1 + 2") -> Problem:
    return Problem(f"p{row}", body, "How many?", equation=equation, answer="3")


def test_statistics_of_word_problems() -> None:
    same = [_problem(0, "Amy has 1 pen and 2 cups."), _problem(1, "Amy has 7 pen and 9 cups.")]
    other = _problem(2, "A ship sails for 4 days over the sea", "3 * 4 - 1")
    found = corpora.word_problems([*same, other])
    assert found["problems"] == "3"
    assert found["equation templates"] == "2"
    assert found["operators per equation"] == "1.33"
    # Two texts are one, but for their numbers; the third shares no four words with them.
    assert found["lexicon diversity"] == "0.33"


def test_statistics_of_published_sets_are_near_the_published(
    mirror: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    assert cli.main(["stats", "svamp", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["svamp"]
    assert (told["problems"], told["operators per equation"]) == (1000, 1.24)
    assert abs(told["lexicon diversity"] - 0.22) <= 0.011
    assert told["category"] == {
        "question_sensitivity": 462, "reasoning_ability": 650, "structural_invariance": 467,
    }  # fmt: skip


def test_a_label_that_stands_twice_on_a_problem_counts_once() -> None:
    twice = Problem("1", "", "How many?", meta=(("variation", "11+11+23"),))
    assert corpora.kinds([twice], "variation") == [("11", 1), ("23", 1)]


def test_statistics_of_conversations(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["stats", "tiny_dialogues"]) == 0
    said = capsys.readouterr().out
    splits = catalogue.read("tiny_dialogues")
    many = {part: {row.note("conversation") for row in rows} for part, rows in splits.items()}
    assert next(line.split() for line in said.splitlines() if "conversations" in line) == [
        "conversations", *(str(len(ids)) for ids in many.values()), str(sum(map(len, many.values()))),
    ]  # fmt: skip
    types = corpora.answer_types(splits)
    assert sum(count for _, count, _ in types) == sum(map(len, splits.values()))
    assert sum(share for *_, share in types) == pytest.approx(1)
    assert corpora.tokens("小明有12本书。") == ["小", "明", "有", "12", "本", "书", "。"]


def test_seeds_are_shared_out_and_differ() -> None:
    trees = [_problem(at, f"Tree number {at} stands in a wood of oaks.") for at in range(6)]
    ships = [_problem(at + 10, f"A ship of {at} men sails the southern sea.") for at in range(6)]
    taxis = [_problem(at + 20, f"Taxi {at} costs money.", "4 - 1") for at in range(4)]
    chosen = seeds.choose([*trees, *ships, *taxis], 4, seeds.words)
    assert chosen == seeds.choose([*trees, *ships, *taxis], 4, seeds.words)
    kinds = sorted(problem.body.split()[0] for problem in chosen)
    assert kinds in (["A", "Taxi", "Tree", "Tree"], ["A", "A", "Taxi", "Tree"])
    with pytest.raises(DncError, match="at least one"):
        seeds.choose(trees, 0, seeds.words)
    with pytest.raises(DncError, match="one vector for each"):
        seeds.choose(trees, 2, lambda texts: [[1.0]])


def test_a_challenge_set_is_a_config_grouped_by_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "set"
    words = ["challenge", "tiny", "--split", "test", "--seeds", "8", "--out", str(out), "--json"]
    assert cli.main([*words, "--model", "builtins:list"]) == 0
    told = json.loads(capsys.readouterr().out)
    rows = load_dataset(str(out), "challenge", split="test", cache_dir=str(tmp_path / "cache"))
    assert len(rows) == told["problems"]
    assert told["seeds"] == len({row["original_id"] for row in rows}) == len({cluster(row) for row in rows})
    assert len({row["id"] for row in rows}) == len({row["prompt"] for row in rows}) == len(rows)
    assert any("+" in json.loads(row["meta"])["variation"] for row in rows), "some are combined"
    asked = {one["part"]: one for one in told["asked"]}
    assert (asked["challenge set"]["problems"], asked["challenge set"]["right"]) == (len(rows), 0)
    assert isinstance(told["words per problem"], float)
    assert told["variation"] == {code: asked[code]["problems"] for code in told["variation"]}
    assert told["category"] == {name: asked[name]["problems"] for name in told["category"]}
    assert told["category"]["structural_invariance"] > 0
    # The seeds by the operation that is done last, as SVAMP's table 7.
    assert list(told["operations"]) == list(challenge.OPERATIONS.values())
    assert sum(told["operations"].values()) == told["seeds"]
    assert f"| addition | {told['operations']['addition']} |" in (out / "README.md").read_text()
    assert cli.main(["stats", str(out)]) == 0
    assert "structural_invariance" in capsys.readouterr().out
    assert cli.main(["challenge", "tiny_tables", "--out", str(tmp_path / "other")]) == 1
    assert "cannot be varied" in capsys.readouterr().err


def test_a_challenge_set_spares_what_is_not_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["challenge", "tiny", "--split", "test", "--seeds", "3", "--out", str(tmp_path)]
    for name in ("README.md", "challenge.json"):
        own = tmp_path / name
        own.write_text("mine\n")
        assert cli.main(words) == 1
        assert "this command has not written" in capsys.readouterr().err
        assert [path.name for path in tmp_path.iterdir()] == [name]
        assert own.read_text() == "mine\n"
        own.unlink()
    assert cli.main(words) == cli.main(words) == 0, "its own folder is written again"
    said = capsys.readouterr().out
    assert re.search(r"operation\W+seed problems", said)


def test_seeds_are_counted_by_the_operation_done_last() -> None:
    some = [_problem(at, "", equation) for at, equation in enumerate(("(1 + 2) * 3", "6 / 2", "8 / (2 + 2)"))]
    assert challenge.operations(some) == {
        "addition": 0, "subtraction": 0, "multiplication": 1, "division": 2,
    }  # fmt: skip
    assert challenge.operations([_problem(0, "", "7")])["none"] == 1


def test_statistics_for_programs_are_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["stats", "tiny", "tiny_dialogues", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {type(value) for value in told["tiny"].values() if not isinstance(value, dict)} == {int, float}
    first, turns, *_ = told["tiny_dialogues"]["conversations"]
    assert isinstance(first["test"], int)
    assert turns["test"]["most"] >= turns["test"]["mean"] > 1


def test_every_variation_is_certified_and_labelled() -> None:
    for problem in catalogue.read("tiny")["test"][::40]:
        for row in challenge.varied(problem, dataset="tiny"):
            codes = row.problem.note("variation").split("+")
            assert row.problem.id == f"{problem.id}#{'+'.join(codes)}"
            assert row.certificate
            assert row.problem.answer == row.problem.expected_answer()
            assert {challenge.CATEGORIES[code[0]] for code in codes} == set(
                row.problem.note("category").split("+")
            )


def test_a_combination_is_what_its_labels_say() -> None:
    before = Problem(
        "m", "Connie has 41 red markers and 64 blue markers.", "How many?", equation="41 + 64", answer="105"
    )
    added = before.replace(body=f"{before.body} Later she got 2 more markers.")
    # The total of the old numbers is another question than the new story asks.
    assert not challenge._is_what_it_says(before, added, ("21", "11"))
    assert challenge._is_what_it_says(before, added.replace(equation="41 + 64 + 2"), ("21", "11"))
    idle = before.replace(body=f"{before.body} Connie also has 7 pears.")
    assert challenge._is_what_it_says(before, idle, ("33", "11"))
    assert not challenge._is_what_it_says(before, idle.replace(equation="64 - 7"), ("33", "11"))
    assert not challenge._is_what_it_says(before, idle, ("21", "33")), "what is relevant must be used"

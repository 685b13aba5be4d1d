"""Corpus statistics: templates, baselines and lexicon diversity."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from datasets import load_dataset

from dnc_datasets import challenge, cli
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_metrics import corpus_statistics, seed_problems
from dnc_metrics.errors import MetricError
from dnc_metrics.row_labels import cluster


def test_templates() -> None:
    counts = corpus_statistics.templates(["3 + 4", "+ number0 number1", "(5 - 2) * 3", "42"])
    assert counts == {"+ number number": 2, "* - number number number": 1, "number": 1}


def test_majority_is_of_equations_as_written() -> None:
    baseline = corpus_statistics.majority_baseline(["+ n0 n1", "+ n1 n0", "+ n0 n1", "- n0 n1"])
    assert baseline == ("+ n0 n1", 2, Fraction(1, 2))
    assert corpus_statistics.majority_baseline(["b", "a"]).output == "a"


def test_constant_answers_for_each_group() -> None:
    golds = ["no", "No", "yes", "3", "3.0", "6/2", "4"]
    groups = ["bool"] * 3 + ["number"] * 4
    assert corpus_statistics.constant_baseline(golds, groups) == {
        "bool": ("no", 2, Fraction(2, 3)),
        "number": ("3", 3, Fraction(3, 4)),
    }
    assert corpus_statistics.constant_baseline(["1", "1"]) == {"": ("1", 2, 1)}


def test_average_operators() -> None:
    assert corpus_statistics.average_operators(["3 + 4", "(3 + 4) * 2", "7"]) == 1


def test_lexicon_diversity() -> None:
    text = "tom has number pens and buys number more pens".split()
    other = "how far is it from the lake to town".split()
    assert corpus_statistics.lexicon_diversity([text, text]) == pytest.approx(0)
    assert corpus_statistics.lexicon_diversity([text, other]) == 1
    assert corpus_statistics.lexicon_diversity([text]) == 1
    assert corpus_statistics.lexicon_diversity([text, text, other]) == pytest.approx(1 / 3)
    assert corpus_statistics.lexicon_diversity([text, text], ["sum", "difference"]) == 1


def test_bleu_by_hand() -> None:
    # Precisions 5/6, 4/5, 3/4, 2/3 against the longer text and 5/5.. against the shorter one.
    a, b = "a b c d e f".split(), "a b c d e".split()
    one_way = (5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25
    other_way = 2.718281828459045 ** (1 - 6 / 5)
    assert corpus_statistics.lexicon_diversity([a, b]) == pytest.approx(1 - (one_way + other_way) / 2)


def test_errors_say_what_and_where() -> None:
    with pytest.raises(MetricError, match="the equation 'apples' cannot be read"):
        corpus_statistics.templates(["apples"])
    with pytest.raises(MetricError, match="golds has 1 row but groups has 0"):
        corpus_statistics.constant_baseline(["1"], [])
    for empty in (
        corpus_statistics.majority_baseline,
        corpus_statistics.average_operators,
        corpus_statistics.lexicon_diversity,
    ):
        with pytest.raises(MetricError, match="at least one"):
            empty([])


def _problem(row: int, body: str, equation: str = "1 + 2") -> Problem:
    return Problem(f"p{row}", body, "How many?", equation=equation, answer="3")


def test_statistics_of_word_problems() -> None:
    same = [_problem(0, "Amy has 1 pen and 2 cups."), _problem(1, "Amy has 7 pen and 9 cups.")]
    other = _problem(2, "A ship sails for 4 days over the sea", "3 * 4 - 1")
    found = corpus_statistics.word_problems([*same, other])
    assert found["problems"] == "3"
    assert found["equation templates"] == "2"
    assert found["operators per equation"] == "1.33"
    # Two texts are one, but for their numbers; the third shares no four words with them.
    assert found["lexicon diversity"] == "0.33"


def test_statistics_of_published_sets_are_near_the_published(
    mirror: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    assert cli.main(["list", "stats", "svamp", "--json"]) == 0
    stated = json.loads(capsys.readouterr().out)["svamp"]
    assert (stated["problems"], stated["operators per equation"]) == (1000, 1.24)
    assert abs(stated["lexicon diversity"] - 0.22) <= 0.011
    assert stated["category"] == {
        "question_sensitivity": 462, "reasoning_ability": 650, "structural_invariance": 467,
    }  # fmt: skip


def test_a_label_that_stands_twice_on_a_problem_counts_once() -> None:
    twice = Problem("1", "", "How many?", meta=(("variation", "11+11+23"),))
    assert corpus_statistics.kinds([twice], "variation") == [("11", 1), ("23", 1)]


def test_statistics_of_conversations(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "stats", "tiny_dialogues"]) == 0
    said = capsys.readouterr().out
    splits = catalogue.read("tiny_dialogues")
    many = {part: {row.note("conversation") for row in rows} for part, rows in splits.items()}
    assert next(line.split() for line in said.splitlines() if "conversations" in line) == [
        "conversations", *(str(len(ids)) for ids in many.values()), str(sum(map(len, many.values()))),
    ]  # fmt: skip
    types = [one for one in corpus_statistics.answer_types(splits) if "external knowledge" not in one[0]]
    assert sum(count for _, count, _ in types) == sum(map(len, splits.values()))
    assert sum(share for *_, share in types) == pytest.approx(1)
    assert corpus_statistics.tokens("小明有12本书。") == ["小", "明", "有", "12", "本", "书", "。"]


def test_seeds_are_shared_out_and_differ() -> None:
    trees = [_problem(at, f"Tree number {at} stands in a wood of oaks.") for at in range(6)]
    ships = [_problem(at + 10, f"A ship of {at} men sails the southern sea.") for at in range(6)]
    taxis = [_problem(at + 20, f"Taxi {at} costs money.", "4 - 1") for at in range(4)]
    chosen = seed_problems.choose([*trees, *ships, *taxis], 4, seed_problems.words)
    assert chosen == seed_problems.choose([*trees, *ships, *taxis], 4, seed_problems.words)
    kinds = sorted(problem.body.split()[0] for problem in chosen)
    assert kinds in (["A", "Taxi", "Tree", "Tree"], ["A", "A", "Taxi", "Tree"])
    with pytest.raises(DncError, match="at least one"):
        seed_problems.choose(trees, 0, seed_problems.words)
    with pytest.raises(DncError, match="one vector for each"):
        seed_problems.choose(trees, 2, lambda texts: [[1.0]])


def test_published_seeds_have_one_operator_few_words_and_a_common_type() -> None:
    sums = [_problem(at, f"Ann has {at} pens and buys 4 more.", f"{at} + 4") for at in range(20)]
    rare = _problem(50, "Ben has 9 pens and loses 4.", "9 - 4")
    two = _problem(51, "Cem has 9 pens, loses 4 and finds 1.", "9 - 4 + 1")
    long = _problem(52, f"Dee has 9 {'very ' * 40}old pens and buys 4 more.", "9 + 4")
    assert seed_problems.published([*sums, rare, two, long]) == sums
    three = _problem(53, "Eva has 9 pens, loses 4, finds 1 and buys 2.", "9 - 4 + 1 + 2")
    assert [seed_problems.is_short(one) for one in (rare, two, three)] == [True, True, False]


def test_a_challenge_set_is_a_config_grouped_by_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "set"
    words = [
        "research",
        "challenge",
        "tiny",
        "--split",
        "test",
        "--seed-problems",
        "16",
        "--out",
        str(out),
        "--json",
    ]
    assert cli.main([*words, "--model", "builtins:list"]) == 0
    stated = json.loads(capsys.readouterr().out)
    rows = load_dataset(str(out), "challenge", split="test", cache_dir=str(tmp_path / "cache"))
    assert len(rows) == stated["problems"]
    assert stated["seeds"] == len({row["original_id"] for row in rows}) == len({cluster(row) for row in rows})
    assert len({row["id"] for row in rows}) == len({row["prompt"] for row in rows}) == len(rows)
    assert any("+" in json.loads(row["meta"])["variation"] for row in rows), "some are combined"
    asked = {one["part"]: one for one in stated["asked"]}
    assert (asked["challenge set"]["problems"], asked["challenge set"]["right"]) == (len(rows), 0)
    assert isinstance(stated["words per problem"], float)
    assert stated["variation"] == {code: asked[code]["problems"] for code in stated["variation"]}
    assert stated["category"] == {name: asked[name]["problems"] for name in stated["category"]}
    assert stated["category"]["structural_invariance"] > 0
    # The seeds by the operation that is done last, as SVAMP's table 7.
    assert list(stated["operations"]) == list(challenge.OPERATIONS.values())
    assert sum(stated["operations"].values()) == stated["seeds"]
    assert f"| addition | {stated['operations']['addition']} |" in (out / "README.md").read_text()
    assert cli.main(["list", "stats", str(out)]) == 0
    assert "structural_invariance" in capsys.readouterr().out
    assert cli.main(["research", "challenge", "tiny_tables", "--out", str(tmp_path / "other")]) == 1
    assert "cannot be varied" in capsys.readouterr().err


def test_a_challenge_set_spares_what_is_not_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "research",
        "challenge",
        "tiny",
        "--split",
        "test",
        "--seed-problems",
        "3",
        "--out",
        str(tmp_path),
    ]
    for name in ("README.md", "challenge.json"):
        own = tmp_path / name
        own.write_text("mine\n")
        assert cli.main(words) == 1
        assert "was not written by" in capsys.readouterr().err
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
    assert cli.main(["list", "stats", "tiny", "tiny_dialogues", "--json"]) == 0
    stated = json.loads(capsys.readouterr().out)
    assert {type(value) for value in stated["tiny"].values() if not isinstance(value, dict)} == {int, float}
    first, turns, *_ = stated["tiny_dialogues"]["conversations"]
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

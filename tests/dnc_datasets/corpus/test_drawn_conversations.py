"""Conversations from templates and from GSM8K's Socratic problems: exact answers and graphs, in NOAHQA's form."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from dnc_datasets.corpus import drawn_conversations, socratic
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_trainers import data

_SIX = {"arithmetic", "comparison", "yes/no", "extraction", "counterfactual", "unknown"}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    for language, suffix in drawn_conversations.LANGUAGES.items():
        drawn_conversations.write(folder, drawn_conversations.splits(language, 80), suffix)
    return folder


def _templates(problems: list[Problem]) -> set[str]:
    return {problem.note("conversation").rpartition("-")[0] for problem in problems}


@pytest.mark.parametrize(("config", "least"), [("noahqa_en", 40), ("noahqa_zh", 15)])
def test_the_reader_takes_them_as_they_are(drawn: Path, config: str, least: int) -> None:
    splits = catalogue.read(config, "", drawn)
    kept = [_templates(splits[name]) for name in ("train", "validation", "test")]
    assert sum(map(len, kept)) == len(set().union(*kept)) >= least
    rows = [problem for part in splits.values() for problem in part]
    assert not any(problem.note("defect") for problem in rows)
    assert {problem.note("type") for problem in rows} >= _SIX
    assert all(problem.evidence for problem in rows)
    # Some answers rest on answers, two steps deep.
    graphs = [json.loads(problem.note("graph")) for problem in rows]
    assert any(one.startswith("<q1") for graph in graphs for one, _ in graph)


def test_drawing_is_a_pure_function() -> None:
    template = drawn_conversations.templates("en")[0]
    one, two, other = (drawn_conversations.draw(template, n) for n in (3, 3, 4))
    assert one == two != other
    with pytest.raises(DncError, match="en, zh"):
        drawn_conversations.templates("fr")


def test_comparisons_follow_the_numbers() -> None:
    template = next(t for t in drawn_conversations.templates("en") if t.name == "orchard")
    stated = set()
    for number in range(12):
        made = drawn_conversations.draw(template, number)
        apples, pears = (int(word) for word in made["passage"][0][1].split() if word.isdigit())
        answer = made["qa_pairs"][2]["answer"]
        assert answer == ("apple trees" if apples > pears else "pear trees")
        stated.add(answer)
    assert len(stated) == 2


def test_socratic_steps_rest_on_sentences_and_turns() -> None:
    counts: Counter[str] = Counter()
    made = socratic.conversation(
        "s",
        "Jo has 12 pens. She buys 5 more. Each costs 3 dollars. What is left of 40 dollars?",
        "How many pens? ** <<12+5=17>>17\nWhat do the new ones cost? ** <<5*3=15>>15\n"
        "What is left? ** <<40-15=25>>25\n#### 25",
        counts,
    )
    assert made is not None
    assert [pair["evidence"] for pair in made["qa_pairs"]] == [[0.1, 0.2], [0.2, 0.3], [0.4, 2]]
    assert counts["ambiguous graphs"] == 0


def test_sentences_lose_no_word_at_a_decimal_point_or_a_title() -> None:
    stated = "Mrs. Lund pays $4.75 for a mug! Milk is 1.5 dollars... How much do both cost?"
    asked = "What is paid? ** <<4.75+1.5=6.25>>6.25\n#### 6.25"
    made = socratic.conversation("s", stated, asked, Counter())
    assert made is not None
    assert " ".join(text for _, text in made["passage"]) == stated
    assert [at for at, _ in made["passage"]] == [1, 2, 3]
    assert made["qa_pairs"][0]["evidence"] == [0.1, 0.2]


def test_what_is_not_certain_has_no_graph() -> None:
    counts: Counter[str] = Counter()
    made = socratic.conversation(
        "s", "A has 5 pens. B has 5 pens.", "Sum? ** <<5+5=10>>10\nTwice? ** <<10*2=20>>20\n#### 20", counts
    )
    assert made is not None
    assert [pair["evidence"] for pair in made["qa_pairs"]] == [[], []]
    assert counts["ambiguous graphs"] == 2
    # Of a problem that is left out no turn is counted.
    half = "Twice? ** <<5*2=10>>10\nHow? ** By magic\n#### 5"
    assert socratic.conversation("s", "A has 5.", half, counts) is None
    assert (counts["turns"], counts["step not read"], counts["conversations"]) == (2, 1, 1)


def test_what_has_seen_the_test_set_is_never_scored_on_it() -> None:
    seen = [Problem("socratic-7-1", "", "How many?")]
    assert data.check_gsm8k(seen, [catalogue.find("tiny")])
    with pytest.raises(DncError, match="test set"):
        data.check_gsm8k(seen, [catalogue.find("gsm8k")])
    assert not data.check_gsm8k([Problem("p", "", "How many?")], [catalogue.find("gsm8k")])


def test_a_wrong_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"question": "How?"}\n')
    with pytest.raises(DncError, match="line 1"):
        socratic.convert(tmp_path / "x.jsonl")

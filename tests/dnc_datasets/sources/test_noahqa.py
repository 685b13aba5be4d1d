"""NOAHQA: evidence codes, references, graphs, and numbers that move through a conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import expression, numerals, perturbations, sources
from dnc_datasets.draws import Draw
from dnc_datasets.errors import SourceError
from dnc_datasets.problem import Problem, Turn
from dnc_datasets.reasoning_graph import ROOT, evidence_node, leaves, reasoning_graph
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import perturb
from dnc_datasets.sources.noahqa import read_conversations
from dnc_metrics import corpus_statistics

GRAPHS = "Don-Joey/NoahQA/527399db4c1a0d1439d442f93f3432bfd8b3073c/allennlp.2.7.0/rgnet_zh/edge_roberta.json"


@pytest.mark.parametrize(
    ("code", "node"),
    [
        ("1", "<q1>"),
        ("12.0", "<q12>"),
        ("0.1", "<p1>"),
        ("0.9", "<p9>"),
        ("0.11", "<p10>"),
        ("0.12", "<p11>"),
        ("0.30000000000000004", "<p3>"),
        ("0.15000000000000002", "<p14>"),
    ],
)
def test_evidence_codes(code: str, node: str) -> None:
    assert evidence_node(code) == node


@pytest.mark.parametrize("code", ["", "0", "-1", "1.5", "x"])
def test_evidence_codes_that_mean_nothing(code: str) -> None:
    with pytest.raises(SourceError):
        evidence_node(code)


def test_real_graphs_are_rebuilt_from_their_first_steps(mirror: Path) -> None:
    count = 0
    for line in (mirror / GRAPHS).read_text(encoding="utf-8").splitlines():
        edges = json.loads(line)["gold_edges"]
        first_steps: dict[str, list[str]] = {}
        for node, other in edges:
            first_steps.setdefault(node, []).append(other)
        built = reasoning_graph(first_steps)
        assert set(built) == {tuple(edge) for edge in edges}
        assert len(built) == len(set(built))
        count += 1
    assert count == 10_880


@given(st.dictionaries(st.integers(1, 8), st.lists(st.integers(1, 8), max_size=3), max_size=8))
def test_graphs_end_and_hold_what_can_be_reached(steps: dict[int, list[int]]) -> None:
    evidence = {f"<q{node}>": [f"<q{other}>" for other in others] for node, others in steps.items()}
    edges = reasoning_graph(evidence, "<q1>")
    assert len(edges) == len(set(edges))
    reached = {"<q1>"} | {other for _, other in edges}
    assert {node for node, _ in edges} <= reached
    assert leaves(edges) == []


def conversation(*pairs: dict[str, Any]) -> dict[str, Any]:
    base = {"answer": "", "evidence": []}
    asked = [{**base, "query_id": f"c-{number}", **pair} for number, pair in enumerate(pairs, 1)]
    return {
        "passage": [[1, "A shop has num_1 cups."], [2, "It sold 15 of them on Monday."]],
        "num_list": {"num_1": "40"},
        "qa_pairs": asked,
    }


def read(*pairs: dict[str, Any]) -> list[Problem]:
    return list(read_conversations(Path("c.json"), "c", conversation(*pairs)))


LEFT = {"question": "How many are left?", "answer_type": [3, 0], "evidence": ["0.1", "0.2"], "ans": "25"}
LEFT_BY_FORMULA = {**LEFT, "answer_formula": "40 - 15"}
HALF = {
    "question": "And half of that?",
    "answer_type": [3, 0],
    "evidence": ["1.0"],
    "answer_temp": "<a1> / 2",
    "answer_formula": "wrong",
    "ans": "12.5",
}


def test_references_are_resolved_in_brackets() -> None:
    first, second = read(LEFT_BY_FORMULA, HALF)
    assert first.segments == ("A shop has 40 cups.", "It sold 15 of them on Monday.")
    assert second.equation == "(40 - 15) / 2"
    assert second.answer == "12.5"
    assert second.history == (Turn("How many are left?", "25"),)
    assert second.evidence == ("q1",)
    assert json.loads(second.note("graph")) == [[ROOT, "<q1>"], ["<q1>", "<p1>"], ["<q1>", "<p2>"]]


@pytest.mark.parametrize("temp", ["[40 - 15]", "{40 - 15}", "40 - 15"])
def test_brackets_of_all_kinds(temp: str) -> None:
    (problem,) = read({**LEFT, "answer_temp": temp})
    assert problem.answer == "25"
    assert not problem.note("defect")


def test_equations_that_contradict_the_answer_are_marked_and_not_built_on() -> None:
    first, second = read({**LEFT, "answer_formula": "40 - 14"}, {**HALF, "ans": "12.5"})
    assert first.answer == "25"
    assert first.note("defect") == "equation does not give the answer"
    assert second.equation == "25 / 2"


ROUND = {"question": "How long is the rim of a cup of 7 cm?", "answer_type": [3, 0], "evidence": ["0.1"]}


@pytest.mark.parametrize(
    ("formula", "question", "knowledge"),
    [
        ("pi * 7", ROUND["question"], "external"),
        ("3.14 * 7", ROUND["question"], "external"),
        ("3.14 * 7", "Taking 3.14 for pi, how long is the rim of a cup of 7 cm?", ""),
        ("13.14 + 7", ROUND["question"], ""),
        ("7 * 3", ROUND["question"], ""),
    ],
)
def test_pi_is_external_knowledge_unless_it_is_stated(formula: str, question: str, knowledge: str) -> None:
    (problem,) = read({**ROUND, "question": question, "answer_formula": formula})
    assert problem.note("knowledge") == knowledge
    split = corpus_statistics.answer_types({"test": [problem]})
    assert [count for _, count, _ in split] == ([1, 0, 1] if knowledge else [1, 1, 0])


def test_equations_that_cannot_be_read_are_marked() -> None:
    (problem,) = read({**LEFT, "answer_formula": "forty minus some"})
    assert problem.equation == ""
    assert problem.answer == "25"
    assert problem.note("defect") == "equation not read"


@pytest.mark.parametrize(
    ("given", "name", "answer_type"),
    [
        ([1, 0], "yes/no", "yes_no"),
        ([2, 0], "comparison", "span"),
        ([4, 1], "counterfactual", "span"),
        ([5, 0], "unsure", "unanswerable"),
        ([6, 0], "extraction", "span"),
        ([6, 1], "unknown", "unanswerable"),
        (6, "extraction", "span"),
    ],
)
def test_answer_types(given: object, name: str, answer_type: str) -> None:
    (problem,) = read({"question": "Well?", "answer_type": given, "answer": "x"})
    assert (problem.note("type"), problem.answer_type) == (name, answer_type)
    assert problem.answer == ("unknown" if name == "unknown" else "x")


def test_a_file_of_another_kind_is_refused() -> None:
    with pytest.raises(SourceError, match="not as NOAHQA writes it"):
        list(read_conversations(Path("c.json"), "c", {"qa_pairs": []}))


def test_fetch_tells_where_the_files_are() -> None:
    from dnc_datasets import files

    for name in ("noahqa_en", "noahqa_zh"):
        with pytest.raises(SourceError, match=f"Google Drive.*--from {name}=DIR"):
            files.fetch(sources.get(name))
        with pytest.raises(SourceError, match=f"Google Drive.*--from {name}=DIR"):
            files.resolve(sources.get(name))


def test_files_are_read_from_a_folder(tmp_path: Path) -> None:
    text = json.dumps({"c": conversation(LEFT_BY_FORMULA, HALF)})
    for name in ("train_cn", "valid_cn", "test_cn"):
        (tmp_path / f"{name}.json").write_text(text)
    splits = catalogue.read("noahqa_zh", given=tmp_path)
    assert {name: len(rows) for name, rows in splits.items()} == {"train": 2, "validation": 2, "test": 2}


# --- numbers that move


def change(problem: Problem, name: str) -> Problem | None:
    row = perturb(problem, perturbations.recipe(name, "dialogue"), dataset="d")
    return row.problem if row.original else None


@pytest.mark.parametrize("name", ["noise", "distribution"])
def test_history_answers_follow_the_passage(name: str) -> None:
    changed = change(read(LEFT_BY_FORMULA, HALF)[1], name)
    assert changed is not None
    cups, sold = (numerals.find(segment)[0].value for segment in changed.segments)
    assert changed.history[0].answer == expression.canonical(cups - sold) != "25"
    assert changed.answer == expression.canonical((cups - sold) / 2)


def test_mentions_in_the_history_change_too() -> None:
    asked = {"question": "Of the 40 cups, how many were sold?", "answer_type": [6, 0], "answer": "15"}
    changed = change(read(asked, LEFT_BY_FORMULA)[1], "noise")
    assert changed is not None
    cups, sold = (numerals.find(segment)[0].text for segment in changed.segments)
    assert changed.history[0] == Turn(f"Of the {cups} cups, how many were sold?", sold)


def test_rows_whose_history_would_have_to_be_judged_anew_stay() -> None:
    judged = {
        "question": "Did it sell more than 12?",
        "answer_type": [1, 0],
        "answer": "yes",
        "evidence": ["0.2"],
    }
    assert change(read(judged, LEFT_BY_FORMULA)[1], "noise") is None


def test_rows_that_quote_a_changed_answer_stay() -> None:
    quoting = {**HALF, "question": "And half of the 25?"}
    assert change(read(LEFT_BY_FORMULA, quoting)[1], "noise") is None


def test_constants_that_look_like_operands_stay() -> None:
    """The 2 of the first equation is no number of the passage, that of the second one is asked for."""
    doubled = {"question": "Twice as many?", "answer_type": [3, 0], "answer_formula": "40 * 2", "ans": "80",
               "evidence": ["0.1"]}  # fmt: skip
    packs = {"question": "And 2 such shops?", "answer_type": [4, 0], "answer_temp": "<a1> * 2", "ans": "160",
             "evidence": ["1"]}  # fmt: skip
    assert change(read(doubled)[0], "noise") is not None
    assert change(read(doubled, packs)[1], "noise") is None
    # Used once, the 9 of the question may move; used by an earlier turn, which did not know it, it may not.
    fewer = {"question": "With 9 fewer?", "answer_type": [4, 0], "answer_formula": "40 - 9", "ans": "31",
             "evidence": ["0.1"]}  # fmt: skip
    ninth = {"question": "A ninth?", "answer_type": [3, 0], "answer_formula": "40 / 9", "evidence": ["0.1"]}
    assert change(read(doubled, fewer)[1], "noise") is not None
    assert change(read(ninth, fewer)[1], "noise") is None


@pytest.mark.parametrize("dataset", ["tiny_dialogues", "tiny_dialogues_zh"])
@pytest.mark.parametrize("name", ["noise", "distribution"])
def test_every_equation_of_a_changed_conversation_gives_its_answer(dataset: str, name: str) -> None:
    step = perturbations.get(name, "dialogue")
    changed = 0
    for rows in catalogue.read(dataset).values():
        for problem in rows:
            made = step.apply(problem, Draw(3, dataset, problem.id, name))
            if made is None:
                continue
            changed += 1
            assert made.answer == made.expected_answer()
            for turn, stated in zip(json.loads(made.note("turns")), made.history, strict=True):
                if turn["equation"]:
                    assert numerals.said(expression.parse(turn["equation"]).value()) == stated.answer
    assert changed > 20


def test_a_borrowed_statement_goes_before_an_open_clause() -> None:
    from dnc_datasets.perturbations.statements.neighbours import Neighbours

    other = Problem("o", "", "How many?", segments=("Mira owns 7 boats.",))
    step = perturbations.recipe("extra_plausible", "dialogue")
    for last, expected in (
        ("If he buys more,", ("He has 2 pens.", "Mira owns 7 boats. If he buys more,")),
        ("He buys 3.", ("He has 2 pens.", "He buys 3.", "Mira owns 7 boats.")),
    ):
        problem = Problem("p", "", "How many pens?", segments=("He has 2 pens.", last), answer="2")
        row = perturb(problem, step, dataset="d", neighbours=Neighbours([problem, other]))
        assert row.problem.segments == expected


@pytest.mark.parametrize("name", ["language", "type", "verbosity", "extra"])
def test_certificates_hold_on_real_passages(mirror: Path, name: str) -> None:
    from dnc_datasets.english.reading.sentences import sentences
    from dnc_datasets.perturbations.statements.neighbours import Neighbours

    (path,) = (mirror / "yyy01").rglob("NoahQA_attacked.json")
    passages = [record["ori_passage"] for record in json.loads(path.read_text(encoding="utf-8")).values()]
    problems = [
        Problem(str(number), "", "What is asked?", segments=tuple(sentences(text)))
        for number, text in enumerate(passages[::7])
    ]
    steps = perturbations.recipe(name, "dialogue")
    neighbours = Neighbours(problems)
    scope = {"scope": sources.get("noahqa_en").scope}
    made = [
        perturb(problem, steps, dataset="d", neighbours=neighbours, parameters=scope) for problem in problems
    ]
    assert sum(row.original is not None for row in made) > 0.85 * len(problems)

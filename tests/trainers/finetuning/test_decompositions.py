"""Models for decompositions: learnt in both directions, saved, used by folder, and only where certificates hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dnc_datasets.cli import main
from dnc_datasets.errors import DncError
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr.steps import parse_steps
from dnc_datasets.serving.contrast_members import Models, members, steps_of
from dnc_trainers import decompositions
from dnc_trainers.finetuning.config import Finetuning

QUESTIONS = {
    f"How many {thing} did Ann see?": f"return {thing} that Ann did see ;return number of #1"
    for thing in ("cats", "dogs", "birds", "cows")
}
PROBLEMS = [
    Problem(str(at), "", question, answer=steps, answer_type="decomposition", meta=(("qdmr", steps),))
    for at, (question, steps) in enumerate(QUESTIONS.items())
]
SPLITS = {"train": PROBLEMS, "validation": PROBLEMS[:1], "test": PROBLEMS}
PASSAGE = Problem(
    "1",
    "The county had 2,500 whites, 330 Asians and 41 others.",
    "The whites were how many more than the Asians?",
    answer="2170",
    meta=(("passage", "1"),),
)
STEPS = (
    "return whites ;return Asians ;return number of #1 ;return number of #2 ;return difference of #3 and #4"
)


def test_pairs_go_both_ways_and_patterns_add_questions() -> None:
    (there,) = decompositions.pairs(PROBLEMS[:1], "question-to-decomposition", patterns=True)
    assert (there.question, there.answer) == next(iter(QUESTIONS.items()))
    back = decompositions.pairs(PROBLEMS[:1], "decomposition-to-question", patterns=True)
    assert back[0].answer == there.question
    assert "Did Ann see more than 12 cats?" in [pair.answer for pair in back]
    with pytest.raises(DncError, match="there is no direction"):
        decompositions.pairs(PROBLEMS, "up")


def test_rules_add_three_kinds_of_pairs() -> None:
    asked = {
        "Are both Lima and Quito capitals?": "return if Lima is a capital ;return if Quito is a capital "
        ";return if both #1 and #2 are true",
        "Which is longer, the Nile or the Rhine?": "return length of the Nile ;return length of the Rhine "
        ";return which is longer of #1 , #2",
        **dict(list(QUESTIONS.items())[:1]),
    }
    problems = [
        Problem(str(at), "", question, answer=steps, meta=(("qdmr", steps),))
        for at, (question, steps) in enumerate(asked.items())
    ]
    made = decompositions.pairs(problems, "decomposition-to-question", patterns=True)
    by = {decompositions.made_by(pair.id): pair for pair in made}
    assert set(by) == {"", "append_bool", "replace_comp", "replace_bool"}
    assert by["replace_bool"].answer == "Are neither Lima nor Quito capitals?"
    assert by["replace_bool"].question.endswith("if both #1 and #2 are false")
    assert by["replace_comp"].answer == "Which is shorter, the Nile or the Rhine?"


def test_steps_of_the_rules_are_compared_and_pairs_written(
    mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    assert main(["research", "qdmr", "break_qdmr", "--evaluate", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["DROP"]["rows"] == 649
    kinds = ("right", "other words", "other operators", "too few steps", "too many steps", "no steps")
    assert all(sum(stated[kind] for kind in kinds) == stated["rows"] for stated in found.values())
    assert found["DROP"]["right"] == pytest.approx(found["DROP"]["exact"] * 649)
    out = tmp_path / "pairs.jsonl"
    assert main(["research", "qdmr", "break_qdmr", "--split", "train", "--pairs", str(out), "--json"]) == 0
    stated = json.loads(capsys.readouterr().out)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == stated["source"] + sum(stated["added"].values())
    assert all(one["steps"].startswith("return ") for one in lines)
    own = tmp_path / "own.jsonl"
    own.write_text(
        json.dumps({"id": "1", "body": "Ann has 2 pens.", "question": "How many pens?", "answer": "2"})
    )
    assert main(["research", "qdmr", str(own), "--evaluate"]) == 1
    assert "no decompositions" in capsys.readouterr().err


def test_a_model_learns_to_write_steps(make_model: Callable[[str], Path], tmp_path: Path) -> None:
    config = Finetuning().with_settings(
        {"model": str(make_model("bart")), "epochs": 30, "batch": 4, "lr": 4e-3, "target": "answer",
         "target_length": 80, "schedule": "constant", "warmup": 0.0}
    )  # fmt: skip
    made = decompositions.train(config, SPLITS, "question-to-decomposition", tmp_path / "run")
    assert made.training_rows == len(PROBLEMS)
    assert made.scores["operator_accuracy"] == 1.0
    write = decompositions.writer(str(made.folder))
    (text,) = write([PROBLEMS[0].question])
    assert [step.operator for step in parse_steps(text)] == [
        step.operator for step in parse_steps(PROBLEMS[0].answer)
    ]


def test_what_a_parser_writes_must_be_well_formed() -> None:
    asked = Problem("1", "", "Tell me of the whites and the Asians.")
    found = steps_of(asked, Models(parser=lambda texts: [STEPS]))
    assert found is not None
    assert found[1] == "model"
    for bad in ("return number of #3", "", "I do not know"):
        found = steps_of(asked, Models(parser=lambda texts, bad=bad: [bad]))
        assert found is None or found[1] == "rules"


def test_what_a_generator_words_must_pass_the_certificates() -> None:
    known = PASSAGE.replace(meta=(*PASSAGE.meta, ("qdmr", STEPS)))

    def wording(question: str) -> Models:
        return Models(generator=lambda texts: [question])

    made = {member.kind: member for member in members(known, wording("How many are there in total?"))}
    assert (made["replace_arith"].worded_by, made["replace_arith"].problem.answer) == ("model", "2830")
    assert "append_bool" not in made
    for bad in ("How many more are there?", "How many are there in total"):
        assert not [one for one in members(known, wording(bad)) if one.kind == "replace_arith"]


def test_a_reader_is_believed_where_its_values_give_the_answer() -> None:
    known = PASSAGE.replace(meta=(*PASSAGE.meta, ("qdmr", STEPS)))
    right = Models(reader=lambda question, text: "2,500" if "whites" in question else "330 Asians")
    (member,) = members(known, right)
    assert (member.kind, member.answered_by) == ("prune_step", "model")
    assert (member.problem.question, member.problem.answer) == ("What is the number of whites?", "2500")
    wrong = Models(reader=lambda question, text: "2,500" if "whites" in question else "41")
    assert list(members(known, wrong)) == []


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["research", "qdmr", "--question", "How many touchdowns did the Bills score?"]) == 0
    assert "2. number of #1   [aggregate]" in capsys.readouterr().out
    own, out = tmp_path / "own.jsonl", tmp_path / "members.jsonl"
    row = {"id": "a", "passage": PASSAGE.body, "question": "How many more whites are there than Asians?"}
    own.write_text(json.dumps({**row, "answer": "2170"}) + "\n", encoding="utf-8")
    assert main(["research", "qdmr", str(own), "--out", str(out), "--json"]) == 0
    stated = json.loads(capsys.readouterr().out)
    assert (stated["problems"], stated["covered"], stated["parsed_by"]) == (1, 1, {"rules": 1})
    kinds = [json.loads(line)["kind"] for line in out.read_text(encoding="utf-8").splitlines()]
    assert kinds == ["append_bool", "change_last", "replace_arith", "prune_step"]
    assert main(["research", "qdmr"]) == 1
    assert "name a dataset or a file" in capsys.readouterr().err
    assert main(["research", "qdmr", str(own), "--reader", str(tmp_path / "none")]) == 1
    assert "cannot be loaded" in capsys.readouterr().err

"""TagOp on the embedded tables: programs, what is kept of a table, learning, and the rules beside it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.problem import Problem, to_row
from dnc_datasets.serving import catalogue
from dnc_trainers import data, load_solver, protocol, readers
from dnc_trainers.config import ConfigError
from dnc_trainers.readers import learner, table_rules, tables
from dnc_trainers.readers.learner import ReaderLearner
from dnc_trainers.readers.programs import OPERATORS, execute, program
from dnc_trainers.readers.reading import Reading, Reply, score
from dnc_trainers.readers.tagop import TagOp

_TABLE = (("", "2019", "2018", "2017"), ("Sales", "$1,200", "800", "(50)"), ("Rent", "40", "30", "20"))


def _asked(question: str, equation: str, operands: dict[str, str], unit: str = "") -> Problem:
    meta = (("operands", json.dumps(operands)),)
    return Problem("t", "Rent rose by 7 in May.", question, _TABLE, equation, "0", unit=unit, meta=meta)


@pytest.fixture(scope="module")
def rows() -> list[Problem]:
    return catalogue.read("tiny_tables")["train"][:8]


@pytest.fixture(scope="module")
def config() -> Reading:
    small = {"hidden": 32, "embedding": 24, "epochs": 30, "batch": 2, "lr": 5e-3, "dropout": 0}
    return readers.default_config("tagop").with_settings({**small, "least_word_count": 1, "length": 128})


@pytest.mark.parametrize(
    ("operator", "scale", "equation", "value"),
    [
        ("difference", "thousand", "12 - 8", 4),
        ("ratio", "", "12 / 8", Fraction(3, 2)),
        ("ratio", "percent", "12 / 8 * 100", 150),
        ("change_ratio", "percent", "(12 - 8) / 8 * 100", 50),
        ("average", "percent", "(12 + 8) / 2", 10),
        ("sum", "", "12 + 8", 20),
        ("product", "", "12 * 8", 96),
    ],
)
def test_execution_is_exact(operator: str, scale: str, equation: str, value: Fraction) -> None:
    made = execute(operator, [Fraction(12), Fraction(8)], scale)
    assert (made.equation, made.value) == (equation, value)


def test_what_has_no_value_is_no_answer() -> None:
    assert execute("ratio", [Fraction(1), Fraction(0)]).value is None
    assert execute("difference", [Fraction(1)]).value is None
    assert execute("sum", []).value is None


def test_programs_are_found_where_the_facts_say() -> None:
    asked = _asked("Change in sales?", "1200 - 800", {"1200": "table.1.1", "800": "table.1.2"})
    values = {
        unit.link: unit.value for line in tables.lines(asked) for unit in line.units if unit.value is not None
    }
    found = program(asked, values)
    assert found is not None
    assert (found.operator, found.places) == ("difference", ("table.1.1", "table.1.2"))
    # In brackets it is negative, as the cell says.
    asked = _asked("Average?", "(800 - 50) / 2", {"800": "table.1.2", "50": "table.1.3", "2": "constant"})
    found = program(asked, values)
    assert found is not None
    assert found.operator == "average"
    assert (
        program(_asked("?", "1200 / 3 - 7", {"1200": "table.1.1", "3": "constant", "7": "body.0.0"}), values)
        is None
    )
    assert program(_asked("?", "1200 - 800", {"1200": "ambiguous", "800": "table.1.2"}), values) is None


def test_a_long_table_keeps_what_matches_and_counts_what_is_lost(
    config: Reading, rows: list[Problem]
) -> None:
    sales = ("Sales of every kind of ware all over the world and elsewhere", "$1,200", "800")
    table = (("", "2019", "2018"), *((f"Item {n} of goods", f"{n}1", f"{n}2") for n in range(40)), sales)
    operands = '{"1200": "table.41.1", "800": "table.41.2"}'
    asked = Problem(
        "t", "", "What was the change in sales?", table, "1200 - 800", "400", meta=(("operands", operands),)
    )
    reader = ReaderLearner(config.with_settings({"length": 40}), rows, []).reader
    kept = {unit.row for unit in reader.example(asked).units}
    assert {0, 41} <= kept
    assert len(kept) < 20
    assert not reader.lost(asked)
    assert len(reader.example(asked).ids) <= 40
    elsewhere = asked.replace(question="What was the change in item 7?")
    assert reader.lost(elsewhere)
    assert reader.example(elsewhere).labels is None


def test_it_learns_what_it_has_seen(rows: list[Problem], config: Reading, tmp_path: Path) -> None:
    learnt, _ = learner.train(config, rows, [], folder=tmp_path / "run")
    assert learnt.dropped == 0
    answers = learnt.solve(rows)
    assert all(answer.correct for answer in answers)
    assert {answer.notes["operator"] for answer in answers} <= set(OPERATORS)
    # What was left in the folder answers alike: problems, and rows of a config.
    loaded = load_solver(tmp_path / "run")
    assert [reply.text for reply in loaded.answers(rows)] == [answer.text for answer in answers]
    assert loaded.answers([to_row(rows[0])])[0].text == answers[0].text
    assert isinstance(loaded.answers(["Sales were 7 in May. How much were they?"])[0].text, str)


def test_what_is_wrong_but_for_the_order_is_counted() -> None:
    asked = _asked("Change in sales?", "1200 - 800", {})
    turned = score(asked, Reply("800 - 1200", Fraction(-400), notes={"turned round": "400"}))
    right = score(asked, Reply("1200 - 800", Fraction(400), notes={"turned round": "-400"}))
    wrong = score(asked, Reply("40 - 30", Fraction(10), notes={"turned round": "-10"}))
    told = TagOp.measures([asked] * 4, [turned, right, wrong, score(asked, Reply())])
    assert told == {"ordered replies": 3, "wrong but for the order": pytest.approx(1 / 3)}
    yes_no = asked.replace(answer="yes", answer_type="yes_no", equation="")
    assert TagOp.measures([yes_no], [turned])["wrong but for the order"] == 0
    assert TagOp.measures([asked], [score(asked, Reply())]) == {}


def test_a_killed_run_goes_on_to_the_same_weights(
    rows: list[Problem], config: Reading, tmp_path: Path
) -> None:
    short = config.with_settings({"epochs": 4, "dropout": 0.2, "checkpoint_seconds": 0})
    whole, _ = learner.train(short, rows, rows[:4], folder=tmp_path / "whole")

    class _KilledError(Exception):
        pass

    calls = []

    def stop(note: str) -> None:
        calls.append(note)
        if len(calls) == 2:
            raise _KilledError

    with pytest.raises(_KilledError):
        learner.train(short, rows, rows[:4], folder=tmp_path / "killed", progress=stop)
    again, history = learner.train(short, rows, rows[:4], folder=tmp_path / "killed")
    assert len(history.epochs) == 4
    for name, tensor in whole.model.state_dict().items():
        assert tensor.equal(again.model.state_dict()[name]), name


def test_the_mean_of_two_operands_has_no_order(rows: list[Problem], config: Reading) -> None:
    for order, differs in (("mean", False), ("concatenate", True)):
        made = ReaderLearner(config.with_settings({"order": order}), rows, [])
        batch = made.reader.collate(made.train.examples[:2])
        _, _, _, units, asked = made.reader._read(batch)  # type: ignore[operator]
        import torch

        pairs = torch.tensor([[1, 3], [1, 3]])
        scores = [made.reader._order(units, asked, p) for p in (pairs, pairs.flip(1))]  # type: ignore[operator]
        assert bool((scores[0] - scores[1]).abs().max() > 1e-6) is differs


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What was the change in sales from 2018 to 2019?", 400),
        ("What was the percentage change in rent between 2018 and 2019?", Fraction(100, 3)),
        ("What is the average rent for 2017-2019?", 30),
        ("What is the ratio of sales to rent in 2019?", 30),
        ("How is the weather?", None),
    ],
)
def test_rules(question: str, value: Fraction | None) -> None:
    assert table_rules.answer(_asked(question, "1 + 1", {})).value == value


def test_rules_are_a_reader_that_learns_nothing(tmp_path: Path, rows: list[Problem]) -> None:
    made, history = learner.train(readers.default_config("table_rules"), rows, rows, folder=tmp_path)
    assert history.best == sum(score(p, table_rules.answer(p)).correct for p in rows) / len(rows)
    assert load_solver(tmp_path).answers(rows[:1])[0].text == made.solve(rows[:1])[0].text


def test_wrong_settings_say_what_to_do(config: Reading, rows: list[Problem]) -> None:
    with pytest.raises(UnknownNameError, match="tagop"):
        protocol.default_config("tagopp", 0, None, [])
    with pytest.raises(ConfigError, match="concatenate, mean"):
        config.with_settings({"order": "sum"})
    with pytest.raises(ConfigError, match="frozen_layers"):
        config.with_settings({"frozen_layers": -1})
    with pytest.raises(ConfigError, match="16 pieces"):
        config.with_settings({"length": 3})
    with pytest.raises(DncError, match="safetensors"):
        ReaderLearner(config.with_settings({"encoder": "no/such-folder"}), rows, [])
    with pytest.raises(UnknownNameError, match="tagop"):
        readers.get("tagup")


def test_protocol_prints_the_rules_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from dnc_datasets.cli import main

    words = [
        "protocol",
        "tagop",
        "--data",
        "tiny_tables",
        "--settings",
        "attack,defense",
        "--perturbations",
        "type",
    ]
    small = ["hidden=8", "embedding=8", "epochs=1", "length=64"]
    places = ["--results", str(tmp_path / "results"), "--runs", str(tmp_path / "runs")]
    assert main([*words, *(part for one in small for part in ("--set", one)), *places]) == 0
    shown = capsys.readouterr().out
    assert "| verdict | rules |" in shown
    assert "type (defense)" in shown
    # What it leaves is what `dnc score` reads, and counts alike.
    (cell,) = (tmp_path / "results").glob("tagop-tiny_tables-seed*-on-tiny_tables.json")
    (given,) = (tmp_path / "runs").glob("tagop-tiny_tables-seed*/predictions/tiny_tables.jsonl")
    assert main(["score", f"tiny_tables={given}", "--json"]) == 0
    scored = json.loads(capsys.readouterr().out)["cells"][0]["scores"]
    assert scored["answer_lenient"] == protocol.read_cell(cell)["accuracy"]


def test_further_tables_never_hold_a_tested_one(mirror: Path) -> None:
    gold = next(mirror.glob("NExTplusplus/TAT-QA/*/dataset_raw/tatqa_dataset_test_gold.json"))
    found = data.also(str(gold), "tiny_tables")
    assert len(found) > 600
    assert all(problem.equation for problem in found)
    assert sum(bool(problem.evidence) for problem in found) > 600
    with pytest.raises(UnknownNameError):
        data.also("tiny_tabels", "tiny_tables")
    assert data.also("tiny_tables", "tiny_tables") == ()

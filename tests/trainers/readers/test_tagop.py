"""TagOp on the embedded tables: programs, what is kept of a table, learning, and the rules beside it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
import torch

from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.problem import Problem, to_row
from dnc_datasets.serving import catalogue
from dnc_trainers import data, load_solver, protocol, readers, results
from dnc_trainers.config import ConfigError
from dnc_trainers.readers import learner, table_rules, tables
from dnc_trainers.readers.learner import ReaderLearner
from dnc_trainers.readers.programs import OPERATORS, execute, program
from dnc_trainers.readers.replies import Reading, Reply, score
from dnc_trainers.readers.tables import Unit
from dnc_trainers.readers.tagop import TagOp, _reply

_TABLE = (("", "2019", "2018", "2017"), ("Sales", "$1,200", "800", "(50)"), ("Rent", "40", "30", "20"))


def _asked(question: str, equation: str, operands: dict[str, str], unit: str = "") -> Problem:
    meta = (("operands", json.dumps(operands)),)
    return Problem("t", "Rent rose by 7 in May.", question, _TABLE, equation, "0", unit=unit, meta=meta)


@pytest.fixture(scope="module")
def rows() -> list[Problem]:
    return catalogue.read("tiny_tables")["train"][:8]


@pytest.fixture(scope="module")
def config() -> Reading:
    small = {"hidden": 32, "embedding": 24, "epochs": 60, "batch": 2, "lr": 5e-3, "dropout": 0}
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


def test_it_learns_what_it_has_seen(config: Reading, tmp_path: Path) -> None:
    by_table = {problem.note("template"): problem for problem in catalogue.read("tiny_tables")["train"]}
    rows = list(by_table.values())[:4]
    learnt, _ = learner.train(config, rows, [], folder=tmp_path / "run")
    assert learnt.dropped == 0
    answers = learnt.solve(rows)
    # The published order head takes the likelier operand for the first, so that an order may stay wrong.
    assert all(
        answer.correct or Fraction(answer.notes["turned round"]) == problem.exact_value()
        for answer, problem in zip(answers, rows, strict=True)
    )
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
    stated = TagOp.measures([asked] * 4, [turned, right, wrong, score(asked, Reply())])
    assert stated == {"ordered replies": 3, "wrong but for the order": pytest.approx(1 / 3)}
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
    """The published head cannot tell its operands apart; the concatenating one sees them as the text has them."""
    for order, size in (("mean", 32), ("concatenate", 64)):
        reader = ReaderLearner(config.with_settings({"order": order}), rows, []).reader
        assert isinstance(reader, TagOp)
        units = torch.randn(2, 5, 32)
        pairs = torch.tensor([[1, 3], [2, 0]])
        assert reader.order[1].weight.shape == (32, size)
        assert reader._order(units, pairs).allclose(reader._order(units, pairs.flip(1)))
    swapped = units[:, [0, 3, 2, 1, 4]]
    assert not reader._order(units, pairs)[0].allclose(reader._order(swapped, pairs)[0])


def test_parameters_have_the_shapes_of_the_released_heads(rows: list[Problem], config: Reading) -> None:
    """Of an encoder with states of size s: linear to s, layer norm, linear to the classes of the head."""
    size = 1024
    published = {"tag": (size, 2), "operator": (size, 10), "scale": (3 * size, 5), "order": (size, 2)}
    released = {
        f"{head}.{layer}.{kind}": shape
        for head, (inputs, classes) in published.items()
        for layer, kind, shape in (
            (1, "weight", (size, inputs)), (1, "bias", (size,)), (3, "weight", (size,)), (3, "bias", (size,)),
            (4, "weight", (classes, size)), (4, "bias", (classes,)),
        )
    }  # fmt: skip
    reader = ReaderLearner(config.with_settings({"hidden": size}), rows, []).reader
    shapes = {
        name: tuple(tensor.shape)
        for name, tensor in reader.state_dict().items()
        if not name.startswith("encoder.")
    }
    assert shapes == released
    widened = config.with_settings({"headings": True, "match": True, "order": "concatenate"})
    reader = ReaderLearner(widened, rows, []).reader
    assert isinstance(reader, TagOp)
    assert reader.tag[1].weight.shape == (32, 3 * 32 + tables.FEATURES)


def test_a_cell_is_as_likely_as_its_likeliest_piece(rows: list[Problem], config: Reading) -> None:
    reader = ReaderLearner(config, rows, []).reader.eval()
    assert isinstance(reader, TagOp)
    examples = [reader.example(problem) for problem in rows[:3]]
    scores = reader._scores(reader.collate(examples))
    for row, example in enumerate(examples):
        for unit in range(len(example.units)):
            pieces = [at for at, owner in enumerate(example.unit_of) if owner == unit]
            assert scores.operands[row, unit] == scores.tags[row, pieces, 1].max()
    # A shorter text of the batch has no operand after its end.
    assert all(
        pair < len(example.units)
        for example, two in zip(examples, scores.pairs().tolist(), strict=True)
        for pair in two
    )


_UNITS = (
    Unit("table.0.0", ("Sales",), None, 0, 0), Unit("table.0.1", ("12",), Fraction(12), 0, 1),
    Unit("table.0.2", ("8",), Fraction(8), 0, 2), Unit("", ("steel",), None, paragraph=0, place=0),
    Unit("", ("pipes,",), None, paragraph=0, place=1), Unit("", ("sold",), None, paragraph=0, place=3),
)  # fmt: skip


@pytest.mark.parametrize(
    ("operator", "pair", "tagged", "equation", "text"),
    [
        ("difference", (1, 2), (), "12 - 8", "4"),
        ("difference", (2, 1), (), "8 - 12", "-4"),
        ("difference", (0, 1), (), "", ""),  # a cell of words is no operand
        ("sum", (1, 2), (0, 1, 2), "12 + 8", "20"),
        ("sum", (1, 2), (), "", ""),
        ("average", (1, 2), (1, 2), "(12 + 8) / 2", "10"),
        ("span_table", (1, 2), (0, 3), "", "Sales"),
        ("span_text", (1, 2), (0, 3, 4, 5), "", "steel pipes"),
        ("spans", (1, 2), (0, 3, 4, 5), "", "Sales, steel pipes, sold"),
        ("span_text", (1, 2), (0,), "", ""),
        ("count", (1, 2), (0, 3, 4, 5), "3", "3"),
    ],
)
def test_a_reply_is_what_operator_and_tags_say(
    operator: str, pair: tuple[int, int], tagged: tuple[int, ...], equation: str, text: str
) -> None:
    chances = [0.9 - 0.05 * at if at in tagged else 0.1 for at in range(len(_UNITS))]
    reply = _reply(_UNITS, chances, operator, "", pair)
    assert (reply.equation, reply.text) == (equation, text)


def test_our_additions_learn_too(rows: list[Problem], config: Reading) -> None:
    added = {"headings": True, "match": True, "order": "concatenate", "number_pieces": 2}
    learnt, _ = learner.train(config.with_settings(added), rows, [])
    assert all(answer.correct for answer in learnt.solve(rows))


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
    with pytest.raises(ConfigError, match="mean, concatenate"):
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
        "research",
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
    found = {(one.data, one.test): one for one in results.load_folder(tmp_path / "results")}
    (given,) = (tmp_path / "runs").glob("tagop-tiny_tables-seed*/predictions/tiny_tables.jsonl")
    assert main(["score", f"tiny_tables={given}", "--json"]) == 0
    scored = json.loads(capsys.readouterr().out)["cells"][0]["scores"]
    assert scored["answer_lenient"] == found["tiny_tables", "tiny_tables"].accuracy


def test_further_tables_never_hold_a_tested_one(mirror: Path) -> None:
    gold = next(mirror.glob("NExTplusplus/TAT-QA/*/dataset_raw/tatqa_dataset_test_gold.json"))
    found = data.also(str(gold), "tiny_tables")
    assert len(found) > 600
    assert all(problem.equation for problem in found)
    assert sum(bool(problem.evidence) for problem in found) > 600
    with pytest.raises(UnknownNameError):
        data.also("tiny_tabels", "tiny_tables")
    assert data.also("tiny_tables", "tiny_tables") == ()

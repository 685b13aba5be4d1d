"""`dnc score` end to end: predictions that somebody has become the record that `dnc eval` would have written."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import perfect_model
import pytest

from dnc_datasets import cli, sources
from dnc_datasets.serving import catalogue
from dnc_harness import data, recording
from dnc_metrics import record
from dnc_metrics.record import Record

EMBEDDED = [name for name in sources.names() if not catalogue.variants(name)[0].source.files]
CONFIGS = ("tiny", "tiny-type-attack", "tiny-verbosity-attack")
Run = Callable[..., Record]


def _jsonl(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def _right(config: str) -> list[dict[str, Any]]:
    return [{"id": doc["id"], "output": doc["answer"]} for doc in data.splits(config)["test"]]


def _score(*words: object) -> Record:
    assert cli.main(["score", *map(str, words), "--out", "scored"]) == 0
    return record.load(Path("scored"))


@pytest.mark.parametrize("dataset", EMBEDDED)
def test_a_perfect_model_scores_100_however_it_writes(dataset: str, tmp_path: Path) -> None:
    rows = []
    configs = [variant.name for variant in catalogue.variants(dataset) if variant.setting in ("", "attack")]
    for at, config in enumerate(configs):
        for number, doc in enumerate(data.splits(config)["test"]):
            ways = [way for way in perfect_model.written(doc) if way[1]]
            # Another way for every row, so that a config meets them all.
            _, _, reply = next(islice(cycle(ways), (7 * number + at) % len(ways), None))
            rows.append({"config": config, "id": doc["id"], "output": reply})
    found = _score(_jsonl(tmp_path / "perfect.jsonl", rows))
    assert [cell.config for cell in found.cells] == configs
    for cell in found.cells:
        assert cell.scores["answer_lenient"] == cell.scores["answer_strict"] == 1.0, cell.config
        assert cell.statuses == {"right": cell.rows}
        assert cell.baselines["always 0"] < 0.5
    assert found.causes == ()
    assert {line.drop for table in found.tables for line in table.lines} <= {0.0, None}


def test_the_same_replies_get_the_record_of_dnc_eval(run: Run, tmp_path: Path) -> None:
    tasks = ("dnc_tiny_original", "dnc_tiny_type_attack", "dnc_tiny_verbosity_attack")
    asked = run("some_wrong", *tasks)
    replies = [
        {"config": one.cell.partition("|")[0], "id": one.id, "output": one.reply}
        for one in record.outcomes(tmp_path / "results", asked)
    ]
    scored = _score(_jsonl(tmp_path / "replies.jsonl", reversed(replies)), "--name", asked.system.name)
    by_config = {cell.config: cell for cell in scored.cells}
    assert [by_config[cell.config] for cell in asked.cells] == list(asked.cells)
    assert {line.verdict for table in asked.tables for line in table.lines} >= {"drop"}
    assert _lines(scored) == _lines(asked)
    assert sorted(scored.causes, key=str) == sorted(asked.causes, key=str)
    outcomes = {(one.cell, one.id): one for one in record.outcomes(Path("scored"), scored)}
    assert outcomes == {(one.cell, one.id): one for one in record.outcomes(tmp_path / "results", asked)}


def _lines(found: Record) -> list[tuple[str, Any]]:
    return sorted(((line.name, line) for table in found.tables for line in table.lines), key=str)


def test_several_files_and_csv(tmp_path: Path) -> None:
    words = []
    for config in CONFIGS:
        path = tmp_path / f"{config}.csv"
        with path.open("w", newline="", encoding="utf-8-sig") as file:
            writer = csv.DictWriter(file, ("id", "prediction"))
            writer.writeheader()
            writer.writerows({"id": row["id"], "prediction": row["output"]} for row in _right(config))
        words.append(f"{config}={path}")
    found = _score(*words)
    assert [cell.config for cell in found.cells] == list(CONFIGS)
    assert all(cell.right == cell.rows for cell in found.cells)
    assert found.system.name == "tiny"


def test_a_file_of_one_config_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _jsonl(tmp_path / "mine.jsonl", _right("tiny"))
    assert cli.main(["score", str(path), "--config", "tiny", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["schema"] == record.SCHEMA
    assert shown["cells"][0]["data"]["sha256"]
    assert not Path("scored").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows[3:], "without an output"),
        (lambda rows: [*rows, rows[4]], "given more than once"),
        (lambda rows: [*rows, {"id": "no-such-row", "output": "7"}], "no test row of it"),
        (lambda rows: [{"id": "x"}, *rows], "a row needs `id` and one of output"),
        (lambda rows: [{**rows[0], "output": None}, *rows[1:]], "is null; give the reply as text"),
        (lambda rows: [], "holds no predictions"),
    ],
)
def test_ids_that_do_not_fit_are_told(
    change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = _jsonl(tmp_path / "mine.jsonl", change(_right("tiny")))
    assert cli.main(["score", str(path), "--config", "tiny"]) == 1
    assert said in capsys.readouterr().err


def test_part_of_the_rows_can_be_scored(tmp_path: Path) -> None:
    paths = [
        f"{config}={_jsonl(tmp_path / f'{config}.jsonl', _right(config)[:40])}" for config in CONFIGS[:2]
    ]
    found = _score(*paths, "--partial")
    assert {cell.rows for cell in found.cells} == {40}
    assert len(found.tables) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("{}",), "which config is it"),
        (("{}", "--config", "tinny"), "did you mean tiny"),
        (("tiny={}", "tiny={}"), "give each config once"),
        (("tiny=no-such-file.jsonl",), "there is no file"),
        (("{}", "--config", "svamp"), "`dnc build svamp` provides it"),
        (("{}", "--config", "tiny", "--margin", "-5"), "--margin -5: give points above 0 and below 100"),
        (("{}", "--config", "tiny", "--margin", "500"), "--margin 500: give points"),
        (("{}", "--config", "tiny", "--margin", "nan"), "--margin nan: give points"),
    ],
)
def test_errors_say_what_to_do(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _jsonl(tmp_path / "mine.jsonl", _right("tiny"))
    assert cli.main(["score", *(word.format(path) for word in words)]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"[1]\n", b"{\n", b"\xff\xfe\n", b"[" * 100_000])
def test_files_that_are_no_predictions(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    assert cli.main(["score", str(path), "--config", "tiny"]) == 1
    assert "bad.jsonl" in capsys.readouterr().err


def test_equations_are_scored_as_equations(tmp_path: Path) -> None:
    rows = [{"id": doc["id"], "output": doc["equation"]} for doc in data.equation_splits("tiny")["test"]]
    found = _score(_jsonl(tmp_path / "mine.jsonl", rows), "--config", "tiny", "--prompt", "equation")
    assert found.cells[0].scores["equation_executes"] == 1.0


def _own(folder: Path) -> Path:
    """Forty problems of somebody's own, perturbed; the answer is always 9."""
    problems = [
        {"id": str(at), "problem": f"Tom had {at + 12} pens and lost {at + 3} of them. How many are left?",
         "equation": f"{at + 12} - {at + 3}", "answer": "9"}
        for at in range(40)
    ]  # fmt: skip
    _jsonl(folder / "pens.jsonl", problems)
    words = ["perturb", str(folder / "pens.jsonl"), "--with", "verbosity", "--out"]
    assert cli.main([*words, str(folder / "mine.jsonl")]) == 0
    return folder / "mine.jsonl"


def test_ones_own_perturbed_file(tmp_path: Path) -> None:
    own = _own(tmp_path)
    ids = [str(at) for at in range(40)]
    clean = _jsonl(tmp_path / "clean.jsonl", ({"id": row, "output": "9"} for row in ids))
    wrong = _jsonl(tmp_path / "wrong.jsonl", ({"id": row, "output": "8"} for row in ids))
    found = _score(own, clean, wrong)
    assert _score(f"mine={clean}", f"mine-verbosity-attack={wrong}", "--own", own).cells == found.cells
    (table,) = found.tables
    assert [(line.name, line.drop, line.verdict) for line in table.lines] == [
        ("operand_selection", 1.0, "drop"),
        ("verbosity", 1.0, "drop"),
    ]
    assert {cell.dataset for cell in found.cells} == {"mine"}


def _rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_doubled_id_of_ones_own_file_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = _own(tmp_path)
    _jsonl(own, [*(rows := _rows_of(own)), rows[7]])
    clean = _jsonl(tmp_path / "clean.jsonl", ({"id": str(at), "output": "9"} for at in range(40)))
    assert cli.main(["score", f"mine={clean}", "--own", str(own)]) == 1
    assert "line 41: the id '7' is that of line 8 too" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": "Tom had 12 pens."}, "source is a text instead of an object"),
        ({"source": {"body": "Tom had 12 pens."}}, "source.question is missing"),
        ({"id": ["a"]}, "id is a list instead of a text"),
        ({"table": [1, 2]}, "table[0] is a number instead of a list"),
        ({"meta": "[1]"}, "`meta` is no object"),
        ({"meta": "template 7"}, "not JSON"),
        ({"history": ["How many?"]}, "history[0] is a text instead of an object"),
        ({"perturbation": None}, "perturbation is null instead of a text"),
    ],
)
def test_a_line_that_dnc_perturb_does_not_write_is_named(
    change: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = _own(tmp_path)
    rows = _rows_of(own)
    _jsonl(own, [*rows[:6], {**rows[6], **change}, *rows[7:]])
    clean = _jsonl(tmp_path / "clean.jsonl", ({"id": str(at), "output": "9"} for at in range(40)))
    assert cli.main(["score", f"mine={clean}", "--own", str(own)]) == 1
    error = capsys.readouterr().err
    assert "line 7" in error
    assert message in error
    assert "give a file that `dnc perturb` wrote" in error


def test_rows_of_ones_own_without_an_answer_are_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = _own(tmp_path)
    rows = _rows_of(own)
    for row in rows[:3]:
        row["answer"] = ""
        if row["source"]:
            row["source"]["answer"] = ""
    _jsonl(own, rows)
    clean = _jsonl(tmp_path / "clean.jsonl", ({"id": str(at), "output": "9"} for at in range(40)))
    found = _score(f"mine={clean}", f"mine-verbosity-attack={clean}", "--own", own)
    assert [(cell.rows, cell.right, cell.left_out) for cell in found.cells] == [(37, 37, 3)] * 2
    assert "mine-verbosity-attack: 3 rows have no answer to score by" in capsys.readouterr().out
    # Nobody needs an output for them.
    few = _jsonl(tmp_path / "few.jsonl", ({"id": str(at), "output": "9"} for at in range(3, 40)))
    assert _score(f"mine={few}", "--own", own).cells[0].rows == 37
    _jsonl(own, [{**row, "answer": "", "source": None} for row in rows])
    assert cli.main(["score", f"mine={clean}", "--own", str(own)]) == 1
    assert "no row of mine has an answer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("reply", "stated"),
    [
        ("570 + 470 = 1040. Check: 1040 is not 470.", ""),
        ("570 + 470 = 1030. The answer is 1030.", "570 + 470"),
        ("570 - 470 = 100. The answer is 100.", "570 - 470"),
    ],
)
def test_a_calculation_whose_result_is_right_is_no_slip(reply: str, stated: str) -> None:
    row = {
        "id": "a",
        "body": "One walk is 570 meters, one 470.",
        "question": "How far?",
        "equation": "570 + 470",
    }
    asked = recording.of_rows(
        [{**row, "answer": "1040", "meta": "{}"}], recording.once({"a": reply}), prompt="direct", config="own",
        dataset="own", fold="", perturbation="", setting="", capability="", data={},
    )  # fmt: skip
    (scored,) = asked.replies
    assert not scored.right
    assert scored.stated == stated

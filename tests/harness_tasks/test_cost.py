"""What a run costs is told before it starts, and follows from the prompts and the rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnc_datasets.cli import main
from dnc_harness import cost, data, evaluate, generate, prompts
from dnc_harness.evaluate import Settings
from dnc_metrics import intervals


def settings(tmp_path: Path, **more: object) -> Settings:
    words = {
        "model": "dummy",
        "tasks": ("dnc_tiny_original",),
        "out": tmp_path / "out",
        "data": tmp_path / "none",
    }
    return Settings(**{**words, **more})  # type: ignore[arg-type]


def test_rows_and_tokens_of_a_task(tmp_path: Path) -> None:
    asked = settings(tmp_path, limit=10)
    found = cost.estimate(asked, evaluate.chosen(asked))
    docs = data.splits("tiny", dnc_limit=10, dnc_data=str(tmp_path / "none"))["test"]
    letters = sum(len(prompts.direct(doc)) for doc in docs)
    assert (found.tasks, found.rows) == (1, 10)
    assert letters / 5 < found.tokens_in < letters / 2
    assert found.tokens_out == 10 * generate.MOST_TOKENS["direct"]
    more = settings(tmp_path, limit=10, num_fewshot=2, gen_kwargs={"max_gen_toks": 5})
    shown = cost.estimate(more, evaluate.chosen(more))
    assert shown.tokens_in > found.tokens_in
    assert shown.tokens_out == 50


@pytest.mark.parametrize("points", [1, 3, 5, 10])
def test_a_precision_is_what_its_rows_give(points: int) -> None:
    rows = cost.rows_for(points)
    low, high = intervals.wilson(rows / 2, rows)
    assert 100 * (high - low) / 2 <= points
    low, high = intervals.wilson((rows * 0.8) / 2, rows * 0.8)
    assert 100 * (high - low) / 2 > points


def test_the_command_tells_it_and_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--model", "dummy", "--tasks", "dnc_tiny_original", "--out", str(tmp_path / "out"), "--estimate"]
    assert main(["eval", *words, "--precision", "10", "--data", str(tmp_path / "none")]) == 0
    assert "1 tasks, 97 rows" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert main(["eval", *words, "--precision", "0"]) == 1
    assert "between 0 and 50" in capsys.readouterr().err

"""What several judges say together, and what a system scores on the rows that they call valid."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dnc_datasets import cli, review
from dnc_datasets.errors import DncError
from dnc_datasets.review import Mark
from dnc_datasets.serving import catalogue
from dnc_leaderboard import report
from dnc_metrics import judges

CONFIG = "tiny-type-attack"


def _marks(table: str, config: str = "c") -> list[Mark]:
    """One word a judge, one letter a pair: g good, b bad, - none."""
    words = {"g": "good", "b": "bad"}
    return [
        Mark(config, str(pair), f"judge{judge}", words[letter])
        for judge, word in enumerate(table.split())
        for pair, letter in enumerate(word)
        if letter != "-"
    ]


def test_fleiss_kappa_is_that_of_the_textbook() -> None:
    # Three judges, four pairs: P = (1 + 1/3 + 1/3 + 1) / 4, both verdicts given six times of twelve.
    assert judges.fleiss(_marks("ggbb ggbb gbgb"))[1] == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))
    assert judges.fleiss(_marks("gg gg gg")) == (2, None)
    assert judges.fleiss(_marks("gb")) == (0, None)
    assert judges.fleiss(_marks("gb gb"))[1] == pytest.approx(1.0)


def test_a_majority_needs_three_judges_and_more_than_half() -> None:
    found = judges.majority(_marks("ggb- gbb- bgbg gb--"))
    assert found == {("c", "0"): "good", ("c", "1"): "none", ("c", "2"): "bad"}
    assert judges.majority(_marks("g"), least=1) == {("c", "0"): "good"}
    twice = [*_marks("b"), Mark("c", "0", "judge0", "good")]
    assert judges.majority(twice, least=1) == {("c", "0"): "good"}, "a judge's last word counts"


def test_rows_judged_valid_are_scored_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = catalogue.find(CONFIG).rows({"test": catalogue.read("tiny")["test"]})["test"]
    changed = [row.problem for row in rows if row.original is not None]
    valid = {problem.id for problem in changed[::4]}
    # Right on every valid row and on no other.
    said = {row.problem.id: row.problem.answer if row.problem.id in valid else "no idea" for row in rows}
    predictions = tmp_path / "said.jsonl"
    predictions.write_text(
        "".join(json.dumps({"id": key, "output": text}) + "\n" for key, text in said.items())
    )
    marks = tmp_path / "marks.jsonl"
    given = [Mark(CONFIG, one.id, "ana", "good" if one.id in valid else "bad") for one in changed]
    marks.write_text("".join(review.line(mark) + "\n" for mark in given))
    words = ["score", str(predictions), "--config", CONFIG, "--out", str(tmp_path / "out"), "--marks"]
    assert cli.main([*words, str(marks)]) == 0
    stated = capsys.readouterr().out
    assert f"judged valid: 100.0 % of {len(valid)} [" in stated
    ((record, outcomes),) = report.load([tmp_path / "out"])
    every, good, drawn = judges.parts(record, outcomes, given)
    assert every.rows == len(changed)
    assert good.rows == drawn.rows == len(valid)
    assert drawn.right < drawn.rows, "a random sample holds rows that were called bad"
    assert "more rows" not in judges.summary(record, outcomes, given)
    fewer = [one for one in outcomes if one.id != changed[0].id]
    assert judges.summary(record, fewer, given).endswith("1 more rows were judged valid and not scored")
    with pytest.raises(DncError, match="no perturbed row was scored"):
        judges.parts(record, outcomes, [Mark("tiny-noise-attack", "x", "ana", "good")])
    assert cli.main([*words, str(tmp_path / "none.jsonl")]) == 1
    assert "there is no file of marks" in capsys.readouterr().err

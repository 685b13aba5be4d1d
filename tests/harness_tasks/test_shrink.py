"""Of all that was changed, the least that still fails: models that stumble over one known thing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import cli
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_harness import shrink

ROW = catalogue.read("tiny")["test"][0]
# Answers right, unless the text holds a denied number; and one that stumbles over ".0" alone.
MODELS = f"""
def denied(texts):
    return ["0" if "(not" in text else {ROW.answer!r} for text in texts]

def decimal(texts):
    return ["0" if ".0" in text else {ROW.answer!r} for text in texts]

def right(texts):
    return [{ROW.answer!r} for text in texts]
"""


@pytest.fixture(autouse=True)
def _models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stumbling.py").write_text(MODELS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "stumbling", raising=False)


def _shrunk(model: str, config: str, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert cli.main(["eval", "shrink", config, ROW.id, "--model", f"stumbling:{model}", "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_steps_that_are_not_needed_go(capsys: pytest.CaptureFixture[str]) -> None:
    found = _shrunk("decimal", "tiny-type+verbosity+extra-attack", capsys)
    assert found["steps"] == ["type"]
    assert len(found["changes"]) == 1  # type: ignore[arg-type]
    assert found["of"] == 2, "both numbers had got a decimal"


def test_one_denied_number_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    found = _shrunk("denied", "tiny-verbosity-attack", capsys)
    assert len(found["changes"]) == 1  # type: ignore[arg-type]
    text = found["row"]["body"] + found["row"]["question"]  # type: ignore[index]
    assert text.count("(not") == 1
    assert cli.main(["eval", "shrink", "tiny-verbosity-attack", ROW.id, "--model", "stumbling:denied"]) == 0
    assert "1 of 2 changes of verbosity are enough" in capsys.readouterr().out


def test_changes_that_change_the_answer_stay_together(capsys: pytest.CaptureFixture[str]) -> None:
    found = _shrunk("right", "tiny-noise-attack", capsys)
    assert found["steps"] == ["noise"]
    assert len(found["changes"]) == found["of"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tiny", ROW.id, "right"), "is an original"),
        (("tiny-verbosity-attack", ROW.id, "right"), "choose a row on which it fails"),
        (("tiny-verbosity-attack", "no-such-row", "right"), "no-such-row"),
        (("tiny_tables-type-attack", ROW.id, "right"), "shrinking asks whole word problems"),
    ],
)
def test_errors_say_what_to_do(
    words: tuple[str, str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config, row, model = words
    assert cli.main(["eval", "shrink", config, row, "--model", f"stumbling:{model}"]) == 1
    assert said in capsys.readouterr().err


TEXTS = st.lists(st.sampled_from(["Tom", "has", "3", "(not 4)", "pens.", " ", "\n"]), max_size=12).map(
    " ".join
)


@given(TEXTS, TEXTS)
def test_all_changes_make_the_perturbed_text_and_none_the_original(before: str, after: str) -> None:
    one, other = (Problem("1", text, "How many?", answer="7") for text in (before, after))
    changes = shrink.differences(one, other)
    assert shrink.apply(one, other, changes).body.split() == after.split()
    assert shrink.apply(one, other, []).body == before

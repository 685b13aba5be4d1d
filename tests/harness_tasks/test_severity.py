"""Accuracy against strength: a scripted model that fails from a known strength on."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import scripted

from dnc_datasets import cli
from dnc_harness import data, severity
from dnc_metrics import record


def _run(script: str, *words: str) -> int:
    given = [
        "eval",
        "severity",
        "tiny",
        "--model",
        "scripted",
        "--model-args",
        f"script={script}",
        "--out",
        "r",
    ]
    return cli.main([*given, "--limit", "40", *words])


def test_large_numbers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def small_numbers_only(doc: dict[str, object]) -> str:
        return str(doc["answer"]) if len(str(doc["answer"]).partition("/")[0]) < 5 else "I do not know."

    monkeypatch.setitem(scripted.SCRIPTS, "small", small_numbers_only)
    assert _run("small", "--with", "distribution") == 0
    found = record.load(Path("r"))
    wanted = severity.strengths("distribution", "tiny")
    (drawn,) = found.curves
    points = drawn.strengths
    assert [point.name for point in points] == ["original", *(one.name for one in wanted)]
    assert len({cell.rows for cell in found.cells}) == 1, "the same rows at every strength"
    shares = [point.accuracy for point in points]
    assert shares[1] > 0.8
    assert shares[-1] < 0.2
    assert all(
        low <= share <= high
        for point in points
        for low, share, high in [(*point.band[:1], point.accuracy, point.band[1])]
    )
    assert "accuracy in % by strength" in capsys.readouterr().out
    ElementTree.fromstring(Path("r/severity.svg").read_text())


def test_extra_sentences_and_stacks() -> None:
    more = severity.strengths("extra", "tiny")
    assert [one.times for one in more] == [1, 2, 3, 4, 5]
    first, *others = severity.sets("tiny", more[:3], data.folder())
    assert {row["id"] for row in first.rows} == {row["id"] for row in others[-1].rows}
    assert all(row["perturbed"] for one in others for row in one.rows)
    lengths = [sum(len(row["body"]) for row in one.rows) for one in (first, *others)]
    assert lengths == sorted(lengths)
    stacked = severity.strengths("type, verbosity,extra", "tiny")
    assert [one.recipe for one in stacked] == ["type", "type+verbosity", "type+verbosity+extra"]
    assert _run("right", "--with", "type,verbosity") == 0
    assert [cell.capability for cell in record.load(Path("r")).cells][1:] == ["type+verbosity"] * 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--with", "type"), "no strength to vary"),
        (("--with", "distribution", "--over", "nu=1,2"), "distribution takes"),
        (("--with", "distribution", "--over", "mu=ten"), "two or more numbers"),
        (("--with", "type,verbosity", "--over", "mu=1,2"), "--over is for one"),
        (("--with", "distributoin"), "did you mean"),
    ],
)
def test_errors_say_what_to_do(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("right", *words) == 1
    assert said in capsys.readouterr().err

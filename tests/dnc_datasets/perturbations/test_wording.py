"""The perturbations of what problems say: case table, and coverage on the real data."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording.paraphrases import rewrites
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.settings import perturb


def _table(name: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads(Path(__file__).with_name(f"{name}.json").read_text("utf-8"))
    return cases


CASES = _table("wording_cases")
PARAPHRASES = _table("paraphrase_cases")
# Perturbation -> how many problems of ASDiv-a it must change, by split.
COVERAGE = {
    "paraphrase": {"train": 820, "test": 94},
    "logic": {"train": 345, "test": 44},
    "order": {"train": 285, "test": 42},
    "question_reordering": {"train": 690, "test": 94},
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['with']}: {case['body'][:40]}")
def test_case(case: dict[str, Any]) -> None:
    step = perturbations.get(case["with"])
    target = case.get("equation", ["", ""])
    problem = Problem(
        "1",
        case["body"],
        case["question"],
        equation=target[0],
        answer=Problem("1", "", "", equation=target[0]).expected_answer() if target[0] else "",
        unit=case.get("unit", ""),
    )
    # Without a frame, one is drawn.
    frame = {"frame": case.get("frame", "given")} if case["with"] == "question_reordering" else {}
    changed = step.apply(problem, Draw(case.get("seed", 0), "cases", "1", step.name), **frame)
    assert ([changed.body, changed.question] if changed else None) == case["becomes"]
    if changed:
        assert changed.equation == target[1]
        assert changed.answer == (changed.expected_answer() if changed.equation else "")
        certify(problem, changed, step)


@pytest.mark.parametrize("case", PARAPHRASES, ids=lambda case: case["sentence"][:40])
def test_paraphrase_rules_say_what_they_may(case: dict[str, Any]) -> None:
    said = [made for _, made in rewrites(case["sentence"])]
    assert set(case["says"]) <= set(said)
    for made in said:
        assert not any(words in made for words in case["never"])


def test_logic_reaches_the_embedded_corpus() -> None:
    rows = catalogue.find("tiny-logic-attack").rows(catalogue.read("tiny"))["test"]
    assert sum(row.original is not None for row in rows) >= 60


@cache
def asdiv_a(mirror: Path) -> dict[str, list[Problem]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DNC_MIRROR", str(mirror))
        return catalogue.read("asdiv_a")


@pytest.mark.parametrize("name", COVERAGE)
def test_coverage_on_real_data(name: str, mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks of moved words and of questions read for themselves; they may refuse one row in fifty."""
    monkeypatch.delenv("DNC_STRICT", raising=False)
    splits = asdiv_a(mirror)
    for split, least in COVERAGE[name].items():
        rows = [perturb(problem, perturbations.recipe(name), dataset="asdiv_a") for problem in splits[split]]
        assert sum(row.original is not None for row in rows) >= least
        assert sum(row.failed for row in rows) <= max(2, least / 50)
        again = [perturb(problem, perturbations.recipe(name), dataset="asdiv_a") for problem in splits[split]]
        assert rows == again

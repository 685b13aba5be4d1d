"""A perfect model scores 100.0 on every config, however it writes its answers, wherever it is scored."""

from __future__ import annotations

import asyncio
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import perfect_model
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dnc_datasets import sources
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_harness import scoring
from dnc_metrics import answers, replies

EMBEDDED = [name for name in sources.names() if not catalogue.variants(name)[0].source.files]
MIRRORED = ("asdiv_a", "mawps", "svamp")
_ROWS = 10
_STAND_IN_ROWS = 4  # reading a whole file costs more than they do


def _docs(
    dataset: str, given: Path | None = None, count: int = _ROWS
) -> list[tuple[str, list[perfect_model.Doc]]]:
    read: dict[str, list[Problem]] = {}
    found = []
    for variant in catalogue.variants(dataset):
        if variant.setting == "defense" or variant.fold not in ("", "fold0"):
            continue  # the same test rows as the attack, and folds of the same rows
        if variant.fold not in read:
            problems = catalogue.read(dataset, variant.fold, given)["test"]
            read[variant.fold] = perfect_model.sample(problems, count)
        found.append((variant.name, perfect_model.docs(variant, {"test": read[variant.fold]})))
    return found


def _inspect(doc: perfect_model.Doc, reply: str) -> dict[str, float]:
    from dnc_harness.inspect import answer_scores

    output = SimpleNamespace(completion=reply, stop_reason="stop", error=None, choices=[reply])
    state: Any = SimpleNamespace(metadata=doc, output=output)
    scored: dict[str, float] = asyncio.run(answer_scores()(state, None)).value
    return scored


def _check(dataset: str, given: Path | None = None, count: int = _ROWS) -> None:
    configs = _docs(dataset, given, count)
    assert configs
    for name, docs in configs:
        for doc in docs:
            for way, marks, reply in perfect_model.written(doc):
                scored = scoring.answer(doc, [reply])
                wanted = (1.0, 1.0 if marks else scored["answer_strict"], 0.0, 0.0)
                keys = ("answer_lenient", "answer_strict", "not_found", "truncated")
                assert tuple(scored[key] for key in keys) == wanted, (name, doc["id"], way, reply)


@pytest.mark.parametrize("dataset", EMBEDDED)
def test_a_perfect_model_never_loses(dataset: str) -> None:
    _check(dataset)


@pytest.mark.parametrize("dataset", MIRRORED)
def test_a_perfect_model_never_loses_on_real_rows(
    dataset: str, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    _check(dataset)


@pytest.mark.parametrize("dataset", perfect_model.STAND_INS)
def test_a_perfect_model_never_loses_on_stand_ins(dataset: str, standin: Path, tmp_path: Path) -> None:
    given = perfect_model.stand_in(dataset, standin, tmp_path)
    if given is None:
        pytest.skip(f"no stand-in for {dataset} in {standin}")
    _check(dataset, given, _STAND_IN_ROWS)


def test_lm_eval_inspect_and_the_plain_function_agree() -> None:
    pytest.importorskip("inspect_ai")
    wrong = ("The answer is 123456789.", "I do not know.", "<think>The answer is 5", "5%", "")
    for dataset in EMBEDDED:
        _, docs = _docs(dataset)[-1]
        for doc in docs[:2]:
            ways = [reply for _, _, reply in perfect_model.written(doc)]
            for reply in (*ways[::7], *wrong):
                scored = scoring.answer(doc, [reply])
                assert _inspect(doc, reply) == scored
                plain = replies.score(doc, reply)
                assert (plain.lenient, plain.strict, plain.exact) == (
                    bool(scored["answer_lenient"]),
                    bool(scored["answer_strict"]),
                    bool(scored["answer_exact"]),
                )


@given(
    st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**7)
    | st.integers(1, 10**7).map(lambda size: Fraction(1, size))
)
@example(Fraction(1, 14))
@example(Fraction(1, 300))
@example(Fraction(199, 2000))
def test_who_rounds_as_the_prompts_ask_is_right(gold: Fraction) -> None:
    shown = str(gold) if gold.denominator == 1 else perfect_model._decimals(gold, 2)
    assert replies.score({"answer": str(gold), "question": "How much?"}, shown).strict


def test_the_perfect_model_would_notice_a_wrong_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    docs = [doc for _, some in _docs("tiny") for doc in some]
    lost, count, _ = perfect_model.failures(docs)
    assert count > 1000
    assert not lost
    exact = answers.ROUNDED
    monkeypatch.setattr("dnc_metrics.acceptance.ROUNDED", f"not {exact}")
    lost, _, _ = perfect_model.failures(docs)
    assert lost["two decimals, alone"]


def test_a_reply_that_hits_the_limit_is_truncated_unless_it_marks_an_answer() -> None:
    doc = {"answer": "7", "question": "How many?"}
    assert replies.score(doc, "First 3 + 4 gives 7, and", cut_off=True).truncated
    assert replies.score(doc, "The answer is 7. I also", cut_off=True).lenient

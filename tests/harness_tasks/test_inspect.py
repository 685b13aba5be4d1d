"""The inspect_ai task gives the scores that the lm-eval task gives, with inspect's mock model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scripted

from dnc_datasets.errors import UnknownNameError
from dnc_harness import data
from dnc_leaderboard.record import Record

inspect_ai = pytest.importorskip("inspect_ai")


def _evaluate(task: Any, replies: list[str], tmp_path: Path) -> Any:
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    outputs = [ModelOutput.from_content("mock", reply) for reply in replies]
    for output in outputs:
        output.usage = ModelUsage()  # without one, the mock model downloads a tokenizer to count with
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_ai.eval(
        task, model=model, display="none", log_dir=str(tmp_path / "logs"), max_connections=1, max_samples=1
    )
    assert log.status == "success", log.error
    return log


def _means(log: Any) -> dict[str, float]:
    return {score.name: score.metrics["mean"].value for score in log.results.scores}


def test_scores_are_those_of_lm_eval(tmp_path: Path, run: Callable[..., Record]) -> None:
    from dnc_harness.inspect import dnc

    (expected,) = run("in_styles", "dnc_tiny_noise_attack", limit=12).cells
    docs = data.splits("tiny-noise-attack", dnc_limit=12)["test"]
    replies = [scripted.in_styles(doc) for doc in docs]
    log = _evaluate(dnc("tiny-noise-attack", limit=12), replies, tmp_path)
    assert {name: value for name, value in _means(log).items() if name in expected.scores} == expected.scores
    assert {sample.id for sample in log.samples} == {doc["id"] for doc in docs}


def test_equations_and_worked_examples(tmp_path: Path) -> None:
    from dnc_harness.inspect import dnc

    replies = [scripted.equation(doc) for doc in data.splits("tiny", dnc_limit=3)["test"]]
    log = _evaluate(dnc("tiny", prompt="equation", shots=2, limit=3), replies, tmp_path)
    assert _means(log)["equation_executes"] == 1.0
    roles = [message.role for message in log.samples[0].messages]
    assert roles == ["user", "assistant", "user", "assistant", "user", "assistant"]


@pytest.mark.parametrize("config", ["tiny_tables-noise-attack", "tiny_dialogues-type-attack"])
@pytest.mark.parametrize("prompt", ["direct", "equation"])
def test_tables_and_conversations(config: str, prompt: str, tmp_path: Path) -> None:
    from dnc_harness.inspect import dnc

    reply = scripted.equation if prompt == "equation" else scripted.right
    splits = data.equation_splits if prompt == "equation" else data.splits
    replies = [reply(doc) for doc in splits(config)["test"]]
    log = _evaluate(dnc(config, prompt=prompt, shots=2), replies, tmp_path)
    means = _means(log)
    assert means["equation_executes" if prompt == "equation" else "answer_strict"] == 1.0
    assert means["not_found"] == 0.0
    assert len(log.samples) == len(replies)


def test_an_unknown_prompt_is_an_error() -> None:
    from dnc_harness.inspect import dnc

    with pytest.raises(UnknownNameError, match="direct"):
        dnc("tiny", prompt="dirct")


def test_inspect_finds_the_task_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """`inspect eval dnc_harness/dnc` works where the package is installed; inspect knows no editable ones by it."""
    from importlib.metadata import entry_points

    from inspect_ai._util import package

    points = {point.value for point in entry_points(group="inspect_ai", name="dnc_harness")}
    assert points == {"dnc_harness.inspect"}
    monkeypatch.setattr(package, "package_path_is_in_site_packages", lambda path: True)
    (point, *_) = entry_points(group="inspect_ai", name="dnc_harness")
    assert package.get_installed_package_name(point.load().dnc) == "dnc_harness"

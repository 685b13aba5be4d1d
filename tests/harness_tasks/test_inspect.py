"""The inspect_ai task gives the scores that the lm-eval task gives, with inspect's mock model."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scripted

from dnc_datasets.errors import UnknownNameError
from dnc_harness import data
from dnc_harness.errors import HarnessError
from dnc_metrics.record import Record

inspect_ai = pytest.importorskip("inspect_ai")


def _evaluate(task: Any, replies: list[str], tmp_path: Path) -> Any:
    from inspect_ai.model import ModelOutput

    return _evaluate_outputs(task, [ModelOutput.from_content("mock", reply) for reply in replies], tmp_path)


def _evaluate_outputs(task: Any, outputs: list[Any], tmp_path: Path) -> Any:
    from inspect_ai.model import ModelUsage, get_model

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


def test_each_prompt_has_its_scorer() -> None:
    from dnc_harness.inspect import _SCORERS, equation_scores, graph_scores

    assert {"equation": equation_scores, "graph": graph_scores} == _SCORERS


def test_an_unknown_prompt_is_an_error() -> None:
    from dnc_harness.inspect import dnc

    with pytest.raises(UnknownNameError, match="direct"):
        dnc("tiny", prompt="dirct")


def test_a_capability_has_the_originals_and_the_changed_rows(tmp_path: Path) -> None:
    from dnc_harness import logs
    from dnc_harness.inspect import CAPABILITY_TASKS

    assert {"tiny_number_detection", "asdiv_a_operand_selection", "tiny_probe"} <= CAPABILITY_TASKS.keys()
    task = CAPABILITY_TASKS["tiny_tables_number_detection"](limit=4)
    samples = list(task.dataset)
    configs = {sample.metadata["config"] for sample in samples}
    assert {"tiny_tables", "tiny_tables-language_plausible-attack", "tiny_tables-type-attack"} <= configs
    assert "tiny_tables-language-attack" not in configs, "a diagnosis uses the plausible form"
    assert all(one.metadata["perturbed"] for one in samples if one.metadata["config"] != "tiny_tables")
    log = _evaluate(task, [str(sample.metadata["answer"]) for sample in samples], tmp_path)
    lenient = next(score for score in log.results.scores if score.name == "answer_lenient")
    assert lenient.metrics["grouped_tiny_tables-type-attack"].value == 1.0
    _, logged = logs.inspect([Path(log.location)])
    assert {one.variant.name for one in logged} == configs


def test_inspect_finds_the_tasks_in_editable_and_normal_installations(tmp_path: Path) -> None:
    """In a process of its own; the package lies in site-packages, or in a folder that is on the path."""
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "dnc_harness").symlink_to(Path(data.__file__).parent)
    find = "from inspect_ai._util.registry import registry_lookup as find\n"
    find += "assert find('task', 'dnc_harness/dnc') and find('task', 'dnc_harness/tiny_probe')"
    for path in ("", str(tmp_path / "site-packages")):
        code = f"import sys\nsys.path.insert(0, {path!r}) if {path!r} else None\n{find}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_numbers_come_from_a_tool(tmp_path: Path) -> None:
    from inspect_ai.model import ModelOutput

    from dnc_harness.inspect import dnc_tools

    task = dnc_tools("tiny", limit=2)
    model = "mockllm/model"
    outputs = []
    for sample in task.dataset:
        numbers, gold = sample.metadata["named_numbers"], sample.metadata["answer"]
        assert numbers
        assert not any(f" {number} " in str(sample.input) for number in numbers.values())
        equation = sample.metadata["equation"]
        outputs += [ModelOutput.for_tool_call(model, "look_up", {"name": name}) for name in numbers]
        outputs += [
            ModelOutput.for_tool_call(model, "look_up", {"name": "nobody"}),
            ModelOutput.for_tool_call(model, "calculate", {"formula": equation}),
            ModelOutput.for_tool_call(model, "calculate", {"formula": "__import__('os')"}),
            ModelOutput.from_content(model, f"The answer is {gold}."),
        ]
    log = _evaluate_outputs(task, outputs, tmp_path)
    assert _means(log)["answer_strict"] == 1.0
    for sample in log.samples:
        results = [message for message in sample.messages if message.role == "tool"]
        shown = [message.text for message in results if message.error is None]
        assert shown[:-1] == list(sample.metadata["named_numbers"].values())
        assert shown[-1] == sample.metadata["answer"]
        assert sum(message.error is not None for message in results) == 2


def test_the_tool_knows_the_numbers_of_the_latest_sample() -> None:
    from inspect_ai.model import ModelName
    from inspect_ai.solver import TaskState
    from inspect_ai.tool import ToolError

    from dnc_harness.inspect import _keep_numbers, look_up

    async def answers(numbers: dict[str, str], name: str) -> str:
        metadata = {"named_numbers": numbers}
        state = TaskState(ModelName("mockllm/model"), "1", 1, "How many?", [], metadata=metadata)
        assert await _keep_numbers()(state, None) is state
        return str(await look_up()(name))

    assert asyncio.run(answers({"A": "12", "B": "30"}, "[b]")) == "30"
    assert asyncio.run(answers({"A": "7"}, "A")) == "7"
    with pytest.raises(ToolError, match="no number called 'B'; the names are A"):
        asyncio.run(answers({"A": "7"}, "B"))


def test_an_unknown_wording_is_an_error() -> None:
    from dnc_harness.inspect import dnc

    with pytest.raises(HarnessError, match="1 to 12"):
        dnc("tiny", wording=13)
    assert "I only need the number." in str(dnc("tiny", wording=12, limit=1).dataset[0].input)

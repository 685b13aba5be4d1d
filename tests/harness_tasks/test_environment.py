"""The taskset as verifiers loads it; `make extras` installs verifiers."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

pytest.importorskip("verifiers.v1", reason="verifiers is not installed; make extras installs it")


def test_verifiers_loads_the_taskset_by_its_id() -> None:
    from verifiers.v1.utils.loaders import load_taskset, taskset_config_type

    config = taskset_config_type("dnc_harness")(id="dnc_harness", config="tiny-noise-attack", seed=3)
    taskset = load_taskset(config)
    tasks = list(taskset.take(50))
    assert not taskset.bounded
    assert len({task.data.prompt for task in tasks}) == 50
    assert [task.data for task in tasks] == [task.data for task in load_taskset(config).take(50)]


def test_the_reward_scores_the_last_reply() -> None:
    from dnc_harness.environment import DncConfig, DncTaskset

    (task,) = DncTaskset(DncConfig(config="tiny-type-attack")).take(1)
    gold = task.data.row["answer"]
    for reply, reward in ((f"The answer is {gold}.", 1.0), ("1 2 3 4 5", 0.0), ("", 0.0)):
        assert asyncio.run(task.answer(SimpleNamespace(last_reply=reply))) == reward

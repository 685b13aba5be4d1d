"""DNC's task streams as a taskset of verifiers: prompts by seed, scored by the exact answer reward.

Needs Python 3.11 and `pip install verifiers`. The id of the taskset is `dnc_harness`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

import dnc_datasets
from dnc_datasets.errors import UnknownNameError
from dnc_datasets.serving import catalogue
from dnc_harness import data, listing, prompts, rewards

_PROMPTS = (listing.DIRECT, listing.COT)


class DncConfig(vf.TasksetConfig):  # type: ignore[misc]
    """The settings of a taskset: a config of `dnc list`, a seed, and the prompt."""

    config: str = "tiny-distribution-attack"
    seed: int = 0
    prompt: str = listing.COT


class DncData(vf.TaskData):  # type: ignore[misc]
    """A task with the columns that its reward reads."""

    row: dict[str, Any]


class DncTask(vf.Task[DncData]):  # type: ignore[misc]
    """A task of one problem; the last reply of the rollout is scored."""

    @vf.reward  # type: ignore[untyped-decorator]
    async def answer(self, trace: vf.Trace) -> float:
        """Return 1.0 if the reply gives the correct answer and no other one."""
        columns = {name: [value] for name, value in self.data.row.items()}
        return rewards.answer_reward([self.data.prompt_text], [trace.last_reply], **columns)[0]


class DncTaskset(vf.Taskset[DncTask, DncConfig]):  # type: ignore[misc]
    """The tasks of `dnc_datasets.stream(config, seed)`, drawn from training problems only."""

    INFINITE = True

    def load(self) -> Iterator[DncTask]:
        """Yield tasks until the config has no further text."""
        if self.config.prompt not in _PROMPTS:
            raise UnknownNameError("prompt", self.config.prompt, _PROMPTS)
        source = data.of_source(catalogue.find(self.config.config))
        ask = getattr(prompts, self.config.prompt)
        for number, record in enumerate(dnc_datasets.stream(self.config.config, self.config.seed)):
            row = {name: record[name] for name in rewards.COLUMNS if name in record}
            task = DncData(
                id=f"{self.config.config}-{self.config.seed}-{number}",
                name=record["id"],
                prompt=ask(data.doc(source, record)),
                row=row,
            )
            yield DncTask(task, self.config.task)


__all__ = ["DncTaskset"]

"""Estimates the cost of a run in rows and tokens, and the number of rows that a precision needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from dnc_harness import data, prompts, task_files
from dnc_metrics.intervals import ALPHA

if TYPE_CHECKING:
    from dnc_harness.evaluate import Settings
    from dnc_harness.listing import HarnessTask
    from dnc_harness.row_sets import RowSet

# Characters per token in English text and numbers, roughly. A Chinese character is about one token.
_CHARACTERS = 3.5


@dataclass(frozen=True)
class Cost:
    """The number of tasks and rows, the approximate input tokens, and the maximum of output tokens."""

    tasks: int
    rows: int
    tokens_in: int
    tokens_out: int

    def text(self) -> str:
        """Return the estimate as one line of text.

        >>> Cost(2, 60, 5000, 1920).text()
        '2 tasks, 60 rows: about 5,000 tokens in, at most 1,920 out'
        """
        return (
            f"{self.tasks} tasks, {self.rows:,} rows: about {self.tokens_in:,} tokens in, at most "
            f"{self.tokens_out:,} out"
        )


def estimate(
    settings: Settings, tasks: Mapping[str, Sequence[HarnessTask]], sets: Sequence[RowSet] = ()
) -> Cost:
    """Estimate the cost of these tasks and sets of rows from the text of their prompts."""
    all_tasks = list(dict.fromkeys(task for group in tasks.values() for task in group))
    asked: list[tuple[str, Sequence[data.Doc], Sequence[data.Doc]]] = [
        (row_set.prompt, row_set.docs(settings.limit), ()) for row_set in sets
    ]
    for task in all_tasks:
        split = data.splits_for(task.prompt)
        rows_of_split = split(
            task.variant.name, dnc_limit=settings.limit, dnc_data=str(data.folder(settings.data))
        )
        asked.append(
            (task.prompt, rows_of_split["test"], rows_of_split["fewshot"][: settings.num_fewshot or 0])
        )
    rows = tokens_in = tokens_out = 0
    for prompt, docs, examples in asked:
        ask, answer = getattr(prompts, prompt), getattr(prompts, f"{prompt}_target")
        shown = _tokens(f"{ask(doc)} {answer(doc)}" for doc in examples)
        reply_limit = int(settings.generation().get("max_gen_toks", task_files.MOST_TOKENS[prompt]))
        rows += len(docs)
        tokens_in += sum(_tokens([ask(doc)]) + shown for doc in docs)
        tokens_out += len(docs) * reply_limit
    times = settings.repeats
    return Cost(len(all_tasks) + len(sets), rows * times, tokens_in * times, tokens_out * times)


def rows_for(precision: float) -> int:
    """Return the rows needed for a 95 % interval of plus and minus `precision` points, at any accuracy.

    >>> rows_for(3), rows_for(10)
    (1068, 97)
    """
    half = NormalDist().inv_cdf(1 - ALPHA / 2) * 0.5
    return math.ceil((half / (precision / 100)) ** 2)


def _tokens(texts: Iterable[str]) -> int:
    count = 0.0
    for text in texts:
        wide = sum("\u4e00" <= letter <= "\u9fff" for letter in text)
        count += wide + (len(text) - wide) / _CHARACTERS
    return math.ceil(count)

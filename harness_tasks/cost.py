"""What a run will cost, before it is started: rows, and tokens in and out; and how many rows a precision needs."""

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

# Characters of a token, about; English and numbers. A Chinese character is about one token.
_CHARACTERS = 3.5


@dataclass(frozen=True)
class Cost:
    """Tasks, rows, and tokens: the number read, roughly, and the largest number written."""

    tasks: int
    rows: int
    tokens_in: int
    tokens_out: int

    def text(self) -> str:
        """For people.

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
    """The cost of these tasks and sets of rows, from the prompts themselves."""
    every = list(dict.fromkeys(task for some in tasks.values() for task in some))
    asked: list[tuple[str, Sequence[data.Doc], Sequence[data.Doc]]] = [
        (one.prompt, one.docs(settings.limit), ()) for one in sets
    ]
    for task in every:
        split = data.splits_for(task.prompt)
        found = split(task.variant.name, dnc_limit=settings.limit, dnc_data=str(data.folder(settings.data)))
        asked.append((task.prompt, found["test"], found["fewshot"][: settings.num_fewshot or 0]))
    rows = tokens_in = tokens_out = 0
    for prompt, docs, examples in asked:
        ask, answer = getattr(prompts, prompt), getattr(prompts, f"{prompt}_target")
        shown = _tokens(f"{ask(doc)} {answer(doc)}" for doc in examples)
        most = int(settings.generation().get("max_gen_toks", task_files.MOST_TOKENS[prompt]))
        rows += len(docs)
        tokens_in += sum(_tokens([ask(doc)]) + shown for doc in docs)
        tokens_out += len(docs) * most
    times = settings.repeats
    return Cost(len(every) + len(sets), rows * times, tokens_in * times, tokens_out * times)


def rows_for(precision: float) -> int:
    """How many rows an accuracy needs for an interval of plus and minus a number of points, wherever it lies.

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

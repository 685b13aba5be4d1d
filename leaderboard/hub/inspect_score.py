"""The score that the Hub's leaderboard shows: inspect_ai's own `match(numeric=True)`, run on replies at hand."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_datasets.errors import DncError


class MissingScorerError(DncError, ImportError):
    """inspect_ai, whose scorer is asked, is not installed."""


def match_accuracy(pairs: Sequence[tuple[str, str]]) -> float:
    """The share of replies that match, of pairs of target and reply."""
    try:
        import anyio
        from inspect_ai.model import ModelName, ModelOutput
        from inspect_ai.scorer import CORRECT, Target, match
        from inspect_ai.solver import TaskState
    except ImportError as error:
        raise MissingScorerError(
            "the Hub's leaderboard shows what inspect_ai's scorer says; `pip install \"dnc-bench[inspect]\"` brings it"
        ) from error
    score = match(numeric=True)

    async def right() -> int:
        count = 0
        for at, (target, reply) in enumerate(pairs):
            output = ModelOutput.from_content("replies", reply)
            state = TaskState(ModelName("none/replies"), at, 1, "", [], output=output)
            found = await score(state, Target(target))
            count += found is not None and found.value == CORRECT
        return count

    return anyio.run(right) / len(pairs) if pairs else 0.0

"""Every config as an inspect_ai task: the same rows, prompts and scores as the lm-eval tasks.

inspect eval dnc_harness/inspect.py@dnc -T config=tiny-noise-attack -T prompt=cot --model PROVIDER/MODEL
"""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState, generate

from dnc_datasets.errors import UnknownNameError
from dnc_harness import data, listing, prompts, scoring
from dnc_harness import generate as tasks


@task  # type: ignore[untyped-decorator]
def dnc(
    config: str = "tiny",
    prompt: str = listing.DIRECT,
    shots: int = 0,
    limit: int | None = None,
    folder: str | None = None,
    reasoning: bool = False,
) -> Task:
    """A config asked in one of four ways (direct, cot, equation, graph), after `shots` worked examples.

    `limit` takes the same rows from the original and every variant; `folder` is what `dnc build` wrote;
    `reasoning` gives a model that thinks before it replies the room for it.
    Row ids are sample ids, so that the logs of an original and a variant join on them.
    """
    if prompt not in listing.PROMPTS:
        raise UnknownNameError("prompt", prompt, listing.PROMPTS)
    splits = data.splits_for(prompt)(config, dnc_limit=limit, dnc_data=folder)
    shown = [message for doc in splits["fewshot"][:shots] for message in _turn(doc, prompt)]
    samples = [
        Sample(
            id=doc["id"],
            input=[*shown, _turn(doc, prompt)[0]],
            target=getattr(prompts, f"{prompt}_target")(doc)
            if prompt == listing.GRAPH
            else doc["equation" if prompt == listing.EQUATION else "answer"],
            metadata=doc,
        )
        for doc in splits["test"]
    ]
    most = tasks.REASONING_TOKENS if reasoning else tasks.MOST_TOKENS[prompt]
    return Task(
        dataset=MemoryDataset(samples, name=config),
        solver=generate(),
        scorer=_SCORERS.get(prompt, answer_scores)(),
        config=GenerateConfig(temperature=0.0, max_tokens=most),
        name=f"dnc_{config}_{prompt}",
        version=tasks.VERSION,
    )


def _turn(doc: data.Doc, prompt: str) -> list[ChatMessage]:
    ask, target = getattr(prompts, prompt), getattr(prompts, f"{prompt}_target")
    return [ChatMessageUser(content=ask(doc)), ChatMessageAssistant(content=target(doc))]


@scorer(metrics={name: [mean()] for name in listing.SCORES[listing.DIRECT]})  # type: ignore[untyped-decorator]
def answer_scores() -> Scorer:
    """Answer accuracy by each reading, and whether an answer was found or the reply cut off."""

    async def score(state: TaskState, target: Target) -> Score:
        cut_off = state.output.stop_reason == "max_tokens"
        return _score(state, scoring.answer(state.metadata, [state.output.completion], cut_off=cut_off))

    return score


@scorer(metrics={name: [mean()] for name in listing.SCORES[listing.EQUATION]})  # type: ignore[untyped-decorator]
def equation_scores() -> Scorer:
    """Whether the equation gives the answer, is equivalent or the same, and was found."""

    async def score(state: TaskState, target: Target) -> Score:
        return _score(state, scoring.equation(state.metadata, [state.output.completion]))

    return score


@scorer(metrics={name: [mean()] for name in listing.SCORES[listing.GRAPH]})  # type: ignore[untyped-decorator]
def graph_scores() -> Scorer:
    """Whether the graph of what answers rest on is the gold one, how alike they are, and was found."""

    async def score(state: TaskState, target: Target) -> Score:
        return _score(state, scoring.graph(state.metadata, [state.output.completion]))

    return score


_SCORERS = {listing.EQUATION: equation_scores, listing.GRAPH: graph_scores}


def _score(state: TaskState, scores: dict[str, Any]) -> Score:
    return Score(value=scores, answer=state.output.completion)

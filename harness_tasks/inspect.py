"""Inspect tasks with the rows, prompts and scores of the lm-eval tasks, by config, dataset and capability.

inspect eval dnc_harness/dnc -T config=tiny-noise-attack -T prompt=cot --model PROVIDER/MODEL
inspect eval dnc_harness/tiny_operand_selection --model PROVIDER/MODEL
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
)
from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver, use_tools
from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import store

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError, UnknownNameError
from dnc_datasets.serving.catalogue import Variant
from dnc_harness import data, listing, prompts, scoring
from dnc_harness import task_files as tasks
from dnc_harness.errors import HarnessError
from dnc_harness.server_replies import ServerReply, of_inspect

_NUMBERS = "dnc_numbers"
_MOST_MESSAGES = 40


def _registered(name: str) -> str:
    """Return the name under which a task is registered as `dnc_harness/NAME`.

    inspect_ai adds the package to tasks in site-packages, not to those of an editable installation whose
    distribution has another name.
    """
    installed = any("site-packages" in part or "dist-packages" in part for part in Path(__file__).parts)
    return name if installed or __name__ != "dnc_harness.inspect" else f"dnc_harness/{name}"


@task(name=_registered("dnc"))  # type: ignore[untyped-decorator]
def dnc(
    config: str = "tiny",
    prompt: str = listing.DIRECT,
    shots: int = 0,
    limit: int | None = None,
    folder: str | None = None,
    reasoning: bool = False,
    wording: int = 0,
) -> Task:
    """Ask a config with one of four prompts (direct, cot, equation, graph), after `shots` worked examples.

    `limit` takes the same rows from the original and every variant. `folder` is a folder that `dnc build`
    wrote. `reasoning` raises the token limit for a model that reasons before it replies. `wording` (1 to 12)
    replaces the instruction of the direct prompt. Row ids are sample ids, so that the logs of an original and
    a variant can be joined.
    """
    if prompt not in listing.PROMPTS:
        raise UnknownNameError("prompt", prompt, listing.PROMPTS)
    if not 0 <= wording <= len(prompts.WORDINGS) or (wording and prompt != listing.DIRECT):
        raise HarnessError(f"wording {wording}: give 1 to {len(prompts.WORDINGS)}, with the direct prompt")
    splits = data.splits_for(prompt)(config, dnc_limit=limit, dnc_data=folder)
    for doc in splits["test"]:
        doc["wording"] = wording
    shown = [message for doc in splits["fewshot"][:shots] for message in _turn(doc, prompt)]
    samples = [_sample(doc, prompt, shown, str(doc["id"])) for doc in splits["test"]]
    most = tasks.REASONING_TOKENS if reasoning else tasks.MOST_TOKENS[prompt]
    return Task(
        dataset=MemoryDataset(samples, name=config),
        solver=generate(),
        scorer=_SCORERS.get(prompt, answer_scores)(),
        config=GenerateConfig(temperature=0.0, max_tokens=most),
        name=f"dnc_{config}_{prompt}",
        version=tasks.VERSION,
    )


def _sample(doc: data.Doc, prompt: str, shown: list[ChatMessage], name: str) -> Sample:
    if prompt == listing.GRAPH:
        target = getattr(prompts, f"{prompt}_target")(doc)
    else:
        target = doc["equation" if prompt == listing.EQUATION else "answer"]
    return Sample(id=name, input=[*shown, _turn(doc, prompt)[0]], target=target, metadata=doc)


def _capability_task(dataset: str, capability: str, variants: Sequence[Variant]) -> Callable[..., Task]:
    """Register a task of a dataset's originals, and of the rows that the attacks on a capability change."""

    def ask(limit: int | None = None, folder: str | None = None, reasoning: bool = False) -> Task:
        samples = []
        for variant in (variants[0].original, *variants):
            for doc in data.splits(variant.name, dnc_limit=limit, dnc_data=folder)["test"]:
                if doc["perturbed"] or not variant.recipe:
                    named = {**doc, "config": variant.name}
                    samples.append(_sample(named, listing.DIRECT, [], f"{variant.name}/{doc['id']}"))
        most = tasks.REASONING_TOKENS if reasoning else tasks.MOST_TOKENS[listing.DIRECT]
        return Task(
            dataset=MemoryDataset(samples, name=f"{dataset}_{capability}"),
            solver=generate(),
            scorer=answer_scores(),
            metrics={name: [grouped(mean(), "config", all=False)] for name in listing.SCORES[listing.DIRECT]},
            config=GenerateConfig(temperature=0.0, max_tokens=most),
            name=f"dnc_{dataset}_{capability}",
            version=tasks.VERSION,
        )

    ask.__name__ = f"{dataset}_{capability}"
    ask.__doc__ = f"{capability.replace('_', ' ').capitalize()} on {dataset}: originals and attacks."
    registered: Callable[..., Task] = task(name=_registered(ask.__name__))(ask)
    return registered


# `dnc_harness/DATASET_CAPABILITY`, e.g. tiny_operand_selection.
CAPABILITY_TASKS = {
    f"{dataset}_{capability}": _capability_task(dataset, capability, variants)
    for (dataset, capability), variants in listing.attacks().items()
}
globals().update(CAPABILITY_TASKS)


@task(name=_registered("dnc_tools"))  # type: ignore[untyped-decorator]
def dnc_tools(config: str = "tiny", limit: int | None = None, folder: str | None = None) -> Task:
    """Ask a config whose text shows names [A], [B], ... for its numbers; the tool `look_up` returns them."""
    splits = data.splits(config, dnc_limit=limit, dnc_data=folder)
    samples = []
    for doc in splits["test"]:
        hidden, numbers = prompts.with_named_numbers(doc)
        ask = f"{prompts.TOOL_INSTRUCTION}\n\n{prompts.direct(hidden)}"
        metadata = {**doc, "named_numbers": numbers}
        samples.append(Sample(id=doc["id"], input=ask, target=doc["answer"], metadata=metadata))
    return Task(
        dataset=MemoryDataset(samples, name=config),
        solver=[_keep_numbers(), use_tools(look_up(), calculate()), generate()],
        scorer=answer_scores(),
        config=GenerateConfig(temperature=0.0, max_tokens=tasks.MOST_TOKENS[listing.COT]),
        message_limit=_MOST_MESSAGES,
        name=f"dnc_{config}_tools",
        version=tasks.VERSION,
    )


@solver  # type: ignore[untyped-decorator]
def _keep_numbers() -> Solver:
    """Store the numbers of the sample for its tools."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        store().set(_NUMBERS, state.metadata["named_numbers"])
        return state

    return solve


@tool  # type: ignore[untyped-decorator]
def look_up() -> Tool:
    """Return the tool that looks up the numbers of a problem."""

    async def execute(name: str) -> str:
        """Return the number that a name in square brackets represents.

        Args:
            name: The name, such as A.
        """
        numbers = store().get(_NUMBERS, {})
        key = name.strip(" []").upper()
        if key not in numbers:
            raise ToolError(f"there is no number called {name!r:.20}; the names are {', '.join(numbers)}")
        return str(numbers[key])

    return execute


@tool  # type: ignore[untyped-decorator]
def calculate() -> Tool:
    """Return the calculator tool, with exact arithmetic."""

    async def execute(formula: str) -> str:
        """Return the value of an arithmetic expression.

        Args:
            formula: Numbers with + - * / and parentheses, such as (12 + 3) / 5.
        """
        try:
            return expression.parse(formula).canonical()
        except ExpressionError as error:
            raise ToolError(str(error)) from error

    return execute


def _turn(doc: data.Doc, prompt: str) -> list[ChatMessage]:
    ask, target = getattr(prompts, prompt), getattr(prompts, f"{prompt}_target")
    return [ChatMessageUser(content=ask(doc)), ChatMessageAssistant(content=target(doc))]


@scorer(metrics={name: [mean()] for name in listing.SCORES[listing.DIRECT]})  # type: ignore[untyped-decorator]
def answer_scores() -> Scorer:
    """Score answer accuracy by each reading, and whether an answer was found or the reply cut off."""

    async def score(state: TaskState, target: Target) -> Score:
        reply = of_inspect(state.output)
        return _score(reply, scoring.answer(state.metadata, [reply], cut_off=reply.cut_off), listing.DIRECT)

    return score


@scorer(metrics={name: [mean()] for name in listing.SCORES[listing.EQUATION]})  # type: ignore[untyped-decorator]
def equation_scores() -> Scorer:
    """Score whether the equation gives the answer, is equivalent or the same, and was found."""

    async def score(state: TaskState, target: Target) -> Score:
        reply = of_inspect(state.output)
        return _score(reply, scoring.equation(state.metadata, [reply]), listing.EQUATION)

    return score


@scorer(metrics={name: [mean()] for name in listing.SCORES[listing.GRAPH]})  # type: ignore[untyped-decorator]
def graph_scores() -> Scorer:
    """Score whether the graph equals the gold evidence graph, their similarity, and whether it was found."""

    async def score(state: TaskState, target: Target) -> Score:
        reply = of_inspect(state.output)
        return _score(reply, scoring.graph(state.metadata, [reply]), listing.GRAPH)

    return score


_SCORERS = {listing.EQUATION: equation_scores, listing.GRAPH: graph_scores}


def _score(reply: ServerReply, scores: dict[str, Any], prompt: str) -> Score:
    """Return the scores of a reply; for a server fault NaN, which inspect_ai excludes from its means."""
    value = scores or dict.fromkeys(listing.SCORES[prompt], float("nan"))
    return Score(value=value, answer=str(reply), explanation=reply.fault or None)

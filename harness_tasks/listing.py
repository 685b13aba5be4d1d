"""Every lm-eval task and group, derived from the catalogue; the source of the task files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dnc_datasets.perturbations import Capability
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant

DIRECT, COT, EQUATION, GRAPH = PROMPTS = ("direct", "cot", "equation", "graph")
# Prompt -> the scores of its tasks; the first one decides whether a row is correct.
SCORES = {
    DIRECT: ("answer_lenient", "answer_strict", "answer_exact", "not_found", "truncated"),
    COT: ("answer_lenient", "answer_strict", "answer_exact", "not_found", "truncated"),
    EQUATION: (
        "equation_executes",
        "equation_equivalent",
        "equation_same",
        "equation_exact",
        "not_found",
        "truncated",
    ),
    GRAPH: ("gem", "dagsim", "edge_f1", "not_found", "truncated"),
}


@dataclass(frozen=True)
class HarnessTask:
    """One config with one prompt.

    >>> HarnessTask(catalogue.find("tiny-noise-attack"), COT).name
    'dnc_tiny_noise_attack_cot'
    """

    variant: Variant
    prompt: str = DIRECT

    @property
    def name(self) -> str:
        """Return the task's name; the original is `dnc_tiny_original`, because `dnc_tiny` is the group."""
        variant = self.variant
        original = "" if variant.recipe or variant.fold else "original"
        parts = ("dnc", variant.name, original, "" if self.prompt == DIRECT else self.prompt)
        return "_".join(part for part in parts if part).replace("-", "_").replace("+", "_and_")

    @property
    def tag(self) -> str:
        """Return the tag of capability and prompt: `dnc_number_detection_cot_tasks`; empty for originals."""
        parts = (self.variant.capability, "" if self.prompt == DIRECT else self.prompt)
        return "_".join(("dnc", *filter(None, parts), "tasks")) if self.variant.capability else ""


def tasks(dataset: str | None = None) -> tuple[HarnessTask, ...]:
    """Return all tasks of one dataset or of all.

    Every config has a task for its answer. Originals, attacks and contrast sets also have tasks for a chain
    of thought and, if the source has equations, for the equation. Defenses and folds do not, because they
    share test rows with these. Yes/no questions have no equation task. Conversations have a task for the
    evidence graph, unless a probe removes a part of them.
    """
    return _tasks(tuple(catalogue.variants(dataset)))


@lru_cache(maxsize=64)
def _tasks(variants: tuple[Variant, ...]) -> tuple[HarnessTask, ...]:
    return tuple(
        HarnessTask(variant, prompt)
        for variant in variants
        for prompt in PROMPTS
        if _is_asked(variant, prompt)
    )


def groups(some: Sequence[HarnessTask] | None = None) -> dict[str, list[str]]:
    """Return a map of each group to its tasks and groups; the group `dnc` holds every config once.

    Diagnosis uses the plausible form of a perturbation if it has one. The published form is in
    `dnc_DATASET_published`.
    """
    listed = tasks() if some is None else some
    found: dict[str, list[str]] = {}
    everything: list[str] = []
    attacks: list[str] = []
    for dataset in dict.fromkeys(task.variant.dataset for task in listed):
        ours = [task for task in listed if task.variant.dataset == dataset]
        for prompt in PROMPTS:
            name = _group(dataset, prompt)
            found[name] = [
                task.name for task in ours if task.prompt == prompt and _is_diagnostic(task.variant)
            ]
        plain = [
            t.name
            for t in ours
            if t.prompt == DIRECT and _is_main(t.variant) and not _is_diagnostic(t.variant)
        ]
        found[_group(dataset, "published")] = [HarnessTask(Variant(dataset)).name, *plain] if plain else []
        found[_group(dataset, "defense")] = [t.name for t in ours if t.variant.setting == "defense"]
        found[_group(dataset, "folds")] = [t.name for t in ours if t.variant.fold]
        attacks.append(_group(dataset, DIRECT))
        everything += [*(_group(dataset, part) for part in (DIRECT, "defense", "folds")), *plain]
    found.update(_by_capability(listed))
    found = {name: members for name, members in found.items() if members}
    found["dnc_attack"] = attacks
    tasks_and_groups = {*found, *(task.name for task in listed)}
    found["dnc"] = [name for name in everything if name in tasks_and_groups]
    return found


def _is_asked(variant: Variant, prompt: str) -> bool:
    if not variant.recipe and not variant.source.asked:
        return False
    if prompt == DIRECT:
        return True
    if prompt == EQUATION and any(step.asks_yes_no for step in variant.steps):
        return False
    if prompt == GRAPH:
        return (
            variant.source.shape == "dialogue" and variant.setting in ("", "attack") and _keeps_parts(variant)
        )
    return _is_main(variant) and (prompt == COT or variant.source.equations)


def _keeps_parts(variant: Variant) -> bool:
    return not variant.fold and all(
        step.capability is not Capability.PROBE and not step.asks_yes_no for step in variant.steps
    )


def _is_main(variant: Variant) -> bool:
    return not variant.fold and variant.setting in ("", "attack", "contrast")


def _is_diagnostic(variant: Variant) -> bool:
    return _is_main(variant) and not variant.has_plausible_form


def _group(dataset: str, part: str) -> str:
    return f"dnc_{dataset}" if part == DIRECT else f"dnc_{dataset}_{part}"


def attacks() -> dict[tuple[str, str], list[Variant]]:
    """Return the attacks of a diagnosis by dataset and capability."""
    found: dict[tuple[str, str], list[Variant]] = {}
    for task in tasks():
        variant = task.variant
        if task.prompt == DIRECT and variant.setting == "attack" and _is_diagnostic(variant):
            found.setdefault((variant.dataset, variant.capability), []).append(variant)
    return found


def _by_capability(some: Iterable[HarnessTask]) -> dict[str, list[str]]:
    """Return the attacks on each capability, each dataset's after its original, for pairing."""
    found: dict[str, list[str]] = {}
    for task in some:
        if task.prompt != DIRECT or task.variant.setting != "attack" or not _is_diagnostic(task.variant):
            continue
        members = found.setdefault(f"dnc_{task.variant.capability}", [])
        original = HarnessTask(task.variant.original).name
        members += [task.name] if original in members else [original, task.name]
    return found


def target(prompt: str) -> str:
    """Return the kind of reply that a prompt asks for: an answer, an equation or a graph."""
    return prompt if prompt in (EQUATION, GRAPH) else "answer"

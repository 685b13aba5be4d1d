"""Rows to ask that no task file names: a user's own, fresh draws, another seed or strength, several at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from dnc_datasets.problem import Problem, from_row
from dnc_datasets.serving import catalogue, rows, settings
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.version import __version__
from dnc_harness import data, listing, prompts, recording, scoring, task_files
from dnc_harness.errors import HarnessError
from dnc_harness.own_files import OwnFile
from dnc_harness.prompts import exemplars
from dnc_metrics import answers
from dnc_metrics.record_builder import Asked

Row = Mapping[str, Any]
# What draws of fresh numbers are made with, and what they test in tables.
FRESH, FRESH_NUMBERS = "distribution_plausible", "fresh_numbers"
# What other words of the instruction test in tables.
PROMPT_WORDING = "prompt_wording"


@dataclass(frozen=True)
class RowSet:
    """Rows, asked in one way, and where they stand in a record."""

    rows: Sequence[Row]
    place: Mapping[str, Any]  # config, dataset, fold, perturbation, setting, capability, rows left out
    prompt: str
    source: Mapping[str, Any]  # shape, language, numeric: what prompts and scores know of a source
    identity: Mapping[str, Any] = field(default_factory=dict)  # version, seed, parameters, checksum

    @property
    def name(self) -> str:
        """The name of its lm-eval task, which no config's task has."""
        words = re.sub(r"\W+", "_", f"{self.place['config']} {self.prompt}")
        return f"dnc_made_{words}_{sha256(self.place['config'].encode()).hexdigest()[:6]}"

    def docs(self, limit: int | None = None) -> list[data.Doc]:
        """The rows as prompts and scores see them."""
        found = [data.doc(self.source, row) for row in self.rows]
        if self.prompt == listing.EQUATION:
            found = [one for one in found if data.has_equation(one)]
        if self.prompt == listing.GRAPH:
            found = [one for one in found if data.has_graph(one)]
        return data.limited(found, self.place["dataset"], limit)

    def task(self, limit: int | None = None) -> dict[str, Any]:
        """An lm-eval task of these rows, as the task files have it."""

        def custom_dataset(**_unused: Any) -> dict[str, data.Docs]:
            shown = exemplars(str(self.source["shape"]), str(self.source["language"]))
            few = [{**self.source, **one} for one in shown]
            return {"test": data.Docs(self.docs(limit)), "fewshot": data.Docs(few)}

        score = {listing.EQUATION: scoring.equation, listing.GRAPH: scoring.graph}.get(
            self.prompt, scoring.answer
        )
        return {
            "task": self.name,
            "custom_dataset": custom_dataset,
            "test_split": "test",
            "fewshot_split": "fewshot",
            "fewshot_config": {"sampler": "first_n"},
            "output_type": "generate_until",
            "doc_to_text": getattr(prompts, self.prompt),
            "doc_to_target": getattr(prompts, f"{self.prompt}_target"),
            "generation_kwargs": {
                "until": [],
                "do_sample": False,
                "temperature": 0.0,
                "max_gen_toks": task_files.MOST_TOKENS[self.prompt],
            },
            "process_results": score,
            "metric_list": [
                {"metric": name, "aggregation": "mean", "higher_is_better": True}
                for name in listing.SCORES[self.prompt]
            ],
            "metadata": {"version": task_files.VERSION},
        }

    def asked(self, given: recording.Replies) -> Asked:
        """The replies to these rows, scored."""
        found = [row for row in self.rows if str(row["id"]) in given]
        return recording.of_rows(found, given, prompt=self.prompt, data=self.identity, **self.place)


def own(path: Path, prompt: str = listing.DIRECT, model: str = "") -> list[RowSet]:
    """The originals and the perturbed rows of a file that `dnc perturb` wrote; an error where `model` chose them."""
    file = OwnFile(path)
    file.check_model(model)
    file.ids(file.name), file.ids(file.perturbed)  # an error where nothing can be scored
    first = next(file.originals)
    shape = (
        "table"
        if first.get("table")
        else "dialogue"
        if first.get("history") or first.get("segments")
        else "passage"
        if "passage" in (first.get("meta") or {})
        else "word_problem"
    )
    values = [answers.gold_value(row["answer"]) for row in file.originals if row["answer"]]
    source = {"shape": shape, "language": "en", "numeric": None not in values}
    return [
        RowSet(
            list(file.of(config)), file.place(config), prompt, source,
            {"version": __version__, "sha256": rows.digest({"test": list(file.of(config))})},
        )
        for config in (file.name, file.perturbed)
    ]  # fmt: skip


def of_variant(
    variant: Variant,
    built: Path,
    prompt: str = listing.DIRECT,
    *,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    times: int = 1,
    label: str = "",
    capability: str = "",
) -> RowSet:
    """A config made once more: with another seed, other parameters, or applied several times over.

    `label` is the perturbation's name in the record, and tells it from the config's own.
    """
    problems = [from_row(record) for record in data.test_records(variant.original, built)]
    made = [
        rows.to_record(row, variant)
        for row in _applied(variant, problems, seed, dict(parameters or {}), times)
    ]
    name = label or variant.recipe
    config = "-".join(part for part in (variant.dataset, variant.fold, name, variant.setting) if part)
    place = {
        "config": config,
        "dataset": variant.dataset,
        "fold": variant.fold,
        "perturbation": name,
        "setting": variant.setting,
        "capability": capability or variant.capability,
    }
    identity: dict[str, Any] = {"version": __version__, "seed": seed, "sha256": rows.digest({"test": made})}
    if parameters:
        identity["parameters"] = dict(parameters)
    return RowSet(made, place, prompt, data.of_source(variant), identity)


def original(variant: Variant, built: Path, prompt: str = listing.DIRECT) -> RowSet:
    """The rows before any perturbation, which such sets are compared with."""
    place = {"config": variant.name, "dataset": variant.dataset, "fold": variant.fold}
    place |= {"perturbation": "", "setting": "", "capability": ""}
    records = data.test_records(variant, built)
    return RowSet(records, place, prompt, data.of_source(variant), data.provenance(variant, built))


def draws(config: str, count: int, built: Path, prompt: str = listing.DIRECT) -> list[RowSet]:
    """The same problems with fresh plausible numbers, drawn `count` times: seeds 0, 1, 2 ...

    >>> [made.place["perturbation"] for made in draws("tiny", 2, Path("dnc"))]
    ['distribution_plausible draw 0', 'distribution_plausible draw 1']
    """
    variant = catalogue.find(f"{config}-{FRESH}-attack")
    return [
        of_variant(variant, built, prompt, seed=seed, label=f"{FRESH} draw {seed}", capability=FRESH_NUMBERS)
        for seed in range(count)
    ]


def wordings(config: str, count: int, built: Path) -> list[RowSet]:
    """The original rows under the first `count` other wordings of the instruction.

    >>> [made.place["perturbation"] for made in wordings("tiny", 2, Path("dnc"))]
    ['wording 1', 'wording 2']
    """
    variant = catalogue.find(config)
    if not variant.source.numeric or variant.source.language != "en":
        raise HarnessError(f"{config}: other wordings are for English rows that ask for a number")
    known = len(prompts.WORDINGS)
    if not 0 < count <= known:
        raise HarnessError(f"--wordings {count}: give a number from 1 to {known}")
    base = original(variant, built)
    return [
        replace(
            base,
            place={
                **base.place,
                "config": f"{config}-wording_{number}-attack",
                "perturbation": f"wording {number}",
                "setting": "attack",
                "capability": PROMPT_WORDING,
            },
            rows=[{**row, "perturbed": True} for row in base.rows],
            source={**base.source, "wording": number},
        )
        for number in range(1, count + 1)
    ]


def _applied(
    variant: Variant, problems: Sequence[Problem], seed: int, parameters: Mapping[str, Any], times: int
) -> list[settings.Row]:
    """The variant's rows; applied several times, each time with the next seed, where every time changes it."""
    made = variant.rows({"test": problems}, seed=seed, parameters=parameters)["test"]
    for more in range(1, times):
        again = variant.rows(
            {"test": [row.problem for row in made]}, seed=seed + more, parameters=parameters
        )["test"]
        made = [
            settings.Row(
                now.problem, row.original, (*row.certificate, *now.certificate), row.seed, row.parameters
            )
            if row.original is not None and now.original is not None
            else settings.Row(problem)
            for problem, row, now in zip(problems, made, again, strict=True)
        ]
    return made

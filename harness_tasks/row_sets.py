"""Rows without a task file: a user's own, fresh draws, other seeds or strengths, repeated perturbations."""

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
# The perturbation of fresh draws, and the capability in tables.
FRESH, FRESH_NUMBERS = "distribution_plausible", "fresh_numbers"
# The capability of other wordings of the instruction in tables.
PROMPT_WORDING = "prompt_wording"


@dataclass(frozen=True)
class RowSet:
    """Rows with one prompt, and their place in a record."""

    rows: Sequence[Row]
    place: Mapping[str, Any]  # config, dataset, fold, perturbation, setting, capability, omitted rows
    prompt: str
    source: Mapping[str, Any]  # shape, language, numeric: the properties that prompts and scores need
    identity: Mapping[str, Any] = field(default_factory=dict)  # version, seed, parameters, checksum

    @property
    def name(self) -> str:
        """Return the name of its lm-eval task, distinct from every config's task."""
        words = re.sub(r"\W+", "_", f"{self.place['config']} {self.prompt}")
        return f"dnc_made_{words}_{sha256(self.place['config'].encode()).hexdigest()[:6]}"

    def docs(self, limit: int | None = None) -> list[data.Doc]:
        """Return the rows in the form that prompts and scores read."""
        found = [data.doc(self.source, row) for row in self.rows]
        if self.prompt == listing.EQUATION:
            found = [one for one in found if data.has_equation(one)]
        if self.prompt == listing.GRAPH:
            found = [one for one in found if data.has_graph(one)]
        return data.limited(found, self.place["dataset"], limit)

    def task(self, limit: int | None = None) -> dict[str, Any]:
        """Return an lm-eval task of these rows, equivalent to a task file."""

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
        """Return the replies to these rows, scored."""
        found = [row for row in self.rows if str(row["id"]) in given]
        return recording.of_rows(found, given, prompt=self.prompt, data=self.identity, **self.place)


def own(path: Path, prompt: str = listing.DIRECT, model: str = "") -> list[RowSet]:
    """Return the originals and the perturbed rows of a `dnc perturb` file; raise if `model` selected them."""
    file = OwnFile(path)
    file.check_model(model)
    file.ids(file.name), file.ids(file.perturbed)  # raises an error if nothing can be scored
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
    """Re-compute a config with another seed, other parameters, or repeated application.

    `label` is the perturbation's name in the record, which distinguishes it from the config's own.
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
    """Return the rows before any perturbation, the baseline of such sets."""
    place = {"config": variant.name, "dataset": variant.dataset, "fold": variant.fold}
    place |= {"perturbation": "", "setting": "", "capability": ""}
    records = data.test_records(variant, built)
    return RowSet(records, place, prompt, data.of_source(variant), data.provenance(variant, built))


def draws(config: str, count: int, built: Path, prompt: str = listing.DIRECT) -> list[RowSet]:
    """Return the problems with fresh plausible numbers, drawn `count` times: seeds 0, 1, 2 ...

    >>> [made.place["perturbation"] for made in draws("tiny", 2, Path("dnc"))]
    ['distribution_plausible draw 0', 'distribution_plausible draw 1']
    """
    variant = catalogue.find(f"{config}-{FRESH}-attack")
    return [
        of_variant(variant, built, prompt, seed=seed, label=f"{FRESH} draw {seed}", capability=FRESH_NUMBERS)
        for seed in range(count)
    ]


def wordings(config: str, count: int, built: Path) -> list[RowSet]:
    """Return the original rows under the first `count` other wordings of the instruction.

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
    """Return the variant's rows, applied `times` times with consecutive seeds; each time must change them."""
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

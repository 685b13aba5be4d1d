"""Every variant (dataset x perturbation x setting), defined once.

All other lists of variants derive from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dnc_datasets import perturbations, published, sources
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.second_reader import Reader
from dnc_datasets.serving.settings import CLEAN, CONTRAST, SETTINGS, Row, as_published, passes, stream
from dnc_datasets.sources import Source

_FOLD = re.compile(r"fold\d+\Z")
# Settings that `variants()` lists; `augment` exists for every name but is made on request.
_LISTED_SETTINGS = ("attack", "defense")
# Contrast sets: name -> the perturbations that give its members, each alone.
_BPB = ("append_bool", "change_last", "replace_arith", "replace_comp", "replace_bool", "prune_step")
CONTRAST_SETS = {"bpb": _BPB, "bpb_constraints": _BPB}
# Also with members of unknown answer that have a constraint on the answer.
_CONSTRAINED = ("bpb_constraints",)


@dataclass(frozen=True)
class Variant:
    """One config: a dataset (or one fold of it), and, unless it is the original, a recipe and a setting."""

    dataset: str
    fold: str = ""
    recipe: str = ""
    setting: str = ""

    @property
    def name(self) -> str:
        """The config name, such as `asdiv_a-verbosity-attack`."""
        return "-".join(part for part in (self.dataset, self.fold, self.recipe, self.setting) if part)

    @property
    def source(self) -> Source:
        """The source of the variant."""
        return sources.get(self.dataset)

    @property
    def original(self) -> Variant:
        """The unperturbed variant for comparison with this one."""
        return Variant(self.dataset, self.fold)

    @property
    def steps(self) -> tuple[Perturbation, ...]:
        """The perturbations of the recipe, in order.

        An original has none, and a contrast set those that act on its source.
        """
        if self.recipe == published.RECIPE:
            return ()
        if self.setting == CONTRAST:
            return _members(self.recipe, self.source)
        return perturbations.recipe(self.recipe, self.source.shape) if self.recipe else ()

    @property
    def capability(self) -> str:
        """The tested capability. A composed recipe has several, joined by +, and an original has none."""
        return "+".join(dict.fromkeys(step.capability.value for step in self.steps))

    @property
    def has_plausible_form(self) -> bool:
        """Return whether the source has a plausible form, which diagnosis uses instead."""
        name, shape = f"{self.recipe}{perturbations.PLAUSIBLE}", self.source.shape
        return name in perturbations.names() and not why_not(perturbations.get(name, shape), self.source)

    def rows(
        self,
        splits: Mapping[str, Sequence[Problem]],
        *,
        seed: int = 0,
        parameters: Mapping[str, Any] | None = None,
    ) -> dict[str, list[Row]]:
        """Return the variant's rows, made from the original splits.

        This is a pure function of its arguments.
        """
        return {
            split: list(self.stream(split, problems, seed=seed, parameters=parameters))
            for split, problems in splits.items()
        }

    def stream(
        self,
        split: str,
        problems: Sequence[Problem],
        *,
        seed: int = 0,
        parameters: Mapping[str, Any] | None = None,
        reader: Reader | None = None,
        neighbours: Neighbours | None = None,
        only: str = "",
    ) -> Iterator[Row]:
        """Yield the rows of one split, or of a part of it, pass by pass (see `settings.stream`)."""
        if not self.recipe:
            return map(Row, problems)
        if self.recipe == published.RECIPE:
            return as_published(problems)
        given = {"scope": self.source.scope, **(parameters or {})}
        if self.recipe in _CONSTRAINED:
            given["constraints"] = True
        return stream(
            split,
            problems,
            self.setting,
            self.steps,
            dataset=self.dataset,
            seed=seed,
            parameters=given,
            reader=reader,
            neighbours=neighbours,
            only=only,
        )

    def passes(self, split: str) -> tuple[str, ...]:
        """Return the passes over a split that `stream` makes, in the order of their rows."""
        return passes(split, self.setting) if self.setting else (CLEAN,)

    @property
    def borrows(self) -> bool:
        """Return whether the variant needs the statements of other rows."""
        return any(step.needs_neighbours for step in self.steps)


def variants(dataset: str | None = None) -> list[Variant]:
    """Return all listed variants of one dataset or of all, originals included."""
    found = []
    for name in (dataset,) if dataset else sources.names():
        source = sources.get(name)
        found.append(Variant(name))
        found += [Variant(name, fold) for fold in source.folds]
        found += [
            Variant(name, "", recipe, setting)
            for recipe in perturbations.names(source.shape)
            if not why_not(perturbations.get(recipe, source.shape), source)
            for setting in (_LISTED_SETTINGS[:1] if source.test_only else _LISTED_SETTINGS)
        ]
        found += [Variant(name, "", recipe, CONTRAST) for recipe in CONTRAST_SETS if _has_set(recipe, source)]
        found += [Variant(name, "", published.RECIPE, CONTRAST)] if source.contrasts else []
    return found


def _has_set(recipe: str, source: Source) -> bool:
    members = _members(recipe, source)
    return bool(members) and (
        recipe not in _CONSTRAINED or any("constraints" in step.parameters for step in members)
    )


def _members(recipe: str, source: Source) -> tuple[Perturbation, ...]:
    """Return the perturbations of a contrast set that act on a source.

    A user's own set is names joined by +.
    """
    if recipe not in CONTRAST_SETS:
        return perturbations.recipe(recipe, source.shape)
    known = [name for name in CONTRAST_SETS[recipe] if name in perturbations.names(source.shape)]
    steps = [perturbations.get(name, source.shape) for name in known]
    return tuple(step for step in steps if not why_not(step, source))


def why_not(step: Perturbation, source: Source) -> str:
    """Return the reason why the perturbation does not act on this source, or "" where it does."""
    if source.perturbed:
        return "its rows are perturbed already"
    if step.needs_spans and source.numeric and not source.chooses:
        return "every answer of the source is a number"
    return source.unperturbed or step.why_not(source.shape, source.language, source.equations)


def find(name: str) -> Variant:
    """Return the variant of a config name. Any existing recipe and setting may be combined.

    >>> find("asdiv_a-language+verbosity-attack").recipe
    'language+verbosity'
    """
    dataset, *rest = name.split("-")
    if dataset not in sources.names():
        raise UnknownNameError("config", name, (variant.name for variant in variants()))
    source = sources.get(dataset)
    fold = rest.pop(0) if rest and _FOLD.match(rest[0]) else ""
    if fold and fold not in source.folds:
        raise UnknownNameError("fold", fold, source.folds)
    if not rest:
        return Variant(dataset, fold)
    *middle, setting = rest
    if setting not in SETTINGS or not middle:
        raise UnknownNameError("config", name, (variant.name for variant in variants(dataset)))
    if source.test_only and setting in ("defense", "augment"):
        raise DncError(
            f"config {name!r}: {dataset} has test rows only; use the setting attack, or another dataset"
        )
    recipe = "-".join(middle)
    made = Variant(dataset, fold, recipe, setting)
    if recipe == published.RECIPE and setting == CONTRAST and source.contrasts:
        return made
    if not made.steps:
        raise DncError(f"config {name!r}: no perturbation of {recipe} acts on {dataset}")
    for step in made.steps:
        if reason := why_not(step, source):
            raise DncError(
                f"config {name!r}: {step.name} does not act on {dataset}: {reason}; "
                f"`dnc list {dataset}` shows what does"
            )
    return made


def read(dataset: str, fold: str = "", given: Path | None = None) -> dict[str, list[Problem]]:
    """Read the original splits of a dataset, from its files or the embedded corpus."""
    splits = opened(dataset, fold, given)
    return {split: rows if isinstance(rows, list) else list(rows) for split, rows in splits.items()}


def opened(dataset: str, fold: str = "", given: Path | None = None) -> dict[str, Sequence[Problem]]:
    """Return the original splits as sequences, whose rows may remain in their file."""
    from dnc_datasets import files

    source = sources.get(dataset)
    resolved = files.resolve(source, given, fold)
    return dict(source.read(resolved.files, fold))

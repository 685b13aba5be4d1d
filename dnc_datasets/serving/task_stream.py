"""Training tasks: fresh rows of a config, drawn from training problems and templates only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import count
from typing import Any

from dnc_datasets import corpus
from dnc_datasets.draws import Draw, T
from dnc_datasets.errors import DncError
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.rows import Record, to_record
from dnc_datasets.serving.settings import CONTRAST, Row, perturb

# A config with more texts counts as endless, because no training needs more.
ENDLESS = 10**9
_EMPTY_PASSES = 3
_LARGEST_PERMUTATION = 6
_SEED_BITS = 63  # the column `seed` is a signed 64-bit integer


@dataclass(frozen=True)
class TaskStream:
    """The tasks of a config and a seed: the same on every machine, without duplicate texts, never a test row.

    Iteration gives records with the columns of a built dataset. A perturbed record holds its original in
    `source`. The stream of a config with few texts ends when several passes over the training problems add no
    text.

    >>> tasks = TaskStream("tiny-noise-attack", seed=7)
    >>> first = next(iter(tasks))
    >>> first == next(iter(TaskStream("tiny-noise-attack", seed=7))), first["perturbed"]
    (True, True)
    """

    config: str
    seed: int = 0

    def __iter__(self) -> Iterator[Record]:
        variant, seen = self._variant, set(self._excluded)
        last = 0  # the last pass that gave a text
        for number in count():
            for row in self._pass(number):
                key = _key(row.problem)
                if key not in seen:
                    seen.add(key)
                    last = number
                    yield to_record(row, variant)
            if number - last >= _EMPTY_PASSES:
                return

    def capacity(self) -> int | None:
        """The estimated number of different texts of the stream, or None where it is practically endless.

        The estimate multiplies the outcomes of the draws that each training problem needs.
        """
        if self._templates:
            return None
        if not self._variant.recipe:
            return len(self._train)
        total = 0
        for problem in self._train:
            total += self._outcomes(problem)
            if total > ENDLESS:
                return None
        return total

    @cached_property
    def _variant(self) -> Variant:
        variant = catalogue.find(self.config)
        if variant.setting == CONTRAST:
            raise DncError(
                f"config {self.config!r}: a contrast set cannot be streamed; name one of its perturbations"
            )
        if variant.source.test_only or not self._splits.get("train"):
            raise DncError(f"config {self.config!r}: {variant.dataset} has no training rows to stream")
        return variant

    @cached_property
    def _splits(self) -> dict[str, list[Problem]]:
        found = catalogue.find(self.config)
        return catalogue.read(found.dataset, found.fold)

    @cached_property
    def _train(self) -> Sequence[Problem]:
        return self._splits["train"]

    @cached_property
    def _templates(self) -> Sequence[corpus.Template]:
        """The training templates of the word problems, or none for a dataset with fixed texts."""
        if self._variant.dataset != corpus.DATASET:
            return ()
        return [template for template in corpus.templates() if template.split == "train"]

    @cached_property
    def _excluded(self) -> frozenset[int]:
        """The texts of the validation and test rows, because a training row may repeat one."""
        held_out = (problems for split, problems in self._splits.items() if split != "train")
        return frozenset(_key(problem) for problems in held_out for problem in problems)

    @cached_property
    def _neighbours(self) -> Neighbours:
        return Neighbours(self._train, seed=self.seed, dataset=self._variant.dataset)

    def _pass(self, number: int) -> Iterator[Row]:
        """Yield the rows of one pass over all training problems or templates, in an order of its own."""
        variant = self._variant
        order = Draw(self.seed, variant.dataset, f"pass {number}", "stream")
        problems: Iterable[Problem] = (
            (corpus.fresh(template, self.seed, number + 1) for template in order.shuffled(self._templates))
            if self._templates
            else order.shuffled(self._train)
        )
        if not variant.recipe:
            yield from map(Row, problems)
            return
        given: dict[str, Any] = {
            "neighbours": self._neighbours,
            "parameters": {"scope": variant.source.scope},
        }
        for problem in problems:
            seed = Draw(self.seed, variant.dataset, problem.id, f"stream {number}").word() >> (
                64 - _SEED_BITS
            )
            row = perturb(problem, variant.steps, dataset=variant.dataset, seed=seed, **given)
            if row.original is not None and _key(row.original) not in self._excluded:
                yield row

    def _outcomes(self, problem: Problem) -> int:
        """Return the number of outcomes of the draws for this problem, or 0 where it is not changed."""
        outcomes, current = 1, problem
        for step in self._variant.steps:
            draw = _CountingDraw(self.seed, self._variant.dataset, problem.id, step.key)
            own = {"scope": self._variant.source.scope} if "scope" in step.parameters else {}
            changed = step.apply(current, draw, self._neighbours, **own)
            if changed is None or changed == current:
                return 0
            outcomes, current = outcomes * draw.outcomes, changed
        return outcomes


class _CountingDraw(Draw):
    """A draw that also counts its possible outcomes."""

    __slots__ = ("outcomes",)

    def __init__(self, *keys: Any) -> None:
        super().__init__(*keys)
        self.outcomes = 1

    def integer(self, low: int, high: int) -> int:
        self.outcomes *= max(1, high - low + 1)
        return super().integer(low, high)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        before = self.outcomes
        order = super().shuffled(items)
        if len(items) > _LARGEST_PERMUTATION:  # a long list is shuffled to take its first suitable item
            self.outcomes = before * len(items)
        return order

    def normal(self, mu: float, sigma: float) -> int:
        # Nearly all values of a normal distribution are within three standard deviations.
        self.outcomes *= max(1, int(6 * sigma))
        return super().normal(mu, sigma)


def _key(problem: Problem) -> int:
    """Return 64 bits that identify the text of a problem, its table and history included."""
    parts = (problem.text, problem.table, problem.history, problem.segments)
    return int.from_bytes(
        blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
    )

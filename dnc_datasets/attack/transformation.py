"""Transformation: the choices that an attack has for each sentence, and for the problem as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dnc_datasets import perturbations
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.errors import CertificateError
from dnc_datasets.perturbations.paraphrase import choose
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.serving.settings import Row, perturb

Choice = tuple[int, ...]


@dataclass(frozen=True)
class Space:
    """All forms of one problem: slot 0 is the recipe laid over it, the others are its sentences.

    Index 0 of a slot leaves it as it is; `build((0, 2, 0))` takes paraphrase 2 of the first sentence.
    """

    problem: Problem
    recipes: tuple[str, ...]
    slots: tuple[tuple[str, ...], ...]
    dataset: str
    seed: int
    neighbours: Neighbours

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many choices each slot has."""
        return (len(self.recipes), *(len(slot) for slot in self.slots))

    @property
    def unchanged(self) -> Choice:
        """The choice that is the problem itself."""
        return (0,) * len(self.sizes)

    def build(self, choice: Choice) -> Row | None:
        """The row of a choice; None where the recipe does not fit the paraphrased text."""
        *body, question = (slot[at] for slot, at in zip(self.slots, choice[1:], strict=True))
        made = self.problem.replace(body=" ".join(body), question=question)
        recipe = self.recipes[choice[0]]
        if not recipe:
            return Row(made, self.problem)
        try:
            row = perturb(
                made,
                perturbations.recipe(recipe),
                dataset=self.dataset,
                seed=self.seed,
                neighbours=self.neighbours,
            )
        except CertificateError:
            return None
        return Row(row.problem, self.problem, row.certificate) if row.original is not None else None


def space(
    problem: Problem,
    *,
    most: int = 7,
    model: str = "",
    recipes: Sequence[str] = (),
    dataset: str = "",
    seed: int = 0,
    neighbours: Neighbours | None = None,
) -> Space:
    """The space of a problem: up to `most` paraphrases a sentence, and each recipe over the whole.

    Only recipes that keep equation and answer may be laid over it: the answer is what is attacked.
    """
    parts = (*sentences(problem.body), problem.question)
    slots = tuple((part, *(one.text for one in choose(part, most, model))) for part in parts)
    return Space(problem, ("", *recipes), slots, dataset, seed, neighbours or Neighbours((problem,)))

"""Transformation: the choices that an attack has for each sentence, and for the entire problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dnc_datasets import perturbations
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.errors import CertificateError
from dnc_datasets.perturbations.paraphrase import choose
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.second_reader import frames
from dnc_datasets.serving.settings import Row, perturb

Choice = tuple[int, ...]


@dataclass(frozen=True)
class Space:
    """All forms of one problem. Slot 0 is the recipe that is applied to it, and the others are its sentences.

    Index 0 of a slot leaves it unchanged. `build((0, 2, 0))` takes paraphrase 2 of the first sentence.
    """

    problem: Problem
    recipes: tuple[str, ...]
    slots: tuple[tuple[str, ...], ...]
    dataset: str
    seed: int
    neighbours: Neighbours

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of choices of each slot."""
        return (len(self.recipes), *(len(slot) for slot in self.slots))

    @property
    def unchanged(self) -> Choice:
        """The choice that is the problem itself."""
        return (0,) * len(self.sizes)

    def build(self, choice: Choice) -> Row | None:
        """Return the row of a choice, or None where the recipe does not fit the paraphrased text."""
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
    """Return the space of a problem: up to `most` paraphrases of each sentence, and each recipe.

    Only recipes that keep equation and answer are allowed, because the attack compares answers. Paraphrases
    of a model must keep the head entity of every number, by the rules and, where the extra `parse` is
    installed, by spaCy.
    """
    parts = (*sentences(problem.body), problem.question)
    found = [[one.text for one in choose(part, most, model)] for part in parts]
    if model and frames.is_available():
        found = [_with_same_heads(part, texts) for part, texts in zip(parts, found, strict=True)]
    slots = tuple((part, *texts) for part, texts in zip(parts, found, strict=True))
    return Space(problem, ("", *recipes), slots, dataset, seed, neighbours or Neighbours((problem,)))


def head_filter(model: str) -> str:
    """Return the filter for the head entities of a model's paraphrases: "rules" or "rules and spaCy"."""
    return "rules and spaCy" if model and frames.is_available() else "rules"


def _with_same_heads(part: str, texts: Sequence[str]) -> list[str]:
    """Return the texts in which spaCy finds the same counted thing and owner for every number."""
    before, *after = (_heads(read.frames) for read in frames.read([part, *texts]))
    return [text for text, heads in zip(texts, after, strict=True) if heads == before]


def _heads(found: Iterable[frames.Frame]) -> list[tuple[object, str, str]]:
    """Return the value, noun and subject of every number, in ascending order of values."""
    return sorted((frame.value, frame.noun, frame.who) for frame in found)

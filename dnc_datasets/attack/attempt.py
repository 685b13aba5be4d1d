"""Attempt: the attack on one problem, as a generator that yields texts and receives answers."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from dnc_datasets import model_arguments, perturbations
from dnc_datasets.attack import goal, search
from dnc_datasets.attack.goal import PARAPHRASE, holds
from dnc_datasets.attack.transformation import Choice, Space, space
from dnc_datasets.draws import Draw
from dnc_datasets.errors import DncError
from dnc_datasets.perturbations import Capability
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem, to_row
from dnc_datasets.serving.settings import Row


@dataclass(frozen=True)
class Settings:
    """The settings of an attack, besides the problems and the model.

    All of them are recorded, so the model's name keeps only those arguments that may be recorded.
    """

    dataset: str
    model: str
    search: str = "full"
    most: int = 7
    budget: int = 1000
    seed: int = 0
    recipes: tuple[str, ...] = ()
    paraphraser: str = ""
    split: str = "test"

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", model_arguments.model(self.model))
        search.get(self.search)
        for name, least in (("most", 0), ("budget", 1)):
            if getattr(self, name) < least:
                raise DncError(f"{name} is {getattr(self, name)}; it must be at least {least}")
        for recipe in self.recipes:
            steps = perturbations.recipe(recipe)
            if any(step.changes_target or step.capability is Capability.PROBE for step in steps):
                raise DncError(
                    f"recipe {recipe!r} changes the answer or takes the question away; an attack may only use "
                    "one that keeps both, e.g. type, verbosity or question_reordering"
                )


@dataclass
class Attempt:
    """The outcome for one problem: correct or not, flipped or not, queries, and adversarial text."""

    id: str
    right: bool = False
    flipped: bool = False
    queries: int = 0
    answer: str = ""
    adversarial: dict[str, Any] | None = None
    certificate: list[str] = field(default_factory=list)


def attempt(
    problem: Problem, settings: Settings, neighbours: Neighbours
) -> Generator[list[str], list[str], Attempt]:
    """Yield texts for the model, receive its answers, and return the outcome.

    The problem itself is the first query. If its answer is correct, the search looks for a form with a wrong
    answer.
    """
    is_right = goal.judge(settings.model)
    outcome = Attempt(problem.id, queries=1)
    (outcome.answer,) = yield [problem.text]
    outcome.right = is_right(problem, outcome.answer)
    if not outcome.right:
        return outcome
    forms = space(
        problem,
        most=settings.most,
        model=settings.paraphraser,
        recipes=settings.recipes,
        dataset=settings.dataset,
        seed=settings.seed,
        neighbours=neighbours,
    )
    asked = {problem.text}
    draw = Draw(settings.seed, settings.dataset, problem.id, "attack")
    turns = search.get(settings.search)(forms, draw)
    choices = next(turns, None)
    while choices is not None and outcome.queries < settings.budget:
        possible = {choice: row for choice in choices if (row := _form(forms, choice))}
        fresh = {row.problem.text: row for row in possible.values() if row.problem.text not in asked}
        texts = list(fresh)[: settings.budget - outcome.queries]
        if texts:
            answers = yield texts
            asked.update(texts)
            outcome.queries += len(texts)
            for text, answer in zip(texts, answers, strict=True):
                if not is_right(problem, answer):
                    made = fresh[text]
                    outcome.certificate = _certificate(made, problem)
                    outcome.flipped, outcome.answer = True, answer
                    outcome.adversarial = to_row(made.problem)
                    return outcome
        try:
            choices = turns.send(list(possible))
        except StopIteration:
            break
    return outcome


def _form(forms: Space, choice: Choice) -> Row | None:
    """Return the form of a choice, or None where it does not exist or breaks a constraint."""
    # A recipe that is applied to the text adds its own numbers and has its own certificate.
    plain = forms.build((0, *choice[1:]))
    if plain is None or not holds(forms.problem, plain.problem):
        return None
    return forms.build(choice) if choice[0] else plain


def _certificate(row: Row, original: Problem) -> list[str]:
    """Return the checks of the paraphrase and of the recipe that the row passes."""
    names = dict.fromkeys((*PARAPHRASE, *(name.rpartition(":")[2] for name in row.certificate)))
    return [name for name in names if holds(original, row.problem, [name])]

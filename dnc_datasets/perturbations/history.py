"""History: solved problems precede the problem, as in a conversation that changes its topic."""

from __future__ import annotations

from fractions import Fraction

from dnc_datasets import corpus, numerals
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import Problem

_ATTEMPTS = 200


@perturbation(
    "history",
    capability=Capability.OPERAND_SELECTION,
    promises=("target_kept", "history_is_separate"),
    shapes=("word_problem",),
    languages=("en",),
    qualifies="every problem changes",
)
def put_after_solved_problems(problem: Problem, draw: Draw, *, turns: int = 3) -> Problem | None:
    """Problem 1: ... Answer: 12 Problem 2: ... -> the problem, under the next number; its own answer does not occur."""
    if turns < 1:
        return None
    gold = numerals.parse(problem.answer)
    earlier = _solved(draw, turns, gold)
    blocks = [f"Problem {at}: {one.text}\nAnswer: {one.answer}" for at, one in enumerate(earlier, 1)]
    return problem.replace(body="\n\n".join((*blocks, f"Problem {turns + 1}: {problem.body}")))


def _solved(draw: Draw, count: int, gold: Fraction | None) -> list[Problem]:
    """Return problems of different training templates whose answers differ from that of the problem."""
    templates = [template for template in corpus.templates() if template.split == "train"]
    found: dict[str, Problem] = {}
    for _ in range(_ATTEMPTS):
        template = draw.choice(templates)
        made = corpus.fresh(template, draw.integer(0, 2**31), len(found) + 1)
        if template.id not in found and numerals.parse(made.answer) != gold:
            found[template.id] = made
            if len(found) == count:
                break
    return list(found.values())

"""Padding: unrelated text without numbers around the problem, with a given length."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.problem import Problem


@perturbation(
    "padding",
    capability=Capability.OPERAND_SELECTION,
    promises=("target_kept", "padding_is_unrelated"),
    shapes=("word_problem",),
    languages=("en",),
    qualifies="every problem with a body changes",
)
def pad(problem: Problem, draw: Draw, *, words: int = 400, depth: float = 0.5) -> Problem | None:
    """About `words` words of unrelated text; `depth` is the share of them that comes before the problem."""
    if not problem.body or words < 1:
        return None
    sentences = _padding(draw, words)
    # A body that ends with a comma continues in its question, so no text may separate them.
    before = (
        len(sentences) if problem.body.endswith(",") else round(len(sentences) * min(1.0, max(0.0, depth)))
    )
    parts = (*sentences[:before], problem.body, *sentences[before:])
    return problem.replace(body=" ".join(parts))


def _padding(draw: Draw, words: int) -> list[str]:
    """Return sentences in random order until there are enough words.

    Each sentence occurs once before any is repeated.
    """
    found: list[str] = []
    while sum(len(sentence.split()) for sentence in found) < words:
        for sentence in draw.shuffled(_sentences()):
            found.append(sentence)
            if sum(len(one.split()) for one in found) >= words:
                break
    return found


@cache
def _sentences() -> tuple[str, ...]:
    text = (files("dnc_datasets.corpus") / "padding.txt").read_text(encoding="utf-8")
    return tuple(text.splitlines())

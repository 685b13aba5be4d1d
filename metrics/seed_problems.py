"""Seed problems with the largest diversity, chosen by clustering the problems of each operation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from dnc_datasets import expression
from dnc_datasets.attack import models
from dnc_datasets.draws import Draw
from dnc_datasets.errors import DncError, ExpressionError
from dnc_datasets.problem import Problem
from dnc_metrics import corpus_statistics, similarity
from dnc_metrics.corpus_statistics import tokens

# Rows of numbers, one for each text.
Embed = Callable[[Sequence[str]], Any]
_ROUNDS = 50
# The conditions of SVAMP for its seeds.
_MOST_WORDS, _FEWEST_OF_A_TYPE = 40, 20
_MOST_OPERATORS = 2  # of a varied problem


def embeddings(name: str) -> Embed:
    """Return an embedding function: `words` (tf-idf), `minilm`, `minilm:FOLDER` or `python:MODULE:FUNCTION`.

    Nothing is downloaded.
    """
    kind, _, rest = name.partition(":")
    if kind == "words":
        return words
    if kind == "minilm":
        return similarity.vectors(rest or None)
    return models.load(name)


def words(texts: Sequence[str]) -> Any:
    """Return one column per word, weighted by inverse document frequency; all numbers are one word."""
    import numpy as np

    found = [Counter(tokens(text, masked=True)) for text in texts]
    having = Counter(word for counts in found for word in counts)
    places = {word: at for at, word in enumerate(sorted(having))}
    made = np.zeros((len(texts), len(places)))
    for at, counts in enumerate(found):
        for word, count in counts.items():
            made[at, places[word]] = count * math.log(len(texts) / having[word])
    return made


def choose(problems: Sequence[Problem], count: int, embed: Embed, *, seed: int = 0) -> list[Problem]:
    """Return `count` problems in proportion to operations: the nearest to each centre of k-means clusters."""
    if count < 1:
        raise DncError(f"--seeds {count}: give at least one")
    groups: dict[str, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(operation(problem), []).append(problem)
    quotas = _shared_out({name: len(own) for name, own in groups.items()}, min(count, len(problems)))
    chosen = {
        problem.id
        for name, own in sorted(groups.items())
        for problem in _middles(own, quotas[name], embed, seed, name)
    }
    return [problem for problem in problems if problem.id in chosen]


def published(problems: Sequence[Problem]) -> list[Problem]:
    """Return problems by SVAMP's criteria: one operator, at most 40 words, a type with at least 20 problems.

    The type is the one that the source states (`solution_type`), or the operation.
    """
    found = [
        problem
        for problem in problems
        if len(tokens(problem.text)) <= _MOST_WORDS and _operators(problem.equation) == 1
    ]
    kinds = Counter(map(_type, found))
    return [problem for problem in found if kinds[_type(problem)] >= _FEWEST_OF_A_TYPE]


def is_short(problem: Problem) -> bool:
    """Return whether SVAMP keeps a varied problem; one with more than two operators is discarded.

    >>> is_short(Problem("a", "", "How many?", equation="(2 + 3) * 4 - 1", answer="19"))
    False
    """
    return _operators(problem.equation) <= _MOST_OPERATORS


def _type(problem: Problem) -> str:
    return problem.note("solution_type") or operation(problem)


def _operators(equation: str) -> int:
    try:
        return int(corpus_statistics.average_operators([equation]))
    except ExpressionError:
        return 0


def operation(problem: Problem) -> str:
    """Return the operation that is evaluated last."""
    try:
        return expression.parse(problem.equation).prefix().split()[0]
    except ExpressionError:
        return ""


def _shared_out(sizes: dict[str, int], count: int) -> dict[str, int]:
    """Divide a number among groups in proportion to their sizes, by largest-remainder rounding."""
    total = sum(sizes.values())
    exact = {name: count * size / total for name, size in sizes.items()}
    given = {name: int(share) for name, share in exact.items()}
    order = sorted(exact, key=lambda name: (given[name] - exact[name], name))
    for name in order[: count - sum(given.values())]:
        given[name] += 1
    return given


def _middles(problems: Sequence[Problem], count: int, embed: Embed, seed: int, name: str) -> list[Problem]:
    """Return the problem nearest to the centre of each of `count` clusters, by cosine similarity."""
    if count >= len(problems):
        return list(problems)
    if not count:
        return []
    import numpy as np

    points = np.asarray(embed([problem.text for problem in problems]), dtype=float)
    if points.ndim != 2 or len(points) != len(problems):
        raise DncError(
            f"the embeddings have the shape {points.shape}; one vector for each of {len(problems)} texts"
        )
    points = points / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-12)
    draw = Draw(seed, name, "seeds", "challenge")
    # The first centre is drawn; each next one is the point furthest from all earlier ones.
    centres = [draw.integer(0, len(points) - 1)]
    nearest = points @ points[centres[0]]
    while len(centres) < count:
        centres.append(int(np.argmin(nearest)))
        nearest = np.maximum(nearest, points @ points[centres[-1]])
    middles, own = points[centres], None
    for _ in range(_ROUNDS):
        now = np.argmax(points @ middles.T, axis=1)
        if own is not None and (now == own).all():
            break
        own = now
        for at in range(count):
            if (own == at).any():
                middle = points[own == at].sum(axis=0)
                middles[at] = middle / max(float(np.linalg.norm(middle)), 1e-12)
    near = points @ middles.T
    taken: list[int] = []
    for at in range(count):
        taken.append(
            next(int(one) for one in np.argsort(-near[:, at], kind="stable") if int(one) not in taken)
        )
    return [problems[at] for at in taken]

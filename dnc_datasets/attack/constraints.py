"""Constraints: what every adversarial problem must keep of the one it was made from."""

from __future__ import annotations

from collections.abc import Iterable

from dnc_datasets.certificate import CHECKS
from dnc_datasets.problem import Problem

# Names of checks: equation and answer, every number, and what each number counts.
PARAPHRASE = ("target_kept", "values_permuted", "heads_kept")


def holds(original: Problem, candidate: Problem, constraints: Iterable[str] = PARAPHRASE) -> bool:
    """Do all of them hold?"""
    return all(CHECKS[name](original, candidate) for name in constraints)

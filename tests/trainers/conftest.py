"""Small problems and settings that train in a second or two."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent))

from dnc_datasets.problem import Problem
from dnc_trainers.config import Config

_KINDS = (
    ("{} has {} pens and buys {} more.", "How many pens does {} have now?", "{} + {}"),
    ("{} has {} pens and loses {} of them.", "How many pens are left for {}?", "{} - {}"),
    ("{} has {} boxes with {} pens in each box.", "How many pens does {} have in all?", "{} * {}"),
)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Sums in another order give other last digits, so every run here uses as many threads as the killed one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def problems() -> list[Problem]:
    """36 one-step problems of three kinds."""
    made = []
    for index in range(36):
        body, question, equation = _KINDS[index % 3]
        name, a, b = ("Ann", "Bob", "Eve")[index // 3 % 3], 40 + index, 2 + index
        made.append(
            Problem(
                f"p{index}",
                body.format(name, a, b),
                question.format(name),
                equation=equation.format(a, b),
                answer=str(eval_pair(a, b, index % 3)),
            )
        )
    return made


def eval_pair(a: int, b: int, kind: int) -> int:
    """The answer of a problem of each kind."""
    return (a + b, a - b, a * b)[kind]


@pytest.fixture
def small() -> Config:
    """A model of some thousand weights."""
    return Config(
        solver="gts",
        embedding=16,
        hidden=16,
        dropout=0.1,
        epochs=3,
        batch=8,
        lr=5e-3,
        beam=2,
        checkpoint_seconds=0,
    )

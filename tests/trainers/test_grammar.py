"""Whatever is chosen among the allowed symbols, the end is a whole expression within the limit."""

from __future__ import annotations

from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dnc_trainers.config import NUMBERS, TARGETS, Config
from dnc_trainers.representation import SLOTS, Representation, Vocabulary
from dnc_trainers.solvers.grammar import Grammar


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("target", TARGETS)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**31), limit=st.integers(5, 20))
def test_any_walk_ends_in_an_expression(numbers: str, target: str, seed: int, limit: int) -> None:
    config = Config(numbers=numbers, target=target, max_length=limit)
    digits = numbers == "tokenization" or target != "equation"
    vocabulary = Vocabulary(("<pad>", "<unk>"), ("1", "2"), digits)
    represent, grammar = Representation(config, vocabulary), Grammar(config, vocabulary)
    torch.manual_seed(seed)
    progress = grammar.start(1, torch.device("cpu"))
    written: list[int] = []
    for step in range(limit):
        allowed = grammar.allowed(progress, step)
        assert allowed.any(), f"stuck after {written}"
        symbol = torch.multinomial(allowed[0].float(), 1)
        written.append(int(symbol))
        progress = grammar.advance(progress, symbol)
        if progress.done.all():
            break
    assert progress.done.all()
    read = represent.read_symbols(written, [Fraction(i + 2) for i in range(SLOTS)])
    if target == "answer":
        assert read.value is not None
    else:
        assert read.equation


def test_a_finished_sequence_stays_finished() -> None:
    config = Config()
    grammar = Grammar(config, Vocabulary(("<pad>", "<unk>"), ("1",)))
    progress = grammar.advance(grammar.start(1, torch.device("cpu")), torch.tensor([6]))
    assert progress.done.all()
    assert not grammar.allowed(progress, 1).any()
    assert grammar.advance(progress, torch.tensor([0])).done.all()

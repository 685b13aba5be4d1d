"""The two graphs that Graph2Tree reads, on texts small enough to draw."""

from __future__ import annotations

from fractions import Fraction

import torch

from dnc_trainers.graphs import GRAPHS, word_graphs, word_groups
from dnc_trainers.representation import Text


def text(words: str, *values: int) -> Text:
    tokens = tuple(words.split())
    places = tuple(at for at, token in enumerate(tokens) if token.startswith("number"))
    return Text(tokens, places, tuple(map(Fraction, values)))


def edges(graph: torch.Tensor) -> set[tuple[int, int]]:
    """The edges of a graph but those from a token to itself."""
    return {(int(i), int(j)) for i, j in graph.nonzero() if i != j}


def test_greater_leads_from_larger_to_smaller_numbers() -> None:
    greater, _ = word_graphs(text("ann has number0 pens and number1 cups", 3, 8))
    assert edges(greater) == {(5, 2)}


def test_greater_joins_equal_numbers_both_ways() -> None:
    greater, _ = word_graphs(text("ann has number0 pens and number1 cups", 3, 3))
    assert edges(greater) == {(2, 5), (5, 2)}


def test_attribute_joins_a_number_with_its_words_and_words_of_one_stem() -> None:
    words = text("ann has number0 pens . how many pens are left ?", 3)
    assert word_groups(words) == [[1, 3]]
    _, attribute = word_graphs(words)
    # "pens" behind the number, and "pens", "are", "left" at the end of the question.
    assert edges(attribute) == {(2, 1), (1, 2), (2, 3), (3, 2), (3, 7), (7, 3)}


def test_a_rate_word_may_stand_further_off() -> None:
    assert word_groups(text("number0 pens in the box each", 3)) == [[1, 5]]


def test_every_token_has_an_edge_to_itself_and_edges_count_one() -> None:
    graphs = word_graphs(text("number0 pens and number1 pens and number2 cups", 3, 8, 5))
    assert graphs.shape == (GRAPHS, 8, 8)
    assert set(graphs.unique().tolist()) == {0.0, 1.0}
    assert all(bool((graph.diagonal() == 1).all()) for graph in graphs)

"""The graph of a solution: links to the text, inversion, exchange, and reasons for having none."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import expression, graph, steps
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number
from dnc_datasets.problem import Problem
from dnc_datasets.sources.gsm8k import problem_of

PENS = Problem(
    "1",
    "Ann has 12 pens and buys 3 boxes of 10 pens.",
    "How many pens has she?",
    equation="12 + 3 * 10",
    answer="42",
)


def _gsm8k(question: str, solution: str) -> Problem:
    from pathlib import Path

    return problem_of("test-1", question, solution, Path("test.jsonl"))


def test_leaves_are_linked_to_the_numbers_of_the_text() -> None:
    made = graph.graph_of(PENS)
    assert made is not None
    assert [(leaf.quantity.text, leaf.unit) for leaf in made.linked if leaf.quantity] == [
        ("12", "pens"),
        ("3", "boxes"),
        ("10", "pens"),
    ]
    assert [leaf.path for leaf in made.leaves] == graph.leaf_paths(made.tree) == [(0,), (1, 0), (1, 1)]
    assert made.values_on_path(made.linked[1]) == [42, 30]
    parent = made.parent(made.linked[1])
    assert parent is not None
    assert parent.infix() == "3 * 10"


def test_a_number_that_is_stated_twice_or_used_twice_is_not_linked() -> None:
    twice = PENS.replace(
        body="Ann has 12 pens and buys 3 boxes of 3 pens.", equation="12 + 3 * 3", answer="21"
    )
    made = graph.graph_of(twice)
    assert made is not None
    assert [leaf.value for leaf in made.linked] == [12]


def test_money_and_percent_have_their_signs_as_units() -> None:
    made = graph.graph_of(
        Problem("1", "A $40 hat is 15% off.", "What is the discount?", equation="40 * 15 / 100", answer="6")
    )
    assert made is not None
    assert [leaf.unit for leaf in made.linked] == ["$", "%"]


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (PENS.replace(equation=""), "gives no equation"),
        (PENS.replace(answer="43"), "does not give the answer"),
        (PENS.replace(answer_type="span"), "not a number"),
        (PENS.replace(meta=(("rounding", "ceil"),)), "rounded"),
    ],
)
def test_a_problem_without_a_graph_has_a_reason(problem: Problem, reason: str) -> None:
    assert graph.graph_of(problem) is None
    assert reason in graph.reason_for_no_graph(problem)


@pytest.mark.parametrize(
    "solution",
    [
        "He had 60kg - 30kg = <<30=30>>30kg left.\n#### 30",
        "He had 60 - 30 = <<60-30=30>>20 left.\n#### 30",
        "He had 6 - 30 = <<60-30=30>>30 left.\n#### 30",
    ],
)
def test_no_graph_where_the_prose_and_its_annotation_disagree(solution: str) -> None:
    problem = _gsm8k("Tom had 60 kg of corn and sold 30 kg. How much corn had he left?", solution)
    assert problem.equation == ""
    assert graph.reason_for_no_graph(problem) == steps.DISAGREES
    assert not list(graph.partial_graphs(problem))


@pytest.mark.parametrize(
    "solution",
    [
        "He had 60kg - 30kg = <<60-30=30>>30kg left.\n#### 30",
        "He had 60 bags - 30 = <<60-30=30>>30 left.\n#### 30",
        "So he had $60 - $30 = $<<60-30=30>>30.\n#### 30",
    ],
)
def test_units_and_currency_are_no_disagreement(solution: str) -> None:
    problem = _gsm8k("Tom had 60 kg of corn and sold 30 kg. How much corn had he left?", solution)
    assert problem.equation == "60 - 30"


def test_a_partial_graph_follows_one_number_to_the_answer() -> None:
    problem = _gsm8k(
        "A class of 40 pupils pays $7 each; the school pays the share of the staff. How much is paid?",
        "40 * 7 = <<40*7=280>>280. The staff share is 35. 280 + 35 = <<280+35=315>>315\n#### 315",
    )
    assert problem.equation == ""
    assert [(leaf.value, made.tree.infix()) for made, leaf in graph.partial_graphs(problem)] == [
        (40, "40 * 7 + 35"),
        (7, "40 * 7 + 35"),
    ]


def test_a_number_from_which_an_unstated_one_may_come_has_no_partial_graph() -> None:
    problem = _gsm8k(
        "Of 50 pens 40% are red. How many are not, and how many boxes of 2 do they and 40 more fill?",
        "The rest is 60. 50 * 60 / 100 = <<50*60/100=30>>30 and 30 / 2 + 40 = <<30/2+40=55>>55\n#### 55",
    )
    assert 40 not in [leaf.value for _, leaf in graph.partial_graphs(problem)]


def test_powers_and_remainders_have_no_inverse() -> None:
    with pytest.raises(ExpressionError, match="no single inverse"):
        graph.invert(expression.parse("3 ^ 2"), (0,), expression.parse("9"))


def test_a_single_number_differs_from_another_at_the_root() -> None:
    assert graph.differences(expression.parse("3"), expression.parse("4")) == [()]
    assert graph.differences(expression.parse("3 + 4"), expression.parse("3 + 4 * 2")) == [(1,)]


_numbers = st.integers(1, 99).map(lambda value: expression.number(Fraction(value)))
_trees: st.SearchStrategy[Expr] = st.recursive(
    _numbers,
    lambda inner: st.builds(Binary, st.sampled_from("+-*/"), inner, inner),
    max_leaves=8,
)


@given(tree=_trees, data=st.data())
def test_inverting_and_evaluating_gives_the_leaf_back(tree: Expr, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(graph.leaf_paths(tree)))
    leaf = graph.node_at(tree, path)
    try:
        inverse = graph.invert(tree, path, expression.number(tree.value()))
        value = inverse.value()
    except ExpressionError:
        return  # a division by zero
    assert value == leaf.value()
    assert value in graph.roots(tree, path, tree.value())


@given(tree=_trees, data=st.data())
def test_an_exchange_changes_exactly_one_node(tree: Expr, data: st.DataObject) -> None:
    path, node = data.draw(st.sampled_from(list(graph.nodes(tree))))
    if isinstance(node, Number):
        made = graph.with_node(tree, path, expression.number(node.number + 1))
    else:
        assert isinstance(node, Binary)
        made = graph.with_operator(tree, path, "+" if node.op != "+" else "*")
    assert graph.differences(tree, made) == [path]
    assert graph.differences(tree, tree) == []

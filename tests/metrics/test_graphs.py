"""DAGsim and GEM give the values worked out by hand, and something defined for every graph."""

from __future__ import annotations

import csv
import json
import math
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dnc_metrics
from dnc_datasets.errors import UnknownNameError
from dnc_metrics import graphs
from dnc_metrics.errors import MetricError

CASES = json.loads((Path(dnc_metrics.path("dagsim")) / "cases.json").read_text(encoding="utf-8"))
NODES = [f"<q{i}>" for i in range(1, 4)] + [f"<p{i}>" for i in range(1, 4)]
EDGES = st.lists(st.tuples(st.sampled_from(["<q>", *NODES]), st.sampled_from(NODES)), max_size=10)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_cases(case: dict[str, dict[str, list[list[list[str]]]]]) -> None:
    inputs = case["inputs"]
    result = graphs.score(inputs["references"], inputs["predictions"], **case["options"])  # type: ignore[arg-type]
    for name, value in case["result"].items():
        assert result[name] == pytest.approx(value, abs=1e-6)


def _edges(text: str, known: dict[str, list[list[str]]]) -> list[list[str]]:
    """The edges of "q>q1 q1>p1", of "(O1 gold)", or of one without an edge."""
    if "without" in text:
        base, _, dropped = text.partition(" gold without ")
        return [edge for edge in known[base] if edge != _edges(dropped, known)[0]]
    if text.startswith("("):
        return known.get(text.strip("()").split()[0], [])
    return [[f"<{node}>" for node in edge.split(">")] for edge in text.split()]


def test_oracles(facts: Path) -> None:
    file = facts / "bpb_noahqa" / "dagsim_oracles.csv"
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    known: dict[str, list[list[str]]] = {}
    for row in rows:
        gold = known[row["id"]] = _edges(row["gold_edges"], known)
        same = row["pred_edges"] == "(same as gold)"
        found = gold if same else _edges(row["pred_edges"], known)
        assert graphs.gem(gold, found) == bool(int(row["gem_set"]))
        ours = graphs.dagsim(gold, found, similarity="identity", ties="lowest")
        assert ours == pytest.approx(float(row["dagsim_sum"].split()[0]), abs=1e-6), row["id"]
        released = float(row["dagsim_released_mean"])
        ours = graphs.dagsim(gold, found, similarity="identity", released_code=True)
        assert ours == pytest.approx(0.0 if math.isnan(released) else released, abs=1e-6), row["id"]
    assert len(rows) == 12


@given(EDGES, EDGES, st.sampled_from(["identity", "edit"]), st.sampled_from(["highest", "lowest"]))
def test_always_defined(
    gold: list[tuple[str, str]], found: list[tuple[str, str]], kind: str, ties: str
) -> None:
    value = graphs.dagsim(gold, found, similarity=kind, ties=ties)
    assert 0 <= value <= 1
    assert graphs.dagsim(gold, gold, similarity=kind) == 1
    assert 0 <= graphs.dagsim(gold, found, similarity=kind, released_code=True) <= 1
    if graphs.gem(gold, found):
        assert value == 1


@given(EDGES, EDGES)
def test_ties_bound_the_value(gold: list[tuple[str, str]], found: list[tuple[str, str]]) -> None:
    low = graphs.dagsim(gold, found, similarity="identity", ties="lowest")
    assert low <= graphs.dagsim(gold, found, similarity="identity") + 1e-9


@given(EDGES)
def test_paths_are_all_simple_paths(edges: list[tuple[str, str]]) -> None:
    inner = {start for start, _ in edges}

    def walk(path: tuple[str, ...]) -> set[tuple[str, ...]]:
        if path[-1] not in inner:
            return {path}
        ends = {end for start, end in edges if start == path[-1] and end not in path}
        return set().union(*(walk((*path, end)) for end in ends))

    found = graphs.paths(edges)
    assert set(found) == walk(("<q>",))
    assert len(found) == len(set(found))


def test_paths_that_explode_are_refused() -> None:
    layers = [[f"<l{layer}n{node}>" for node in range(4)] for layer in range(10)]
    edges = [("<q>", node) for node in layers[0]]
    for upper, lower in pairwise(layers):
        edges += list(product(upper, lower))
    with pytest.raises(MetricError, match="row 0: a graph with too many paths"):
        graphs.score([edges], [edges[:-1]])
    assert graphs.dagsim(edges, edges) == 1


def test_cycles_without_an_end_are_refused_not_searched() -> None:
    nodes = [f"<q{i}>" for i in range(40)]
    everywhere = [("<q>", node) for node in nodes] + [(a, b) for a, b in product(nodes, nodes) if a != b]
    with pytest.raises(MetricError, match="too many paths"):
        graphs.dagsim([("<q>", "<p1>")], everywhere)


def test_many_paths_to_match_are_refused() -> None:
    wide = [("<q>", f"<p{i}>") for i in range(2000)]
    with pytest.raises(MetricError, match="too large to compare"):
        graphs.dagsim(wide, wide[1:])


@pytest.mark.parametrize("wrong", ["<q>", None, 3, [["<q>"]], [["<q>", 1]], ["ab"], [None]])
def test_what_is_not_a_graph_is_refused(wrong: object) -> None:
    with pytest.raises(MetricError, match="must be"):
        graphs.dagsim([], wrong)  # type: ignore[arg-type]


def test_errors_say_what_and_where() -> None:
    with pytest.raises(MetricError, match="predictions has 1 row but references has 2"):
        graphs.score([[], []], [[]])
    with pytest.raises(MetricError, match="predictions has 1 row but texts has 0"):
        graphs.score([[]], [[]], texts=[])
    with pytest.raises(UnknownNameError, match="did you mean edit"):
        graphs.dagsim([], [("a", "b")], similarity="edits")
    with pytest.raises(MetricError, match="ties must be"):
        graphs.dagsim([], [("a", "b")], ties="first")
    with pytest.raises(MetricError, match="no graphs"):
        graphs.score([], [])
    with pytest.raises(MetricError, match="a node text of 30000 characters"):
        graphs.dagsim([("<q>", "a")], [("<q>", "b")], texts={"<q>": "", "a": "x" * 30_000, "b": "y"})
    with pytest.raises(MetricError, match="too large to compare"):
        graphs.dagsim([("<q>", "a")], [("<q>", "b")], texts={"<q>": "", "a": "x" * 19_000, "b": "y" * 19_000})
    with pytest.raises(MetricError, match="more than 5000 edges"):
        graphs.dagsim([], [("<q>", str(node)) for node in range(5001)])


def test_a_similarity_of_ones_own() -> None:
    value = graphs.dagsim([("<q>", "a")], [("<q>", "b")], similarity=lambda a, b: 0.5)
    assert value == 0.75

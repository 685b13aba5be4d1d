"""Reasoning graphs read from replies and scored: GEM, DAGsim, F1 of edges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dnc_metrics import extraction, graphs
from dnc_metrics.extraction.thinking import spoken
from dnc_metrics.graphs import ROOT, Edge

_MAX_LINES = 200
_MAX_LINE = 400
# "Q2: P1, Q1", "- **Q**: P3", "问题2：P1"; other lines do not match.
_LINE = re.compile(
    r"[-*• ]{0,6}(?:Q|问题|问)(?P<turn>\d{0,3})[* ]{0,4}(?::|：|->|→|=)(?P<rest>[^\n]{0,400})", re.I
)
_NODE = re.compile(r"(?<![A-Za-z0-9])(?P<kind>[PpQq])(?P<number>\d{1,3})(?!\d)")


@dataclass(frozen=True)
class Evidence:
    """The scores of one reply; `rule` is the rule that read it."""

    gem: bool
    dagsim: float
    edge_f1: float
    rule: str
    edges: tuple[Edge, ...] = ()


def read(reply: str) -> tuple[tuple[Edge, ...], str]:
    """Return the edges of a reply that are reachable from the question, and the rule that read them.

    >>> read("Q1: P1\\nQ: Q1, P2")[0]
    (('<q>', '<q1>'), ('<q>', '<p2>'), ('<q1>', '<p1>'))
    """
    said, thinking = spoken(reply)
    stated: dict[str, list[str]] = {}
    for line in said.strip().splitlines()[:_MAX_LINES]:
        found = _LINE.match(line[:_MAX_LINE].strip())
        if found:
            node = f"<q{found['turn']}>" if found["turn"] else ROOT
            stated[node] = [
                f"<{one['kind'].lower()}{int(one['number'])}>" for one in _NODE.finditer(found["rest"])
            ]
    if ROOT not in stated:
        return (), extraction.TRUNCATED if thinking else extraction.NOT_FOUND
    edges: dict[Edge, None] = {}
    waiting, seen = [ROOT], {ROOT}
    while waiting:
        node = waiting.pop(0)
        for other in stated.get(node, ()):
            edges[node, other] = None
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return tuple(edges), "evidence"


def score(reply: str, gold: Sequence[Sequence[str]]) -> Evidence:
    """Compare the graph of a reply with the gold graph; an unreadable graph scores 0."""
    edges, rule = read(reply)
    if not edges:
        return Evidence(False, 0.0, 0.0, rule)
    wanted = {(str(one), str(two)) for one, two in gold}
    return Evidence(
        graphs.gem(gold, edges), graphs.dagsim(gold, edges), edge_f1(wanted, set(edges)), rule, edges
    )


def edge_f1(gold: set[Edge], stated: set[Edge]) -> float:
    """Return the F1 of single edges of one graph.

    >>> edge_f1({("<q>", "<p1>")}, {("<q>", "<p1>"), ("<q>", "<p2>")})
    0.6666666666666666
    """
    many = len(gold) + len(stated)
    return 2 * len(gold & stated) / many if many else 0.0

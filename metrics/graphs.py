"""Reasoning graphs scored against gold: DAGsim (similarity) and GEM (equality).

A graph is a list of edges (from, to) between node ids. Its root is the question, "<q>". The scores are
defined for every graph, and are never NaN:

- A repeated edge counts once. Unreachable edges only affect the choice of the larger graph.
- A graph without edges from its root is the single path (root,).
- A path never visits a node twice. If a cycle leaves no path from the root to a leaf, the score is 0,
  unless both graphs have the same edges.
- References to a later turn are edges like any other (`released_code` penalises them).
- A node without a text is similar only to itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from dnc_metrics._assignment import assign
from dnc_metrics.errors import MetricError, check_lengths
from dnc_metrics.similarity import Similarity, similarity

Edge = tuple[str, str]
Path = tuple[str, ...]

ROOT = "<q>"
_MAX_STEPS = 20_000  # maximum number of visits of a node when the paths of one graph are listed
_MAX_WORK = 2_000_000  # comparisons of nodes, and of prices in the matching, for one pair of graphs
_MAX_EDGES = 5000
_MAX_CHARACTERS = 200_000_000  # characters of one graph's texts times those of the other
# Far below any difference of sums of similarities, and far above floating-point errors.
_TIE = 1e-9
_TIES = {"highest": _TIE, "lowest": -_TIE}
# The source of a matched pair's weight: the larger graph, or the longer of the two paths.
_WEIGHTS = ("graph", "path")


def gem(gold: Iterable[Sequence[str]], predicted: Iterable[Sequence[str]], *, ordered: bool = False) -> bool:
    """Return graph exact match: whether both have the same edges; with `ordered`, also in the same order.

    >>> gem([["<q>", "<p1>"], ["<q>", "<p2>"]], [["<q>", "<p2>"], ["<q>", "<p1>"]])
    True
    """
    mine, theirs = _edges(gold), _edges(predicted)
    return mine == theirs if ordered else set(mine) == set(theirs)


def dagsim(
    gold: Iterable[Sequence[str]],
    predicted: Iterable[Sequence[str]],
    *,
    texts: Mapping[str, str] | None = None,
    similarity: str | Similarity = "edit",
    root: str = ROOT,
    ties: str = "highest",
    weights: str = "graph",
    released_code: bool = False,
) -> float:
    """Return the similarity of two reasoning graphs, from 0 to 1.

    All paths from root to leaf are listed. The score of two paths is the sum of similarities of their best
    alignment in order. The paths of both graphs are matched to maximise the sum of scores. Each matched pair
    contributes score / path length x weight, by its path in the larger graph (more edges, or the gold one). A
    path's weight is the sum of 1 / (number of paths with the node) over its nodes, divided by the number of
    nodes. The result is the sum.

    `texts` gives each node's text; without it the ids are the texts. `similarity` is "edit", "identity",
    "embedding" or a function of two texts. Of several best matchings, `ties` selects the one with the
    "highest" or "lowest" result. `weights="path"` uses weight and length of the longer of the two matched
    paths, in its own graph, as the paper words it. `released_code` follows the published script instead: it
    ignores the order within a path, loses paths through a visited node, penalises references to later turns,
    and averages over matched pairs (so a perfect graph of two paths scores at most 0.5).

    >>> dagsim([["<q>", "<p1>"]], [["<q>", "<p2>"]], similarity="identity")
    0.5
    """
    mine, theirs = _edges(gold), _edges(predicted)
    compare = _node_similarity(texts, similarity)
    if released_code:
        return _released(mine, theirs, root, texts, compare)
    if ties not in _TIES:
        raise MetricError(f"ties must be 'highest' or 'lowest', not {ties!r}")
    if weights not in _WEIGHTS:
        raise MetricError(f"weights must be 'graph' or 'path', not {weights!r}")
    mine, theirs = list(dict.fromkeys(mine)), list(dict.fromkeys(theirs))
    if set(mine) == set(theirs):
        return 1.0
    large, small = _paths(mine, root), _paths(theirs, root)
    if len(theirs) > len(mine):
        large, small = small, large
    if not large or not small:
        return 0.0
    _check_work(large, small, texts)
    scores = [[_aligned(a, b, compare) for b in small] for a in large]
    ones, others = _shares(large), _shares(small)
    shares = [
        [
            other if weights == "path" and len(b) > len(a) else one
            for b, other in zip(small, others, strict=True)
        ]
        for a, one in zip(large, ones, strict=True)
    ]
    nudge = _TIES[ties]
    pairs = assign(
        [
            [score * (1 + nudge * share) for score, share in zip(*row, strict=True)]
            for row in zip(scores, shares, strict=True)
        ]
    )
    # Rounding may leave a perfect match slightly above 1, and weights of two graphs may sum to more.
    return min(1.0, sum(scores[i][j] * shares[i][j] for i, j in pairs))


def score(
    golds: Sequence[Iterable[Sequence[str]]],
    predictions: Sequence[Iterable[Sequence[str]]],
    *,
    texts: Sequence[Mapping[str, str]] | None = None,
    similarity: str | Similarity = "edit",
    ties: str = "highest",
    weights: str = "graph",
    released_code: bool = False,
) -> dict[str, float]:
    """Return the means over questions of `dagsim`, of `gem`, and of `gem` with order."""
    check_lengths(
        predictions=predictions, references=golds, **({"texts": texts} if texts is not None else {})
    )
    if not golds:
        raise MetricError("no graphs to score; give at least one")
    totals = [0.0, 0, 0]
    for index, (gold, predicted) in enumerate(zip(golds, predictions, strict=True)):
        try:
            totals[0] += dagsim(
                gold,
                predicted,
                texts=texts[index] if texts is not None else None,
                similarity=similarity,
                ties=ties,
                weights=weights,
                released_code=released_code,
            )
            totals[1] += gem(gold, predicted)
            totals[2] += gem(gold, predicted, ordered=True)
        except MetricError as error:
            raise MetricError(f"row {index}: {error}") from None
    names = ("dagsim", "gem", "gem_ordered")
    return {name: total / len(golds) for name, total in zip(names, totals, strict=True)}


def paths(edges: Iterable[Sequence[str]], root: str = ROOT) -> list[Path]:
    """Return all paths from the root to a leaf that visit no node twice."""
    return _paths(_edges(edges), root)


def _edges(graph: Iterable[Sequence[str]]) -> list[Edge]:
    if isinstance(graph, str) or not isinstance(graph, Iterable):
        raise MetricError(f"a graph must be a list of edges (from, to), not {type(graph).__name__}")
    edges = []
    for edge in graph:
        pair = tuple(edge) if isinstance(edge, (list, tuple)) else ()
        if len(pair) != 2 or not isinstance(pair[0], str) or not isinstance(pair[1], str):
            raise MetricError(
                f"an edge must be two node ids, such as ['<q>', '<p1>'], not {str(edge)[:60]!r}"
            )
        edges.append((pair[0], pair[1]))
        if len(edges) > _MAX_EDGES:
            raise MetricError(f"a graph of more than {_MAX_EDGES} edges; give the graph of one question")
    return edges


def _node_similarity(texts: Mapping[str, str] | None, choice: str | Similarity) -> Similarity:
    compare = similarity(choice)
    if texts is None:
        return lambda a, b: 1.0 if a == b else compare(a, b)
    known = texts

    def by_text(a: str, b: str) -> float:
        if a == b:
            return 1.0
        return compare(known[a], known[b]) if a in known and b in known else 0.0

    return by_text


def _children(edges: Iterable[Edge]) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {}
    for start, end in edges:
        children.setdefault(start, []).append(end)
    return children


def _paths(edges: Iterable[Edge], root: str) -> list[Path]:
    children = _children(dict.fromkeys(edges))
    found: list[Path] = []
    waiting: list[Path] = [(root,)]
    steps = 0
    while waiting:
        path = waiting.pop()
        steps += len(path)
        if steps > _MAX_STEPS:
            raise MetricError(
                f"a graph with too many paths from {root}: listing them takes over {_MAX_STEPS} steps; "
                "check that it is a reasoning graph of one question"
            )
        onward = children.get(path[-1])
        if onward is None:
            found.append(path)
        else:
            waiting += [(*path, node) for node in reversed(onward) if node not in path]
    return found


def _weights(graph: Sequence[Path]) -> list[float]:
    """Return each path's share of the graph; a node's unit of weight is divided among the paths with it."""
    frequency = Counter(node for path in graph for node in path)
    return [sum(1 / frequency[node] for node in path) / len(frequency) for path in graph]


def _shares(graph: Sequence[Path]) -> list[float]:
    """Return the contribution of a matching node, by path."""
    return [weight / len(path) for weight, path in zip(_weights(graph), graph, strict=True)]


def _aligned(a: Path, b: Path, compare: Similarity) -> float:
    """Return the largest sum of similarities of nodes aligned one to one, in order."""
    above = [0.0] * (len(b) + 1)
    for node in a:
        row = [0.0]
        for index, other in enumerate(b):
            row.append(max(above[index] + compare(node, other), above[index + 1], row[index]))
        above = row
    return above[-1]


def _check_work(one: Sequence[Path], other: Sequence[Path], texts: Mapping[str, str] | None) -> None:
    few, many = sorted((len(one), len(other)))
    nodes = sum(map(len, one)) * sum(map(len, other))
    characters = _characters(one, texts) * _characters(other, texts)
    if max(nodes, few * few * many) > _MAX_WORK or characters > _MAX_CHARACTERS:
        raise MetricError(
            f"graphs of {len(one)} and {len(other)} paths are too large to compare; "
            "check that each is the reasoning graph of one question"
        )


def _characters(graph: Sequence[Path], texts: Mapping[str, str] | None) -> int:
    nodes = {node for path in graph for node in path}
    return sum(len(node if texts is None else texts.get(node, "")) for node in nodes)


def _released(
    gold: list[Edge], predicted: list[Edge], root: str, texts: Mapping[str, str] | None, compare: Similarity
) -> float:
    """Return the score of the published script, with 0 for its NaN (no path from root to leaf)."""
    golds, found = _unrepeated_paths(gold, root), _unrepeated_paths(predicted, root)
    if not golds or not found:
        return 0.0
    _check_work(golds, found, texts)
    scores = [[_aligned_freely(a, b, compare) for b in found] for a in golds]
    gold_is_large = len(gold) >= len(predicted)
    large = golds if gold_is_large else found
    weights = _weights(large)
    total = 0.0
    pairs = assign(scores)
    for i, j in pairs:
        index = i if gold_is_large else j
        matched = max(0.0, scores[i][j] - _forward_references(found[j], root))
        total += weights[index] * matched / len(large[index])
    return total / len(pairs)


def _unrepeated_paths(edges: Iterable[Edge], root: str) -> list[Path]:
    """Return paths from root to leaf, depth first, without those that reach an already expanded node."""
    children = _children(edges)
    expanded: set[str] = set()
    found: list[Path] = []
    waiting: list[Path] = [(root,)]
    while waiting:
        path = waiting.pop()
        node = path[-1]
        if node not in children:
            found.append(path)
        elif node not in expanded:
            expanded.add(node)
            waiting += [(*path, child) for child in reversed(children[node])]
    return found


def _aligned_freely(a: Path, b: Path, compare: Similarity) -> float:
    table = [[compare(node, other) for other in b] for node in a]
    return sum(table[i][j] for i, j in assign(table))


def _forward_references(path: Path, root: str) -> int:
    """Count steps from a history turn ("<q3>") to the same or a later one; the script compares one digit."""
    turns = [node[2] if node != root and node[1:2] == "q" and len(node) > 3 else "" for node in path]
    return sum(bool(a and b and a <= b) for a, b in pairwise(turns))

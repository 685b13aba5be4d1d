"""NOAHQA's reasoning graphs: the evidence of a question, step by step, down to the segments of the passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dnc_datasets.errors import SourceError

Edge = tuple[str, str]
ROOT = "<q>"


def evidence_node(code: str) -> str:
    """Return the node of an evidence code: an earlier question, or a segment of the passage.

    >>> evidence_node("3.0"), evidence_node("0.2"), evidence_node("0.11")
    ('<q3>', '<p2>', '<p10>')
    """
    try:
        hundredths = round(Fraction(code) * 100)
    except (ValueError, ZeroDivisionError):
        raise SourceError(
            f"evidence {code!r} is no number; expected 3 (a question) or 0.2 (a segment)"
        ) from None
    if hundredths >= 100 and hundredths % 100 == 0:
        return f"<q{hundredths // 100}>"
    if not 0 < hundredths < 100:
        raise SourceError(f"evidence {code!r}: expected an integer (a question) or 0.1 to 0.99 (a segment)")
    # 0.1 to 0.9 are the segments 1 to 9, and 0.11, 0.12, ... the segments 10, 11, ...
    return f"<p{hundredths // 10 if hundredths % 10 == 0 else hundredths - 1}>"


def reasoning_graph(evidence: Mapping[str, Sequence[str]], root: str = ROOT) -> list[Edge]:
    """Return the edges from the root to its evidence, and from each question in it to its own, each once.

    `evidence` maps a node to its direct evidence; nodes without any are leaves.

    >>> reasoning_graph({"<q>": ["<q1>", "<p2>"], "<q1>": ["<p1>"]})
    [('<q>', '<q1>'), ('<q>', '<p2>'), ('<q1>', '<p1>')]
    """
    edges: dict[Edge, None] = {}
    queue = [root]
    seen = {root}
    while queue:
        node = queue.pop(0)
        for other in evidence.get(node, ()):
            edges[node, other] = None
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return list(edges)


def leaves(edges: Sequence[Edge]) -> list[str]:
    """Return the segments that are leaves of a graph, in order of first occurrence."""
    return list(dict.fromkeys(other for _, other in edges if other.startswith("<p")))


def segment_number(node: str) -> int:
    """Return the index of a segment in the passage, from 0.

    >>> segment_number("<p2>")
    1
    """
    return int(node.strip("<p>")) - 1

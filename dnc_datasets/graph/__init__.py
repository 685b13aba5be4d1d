"""The solution of a problem as a graph: operations over numbers, each linked to the text that states it.

>>> from dnc_datasets.problem import Problem
>>> graph = graph_of(Problem("1", "Ann has 12 pens and buys 30.", "How many has she?", equation="12 + 30", answer="42"))
>>> [leaf.quantity.text for leaf in graph.linked]
['12', '30']
>>> invert(graph.tree, graph.linked[0].path, graph.answer).infix()
'42 - 30'
"""

from dnc_datasets.graph._build import Graph, Leaf, graph_of, partial_graphs, reason_for_no_graph
from dnc_datasets.graph._tree import (
    Path,
    differences,
    invert,
    leaf_paths,
    node_at,
    nodes,
    pair_of,
    relative_change,
    roots,
    terms_of,
    with_node,
    with_operator,
)

__all__ = [
    "Graph",
    "Leaf",
    "Path",
    "differences",
    "graph_of",
    "invert",
    "leaf_paths",
    "node_at",
    "nodes",
    "pair_of",
    "partial_graphs",
    "reason_for_no_graph",
    "relative_change",
    "roots",
    "terms_of",
    "with_node",
    "with_operator",
]

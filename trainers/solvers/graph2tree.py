"""Graph2Tree: GTS with graph convolutions over the problem's quantities on the encoder's states.

See Zhang et al. (2020), "Graph-to-tree learning for solving math word problems". `dnc_trainers.graphs` builds
the graphs.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dnc_trainers.batches import Batch
from dnc_trainers.config import Config, ConfigError
from dnc_trainers.graphs import GRAPHS
from dnc_trainers.representation import Vocabulary
from dnc_trainers.solvers import register
from dnc_trainers.solvers.gts import Gts

_HEADS = 4  # two for each graph
_GRAPH_DROPOUT = 0.3


class GraphConvolution(nn.Module):
    """Four parallel two-layer graph convolutions, added to the states, and a feed-forward layer."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        if hidden % _HEADS:
            raise ConfigError(f"graph2tree divides hidden by {_HEADS}; {hidden} does not")
        self.first = nn.Linear(hidden, _HEADS * hidden)
        self.second = nn.ModuleList(nn.Linear(hidden, hidden // _HEADS) for _ in range(_HEADS))
        self.norm = nn.LayerNorm(hidden)
        self.feed = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
        # One dropout draw per feature and problem, for all its words.
        self.dropout = nn.Dropout(_GRAPH_DROPOUT)

    def forward(self, states: Tensor, graphs: Tensor) -> Tensor:
        """Return the states after the convolutions [B, L, H]."""
        heads = []
        mask = self.dropout(states.new_ones(len(states), _HEADS, 1, states.shape[-1]))
        for head, inner in enumerate(self.first(states).chunk(_HEADS, -1)):
            graph = graphs[:, head % GRAPHS]
            near = torch.relu(torch.bmm(graph, inner)) * mask[:, head]
            heads.append(torch.bmm(graph, self.second[head](near)))
        mixed = self.norm(torch.cat(heads, -1)) + states
        fed: Tensor = self.feed(mixed) + mixed
        return fed


@register("graph2tree", layers=2, word_dropout=0.25, epochs=60)
class Graph2Tree(Gts):
    """GTS with graph convolutions between the BiLSTM and the tree decoder."""

    needs_graphs = True

    def __init__(self, config: Config, vocabulary: Vocabulary) -> None:
        super().__init__(config, vocabulary)
        self.graph = GraphConvolution(config.hidden)

    def read(self, batch: Batch) -> tuple[Tensor, Tensor]:
        states, root = self.encoder(batch)
        if batch.graphs is None:
            raise ConfigError(
                "graph2tree needs batches with graphs; make them with Examples(..., graphs=True)"
            )
        return self.graph(states, batch.graphs.to(states.dtype)), root

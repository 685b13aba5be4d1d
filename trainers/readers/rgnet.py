"""RGNet: answers a conversation, and predicts a graph of the evidence over segments and earlier turns.

After Zhang et al. (2021). The published graph network is symmetric in its two nodes, so it cannot learn the
direction of an edge; `direction=symmetric` is that form. `directed` has separate weights for both ends, and
edges only from later turns to earlier ones. An answer is a span of the text, or comes from a
pointer-generator. With `decoder=grammar`, equations are decoded with a grammar and a beam, and a classifier
answers yes, no or unknown. The published test run feeds the gold answer to the decoder. Here decoding is
free; the other score is also reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from dnc_datasets.problem import Problem
from dnc_datasets.reasoning_graph import ROOT
from dnc_trainers import readers
from dnc_trainers.batches import IGNORED
from dnc_trainers.readers import reasoning, texts
from dnc_trainers.readers.discrete import occurrences
from dnc_trainers.readers.encoding import Pieces, padded, pooled
from dnc_trainers.readers.equations import Asked, Equations, Generator, Memory
from dnc_trainers.readers.reader import Batch, Reader
from dnc_trainers.readers.reasoning import Edge, Node
from dnc_trainers.readers.replies import CLOSED, Reading, Reply, Scored, score
from dnc_trainers.readers.texts import Word
from dnc_trainers.representation import SLOTS

DIRECTIONS = ("directed", "symmetric")
DECODERS = ("generator", "grammar")
KINDS = ("span", "equation", "closed")
_MAX_PLACE = 15
_MAX_SPAN = 12
_NONE = -100


@dataclass(frozen=True)
class RGNetConfig(Reading):
    """RGNet's switches; `graph_layers=0` and `edge_loss=no` are the paper's ablations."""

    reader: str = "rgnet"
    direction: str = "directed"
    decoder: str = "generator"
    graph_layers: int = 3
    edge_loss: bool = True
    # The overlap of two nodes in words and numbers, as features of their edge.
    match: bool = True
    # Weight edges and non-edges equally in the loss, which raises recall and lowers precision.
    balance: bool = False

    WORDS: ClassVar = {**Reading.WORDS, "direction": DIRECTIONS, "decoder": DECODERS}


@dataclass(frozen=True)
class Labels:
    """The answer in one of three forms, and the gold edges."""

    spans: tuple[tuple[int, int], ...]
    equation: tuple[int, ...]
    closed: int
    edges: frozenset[Edge]


@dataclass(frozen=True)
class Example:
    """A conversation up to a question, as ids with the node and the word of each piece."""

    problem: Problem
    ids: tuple[int, ...]
    node_of: tuple[int, ...]
    word_of: tuple[int, ...]
    nodes: tuple[Node, ...]
    words: tuple[Word, ...]
    numbers: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]  # candidate edges
    features: tuple[tuple[float, ...], ...]  # one row per pair
    labels: Labels | None

    @property
    def values(self) -> list[Fraction]:
        """Return the numbers that an equation may use."""
        return [self.words[at].value or Fraction(0) for at in self.numbers]


class GraphLayer(nn.Module):
    """A residual gated graph convolution over all candidate pairs."""

    def __init__(self, hidden: int, *, directed: bool) -> None:
        super().__init__()
        self.edge, self.tail, self.own, self.sent = (nn.Linear(hidden, hidden) for _ in range(4))
        # The published form shares one weight between both ends.
        self.head = nn.Linear(hidden, hidden) if directed else self.tail
        self.node_norm, self.edge_norm = nn.LayerNorm(hidden), nn.LayerNorm(hidden)

    def forward(self, nodes: Tensor, edges: Tensor, pairs: Tensor) -> tuple[Tensor, Tensor]:
        """Return nodes [B, N, H] and edges [B, N, N, H] after one step; `pairs` [B, N, N] is the mask."""
        messages = self.edge(edges) + self.tail(nodes)[:, :, None] + self.head(nodes)[:, None]
        gates = torch.sigmoid(messages) * pairs[..., None]
        mean = torch.einsum("bijh,bjh->bih", gates, self.sent(nodes)) / (gates.sum(2) + 1e-6)
        new = nodes + torch.relu(self.node_norm(self.own(nodes) + mean))
        return new, edges + torch.relu(self.edge_norm(messages))


@readers.register("rgnet", RGNetConfig(batch=8, epochs=15, lr=1e-3, length=320, hidden=128))
class RGNet(Reader):
    """RGNet: an encoder, a graph network over its nodes, and heads for edges and answers."""

    def __init__(self, config: RGNetConfig, pieces: Pieces) -> None:
        super().__init__(config, pieces)
        self.switches = config
        size, hidden = self.encoder.size, config.hidden
        directed = config.direction == "directed"
        self.node = nn.Linear(size, hidden)
        self.kind_of = nn.Embedding(3, hidden)
        self.place_of = nn.Embedding(_MAX_PLACE + 1, hidden)
        self.pair = nn.Embedding(3, hidden)
        self.layers = nn.ModuleList(GraphLayer(hidden, directed=directed) for _ in range(config.graph_layers))
        ends = 2 * hidden if directed else hidden
        inputs = ends + hidden + reasoning.FEATURES
        self.edge = nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(), nn.Linear(hidden, 2))
        self.word = nn.Linear(size + hidden, hidden)
        # The generator can also write a closed answer.
        kinds = KINDS if config.decoder == "grammar" else KINDS[:2]
        self.kind = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.GELU(), nn.Linear(hidden, len(kinds)))
        self.ends = nn.Linear(2 * hidden, 2)
        self.equations: Equations | Generator
        if config.decoder == "grammar":
            self.closed = nn.Sequential(
                nn.Linear(2 * hidden, hidden), nn.GELU(), nn.Linear(hidden, len(CLOSED))
            )
            self.equations = Equations(hidden)
        else:
            self.equations = Generator(hidden)

    @classmethod
    def words(cls, problem: Problem) -> Iterable[str]:
        for path, text in (("question", problem.question), *texts.parts(problem)):
            yield from (word.text for word in texts.words(text, path))

    def example(self, problem: Problem) -> Example:
        """Return the question, the segments, and the turns from last to first, up to the length limit."""
        nodes, parts = reasoning.nodes_of(problem)
        ids, node_of, word_of = [self.pieces.start], [-1], [-1]
        words: list[Word] = []
        for node, (path, text) in parts:
            for word in texts.words(text, path):
                pieces = self.pieces.of(word.text)
                if len(ids) + len(pieces) >= self.config.length:
                    break
                ids += pieces
                node_of += [node] * len(pieces)
                word_of += [len(words)] * len(pieces)
                words.append(word)
        ids.append(self.pieces.end)
        node_of.append(-1)
        word_of.append(-1)
        numbers = tuple(at for at, word in enumerate(words) if word.value is not None)[:SLOTS]
        pairs = reasoning.candidates(nodes, symmetric=self.switches.direction == "symmetric")
        features = reasoning.features(problem, pairs) if self.switches.match else ()
        example = Example(
            problem,
            tuple(ids),
            tuple(node_of),
            tuple(word_of),
            nodes,
            tuple(words),
            numbers,
            tuple(pairs),
            features,
            None,
        )
        return replace(example, labels=self._labels(problem, example))

    def _labels(self, problem: Problem, example: Example) -> Labels | None:
        edges = frozenset(reasoning.gold_edges(problem))
        if problem.answer_type in ("yes_no", "unanswerable") or problem.answer in CLOSED:
            if problem.answer not in CLOSED:
                return None
            if isinstance(self.equations, Generator):
                return Labels((), self.equations.closed(problem.answer), -1, edges)
            return Labels((), (), CLOSED.index(problem.answer), edges)
        if problem.answer_type == "number":
            target = self.equations.target(problem.equation, example.values) if problem.equation else None
            return Labels((), target, -1, edges) if target else None
        spans = tuple(occurrences(problem.answer, example.words))
        return Labels(spans, (), -1, edges) if spans else None

    def lost(self, problem: Problem) -> bool:
        """Return whether the conversation exceeds the length limit."""
        return len(self.example(problem).ids) >= self.config.length

    def collate(self, examples: Sequence[Example]) -> Batch:
        batch = super().collate(examples)
        extra, size = batch.extra, len(examples)
        words = max(max(len(example.words) for example in examples), 1)
        nodes = max(len(example.nodes) for example in examples)
        for name, rows, count in (
            ("nodes", [example.node_of for example in examples], nodes),
            ("words", [example.word_of for example in examples], words),
        ):
            places = padded(rows, -1)
            extra[name] = torch.where(places >= 0, places, count)
        extra["there"] = torch.arange(words) < torch.tensor([[len(e.words)] for e in examples])
        extra["kinds"] = torch.zeros(size, nodes, dtype=torch.long)
        extra["places"] = torch.zeros(size, nodes, dtype=torch.long)
        extra["pairs"] = torch.zeros(size, nodes, nodes, dtype=torch.long)
        extra["edges"] = torch.full((size, nodes, nodes), _NONE)
        extra["shared"] = torch.zeros(size, nodes, nodes, reasoning.FEATURES)
        extra["numbers"] = torch.zeros(size, SLOTS, dtype=torch.long)
        extra["slots"] = torch.zeros(size, SLOTS, dtype=torch.bool)
        extra["node_of_word"] = torch.zeros(size, words, dtype=torch.long)
        equations = [e.labels.equation if e.labels else () for e in examples]
        extra["targets"] = padded(equations, IGNORED)
        for at, example in enumerate(examples):
            for place, node in enumerate(example.nodes):
                extra["kinds"][at, place] = node.kind
                extra["places"][at, place] = min(node.place, _MAX_PLACE)
            for place, (i, j) in enumerate(example.pairs):
                extra["pairs"][at, i, j] = 1
                if example.features:
                    extra["shared"][at, i, j] = torch.tensor(example.features[place])
                if example.labels and example.labels.edges:  # an unknown graph gives no labels
                    edge = (example.nodes[i].name, example.nodes[j].name)
                    gold = edge in example.labels.edges
                    if self.switches.direction == "symmetric":
                        gold = gold or edge[::-1] in example.labels.edges
                    extra["edges"][at, i, j] = int(gold)
            extra["numbers"][at, : len(example.numbers)] = torch.tensor(example.numbers, dtype=torch.long)
            extra["slots"][at, : len(example.numbers)] = True
            for owner, word in zip(example.node_of, example.word_of, strict=True):
                if word >= 0:
                    extra["node_of_word"][at, word] = owner
        return batch

    def _read(self, batch: Batch) -> dict[str, Any]:
        extra = batch.extra
        states = self.encoder(batch.ids, batch.lengths)
        count = extra["kinds"].shape[1]
        nodes = torch.tanh(self.node(pooled(states, extra["nodes"], count)))
        nodes = nodes + self.kind_of(extra["kinds"]) + self.place_of(extra["places"])
        pairs = extra["pairs"]
        edges = self.pair(pairs)
        seen = pairs.to(nodes.dtype)
        # Messages pass both ways; the weights distinguish the ends unless they are shared.
        seen = ((seen + seen.transpose(1, 2)) > 0).to(nodes.dtype)
        for layer in self.layers:
            nodes, edges = layer(nodes, edges, seen)
        one = nodes[:, :, None].expand(-1, -1, count, -1)
        two = nodes[:, None].expand(-1, count, -1, -1)
        shared = extra["shared"].to(nodes.dtype)
        if self.switches.direction == "directed":
            both = torch.cat((one, two, edges, shared), -1)
        else:
            both = torch.cat((one + two, edges + edges.transpose(1, 2), shared + shared.transpose(1, 2)), -1)
        rows = torch.arange(len(nodes), device=nodes.device)[:, None]
        raw = pooled(states, extra["words"], extra["there"].shape[1])
        words = torch.tanh(self.word(torch.cat((raw, nodes[rows, extra["node_of_word"]]), -1)))
        question = nodes[:, 0]  # the question is the first node
        there = extra["there"].to(words.dtype)[..., None]
        whole = torch.cat((question, (words * there).sum(1) / there.sum(1).clamp(min=1)), -1)
        wide = question[:, None].expand_as(words)
        ends = self.ends(torch.cat((words, words * wide), -1)).float()
        memory = Memory(words, extra["there"], question, words[rows, extra["numbers"]])
        asked = Asked(memory, extra["slots"], extra["targets"], rows[:, 0], batch.ids)
        read = {
            "edge": self.edge(both).float(),
            "kind": self.kind(whole).float().log_softmax(-1),
            "ends": ends.masked_fill(~extra["there"][..., None], -1e9).log_softmax(1),
            "asked": asked,
        }
        if self.switches.decoder == "grammar":
            read["closed"] = self.closed(whole).float().log_softmax(-1)
        return read

    def forward(self, batch: Batch) -> Tensor:
        """Return the sum of the answer's loss and the edges' loss."""
        likely = self._read(batch)
        losses = []
        with_equation = [at for at, e in enumerate(batch.examples) if e.labels.equation]
        for at, example in enumerate(batch.examples):
            labels, kind = example.labels, likely["kind"][at]
            if labels.closed >= 0:
                losses.append(-(kind[2] + likely["closed"][at, labels.closed]))
            elif labels.spans:
                ends = likely["ends"][at]
                ways = [ends[first, 0] + ends[last, 1] for first, last in labels.spans]
                losses.append(-(kind[0] + torch.stack(ways).logsumexp(0)))
            else:
                losses.append(-kind[1])
        loss = torch.stack(losses).mean()
        if with_equation:
            chosen = torch.tensor(with_equation, device=batch.ids.device)
            asked: Asked = likely["asked"]
            part = Asked(
                asked.memory.select(chosen), asked.slots[chosen], asked.targets[chosen], chosen, asked.words
            )
            loss = loss + self.equations(part) * len(with_equation) / len(batch.examples)
        gold = batch.extra["edges"].flatten()
        # Without a known graph the batch has no edge labels, and their mean would be NaN.
        if self.switches.edge_loss and (gold != _NONE).any():
            many = torch.stack([(gold == 0).sum(), (gold == 1).sum()]).clamp(min=1).float()
            weight = many.sum() / (2 * many) if self.switches.balance else None
            loss = loss + functional.cross_entropy(
                likely["edge"].flatten(0, 2), gold, weight=weight, ignore_index=_NONE
            )
        total: Tensor = loss
        return total

    def replies(self, batch: Batch) -> list[Reply]:
        """Return the answer of the likeliest kind, decoded freely, with the graph."""
        likely = self._read(batch)
        asked: Asked = likely["asked"]
        decoded = self._decode(asked)
        forced = self.equations.forced(asked)
        kinds = likely["kind"].argmax(-1).tolist()
        chance = likely["edge"].softmax(-1)[..., 1].tolist()
        replies = []
        for at, example in enumerate(batch.examples):
            edges = self._graph(example, chance[at])
            notes: dict[str, Any] = {"kind": KINDS[kinds[at]], "edges": edges}
            calculated = example.labels and example.labels.equation and example.problem.equation
            if calculated and forced[at]:
                forced_reply = self.equations.reply(forced[at], example.values)
                notes["forced"] = forced_reply.text
            if KINDS[kinds[at]] == "equation":
                reply = self.equations.reply(decoded[at], example.values)
                replies.append(replace(reply, edges=tuple(edges), notes=notes))
            elif KINDS[kinds[at]] == "closed":
                words = (CLOSED[int(likely["closed"][at].argmax())],)
                replies.append(Reply(words=words, edges=tuple(edges), notes=notes))
            else:
                span = _span(example, likely["ends"][at])
                replies.append(Reply(words=(span,) if span else (), edges=tuple(edges), notes=notes))
        return replies

    def _decode(self, batch: Asked) -> list[list[int]]:
        """Return the ids that the decoder writes for each row."""
        if isinstance(self.equations, Generator):
            return self.equations.greedy(batch)
        read: Any = batch
        decoded, _ = self.equations.decode(read, max(self.config.beam, 1))
        return [[i for i in ids[0] if i != IGNORED] for ids in decoded.tolist()]

    def _graph(self, example: Example, chance: Sequence[Sequence[float]]) -> list[Edge]:
        """Return the likely edges reachable from the question; at least its likeliest edge is included."""
        candidates = example.pairs
        names = [node.name for node in example.nodes]
        edges = [(names[i], names[j]) for i, j in candidates if chance[i][j] > 0.5]
        own = [(i, j) for i, j in candidates if i == 0]
        if own and not any(one == ROOT for one, _ in edges):
            i, j = max(own, key=lambda pair: chance[pair[0]][pair[1]])
            edges.append((names[i], names[j]))
        return reasoning.reachable(edges)

    @classmethod
    def measures(cls, problems: Sequence[Problem], scored: Sequence[Scored]) -> dict[str, float]:
        """Return graph scores of the model and its baselines, and accuracies of free and forced decoding."""
        measures = reasoning.measured(problems, [one.notes for one in scored])
        forced = [
            score(problem, Reply(value=Fraction(one.notes["forced"]))).correct
            for problem, one in zip(problems, scored, strict=True)
            if one.notes.get("forced")
        ]
        free = [one.correct for one in scored if "forced" in one.notes]
        if free:
            measures["equations, decoded freely"] = sum(free) / len(free)
            measures["equations, gold fed to the decoder"] = sum(forced) / len(free)
        return measures


def _span(example: Example, ends: Tensor) -> str:
    words = list(example.words)
    if not words:
        return ""
    first = int(ends[: len(words), 0].argmax())
    stop = next((p for p in range(first, len(words)) if words[p].part != words[first].part), len(words))
    last = first + int(ends[first : min(stop, first + _MAX_SPAN), 1].argmax())
    return texts.written(example.problem, words[first : last + 1])

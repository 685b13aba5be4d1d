"""Sequence baselines for passages and conversations: one decoder writes any type of answer by words.

The reader is Seq2Seq (attention, a fixed vocabulary) or, with `copy`, a pointer-generator (See et al. 2017)
that can also copy a word of the text. A number is written as its equation in prefix order over the text's
numbers, as the solvers do. With `graph`, the reasoning graph of a conversation follows the answer, two node
names per edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from dnc_datasets.errors import ExpressionError
from dnc_datasets.problem import Problem
from dnc_datasets.reasoning_graph import ROOT
from dnc_trainers import readers
from dnc_trainers.config import Config
from dnc_trainers.readers import reasoning, texts
from dnc_trainers.readers.encoding import Pieces, padded, pooled, shape
from dnc_trainers.readers.equations import CONSTANTS
from dnc_trainers.readers.reader import Batch, Reader
from dnc_trainers.readers.replies import Reading, Reply, Scored
from dnc_trainers.readers.texts import Word
from dnc_trainers.representation import SLOTS, Representation, Vocabulary, slotted_prefix

_MAX_LENGTH = 16
_END = "<end>"
# Separates the answer from the edges of the graph.
_GRAPH = "<graph>"
_NODES = (ROOT, *(f"<p{at}>" for at in range(1, 21)), *(f"<q{at}>" for at in range(1, 21)))
_MAX_EDGES = 12
_NO_SPACE = ("\u4e00", "\u9fff")


@dataclass(frozen=True)
class SequenceConfig(Reading):
    """The settings of the sequence reader; `copy=no` is Seq2Seq, `graph=yes` adds the reasoning graph."""

    reader: str = "sequence"
    copy: bool = True
    graph: bool = False

    LATER: ClassVar[Mapping[str, Any]] = {**Reading.LATER, "graph": False}

    @property
    def most_tokens(self) -> int:
        """Return the maximum number of output tokens of a problem."""
        return _MAX_LENGTH + (2 * _MAX_EDGES + 1 if self.graph else 0)


@dataclass(frozen=True)
class Example:
    """A problem as ids; `labels` are the output tokens, ending with the end token."""

    problem: Problem
    ids: tuple[int, ...]
    word_of: tuple[int, ...]
    words: tuple[Word, ...]
    numbers: tuple[int, ...]
    labels: tuple[str, ...] | None

    @property
    def values(self) -> list[Fraction]:
        """Return the numbers that an equation may use."""
        return [self.words[at].value or Fraction(0) for at in self.numbers]


@readers.register("sequence", SequenceConfig(batch=16, epochs=20, lr=2e-3, length=320, hidden=128))
class Sequence2Sequence(Reader):
    """A GRU decoder with attention over question, passage and history."""

    def __init__(self, config: SequenceConfig, pieces: Pieces) -> None:
        super().__init__(config, pieces)
        self.copies, self.graphs, self.most_tokens = config.copy, config.graph, config.most_tokens
        size, hidden = self.encoder.size, config.hidden
        known = Vocabulary((), CONSTANTS)
        self.representation = Representation(Config(), known)
        # The words of the training texts, then the symbols of equations, then the end.
        self.symbols = known.symbols
        named = (_GRAPH, *_NODES) if config.graph else ()
        self.tokens = (*pieces.vocabulary, *self.symbols, *named, _END)
        self.ids = {token: at for at, token in enumerate(self.tokens)}
        self.begin = nn.Linear(size, hidden)
        self.memory = nn.Linear(size, hidden)
        self.embedding = nn.Embedding(len(self.tokens) + 1, hidden)  # the last index is for copied words
        self.cell = nn.GRUCell(2 * hidden, hidden)
        self.look = nn.Linear(hidden, hidden)
        self.made = nn.Linear(2 * hidden, hidden)
        self.write = nn.Linear(hidden, len(self.tokens))
        self.gate = nn.Linear(2 * hidden, 1)

    @classmethod
    def words(cls, problem: Problem) -> Iterable[str]:
        for path, text in (("question", problem.question), *texts.parts(problem)):
            yield from (word.text for word in texts.words(text, path))
        if problem.answer_type != "number":
            yield from (word.text for word in texts.words(problem.answer, "answer"))

    def example(self, problem: Problem) -> Example:
        """Return the question, followed by the text up to the length limit."""
        ids, word_of = [self.pieces.start], [-1]
        words: list[Word] = []
        for path, text in (("question", problem.question), *texts.parts(problem)):
            for word in texts.words(text, path):
                pieces = self.pieces.of(word.text)
                if len(ids) + len(pieces) >= self.config.length:
                    break
                ids += pieces
                word_of += [len(words)] * len(pieces)
                words.append(word)
        numbers = tuple(at for at, word in enumerate(words) if word.value is not None)[:SLOTS]
        values = [words[at].value or Fraction(0) for at in numbers]
        labels = self._labels(problem, {word.text.lower() for word in words}, values)
        return Example(problem, (*ids, self.pieces.end), (*word_of, -1), tuple(words), numbers, labels)

    def lost(self, problem: Problem) -> bool:
        """Return whether the text exceeds the length limit."""
        return len(self.example(problem).ids) >= self.config.length

    def _labels(
        self, problem: Problem, text_words: set[str], values: list[Fraction]
    ) -> tuple[str, ...] | None:
        if problem.answer_type == "number":
            try:
                tokens = slotted_prefix(problem.equation, values) if problem.equation else []
            except ExpressionError:
                return None
            known = all(token in self.ids for token in tokens)
        else:
            tokens = [word.text.lower() for word in texts.words(problem.answer, "answer")]
            known = all(shape(token) in self.ids or (self.copies and token in text_words) for token in tokens)
        graph = self._graph(problem)
        fits = tokens and len(tokens) < _MAX_LENGTH and known and graph is not None
        return (*tokens, *(graph or ()), _END) if fits else None

    def _graph(self, problem: Problem) -> list[str] | None:
        """Return the tokens of the graph: empty if not requested or unknown, None if not representable."""
        edges = reasoning.gold_edges(problem) if self.graphs else []
        names = [name for edge in edges for name in edge]
        if len(edges) > _MAX_EDGES or not set(names) <= set(_NODES):
            return None
        return [_GRAPH, *names] if names else []

    def collate(self, examples: Sequence[Example]) -> Batch:
        batch = super().collate(examples)
        count = max(max(len(example.words) for example in examples), 1)
        places = padded([example.word_of for example in examples], -1)
        batch.extra["words"] = torch.where(places >= 0, places, count)
        batch.extra["there"] = torch.arange(count) < torch.tensor([[len(e.words)] for e in examples])
        return batch

    def _encode(self, batch: Batch) -> tuple[Tensor, Tensor]:
        states = self.encoder(batch.ids, batch.lengths)
        words = self.memory(pooled(states, batch.extra["words"], batch.extra["there"].shape[1]))
        return words, torch.tanh(self.begin(states[:, 0]))

    def _step(self, words: Tensor, there: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the log-likelihoods of vocabulary, attention and copy gate, and the context."""
        looked = torch.einsum("nlh,nh->nl", words, self.look(hidden)).masked_fill(~there, -1e9)
        attention = looked.float().log_softmax(-1)
        context = torch.einsum("nl,nlh->nh", attention.exp(), words)
        both = torch.cat((hidden, context), -1)
        likely = self.write(torch.tanh(self.made(both))).float().log_softmax(-1)
        gate = self.gate(both).float()
        gates = torch.cat((nn.functional.logsigmoid(gate), nn.functional.logsigmoid(-gate)), -1)
        return likely, attention, gates, context

    def _input_embeddings(self, tokens: Sequence[str]) -> Tensor:
        places = [self.ids.get(token, self.ids.get(shape(token), len(self.tokens))) for token in tokens]
        embeddings: Tensor = self.embedding(torch.tensor(places, device=self.write.weight.device))
        return embeddings

    def forward(self, batch: Batch) -> Tensor:
        """Return the mean loss of the output tokens; with `copy`, any occurrence of a word may be copied."""
        words, hidden = self._encode(batch)
        there = batch.extra["there"]
        targets = [example.labels for example in batch.examples]
        losses = []
        for step in range(max(map(len, targets))):
            likely, attention, gates, context = self._step(words, there, hidden)
            for at, target in enumerate(targets):
                if step < len(target):
                    losses.append(
                        -self._log_likelihood(
                            batch.examples[at], target[step], likely[at], attention[at], gates[at]
                        )
                    )
            inputs = self._input_embeddings([target[min(step, len(target) - 1)] for target in targets])
            hidden = self.cell(torch.cat((inputs, context), -1), hidden)
        return torch.stack(losses).mean()

    def _log_likelihood(
        self, example: Example, token: str, likely: Tensor, attention: Tensor, gates: Tensor
    ) -> Tensor:
        place = self.ids.get(token, self.ids.get(shape(token)))
        ways = [] if place is None else [likely[place] + (gates[0] if self.copies else 0)]
        if self.copies and token not in self.symbols and token not in (_END, _GRAPH, *_NODES):
            copied = [at for at, word in enumerate(example.words) if word.text.lower() == token]
            if copied:
                ways.append(attention[copied].logsumexp(0) + gates[1])
        return torch.stack(ways).logsumexp(0)

    def replies(self, batch: Batch) -> list[Reply]:
        """Return the greedily decoded replies."""
        words, hidden = self._encode(batch)
        there = batch.extra["there"]
        outputs: list[list[str]] = [[] for _ in batch.examples]
        for _ in range(self.most_tokens):
            likely, attention, gates, context = self._step(words, there, hidden)
            for at, example in enumerate(batch.examples):
                if not outputs[at] or outputs[at][-1] != _END:
                    outputs[at].append(self._greedy_token(example, likely[at], attention[at], gates[at]))
            if all(tokens[-1] == _END for tokens in outputs):
                break
            hidden = self.cell(
                torch.cat((self._input_embeddings([tokens[-1] for tokens in outputs]), context), -1), hidden
            )
        return [self._reply(example, tokens) for example, tokens in zip(batch.examples, outputs, strict=True)]

    def _greedy_token(self, example: Example, likely: Tensor, attention: Tensor, gates: Tensor) -> str:
        if not self.copies:
            return self.tokens[int(likely.argmax())]
        best, place = (likely + gates[0]).max(-1)
        copied, source = (attention[: max(len(example.words), 1)] + gates[1]).max(-1)
        if example.words and copied > best:
            return example.words[int(source)].text.lower()
        return self.tokens[int(place)]

    def _reply(self, example: Example, tokens: list[str]) -> Reply:
        tokens = [token for token in tokens if token != _END]
        notes = {"edges": _edges(tokens)} if self.graphs else {}
        tokens = tokens[: tokens.index(_GRAPH)] if _GRAPH in tokens else tokens
        if tokens and all(token in self.symbols for token in tokens):
            ids = [self.symbols.index(token) for token in tokens]
            prediction = self.representation.read_symbols(ids, example.values)
            return Reply(prediction.equation, prediction.value, notes=notes)
        text = ""
        for token in tokens:
            glued = not text or _NO_SPACE[0] <= token[:1] <= _NO_SPACE[1]
            text += token if glued else f" {token}"
        return Reply(words=(text,) if text else (), notes=notes)

    @classmethod
    def measures(cls, problems: Sequence[Problem], scored: Sequence[Scored]) -> dict[str, float]:
        """Return the scores of the graphs and of their baselines, if graphs are written."""
        notes = [one.notes for one in scored]
        return reasoning.measured(problems, notes) if any("edges" in one for one in notes) else {}


def _edges(tokens: list[str]) -> list[tuple[str, str]]:
    """Return the edges after the mark without duplicates; pairs that are not two node names are dropped.

    >>> _edges(["7", "<graph>", "<q>", "<q1>", "<q1>", "<p2>", "<q>"])
    [('<q>', '<q1>'), ('<q1>', '<p2>')]
    """
    names = tokens[tokens.index(_GRAPH) + 1 :] if _GRAPH in tokens else []
    pairs = zip(names[::2], names[1::2], strict=False)
    return list(dict.fromkeys(pair for pair in pairs if set(pair) <= set(_NODES)))

"""A discrete reader of passages and conversations: spans, signed sums of numbers, counts, closed answers.

It is a model of this project. It shares the heads for spans, signed sums and counts with NAQANet (Dua et al.
2019), the comparison graph of numbers with NumNet (Ran et al. 2019; `number_graph`) and the tagged spans with
TASE (Segal et al. 2020; `tags`). It has no QANet encoder, no attention between question and passage, and no
span of the question. The loss is the negative log-likelihood of all derivations that give the answer. Two
parts are additional. `terms` predicts the number of terms of a sum, because independent signs omit most
numbers when training data are few. `match` adds features for words that also occur in the question.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import torch
from torch import Tensor, nn

from dnc_datasets import expression, numerals
from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import Binary, Expr, Number, Unary
from dnc_datasets.problem import Problem
from dnc_metrics import drop
from dnc_trainers import readers
from dnc_trainers.readers import texts
from dnc_trainers.readers.encoding import Pieces, padded, pooled
from dnc_trainers.readers.programs import signed
from dnc_trainers.readers.reader import Batch, Reader
from dnc_trainers.readers.replies import CLOSED, Reading, Reply, calculated
from dnc_trainers.readers.texts import Word

KINDS = ("span", "spans", "sum", "count", "closed")
_MAX_COUNT = 9
_MAX_DERIVATIONS = 24
_MAX_NUMBERS = 40
_MAX_SPAN = 12
_MAX_TERMS = 3  # this number or more


@dataclass(frozen=True)
class DiscreteConfig(Reading):
    """The settings of the discrete reader."""

    reader: str = "discrete"
    number_graph: bool = False
    graph_steps: int = 2
    tags: bool = False
    # Predict the number of terms of a sum first; `no` predicts each sign independently, as NAQANet does.
    terms: bool = True
    # Features: whether a word, its neighbours and its sentence have words of the question.
    match: bool = True


@dataclass(frozen=True)
class Labels:
    """Derivations of the answer: spans (first, last), sums ((number, sign), ...), count, closed answer."""

    spans: tuple[tuple[int, int], ...] = ()
    runs: tuple[tuple[int, int], ...] = ()  # all runs of a multi-span answer
    sums: tuple[tuple[tuple[int, int], ...], ...] = ()
    count: int = -1
    closed: int = -1


@dataclass(frozen=True)
class Example:
    """A problem as ids; `word_of` maps each piece to its word, -1 for the question, -2 for special tokens."""

    problem: Problem
    ids: tuple[int, ...]
    word_of: tuple[int, ...]
    words: tuple[Word, ...]
    numbers: tuple[int, ...]  # indices of words
    features: tuple[tuple[float, ...], ...]  # one row per word
    labels: Labels | None


@readers.register("discrete", DiscreteConfig(batch=16, epochs=15, lr=1e-3, length=256, hidden=128))
class Discrete(Reader):
    """The discrete reader, with heads over words, numbers and the question."""

    def __init__(self, config: DiscreteConfig, pieces: Pieces) -> None:
        super().__init__(config, pieces)
        self.switches = config
        size, hidden = self.encoder.size, config.hidden
        self.word = nn.Linear(3 * size + texts.FEATURES, hidden)
        self.kind = nn.Sequential(nn.Linear(2 * size, hidden), nn.GELU(), nn.Linear(hidden, len(KINDS)))
        self.ends = nn.Linear(hidden, 2)
        self.tag = nn.Linear(hidden, 2)
        self.sign = nn.Sequential(nn.Linear(hidden + size, hidden), nn.GELU(), nn.Linear(hidden, 3))
        self.count = nn.Sequential(nn.Linear(2 * size, hidden), nn.GELU(), nn.Linear(hidden, _MAX_COUNT + 1))
        self.closed = nn.Sequential(nn.Linear(2 * size, hidden), nn.GELU(), nn.Linear(hidden, len(CLOSED)))
        self.terms = nn.Sequential(nn.Linear(2 * size, hidden), nn.GELU(), nn.Linear(hidden, _MAX_TERMS))
        self.greater, self.lower, self.own = (nn.Linear(hidden, hidden) for _ in range(3))
        self.weight = nn.Linear(hidden, 1)

    @classmethod
    def words(cls, problem: Problem) -> Iterable[str]:
        for path, text in (("question", problem.question), *texts.parts(problem)):
            yield from (word.text for word in texts.words(text, path))

    def _read_words(self, problem: Problem) -> tuple[list[int], list[Word], bool]:
        """Return the question's ids, the words that fit, and whether words were cut."""
        question = [
            i for word in texts.words(problem.question, "question") for i in self.pieces.of(word.text)
        ]
        question = question[: self.config.length // 2]
        every = [word for path, text in texts.parts(problem) for word in texts.words(text, path)]
        kept: list[Word] = []
        left = self.config.length - len(question) - 3
        for word in every:
            left -= len(self.pieces.of(word.text))
            if left < 0:
                return question, kept, True
            kept.append(word)
        return question, kept, False

    def example(self, problem: Problem) -> Example:
        """Return the question, followed by the text up to the length limit."""
        question, words, _ = self._read_words(problem)
        ids = [self.pieces.start, *question, self.pieces.end]
        word_of = [-2, *[-1] * len(question), -2]
        for at, word in enumerate(words):
            pieces = self.pieces.of(word.text)
            ids += pieces
            word_of += [at] * len(pieces)
        ids.append(self.pieces.end)
        word_of.append(-2)
        numbers = tuple(at for at, word in enumerate(words) if word.value is not None)[:_MAX_NUMBERS]
        labels = _labels(problem, words, numbers)
        features = (
            texts.features(problem.question, words) if self.switches.match else texts.no_features(words)
        )
        return Example(problem, tuple(ids), tuple(word_of), tuple(words), numbers, features, labels)

    def lost(self, problem: Problem) -> bool:
        """Return whether the text exceeds the length limit."""
        return self._read_words(problem)[2]

    def collate(self, examples: Sequence[Example]) -> Batch:
        batch = super().collate(examples)
        count = max(max(len(example.words) for example in examples), 1)
        places = padded([example.word_of for example in examples], -2)
        batch.extra["words"] = torch.where(places >= 0, places, count)
        batch.extra["asked"] = torch.where(places == -1, 0, 1)
        batch.extra["there"] = torch.arange(count) < torch.tensor([[len(e.words)] for e in examples])
        batch.extra["features"] = texts.padded_features([e.features for e in examples], count)
        numbers = max(max(len(example.numbers) for example in examples), 1)
        batch.extra["numbers"] = torch.zeros(len(examples), numbers, dtype=torch.long)
        batch.extra["exists"] = torch.zeros(len(examples), numbers, dtype=torch.bool)
        batch.extra["greater"] = torch.zeros(len(examples), numbers, numbers)
        for at, example in enumerate(examples):
            size = len(example.numbers)
            batch.extra["numbers"][at, :size] = torch.tensor(example.numbers, dtype=torch.long)
            batch.extra["exists"][at, :size] = True
            values = [example.words[place].value or Fraction(0) for place in example.numbers]
            for i, j in itertools.permutations(range(size), 2):
                batch.extra["greater"][at, i, j] = float(values[i] > values[j])
        return batch

    def _read(self, batch: Batch) -> dict[str, Tensor]:
        """Return the log-likelihoods of every head."""
        states = self.encoder(batch.ids, batch.lengths)
        there = batch.extra["there"]
        raw = pooled(states, batch.extra["words"], there.shape[1])
        asked = pooled(states, batch.extra["asked"], 1)
        both = torch.cat((states[:, 0], asked[:, 0]), -1)
        question = asked.expand_as(raw)
        features = batch.extra["features"].to(raw.dtype)
        words = torch.tanh(self.word(torch.cat((raw, question, raw * question, features), -1)))
        rows = torch.arange(len(words), device=words.device)[:, None]
        numbers = words[rows, batch.extra["numbers"]]
        if self.switches.number_graph:
            numbers = self._number_messages(numbers, batch.extra["greater"], batch.extra["exists"])
        wide = asked.expand(-1, numbers.shape[1], -1)
        ends = self.ends(words).float().masked_fill(~there[..., None], -1e9)
        return {
            "kind": self.kind(both).float().log_softmax(-1),
            "ends": ends.log_softmax(1),
            "tag": self.tag(words).float().log_softmax(-1),
            "sign": self.sign(torch.cat((numbers, wide), -1)).float().log_softmax(-1),
            "terms": self.terms(both).float().log_softmax(-1),
            "count": self.count(both).float().log_softmax(-1),
            "closed": self.closed(both).float().log_softmax(-1),
        }

    def _number_messages(self, numbers: Tensor, greater: Tensor, exists: Tensor) -> Tensor:
        """Return the numbers' states after messages from greater numbers and from the others."""
        pairs = (exists[:, :, None] & exists[:, None, :]).to(numbers.dtype)
        pairs = pairs * (1 - torch.eye(pairs.shape[1], device=pairs.device))
        up = greater.to(numbers.dtype) * pairs
        down = pairs - up
        many = pairs.sum(-1, keepdim=True).clamp(min=1)
        for _ in range(self.switches.graph_steps):
            sent = torch.sigmoid(self.weight(numbers)) * numbers
            messages = (up @ self.greater(sent) + down @ self.lower(sent)) / many
            numbers = numbers + torch.relu(self.own(numbers) + messages)
        return numbers

    def forward(self, batch: Batch) -> Tensor:
        """Return the mean negative log-likelihood, marginalised over all derivations of the answer."""
        likely = self._read(batch)
        losses = []
        for at, example in enumerate(batch.examples):
            ways = list(self._ways(likely, at, example))
            losses.append(-torch.stack(ways).logsumexp(0))
        return torch.stack(losses).mean()

    def _ways(self, likely: dict[str, Tensor], at: int, example: Example) -> Iterator[Tensor]:
        labels, kind = example.labels, likely["kind"][at]
        assert labels
        tag, size = likely["tag"][at], len(example.words)
        outside = tag[:size, 0].sum()
        for first, last in labels.spans:
            if self.switches.tags:
                inside = (tag[first : last + 1, 1] - tag[first : last + 1, 0]).sum()
                yield kind[0] + (outside + inside) / max(size, 1)
            else:
                yield kind[0] + likely["ends"][at, first, 0] + likely["ends"][at, last, 1]
        if labels.runs:
            inside = torch.stack(
                [(tag[a : b + 1, 1] - tag[a : b + 1, 0]).sum() for a, b in labels.runs]
            ).sum()
            yield kind[1] + (outside + inside) / max(size, 1)
        sign = likely["sign"][at, : len(example.numbers)]
        for derivation in labels.sums:
            chosen = torch.stack([sign[place, 1 if s > 0 else 2] - sign[place, 0] for place, s in derivation])
            many = likely["terms"][at, min(len(derivation), _MAX_TERMS) - 1] if self.switches.terms else 0
            yield kind[2] + sign[:, 0].sum() + chosen.sum() + many
        if labels.count >= 0:
            yield kind[3] + likely["count"][at, labels.count]
        if labels.closed >= 0:
            yield kind[4] + likely["closed"][at, labels.closed]

    def replies(self, batch: Batch) -> list[Reply]:
        """Return the answer of the likeliest kind."""
        likely = self._read(batch)
        return [self._reply(likely, at, example) for at, example in enumerate(batch.examples)]

    def _reply(self, likely: dict[str, Tensor], at: int, example: Example) -> Reply:
        order = likely["kind"][at].argsort(descending=True).tolist()
        for kind in (KINDS[place] for place in order):
            notes = {"kind": kind}
            if kind == "sum" and example.numbers:
                many = int(likely["terms"][at].argmax()) + 1 if self.switches.terms else 0
                terms = _terms(likely["sign"][at, : len(example.numbers)], many)
                values = [
                    (s, example.words[example.numbers[place]].value or Fraction(0)) for place, s in terms
                ]
                sum_reply = calculated(signed(values))
                return Reply(sum_reply.equation, sum_reply.value, notes=notes)
            if kind == "count":
                count = int(likely["count"][at].argmax())
                return Reply(str(count), Fraction(count), notes=notes)
            if kind == "closed":
                return Reply(words=(CLOSED[int(likely["closed"][at].argmax())],), notes=notes)
            if kind in ("span", "spans") and example.words:
                runs = list(self._runs(likely, at, example, several=kind == "spans"))
                if runs:
                    return Reply(words=tuple(runs), value=_only_number(runs), notes=notes)
        return Reply()

    def _runs(self, likely: dict[str, Tensor], at: int, example: Example, *, several: bool) -> Iterator[str]:
        words = list(example.words)
        if several or self.switches.tags:
            margin = (likely["tag"][at, : len(words), 1] - likely["tag"][at, : len(words), 0]).tolist()
            runs = [list(run) for tagged, run in _tagged_runs(words, margin) if tagged]
            if not runs:
                best = max(range(len(words)), key=lambda place: margin[place])
                runs = [[words[best]]]
            for run in runs if several else runs[:1]:
                yield texts.written(example.problem, run)
            return
        ends = likely["ends"][at, : len(words)]
        first = int(ends[:, 0].argmax())
        stop = next((p for p in range(first, len(words)) if words[p].part != words[first].part), len(words))
        last = first + int(ends[first : min(stop, first + _MAX_SPAN), 1].argmax())
        yield texts.written(example.problem, words[first : last + 1])


def _tagged_runs(words: Sequence[Word], margin: Sequence[float]) -> Iterator[tuple[bool, Iterator[Word]]]:
    keyed = list(zip(words, margin, strict=True))
    for (tagged, _), group in itertools.groupby(keyed, key=lambda one: (one[1] > 0, one[0].part)):
        yield tagged, (word for word, _ in group)


def _only_number(runs: Sequence[str]) -> Fraction | None:
    return numerals.parse(runs[0]) if len(runs) == 1 else None


def _terms(sign: Tensor, many: int = 0) -> list[tuple[int, int]]:
    """Return the signed numbers of a sum; if none has a sign, the likeliest one with a plus.

    With `many`, return the likeliest `many` numbers, and for _MAX_TERMS also others with a positive margin.
    """
    best = sign.argmax(-1).tolist()
    if many:
        margin = (sign[:, 1:].max(-1).values - sign[:, 0]).tolist()
        order = sorted(range(len(margin)), key=lambda place: -margin[place])
        chosen = order[:many] + [at for at in order[many:] if many == _MAX_TERMS and margin[at] > 0]
        surer = (sign[:, 1] - sign[:, 2]).tolist()  # margin of plus over minus
        added = {place for place in chosen if surer[place] > 0} or {max(chosen, key=lambda at: surer[at])}
        return [(place, 1 if place in added else -1) for place in sorted(chosen)]
    terms = [(place, 1 if s == 1 else -1) for place, s in enumerate(best) if s]
    return terms or [(int((sign[:, 1] - sign[:, 0]).argmax()), 1)]


def _labels(problem: Problem, words: Sequence[Word], numbers: Sequence[int]) -> Labels | None:
    """Return every derivation of the answer, or None if there is none."""
    if problem.answer_type in ("yes_no", "unanswerable") or problem.answer in CLOSED:
        closed = CLOSED.index(problem.answer) if problem.answer in CLOSED else -1
        return Labels(closed=closed) if closed >= 0 else None
    if problem.answer_type == "number":
        return _number_labels(problem, words, numbers)
    matches = [occurrences(answer, words) for answer in problem.answers or (problem.answer,)]
    if not all(matches):
        return None
    if len(matches) > 1:
        return Labels(runs=tuple(places[0] for places in matches))
    return Labels(spans=tuple(matches[0][:_MAX_DERIVATIONS]))


def occurrences(answer: str, words: Sequence[Word]) -> list[tuple[int, int]]:
    """Return the occurrences of an answer among the words, as first and last index."""
    wanted = drop.normalise(answer).replace(" ", "")
    matches = []
    for first, word in enumerate(words):
        joined = ""
        for last in range(first, min(first + _MAX_SPAN, len(words))):
            if words[last].part != word.part:
                break
            joined += drop.normalise(words[last].text).replace(" ", "")
            if not joined:
                break  # the span would start with a word that normalisation drops
            if joined == wanted:
                matches.append((first, last))
            if len(joined) >= len(wanted):
                break
    return matches


def _number_labels(problem: Problem, words: Sequence[Word], numbers: Sequence[int]) -> Labels | None:
    gold = problem.exact_value()
    if gold is None:
        return None
    values = [words[place].value or Fraction(0) for place in numbers]
    if problem.equation:
        sums = _equation_sums(problem.equation, values)
        return Labels(sums=tuple(sums)) if sums else None
    sums = list(itertools.islice(_search_sums(gold, values), _MAX_DERIVATIONS))
    count = int(gold) if gold.denominator == 1 and 0 <= gold <= _MAX_COUNT else -1
    return Labels(sums=tuple(sums), count=count) if sums or count >= 0 else None


def _search_sums(gold: Fraction, values: Sequence[Fraction]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield single numbers, then sums and differences of two, that equal the answer."""
    yield from (((place, 1),) for place, value in enumerate(values) if value == gold)
    for i, j in itertools.combinations(range(len(values)), 2):
        if values[i] + values[j] == gold:
            yield (i, 1), (j, 1)
        if values[i] - values[j] == gold:
            yield (i, 1), (j, -1)
        if values[j] - values[i] == gold:
            yield (i, -1), (j, 1)


def _equation_sums(equation: str, values: Sequence[Fraction]) -> list[tuple[tuple[int, int], ...]]:
    """Return the equation as signed numbers of the text, for all positions; empty for other operators."""
    try:
        terms = _signed_terms(expression.parse(equation), 1)
    except ExpressionError:
        return []
    if terms is None:
        return []
    places = [[place for place, value in enumerate(values) if value == number] for _, number in terms]
    sums = []
    for chosen in itertools.islice(itertools.product(*places), 4 * _MAX_DERIVATIONS):
        if len(set(chosen)) == len(chosen):
            signs = sorted((place, sign) for place, (sign, _) in zip(chosen, terms, strict=True))
            sums.append(tuple(signs))
    return list(dict.fromkeys(sums))[:_MAX_DERIVATIONS]


def _signed_terms(tree: Expr, sign: int) -> list[tuple[int, Fraction]] | None:
    if isinstance(tree, Number):
        return [(sign, tree.number)]
    if isinstance(tree, Unary) and tree.op == "-":
        return _signed_terms(tree.operand, -sign)
    if isinstance(tree, Binary) and tree.op in "+-":
        left = _signed_terms(tree.left, sign)
        right = _signed_terms(tree.right, sign if tree.op == "+" else -sign)
        return None if left is None or right is None else left + right
    return None

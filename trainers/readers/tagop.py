"""TagOp: tags table cells and words, predicts an operator, a scale and an order, and calculates.

After Zhu et al. (2021), with the heads of the released code. Every piece of a text is tagged, and a cell or
word has the likelihood of its likeliest piece. The operator is predicted from the first state, the scale also
from the means of table and paragraphs, the order of two operands from the mean of their states. The answer is
executed exactly.

Options extend this form. `headings` and `match` widen the input of the tag head. `order=concatenate` gives
the order head the concatenation of the two operands, since their mean is symmetric.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from dnc_datasets.problem import Problem
from dnc_metrics import drop
from dnc_trainers import readers
from dnc_trainers.readers import table_rules, tables
from dnc_trainers.readers.encoding import Pieces, padded, pooled
from dnc_trainers.readers.programs import OPERATORS, ORDERED, SCALES, SPANS, execute, program
from dnc_trainers.readers.reader import Batch, Reader
from dnc_trainers.readers.replies import Reading, Reply, Scored
from dnc_trainers.readers.tables import Line, Unit

ORDERS = ("mean", "concatenate")
_IGNORED = -100
_ORDERED_CLASSES = [OPERATORS.index(name) for name in ORDERED]
_SURE = 0.5
_TURNED = "turned round"  # in the notes of a reply: the value with the operands swapped


@dataclass(frozen=True)
class TagOpConfig(Reading):
    """The settings of TagOp. The defaults are the published form; the last four settings extend it."""

    reader: str = "tagop"
    order: str = "mean"
    # The tag head also reads the mean states of the headings of a cell's row and column.
    headings: bool = False
    # The tag head also reads the match of those headings with the question.
    match: bool = False
    # The maximum number of pieces of a number, whose value is read from the cell; 0 keeps all.
    number_pieces: int = 0

    WORDS: ClassVar = {**Reading.WORDS, "order": ORDERS}


@dataclass(frozen=True)
class Labels:
    """The targets of the heads: the units that are operands, and three classes."""

    tags: frozenset[int]
    operator: int
    scale: int
    order: int  # 1 if the later operand of the text comes first; _IGNORED if the order is irrelevant


@dataclass(frozen=True)
class Example:
    """A problem as ids; `unit_of` maps each piece to its unit, -1 for none."""

    ids: tuple[int, ...]
    unit_of: tuple[int, ...]
    units: tuple[Unit, ...]
    heads: tuple[tuple[int, ...], ...]  # the heading units of each unit
    features: tuple[tuple[float, ...], ...]
    labels: Labels | None


@dataclass(frozen=True)
class Scores:
    """The scores of a batch for tags, operators and scales, and the states of its units."""

    tags: Tensor  # [B, L, 2], log-likelihoods
    operands: Tensor  # [B, U], log-likelihoods of each unit's likeliest piece
    operator: Tensor
    scale: Tensor
    units: Tensor  # [B, U, S]

    def pairs(self) -> Tensor:
        """Return the two likeliest units [B, 2], the likelier first."""
        return self.operands.topk(2, dim=-1).indices


def _head(inputs: int, hidden: int, classes: int, dropout: float) -> nn.Sequential:
    """Return one of the four heads, which have the same form."""
    return nn.Sequential(
        nn.Dropout(dropout),
        nn.Linear(inputs, hidden),
        nn.GELU(),
        nn.LayerNorm(hidden),
        nn.Linear(hidden, classes),
    )


@readers.register("tagop", TagOpConfig(batch=16, epochs=12, lr=5e-4, length=512, dropout=0.1))
class TagOp(Reader):
    """TagOp, with heads over the encoder's states: tag, operator, scale, order."""

    baselines: ClassVar = {"rules": table_rules.answer}

    def __init__(self, config: TagOpConfig, pieces: Pieces) -> None:
        super().__init__(config, pieces)
        self.switches = config
        size, dropout = self.encoder.size, config.dropout
        seen = size * (3 if config.headings else 1) + tables.FEATURES * config.match
        self.tag = _head(seen, size, 2, dropout)
        self.operator = _head(size, size, len(OPERATORS), dropout)
        self.scale = _head(3 * size, size, len(SCALES), dropout)
        self.order = _head(size * (2 if config.order == "concatenate" else 1), size, 2, dropout)

    @classmethod
    def words(cls, problem: Problem) -> Iterable[str]:
        yield from problem.question.split()
        for line in tables.lines(problem):
            for unit in line.units:
                yield from unit.words

    def _pieces(self, word: str) -> tuple[int, ...]:
        ids = self.pieces.of(word)
        most = self.switches.number_pieces
        is_cut = most and len(ids) > most and any(c.isdigit() for c in word)
        return ids[:most] if is_cut else ids

    def _select_lines(self, problem: Problem) -> tuple[list[int], list[Line], list[Line]]:
        question = [i for word in problem.question.split() for i in self._pieces(word)][
            : self.config.length // 2
        ]
        budget = self.config.length - len(question) - 4
        return question, *tables.kept(problem, lambda word: len(self._pieces(word)), budget)

    def example(self, problem: Problem) -> Example:
        """Return the question, then the rows and the sentences that fit."""
        question, lines, _ = self._select_lines(problem)
        ids = [self.pieces.start, *question, self.pieces.end]
        unit_of = [-1] * len(ids)
        units: list[Unit] = []
        for unit in (unit for line in lines for unit in line.units):
            if units and units[-1].row >= 0 > unit.row:  # between the table and its paragraphs
                ids.append(self.pieces.end)
                unit_of.append(-1)
            pieces = [i for word in unit.words for i in self._pieces(word)]
            ids += pieces
            unit_of += [len(units)] * len(pieces)
            units.append(unit)
        ids.append(self.pieces.end)
        unit_of.append(-1)
        heads = tables.headings(problem, units) if self.switches.headings else ()
        features = tuple(tables.question_match(problem, units)) if self.switches.match else ()
        return Example(tuple(ids), tuple(unit_of), tuple(units), heads, features, _labels(problem, units))

    def lost(self, problem: Problem) -> bool:
        """Return whether the program needs a number that was cut."""
        _, lines, cut = self._select_lines(problem)
        values = _values(unit for line in (*lines, *cut) for unit in line.units)
        needed = program(problem, values)
        here = {unit.link for line in lines for unit in line.units}
        return needed is not None and not here.issuperset(needed.places)

    def collate(self, examples: Sequence[Example]) -> Batch:
        batch = super().collate(examples)
        count = max(2, *(len(example.units) for example in examples))
        places = padded([example.unit_of for example in examples], -1)
        batch.extra["units"] = torch.where(places >= 0, places, count)
        batch.extra["there"] = torch.zeros(len(examples), count, dtype=torch.bool)
        batch.extra["in_table"] = torch.zeros(len(examples), count, dtype=torch.bool)
        batch.extra["tags"] = torch.zeros(len(examples), count, dtype=torch.long)
        batch.extra["classes"] = torch.full((3, len(examples)), _IGNORED)
        batch.extra["features"] = torch.zeros(len(examples), count, tables.FEATURES * self.switches.match)
        # Row and column headings of each unit.
        batch.extra["heads"] = torch.zeros(2, len(examples), *(2 * [count * self.switches.headings]))
        for at, example in enumerate(examples):
            own = slice(len(example.units))
            batch.extra["there"][at, own] = True
            batch.extra["in_table"][at, own] = torch.tensor([unit.row >= 0 for unit in example.units])
            if example.features:
                batch.extra["features"][at, own] = torch.tensor(example.features)
            for unit, heads in enumerate(example.heads):
                for head in heads:
                    same_row = example.units[head].row == example.units[unit].row
                    batch.extra["heads"][0 if same_row else 1, at, unit, head] = 1.0
            if example.labels:
                batch.extra["tags"][at, list(example.labels.tags)] = 1
                known = (example.labels.operator, example.labels.scale, example.labels.order)
                batch.extra["classes"][:, at] = torch.tensor(known)
        return batch

    def _scores(self, batch: Batch) -> Scores:
        states = self.encoder(batch.ids, batch.lengths)
        there, owners = batch.extra["there"], batch.extra["units"]
        count = there.shape[1]
        units = pooled(states, owners, count)
        seen = [states]
        if self.switches.headings:
            heads = batch.extra["heads"].to(units.dtype)
            heads = heads / heads.sum(-1, keepdim=True).clamp(min=1)
            seen += [_by_piece(torch.bmm(of_kind, units), owners) for of_kind in heads]
        if self.switches.match:
            seen.append(_by_piece(batch.extra["features"].to(states.dtype), owners))
        tags = self.tag(torch.cat(seen, -1)).float().log_softmax(-1)
        lowest = torch.finfo(tags.dtype).min
        best = tags.new_full((len(tags), count + 1), lowest).scatter_reduce(1, owners, tags[..., 1], "amax")
        first = states[:, 0]
        # As released, a mean divides by the entire input length, not by the length of its part.
        in_table, in_text = (
            _by_piece(part[..., None].to(states.dtype), owners)
            for part in (batch.extra["in_table"], there & ~batch.extra["in_table"])
        )
        means = [(states * part).sum(1) / self.config.length for part in (in_table, in_text)]
        scale = self.scale(torch.cat((first, *means), -1))
        return Scores(tags, best[:, :count], self.operator(first), scale, units)

    def _order(self, units: Tensor, pairs: Tensor) -> Tensor:
        """Return scores [N, 2]: the operand first in the text is the first operand, or the second."""
        rows = torch.arange(len(pairs), device=pairs.device)
        if self.switches.order == "mean":
            operands = (units[rows, pairs[:, 0]] + units[rows, pairs[:, 1]]) / 2
        else:
            pairs = pairs.sort(-1).values
            operands = torch.cat((units[rows, pairs[:, 0]], units[rows, pairs[:, 1]]), -1)
        scores: Tensor = self.order(operands)
        return scores

    def forward(self, batch: Batch) -> Tensor:
        """Return the sum of four cross-entropies: sums over the batch for tags and orders, else means."""
        scores = self._scores(batch)
        classes, owners = batch.extra["classes"], batch.extra["units"]
        inside = owners < batch.extra["there"].shape[1]
        gold = _by_piece(batch.extra["tags"][..., None], owners)[..., 0]
        loss: Tensor = functional.nll_loss(scores.tags[inside], gold[inside], reduction="sum")
        for predictions, wanted in ((scores.operator, classes[0]), (scores.scale, classes[1])):
            loss = loss + functional.cross_entropy(predictions.float(), wanted, ignore_index=_IGNORED)
        predicted = torch.isin(
            scores.operator.argmax(-1), torch.tensor(_ORDERED_CLASSES, device=classes.device)
        )
        ordered = (predicted & (classes[2] != _IGNORED)).nonzero().squeeze(1)
        if len(ordered):
            order = self._order(scores.units[ordered], scores.pairs()[ordered])
            loss = loss + functional.cross_entropy(order.float(), classes[2][ordered], reduction="sum")
        return loss

    @classmethod
    def measures(cls, problems: Sequence[Problem], scored: Sequence[Scored]) -> dict[str, float]:
        """Return the share of order-dependent replies that only swapped operands would make correct."""
        ordered = [(p, one) for p, one in zip(problems, scored, strict=True) if one.notes.get(_TURNED)]
        if not ordered:
            return {}
        wrong = sum(
            not one.correct and Fraction(one.notes[_TURNED]) == problem.exact_value()
            for problem, one in ordered
        )
        return {"ordered replies": float(len(ordered)), "wrong but for the order": wrong / len(ordered)}

    def replies(self, batch: Batch) -> list[Reply]:
        """Calculate with the tagged numbers, or answer with the tagged words."""
        scores = self._scores(batch)
        pairs = scores.pairs()
        turned = self._order(scores.units, pairs).argmax(-1).tolist()
        if self.switches.order == "concatenate":
            pairs = pairs.sort(-1).values
        chances = scores.operands.exp().tolist()
        operators, scales = scores.operator.argmax(-1).tolist(), scores.scale.argmax(-1).tolist()
        return [
            _reply(
                example.units,
                chances[at],
                OPERATORS[operators[at]],
                SCALES[scales[at]],
                pair[:: 1 - 2 * turned[at]],
            )
            for at, (example, pair) in enumerate(zip(batch.examples, pairs.tolist(), strict=True))
        ]


def _by_piece(of_units: Tensor, owners: Tensor) -> Tensor:
    """Return for each piece the values of its unit [B, L, N], 0 if it belongs to none."""
    values = functional.pad(of_units, (0, 0, 0, 1))
    return values.gather(1, owners[..., None].expand(-1, -1, values.shape[-1]))


def _reply(
    units: Sequence[Unit], chances: Sequence[float], operator: str, scale: str, pair: Sequence[int]
) -> Reply:
    """Return the reply of an operator; empty if a number or a tagged unit is missing."""
    notes: dict[str, Any] = {"operator": operator, "scale": scale}
    tagged = [at for at in range(len(units)) if chances[at] > _SURE]
    if operator in SPANS:
        return _span_reply(operator, list(_runs(units, tagged)), chances, notes)
    operands = tagged
    if operator in ORDERED:
        operands = [at for at in pair if at < len(units)]
        if any(units[at].value is None for at in operands):
            operands = []
    values = [value for at in operands if (value := units[at].value) is not None]
    result = execute(operator, values, scale)
    notes["operands"] = [units[at].link for at in operands]
    if operator in ORDERED:
        notes[_TURNED] = execute(operator, values[::-1], scale).text
    return Reply(result.equation, result.value, notes=notes)


def _span_reply(
    operator: str, runs: Sequence[Sequence[tuple[int, Unit]]], chances: Sequence[float], notes: dict[str, Any]
) -> Reply:
    if operator == "count":
        return Reply(str(len(runs)), Fraction(len(runs)), notes=notes)
    if operator != "spans":
        runs = [run for run in runs if (run[0][1].row >= 0) == (operator == "span_table")]
        runs = sorted(runs, key=lambda run: -sum(chances[at] for at, _ in run) / len(run))[:1]
    texts = (" ".join(unit.text for _, unit in run).strip(" .,;") for run in runs)
    return Reply(words=tuple(texts), notes=notes)


def _runs(units: Sequence[Unit], tagged: Sequence[int]) -> Iterator[list[tuple[int, Unit]]]:
    """Yield each tagged cell, and each run of tagged words of a paragraph."""
    run: list[tuple[int, Unit]] = []
    for at in tagged:
        if run and not _adjacent(run[-1][1], units[at]):
            yield run
            run = []
        run.append((at, units[at]))
    if run:
        yield run


def _adjacent(one: Unit, two: Unit) -> bool:
    return one.row < 0 and one.paragraph == two.paragraph and two.place == one.place + 1


def _values(units: Iterable[Unit]) -> dict[str, Fraction]:
    return {unit.link: unit.value for unit in units if unit.value is not None and unit.link}


def _labels(problem: Problem, units: Sequence[Unit]) -> Labels | None:
    """Return the labels of a problem, or None if its program is unknown or needs text that was cut."""
    scale = SCALES.index(problem.unit) if problem.unit in SCALES else 0
    if problem.answer_type in ("span", "multi-span"):
        tags = frozenset(_answer_units(problem, units))
        if not tags:
            return None
        place = "span_table" if any(units[at].row >= 0 for at in tags) else "span_text"
        operator = "spans" if problem.answer_type == "multi-span" else place
        return Labels(tags, OPERATORS.index(operator), scale, _IGNORED)
    gold = program(problem, _values(units))
    if gold is None:
        return None
    at = {unit.link: place for place, unit in enumerate(units) if unit.value is not None}
    places = [at[link] for link in gold.places]
    order = int(places[0] > places[1]) if gold.operator in ORDERED else _IGNORED
    return Labels(frozenset(places), OPERATORS.index(gold.operator), scale, order)


def _answer_units(problem: Problem, units: Sequence[Unit]) -> Iterator[int]:
    """Yield the units that spell the answers: cells cited by the source, or a run of words in a paragraph."""
    for answer in problem.answers or (problem.answer,):
        wanted = drop.normalise(answer)
        cells = [at for at, unit in enumerate(units) if unit.row >= 0 and drop.normalise(unit.text) == wanted]
        cited = [at for at in cells if units[at].link in problem.evidence]
        if cited or len(cells) == 1:
            yield from cited or cells
            continue
        size = len(answer.split())
        for at in range(len(units) - size + 1):
            run = units[at : at + size]
            joined = all(_adjacent(one, two) for one, two in pairwise(run))
            if run[0].row < 0 and joined and drop.normalise(" ".join(unit.text for unit in run)) == wanted:
                yield from range(at, at + size)
                break

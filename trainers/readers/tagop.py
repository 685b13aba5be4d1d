"""TagOp: tags cells and words of a table with its paragraphs, picks an operator, a scale and an order, calculates.

After Zhu et al. (2021). The answer is executed exactly from the tagged numbers. The published order head sees
the mean of the two operands, in which neither comes first; `order=concatenate` sees them one behind the other.
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
from dnc_trainers.readers.programs import OPERATORS, ORDERED, SCALES, execute, program
from dnc_trainers.readers.reader import Batch, Reader
from dnc_trainers.readers.reading import Reading, Reply, Scored
from dnc_trainers.readers.tables import Line, Unit

ORDERS = ("concatenate", "mean")
_IGNORED = -100
_FEATURES = 9
_SURE = 0.5
_TURNED = "turned round"  # in the notes of a reply: what its operands give in the other order


@dataclass(frozen=True)
class TagOpConfig(Reading):
    """TagOp's switches; `order=mean headings=no match=no number_pieces=0` is the published form."""

    reader: str = "tagop"
    order: str = "concatenate"
    # A cell is also what stands before its row and above its column.
    headings: bool = True
    # Whether those words stand in the question, as features.
    match: bool = True
    # A number's value is read from the cell: so many pieces of its digits are shown; 0 shows all.
    number_pieces: int = 2

    WORDS: ClassVar = {**Reading.WORDS, "order": ORDERS}


@dataclass(frozen=True)
class Labels:
    """What the heads learn: the units that are operands, and three classes."""

    tags: frozenset[int]
    operator: int
    scale: int
    order: int  # 1 where the later operand of the text comes first; _IGNORED where it does not matter


@dataclass(frozen=True)
class Example:
    """A problem as ids; `unit_of` says which unit a piece belongs to, -1 the question, -2 none."""

    ids: tuple[int, ...]
    unit_of: tuple[int, ...]
    units: tuple[Unit, ...]
    heads: tuple[tuple[int, ...], ...]  # of each unit, the units that are its headings
    features: tuple[tuple[float, ...], ...]
    labels: Labels | None


@readers.register("tagop", TagOpConfig(batch=16, epochs=12, lr=5e-4, length=192, dropout=0.1))
class TagOp(Reader):
    """Heads over the encoder's states: tag, operator, scale, order."""

    baselines: ClassVar = {"rules": table_rules.answer}

    def __init__(self, config: TagOpConfig, pieces: Pieces) -> None:
        super().__init__(config, pieces)
        self.switches = config
        size, hidden = self.encoder.size, config.hidden
        self.unit = nn.Sequential(
            nn.Linear(size * (3 if config.headings else 1) + _FEATURES, hidden),
            nn.GELU(),
            nn.Dropout(config.dropout),
        )
        self.question = nn.Linear(size, hidden)
        self.tag = nn.Sequential(nn.Linear(3 * hidden, hidden), nn.GELU(), nn.Linear(hidden, 2))
        self.operator = nn.Sequential(
            nn.Linear(2 * size, hidden), nn.GELU(), nn.Linear(hidden, len(OPERATORS))
        )
        self.scale = nn.Sequential(nn.Linear(3 * size, hidden), nn.GELU(), nn.Linear(hidden, len(SCALES)))
        operands = 2 * hidden if config.order == "concatenate" else hidden
        self.order = nn.Sequential(nn.Linear(operands + size, hidden), nn.GELU(), nn.Linear(hidden, 2))

    @classmethod
    def words(cls, problem: Problem) -> Iterable[str]:
        yield from problem.question.split()
        for line in tables.lines(problem):
            for unit in line.units:
                yield from unit.words

    def _pieces(self, word: str) -> tuple[int, ...]:
        ids = self.pieces.of(word)
        most = self.switches.number_pieces
        shown = most and len(ids) > most and any(c.isdigit() for c in word)
        return ids[:most] if shown else ids

    def _kept(self, problem: Problem) -> tuple[list[int], list[Line], list[Line]]:
        asked = [i for word in problem.question.split() for i in self._pieces(word)][
            : self.config.length // 2
        ]
        budget = self.config.length - len(asked) - 3
        return asked, *tables.kept(problem, lambda word: len(self._pieces(word)), budget)

    def example(self, problem: Problem) -> Example:
        """The question, then the rows and sentences that are kept."""
        asked, lines, _ = self._kept(problem)
        ids = [self.pieces.start, *asked, self.pieces.end]
        unit_of = [-2, *[-1] * len(asked), -2]
        units: list[Unit] = []
        for line in lines:
            for unit in line.units:
                found = [i for word in unit.words for i in self._pieces(word)]
                ids += found
                unit_of += [len(units)] * len(found)
                units.append(unit)
            ids += self._pieces(tables.ROW_END)[:1]
            unit_of.append(-2)
        ids.append(self.pieces.end)
        unit_of.append(-2)
        labels = _labels(problem, units)
        features = (
            tuple(_features(problem, units)) if self.switches.match else ((0.0,) * _FEATURES,) * len(units)
        )
        return Example(tuple(ids), tuple(unit_of), tuple(units), _headings(problem, units), features, labels)

    def lost(self, problem: Problem) -> bool:
        """Does the program need a number that was cut?"""
        _, lines, cut = self._kept(problem)
        values = _values(unit for line in (*lines, *cut) for unit in line.units)
        needed = program(problem, values)
        here = {unit.link for line in lines for unit in line.units}
        return needed is not None and not here.issuperset(needed.places)

    def collate(self, examples: Sequence[Example]) -> Batch:
        batch = super().collate(examples)
        units = max(max(len(example.units) for example in examples), 1)
        places = padded([example.unit_of for example in examples], -2)
        batch.extra["units"] = torch.where(places >= 0, places, units)
        batch.extra["asked"] = torch.where(places == -1, 0, 1)
        batch.extra["there"] = torch.zeros(len(examples), units, dtype=torch.bool)
        batch.extra["features"] = torch.zeros(len(examples), units, _FEATURES)
        # Row and column headings, as weights over units whose sum is 1.
        batch.extra["heads"] = torch.zeros(2, len(examples), units, units)
        batch.extra["tags"] = torch.full((len(examples), units), _IGNORED)
        batch.extra["classes"] = torch.full((3, len(examples)), _IGNORED)
        for at, example in enumerate(examples):
            count = len(example.units)
            batch.extra["there"][at, :count] = True
            if count:
                batch.extra["features"][at, :count] = torch.tensor(example.features)
            for unit, heads in enumerate(example.heads):
                for head in heads:
                    same_row = example.units[head].row == example.units[unit].row
                    batch.extra["heads"][0 if same_row else 1, at, unit, head] = 1.0
            if example.labels:
                batch.extra["tags"][at, :count] = 0
                for unit in example.labels.tags:
                    batch.extra["tags"][at, unit] = 1
                known = (example.labels.operator, example.labels.scale, example.labels.order)
                batch.extra["classes"][:, at] = torch.tensor(known)
        return batch

    def _read(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Tag scores [B, U, 2], operator and scale scores, units [B, U, H], the question [B, S]."""
        states = self.encoder(batch.ids, batch.lengths)
        count = batch.extra["there"].shape[1]
        raw = pooled(states, batch.extra["units"], count)
        asked = pooled(states, batch.extra["asked"], 1)[:, 0]
        parts = [raw]
        if self.switches.headings:
            heads = batch.extra["heads"].to(raw.dtype)
            heads = heads / heads.sum(-1, keepdim=True).clamp(min=1)
            parts += [torch.bmm(heads[0], raw), torch.bmm(heads[1], raw)]
        units = self.unit(torch.cat((*parts, batch.extra["features"].to(raw.dtype)), -1))
        question = self.question(asked)[:, None].expand_as(units)
        tags = self.tag(torch.cat((units, question, units * question), -1))
        first = states[:, 0]
        operator = self.operator(torch.cat((first, asked), -1))
        there = batch.extra["there"].to(raw.dtype)[..., None]
        whole = (raw * there).sum(1) / there.sum(1).clamp(min=1)
        scale = self.scale(torch.cat((first, asked, whole), -1))
        return tags, operator, scale, units, asked

    def _order(self, units: Tensor, asked: Tensor, pairs: Tensor) -> Tensor:
        """[N, 2]: whether two operands, given in reading order, are taken as they stand or turned round."""
        rows = torch.arange(len(pairs), device=pairs.device)
        one, two = units[rows, pairs[:, 0]], units[rows, pairs[:, 1]]
        operands = torch.cat((one, two), -1) if self.switches.order == "concatenate" else (one + two) / 2
        scores: Tensor = self.order(torch.cat((operands, asked), -1))
        return scores

    def forward(self, batch: Batch) -> Tensor:
        """The sum of four cross-entropies."""
        tags, operator, scale, units, asked = self._read(batch)
        gold, classes = batch.extra["tags"], batch.extra["classes"]
        each = functional.cross_entropy(
            tags.flatten(0, 1).float(), gold.flatten(), ignore_index=_IGNORED, reduction="sum"
        )
        # The few tagged units weigh as much in a large table as in a small one.
        loss: Tensor = each / (gold == 1).sum().clamp(min=1)
        loss = loss + functional.cross_entropy(operator.float(), classes[0], ignore_index=_IGNORED)
        loss = loss + functional.cross_entropy(scale.float(), classes[1], ignore_index=_IGNORED)
        ordered = (classes[2] != _IGNORED).nonzero().squeeze(1)
        if len(ordered):
            pairs = torch.stack([(gold[row] == 1).nonzero().squeeze(1)[:2] for row in ordered])
            scores = self._order(units[ordered], asked[ordered], pairs)
            loss = loss + functional.cross_entropy(scores.float(), classes[2][ordered])
        return loss

    @classmethod
    def measures(cls, problems: Sequence[Problem], scored: Sequence[Scored]) -> dict[str, float]:
        """Of the replies whose order matters, how many are wrong and would be right turned round."""
        ordered = [(p, one) for p, one in zip(problems, scored, strict=True) if one.notes.get(_TURNED)]
        if not ordered:
            return {}
        wrong = sum(
            not one.correct and Fraction(one.notes[_TURNED]) == problem.exact_value()
            for problem, one in ordered
        )
        return {"ordered replies": float(len(ordered)), "wrong but for the order": wrong / len(ordered)}

    def replies(self, batch: Batch) -> list[Reply]:
        """Calculate with the numbers that are tagged, or answer with the words that are."""
        tags, operator, scale, units, asked = self._read(batch)
        likely = tags.float().softmax(-1)[..., 1].tolist()
        operators, scales = operator.argmax(-1).tolist(), scale.argmax(-1).tolist()
        pairs = [
            _best_pair(example.units, chances)
            for example, chances in zip(batch.examples, likely, strict=True)
        ]
        turned = self._order(units, asked, torch.tensor(pairs, device=units.device)).argmax(-1).tolist()
        return [
            _reply(
                example.units, likely[at], OPERATORS[operators[at]], SCALES[scales[at]], pairs[at], turned[at]
            )
            for at, example in enumerate(batch.examples)
        ]


def _numbers(units: Sequence[Unit]) -> list[int]:
    return [at for at, unit in enumerate(units) if unit.value is not None]


def _best_pair(units: Sequence[Unit], chances: Sequence[float]) -> list[int]:
    """The two likeliest numbers in reading order; places 0, 0 where there are not two."""
    best = sorted(_numbers(units), key=lambda at: -chances[at])[:2]
    return sorted(best) if len(best) == 2 else [0, 0]


def _reply(
    units: Sequence[Unit], chances: Sequence[float], operator: str, scale: str, pair: list[int], turned: int
) -> Reply:
    notes: dict[str, Any] = {"operator": operator, "scale": scale}
    if operator in ("span", "spans", "count"):
        runs = list(_runs(units, chances))
        if operator == "count":
            return Reply(str(len(runs)), Fraction(len(runs)), notes=notes)
        runs = runs if operator == "spans" else runs[:1]
        return Reply(words=tuple(run for run, _ in runs), notes=notes)
    sure = [at for at in _numbers(units) if chances[at] > _SURE]
    if operator in ORDERED:
        sure = [] if pair[0] == pair[1] else pair[::-1] if turned else pair
    elif len(sure) < 2:
        sure = [] if pair[0] == pair[1] else pair
    values = [value for at in sure if (value := units[at].value) is not None]
    made = execute(operator, values, scale)
    notes["operands"] = [units[at].link for at in sure]
    if operator in ORDERED:
        notes[_TURNED] = execute(operator, values[::-1], scale).text
    return Reply(made.equation, made.value, notes=notes)


def _runs(units: Sequence[Unit], chances: Sequence[float]) -> Iterator[tuple[str, float]]:
    """Tagged cells, and neighbouring tagged words of a paragraph as one text, likeliest first."""
    found: list[tuple[str, float]] = []
    at = 0
    while at < len(chances) and at < len(units):
        end = at + 1
        if chances[at] > _SURE:
            while end < len(units) and chances[end] > _SURE and _adjacent(units[end - 1], units[end]):
                end += 1
            text = " ".join(unit.text for unit in units[at:end])
            found.append((text.strip(" .,;"), max(chances[at:end])))
        at = end
    if not found and units:
        best = max(range(len(units)), key=lambda place: chances[place])
        found.append((units[best].text, chances[best]))
    yield from sorted(found, key=lambda run: -run[1])


def _adjacent(one: Unit, two: Unit) -> bool:
    return one.row < 0 and one.paragraph == two.paragraph and two.place == one.place + 1


def _values(units: Iterable[Unit]) -> dict[str, Fraction]:
    return {unit.link: unit.value for unit in units if unit.value is not None and unit.link}


def _labels(problem: Problem, units: Sequence[Unit]) -> Labels | None:
    """The labels of a problem, None where its program is not of ours or needs what was cut."""
    scale = SCALES.index(problem.unit) if problem.unit in SCALES else 0
    if problem.answer_type in ("span", "multi-span"):
        tags = frozenset(_answer_units(problem, units))
        operator = "spans" if problem.answer_type == "multi-span" else "span"
        return Labels(tags, OPERATORS.index(operator), scale, _IGNORED) if tags else None
    found = program(problem, _values(units))
    if found is None:
        return None
    at = {unit.link: place for place, unit in enumerate(units) if unit.value is not None}
    places = [at[link] for link in found.places]
    order = int(places[0] > places[1]) if found.operator in ORDERED else _IGNORED
    return Labels(frozenset(places), OPERATORS.index(found.operator), scale, order)


def _answer_units(problem: Problem, units: Sequence[Unit]) -> Iterator[int]:
    """The units that spell the answers: cells that the source cites, or a run of words in a cited paragraph."""
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


def _headings(problem: Problem, units: Sequence[Unit]) -> tuple[tuple[int, ...], ...]:
    """For each cell, the units before its row and above its column."""
    at = {(unit.row, unit.column): place for place, unit in enumerate(units) if unit.row >= 0}
    tops = tables.heading_rows(problem.table)
    made = []
    for unit in units:
        heads = []
        if unit.row >= 0 and unit.value is not None:
            row = problem.table[unit.row]
            before = next(
                (c for c, cell in enumerate(row) if cell.strip() and not tables.is_amount(cell)), None
            )
            heads = [(unit.row, before)] if before is not None and before != unit.column else []
            for top in range(tops):
                column = min(unit.column, len(problem.table[top]) - 1)
                while column > 1 and not problem.table[top][column].strip():
                    column -= 1
                heads.append((top, column))
        made.append(tuple(at[head] for head in heads if head in at and head != (unit.row, unit.column)))
    return tuple(made)


def _features(problem: Problem, units: Sequence[Unit]) -> Iterator[tuple[float, ...]]:
    """How the headings of each unit match the question."""
    asked = tables.content(problem.question)
    stems = frozenset(asked)
    rows = {row: tables.overlap(tables.row_heading(cells), stems) for row, cells in enumerate(problem.table)}
    best = max((sum(found) for found in rows.values()), default=0.0)
    columns = {
        column: tables.column_heading(problem.table, column)
        for column in range(max(map(len, problem.table), default=0))
    }
    for unit in units:
        if unit.row < 0:
            in_question = float(not stems.isdisjoint(tables.content(unit.text)))
            yield (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, in_question, float(unit.value is not None))
            continue
        of_row, of_question = rows[unit.row]
        heading = columns.get(unit.column, "")
        of_column, _ = tables.overlap(heading, stems)
        named = [asked.index(word) for word in tables.content(heading) if word in stems]
        first, last = (min(named), max(named)) if named else (-1, -1)
        yield (
            of_row,
            of_question,
            float(bool(best) and of_row + of_question == best),
            of_column,
            float(bool(named)),
            (first + 1) / (len(asked) + 1),
            (last + 1) / (len(asked) + 1),
            1.0,
            float(unit.value is not None),
        )

"""Builds the record of a system from its scored rows: cells, tables, causes, and one outcome per row."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from typing import Any, Protocol

from dnc_datasets.errors import ExpressionError
from dnc_datasets.expression import canonical
from dnc_metrics import behaviour_lines, causes, contrast_tables, drop_tables, intervals, verdicts
from dnc_metrics.behaviours.naming import Naming
from dnc_metrics.capabilities import CAPABILITIES
from dnc_metrics.causes import Explained, Mistake, Question
from dnc_metrics.record import (
    FAULT,
    RIGHT,
    TRUNCATED,
    WRONG,
    CauseLine,
    Causes,
    Cell,
    Outcome,
    Provenance,
    Record,
    Repeated,
    System,
)
from dnc_metrics.row_labels import labels
from dnc_metrics.spool import Spool

# Longer texts of failures are cut in the record; the dataset has the complete ones.
_MAX_SHOWN = 4000
# Longer replies are cut, and cannot be scored again.
MAX_REPLY = 100_000
# Creating an encoder for each row would take longer than the encoding.
_ENCODE = json.JSONEncoder(default=list).encode


@dataclass(frozen=True)
class Scored:
    """One reply: the row that was asked, with its `source` if it is perturbed, and its score."""

    row: Mapping[str, Any]
    right: bool
    status: str
    answer: Fraction | None = None
    reply: str = ""
    stated: str = ""
    cluster: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)
    rule: str = ""
    cut_off: bool = False  # the token limit ended the reply
    asked_id: str = ""  # the row's id, if it was asked several times and the replies have their own ids
    fault: str = ""  # the server's fault, if there is no reply of the model
    # The record's facts about the row, computed here while its numbers are cached.
    labels: Mapping[str, str] = field(init=False)
    digest: str = field(init=False)  # of a perturbed row

    @property
    def id(self) -> str:
        """Return the id of the row."""
        return str(self.row["id"])

    @property
    def perturbed(self) -> bool:
        """Return whether the row was changed."""
        return bool(self.row.get("perturbed"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", labels(self.row))
        object.__setattr__(self, "digest", _digest(self.row) if self.row.get("perturbed") else "")

    @classmethod
    def of(cls, row: Mapping[str, Any], outcome: Outcome) -> Scored:
        """Return the scored reply of a stored outcome; `row` is the row that was asked."""
        return cls(
            row=row,
            right=outcome.right,
            status=outcome.status,
            answer=Fraction(outcome.answer) if outcome.answer else None,
            reply=outcome.reply,
            stated=outcome.stated,
            cluster=outcome.cluster,
            scores=outcome.scores,
            cut_off=outcome.cut_off,
        )


class ScoredReply(Protocol):
    """The fields of a scored reply that a record reads: `Scored`, or a reply stored in a file."""

    @property
    def row(self) -> Mapping[str, Any]: ...
    @property
    def id(self) -> str: ...
    @property
    def perturbed(self) -> bool: ...
    @property
    def right(self) -> bool: ...
    @property
    def status(self) -> str: ...
    @property
    def answer(self) -> Fraction | None: ...
    @property
    def reply(self) -> str: ...
    @property
    def stated(self) -> str: ...
    @property
    def cluster(self) -> str: ...
    @property
    def scores(self) -> Mapping[str, float]: ...
    @property
    def rule(self) -> str: ...
    @property
    def cut_off(self) -> bool: ...
    @property
    def asked_id(self) -> str: ...
    @property
    def fault(self) -> str: ...
    @property
    def labels(self) -> Mapping[str, str]: ...
    @property
    def digest(self) -> str: ...


class Replies(Protocol):
    """Scored replies that can be iterated repeatedly: a list, or replies in a file."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[ScoredReply]: ...


@dataclass(frozen=True)
class Asked:
    """A config with its replies, and the fields of a `Cell` that do not follow from them."""

    config: str
    dataset: str
    fold: str
    perturbation: str
    setting: str
    capability: str
    prompt: str
    score: str
    replies: Replies
    baselines: Mapping[str, float] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    left_out: int = 0
    measures: Mapping[str, float] = field(default_factory=dict)
    too_long: int = 0
    all_splits: bool = False
    seen_rows: int = 0


def make(
    system: System, made: Provenance, asked: Sequence[Asked], margin: float = verdicts.MARGIN
) -> tuple[Record, list[Outcome]]:
    """Return the record of these replies, and the outcomes for the file beside it."""
    record, outcomes = build(system, made, asked, margin)
    return record, list(outcomes)


def build(
    system: System, made: Provenance, asked: Sequence[Asked], margin: float = verdicts.MARGIN
) -> tuple[Record, Outcomes]:
    """Return the same record with outcomes that are computed during iteration, to save memory.

    Server faults are counted and written, but not used otherwise.
    """
    cells = [_cell(one) for one in asked]
    explanations = Explanations(asked)
    answered = {cell.key: _Answered(cell, one) for cell, one in zip(cells, asked, strict=True)}
    tables = drop_tables.tables(cells, answered, margin, sees_values=system.sees_values)
    why = _causes(cells, explanations)
    contrasts = contrast_tables.contrasts(asked)
    record = Record(system, made, tuple(cells), tables, why, contrasts, behaviours=explanations.behaviours)
    return record, Outcomes(cells, asked, explanations)


class Outcomes(Sequence[Outcome]):
    """The outcomes of all replies, computed during each iteration."""

    def __init__(self, cells: Sequence[Cell], asked: Sequence[Asked], explanations: Explanations) -> None:
        self._cells, self._asked, self._explanations = cells, asked, explanations

    def __len__(self) -> int:
        return sum(len(one.replies) for one in self._asked)

    def __iter__(self) -> Iterator[Outcome]:
        explained = iter(self._explanations)
        for cell, one in zip(self._cells, self._asked, strict=True):
            for reply in one.replies:
                why = next(explained) if _is_wrong(reply) else None
                yield _outcome(cell.key, reply, why)

    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]

    def results(self) -> Iterator[tuple[str, str, bool]]:
        """Yield the cell and the id of each row and whether it is right, without computing its outcome."""
        for cell, one in zip(self._cells, self._asked, strict=True):
            for reply in one.replies:
                yield cell.key, reply.id, reply.right

    def wrong(self) -> Iterator[Outcome]:
        """Yield the outcomes of wrong replies only."""
        explained = iter(self._explanations)
        for cell, one in zip(self._cells, self._asked, strict=True):
            for reply in filter(_is_wrong, one.replies):
                yield _outcome(cell.key, reply, next(explained))


class _Answered:
    """The rows of a cell without server faults, for the pairing in tables."""

    def __init__(self, cell: Cell, asked: Asked) -> None:
        self._cell, self._asked = cell, asked

    def __len__(self) -> int:
        return self._cell.rows

    def __iter__(self) -> Iterator[ScoredReply]:
        return (reply for reply in self._asked.replies if reply.status != FAULT)


def _is_wrong(reply: ScoredReply) -> bool:
    return not reply.right and reply.status != FAULT


def _cell(asked: Asked) -> Cell:
    rows = changed = right = cut_off = 0
    scores: dict[str, float] = {}
    statuses: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    is_repeated = False
    for reply in asked.replies:
        statuses[reply.status] += 1
        if reply.status == FAULT:
            continue
        rows += 1
        changed += reply.perturbed
        right += reply.right
        cut_off += reply.cut_off
        for name, score in reply.scores.items():
            scores[name] = scores.get(name, 0) + score
        if reply.rule:
            rules[reply.rule] += 1
        is_repeated = is_repeated or reply.asked_id not in ("", reply.id)
    shares = {name: total / rows for name, total in scores.items()}
    return Cell(
        config=asked.config,
        dataset=asked.dataset,
        fold=asked.fold,
        perturbation=asked.perturbation,
        setting=asked.setting,
        capability=asked.capability,
        prompt=asked.prompt,
        score=asked.score,
        rows=rows,
        changed=changed,
        right=right,
        scores=shares or {asked.score: right / rows if rows else 0.0},
        statuses=dict(statuses.most_common()),
        rules=dict(rules.most_common()),
        baselines=asked.baselines,
        data=asked.data,
        left_out=asked.left_out,
        cut_off=cut_off,
        repeated=_repeated(asked.replies) if is_repeated else None,
        measures=asked.measures,
        too_long=asked.too_long,
        all_splits=asked.all_splits,
        seen_rows=asked.seen_rows,
    )


def _repeated(replies: Replies) -> Repeated | None:
    """Return the agreement of replies to the same row, if rows were asked several times."""
    rows: dict[str, list[bool]] = {}
    sizes: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for reply in replies:
        if reply.status == FAULT:
            continue
        name = reply.asked_id or reply.id
        rows.setdefault(name, []).append(reply.right)
        sizes[reply.cluster or name] += 1
        right[reply.cluster or name] += reply.right
    if len(rows) == sizes.total():
        return None
    times = max(map(len, rows.values()))
    shares = [sum(one) / len(one) for one in rows.values()]
    mean = sum(shares) / len(shares)
    # Within a row: the unbiased variance of one reply. Between rows: the remaining variance.
    inner = [
        p * (1 - p) * len(one) / (len(one) - 1)
        for p, one in zip(shares, rows.values(), strict=True)
        if len(one) > 1
    ]
    within = sum(inner) / len(inner)
    outer = sum((share - mean) ** 2 for share in shares) / (len(shares) - 1) if len(shares) > 1 else 0.0
    interval = intervals.bootstrap(list(sizes.values()), [right[name] for name in sizes])
    return Repeated(times, mean, interval, within, max(0.0, outer - within / times))


class Explanations:
    """The explanations of all wrong replies, in the order of the replies, in a temporary file."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        self._search = causes.Search(causes.Pool(mistake for mistake, _, _ in _mistakes(asked)))
        fitted = behaviour_lines.fit(asked)
        self._names = Naming(fitted)
        self._spool = Spool()
        for mistake, one, reply in _mistakes(asked):
            changed = not one.perturbation or reply.perturbed
            found = self._search.explain(mistake, Question.of(reply.row))
            number = None
            if behaviour_lines.is_shown(one):
                counts = behaviour_lines.is_counted(one, reply)
                number = self._names.name(behaviour_lines.reply_of(one, reply), is_counted=counts)
            self._spool.append((f"{one.config}|{one.prompt}", changed, *found[1:], number))
        self._search.forget()
        self.behaviours = behaviour_lines.lines(fitted, self._names)

    def __iter__(self) -> Iterator[Explained]:
        return (one for _, _, one in self.placed())

    def placed(self) -> Iterator[tuple[str, bool, Explained]]:
        """Yield the cell of each wrong reply, whether its row belongs to the cell, and its explanation."""
        for cell, changed, names, sentence, chance, nulls, stated, number in self._spool.values():
            one = self._search.clear(Explained("", tuple(names), sentence, chance, nulls, stated))
            yield cell, changed, self._names.story(one, number)


def _mistakes(asked: Sequence[Asked]) -> Iterator[tuple[Mistake, Asked, ScoredReply]]:
    """Yield the wrong replies; chance is estimated from all wrong answers of the system."""
    for one in asked:
        for reply in one.replies:
            if _is_wrong(reply):
                row = reply.id
                problem = f"{one.dataset}\t{reply.row.get('original_id') or reply.asked_id or row}"
                cut = reply.status == TRUNCATED
                worded = reply.status == WRONG
                yield Mistake(row, reply.answer, reply.stated, cut, problem, worded), one, reply


def _outcome(cell: str, reply: ScoredReply, explained: Explained | None) -> Outcome:
    wrong: dict[str, Any] = {}
    if not reply.right and explained is not None:
        row = reply.row
        source = row.get("source")
        wrong = {
            "causes": explained.causes,
            "sentence": explained.sentence,
            "gold": str(row["answer"]),
            "text": shown(row),
            "before": shown(source) if source else "",
        }
    return Outcome(
        cell=cell,
        id=reply.id,
        right=reply.right,
        status=RIGHT if reply.right else reply.status,
        answer="" if reply.answer is None else _written(reply.answer),
        reply=reply.reply[:MAX_REPLY],
        stated=reply.stated,
        cut_off=reply.cut_off,
        perturbed=reply.perturbed,
        cluster=reply.cluster,
        scores=reply.scores,
        labels=reply.labels,
        fault=reply.fault,
        digest=reply.digest,
        **wrong,
    )


def _digest(row: Mapping[str, Any]) -> str:
    """Return a digest of the text and the answer of a row."""
    parts = [row.get(name) for name in ("body", "question", "table", "segments", "history", "answer")]
    return sha256(_ENCODE(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _written(answer: Fraction) -> str:
    """Return a number in its usual spelling: 40.33, or 22/7 for an endless decimal."""
    try:
        return canonical(answer)
    except ExpressionError:  # more digits than a problem's number may have
        return str(answer)


def shown(row: Mapping[str, Any]) -> str:
    """Return the row as text: conversation, table, body and question, cut at `_MAX_SHOWN` characters."""
    parts = [f"{turn['question']} {turn['answer']}" for turn in row.get("history") or ()]
    parts += [" | ".join(cells) for cells in row.get("table") or ()]
    parts += [row.get("body") or "", *(row.get("segments") or ()), row.get("question") or ""]
    text = "\n".join(part for part in dict.fromkeys(parts) if part)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]} ..."


def _causes(cells: Sequence[Cell], explanations: Explanations) -> tuple[Causes, ...]:
    own = {cell.key: causes.Tally() for cell in cells}
    pooled = {cell.capability: causes.Tally() for cell in cells if cell.perturbation}
    capabilities = {cell.key: cell.capability for cell in cells if cell.perturbation}
    for cell, changed, found in explanations.placed():
        if changed:
            own[cell].add(found)
            if cell in capabilities:
                pooled[capabilities[cell]].add(found)
    order = dict.fromkeys((*CAPABILITIES, *pooled))
    return (
        *(_table(name, False, tally) for name, tally in own.items() if tally.total),
        *(_table(name, True, pooled[name]) for name in order if name in pooled and pooled[name].total),
    )


def _table(name: str, is_capability: bool, tally: causes.Tally) -> Causes:
    lines = tuple(CauseLine(**vars(line)) for line in tally.table())
    known = tally.memorised()
    return Causes(name, is_capability, tally.total, lines, known.count, known.p_value)

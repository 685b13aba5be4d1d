"""Perturbs one line of `dnc perturb`, and summarises all lines."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from dnc_datasets import escaping, perturbations
from dnc_datasets.english.reading.content_words import language_of
from dnc_datasets.errors import ProblemError
from dnc_datasets.own import files, problems
from dnc_datasets.own.files import Line
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.second_reader import reader_for
from dnc_datasets.serving.rows import to_line
from dnc_datasets.serving.settings import Row, perturb

Chunk = list[Line]

# The fields of a conversation that may change. Elsewhere the perturbations' defaults apply: body and question.
_SCOPES = {"dialogue": ("segments", "history", "question")}
_INCONSISTENT = "{} recomputes the answer from the equation, and this row's answer is another"
_SHOWN = 20
_MAX_READ = 1_000  # letters of a text by which its language is judged
_MAX_REASONS = 50  # kinds of reasons that are counted apart


@dataclass(frozen=True)
class Job:
    """The perturbation of every line: recipe, dataset name, seed and parameters."""

    recipe: str
    dataset: str
    seed: int
    parameters: Mapping[str, Any]
    second_reader: bool | None = None


class Made(NamedTuple):
    """The written row of one line. It has no data where the line could not be read."""

    line: int
    id: str
    data: bytes
    changed: bool
    reason: str = ""
    failed: bool = False  # in one of our steps
    faulty: bool = False  # in the user's file
    contradiction: str = ""
    unknown: Mapping[str, str] = {}  # unread fields -> the most similar known field

    def reason_line(self) -> bytes:
        """Return the line of the file of reasons."""
        record = {
            "line": self.line,
            "id": self.id,
            "reason": self.reason,
            "failed": self.failed or self.faulty,
        }
        return f"{json.dumps(record)}\n".encode()


class Perturber:
    """Perturbs chunks of lines. Each process has one instance."""

    def __init__(self, job: Job, neighbours: Neighbours) -> None:
        self._job = job
        self._neighbours = neighbours
        self._way = cache(self._find_way)
        self._reader = reader_for(job.second_reader)

    def __call__(self, chunk: Chunk) -> list[Made]:
        return [self._made(line) for line in chunk]

    def _made(self, line: Line) -> Made:
        unknown: Mapping[str, str] = {}
        try:
            record = files.record(line)
            unknown = files.unknown(record)
            problem = problems.read(record, line.number)
        except ProblemError as error:
            return Made(line.number, "", b"", False, str(error), faulty=True, unknown=unknown)
        spoken = problems.contradiction(problem)
        row = self.row(problem, spoken)
        data = _encoded(row, self._job.recipe)
        changed = row.original is not None
        return Made(
            line.number, problem.id, data, changed, row.reason, row.failed, False, spoken, unknown
        )  # fmt: skip

    def row(self, problem: Problem, contradiction: str | None = None) -> Row:
        """Return the row of a problem. The contradiction is computed where it is not given."""
        job = self._job
        if contradiction is None:
            contradiction = problems.contradiction(problem)
        steps, scope, not_here = self._way(problem.shape, language(problem))
        if not_here:
            return Row(problem, reason=not_here)
        if contradiction and any(step.changes_target for step in steps):
            return Row(problem, reason=_INCONSISTENT.format(job.recipe))
        return perturb(
            problem,
            steps,
            dataset=job.dataset,
            seed=job.seed,
            neighbours=self._neighbours,
            parameters=scope,
            reader=self._reader,
        )

    def _find_way(self, shape: str, language: str) -> tuple[tuple[Perturbation, ...], Mapping[str, Any], str]:
        """Return the steps for such problems and their parameters, or the reason against one of them."""
        steps = perturbations.recipe(self._job.recipe, shape)
        given = (
            {"scope": _SCOPES[shape], **self._job.parameters} if shape in _SCOPES else self._job.parameters
        )
        if language == "other":
            return steps, given, "its text is neither English nor Chinese, the languages that DNC reads"
        for step in steps:
            if reason := step.why_not(shape, language):
                return steps, given, f"{step.name} does not act on a {shape.replace('_', ' ')}: {reason}"
        return steps, given, ""


def language(problem: Problem) -> str:
    """Return the language of a problem, judged by its first texts: "en", "zh" or "other"."""
    texts = (text for _, text in problem.texts(("question", "body", "segments")))
    return language_of(" ".join(text[:_MAX_READ] for text in islice(texts, 6)))


def _encoded(row: Row, recipe: str) -> bytes:
    line = f"{to_line(row, recipe)}\n"
    try:
        return line.encode()
    except UnicodeEncodeError:  # half of a character, which only an escape can write
        return f"{json.dumps(json.loads(line))}\n".encode()


@dataclass
class Summary:
    """Counts of the lines and their reasons, in bounded memory (plus eight bytes for each id)."""

    source: Path
    rows: int = 0
    changed: int = 0
    unread: int = 0
    faults: int = 0
    failures: int = 0
    contradictions: int = 0
    faulty: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    contradicting: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    unknown: dict[str, str] = field(default_factory=dict)
    _ids: _Ids = field(default_factory=lambda: _Ids())

    def add(self, made: Made) -> Made:
        """Count a row.

        A row with the id of an earlier row is left out, because pairs and predictions join on it.
        """
        where = f"{self.source}, line {made.line}"
        if made.data and not self._ids.add(made.id):
            reason = f"an earlier row has the id {made.id[:60]!r} too; give every problem its own id"
            made = Made(made.line, made.id, b"", False, reason, faulty=True)
        self.rows += bool(made.data)
        self.unread += not made.data
        self.changed += made.changed
        if made.faulty:
            self.faults += 1
            if len(self.faulty) < _SHOWN:
                self.faulty.append(f"{where}: {made.reason}")
        elif made.failed:
            self.failures += 1
            if len(self.failed) < _SHOWN:
                self.failed.append((where, made.reason))
        elif not made.changed:
            self._count(made.reason)
        for name, meant in made.unknown.items():
            if len(self.unknown) < _SHOWN:
                self.unknown.setdefault(name, meant)
        if made.contradiction:
            self.contradictions += 1
            if len(self.contradicting) < _SHOWN:
                self.contradicting.append(f"{where}: {made.contradiction}")
        return made

    def _count(self, reason: str) -> None:
        known = reason in self.reasons or len(self.reasons) < _MAX_REASONS
        self.reasons[reason if known else "other reasons"] += 1

    def check(self) -> None:
        """Raise an error if no line could be read."""
        if not self.rows:
            unread = f"; fields that are not read: {named(self.unknown)}" if self.unknown else ""
            raise ProblemError(f"{self.faulty[0]}{unread}")

    def text(self, recipe: str, out: Path) -> str:
        """Return the number of perturbed rows, and the reasons of the others."""
        lines = [f"{self.changed} of {self.rows} problems perturbed with {recipe}, written to {out}"]
        lines += [f"  {count} unchanged: {reason}" for reason, count in self.reasons.most_common()]
        if kept := self.failures + self.faults - self.unread:
            lines.append(f"  {kept} unchanged: failed (see the warnings)")
        if self.unread:
            lines.append(f"  {self.unread} left out: unreadable, or with the id of an earlier row")
        return "\n".join(lines)

    def warn(self, file: IO[str]) -> None:
        """Print the faulty and the inconsistent lines, and each unread field once."""
        for stated in self.faulty:
            print(escaping.terminal(f"dnc: {stated}"), file=file)
        if self.faults:
            lines = (
                "1 line is faulty and is" if self.faults == 1 else f"{self.faults} lines are faulty and are"
            )
            print(f"dnc: warning: {lines} left out; --strict makes this an error", file=file)
        if self.unknown:
            print(escaping.terminal(f"dnc: fields that are not read: {named(self.unknown)}"), file=file)
        for stated in self.contradicting:
            print(escaping.terminal(f"dnc: {stated}"), file=file)
        if self.contradictions:
            rows = "1 row has" if self.contradictions == 1 else f"{self.contradictions} rows have"
            print(
                f"dnc: warning: {rows} an answer that differs from the value of the equation. Perturbations that "
                "recompute the answer leave such rows unchanged. Correct the answer or the equation; for an answer "
                "that is rounded, set meta.rounding to floor, ceil or places:2",
                file=file,
            )


def named(unknown: Mapping[str, str]) -> str:
    """Return the names of unread fields, each with its most similar known field.

    >>> named({"anwser": "answer", "title": ""})
    'anwser (did you mean answer?), title'
    """
    return ", ".join(f"{name} (did you mean {meant}?)" if meant else name for name, meant in unknown.items())


class _Ids:
    """The ids so far, by hash, eight bytes each: an open hash table that doubles when it is half full."""

    def __init__(self) -> None:
        self._places = array("Q", bytes(8 << 10))
        self._count = 0

    def add(self, name: str) -> bool:
        """Return whether the id is new."""
        digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        value = int.from_bytes(digest, "big") or 1
        if not self._put(value):
            return False
        self._count += 1
        if self._count * 2 > len(self._places):
            old = self._places
            self._places = array("Q", bytes(16 * len(old)))
            for one in old:
                if one:
                    self._put(one)
        return True

    def _put(self, value: int) -> bool:
        places = self._places
        last = len(places) - 1
        at = value & last
        while places[at]:
            if places[at] == value:
                return False
            at = (at + 1) & last
        places[at] = value
        return True

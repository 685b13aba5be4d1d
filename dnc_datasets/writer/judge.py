"""Judges the candidates of a file in its order: the first that keeps every promise becomes the row."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from dnc_datasets import json_lines, model_names
from dnc_datasets.attack import goal, models
from dnc_datasets.certificate import CHECKS
from dnc_datasets.english.rewording.paraphrases import replaced_share
from dnc_datasets.errors import DncError, ExpressionError, ProblemError
from dnc_datasets.own import files, problems
from dnc_datasets.own.lines import Chunk, Made, language
from dnc_datasets.problem import Problem
from dnc_datasets.serving.rows import to_line
from dnc_datasets.serving.settings import Row
from dnc_datasets.untrusted import clean_name
from dnc_datasets.writer import kinds
from dnc_datasets.writer.kinds import AGREED, JUDGE_VERSION, Kind, RefusedError

_MAX_LINE = 1 << 18
_MAX_CANDIDATES = 64  # of a problem
_MAX_NAME = 200
_JOINS = ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1))


class CandidateError(DncError):
    """A file of candidates that cannot be read."""


@dataclass(frozen=True)
class Wanted:
    """The selection of candidates that become rows."""

    kind: str
    candidates: Path
    min_change: float = 0.0
    agree: tuple[str, ...] = ()
    seed: int = 0

    @property
    def label(self) -> str:
        """The name of the perturbation of all rows, which states their level."""
        kind = kinds.get(self.kind)
        level = AGREED if self.agree else kind.level
        if not level:
            raise DncError(f"a {self.kind} is accepted only where a solver agrees; name solvers with --agree")
        return kinds.label(kind, level)


Candidates = Mapping[str, Sequence[Mapping[str, Any]]]


def read(path: Path, kind: str) -> Candidates:
    """Return the candidates of one kind by id, in the order of the file."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for number, line in json_lines.objects(path, error=CandidateError, max_line=_MAX_LINE):
        name = line.get("id")
        if not isinstance(name, str | int):
            raise CandidateError(f"{path}, line {number}: no `id`; write the id of the problem on each line")
        some = found.setdefault(str(name), [])
        if line.get("kind", kind) == kind and len(some) < _MAX_CANDIDATES:
            some.append(line)
    return found


def broken(original: Problem, changed: Problem, kind: Kind) -> str:
    """Return the first promise of the kind that a rewrite breaks, or "" where it keeps all."""
    for name in kind.promises:
        try:
            if not CHECKS[name](original, changed):
                return name
        except ExpressionError:
            return name
    if kind.name == "paraphrase" and not _aligned(kinds.parts_of(original), kinds.parts_of(changed)):
        return "values_said"
    return ""


def _aligned(before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether the sentences of two texts fit in their order, each with its values.

    A sentence may be split in up to three, and up to three may be joined.
    """
    ends = {(0, 0)}  # numbers of sentences of both texts that fit so far
    for start, other in sorted(product(range(len(before)), range(len(after)))):
        if (start, other) not in ends:
            continue
        for many, few in _JOINS:
            end = (start + many, other + few)
            if end[0] > len(before) or end[1] > len(after) or end in ends:
                continue
            texts = " ".join(before[start : end[0]]), " ".join(after[other : end[1]])
            if CHECKS["values_said"](*(Problem("", "", text) for text in texts)):
                ends.add(end)
    return (len(before), len(after)) in ends


class Judge:
    """Makes the rows of chunks of lines, as `Perturber` does, from the candidates of a file."""

    def __init__(self, wanted: Wanted, solvers: Mapping[str, models.Model] | None = None) -> None:
        self._wanted = wanted
        self._kind = kinds.get(wanted.kind)
        self._candidates = read(wanted.candidates, wanted.kind)
        self._solvers = {name: models.load(name) for name in wanted.agree} if solvers is None else solvers
        self.label = wanted.label

    def __call__(self, chunk: Chunk) -> list[Made]:
        return [self._made(line) for line in chunk]

    def _made(self, line: files.Line) -> Made:
        try:
            problem = problems.read(files.record(line), line.number)
        except ProblemError as error:
            return Made(line.number, "", b"", False, str(error), faulty=True)
        row = self.row(problem)
        data = f"{to_line(row, self.label)}\n".encode("utf-8", "replace")
        return Made(line.number, problem.id, data, row.original is not None, row.reason)

    def row(self, problem: Problem) -> Row:
        """Return the row of the first candidate that passes, or the problem with the reason for each refusal."""
        if problem.shape != "word_problem" or language(problem) != "en":
            return Row(problem, reason="rewrites are for English word problems")
        reasons: list[str] = []
        for line in self._candidates.get(problem.id, ()):
            made, reason = self._judged(problem, line)
            if made is not None:
                return replace(made, reason="; ".join(reasons))
            reasons.append(reason)
        return Row(problem, reason="; ".join(reasons) or "no candidate")

    def _judged(self, problem: Problem, line: Mapping[str, Any]) -> tuple[Row | None, str]:
        try:
            changed = self._kind.assemble(problem, kinds.proposal(line))
        except RefusedError as error:
            return None, str(error)
        if promise := broken(problem, changed, self._kind):
            return None, f"breaks {promise}"
        share = round(replaced_share(problem.text, changed.text), 3)
        if share < self._wanted.min_change:
            return None, "changes too few words"
        agreed = [name for name, solver in self._solvers.items() if _agrees(solver, name, changed)]
        if self._solvers and not agreed:
            return None, "no solver agrees"
        facts: dict[str, Any] = {
            "level": self.label.rpartition("_")[2],
            "writer": clean_name(str(line.get("writer", "")))[:_MAX_NAME],
            "prompt": kinds.digest(self._kind.prompt(problem)),
            "candidate": kinds.digest(json.dumps(line, sort_keys=True, ensure_ascii=False)),
            "judge": JUDGE_VERSION,
            "changed": share,
        }
        if self._solvers:
            facts |= {"asked": sorted(self._solvers), "agreed": agreed}
        parameters = json.dumps({self.label: facts}, sort_keys=True, ensure_ascii=False)
        return Row(changed, problem, self._kind.promises, self._wanted.seed, parameters), ""


def _agrees(solver: models.Model, name: str, problem: Problem) -> bool:
    (answer,) = models.ask(solver, [problem.text], name)
    return goal.judge(name)(problem, answer)


def rejected(rows: Path, kept: Callable[[str, str], object]) -> int:
    """Judge each row of a file that `dnc perturb` wrote.

    `kept` gets the id and the promise it breaks.
    """
    count = 0
    for number, line in json_lines.objects(rows, error=CandidateError):
        try:
            if not line.get("perturbed"):
                continue
            changed = problems.read(line, number)
            before = problems.read({**line["source"], "id": line["id"]}, number)
            names = [str(name) for name in line["certificate"]]
            kind = kinds.of_label(str(line["perturbation"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise CandidateError(f"{rows}, line {number}: not a row that `dnc perturb` wrote") from error
        count += 1
        promise = broken(before, changed, kind) if kind else _first_broken(before, changed, names)
        if promise:
            kept(changed.id, promise)
    return count


def _first_broken(before: Problem, changed: Problem, names: Sequence[str]) -> str:
    return next((name for name in names if name not in CHECKS or not CHECKS[name](before, changed)), "")


def same_model(one: str, two: str) -> bool:
    """Return whether two names on the command line are of one model: `hf:x` and `lm_eval:hf:pretrained=x`.

    >>> same_model("hf:gpt2", "lm_eval:hf:pretrained=gpt2"), same_model("hf:gpt2", "hf:t5")
    (True, False)
    """
    return identity(one) == identity(two)


def identity(name: str) -> str:
    """Return the model of a name on the command line, without its backend and arguments."""
    try:
        given = model_names.backend(name).arguments
    except DncError:
        return name
    return str(given.get("pretrained") or given.get("model") or name)

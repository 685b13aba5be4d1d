"""The settings that apply a perturbation to splits: attack, defense, augment and contrast."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dnc_datasets import expression, numerals, published, second_reader
from dnc_datasets.certificate import CHECKS, certify
from dnc_datasets.draws import Draw
from dnc_datasets.errors import BuildError, CertificateError, ExpressionError, SourceError, UnknownNameError
from dnc_datasets.perturbations import Perturbation
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.plugins import PLUGIN
from dnc_datasets.problem import CONSTRAINT, Problem
from dnc_datasets.second_reader import Reader

# Setting -> splits that are perturbed in place; `augment` also keeps the clean rows of the others.
_PERTURBED_SPLITS = {
    "attack": ("test",),
    "defense": ("train", "validation", "test"),
    "augment": ("train", "validation", "test"),
    "contrast": ("train", "validation", "test"),
}
SETTINGS = tuple(_PERTURBED_SPLITS)
# The passes over a split: its rows unchanged, and its perturbed rows.
CLEAN, CHANGED = "clean", "changed"
CONTRAST = "contrast"
# Between the id of an original and the perturbation, in the id of a member of its contrast set.
MEMBER = "#"
# The parameter of a contrast set: the number of members that a step with ranks makes of one original.
THRESHOLDS = "thresholds"
_MEMBERS = 4  # near and far, above and below
_YES_NO = "yes_no"  # the type of an answer
# In the environment: an error at a row ends the run.
STRICT = "DNC_STRICT"
# A plug-in's parameter may be anything; it is stated as text.
_ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=str).encode
# Errors that would recur at the next row: a missing package or file, a wrong name, no memory.
_NOT_OF_A_ROW = (ImportError, OSError, MemoryError, UnknownNameError, SourceError, BuildError)


@dataclass(frozen=True, slots=True)
class Row:
    """A problem of a dataset, with its original and its certificate if it was perturbed.

    A perturbed row states the `seed`, and the `parameters` of each step (a JSON object of objects). An
    unperturbed row has a `reason`. A row that `failed` raised an error or broke a promise, and remains
    unchanged. Neither `reason` nor `failed` is a part of a dataset.
    """

    problem: Problem
    original: Problem | None = None
    certificate: tuple[str, ...] = ()
    seed: int | None = None
    parameters: str | None = None
    reason: str = field(default="", compare=False)
    failed: bool = field(default=False, compare=False)


def perturb(
    problem: Problem,
    steps: Sequence[Perturbation],
    *,
    dataset: str,
    seed: int = 0,
    neighbours: Neighbours | None = None,
    parameters: Mapping[str, Any] | None = None,
    reader: Reader | None = None,
) -> Row:
    """Return the row that these steps make, or the problem where a step does not apply or fails.

    Each step is certified against the problem it was given. `parameters` go to every step that has them, e.g.
    {"scope": ("body",), "mu": 500}. `reader` may refuse a row (`dnc_datasets.second_reader`). Without one,
    only text that our rules did not write is read. With DNC_STRICT set, as in our tests, a failure is raised.
    """
    current = problem
    checks: list[str] = []
    given = parameters or {}
    used: dict[str, dict[str, Any]] = {}
    for step in steps:
        draw = Draw(seed, dataset, problem.id, step.key)
        own = {key: value for key, value in given.items() if key in step.parameters}
        try:
            changed = step.apply(current, draw, neighbours, **own)
            if changed is None or changed == current:
                return Row(problem, reason=why_unchanged(current, step, neighbours))
            held = certify(current, changed, step)
            facts = step.measured(current, changed, Draw(seed, dataset, problem.id, step.key))
            objection = second_reader.chosen(reader, step, own)(current, changed, step)
        except _NOT_OF_A_ROW:
            raise
        except Exception as error:  # a faulty row must not end a run over a million rows
            if isinstance(error, ExpressionError) and (unread := unreadable(current, step)):
                return Row(problem, reason=unread)
            if os.environ.get(STRICT):
                raise
            return Row(problem, reason=failure(error, step), failed=True)
        if objection:
            reason = f"{step.name}: the second reader objects: {objection}"
            return Row(problem, certificate=(second_reader.REFUSED,), reason=reason)
        if objection is not None:
            held = (*held, second_reader.MARK)
        checks += held if len(steps) == 1 else [f"{step.name}:{name}" for name in held]
        current = changed
        used[step.name] = {**step.parameters, **step.fixed, **own, **facts}
    return Row(current, problem, tuple(checks), seed, _ENCODE(used))


def failures(made: Mapping[str, Sequence[Row]], where: str) -> list[tuple[str, str]]:
    """Return the place and the reason of each failed row, with split and id."""
    return [
        (f"{where} {split} {row.problem.id}", row.reason)
        for split, rows in made.items()
        for row in rows
        if row.failed
    ]


def stream(
    split: str,
    problems: Sequence[Problem],
    setting: str,
    steps: Sequence[Perturbation],
    *,
    dataset: str,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    reader: Reader | None = None,
    neighbours: Neighbours | None = None,
    only: str = "",
) -> Iterator[Row]:
    """Yield the rows of one split of a variant. Attack and defense keep order and number.

    `augment` puts each perturbed row of train and validation after all clean ones. `contrast` applies the
    steps separately and holds each result for an original, under its own id (`ORIGINAL#step`). The originals
    are those of the dataset itself.

    A part of a split gives the same rows, pass by pass (`only`, one of `passes`), with the `neighbours` of
    the entire split.
    """
    made = (only,) if only else passes(split, setting)
    added = CLEAN in passes(split, setting)
    if CLEAN in made:
        yield from map(Row, problems)
    if CHANGED not in made:
        return
    given: dict[str, Any] = {
        "dataset": dataset,
        "seed": seed,
        "neighbours": neighbours or Neighbours(problems, seed=seed, dataset=dataset),
        "parameters": parameters,
        "reader": reader,
    }
    for problem in problems:
        if setting == CONTRAST:
            for step in steps:
                yield from _members(problem, step, given)
            continue
        row = perturb(problem, steps, **given)
        if not added or row.original is not None:
            yield row


def passes(split: str, setting: str) -> tuple[str, ...]:
    """Return the passes over a split in a setting, in the order of their rows.

    >>> passes("train", "attack"), passes("train", "augment"), passes("test", "augment")
    (('clean',), ('clean', 'changed'), ('changed',))
    """
    if setting not in _PERTURBED_SPLITS:
        raise UnknownNameError("setting", setting, SETTINGS)
    if split not in _PERTURBED_SPLITS[setting]:
        return (CLEAN,)
    return (CLEAN, CHANGED) if setting == "augment" and split != "test" else (CHANGED,)


def _members(problem: Problem, step: Perturbation, given: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the members that a step makes of an original: one, or `thresholds` of a step that ranks them."""
    parameters = given["parameters"] or {}
    number = parameters.get(THRESHOLDS, _MEMBERS) if "rank" in step.parameters else 1
    for rank in range(number):
        ranked = {**parameters, "rank": rank} if rank else parameters
        row = perturb(problem, (step,), **{**given, "parameters": ranked})
        if row.original is None:
            return
        yield _member(row, step, rank)


def _member(row: Row, step: Perturbation, rank: int) -> Row:
    """Return the row as a member of its original's contrast set, under the name of its kind.

    A member that has only a constraint, and a choice by a step that asks for yes or no, are separate kinds,
    because constant answers have different scores on them.
    """
    kind = step.name
    if row.problem.answer_type == CONSTRAINT:
        kind += "_constraint"
    elif step.asks_yes_no and row.problem.answer_type != _YES_NO:
        kind += "_choice"
    name = f"{rank + 1}{MEMBER}{kind}" if rank else kind
    return replace(row, problem=row.problem.replace(id=f"{row.problem.id}{MEMBER}{name}"))


def as_published(problems: Sequence[Problem]) -> Iterator[Row]:
    """Yield the members that a source itself gives with its originals, as rows of a contrast set."""
    for problem in problems:
        for kind, member in published.members(problem):
            yield Row(member.replace(id=f"{problem.id}{MEMBER}{kind}"), problem)


_SHOWN = 200  # characters of an error
_ALL_TEXTS = ("body", "segments", "table", "question")


def unreadable(problem: Problem, step: Perturbation) -> str:
    """Return the reason why the equation, which this step would recompute, has no value, or ""."""
    if not step.changes_target or not problem.equation:
        return ""
    try:
        expression.parse(problem.equation).value()
    except ExpressionError as error:
        return f"its equation has no value: {' '.join(str(error).split())[:_SHOWN]}"
    return ""


def why_unchanged(problem: Problem, step: Perturbation, neighbours: Neighbours | None = None) -> str:
    """Return the reason why this step left the problem unchanged, as far as it is known."""
    if problem.shape not in step.shapes:
        return f"{step.name} does not act on a {problem.shape.replace('_', ' ')}"
    if step.needs_equations and not problem.equation:
        return f"{step.name} needs an equation, to recompute the answer"
    if unread := unreadable(problem, step):
        return unread
    if not (problem.body or problem.segments or problem.table or problem.question):
        return "it has no text"
    if step.needs_neighbours and not (neighbours and neighbours.statements):
        return f"{step.name} borrows from other problems, and none has a statement to lend"
    if not any(numerals.find(text) for _, text in problem.texts(_ALL_TEXTS)):
        return "its text holds no number"
    if "integer" in step.qualifies and problem.equation and (reason := _operand_reason(problem)):
        return f"{step.name}: {reason}"
    return _needs(step.name, step.qualifies) if step.qualifies else f"no rule of {step.name} is sure of it"


def _needs(name: str, qualifies: str) -> str:
    """State the requirement of a perturbation. Some requirements are already sentences.

    >>> _needs("names", "a first name of known gender")
    'names needs a first name of known gender'
    >>> _needs("order", "there must be parts that can change places")
    'order: there must be parts that can change places'
    """
    is_sentence = " must " in qualifies or qualifies.endswith(("changes", "remain unchanged"))
    return f"{name}: {qualifies}" if is_sentence else f"{name} needs {qualifies}"


def _operand_reason(problem: Problem) -> str:
    """Name the kind of operand that the published rule cannot change, or return "" where there is none."""
    written = [one.ratio for _, text in problem.texts(("body", "question")) for one in numerals.find(text)]
    for leaf in expression.parse(problem.equation).leaves():
        if not isinstance(leaf, expression.Number):
            continue
        count = written.count(leaf.ratio)
        if leaf.ratio[1] > 1:
            return "an operand of its equation is a decimal or a fraction, not an integer"
        if count != 1:
            return f"an operand of its equation occurs {count} times in its text" if count else ""
    return ""


def failure(error: Exception, step: Perturbation) -> str:
    """Return the error at a row, in one line."""
    name = f"{PLUGIN if step.is_plugin else ''}{step.name}"
    if isinstance(error, CertificateError):
        return f"{name} would break its promise {error.promise!r} ({CHECKS[error.promise].__doc__})"
    return f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:_SHOWN]}"

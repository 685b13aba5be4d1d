"""Makes problems of a user's own records: what a source would have told of them is found in the record itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dnc_datasets import expression, links, numerals, steps
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.english.reading.whole_problems import cut
from dnc_datasets.errors import ExpressionError, ProblemError
from dnc_datasets.own.notes import check
from dnc_datasets.problem import Problem, from_row
from dnc_datasets.sources.formats.annotated_steps import read_solution
from dnc_datasets.sources.formats.table_scale import table_scale

# Words of a body, given apart from its question and without an equation, from which on it is a passage: of
# 7,277 word problems 18 are as long, and of 579 passages of DROP nine are shorter.
_PASSAGE_WORDS = 60


def read(record: Mapping[str, Any], line: int) -> Problem:
    """The problem of a record; what is missing takes its default, and the line number is its id.

    - `problem` or `text`, or `question` without a body: cut into body and question.
    - `passage`, or a long body without an equation: a passage, in which a bare 1705 is a year.
    - `table` with an equation: each operand is looked up in cells and paragraphs.
    - `answer` as GSM8K has it (`<<48/2=24>>`, `#### 72`): steps, one equation over the text's numbers, answer.
    - `history` (each with `question`, `answer` and, where it was computed, `equation`): a conversation.
    """
    fields = {"id": str(line), **record}
    for name in ("problem", "text"):
        whole = fields.pop(name, None)
        if whole is not None and fields.get("question") is None:
            fields["question"] = whole
    if fields.get("body") is None and fields.get("passage") is not None:
        fields["body"] = fields["passage"]
    solution = fields.get("answer")
    if isinstance(solution, str) and "####" in solution:
        _read_solution(fields, solution)
    try:
        problem = from_row(fields)
    except (TypeError, RecursionError) as error:
        raise ProblemError(
            f"row {str(fields['id'])[:60]!r}: a field has a value of another kind ({error})"
        ) from None
    notes = dict(problem.meta)
    check(problem, notes)
    if problem.table:
        problem = _with_links(problem, notes)
    elif problem.history or problem.segments:
        problem = _with_turns(problem, notes, fields.get("history") or ())
    elif not problem.body.strip():
        body, question = cut(problem.question)
        problem = problem.replace(body=body, question=question)
    elif "passage" not in notes and (fields.get("passage") or _is_passage(problem)):
        notes["passage"] = str(problem.id)
    problem = _with_plain_answer(problem, notes)
    meta = tuple(sorted(notes.items()))
    return problem if meta == problem.meta else problem.replace(meta=meta)


def _read_solution(fields: dict[str, Any], solution: str) -> None:
    """Replace a worked solution by what it says: its final answer, its steps, and an equation where it gives one."""
    text = f"{fields.get('body') or ''} {fields.get('question') or ''}".strip()
    found = read_solution(text, solution)
    if found is None:
        return
    meta = {"solution": solution, steps.KEY: steps.to_note(found.steps)}
    if found.reason:
        meta["no_equation"] = found.reason
    elif not fields.get("equation") and found.equation is not None:
        fields["equation"] = found.equation.infix()
    fields["answer"] = expression.canonical(found.answer)
    given = fields.get("meta")
    fields["meta"] = {**meta, **given} if isinstance(given, Mapping) else given or meta


def contradiction(problem: Problem) -> str:
    """What speaks against itself: an answer that is not what the equation gives; nothing where all is well."""
    if not problem.equation or not problem.answer:
        return ""
    try:
        if problem.expected_answer() == problem.answer:
            return ""
        value = problem.value()
    except ExpressionError:
        return ""  # told where somebody wants to recompute it
    stated = numerals.parse(problem.answer)
    if stated == value:
        return ""
    return (
        f"its answer is {problem.answer[:60]}, but its equation {problem.equation[:60]} gives {_shown(value)}"
    )


def _shown(value: Fraction) -> str:
    text = expression.canonical(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _is_passage(problem: Problem) -> bool:
    return not problem.equation and len(problem.body.split()) >= _PASSAGE_WORDS


def _with_links(problem: Problem, notes: dict[str, str]) -> Problem:
    """Where the operands stand, and in which scale the table is, as far as it shows."""
    if problem.equation and "operands" not in notes:
        try:
            equation = expression.parse(problem.equation)
        except ExpressionError:
            return problem
        notes["operands"] = links.to_note(links.find(problem, equation))
        notes.setdefault("table_scale", table_scale(problem.table, problem.body, frozenset()))
    return problem


def _with_turns(problem: Problem, notes: dict[str, str], history: Sequence[Any]) -> Problem:
    """A conversation over segments; what its earlier answers rest on, as far as they tell it."""
    if not problem.segments:
        problem = problem.replace(segments=tuple(sentences(problem.body)), body="")
    if problem.history and "turns" not in notes:
        stated = {quantity.value for quantity in problem.quantities(("segments",))}
        nodes = [f"<p{number}>" for number in range(1, len(problem.segments) + 1)]
        turns = []
        for turn, told in zip(problem.history, history, strict=True):
            equation = str(told.get("equation") or "")
            # A number of the text was only looked up; any other answer may rest on every segment.
            looked_up = numerals.parse(turn.answer) in stated
            kind = "" if equation or looked_up else "unknown"
            turns.append({"equation": equation, "segments": nodes, "type": kind})
        notes["turns"] = json.dumps(turns)
    return problem


def _with_plain_answer(problem: Problem, notes: dict[str, str]) -> Problem:
    """The answer "18 apples" as 18 with its unit; an answer that was rounded, with the rule that gives it."""
    if not problem.equation or not problem.answer or notes.get("rounding"):
        return problem
    try:
        equation = expression.parse(problem.equation)
        if equation.canonical() == problem.answer:
            return problem
        value = equation.value()
    except ExpressionError:
        return problem
    stated = numerals.parse(problem.answer)
    if stated is None:
        found = numerals.find(problem.answer)
        if len(found) != 1 or found[0].value != value:
            return problem
        rest = (problem.answer[: found[0].start] + problem.answer[found[0].end :]).strip(" ().")
        return problem.replace(answer=expression.canonical(value), unit=problem.unit or rest)
    if stated != value:
        places = len(problem.answer.rstrip(" %.").partition(".")[2])
        rounding = f"places:{places}"
        # An answer without decimals may be rounded up or down by its sense: that is for `meta.rounding` to say.
        if 0 < places < 10 and expression.round_value(value, rounding) == stated:
            notes["rounding"] = rounding
    return problem

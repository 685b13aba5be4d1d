"""Makes problems of a user's own records, and infers notes that a source would state."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dnc_datasets import expression, numerals, operand_links, steps
from dnc_datasets.english.reading.problem_text import split_problem
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.errors import ExpressionError, ProblemError
from dnc_datasets.own.table_forms import lifted, rows_of
from dnc_datasets.problem import Problem, from_row
from dnc_datasets.sources.formats.annotated_steps import read_solution
from dnc_datasets.sources.formats.programs import read_program
from dnc_datasets.sources.formats.stated_answers import PERCENT, agree, quotient_rounding, read_answer
from dnc_datasets.sources.formats.table_scale import table_scale

# Least number of words of a body without an equation that counts as a passage: 18 of 7,277 word problems
# are as long, and nine of 579 passages of DROP are shorter.
_PASSAGE_WORDS = 60
# A program of steps in the form of FinQA: `subtract(5829, 5735), divide(#0, 5735)`; #0 is the first step's value.
_PROGRAM = re.compile(r"\s*[a-z_]+\(")
_PERCENTAGE = re.compile(r"\bper ?cent|%", re.IGNORECASE)
_LONGEST_EQUATION = 2_000
# "20 000" and "1.234,56" in an equation: groups of three digits after a space, and a comma before decimals.
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,6}(?![\d])")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3}){1,6},\d{1,9}(?![\d.,])")


def read(record: Mapping[str, Any], line: int) -> Problem:
    """Return the problem of a record. Missing fields take their defaults. The default id is the line number.

    - `problem` or `text`, or `question` without a body: split into body and question.
    - `passage`, or a long body without an equation: a passage, in which a bare 1705 is a year.
    - `table`, or one table in Markdown or HTML within the text: with an equation, each operand is looked up in
      cells and paragraphs.
    - `answer` in the form of GSM8K (`<<48/2=24>>`, `#### 72`): steps, one equation over the text, answer.
    - `history` (each with `question`, `answer` and, where it was computed, `equation`): a conversation.
    """
    fields = {"id": str(line), **record}
    for name in ("problem", "text"):
        whole = fields.pop(name, None)
        if whole is not None and fields.get("question") is None:
            fields["question"] = whole
    if isinstance(fields.get("body"), list):
        fields["body"] = operand_links.PARAGRAPH_BREAK.join(map(_paragraph, fields["body"]))
    if fields.get("table"):
        fields["table"] = _rows(fields)
    else:
        _lift_table(fields)
    if fields.get("equation"):
        _read_equation(fields)
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
    problem = _with_plain_answer(problem, notes)
    if problem.table:
        problem = _with_links(problem, notes)
        _note_turns(problem, notes, fields.get("history") or ())
    elif problem.history or problem.segments:
        problem = _with_turns(problem, notes, fields.get("history") or ())
    elif not problem.body.strip():
        body, question = split_problem(problem.question)
        problem = problem.replace(body=body, question=question)
    elif "passage" not in notes and (fields.get("passage") or _is_passage(problem)):
        notes["passage"] = str(problem.id)
    meta = tuple(sorted(notes.items()))
    return problem if meta == problem.meta else problem.replace(meta=meta)


def _rows(fields: dict[str, Any]) -> list[list[str]]:
    """Return the rows of a record's table. A title above or below it joins the body."""
    table = fields["table"]
    rows = rows_of(table)
    if rows is None and isinstance(table, str) and (found := lifted(table)):
        rows, title = found
        body = fields.get("body")
        fields["body"] = f"{title}{operand_links.PARAGRAPH_BREAK}{body}" if body else title
    if rows is None:
        raise ProblemError(
            f"row {str(fields['id'])[:60]!r}: 'table' has none of the forms that are read: a list of rows, a list of "
            "records, columns of one length, or text in Markdown, HTML or CSV"
        )
    return rows


def _lift_table(fields: dict[str, Any]) -> None:
    """Move a table in Markdown or HTML from the record's text to its field `table`."""
    name = next((name for name in ("body", "passage", "question") if fields.get(name)), "")
    try:
        found = lifted(fields[name]) if name and isinstance(fields[name], str) else None
    except ProblemError as error:
        raise ProblemError(f"row {str(fields['id'])[:60]!r}: {error}") from None
    if found is None:
        return
    fields["table"], text = found
    if name == "question":
        fields["body"], fields["question"] = split_problem(" ".join(text.split()))
    else:
        fields["body"] = text


def _paragraph(part: Any) -> str:
    """Return the text of a paragraph: text, or an object with a field `text`."""
    return str(part.get("text", "")) if isinstance(part, Mapping) else str(part)


def _read_equation(fields: dict[str, Any]) -> None:
    """Write a program of steps as one expression, and numbers with digits in groups without them."""
    equation = fields["equation"]
    if isinstance(equation, list):
        equation = _joined_steps(list(map(str, equation)))
    if not isinstance(equation, str):
        return
    if _PROGRAM.match(equation):
        cells = fields.get("table")
        infix = _infix(equation, cells if isinstance(cells, list) else (), str(fields["id"]))
        if not infix:
            given = fields.get("meta")
            fields["meta"] = {"program": equation, **(given if isinstance(given, Mapping) else {})}
        equation = infix
    equation = _SPACED.sub(lambda number: "".join(number[0].split()), equation)
    fields["equation"] = _DECIMAL_COMMA.sub(
        lambda number: number[0].replace(".", "").replace(",", "."), equation
    )


def _joined_steps(parts: Sequence[str]) -> str:
    """Join a program that is given as a list of steps or of tokens.

    >>> _joined_steps(["subtract(9, 4)", "divide(#0, 4)"])
    'subtract(9, 4), divide(#0, 4)'
    >>> _joined_steps(["subtract(", "9", "4", ")", "EOF"])
    'subtract(9, 4)'
    """
    parts = [part.strip() for part in parts if part.strip() != "EOF"]
    steps: list[str] = []
    for part in parts:
        if part == ")" and steps:
            steps[-1] += ")"
        elif not steps or steps[-1].endswith(")"):
            steps.append(part)
        else:
            steps[-1] += part if steps[-1].endswith("(") else f", {part}"
    return ", ".join(steps)


def _infix(program: str, table: Sequence[Sequence[str]], name: str) -> str:
    """Write a program of steps as one expression. Return "" for a program that compares two values.

    >>> _infix("subtract(5829, 5735), divide(#0, 5735)", (), "1")
    '(5829 - 5735) / 5735'
    """
    try:
        read = read_program(program, table)
    except ExpressionError as error:
        raise ProblemError(
            f"row {name[:60]!r}: the program cannot be read: {error}. Write its steps as FinQA does, such as "
            "subtract(482, 75), divide(#0, 75)"
        ) from None
    text = read.equation.infix()
    return text if read.than is None and len(text) < _LONGEST_EQUATION else ""


def _read_solution(fields: dict[str, Any], solution: str) -> None:
    """Replace a worked solution by its final answer, its steps and, where it gives one, its equation."""
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
    """Describe an inconsistency: an answer that the equation does not give. Return "" where there is none."""
    if problem.note("stated") and problem.note("defect"):
        return (
            f"its stated answer is {problem.note('stated')[:60]}, but its program gives {problem.answer[:60]}"
        )
    if not problem.equation or not problem.answer:
        return ""
    try:
        if problem.expected_answer() == problem.answer:
            return ""
        value = problem.value()
    except ExpressionError:
        return ""  # stated by a command that recomputes it
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
    """Add the links of the operands and the scale of the table, as far as they are certain."""
    if problem.equation and "operands" not in notes:
        try:
            equation = expression.parse(problem.equation)
        except ExpressionError:
            return problem
        notes["operands"] = operand_links.to_note(operand_links.find(problem, equation))
        notes.setdefault("table_scale", table_scale(problem.table, problem.body, frozenset()))
        stated = numerals.parse(problem.answer)
        if (
            stated is not None
            and not contradiction(problem)
            and (rounding := quotient_rounding(equation, stated))
        ):
            notes.setdefault("rounding", rounding)
    return problem


def _note_turns(problem: Problem, notes: dict[str, str], history: Sequence[Any]) -> None:
    """Keep the equations of earlier turns over a table, where the record gives any."""
    equations = [str(turn.get("equation") or "") for turn in history if isinstance(turn, Mapping)]
    if any(equations) and len(equations) == len(problem.history) and "turns" not in notes:
        turns: list[dict[str, Any]] = [
            {"equation": one, "segments": [], "type": "" if one else "unknown"} for one in equations
        ]
        notes["turns"] = json.dumps(turns)


def _with_turns(problem: Problem, notes: dict[str, str], history: Sequence[Any]) -> Problem:
    """Make a conversation over segments, with the evidence of its earlier answers as far as it is known."""
    if not problem.segments:
        problem = problem.replace(segments=tuple(sentences(problem.body)), body="")
    if problem.history and "turns" not in notes:
        stated = {quantity.value for quantity in problem.quantities(("segments",))}
        nodes = [f"<p{number}>" for number in range(1, len(problem.segments) + 1)]
        turns = []
        for turn, given_turn in zip(problem.history, history, strict=True):
            equation = str(given_turn.get("equation") or "")
            # A number of the text was only looked up. Any other answer may depend on every segment.
            looked_up = numerals.parse(turn.answer) in stated
            kind = "" if equation or looked_up else "unknown"
            turns.append({"equation": equation, "segments": nodes, "type": kind})
        notes["turns"] = json.dumps(turns)
    return problem


def _with_plain_answer(problem: Problem, notes: dict[str, str]) -> Problem:
    """Read the answer "18 apples" as 18 with its unit, and a rounded answer with its rounding rule."""
    if not problem.equation or not problem.answer:
        return problem
    given = notes.get("rounding", "")
    try:
        equation = expression.parse(problem.equation)
        if equation.canonical() == problem.answer:
            return problem
        value = equation.value()
    except ExpressionError:
        return problem
    stated = read_answer(problem.answer)
    if stated is None:
        found = numerals.find(problem.answer)
        if given or len(found) != 1 or found[0].value != value:
            return problem
        rest = (problem.answer[: found[0].start] + problem.answer[found[0].end :]).strip(" ().")
        return problem.replace(answer=expression.canonical(value), unit=problem.unit or rest)
    if not stated.unit and _PERCENTAGE.search(problem.question):
        shares = stated._replace(unit=PERCENT)
        stated = shares if agree(equation, stated) is None and stated.places else stated
    if given and not stated.unit:
        return problem
    agreed = agree(equation, stated, given) or agree(equation, stated)
    # The meaning of a count decides its rounding, which `meta.rounding` must state. "17%" is rounded.
    least = 0 if stated.unit else 1
    if agreed is None or (agreed.rounding and not given and not least <= stated.places < 10):
        return problem
    if agreed.rounding:
        notes["rounding"] = agreed.rounding
    return problem.replace(
        equation=problem.equation if agreed.equation is equation else agreed.equation.infix(),
        answer=expression.canonical(agreed.answer),
        unit=problem.unit or agreed.unit,
    )


_LINK = re.compile(r"(?:table|body)\.[0-9]{1,6}\.[0-9]{1,6}|constant|ambiguous")
_NODE = re.compile(r"<q[0-9]{0,4}>|<p[0-9]{1,4}>")
_SEGMENT = re.compile(r"<p[0-9]{1,4}>")


def check(problem: Problem, notes: Mapping[str, str]) -> None:
    """Raise an error that names a note whose form differs from that in our own files."""
    for key, is_whole in _CHECKS.items():
        if key not in notes:
            continue
        try:
            whole = is_whole(json.loads(notes[key]), problem)
        except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError, RecursionError):
            whole = False
        if not whole:
            raise ProblemError(
                f"row {problem.id[:60]!r}: meta.{key} is damaged; leave it out; the row is read without it"
            )


def _operands(found: Any, problem: Problem) -> bool:
    return all(
        Fraction(value) >= 0
        and _LINK.fullmatch(link)
        and ("." not in link or operand_links.locate(problem, link) is not None)
        for value, link in found.items()
    )


def _turns(found: Any, problem: Problem) -> bool:
    for turn in found:
        if turn["equation"]:
            expression.parse(turn["equation"]).value()
        if not isinstance(turn["type"], str) or not all(map(_SEGMENT.fullmatch, turn["segments"])):
            return False
    return len(found) == len(problem.history)


def _graph(found: Any, problem: Problem) -> bool:
    return all(_NODE.fullmatch(one) and _NODE.fullmatch(other) for one, other in found)


def _steps(found: Any, problem: Problem) -> bool:
    for step in found:
        expression.parse(step["equation"], names=True)
        Fraction(step["value"])
    return isinstance(found, list)


_CHECKS: dict[str, Callable[[Any, Problem], bool]] = {
    "operands": _operands,
    "turns": _turns,
    "graph": _graph,
    steps.KEY: _steps,
}

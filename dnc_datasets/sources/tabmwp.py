"""TabMWP: grade-school problems over small tables, with worked solutions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.english.reading.problem_text import split_problem
from dnc_datasets.errors import ExpressionError, SourceError
from dnc_datasets.expression import Expr, Name, Number
from dnc_datasets.problem import Problem
from dnc_datasets.sources import Files, PinnedFile, Source, Splits
from dnc_datasets.sources.formats.records import read_object

_REPOSITORY = ("lupantech/PromptPG", "7cf61b1bec07222fc24b4f5a1410911f77c2d2c9")
_SPLITS = {
    "train": PinnedFile(
        *_REPOSITORY,
        "data/tabmwp/problems_train.json",
        git_blob="bebca41ffd8124b196781ecd2ee36488961e0d0a",
    ),
    "validation": PinnedFile(
        *_REPOSITORY, "data/tabmwp/problems_dev.json", git_blob="5506b356bc3e45b0aa8d245dc3f927a67da3f50f"
    ),
    "test": PinnedFile(
        *_REPOSITORY, "data/tabmwp/problems_test.json", git_blob="eb3a92279b57aa84ce7bb7d3051c7b9749a1aadc"
    ),
}
_TRUE: Final = {"yes": "yes", "no": "no"}
_SIGNS: Final = str.maketrans({"×": "*", "÷": "/", "−": "-", "·": "*"})
_UNIT: Final = re.compile(r"[$,]|(?<=\d) ?[a-z][a-z ]*", re.IGNORECASE)
_STEP: Final = re.compile(r"\$?[\d(][^=\n]{1,160} = -?\$?\d[\d,.]{0,20}[^=\n]{0,30}")
_MOST_STEPS: Final = 6


def read(files: Files, fold: str) -> Splits:
    """Read one row for each problem, in the source's order."""
    return {split: list(read_problems(files[file.path])) for split, file in _SPLITS.items()}


def read_problems(path: Path) -> Iterator[Problem]:
    """Yield the problems of a TabMWP file, which is one object of problems by id."""
    for name, record in read_object(path).items():
        try:
            yield read_problem(name, record)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SourceError(
                f"{path}: problem {name!r} is not as TabMWP writes it ({error!r}); is it the right file?"
            ) from error


def read_problem(name: str, record: dict[str, Any]) -> Problem:
    """Return the problem of one record.

    Its title is the first paragraph, and its choices end the question.
    """
    table = tuple(
        tuple(cell.strip() for cell in line.split("|")) for line in record["table"].split("\n") if line
    )
    statements, question = split_problem(" ".join(str(record["question"]).split()))
    title = " ".join(str(record["table_title"] or "").split())
    body = operand_links.PARAGRAPH_BREAK.join(part for part in (title, statements) if part)
    choices = tuple(map(str, record["choices"] or ()))
    if choices:
        question = f"{question} ({', '.join(choices)})"
    answer = str(record["answer"]).strip()
    stated = numerals.parse(answer)
    meta = {
        "solution": str(record["solution"]),
        "type": str(record["ans_type"]),
        "grade": str(record["grade"]),
    }
    problem = Problem(
        id=name,
        body=body,
        question=question,
        table=table,
        answer=answer if stated is None else expression.canonical(stated),
        unit=str(record["unit"] or ""),
        answer_type="number" if stated is not None else "yes_no" if answer in _TRUE else "span",
    )
    equation = _equation(meta["solution"], stated, problem) if stated is not None and not choices else None
    if equation is not None:
        meta["operands"] = operand_links.to_note(operand_links.find(problem, equation))
        problem = problem.replace(equation=equation.infix())
    return problem.replace(meta=tuple(sorted(meta.items())))


def _equation(solution: str, answer: Fraction, problem: Problem) -> Expr | None:
    """Return one equation over the numbers of table and text, composed from the calculations of the solution.

    Return None where a calculation cannot be read, or a number is neither given nor the result of an earlier
    one.
    """
    given = {abs(value) for value in problem.values()}
    results: dict[Fraction, Expr] = {}
    last: Expr | None = None
    for step in _STEP.findall(solution)[:_MOST_STEPS]:
        left, _, right = step.partition(" = ")
        try:
            made = expression.parse(_UNIT.sub("", left.translate(_SIGNS)))
            value = made.value()
        except ExpressionError:
            return None
        if numerals.parse(_UNIT.sub("", right).strip(" .")) != value:
            return None
        last = made.replace(lambda leaf: _leaf(leaf, given, results))
        results[value] = last
    if last is None or last.value() != answer or len(last.leaves()) < 2:
        return None
    operands = set(operand_links.operand_values(last))
    return last if operands <= given | operand_links.constants(last) else None


def _leaf(leaf: Number | Name, given: set[Fraction], results: dict[Fraction, Expr]) -> Expr:
    value = leaf.value()
    if value in given or value not in results:
        return expression.number(value)
    return results[value]


_CITATION = """@inproceedings{lu-etal-2023-dynamic,
  title = {Dynamic Prompt Learning via Policy Gradient for Semi-structured Mathematical Reasoning},
  author = {Lu, Pan and Qiu, Liang and Chang, Kai-Wei and Wu, Ying Nian and Zhu, Song-Chun and Rajpurohit, Tanmay and
            Clark, Peter and Kalyan, Ashwin},
  booktitle = {International Conference on Learning Representations},
  year = {2023}
}"""
SOURCE = Source(
    name="tabmwp",
    title="TabMWP, grade-school problems over small tables",
    shape="table",
    read=read,
    files=tuple(_SPLITS.values()),
    licence="CC BY-NC-SA 4.0",
    homepage="https://github.com/lupantech/PromptPG",
    scope=("body", "question"),
    numeric=False,
    citation=_CITATION,
)

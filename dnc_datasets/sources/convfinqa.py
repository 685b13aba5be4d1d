"""ConvFinQA: conversations over the tables and texts of company reports, one row for each turn."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from dnc_datasets import expression, operand_links
from dnc_datasets.errors import ExpressionError, SourceError
from dnc_datasets.expression import Expr
from dnc_datasets.problem import Problem, Turn
from dnc_datasets.sources import Erratum, Files, PinnedFile, Source, Splits
from dnc_datasets.sources.finqa import ERRATA, YES_NO, read_document, undoubled
from dnc_datasets.sources.formats.programs import read_program
from dnc_datasets.sources.formats.slotted import hold_out
from dnc_datasets.sources.formats.table_scale import table_scale

_ARCHIVE = PinnedFile(
    "czyssrs/ConvFinQA",
    "cf3eed2d5984960bf06bb8145bcea5e80b0222a6",
    "data.zip",
    git_blob="bde03381e2d9ef0043796f2722f7a87633887358",
)
_MEMBERS: Final = {"train": "data/train.json", "test": "data/dev.json"}
# Largest size of one member in bytes, far above the published sizes.
_MOST: Final = 1 << 29
_PLACES: Final = 5


def read(files: Files, fold: str) -> Splits:
    """Read one row for each turn.

    The published development set is the test split: the published test set has no answers.
    """
    found = {split: list(read_archive(files[_ARCHIVE.path], member)) for split, member in _MEMBERS.items()}
    train, validation = hold_out(found["train"], "convfinqa", fold, lambda row: row.note("context"))
    return {"train": train, "validation": validation, "test": found["test"]}


def read_archive(path: Path, member: str) -> Iterator[Problem]:
    """Yield the problems of one file of the archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(member).file_size > _MOST:
                raise SourceError(f"{path}: {member} has more than {_MOST} bytes; is it the right file?")
            records = json.loads(archive.read(member), parse_float=str, parse_int=str)
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, RecursionError) as error:
        raise SourceError(f"{path}: {member} cannot be read ({error}); is it the right file?") from error
    yield from read_records(records, f"{path}: {member}")


def read_records(records: Any, place: str) -> Iterator[Problem]:
    """Yield the problems of ConvFinQA's records, each a conversation."""
    if not isinstance(records, list):
        raise SourceError(f"{place}: expected a list of conversations, found {type(records).__name__}")
    for number, record in enumerate(records, 1):
        try:
            yield from read_conversation(record)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SourceError(
                f"{place}: record {number} is not as ConvFinQA writes it ({error!r}); is it the right file?"
            ) from error


def read_conversation(record: dict[str, Any]) -> Iterator[Problem]:
    """Yield a row for each turn, with the earlier turns as history and the program as an equation."""
    table, body, _ = read_document(record, ())
    talk = record["annotation"]
    questions = [undoubled(" ".join(str(question).split())) for question in talk["dialogue_break"]]
    programs, results = list(map(str, talk["turn_program"])), list(map(str, talk["exe_ans_list"]))
    if not len(questions) == len(programs) == len(results):
        raise ValueError("the questions, programs and results of its turns differ in number")
    scale = table_scale(table, body, frozenset())
    equations = [_equation(program, table) for program in programs]
    answers = [_answer(equation, result) for equation, result in zip(equations, results, strict=True)]
    for at, question in enumerate(questions):
        meta = {"context": str(record["id"]), "program": programs[at], "table_scale": scale}
        if at:
            meta["turns"] = _turns(equations[:at])
        problem = Problem(
            id=f"{record['id']}#{at}",
            body=body,
            question=question,
            table=table,
            answer=answers[at],
            answer_type=YES_NO if answers[at] in ("yes", "no") else "number",
            history=tuple(map(Turn, questions[:at], answers[:at])),
        )
        equation = equations[at]
        if equation is None:
            meta["no_equation"] = "the program compares two values or cannot be read"
        else:
            problem = problem.replace(equation=equation.infix())
            found = operand_links.find(problem, equation)
            meta["operands"] = operand_links.to_note(found)
            exact = expression.canonical(equation.value()) == answers[at] and "/" not in equation.operators
            meta["rounding"] = "" if exact else f"places:{_PLACES}"
            problem = problem.replace(
                evidence=tuple(dict.fromkeys(link for link in found.values() if "." in link))
            )
        yield problem.replace(meta=tuple(sorted((key, value) for key, value in meta.items() if value)))


def _equation(program: str, table: Sequence[Sequence[str]]) -> Expr | None:
    try:
        found = read_program(program, table)
        found.equation.value()
    except ExpressionError:
        return None
    return found.equation if found.than is None else None


def _answer(equation: Expr | None, result: str) -> str:
    """Return the program's value, rounded to five places as in the source, or the source's own result."""
    if equation is None:
        return result
    return expression.canonical(expression.round_value(equation.value(), f"places:{_PLACES}"))


def _turns(equations: Sequence[Expr | None]) -> str:
    """Return the equations of the turns in the form of the notes of a conversation."""
    texts = [one.infix() if one else "" for one in equations]
    return json.dumps(
        [{"equation": text, "segments": [], "type": "" if text else "unknown"} for text in texts]
    )


_CITATION = """@inproceedings{chen-etal-2022-convfinqa,
  title = {{ConvFinQA}: Exploring the Chain of Numerical Reasoning in Conversational Finance Question Answering},
  author = {Chen, Zhiyu and Li, Shiyang and Smiley, Charese and Ma, Zhiqiang and Shah, Sameena and Wang, William Yang},
  booktitle = {Proceedings of the 2022 Conference on Empirical Methods in Natural Language Processing},
  year = {2022}
}"""
SOURCE = Source(
    name="convfinqa",
    title="ConvFinQA, conversations over reports with programs",
    shape="table",
    read=read,
    files=(_ARCHIVE,),
    licence="MIT",
    homepage="https://github.com/czyssrs/ConvFinQA",
    scope=("body", "question"),
    numeric=False,
    citation=_CITATION,
    errata=(
        *ERRATA[:1],
        *ERRATA[2:],
        Erratum(
            "*",
            "the published test set has no answers",
            "the development set is the test split; a tenth of the training conversations is the validation split",
        ),
    ),
)

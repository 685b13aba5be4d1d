"""Records of FinQA, ConvFinQA and TAT-QA in a user's own file, read with the readers of these datasets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from dnc_datasets.errors import ExpressionError, ProblemError
from dnc_datasets.problem import Problem, to_row
from dnc_datasets.sources import convfinqa, finqa, tatqa_a

# A key of each form, with the quotation marks of JSON: a line without any is not decoded here.
_MARKS: Final = ('"pre_text"', '"questions"')
_PAGE: Final = ("pre_text", "post_text", "table")


def is_possible(line: str) -> bool:
    """Return whether a line of JSON may hold a record of one of these datasets."""
    return any(mark in line for mark in _MARKS)


def rows(record: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the rows of a record, one for each question, or None where it has another form."""
    read = _reader(record)
    if read is None:
        return None
    try:
        return [to_row(problem) for problem in read]
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ExpressionError) as error:
        raise ProblemError(f"it is not as {_name(record)} writes it ({error!r})"[:300]) from error


def _name(record: Mapping[str, Any]) -> str:
    if "pre_text" not in record:
        return "TAT-QA"
    return "ConvFinQA" if "annotation" in record else "FinQA"


def _reader(record: Mapping[str, Any]) -> Iterator[Problem] | None:
    if all(key in record for key in _PAGE):
        if isinstance(record.get("annotation"), Mapping):
            return _conversation(record)
        if isinstance(record.get("qa"), Mapping) or "question" in record:
            return _page(record)
    if isinstance(record.get("table"), Mapping) and {"paragraphs", "questions"} <= record.keys():
        return tatqa_a.read_context(dict(record))
    return None


def _page(record: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problem of a page. Copies on the Hub have the fields of `qa` beside the others."""
    yield finqa.read_page({"qa": record, **record})


def _conversation(record: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the turns of a conversation. A record of the files `*_turn.json` gives the turn that it names."""
    turns = convfinqa.read_conversation(dict(record))
    at = record["annotation"].get("turn_ind")
    if at is None:
        yield from turns
    else:
        yield list(turns)[int(at)].replace(id=str(record["id"]))

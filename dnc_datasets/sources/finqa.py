"""FinQA: questions over a table and its text from company reports, with programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.errors import ExpressionError, SourceError
from dnc_datasets.problem import Problem
from dnc_datasets.sources import Erratum, Files, PinnedFile, Source, Splits
from dnc_datasets.sources.formats.programs import read_program
from dnc_datasets.sources.formats.records import stream_json
from dnc_datasets.sources.formats.stated_answers import agree, quotient_rounding, read_answer
from dnc_datasets.sources.formats.table_scale import table_scale

_REPOSITORY = ("czyssrs/FinQA", "0f16e2867befa6840783e58be38c9efb9229d742")
_SPLITS = {
    "train": PinnedFile(
        *_REPOSITORY, "dataset/train.json", git_blob="a6c2c5a60f9abe3fba5a793cc4d9e1dee2e09209"
    ),
    "validation": PinnedFile(
        *_REPOSITORY, "dataset/dev.json", git_blob="970f239f591c782b17df420c0d343b780737f3da"
    ),
    "test": PinnedFile(
        *_REPOSITORY, "dataset/test.json", git_blob="59958c7c3bb3b21f4dff6bc912a0fe0ae710aee0"
    ),
}
_NUMBER = r"\d[\d,]{0,30}(?:\.\d{1,20})?"
# The source writes each percentage and each negative number twice: "4.8% ( 4.8 % )", "-28 ( 28 )", "% ( % )".
_DOUBLED: Final = re.compile(
    rf"(?<![\d.,])(?:(?P<share>{_NUMBER})% ?\( ?(?P=share) ?% ?\)|-(?P<size>{_NUMBER}) ?\( ?(?P=size) ?\))"
)
_DOUBLED_SIGN: Final = re.compile(r"% ?\( ?% ?\)")
_CODE: Final = re.compile(r"(?:\$ ?)?201[34]")
_EXACT_PLACES: Final = "places:5"
YES_NO: Final = "yes_no"


def read(files: Files, fold: str) -> Splits:
    """Read one row for each question, in the source's order."""
    return {split: list(read_pages(files[file.path])) for split, file in _SPLITS.items()}


def read_pages(path: Path) -> Iterator[Problem]:
    """Yield the problems of a FinQA file."""
    for number, page in enumerate(stream_json(path, ("pre_text", "post_text", "table", "qa", "id")), 1):
        try:
            yield read_page(page)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SourceError(
                f"{path}: record {number} is not as FinQA writes it ({error!r}); is it the right file?"
            ) from error


def read_page(page: dict[str, Any]) -> Problem:
    """Return the problem of one page: its table, the text around it, and a question with its program."""
    table, body, cited = read_document(page, page["qa"].get("gold_inds") or {})
    asked = page["qa"]
    program, stated = str(asked["program"]), str(asked.get("answer") or "")
    meta = {"program": program, "table_scale": table_scale(table, body, frozenset())}
    question = undoubled(" ".join(str(asked["question"]).replace("\\n", " ").split()))
    problem = Problem(id=str(page["id"]), body=body, question=question, table=table)
    problem = answered(problem, program, stated, str(asked.get("exe_ans", "")), cited, meta)
    return problem.replace(meta=tuple(sorted((key, value) for key, value in meta.items() if value)))


def read_document(
    page: dict[str, Any], cited: dict[str, Any] | Sequence[str]
) -> tuple[tuple[tuple[str, ...], ...], str, set[str]]:
    """Return the table, the text before and after it as two paragraphs, and the links to the cited places."""
    if not all(isinstance(row, list) for row in page["table"]):
        raise TypeError("the table is not a list of rows")
    table = _with_dashes([[undoubled(str(cell).strip()) for cell in row] for row in page["table"]])
    parts: list[str] = []
    links_of: dict[str, list[str]] = {}
    number = 0
    for name in ("pre_text", "post_text"):
        text, found = "", 0
        for sentence in page[name]:
            sentence = undoubled(" ".join(str(sentence).split()))
            count = len(numerals.find(sentence))
            links_of[f"text_{number}"] = [f"body.{len(parts)}.{found + at}" for at in range(count)]
            number, found = number + 1, found + count
            text = f"{text} {sentence}".strip() if sentence != "." else text
        if text:
            parts.append(text)
    body = operand_links.PARAGRAPH_BREAK.join(parts)
    places = {link for name in cited for link in links_of.get(name, ())}
    places |= {f"table.{name.removeprefix('table_')}" for name in cited if name.startswith("table_")}
    return table, body, places


def _with_dashes(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the table with a dash for each code point 2013 or 2014 that replaces a dash among amounts."""
    amounts = [
        [numerals.parse(cell.lstrip("$ ")) is not None and not _CODE.fullmatch(cell) for cell in row]
        for row in rows
    ]
    columns = {column for row in amounts[1:] for column, is_amount in enumerate(row) if is_amount}
    return tuple(
        tuple(
            "-" if number and column in columns and column and _CODE.fullmatch(cell) else cell
            for column, cell in enumerate(row)
        )
        for number, row in enumerate(rows)
    )


def undoubled(text: str) -> str:
    """Return the text with each percentage and each negative number once.

    >>> undoubled("a rate of 4.8% ( 4.8 % ) , -28 ( 28 )")
    'a rate of 4.8% , -28'
    """
    text = _DOUBLED.sub(lambda match: f"{match['share']}%" if match["share"] else f"-{match['size']}", text)
    return _DOUBLED_SIGN.sub("%", text)


def answered(
    problem: Problem, program: str, stated: str, executed: str, cited: set[str], meta: dict[str, str]
) -> Problem:
    """Return the problem with its program's equation, and its value in the stated form."""
    try:
        read = read_program(program, problem.table)
        value = read.equation.value()
        if read.than is not None:
            truth = value > read.than.value()
            return problem.replace(answer="yes" if truth else "no", answer_type=YES_NO)
    except ExpressionError as error:
        meta["no_equation"] = f"the program cannot be read: {error}"[:200]
        return _as_executed(problem, executed or stated)
    said = read_answer(stated)
    agreed = agree(read.equation, said) if said else None
    if agreed is None:
        meta["defect"] = "the stated answer is not the program's"
        meta["stated"] = stated
        answer = expression.round_value(value, _EXACT_PLACES)
        equation, unit, rounding = read.equation, "", _EXACT_PLACES
    else:
        equation, answer, unit, rounding = agreed
        rounding = rounding or quotient_rounding(equation, answer)
    meta["rounding"] = rounding
    found = operand_links.find(problem.replace(equation=equation.infix()), equation, cited)
    meta["operands"] = operand_links.to_note(found)
    return problem.replace(
        equation=equation.infix(),
        answer=expression.canonical(answer),
        unit=unit,
        evidence=tuple(dict.fromkeys(link for link in found.values() if "." in link)),
    )


def _as_executed(problem: Problem, answer: str) -> Problem:
    said = read_answer(answer)
    if said is not None:
        return problem.replace(answer=expression.canonical(said.value), unit=said.unit)
    kind = YES_NO if answer in ("yes", "no") else "span"
    return problem.replace(answer=answer, answer_type=kind)


ERRATA = (
    Erratum(
        "*",
        "percentages and negative numbers are written twice, as in 4.8% ( 4.8 % ) and -28 ( 28 )",
        "each is read once: 4.8%, -28",
    ),
    Erratum(
        "*",
        "a stated answer is not what the program gives: another sign, another rounding, another value",
        "the program's value is the answer, as in the source's own evaluation; meta \"defect\" marks the row and "
        'meta "stated" keeps the stated answer; its numbers and operation are never changed',
    ),
    Erratum(
        "*",
        "quotation marks, apostrophes and dashes are left as their code points (201c, 2019, 2013)",
        "the text is kept as it is; a cell that holds nothing but 2013 or 2014 below amounts becomes a dash",
    ),
)
CITATION = """@inproceedings{chen-etal-2021-finqa,
  title = {{FinQA}: A Dataset of Numerical Reasoning over Financial Data},
  author = {Chen, Zhiyu and Chen, Wenhu and Smiley, Charese and Shah, Sameena and Borova, Iana and Langdon, Dylan and
            Moussa, Reema and Beane, Matt and Huang, Ting-Hao and Routledge, Bryan and Wang, William Yang},
  booktitle = {Proceedings of the 2021 Conference on Empirical Methods in Natural Language Processing},
  year = {2021}
}"""
SOURCE = Source(
    name="finqa",
    title="FinQA, questions over reports with programs",
    shape="table",
    read=read,
    files=tuple(_SPLITS.values()),
    licence="MIT",
    homepage="https://github.com/czyssrs/FinQA",
    scope=("body", "question"),
    numeric=False,
    citation=CITATION,
    errata=ERRATA,
)

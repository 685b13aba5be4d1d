"""GSM8K: grade-school problems of several steps, each with an equation composed from its annotated solution."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dnc_datasets import expression, steps
from dnc_datasets.english.reading.problem_text import split_problem
from dnc_datasets.errors import SourceError
from dnc_datasets.problem import Problem
from dnc_datasets.sources import Erratum, Files, PinnedFile, Source, Splits
from dnc_datasets.sources.formats.annotated_steps import read_solution
from dnc_datasets.sources.formats.records import read_json_lines

REPO = ("openai/grade-school-math", "3101c7d5072418e28b9008a6636bde82a006892c")
_SPLITS = {
    "train": PinnedFile(
        *REPO,
        "grade_school_math/data/train.jsonl",
        git_blob="7d97154b91aef28d01c3301741c81ce90039a4b1",
        sha256="17f347dc51477c50d4efb83959dbb7c56297aba886e5544ee2aaed3024813465",
        size=4166206,
    ),
    "test": PinnedFile(
        *REPO,
        "grade_school_math/data/test.jsonl",
        git_blob="e4c2ff4942b9a78bd74f04141224c11e28d12dc9",
        sha256="3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14",
        size=749738,
    ),
}
_CITATION = """@article{cobbe-etal-2021-training,
  title = {Training Verifiers to Solve Math Word Problems},
  author = {Cobbe, Karl and Kosaraju, Vineet and Bavarian, Mohammad and Chen, Mark and Jun, Heewoo and
            Kaiser, Lukasz and Plappert, Matthias and Tworek, Jerry and Hilton, Jacob and Nakano, Reiichiro and
            Hesse, Christopher and Schulman, John},
  journal = {arXiv preprint arXiv:2110.14168},
  year = {2021}
}"""


def read(files: Files, fold: str) -> Splits:
    """Read the 7,473 training and 1,319 test problems. An id is the split and the line, such as "test-17".

    There is no validation split: the source has none, and published results use all training rows.
    """
    return {split: list(_problems(split, files[file.path])) for split, file in _SPLITS.items()}


def _problems(split: str, path: Path) -> Iterator[Problem]:
    for number, record in enumerate(read_json_lines(path, ("question", "answer")), 1):
        yield problem_of(f"{split}-{number}", record["question"], record["answer"], path)


def problem_of(row: str, question: str, answer: str, path: Path) -> Problem:
    """Return the problem of one record. Its id ends with the number of its line."""
    text = " ".join(question.split())
    solution = read_solution(text, answer)
    if solution is None:
        raise SourceError(
            f"{path}: line {row.rpartition('-')[2]}: the solution has no number after ####; fix the line, or "
            "take it out"
        )
    body, asked = split_problem(text)
    meta = {"solution": answer, steps.KEY: steps.to_note(solution.steps)}
    if solution.reason:
        meta["no_equation"] = solution.reason
    return Problem(
        id=row,
        body=body,
        question=asked,
        equation=solution.equation.infix() if solution.equation is not None else "",
        answer=expression.canonical(solution.answer),
        meta=tuple(sorted(meta.items())),
    )


SOURCE = Source(
    name="gsm8k",
    title="GSM8K, grade-school problems of two to eight steps",
    shape="word_problem",
    read=read,
    files=tuple(_SPLITS.values()),
    licence="MIT",
    homepage="https://github.com/openai/grade-school-math",
    scope=("body", "question"),
    citation=_CITATION,
    errata=(
        Erratum(
            "*",
            "a solution leaves steps unannotated, rounds them, or uses a number that the text does not state",
            'answer and steps are kept without an equation; meta "no_equation" says why',
        ),
    ),
)

"""Break: questions with the steps of their answers, and its questions from DROP with passages and answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dnc_datasets import numerals
from dnc_datasets.draws import Draw
from dnc_datasets.errors import ProblemError, SourceError
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr.steps import fault, parse_steps, write_steps
from dnc_datasets.sources import Erratum, Files, PinnedFile, Source, Splits
from dnc_datasets.sources.drop_num import DEVELOPMENT, canonical_answer
from dnc_datasets.sources.formats.records import read_csv, read_object

QDMR = "qdmr"  # in meta: the steps in Break's form
_STEPS = PinnedFile(
    "allenai/Break",
    "cef3ed359754e5b0942bb1f90e6b12586898d593",
    "break_dataset/QDMR-high-level/dev.csv",
    git_blob="d5b00b741b8c7c1aca07ec092d2d0a334fd285af",
)
_KEYS = ("question_id", "question_text", "decomposition")
# Percentages of ids for validation and for training. The others are for tests.
_VALIDATION, _TRAIN = 10, 50
_DROP = "DROP_dev_"


def read(files: Files, fold: str) -> Splits:
    """Read the development questions of Break with high-level decompositions, split by a hash of the id."""
    splits: dict[str, list[Problem]] = {"train": [], "validation": [], "test": []}
    for problem in _questions(files[_STEPS.path]):
        splits[split_of(problem.id)].append(problem)
    return splits


def split_of(row_id: str) -> str:
    """Return the split of a question, which depends only on its id in Break."""
    place = Draw(0, "break_qdmr", row_id, "split").integer(0, 99)
    if place < _VALIDATION:
        return "validation"
    return "train" if place < _TRAIN else "test"


def _questions(path: Path) -> Iterator[Problem]:
    for record in read_csv(path, _KEYS):
        try:
            steps = parse_steps(record["decomposition"])
        except ProblemError as error:
            raise SourceError(f"{path}: {record['question_id']}: {error}") from error
        if not fault(steps):
            yield Problem(
                id=record["question_id"],
                body="",
                question=" ".join(record["question_text"].split()),
                answer=write_steps(steps),
                answer_type="decomposition",
                meta=((QDMR, write_steps(steps)),),
            )


def read_drop(files: Files, fold: str) -> Splits:
    """Read the development questions of DROP with steps in Break, matched by id or by a unique text."""
    by_id: dict[str, Problem] = {}
    by_text: dict[str, Problem] = {}
    path = files[DEVELOPMENT.path]
    asked = [pair for name, record in read_object(path).items() for pair in _pairs(path, name, record)]
    counted = Counter(_folded(problem.question) for problem in asked)
    for problem in asked:
        by_id[problem.id] = problem
        if counted[_folded(problem.question)] == 1:
            by_text[_folded(problem.question)] = problem
    splits: dict[str, list[Problem]] = {"train": [], "validation": [], "test": []}
    known = [one for one in _questions(files[_STEPS.path]) if one.id.startswith(_DROP)]
    twice = Counter(_folded(one.question) for one in known)
    for one in known:
        # The id of a passage may contain underscores. The id of a question contains none.
        found = by_id.get(one.id.rpartition("_")[2])
        if found is None and twice[_folded(one.question)] == 1:
            found = by_text.get(_folded(one.question))
        if found is not None:
            meta = (*found.meta, (QDMR, one.note(QDMR)))
            splits[split_of(one.id)].append(found.replace(meta=tuple(sorted(meta))))
    return splits


def _folded(question: str) -> str:
    return "".join(letter for letter in question.lower() if letter.isalnum())


def _pairs(path: Path, name: str, record: dict[str, Any]) -> Iterator[Problem]:
    body = str(record.get("passage", "")).strip()
    try:
        for pair in record["qa_pairs"]:
            golds = [pair["answer"], *pair.get("validated_answers", ())]
            texts = dict.fromkeys(text for gold in golds if (text := answer_text(gold)))
            if not texts:
                continue
            yield drop_problem(pair["query_id"], body, pair["question"], list(texts), pair["answer"], name)
    except (KeyError, TypeError) as error:
        raise SourceError(
            f"{path}: passage {name!r} is not as DROP writes it ({error!r}); is it the official release?"
        ) from error


def drop_problem(
    row_id: str, body: str, question: str, texts: list[str], answer: dict[str, Any], passage: str
) -> Problem:
    """Return a question of DROP with its answers as texts. Several spans of one answer are all required."""
    first, *others = texts
    spans = tuple(span.strip() for span in answer["spans"])
    several = len(spans) > 1 and not answer["number"]
    kind = "number" if numerals.parse(first) is not None else "span"
    return Problem(
        id=row_id,
        body=body,
        question=question.strip(),
        answer=first,
        answers=spans if several else (first, *others) if others else (),
        answer_type="multi-span" if several else kind,
        meta=(("passage", passage),),
    )


def answer_text(answer: dict[str, Any]) -> str:
    """Return an answer of DROP as one text: the number, the date ("12 May 1808"), or the spans.

    >>> answer_text({"number": "", "date": {"day": "", "month": "May", "year": "1808"}, "spans": []})
    'May 1808'
    """
    if answer["number"]:
        return canonical_answer(answer["number"])
    date = answer["date"]
    if written := " ".join(part for key in ("day", "month", "year") if (part := date.get(key, "").strip())):
        return written
    return ", ".join(span.strip() for span in answer["spans"])


_CITATION = """@article{wolfson-etal-2020-break,
  title = {Break It Down: A Question Understanding Benchmark},
  author = {Wolfson, Tomer and Geva, Mor and Gupta, Ankit and Gardner, Matt and Goldberg, Yoav and Deutch, Daniel and
            Berant, Jonathan},
  journal = {Transactions of the Association for Computational Linguistics},
  year = {2020}
}"""
_ILL_FORMED = Erratum(
    "*",
    "some decompositions have a step that nothing refers to, or refer to a later step",
    "such questions are left out",
)

SOURCE = Source(
    name="break_qdmr",
    title="Break, high-level decompositions of its development part",
    shape="word_problem",
    read=read,
    files=(_STEPS,),
    licence="MIT",
    homepage="https://allenai.github.io/Break/",
    numeric=False,
    equations=False,
    citation=_CITATION,
    errata=(_ILL_FORMED,),
    unperturbed="its answers are decompositions, for `dnc research finetune --direction` and `dnc research qdmr`",
    asked=False,
)

DROP = Source(
    name="drop_qdmr",
    title="DROP questions with decompositions of Break",
    shape="passage",
    read=read_drop,
    files=(_STEPS, DEVELOPMENT),
    licence="CC BY-SA 4.0",
    homepage="https://allenai.org/data/drop",
    scope=("body", "question"),
    numeric=False,
    equations=False,
    citation=_CITATION,
    errata=(
        _ILL_FORMED,
        Erratum("*", "a question that several passages have cannot be identified by its text", "left out"),
    ),
)

"""DROP-num: the DROP questions with a number as answer, in the DNC authors' split or from DROP itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dnc_datasets import expression, numerals
from dnc_datasets.draws import Draw
from dnc_datasets.errors import SourceError
from dnc_datasets.problem import Problem
from dnc_datasets.sources import Erratum, Files, PinnedFile, Source, Splits
from dnc_datasets.sources.formats.records import read_object, stream_json

_DNC = ("microsoft/NumberDiagnosis", "b646a7179b4619dadfae009a4e68a562394c8ad9")
_COPY = ("eladsegal/tag-based-multi-span-extraction", "428dc35788a1c4cd9f6471c52b50927ed665964c")

_SPLITS = {
    "train": PinnedFile(
        *_DNC, "data/dataset/drop-num/trainset.json", git_blob="f806ed80a710cb2dbab33dbfb68842a0316cd916"
    ),
    "validation": PinnedFile(
        *_DNC, "data/dataset/drop-num/validset.json", git_blob="de5a2395c4729f62f0d3dec3d7a7d9725f77de0a"
    ),
    "test": PinnedFile(
        *_DNC, "data/dataset/drop-num/testset.json", git_blob="c15acc699f6da9aed60847f030366ee11458cfc6"
    ),
}
DEVELOPMENT = PinnedFile(
    *_COPY, "drop_data/drop_dataset_dev.json", git_blob="2b67a9b6c7a40ddcdbfc06c354ccda7bcdd77a19"
)
_OFFICIAL = (
    PinnedFile(
        *_COPY, "drop_data/drop_dataset_train.json", git_blob="2aebcedc724fecc10c0e77aa008fbf001735d8bc"
    ),
    DEVELOPMENT,
)
_KEYS = ("id", "passage", "question", "answer")
# Percentages of passages of the official release for validation and for test.
_VALIDATION, _TEST = 10, 10


def read(files: Files, fold: str) -> Splits:
    """Read the authors' 42,258/5,282/5,283 questions.

    An id is the passage's, with the question's position in it.
    """
    seen: dict[str, int] = {}
    passages: dict[str, str] = {}
    return {split: list(_released(files[file.path], seen, passages)) for split, file in _SPLITS.items()}


def _released(path: Path, seen: dict[str, int], passages: dict[str, str]) -> Iterator[Problem]:
    for record in stream_json(path, _KEYS):
        for key in _KEYS:
            if not isinstance(record[key], str):
                raise SourceError(f"{path}: {record['id']!r}: {key!r} is {record[key]!r}, expected text")
        name = record["id"]
        seen[name] = seen.get(name, 0) + 1
        # One string for all questions of a passage needs a fifth of the memory.
        body = passages.setdefault(record["passage"], record["passage"])
        yield _problem(f"{name}-{seen[name]}", body, record["question"], record["answer"], passage=name)


def read_official(files: Files, fold: str) -> Splits:
    """Read the numeric questions of DROP's train and dev files, split 80/10/10 by passage."""
    splits: dict[str, list[Problem]] = {"train": [], "validation": [], "test": []}
    for file in _OFFICIAL:
        path = files[file.path]
        for name, record in read_object(path).items():
            splits[_split_of(name)] += _questions(path, name, record)
    return splits


def _split_of(passage: str) -> str:
    place = Draw(0, "drop_num_official", passage, "split").integer(0, 99)
    if place < _TEST:
        return "test"
    return "validation" if place < _TEST + _VALIDATION else "train"


def _questions(path: Path, name: str, record: dict[str, Any]) -> Iterator[Problem]:
    try:
        for pair in record["qa_pairs"]:
            answer = pair["answer"]["number"]
            if not answer:
                continue
            accepted = [other["number"] for other in pair.get("validated_answers", ()) if other["number"]]
            yield _problem(
                pair["query_id"], record["passage"], pair["question"], answer, accepted, passage=name
            )
    except (KeyError, TypeError) as error:
        raise SourceError(
            f"{path}: passage {name!r} is not as DROP writes it ({error!r}); is it the official release?"
        ) from error


def _problem(
    row_id: str, body: str, question: str, answer: str, accepted: list[str] | None = None, *, passage: str
) -> Problem:
    stated = canonical_answer(answer)
    others = dict.fromkeys(canonical_answer(text) for text in accepted or ())
    return Problem(
        id=row_id,
        body=body.strip(),
        question=question.strip(),
        answer=stated,
        answers=tuple(dict.fromkeys([stated, *others])) if others else (),
        answer_type="number" if numerals.parse(answer) is not None else "span",
        meta=(("passage", passage),),
    )


def canonical_answer(answer: str) -> str:
    """Return a numeric answer in canonical form, and any other answer unchanged."""
    value = numerals.parse(answer)
    return answer.strip() if value is None else expression.canonical(value)


_CITATION = """@inproceedings{dua-etal-2019-drop,
  title = {{DROP}: A Reading Comprehension Benchmark Requiring Discrete Reasoning Over Paragraphs},
  author = {Dua, Dheeru and Wang, Yizhong and Dasigi, Pradeep and Stanovsky, Gabriel and Singh, Sameer and
            Gardner, Matt},
  booktitle = {Proceedings of the 2019 Conference of the North American Chapter of the Association for
               Computational Linguistics},
  year = {2019}
}"""
_NOT_A_NUMBER = Erratum(
    "*",
    "DROP fills the number field by hand, so that it may hold a text that is no number",
    'such an answer is kept as it is, with the answer type "span"',
)

SOURCE = Source(
    name="drop_num",
    title="DROP-num",
    shape="passage",
    read=read,
    files=tuple(_SPLITS.values()),
    licence="CC BY-SA 4.0",
    homepage="https://github.com/microsoft/NumberDiagnosis",
    scope=("body", "question"),
    chooses=True,
    equations=False,
    citation=_CITATION,
    errata=(
        _NOT_A_NUMBER,
        Erratum(
            "*",
            "the released split is by question: passages of the test questions are in train too",
            "kept as released; `drop_num_official` is split by passage",
        ),
    ),
)

OFFICIAL = Source(
    name="drop_num_official",
    title="DROP-num from the official DROP release, split by passage",
    shape="passage",
    read=read_official,
    files=_OFFICIAL,
    licence="CC BY-SA 4.0",
    homepage="https://allenai.org/data/drop",
    scope=("body", "question"),
    chooses=True,
    equations=False,
    citation=_CITATION,
    errata=(_NOT_A_NUMBER,),
)

"""ASDiv-A: the arithmetic part of ASDiv, in the 974/122/122 split of MWPToolkit and in its own five folds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from dnc_datasets import expression
from dnc_datasets.errors import DncError, SourceError
from dnc_datasets.problem import Problem
from dnc_datasets.sources import Erratum, Files, PinnedFile, Source, Splits
from dnc_datasets.sources.formats.records import contradiction, rational, read_ids, read_json
from dnc_datasets.sources.formats.slotted import hold_out

_TOOLKIT = ("LYH-YF/MWPToolkit", "0993beb336c286a0f974d58834e932cf65e32249")
_ASDIV = ("chaochun/nlu-asdiv-dataset", "883f90a9a65bf00304ba8f37423910fe743abc47")

_SPLITS = {
    "train": PinnedFile(
        *_TOOLKIT,
        "dataset/asdiv-a/trainset.json",
        git_blob="d8cf0d303e1848a232b7a18e0094e4595b6b4037",
        sha256="c106fc18c222193820eb5a9e9759207da85d769d3650fc370e04072ea67178cc",
        size=425173,
    ),
    "validation": PinnedFile(
        *_TOOLKIT,
        "dataset/asdiv-a/validset.json",
        git_blob="b8b719a7a52467d7e70b67be2882ffae01df788a",
        sha256="1a91de4da3ffc42f337f517f73bb6c7cce3dd9124fc7166830e9d104deaf9593",
        size=52868,
    ),
    "test": PinnedFile(
        *_TOOLKIT,
        "dataset/asdiv-a/testset.json",
        git_blob="7c0b15721d3a139bf8ae140bf7918e7293d2439d",
        sha256="5b7178a8682304c610832a7317c33efe7b5f7f333717e052b759f0a6f6de9f9c",
        size=51550,
    ),
}
_FOLD_PINS = (
    ("89e87bf62615c10908cf95d5388d19af322b599e", 2618),
    ("bd94773507e22e94fd9f9048da494d8ee7ba4ef6", 2618),
    ("483dfc9760ffccd3a25426ec19bedc1fed79c2c0", 2618),
    ("6b7aa933fb4eb8f3d239550d8a1c8cba1050049d", 2618),
    ("fbf4f96a4acadc03f6a3f473512e04a290714697", 2926),
)
_FOLDS = {
    f"fold{k}": PinnedFile(
        *_ASDIV, f"dataset/nfolds/asdiv-a/fold{k}.txt", git_blob=blob, size=size, folds=(f"fold{k}",)
    )
    for k, (blob, size) in enumerate(_FOLD_PINS)
}

KEYS = ("@ID", "@Grade", "Body", "Question", "Solution-Type", "Answer", "Formula")
_ANSWER = re.compile(r"(?P<number>-?\d+(?:\.\d+)?)\s*(?:\((?P<unit>[^()]*)\))?")
_ROUNDING = {"Floor-Division": "floor", "Ceil-Division": "ceil"}
# Answers that the source rounds without a note in its solution type.
_ROUNDED = {"nluds-0575": "places:3"}


def read(files: Files, fold: str) -> Splits:
    """Read the 974/122/122 split, or one fold: its listed ids are test, the rest is train.

    A tenth of the fold's train rows is validation.
    """
    splits = {split: _read_split(files[file.path]) for split, file in _SPLITS.items()}
    if not fold:
        return splits
    rows = sorted((row for split in splits.values() for row in split), key=lambda row: row.id)
    path = files[_FOLDS[fold].path]
    listed = set(read_ids(path))
    unknown = listed - {row.id for row in rows}
    if unknown:
        raise SourceError(
            f"{path}: lists {sorted(unknown)[0]!r}, which is no row of ASDiv-A; is it the right file?"
        )
    rest = [row for row in rows if row.id not in listed]
    train, validation = hold_out(rest, "asdiv_a", fold, group=lambda row: row.id)
    return {"train": train, "validation": validation, "test": [row for row in rows if row.id in listed]}


def _read_split(path: Path) -> list[Problem]:
    return [problem(path, record) for record in read_json(path, KEYS, nested=["Solution-Type"])]


def problem(path: Path, record: dict[str, Any]) -> Problem:
    """Return the problem of a record. An answer that the formula does not give is an error."""
    row_id = record["@ID"]
    steps = _steps(record["Solution-Type"])
    rounding = _ROUNDED.get(row_id) or _ROUNDING.get(steps[-1], "")
    stated = _ANSWER.fullmatch(record["Answer"].strip())
    if stated is None:
        raise SourceError(
            f"{path}: {row_id} has the answer {record['Answer']!r}; expected '9 (apples)' or '9'"
        )
    meta = {
        "formula": record["Formula"],
        "grade": record["@Grade"],
        "rounding": rounding,
        "solution_type": "+".join(steps),
    }
    try:
        made = Problem(
            id=row_id,
            body=record["Body"].strip(),
            question=record["Question"].strip(),
            equation=expression.parse(record["Formula"]).infix(),
            answer=expression.canonical(rational(stated["number"])),
            unit=(stated["unit"] or "").strip(),
            meta=tuple((key, value) for key, value in meta.items() if value),
        )
        expected = made.expected_answer()
    except DncError as error:
        raise SourceError(f"{path}: {row_id} has the formula {record['Formula']!r}: {error}") from error
    if expected != made.answer:
        raise contradiction(f"{path}: {row_id}", made.answer, made.equation, expected)
    return made


def _steps(solution_type: str | dict[str, str]) -> tuple[str, ...]:
    """Return the kinds of the steps: "Sum", or {"@Subgoal-1": "Addition", "#text": "Subtraction"}."""
    if isinstance(solution_type, str):
        return (solution_type,)
    inner = sorted(key for key in solution_type if key != "#text")
    return tuple(solution_type.get(key, "") for key in (*inner, "#text"))


SOURCE = Source(
    name="asdiv_a",
    title="ASDiv-A",
    shape="word_problem",
    read=read,
    files=(*_SPLITS.values(), *_FOLDS.values()),
    licence="CC BY-NC 4.0",
    homepage="https://github.com/chaochun/nlu-asdiv-dataset",
    folds=tuple(_FOLDS),
    citation="""@inproceedings{miao-etal-2020-diverse,
  title = {A Diverse Corpus for Evaluating and Developing {E}nglish Math Word Problem Solvers},
  author = {Miao, Shen-yun and Liang, Chao-Chun and Su, Keh-Yih},
  booktitle = {Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics},
  year = {2020}
}""",
    errata=(
        Erratum(
            "*",
            'the formulas of 28 division problems end in a remainder ("=15 r8") while the answer is '
            "the whole number below or above",
            'the answer is kept; meta "rounding" says floor or ceil, after the solution type',
        ),
        Erratum(
            "nluds-0575",
            "the answer 3.333 is 10 / 3 rounded, and the solution type does not say so",
            'the answer is kept; meta "rounding" is places:3',
        ),
        Erratum(
            "nluds-1358",
            "the operand 1 (Bob himself) is not in the text; the SVAMP repository leaves the problem out",
            "kept as published",
        ),
    ),
)

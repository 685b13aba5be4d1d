"""ASDiv-a-manual: the perturbed test rows in the repository of the DNC paper, for comparison with ours."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from dnc_datasets import numerals
from dnc_datasets.problem import Problem
from dnc_datasets.sources import Erratum, Files, PinnedFile, Source, Splits, asdiv_a
from dnc_datasets.sources.formats.records import read_json

_TEST = PinnedFile(
    "microsoft/NumberDiagnosis",
    "b646a7179b4619dadfae009a4e68a562394c8ad9",
    "data/dataset/asdiv-a-manual/testset.json",
    git_blob="c6560d6027940bff11167c4ba5d9c69a6cfb27ee",
    size=101566,
)
_CITATION = """@inproceedings{xu-etal-2022-towards-robust,
  title = {Towards Robust Numerical Question Answering: Diagnosing Numerical Capabilities of {NLP} Systems},
  author = {Xu, Jialiang and Zhou, Mengyu and He, Xinyi and Han, Shi and Zhang, Dongmei},
  booktitle = {Proceedings of the 2022 Conference on Empirical Methods in Natural Language Processing},
  year = {2022}
}"""


def read(files: Files, fold: str) -> Splits:
    """Read train and validation of ASDiv-a, and the published test rows, several for each problem.

    The published train and validation files are not read, because they hold the same problems as MWPToolkit.
    """
    splits = asdiv_a.read(files, "")
    originals = {problem.id: problem for problem in splits["test"]}
    path = files[_TEST.path]
    records = read_json(path, asdiv_a.KEYS, nested=["Solution-Type"])
    seen: Counter[str] = Counter()
    return {**splits, "test": [_row(path, record, originals, seen) for record in records]}


def _row(path: Path, record: dict[str, Any], originals: dict[str, Problem], seen: Counter[str]) -> Problem:
    problem = asdiv_a.problem(path, record)
    shows = _shows(problem, originals[problem.id])
    key = f"{problem.id}#{shows}"
    seen[key] += 1
    notes = {**dict(problem.meta), "seed_problem": problem.id, "shows": shows}
    name = key if seen[key] == 1 else f"{key}{seen[key]}"
    return problem.replace(id=name, meta=tuple(sorted(notes.items())))


def _shows(problem: Problem, original: Problem) -> str:
    """Return the perturbation of a row, by comparison with its original. The file does not state it."""
    if problem.equation != original.equation:
        whole = all(quantity.value.denominator == 1 for quantity in numerals.find(original.text))
        changed = any(quantity.value.denominator != 1 for quantity in numerals.find(problem.text))
        return "noise" if whole and changed else "distribution"
    if problem.text.split() == original.text.split():
        return "unperturbed"
    if problem.text.count(".0") > original.text.count(".0"):
        return "type"
    return "language" if _in_digits(problem) < _in_digits(original) else "language_reversed"


def _in_digits(problem: Problem) -> int:
    """Return the number of digit-written numbers in the text."""
    return sum(any(sign.isdigit() for sign in found.text) for found in numerals.find(problem.text))


SOURCE = Source(
    name="asdiv_a_manual",
    title="ASDiv-a-manual, the published perturbed test rows",
    shape="word_problem",
    read=read,
    files=(*(file for file in asdiv_a.SOURCE.files if file.needed_for("") and file.folds is None), _TEST),
    licence="CC BY-NC 4.0 (ASDiv); the repository of the perturbed rows is MIT",
    homepage="https://github.com/microsoft/NumberDiagnosis",
    perturbed=True,
    errata=(
        Erratum(
            "*",
            "the rows do not say what was done to them, and the file has no Logic and no Order row, though its "
            "repository calls it the manual Logic attack set",
            'meta "shows" is read off each row: type 116, language 84, language_reversed 31 (words to digits), '
            "distribution 48, noise 13, unperturbed 1",
        ),
        Erratum(
            "*",
            "the 293 rows are forms of 117 of the 122 test problems, under their ids",
            'the id has # and what the row shows; meta "seed_problem" is the problem\'s id',
        ),
        Erratum(
            "*", "8 distribution rows have negative answers ($1193 left of a $993 purse)", "kept as published"
        ),
    ),
    citation=f"{_CITATION}\n{asdiv_a.SOURCE.citation}",
)

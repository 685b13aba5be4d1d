"""SVAMP: the 1,000 challenge problems as test, and their standard training set, MAWPS with ASDiv-A."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from dnc_datasets import expression
from dnc_datasets.errors import DncError, SourceError
from dnc_datasets.problem import Problem
from dnc_datasets.sources import Erratum, Files, PinnedFile, Source, Splits, asdiv_a, mawps
from dnc_datasets.sources.formats import slotted
from dnc_datasets.sources.formats.records import contradiction, rational, read_json
from dnc_datasets.sources.formats.slotted import Correction, text_key

_CHALLENGE = PinnedFile(
    *mawps.REPO,
    "SVAMP.json",
    git_blob="aad093525105c6331581d7082250b9c22578271e",
    sha256="5be77703a6d891ae476d7c082787ad361392aa02453b132516cdd5f4e7934e3e",
    size=339970,
)
_VARIATIONS = PinnedFile(
    *mawps.REPO,
    "data/mawps-asdiv-a_svamp/dev.csv",
    git_blob="299f9f5da38de00ba7ea10fbfb5e57cddf5ee6e7",
    sha256="978425fa0820a147a20d3cb305a571d77b8ba0d1ccec4a96dd1470bf0079c338",
    size=467974,
)
_TRAINING = PinnedFile(
    *mawps.REPO,
    "data/mawps-asdiv-a_svamp/train.csv",
    git_blob="90abaed82cc207f87491afc1bcbc157e77402cd4",
    sha256="c761cdc6390a67a285c6c346a2931f61bc8f47430eceaeb123cc3d0263efa821",
    size=1242909,
)
# The published cross-validation over SVAMP: each fold's test problems; all others, with the standard training
# set, are its training problems. Problems of one seed problem are in one fold.
_FOLD_PINS = (
    ("c598a40c85785125c7f00d4704a099400622b863", 101731),
    ("46ddebfc319a3ed1f4cf0305b7c96dbc01114fc1", 99521),
    ("45ac0d8a5fe63c331c801cb2899a7c4ab324d757", 103951),
    ("46ea603f341c3b3e2be4d9dc7e9e41a4c99f721a", 80513),
    ("cf1ba4d9aef86f651c69d336f0cfc5389ac399ed", 82554),
)
_FOLDS = {
    f"fold{k}": PinnedFile(
        *mawps.REPO, f"data/cv_svamp_augmented/fold{k}/dev.csv", git_blob=blob, size=size, folds=(f"fold{k}",)
    )
    for k, (blob, size) in enumerate(_FOLD_PINS)
}

_CITATION = """@inproceedings{patel-etal-2021-nlp,
  title = {Are {NLP} Models really able to Solve Simple Math Word Problems?},
  author = {Patel, Arkil and Bhattamishra, Satwik and Goyal, Navin},
  booktitle = {Proceedings of the 2021 Conference of the North American Chapter of the Association for
    Computational Linguistics: Human Language Technologies},
  year = {2021}
}"""

_KEYS = ("ID", "Body", "Question", "Equation", "Answer", "Type")
# The first digit of a variation code.
CATEGORIES = {"1": "question_sensitivity", "2": "reasoning_ability", "3": "structural_invariance"}
# The two digits of a code. A row may have several codes, joined by +.
VARIATIONS = {
    "11": "same object, different structure",
    "12": "different object, same structure",
    "13": "different object, different structure",
    "21": "relevant information added",
    "22": "information changed",
    "23": "operation inverted",
    "31": "order of objects changed",
    "32": "order of phrases changed",
    "33": "irrelevant information added",
}
# Texts that share fewer words than this are not taken for two versions of one problem.
_LEAST_OVERLAP = 0.6

_KEPT = "the answer is what the equation gives; the published one stays in meta"
_WRONG_ANSWERS = {"chal-680": "the answer 1 contradicts text and equation: 4 apples, 2 picked, 3 grown are 5"}
_TYPES = {"Common-Divison": "Common-Division"}
_CORRECTIONS = mawps.CORRECTIONS | {
    2368: Correction("the answer 3.333 is 10 / 3 rounded", rounding="places:3"),
}


def read(files: Files, fold: str) -> Splits:
    """Read the 3,138 published training rows and the 1,000 challenge problems.

    A fold has its own test problems.

    There is no validation split: the source has none, and a smaller training set would not be comparable with
    published results. Hold out a part of train to select a model.
    """
    training, challenge = _training(files[_TRAINING.path]), _challenge(files)
    if not fold:
        return {"train": training, "test": [problem for problem, _ in challenge]}
    path = files[_FOLDS[fold].path]
    tested = {_key(record) for record in slotted.read(path, "Ques")}
    test = [problem for problem, key in challenge if key in tested]
    if len(test) != len(tested):
        raise SourceError(
            f"{path}: {len(tested)} rows, of which {len(test)} are found in SVAMP; is it the right file?"
        )
    return {"train": [*training, *(problem for problem, key in challenge if key not in tested)], "test": test}


def _key(record: slotted.SlottedProblem) -> tuple[str, ...]:
    """Return the key that distinguishes a record of the CSV files from all others."""
    return (record.masked, *record.numbers)


def train_id(number: int) -> str:
    """Return the id of the training row with this running number.

    The first 1,921 are those of MAWPS, in its order.
    """
    return f"mawps-asdiv-a-{number:04d}"


def _training(path: Path) -> list[Problem]:
    problems = []
    first: dict[str, str] = {}
    for number, record in enumerate(slotted.read(path, "Ques"), 1):
        row_id = train_id(number)
        twin = first.setdefault(text_key(f"{record.body} {record.question}"), row_id)
        meta = {"duplicate_of": twin} if twin != row_id else {}
        problems.append(slotted.problem(record, row_id, _CORRECTIONS.get(number), meta))
    return problems


def _challenge(files: Files) -> list[tuple[Problem, tuple[str, ...]]]:
    """Return the challenge problems, each with the key of its record in the CSV files, or an empty key."""
    path = files[_CHALLENGE.path]
    rows = read_json(path, _KEYS)
    records = slotted.read(files[_VARIATIONS.path], "Ques", ["Variation Type"])
    known = [f"{record.body} {record.question}" for record in records]
    made: list[tuple[Problem, tuple[str, ...]]] = []
    for row, at in zip(rows, _join([f"{row['Body']} {row['Question']}" for row in rows], known), strict=True):
        if at is None:
            made.append((_problem(path, row, "", ""), ()))
            continue
        found = records[at]
        same = text_key(known[at]) == text_key(f"{row['Body']} {row['Question']}")
        codes, how = _codes(found.cells["Variation Type"]), "same text" if same else "nearest text"
        made.append((_problem(path, row, codes, how), _key(found)))
    return made


def _problem(path: Path, row: dict[str, str], codes: str, joined_by: str) -> Problem:
    meta = {"type": _TYPES.get(row["Type"], row["Type"])}
    if codes:
        meta["category"] = "+".join(sorted({CATEGORIES[code[0]] for code in codes.split("+")}))
        meta["variation"] = codes
        meta["variation_by"] = joined_by
    try:
        equation = expression.parse(row["Equation"]).replace(lambda leaf: expression.number(leaf.value()))
        answer = expression.canonical(equation.value())
        stated = expression.canonical(rational(row["Answer"]))
    except (DncError, ValueError) as error:
        raise SourceError(
            f"{path}: {row['ID']}: equation {row['Equation']!r}, answer {row['Answer']!r}: {error}"
        ) from error
    if answer != stated:
        if row["ID"] not in _WRONG_ANSWERS:
            raise contradiction(f"{path}: {row['ID']}", stated, equation.infix(), answer)
        meta["stated_answer"] = stated
    return Problem(
        row["ID"],
        row["Body"],
        row["Question"],
        equation=equation.infix(),
        answer=answer,
        meta=tuple(sorted(meta.items())),
    )


def _join(texts: list[str], known: list[str]) -> list[int | None]:
    """Return the match of each text in `known`: the same text, or the nearest one without a match.

    The two files hold the same problems, but the wording or a number of 58 was fixed in one of them.
    """
    by_key = {text_key(text): index for index, text in enumerate(known)}
    found = {at: by_key[key] for at, text in enumerate(texts) if (key := text_key(text)) in by_key}
    open_texts = {at: _words(text) for at, text in enumerate(texts) if at not in found}
    taken = set(found.values())
    open_known = {index: _words(text) for index, text in enumerate(known) if index not in taken}
    nearest_first = sorted(
        (
            (_overlap(words, others), at, index)
            for at, words in open_texts.items()
            for index, others in open_known.items()
        ),
        key=lambda pair: (-pair[0], pair[1:]),
    )
    for overlap, at, index in nearest_first:
        if overlap >= _LEAST_OVERLAP and at not in found and index not in taken:
            found[at] = index
            taken.add(index)
    return [found.get(at) for at in range(len(texts))]


def _codes(cell: str) -> str:
    codes = sorted(code.strip() for code in cell.split(","))
    if not set(codes) <= set(VARIATIONS):
        raise SourceError(f"unknown variation type {cell!r}; expected codes out of {', '.join(VARIATIONS)}")
    return "+".join(codes)


def _words(text: str) -> Counter[str]:
    return Counter(slotted.words(text))


def _overlap(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / (one.total() + other.total())


SOURCE = Source(
    name="svamp",
    title="SVAMP",
    shape="word_problem",
    read=read,
    files=(_CHALLENGE, _VARIATIONS, _TRAINING, *_FOLDS.values()),
    folds=tuple(_FOLDS),
    licence="MIT; the training rows from ASDiv are CC BY-NC 4.0",
    homepage="https://github.com/arkilpatel/SVAMP",
    scope=("body", "question"),
    borrowed=True,
    citation="\n".join((_CITATION, mawps.CITATION, asdiv_a.SOURCE.citation)),
    errata=(
        Erratum(
            "*",
            "58 challenge problems read differently in the CSV file, the only one with variation types",
            'the JSON file counts; the variation is of the nearest text (meta "variation_by")',
        ),
        *(Erratum(row_id, defect, _KEPT) for row_id, defect in _WRONG_ANSWERS.items()),
        *(
            Erratum(
                row_id,
                "the CSV file has a wrong equation and answer",
                "the labels of the JSON file, which are right",
            )
            for row_id in ("chal-489", "chal-755", "chal-911")
        ),
        Erratum("chal-50", "the operand 149 is missing from the text", "kept as published"),
        Erratum(
            "chal-555",
            "the equation has no operator: the answer is a number of the text",
            "kept as published",
        ),
        Erratum("chal-967", 'the type is spelt "Common-Divison"', 'meta "type" is Common-Division'),
        Erratum(
            "*",
            "training rows that repeat an earlier one up to case and punctuation (ASDiv and MAWPS overlap)",
            'kept; meta "duplicate_of" names the first',
        ),
        *slotted.errata({train_id(number): correction for number, correction in _CORRECTIONS.items()}),
    ),
)

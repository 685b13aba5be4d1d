"""MAWPS: the 1,921 problems of the SVAMP repository in their five published folds of train and test."""

from __future__ import annotations

from dnc_datasets.problem import Problem
from dnc_datasets.sources import Erratum, Files, PinnedFile, Source, Splits
from dnc_datasets.sources.formats import slotted
from dnc_datasets.sources.formats.slotted import Correction, hold_out

REPO = ("arkilpatel/SVAMP", "689d7ccac74b9983a2ac7cc3b264f441b99e7c53")
CITATION = """@inproceedings{koncel-kedziorski-etal-2016-mawps,
  title = {{MAWPS}: A Math Word Problem Repository},
  author = {Koncel-Kedziorski, Rik and Roy, Subhro and Amini, Aida and Kushman, Nate and
    Hajishirzi, Hannaneh},
  booktitle = {Proceedings of the 2016 Conference of the North American Chapter of the Association for
    Computational Linguistics: Human Language Technologies},
  year = {2016}
}"""
_PINS = {
    "fold0": (
        ("train", "f88c68144215255297e0b545008f183e1996635e", 595844),
        ("dev", "f97935058545bfd92c0e7c94758263df4eddaaa9", 148020),
    ),
    "fold1": (
        ("train", "6731f498221094b28e98e3a5119f657da09749fd", 593821),
        ("dev", "78118e4a3242f2f8cf51b6e1dbe5ddb213ad83a4", 150043),
    ),
    "fold2": (
        ("train", "fe16823367818fb53a446e3a8c515ea35ddbad4f", 593895),
        ("dev", "147137f6ec057678a0e0d867e8cc9fa5b39e0414", 149969),
    ),
    "fold3": (
        ("train", "d596a07782eb7e5291b3b96bf998024c53a5d7a1", 597305),
        ("dev", "929ca520d88a03bb68975dd638056ddba994cd22", 146559),
    ),
    "fold4": (
        ("train", "d937362dc2df8a6b58e8aa21ef83d9fed4c48f29", 594735),
        ("dev", "0ede0f5583e7b0f89af3f161281f2b29f7bd1911", 149129),
    ),
}
FOLDS = tuple(_PINS)


def _pinned(fold: str) -> tuple[PinnedFile, ...]:
    folds = (fold, "") if fold == FOLDS[0] else (fold,)
    return tuple(
        PinnedFile(*REPO, f"data/cv_mawps/{fold}/{name}.csv", git_blob=blob, size=size, folds=folds)
        for name, blob, size in _PINS[fold]
    )


_PINNED = {fold: _pinned(fold) for fold in FOLDS}

# By running number, which is also the row of the SVAMP training set (`dnc_datasets.sources.svamp`).
CORRECTIONS = {
    6: Correction(
        "the equation gives the cupcakes bought, the question asks for those left",
        equation="- * number0 number1 number2",
    ),
    19: Correction(
        "the equation leaves out the 6 extra crayons of the total asked for",
        equation="+ * number0 number1 number2",
    ),
    83: Correction("the answer 0.25 is 2.99 / 12 rounded to cents", rounding="places:2"),
    122: Correction("the answer 69.4 is rounded to a tenth", rounding="places:1"),
    287: Correction("40 / 7 is answered by 5: whole markers only", rounding="floor"),
    402: Correction("the answer 0.165 is neither 0.3333 / 2 nor that rounded"),
    528: Correction("the answer 3.33333 is 10 / 3 rounded", rounding="places:5"),
    597: Correction("four stamps of 34 cents are answered by 134 instead of 136"),
    631: Correction("the answer 0.3333 is neither 0.6667 * 0.5 nor that rounded"),
    767: Correction("the answer 6.45 is rounded to cents", rounding="places:2"),
    787: Correction(
        "the equation gives the pies, the question asks for their rows; row 771 has the same text",
        equation="/ + number0 number1 number2",
    ),
    835: Correction("the answer 21.3333 is 64 / 3 rounded", rounding="places:4"),
    1119: Correction(
        "the equation averages two speeds over equal times; the answer 54.545 is for equal ways, as asked",
        equation="/ * * 2 number0 number1 + number0 number1",
        rounding="places:3",
    ),
    1225: Correction("the answer 9 is exact for 2/3, which the text gives as 0.6667", rounding="places:2"),
    1361: Correction("1222 - 513 is answered by 208 instead of 709"),
    1437: Correction(
        "the equation leaves out the movie that was bought; the answer includes it",
        equation="+ + * number0 number1 number2 number3",
    ),
    1552: Correction(
        "the equation subtracts the untouched part of the whole asked for; row 851 has the same text",
        equation="+ number0 number1",
    ),
    1796: Correction("the answer 83.33 is 500 / 6 rounded", rounding="places:2"),
    1822: Correction(
        "the equation divides dollars by 5 cents; the answer 26 is right", equation="/ number0 0.05"
    ),
    1849: Correction(
        "the equation divides by its own answer, 7, instead of the 100 sheets of a box",
        equation="/ number0 number1",
    ),
    1914: Correction("the answer 41.0 is rounded to a tenth", rounding="places:1"),
}


def row_id(number: int) -> str:
    """Return the id of the row with this running number."""
    return f"mawps-{number:04d}"


def read(files: Files, fold: str) -> Splits:
    """Read one fold: its dev file is test, its train file is train with a tenth held out. "" is fold0.

    The files share one order: each train file consists of the dev files of the other folds in turn, and one
    row that is never tested. The running number over the dev files of all folds, and then that row, is
    therefore the same in every fold. It is the id.
    """
    fold = fold or FOLDS[0]
    train, dev = (slotted.read(files[file.path], "Ques_Statement") for file in _PINNED[fold])
    before = FOLDS.index(fold) * len(dev)
    numbered = [*enumerate(train[:before], 1), *enumerate(train[before:], before + len(dev) + 1)]
    tested = [*enumerate(dev, before + 1)]
    asked_in_train = {record.masked for record in train}
    first: dict[str, str] = {}
    for number, record in sorted([*numbered, *tested]):
        first.setdefault(slotted.text_key(f"{record.body} {record.question}"), row_id(number))

    def problem(number: int, record: slotted.SlottedProblem, **meta: str) -> Problem:
        twin = first[slotted.text_key(f"{record.body} {record.question}")]
        if twin != row_id(number):
            meta["duplicate_of"] = twin
        return slotted.problem(record, row_id(number), CORRECTIONS.get(number), meta)

    masked = {row_id(number): record.masked for number, record in numbered}
    kept, validation = hold_out(
        [problem(number, record) for number, record in numbered],
        "mawps",
        fold,
        group=lambda row: masked[row.id],
    )
    test = [
        problem(number, record, leaked="yes" if record.masked in asked_in_train else "no")
        for number, record in tested
    ]
    return {"train": kept, "validation": validation, "test": test}


SOURCE = Source(
    name="mawps",
    title="MAWPS",
    shape="word_problem",
    read=read,
    files=tuple(file for pair in _PINNED.values() for file in pair),
    licence="MIT",
    homepage="https://github.com/arkilpatel/SVAMP",
    scope=("body", "question"),
    folds=FOLDS,
    citation=CITATION,
    errata=(
        Erratum(
            "*",
            "582 of the 1,920 test rows ask, up to their numbers, a question of their own train fold",
            'kept; meta "leaked" of each test row says yes or no, so that both parts can be scored',
        ),
        Erratum(
            "*", "rows that repeat an earlier row word for word", 'kept; meta "duplicate_of" names the first'
        ),
        Erratum(
            "*",
            "numbers that went through a float (56.0, 0.4166666666666667)",
            "written as exact numbers (56, 5/12)",
        ),
        Erratum(
            "*",
            "where two numbers of a text are equal, the published equation may name the wrong one's place",
            "equations are written with the numbers themselves",
        ),
        Erratum(
            row_id(286),
            "the equation takes 25% of the cost, while the text says 25% of the selling price",
            "kept as published",
        ),
        *slotted.errata({row_id(number): correction for number, correction in CORRECTIONS.items()}),
    ),
)

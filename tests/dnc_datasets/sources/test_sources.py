"""The published datasets, read from the real files."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from dnc_datasets import expression, files, perturbations, sources
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_datasets.sources import svamp
from dnc_datasets.sources.formats import slotted

NAMES = ("asdiv_a", "mawps", "svamp")
Splits = dict[str, list[Problem]]
Read = Callable[..., Splits]


@pytest.fixture(scope="module")
def read(mirror: Path) -> Read:
    """Reads a dataset, or one fold of it, from the real files; each once."""

    @cache
    def splits(name: str, fold: str = "") -> Splits:
        source = sources.get(name)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DNC_MIRROR", str(mirror))
            return dict(source.read(files.resolve(source, fold=fold).files, fold))

    return splits


def rows(splits: Splits) -> list[Problem]:
    return [row for split in splits.values() for row in split]


def by_id(splits: Splits) -> dict[str, Problem]:
    return {row.id: row for row in rows(splits)}


def sizes(splits: Splits) -> dict[str, int]:
    return {name: len(split) for name, split in splits.items()}


# --- what holds for all


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_what_the_equation_gives(read: Read, name: str) -> None:
    wrong = [row.id for row in rows(read(name)) if row.answer != row.expected_answer()]
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_and_texts_are_there(read: Read, name: str) -> None:
    found = rows(read(name))
    assert len({row.id for row in found}) == len(found)
    assert [row.id for row in found if not row.question or row.text != row.text.strip()] == []


@pytest.mark.parametrize("name", NAMES)
def test_no_number_carries_traces_of_a_float(read: Read, name: str) -> None:
    traces = re.compile(r"\d\.\d{7}|\d\.0\b|\bnumber\d")
    for row in rows(read(name)):
        for text in (row.text, row.equation, row.answer):
            assert not traces.search(text), row
        assert row.answer == expression.canonical(Fraction(row.answer))


@pytest.mark.parametrize("name", NAMES)
def test_each_erratum_names_a_row_or_a_mark(read: Read, name: str) -> None:
    ids = set(by_id(read(name)))
    errata = sources.get(name).errata
    assert errata
    assert [erratum for erratum in errata if erratum.row not in {"*", *ids}] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_pin_is_the_mirror_index_s(mirror: Path, name: str) -> None:
    index = {
        (file["repo"], file["commit"], file["path"]): file
        for file in json.loads((mirror / "index.json").read_text())
    }
    for file in sources.get(name).files:
        stored = index[file.repo, file.commit, file.path]
        assert (file.git_blob, file.size) == (stored["git_blob"], stored["bytes"])
        assert file.sha256 in ("", stored["sha256"])


def hidden(found: list[Problem]) -> list[str]:
    """The ids of rows with an operand that the text does not show."""
    return [
        row.id
        for row in found
        if {leaf.value() for leaf in expression.parse(row.equation).leaves()}
        - {quantity.value for quantity in row.quantities()}
    ]


def test_operands_are_visible_but_for_the_listed_rows(read: Read) -> None:
    assert hidden(rows(read("asdiv_a"))) == ["nluds-1358"]
    assert hidden(read("svamp")["test"]) == ["chal-50"]


def test_mawps_operands_are_visible_but_for_constants_and_fractions(read: Read) -> None:
    # Coins, weeks, percent and the like need a constant; thirds and sixths are written n / d.
    found = rows(read("mawps"))
    assert 0.94 < 1 - len(hidden(found)) / len(found) < 0.96


# --- ASDiv-A


def test_asdiv_a_has_the_published_split(read: Read) -> None:
    assert sizes(read("asdiv_a")) == {"train": 974, "validation": 122, "test": 122}
    assert read("asdiv_a")["test"][0] == Problem(
        id="nluds-0760",
        body=read("asdiv_a")["test"][0].body,
        question="how many days are needed for her to finish all the flower arrangements?",
        equation="248 / 16",
        answer="16",
        unit="days",
        meta=(
            ("formula", "248/16=15 r8"),
            ("grade", "4"),
            ("rounding", "ceil"),
            ("solution_type", "Ceil-Division"),
        ),
    )


def test_asdiv_a_rounds_exactly_where_its_errata_say(read: Read) -> None:
    found = rows(read("asdiv_a"))
    rounding = Counter(row.note("rounding") for row in found)
    assert rounding == {"": 1189, "floor": 19, "ceil": 9, "places:3": 1}
    assert all((" r" in row.note("formula")) == (row.note("rounding") in ("floor", "ceil")) for row in found)


@pytest.mark.parametrize("k", range(5))
def test_asdiv_a_folds_are_the_published_ones(read: Read, mirror: Path, k: int) -> None:
    fold = read("asdiv_a", f"fold{k}")
    assert sizes(fold) == (
        {"train": 857, "validation": 95, "test": 266}
        if k == 4
        else {"train": 882, "validation": 98, "test": 238}
    )
    [listing] = mirror.glob(f"chaochun/*/*/dataset/nfolds/asdiv-a/fold{k}.txt")
    assert {row.id for row in fold["test"]} == set(listing.read_text().split())
    assert by_id(fold) == by_id(read("asdiv_a"))


# --- SVAMP


def test_svamp_has_its_challenge_and_training_sets(read: Read) -> None:
    assert sizes(read("svamp")) == {"train": 3138, "test": 1000}
    first = read("svamp")["test"][0]
    assert (first.id, first.equation, first.answer) == ("chal-1", "76 - 25", "51")
    assert [row.id for row in read("svamp")["test"]] == [f"chal-{n}" for n in range(1, 1001)]


def test_svamp_folds_are_the_published_ones(read: Read, mirror: Path) -> None:
    everything = by_id(read("svamp"))
    tested: list[str] = []
    for fold, size in zip(sources.get("svamp").folds, (206, 218, 227, 165, 184), strict=True):
        found = read("svamp", fold)
        assert sizes(found) == {"train": 4138 - size, "test": size}
        assert by_id(found) == everything
        tested += [row.id for row in found["test"]]
        # The published training file holds the same rows; only their order differs.
        published = f"data/cv_svamp_augmented/{fold}/train.csv"
        path = next(mirror.glob(f"arkilpatel/SVAMP/*/{published}"))
        texts = Counter(slotted.text_key(f"{r.body} {r.question}") for r in slotted.read(path, "Ques"))
        ours = Counter(slotted.text_key(row.text) for row in found["train"])
        # 58 challenge problems read differently in the CSV files.
        assert (texts - ours).total() <= 58
        assert texts.total() == ours.total()
    assert sorted(tested) == sorted(row.id for row in read("svamp")["test"])


def test_the_published_perturbed_rows_are_told_apart(read: Read, facts: Path) -> None:
    found = read("asdiv_a_manual")
    assert sizes(found) == {"train": 974, "validation": 122, "test": 293}
    assert found["train"] == read("asdiv_a")["train"]
    shown = {
        "language_digits_to_words": "language", "language_words_to_digits": "language_reversed",
        "type_left_unperturbed": "unperturbed",
    }  # fmt: skip
    with (facts / "mwp" / "derived_dnc_manual_testset.csv").open() as file:
        known = [(row["id"], shown.get(row["shows"], row["shows"])) for row in csv.DictReader(file)]
    assert [(row.note("seed_problem"), row.note("shows")) for row in found["test"]] == known
    assert "perturbed already" in catalogue.why_not(perturbations.get("type"), sources.get("asdiv_a_manual"))


def test_svamp_variations_are_joined_for_every_row(read: Read) -> None:
    test = read("svamp")["test"]
    assert Counter(row.note("variation_by") for row in test) == {"same text": 942, "nearest text": 58}
    codes = Counter(code for row in test for code in row.note("variation").split("+"))
    assert set(codes) == set(svamp.VARIATIONS)
    # What was counted in the CSV file itself: joining one to one loses and repeats nothing.
    assert codes == {
        "11": 327,
        "12": 69,
        "13": 74,
        "21": 265,
        "22": 149,
        "23": 255,
        "31": 107,
        "32": 152,
        "33": 281,
    }
    challenge = by_id({"test": test})
    assert challenge["chal-2"].note("category") == "reasoning_ability+structural_invariance"
    # Numbers were exchanged in the text of one file, names or words in that of another.
    assert challenge["chal-680"].note("variation") == "21+23"
    assert challenge["chal-862"].note("variation") == "32"
    assert challenge["chal-270"].note("variation") == "13+22"


def test_svamp_errata_are_what_the_rows_show(read: Read) -> None:
    found = by_id(read("svamp"))
    assert (found["chal-680"].answer, found["chal-680"].note("stated_answer")) == ("5", "1")
    assert [row.id for row in read("svamp")["test"] if row.note("stated_answer")] == ["chal-680"]
    assert [row.id for row in read("svamp")["test"] if not expression.parse(row.equation).operators] == [
        "chal-555"
    ]
    assert [found[i].equation for i in ("chal-489", "chal-755", "chal-911")] == [
        "45 * 9",
        "551 + 177",
        "28 * 4",
    ]
    assert "149" not in found["chal-50"].text
    assert "149" in found["chal-50"].equation
    assert len({slotted.text_key(row.text) for row in read("svamp")["test"]}) == 1000


def test_svamp_training_text_reads_as_text(read: Read) -> None:
    train = read("svamp")["train"]
    assert [row.id for row in train if re.search(r" [.,?;:)%]|[$(] | n't|``|''| '[sS] ", row.text)] == []
    found = by_id({"train": train})
    assert found["mawps-asdiv-a-0001"].body.endswith("If Bryan has 56 books in each of his 9 bookshelves,")
    assert found["mawps-asdiv-a-0382"].equation == "0.25 + 0.25 + 5 / 12"
    assert "5/12 pitcher" in found["mawps-asdiv-a-0382"].body
    assert found["mawps-asdiv-a-0346"].text == "Find the product of -2, -15, 4 and -1."
    assert found["mawps-asdiv-a-1570"].question == "Convert 0.176 to a percent."


def test_duplicates_name_an_earlier_row_of_the_same_text(read: Read) -> None:
    for name, count in (("svamp", 408), ("mawps", 179)):
        found = by_id(read(name))
        repeated = [row for row in found.values() if row.note("duplicate_of")]
        assert len(repeated) == count
        for row in repeated:
            first = found[row.note("duplicate_of")]
            assert slotted.text_key(first.text) == slotted.text_key(row.text)
            assert first.id < row.id
            rounded = {first.note("rounding"), row.note("rounding")}
            assert first.answer == row.answer or rounded == {"places:5", "places:3"}


# --- MAWPS


@pytest.mark.parametrize("k", range(5))
def test_mawps_folds_hold_the_same_rows_under_the_same_ids(read: Read, k: int) -> None:
    fold = read("mawps", f"fold{k}")
    assert sizes(fold) == {"train": 1384, "validation": 153, "test": 384}
    assert [row.id for row in fold["test"]] == [f"mawps-{n:04d}" for n in range(384 * k + 1, 384 * k + 385)]
    assert len(by_id(fold)) == 1921
    reference = by_id(read("mawps"))
    for row_id, row in by_id(fold).items():
        assert (row.text, row.equation, row.answer) == (
            reference[row_id].text,
            reference[row_id].equation,
            reference[row_id].answer,
        )


def test_the_standard_split_of_mawps_is_fold0(read: Read) -> None:
    assert read("mawps") == read("mawps", "fold0")


def test_mawps_leakage_is_flagged_as_counted(read: Read, mirror: Path) -> None:
    folds = [read("mawps", f"fold{k}") for k in range(5)]
    flags = Counter(row.note("leaked") for fold in folds for row in fold["test"])
    assert flags == {"yes": 582, "no": 1338}
    assert {row.note("leaked") for fold in folds for row in fold["train"] + fold["validation"]} == {""}


def test_no_mawps_validation_question_is_in_train(read: Read) -> None:
    def masked(row: Problem) -> str:
        return re.sub(r"\d+(?:[./]\d+)?", "#", row.text)

    for k in range(5):
        fold = read("mawps", f"fold{k}")
        assert not {masked(row) for row in fold["validation"]} & {masked(row) for row in fold["train"]}


def test_mawps_rows_are_the_first_of_svamp_s_training_set(read: Read) -> None:
    train = read("svamp")["train"]
    for number, row in enumerate(sorted(rows(read("mawps")), key=lambda row: row.id)):
        assert (row.text, row.equation, row.answer) == (
            train[number].text,
            train[number].equation,
            train[number].answer,
        )


def test_mawps_exceptions_are_exactly_the_listed_rows(read: Read) -> None:
    marks = ("rounding", "stated_answer", "stated_equation")
    marked = {row.id for row in rows(read("mawps")) if any(row.note(mark) for mark in marks)}
    kept_as_they_are = {"mawps-0286"}
    assert marked == {erratum.row for erratum in sources.get("mawps").errata} - {"*"} - kept_as_they_are

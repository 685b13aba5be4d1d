"""Which numbers of a text count as amounts."""

from __future__ import annotations

import re

import pytest

from dnc_datasets import perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.language_plausible import spell_plausibly
from dnc_datasets.perturbations.numbers.amounts import amounts, amounts_in, numbers_in_digits, refers_or_names
from dnc_datasets.perturbations.verbosity_plausible import deny_plausibly
from dnc_datasets.problem import Problem
from dnc_datasets.tables.typed import fills_cell


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The census of 2000 showed 137,893 people.", ["137,893"]),
        ("On 26 November 1585 they paid 200 coins.", ["200"]),
        ("They played a Week 3 game and gained 40 yards.", ["40"]),
        ("He was 8-for-18 for 59 yards.", ["59"]),
        ("He got a 48, a 38, and a 25-yard field goal.", []),
        ("It grew at 4%–5% and later at 6%.", ["6"]),
        ("See pp. 14 and 20 men.", []),
        ("They made two 2 point conversions and 3 kicks.", ["3"]),
        ("AASB 16 applies to leases of 12 months.", ["12"]),
        ("16. Leases\n\nWe lease 46 vans.", ["46"]),
        ("Sales (1) were £8m in 5G networks.", ["8"]),
        ("We filed our Form 10-K with 7 notes.", ["7"]),
        ("It fell to 35,000 in 273 to rise again.", ["35,000"]),
        ("They took Hill 950 and ranked #1 on the Hot 100.", []),
        ("Davis 16 carries, then 0,25% of the rest.", ["16"]),
        ("In May 5 ships left with 40 men.", ["40"]),
        ("The Fox Sports 1 cable networks showed 13 games.", ["13"]),
        ("The Flash 9 specification was made open, and the Flash 9 files were 12 pages.", ["12"]),
        ("By 1986 the 7800 had 10 games.", ["10"]),
        ("He fought in the 45, and of the 293, 20 died.", ["293", "20"]),
        ("RDAF squadron 722 flew 3 missions.", ["3"]),
        ("They lost talks between 5 and 9 March and from May 5 to 7 with 40 men.", ["40"]),
        ("On third and 12 he ran 30 yards, on 4th and 1 he fell.", ["30"]),
        ("They were 10 games under .500 after 70+ yard runs.", ["10"]),
        ("They rose in 850 and during 993, with 60 men.", ["60"]),
        ("Income was $23, 335 and they were 40 people.", ["40"]),
        ("A 17 play drive, a 70 mile per hour limit, a 3 and out: 6 plays.", ["6"]),
        ("He scored a 1 yard touchdown in 1 game.", ["1"]),
        ("With 6,200 foot soldiers he took 2 towns.", ["6,200", "2"]),
        ("Over 40 of 66 posts fell.", ["40", "66"]),
        ("They sent 35 SQN Caribou and 1 ALSG, and 50 Cent won 4 NFL titles.", ["4"]),
        ("Some 30 000 refugees saw a 40 yd. field goal and 2 runs.", ["2"]),
        ("Drives started at the 15, 41 and 13, after 20 plays.", ["20"]),
        ("He kicked a 37, 29 & 41-yard field goals in 2 games.", ["2"]),
        ("Rice came between 11,500 and 6,200 BC, some 9,000 years ago.", ["9,000"]),
    ],
)
def test_prose(text: str, found: list[str]) -> None:
    assert [quantity.text for quantity in amounts_in(text, "body", prose=True)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Game two drew five crowds.", ["five"]),
        ("They led on a seven play, 70-yard drive after two kicks.", ["two"]),
        ("How many two point conversions were there in four games?", ["four"]),
        ("In the Thirteen Years' War six towns fell.", ["six"]),
    ],
)
def test_words_in_prose(text: str, found: list[str]) -> None:
    assert [quantity.text for quantity in amounts_in(text, "body", words=True, prose=True)] == found


@pytest.mark.parametrize(
    ("cell", "whole"),
    [("$ (1,205)", True), ("12%", True), ("Level 1", False), ("505,100 (1)", True), ("Years 2 & 3", False)],
)
def test_cells(cell: str, whole: bool) -> None:
    from dnc_datasets import numerals

    first = numerals.find(cell)[0]
    assert fills_cell(cell, first.start, first.end) is whole


def test_four_digits_count_in_word_problems() -> None:
    assert [quantity.text for quantity in amounts_in("He has 1705 pens.", "body")] == ["1705"]


def test_chinese_dates_are_no_amounts() -> None:
    found = amounts_in("2019年第3天买了12个，打8折。", "segments.0")
    assert [quantity.text for quantity in found] == ["12"]


def test_paths_lead_back_to_the_text() -> None:
    problem = Problem(
        "1", "3 a", "4 b?", table=(("", "2019"), ("x", "7")), segments=("5 c",), meta=(("passage", "p"),)
    )
    for quantity in problem.quantities(("body", "segments", "table", "question")):
        text = problem.text_at(quantity.field)
        assert text[quantity.start : quantity.end] == quantity.text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is long-term debt. 2 See “Policies” for 5 rules.", ["2"]),
        ("Notes: 1 See note 8. A “6 for 11” plan of 40 men.", ["1", "8", "6", "11"]),
        ("The limits on 401(k) plans of 30 men.", ["401"]),
        ("(B.2) Employee benefits of 30 men", ["2"]),
        ("As in paragraph 121, the lease of year 17 has 20 rooms.", ["121", "17"]),
        ("It is set out in “Item 12. Owners” and Notes 5, 6 and 7.", ["12", "5", "6", "7"]),
        ("The Group reports. 1. Emissions 1.1 Office buildings used 5 tons.", ["1", "1.1"]),
        ("Office 365 grew by 5 users. 12 shops closed.", ["365"]),
        ("It paid $US2.5 million in Phase 2 under Article 35.", ["5", "2", "35"]),
        ("It spends more in Year 1 than in Years 4 & 5 at 6985 Mill Street.", ["1", "4", "5", "6985"]),
        ("The top 3 of 12 shops.", ["3"]),
        ("Sales grew to 3.5 times the sales of May.", []),
    ],
)
def test_points(text: str, found: list[str]) -> None:
    numbers = re.finditer(r"(?<!US)\d+(?:\.\d+)?", text)
    assert [match[0] for match in numbers if refers_or_names(text, match.start(), match.end())] == found


def test_numbers_in_words_point_as_well() -> None:
    text = "It ends in year ten of seven leases."
    assert [quantity.text for quantity in amounts_in(text, "body", words=True, prose=True)] == ["seven"]


def test_language_leaves_minus_signs_and_ranges_in_digits() -> None:
    text = "Sales fell by –19% in 20–25 shops, for 7 reasons, at `64.90, 5,000 thousands and ($542) million."
    problem = Problem("1", text, "Why?", table=(("", "2019"),))
    made = spell_plausibly(problem, Draw(0, "d", "1", "language"))
    assert made is not None
    assert made.body == text.replace("7 reasons", "seven reasons")


def test_no_denial_stands_beside_brackets_of_the_text() -> None:
    problem = Problem(
        "1", "There was a decrease of ($542) million in 7 lands.", "Why?", table=(("", "2019"),)
    )
    made = deny_plausibly(problem, Draw(0, "d", "1", "verbosity"))
    assert made is not None
    assert re.fullmatch(r"There was a decrease of \(\$542\) million in 7 \(not \d+\) lands\.", made.body)


@pytest.mark.parametrize(
    ("cell", "denied"),
    [
        ("1.74 %", r"1\.74 % \(not \d\.\d\d %\)"),
        ("174,108(8)", r"174,108\(8\) \(not [\d,]+\)"),
        ("$  347", r"\$  347 \(not \$\d+\)"),
    ],
)
def test_what_belongs_to_the_number_of_a_cell_stays_before_the_denial(cell: str, denied: str) -> None:
    problem = Problem("1", "Sales.", "Why?", table=(("", "201"), ("Pens", cell)))
    made = deny_plausibly(problem, Draw(0, "d", "1", "verbosity"), scope=("table",))
    assert made is not None
    assert made.table[0] == problem.table[0]
    assert re.fullmatch(denied, made.table[1][1])


@pytest.mark.parametrize("cell", ["$ (13 )", "(88)", "-88", "−88"])
def test_a_negative_cell_has_no_denial(cell: str) -> None:
    problem = Problem("1", "", "Why?", table=(("", "2019", "2018"), ("Rent", cell, "75")))
    made = deny_plausibly(problem, Draw(0, "d", "1", "verbosity"), scope=("table",))
    assert made is not None
    assert made.table[1][1] == cell


@pytest.mark.parametrize("lower", [False, True])
def test_labels_of_a_passage_are_no_amounts_in_lower_case_either(lower: bool) -> None:
    text = (
        "The company filed its Form 10-K on May 31, 2019. See Item 7 and Note 12. The S&P 500 rose. "
        "It has 31 plants."
    )
    problem = Problem("1", text.lower() if lower else text, "How many plants?", meta=(("passage", "p"),))
    assert [one.text for one in amounts(problem, ("body",))] == ["31"]


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("They sold 20 000 tickets.", []),
        ("It cost 1.234,56 euros.", []),
        ("It cost 12,34,567 rupees and 50 paise.", ["50"]),
        ("Sales were $3.4bn and £386m.", []),
        ("Sales were $3.4 million, or 5%.", ["3.4", "5"]),
    ],
)
def test_no_part_of_a_number_is_taken_for_a_number(text: str, digits: list[str]) -> None:
    assert [number.digits for number in numbers_in_digits(text)] == digits


@pytest.mark.parametrize(
    ("body", "equation"),
    [
        ("The shop paid 1.234,56 euros for a lamp and 2.310,44 euros for a bed.", "1234.56 + 2310.44"),
        ("The hall sold 20 000 tickets in May and 35 000 tickets in June.", "20000 + 35000"),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_new_numbers_are_read_as_they_are_meant(body: str, equation: str, seed: int) -> None:
    problem = Problem("1", body, "How many were there in all?", equation=equation)
    for name in ("noise", "distribution", "noise_plausible", "distribution_plausible"):
        step = perturbations.get(name)
        made = step.apply(problem, Draw(seed, "own", "1", name))
        assert made is None or certify(problem, made, step)

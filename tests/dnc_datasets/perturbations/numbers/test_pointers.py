"""Numbers of a report that point at something or belong to a name."""

from __future__ import annotations

import re

import pytest

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.language import spell_numbers
from dnc_datasets.perturbations.numbers.amounts import amounts_in
from dnc_datasets.perturbations.numbers.pointers import points
from dnc_datasets.perturbations.verbosity import add_denied_number
from dnc_datasets.problem import Problem


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
    assert [match[0] for match in numbers if points(text, match.start(), match.end())] == found


def test_numbers_in_words_point_as_well() -> None:
    text = "It ends in year ten of seven leases."
    assert [quantity.text for quantity in amounts_in(text, "body", words=True, prose=True)] == ["seven"]


def test_language_leaves_minus_signs_and_ranges_in_digits() -> None:
    text = "Sales fell by –19% in 20–25 shops, for 7 reasons, at `64.90, 5,000 thousands and ($542) million."
    problem = Problem("1", text, "Why?", table=(("", "2019"),))
    made = spell_numbers(problem, Draw(0, "d", "1", "language"))
    assert made is not None
    assert made.body == text.replace("7 reasons", "seven reasons")


def test_no_denial_stands_beside_brackets_of_the_text() -> None:
    problem = Problem(
        "1", "There was a decrease of ($542) million in 7 lands.", "Why?", table=(("", "2019"),)
    )
    made = add_denied_number(problem, Draw(0, "d", "1", "verbosity"))
    assert made is not None
    assert re.fullmatch(r"There was a decrease of \(\$542\) million in 7 \(not \d+\) lands\.", made.body)


@pytest.mark.parametrize(
    ("cell", "denied"),
    [
        ("1.74 %", r"1\.74 % \(not \d+ %\)"),
        ("174,108(8)", r"174,108\(8\) \(not \d+\)"),
        ("$  347", r"\$  347 \(not \$\d+\)"),
        ("$ (13 )", r"\$ \(13 \) \(not \$\d+\)"),
        ("(88)", r"\(88\) \(not \d+\)"),
    ],
)
def test_what_belongs_to_the_number_of_a_cell_stays_before_the_denial(cell: str, denied: str) -> None:
    problem = Problem("1", "Sales.", "Why?", table=(("", "201"), ("Pens", cell)))
    made = add_denied_number(problem, Draw(0, "d", "1", "verbosity"), scope=("table",))
    assert made is not None
    assert made.table[0] == problem.table[0]
    assert re.fullmatch(denied, made.table[1][1])

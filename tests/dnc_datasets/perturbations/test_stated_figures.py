"""What a text, an earlier turn and the lines of a table say of each other remains true when amounts move."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest

from dnc_datasets import numerals, perturbations
from dnc_datasets.certificate import CHECKS, certify
from dnc_datasets.draws import Draw
from dnc_datasets.own import problems
from dnc_datasets.perturbations.tables import claims
from dnc_datasets.problem import Problem
from dnc_datasets.tables.identities import sums_of_all_columns
from dnc_datasets.tables.relations import Relation
from dnc_datasets.tables.running import products, running_sums

NAMES = ("noise_plausible", "distribution_plausible")
Rows = list[list[str]]
BOOKS = [["$ millions", "2021", "2020"], ["Novels", "830", "700"], ["Maps", "410", "365"]]
BEDS = [["Item", "2020", "2021"], ["Beds", "240", "260"], ["Cots", "36", "45"]]
Turns = Sequence[tuple[str, str]]


def asked(
    rows: Rows,
    text: str,
    equation: str,
    answer: str,
    turns: Turns = (),
    question: str = "What was the change?",
) -> Problem:
    history = [{"question": question, "answer": answer} for question, answer in turns]
    record = {"id": "q", "passage": text, "table": rows, "question": question, "equation": equation}
    return problems.read({**record, "answer": answer, "history": history}, 1)


def moved(problem: Problem, name: str, seed: int) -> Problem | None:
    step = perturbations.get(name, "table")
    made = step.apply(problem, Draw(seed, "d", problem.id, name))
    if made is not None:
        certify(problem, made, step)
    return made


def amount(problem: Problem, row: int, column: int) -> Fraction:
    return numerals.find(problem.table[row][column])[0].value


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("cell", ["700", "500", "90", "70", "10", "1,000", "2,000", "5,000", "250", "505"])
@pytest.mark.parametrize("text", ["Novel sales were ${} million in 2020.", "In 2020 novels sold for ${}m."])
def test_an_amount_with_any_number_of_digits_follows_its_cell(name: str, cell: str, text: str) -> None:
    low = Fraction(cell.replace(",", ""))
    rows = [
        ["$ millions", "2021", "2020"],
        ["Novels", f"{int(low * 5 // 4):,}", cell],
        ["Maps", "413", "367"],
    ]
    problem = asked(rows, text.format(cell), f"{int(low * 5 // 4)}-{int(low)}", str(int(low * 5 // 4 - low)))
    for seed in range(3):
        made = moved(problem, name, seed)
        assert made is not None
        assert numerals.find(made.body.replace("2020", ""))[0].value == amount(made, 1, 2) * 10**6


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("In 2021 the ward had 260 beds.", lambda a, b, c, d: b),
        ("At the end of 2021 there were 260 of them.", lambda a, b, c, d: b),
        ("In 2021 the ward had 305 places.", lambda a, b, c, d: b + d),
        ("In 2021 the ward had 305 places in all.", lambda a, b, c, d: b + d),
        ("The ward had 305 beds and cots in 2021.", lambda a, b, c, d: b + d),
        ("The ward grew by 20 beds.", lambda a, b, c, d: b - a),
        ("The average number of beds was 250.", lambda a, b, c, d: (a + b) / 2),
        ("Since 2020 it has 29 more places.", lambda a, b, c, d: b + d - a - c),
    ],
)
def test_counts_totals_differences_and_averages_follow(name: str, text: str, size: object) -> None:
    problem = asked(BEDS, text, "260-240", "20")
    for seed in range(3):
        made = moved(problem, name, seed)
        assert made is not None
        cells = [amount(made, row, column) for row in (1, 2) for column in (1, 2)]
        stated = [one.value for one in numerals.find(made.body) if one.kind != "year"]
        assert callable(size)
        assert stated == [size(*cells)]


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("In 2021 the ward was open for 36 weeks.", True),
        ("The ward has 36 cots on two floors.", False),
        ("A bus with 45 seats stops here.", True),
    ],
)
def test_a_number_that_chance_makes_equal_stays(text: str, stays: bool) -> None:
    made = moved(asked(BEDS, text, "260-240", "20"), "distribution_plausible", 0)
    assert made is not None
    assert (made.body == text) is stays


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text",
    [
        "Novel sales were eight hundred and thirty million dollars in 2021.",
        "Sales of novels, seven hundred million dollars in 2020, rose.",
        "In 2021 the shop sold thirty-six cots.",
    ],
)
def test_a_figure_in_words_refuses_the_row(name: str, text: str) -> None:
    rows, equation, answer = (BEDS, "260-240", "20") if "cots" in text else (BOOKS, "830-700", "130")
    rows = [*rows[:1], ["Beds", "240", "260"], ["Cots", "45", "36"]] if rows is BEDS else rows
    assert all(moved(asked(rows, text, equation, answer), name, seed) is None for seed in range(3))


@pytest.mark.parametrize(
    "text",
    [
        "Novels made twice as much as maps in 2021.",
        "For every map dollar the shop earned two dollars with novels.",
        "Novel sales rose by almost a fifth.",
        "Maps made a third of all sales.",
        "Novel sales rose nineteen percent.",
    ],
)
def test_a_ratio_in_words_keeps_the_amounts_together(text: str) -> None:
    rows = [*BOOKS[:2], ["Maps", "415", "350"]]
    for seed in range(4):
        made = moved(asked(rows, text, "830-700", "130"), "noise_plausible", seed)
        assert made is None or made.note("moved") == "together"
    assert claims.judges_sizes(text, tuple(map(tuple, rows)))


@pytest.mark.parametrize(
    ("text", "table", "holds"),
    [
        ("Novel sales were $700 million in 2020.", [["Novels", "830", "640"], ["Maps", "410", "365"]], False),
        ("Average novel sales were $765 million.", [["Novels", "900", "700"], ["Maps", "410", "365"]], False),
        (
            "In 2020 sales were $1,065 million in all.",
            [["Novels", "830", "640"], ["Maps", "410", "365"]],
            False,
        ),
        ("Novel sales rose by $130 million.", [["Novels", "900", "700"], ["Maps", "410", "365"]], False),
        (
            "Novels sold twice as much as maps in 2021.",
            [["Novels", "830", "700"], ["Maps", "600", "365"]],
            False,
        ),
        ("Novel sales rose by almost a fifth.", [["Novels", "1,300", "700"], ["Maps", "410", "365"]], False),
        (
            "Novel sales of seven hundred million dollars.",
            [["Novels", "830", "640"], ["Maps", "410", "365"]],
            False,
        ),
        ("A loan of $640 million is due.", [["Novels", "830", "640"], ["Maps", "410", "365"]], True),
        (
            "Novels sold twice as much as maps in 2021.",
            [["Novels", "1,660", "1,400"], ["Maps", "821", "730"]],
            True,
        ),
    ],
)
def test_the_certificate_reads_what_a_text_states(text: str, table: Rows, holds: bool) -> None:
    problem = asked(BOOKS, text, "830-700", "130")
    changed = problem.replace(table=(problem.table[0], *map(tuple, table)))
    assert CHECKS["stated_figures_follow"](problem, changed) is holds


@pytest.mark.parametrize(
    ("question", "answer", "table", "holds"),
    [
        ("In which year were novel sales less than 800 million?", "2020", ["900", "810"], False),
        ("In which year were novel sales less than 800 million?", "2020", ["900", "790"], True),
        ("Were novel sales higher in 2021?", "yes", ["690", "700"], False),
        ("Which sold more in 2020, novels or maps?", "novels", ["830", "300"], False),
        ("Which year had the larger increase?", "2021", ["830", "600"], False),
        ("What were novel sales in 2021?", "830", ["830", "600"], True),
    ],
)
def test_the_certificate_reads_limits_and_choices_of_earlier_turns(
    question: str, answer: str, table: list[str], holds: bool
) -> None:
    problem = asked(BOOKS, "The shop sells books.", "830-700", "130", [(question, answer)])
    changed = problem.replace(table=(*problem.table[:1], ("Novels", *table), *problem.table[2:]))
    assert CHECKS["earlier_turns_hold"](problem, changed) is holds


def test_a_figure_that_an_earlier_question_repeats_follows() -> None:
    turns = [("Is 410 the figure of the maps in 2021?", "yes")]
    made = moved(asked(BOOKS, "The shop sells books.", "830-700", "130", turns), "distribution_plausible", 0)
    assert made is not None
    assert made.history[0].question == f"Is {made.table[2][1]} the figure of the maps in 2021?"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_running_balance_runs_on(name: str, seed: int) -> None:
    rows = [
        ["Day", "In", "Out", "Balance"],
        ["2 June", "", "", "$210"],
        ["5 June", "$65", "", "$275"],
        ["9 June", "", "$48", "$227"],
        ["20 June", "$31", "", "$258"],
    ]
    made = moved(asked(rows, "The club saves.", "65+31", "96", question="How much came in?"), name, seed)
    assert made is not None
    balance = [amount(made, row, 3) for row in range(1, 5)]
    steps = [amount(made, 2, 1), -amount(made, 3, 2), amount(made, 4, 1)]
    assert [after - before for before, after in pairwise(balance)] == steps
    stale = made.with_texts({"table.4.3": "$1"})
    assert not CHECKS["restatements_agree"](asked(rows, "The club saves.", "65+31", "96"), stale)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_product_of_two_columns_is_one(name: str, seed: int) -> None:
    rows = [["Worker", "Hours", "Rate", "Pay"], ["Ida", "40", "$15", "$600"], ["Leo", "35", "$22", "$770"]]
    question = "How much more pay did Leo get?"
    made = moved(asked(rows, "The mill pays.", "770-600", "170", question=question), name, seed)
    if made is not None:
        assert all(amount(made, row, 1) * amount(made, row, 2) == amount(made, row, 3) for row in (1, 2))
    problem = asked(rows, "The mill pays.", "770-600", "170")
    assert not CHECKS["restatements_agree"](problem, problem.with_texts({"table.1.3": "$640"}))


def test_lines_that_run_on_or_multiply() -> None:
    def cells(*rows: tuple[int, ...]) -> dict[tuple[int, int], Fraction]:
        return {
            (row, at): Fraction(size) for row, line in enumerate(rows) for at, size in enumerate(line) if size
        }

    so_far = running_sums(cells((12, 12), (15, 27), (9, 36)))
    assert [one.plus for one in so_far] == [((0, 0),), ((0, 1), (1, 0)), ((1, 1), (2, 0))]
    assert not running_sums(cells((12, 12), (15, 27), (9, 38)))
    assert products(cells((4, 3, 12), (5, 6, 30))) == [((0, 2), (0, 0), (0, 1)), ((1, 2), (1, 0), (1, 1))]
    assert not products(cells((4, 3, 12), (5, 6, 31)))


def test_a_sum_of_one_column_holds_in_the_others_up_to_rounding() -> None:
    columns = (71, -20, 33, 84), (90, -31, 45, 105)
    values = {(row, at): Fraction(size) for at, line in enumerate(columns) for row, size in enumerate(line)}
    held = [Relation((3, 0), ((0, 0), (1, 0), (2, 0)))]
    assert sums_of_all_columns(held, values) == [Relation((3, 1), ((0, 1), (1, 1), (2, 1)))]
    assert not sums_of_all_columns(held, {**values, (3, 1): Fraction(120)})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("heading", "cells"),
    [
        ("Built", ["1788", "1803"]),
        ("Founded", ["1888", "1903"]),
        ("Year of birth", ["1688", "1703"]),
        ("ZIP code", ["20146", "50667"]),
        ("Phone", ["5550133", "5550178"]),
        ("High (°C)", ["22", "25"]),
    ],
)
def test_years_codes_and_degrees_keep_their_value(name: str, heading: str, cells: list[str]) -> None:
    rows = [["Mill", heading, "Workers"], ["Elm", cells[0], "48"], ["Oak", cells[1], "63"]]
    problem = asked(rows, "The mills are old.", "63-48", "15", question="How many more workers has Oak?")
    made = moved(problem, name, 1)
    assert made is not None
    assert [row[1] for row in made.table[1:]] == cells
    scaled = problem.with_texts({"table.1.1": "9", "table.2.2": "70"})
    known = heading != "Year of birth"
    assert not known or not CHECKS["restatements_agree"](problem, scaled)
    asks = asked(
        rows, "The mills are old.", f"{cells[1]}-{cells[0]}", "15", question="What is the difference?"
    )
    assert moved(asks, name, 1) is None


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("The ward has beds, as Note 20 says of its growth.", "Note 20"),
        ("A third party runs the ward.", "A third party"),
        ("We owned 46 manufacturing sites.", "46 manufacturing sites"),
    ],
)
def test_names_of_notes_and_parties_state_nothing(text: str, becomes: str) -> None:
    made = moved(asked(BEDS, text, "260-240", "20"), "distribution_plausible", 0)
    assert made is not None
    assert becomes in made.body
    assert not claims.judges_sizes("It is operated by a third party in 2021.", tuple(map(tuple, BEDS)))


def test_a_count_of_all_rows_follows_without_a_word_for_it() -> None:
    rows = [["Region", "Plants"], ["Asia", "19"], ["Europe", "24"], ["America", "7"]]
    made = moved(asked(rows, "We owned 50 sites.", "24-19", "5"), "distribution_plausible", 0)
    assert made is not None
    assert numerals.find(made.body)[0].value == sum(amount(made, row, 1) for row in (1, 2, 3))


def test_an_amount_that_is_a_cell_and_a_difference_keeps_both() -> None:
    rows = [["$ millions", "2021", "2020"], ["Novels", "840", "700"], ["Maps", "420", "365"]]
    text = "In 2021 novels sold for $420 million more than maps."
    for seed in range(4):
        made = moved(asked(rows, text, "840-700", "140"), "noise_plausible", seed)
        if made is not None:
            assert amount(made, 1, 1) == 2 * amount(made, 2, 1)

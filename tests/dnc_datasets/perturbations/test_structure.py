"""Reverse, define, relation, noop, names and extend: their wording, and the texts that they leave alone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import expression, operand_links, perturbations
from dnc_datasets.certificate import CHECKS, certify
from dnc_datasets.draws import Draw
from dnc_datasets.problem import Problem

NEW = ("reverse", "define", "relation", "noop", "names", "extend")


def _problem(text: str, equation: str) -> Problem:
    body, _, question = text.rpartition(" | ")
    answer = expression.parse(equation).canonical()
    return Problem("1", body, question, equation=equation, answer=answer)


def _made(name: str, text: str, equation: str) -> list[Problem]:
    """The rows of forty draws, each certified."""
    step, problem = perturbations.get(name), _problem(text, equation)
    rows = [step.apply(problem, Draw(seed, "", "1", name)) for seed in range(40)]
    made = [row for row in rows if row is not None]
    for row in made:
        certify(problem, row, step)
    return made


def _texts(name: str, text: str, equation: str) -> set[str]:
    return {row.text for row in _made(name, text, equation)}


SHOP = "Tom buys 14 cats for $9 each. Then he pays $31 for food. | How much does he spend?"


def test_reverse_hides_a_number_and_asks_for_it() -> None:
    made = _made("reverse", SHOP, "14 * 9 + 31")
    assert {row.answer for row in made} == {"14", "9", "31"}
    texts = {row.text for row in made}
    end = "Then he pays $31 for food. How much does he spend? If the answer is 157, what is"
    assert f"Tom buys x cats for $9 each. {end} x?" in texts
    assert f"Tom buys an unknown number of cats for $9 each. {end} the unknown number?" in texts
    assert f"Tom buys 14 cats for $x each. {end} x?" in texts
    assert {row.equation for row in made if row.answer == "14"} == {"(157 - 31) / 9"}


def test_reverse_writes_an_before_x() -> None:
    texts = _texts("reverse", "A $40 hat has a 15% discount. | How many dollars is that?", "40 * 15 / 100")
    assert any("an x% discount" in text for text in texts)


@pytest.mark.parametrize(
    ("text", "equation"),
    [
        # Both numbers are stated twice, or are the answer.
        ("Tom has 5 pens and 5 cups. | How many things is that?", "5 + 5"),
        # Several counts of pens fill five boxes.
        ("Tom puts 60 pens into boxes of 12 pens. | How many boxes does he fill?", "60 / 12"),
        # Either stick may be the longer one.
        ("One stick is 30 inches, another 18 inches. | What is the difference?", "30 - 18"),
        ("Tom needs at least 60 pens and has 13. | How many more does he need?", "60 - 13"),
        # A week states the 7 in a word.
        ("Tom walks 7 miles every week. | How many miles are 7 weeks?", "7 * 7"),
        ("Tom buys x + 5 pens for $9. | How much is that?", "5 * 9"),
    ],
)
def test_reverse_is_silent_where_the_number_is_not_determined(text: str, equation: str) -> None:
    assert not _made("reverse", text, equation)


def test_reverse_hides_no_number_after_a_unit_with_its_own() -> None:
    made = _made("reverse", "Tom runs 15 minutes 4 days a month. | How many minutes does he run?", "15 * 4")
    assert {row.answer for row in made} == {"15"}


def test_define_states_a_number_before_it_is_used() -> None:
    made = _made("define", SHOP, "14 * 9 + 31")
    assert all(re.match(r"Let x be [\d.]+ (?:times|plus|minus) \d+\. Tom buys ", row.text) for row in made)
    assert {row.answer for row in made} == {"157"}
    assert len({row.equation for row in made}) > 10
    assert any("for $x each" in row.text for row in made)


@pytest.mark.parametrize(
    "text",
    [
        "Grades 6 - 8 meet in room 12. | Who meets?",
        "A 15-minute break starts at 10:30. | How long is it?",
        "He won the 3rd race of 1998. | Which race?",
        "He needs 250g of flour. | How much is that?",
        "Emma and Sue met; then the two went home. | Who went?",
    ],
)
def test_define_leaves_ranges_compounds_and_names_alone(text: str) -> None:
    assert not _made("define", text, "1 + 1")


@pytest.mark.parametrize(
    ("text", "equation", "changed", "answer"),
    [
        (
            "Bob has 30 pens. Ann has 7 more pens than Bob. | How many has Ann?",
            "30 + 7",
            "7 fewer pens than",
            "23",
        ),
        (
            "Bob has 30 pens. Ann has 7 fewer pens than Bob. | How many has Ann?",
            "30 - 7",
            "7 more pens than",
            "37",
        ),
        ("Bob has $30. Ann has $7 more than Bob. | How much has Ann?", "30 + 7", "$7 less than", "23"),
        (
            "Bob has 30 pens. Ann has 4 times as many pens as Bob. | How many?",
            "30 * 4",
            "4 more pens than",
            "34",
        ),
        (
            "Bob has 30 pens. Ann has 5 more pens than Bob. | How many has Ann?",
            "30 + 5",
            "5 times as many pens as",
            "150",
        ),
        (
            "Bob is 30. Ann is 4 years older than Bob. | How old is Ann?",
            "30 + 4",
            "4 years younger than",
            "26",
        ),
        ("Bob has 30 pens. Ann has twice as many. | How many has Ann?", "30 * 2", "half as many", "15"),
        (
            "Bob has 30 pens. Ann has twice as many. | How many has Ann?",
            "30 * 2",
            "three times as many",
            "90",
        ),
        ("Bob has 30 pens. Ann has half as many. | How many has Ann?", "30 / 2", "twice as many", "60"),
        ("Bob had 30 pens. The number doubled. | How many has he?", "30 * 2", "tripled", "90"),
        ("A $30 fee increased by 20%. | What is it now?", "30 + 30 * 20 / 100", "decreased by 20%", "24"),
    ],
)
def test_relation_changes_one_word_and_one_node(text: str, equation: str, changed: str, answer: str) -> None:
    made = {(changed in row.text, row.answer) for row in _made("relation", text, equation)}
    assert (True, answer) in made


def test_relation_changes_a_step_wherever_the_equation_repeats_it() -> None:
    text = "Amy has 9 pens. Ben has 4 times as many pens as Amy. Eve has 2 fewer pens than Ben. | How many is that?"
    made = {row.equation: row.text for row in _made("relation", text, "9 + 9 * 4 + (9 * 4 - 2)")}
    assert "Ben has 4 more pens than Amy." in made["9 + (9 + 4) + (9 + 4 - 2)"]


@pytest.mark.parametrize(
    ("text", "equation"),
    [
        # Ann would have fewer than none.
        ("Bob has 4 pens. Ann has 40 more pens than Bob. | How many has Ann?", "4 + 40"),
        ("Bob is the oldest. Ann is 4 years younger than Bob, who is 30. | How old is Ann?", "30 - 4"),
        ("Bob has 30 pens, but Ann has only 40 more pens than he. | How many has Ann?", "30 + 40"),
        ("Bob gave half to Ann and the other half of his 30 pens to Eve. | How many has Eve?", "30 / 2"),
        # A mother is older than her child.
        ("Ann is 40. Her mother is 30 years older than Ann. | How old is her mother?", "40 + 30"),
        # The weather is good, and the harvest is smaller.
        ("The weather was good, so Bob got 5 more bags than the 30 of May. | How many bags?", "30 + 5"),
        # A cause that speaks against the new direction, and names that say which of two is larger.
        (
            "In May the birds are shyer and Bob saw 5 fewer birds than in April, when he saw 30. | How many?",
            "30 - 5",
        ),
        (
            "The toy poodle is 9 inches shorter than the standard poodle of 30 inches. | How tall is it?",
            "30 - 9",
        ),
        ("Bob scored 90 on the test. Ann scored 20 points less than Bob. | What was Ann's score?", "90 - 20"),
        # The text would state the answer.
        ("Bob has 30 pens. Ann has 5 fewer pens than Bob. | How many more pens has Bob?", "30 - (30 - 5)"),
        # Three times as old is not 13 * 3 - 18.
        (
            "Ann is 18 and Eve is 5. | In how many years will Ann be twice as old as Eve?",
            "(18 - 5) * 2 - 18",
        ),
        # The 9 takes no part in the solution.
        ("Bob has 30 pens and 9 cups. Ann has 50 more pens than Bob. | How many pens has Ann?", "30 + 50"),
    ],
)
def test_relation_is_silent_where_the_change_is_not_certain(text: str, equation: str) -> None:
    assert not _made("relation", text, equation)


def test_noop_adds_a_remark_before_the_question() -> None:
    text = "Amy picked 12 apples and sold 5 pears. If she eats 1 apple, | how many apples does she have left?"
    made = _made("noop", text.replace("If she eats 1 apple, ", ""), "12 - 5")
    assert len({row.body for row in made}) > 15
    for row in made:
        assert re.search(r"pears\. \w+ of the (?:apples|pears) were .+ than (?:the|all the) \w+\.$", row.body)
    within = _texts("noop", text, "12 - 1")
    assert all(re.search(r"\. If she eats 1 apple, how many", one) for one in within)


def test_noop_says_of_people_what_no_problem_asks() -> None:
    made = _texts("noop", "There are 30 students in a class. | How many pens does the class use?", "30 * 1")
    assert len(made) > 12
    assert all("of the students" in one for one in made)


def test_noop_says_when_somebody_learned_what_the_story_tells_of() -> None:
    made = _texts("noop", "Amy drove 12 miles and ran 5 miles. | How many miles did Amy go?", "12 + 5")
    assert {one.split(". ")[1] for one in made} == {
        f"Amy learned to drive at the age of {age}" for age in (18, 19)
    }
    assert not _made("noop", "Amy drove 12 miles at the age of 30. | How many miles did Amy go?", "12 + 0")
    assert not _made("noop", "Amy walked 12 miles and Ben 5. | How many miles did Amy go?", "12 + 0")


def test_noop_speaks_of_a_place_right_after_it_is_named() -> None:
    text = "Amy went to the toy store. She bought 12 kites and 5 drums there. | How many toys did she buy?"
    made = _texts("noop", text.replace(" there", ""), "12 + 5")
    assert all(one.startswith("Amy went to the toy store. The toy store ") for one in made)
    assert {re.sub(r"\d+", "x", one.split(". ")[1]) for one in made} == {
        "The toy store opened x years ago",
        "The toy store closes at x o'clock",
        "The toy store is x blocks away from a park",
    }


@pytest.mark.parametrize(
    "text",
    [
        "Amy opens a toy store near a park. She sold 12 kites. | How many kites did Amy sell?",
        "Amy went to the toy store each day. She bought 12 kites. | How many kites did Amy buy?",
        "Amy went to two stores. In one store she bought 12 kites. | How many kites did Amy buy?",
        "Amy would like to visit the store. She has 12 dollars. | How many dollars has Amy?",
        "Amy had 12 dimes in her bank. She lost 5 dimes. | How many dimes does Amy have?",
        "Amy read a book of 12 pages and Ben read a book of 5 pages. | How many pages did they read?",
        "The store has 12 red kites. It sold 5 kites. | How many kites are left?",
        "The store has 12 kites. 5 are sold. | How many kites are left?",
        "Amy asked 12 pupils to the party. Half of them are boys. | How many boys did Amy ask?",
    ],
)
def test_noop_says_nothing_of_a_place_that_is_not_one_and_known(text: str) -> None:
    assert not [one for one in _texts("noop", text, "12 + 5") if "The " in one.split(". ")[1]]


@pytest.mark.parametrize(
    "text",
    [
        "The cook picked 12 red apples and 5 green apples. | How many apples does she have?",
        "The cook picked 12 apples and weighs each. | How many ounces does an apple weigh?",
        "The cook would buy 12 apples. | How many apples is that?",
        "The cook picked 12 apples. | How many of them are left?",
        "The cook has 12 apples and sold 5. | How many apples does she have?",
        "The cook picked 3 apples. | How many apples does she have?",
        "The cook baked 12 loaves. | How many loaves did she bake?",
        "The cook baked 12 muffins each day. | How many muffins did she bake?",
        "The cook baked 12 muffins. If she sold 5 muffins. | How many muffins did she keep?",
    ],
)
def test_noop_is_silent_where_a_remark_could_matter(text: str) -> None:
    assert not _made("noop", text, "12 + 5")


def test_noop_says_nothing_about_the_size_of_things_that_hold_others() -> None:
    made = _texts("noop", "The cook filled 12 boxes. | How many boxes did she fill?", "12 + 0")
    assert {re.search(r"[a-z]+er(?= than)", one)[0] for one in made} == {"newer", "cleaner"}


def test_noop_does_not_take_they_for_people_of_the_remark() -> None:
    asked = "How many {} did they count?"
    assert _made("noop", f"Amy and Ben counted 12 apples. | {asked.format('apples')}", "12 + 0")
    assert not _made("noop", f"Amy and Ben counted 12 dogs. | {asked.format('dogs')}", "12 + 0")


def test_names_are_exchanged_within_their_gender() -> None:
    texts = _texts(
        "names", "Amanda gives Kevin 3 pens. Kevin's mother sees it. | How many pens has he?", "3 + 0"
    )
    assert len(texts) > 20
    for text in texts:
        found = re.fullmatch(
            r"(\w+) gives (\w+) 3 pens\. (\w+)'s mother sees it\. How many pens has he\?", text
        )
        assert found is not None
        assert found[2] == found[3] != "Kevin"


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Kevin has 3 pens. | How many pens has he?",
        "Kevin Miller has 3 pens. | How many pens has he?",
        "Mark has 3 pens. | How many pens has he?",
        "Virginia has 3 towns. | How many towns?",
        "Kevin has 3 pens and she likes them. | How many pens has she?",
        "Samuel has 3 pens. Sam sells one. | How many pens has he?",
        "The Kevin brand makes 3 pens. | How many pens is that?",
    ],
)
def test_names_that_may_be_something_else_stay(text: str) -> None:
    assert not _made("names", text, "3 + 0")


def test_extend_asks_for_a_multiple() -> None:
    made = _made("extend", SHOP, "14 * 9 + 31")
    assert {int(row.answer) for row in made} <= {157 * factor for factor in range(3, 10)}
    assert all(re.search(r"spend\? And how much is \d times that number\?$", row.text) for row in made)


@pytest.mark.parametrize("name", NEW)
def test_problems_without_a_graph_or_text_are_left_alone(name: str) -> None:
    step = perturbations.get(name)
    for problem in (Problem("1", "", ""), Problem("2", "", "What?", answer="yes", answer_type="yes_no")):
        assert step.apply(problem, Draw(0, "", "1", name)) is None


@given(a=st.integers(2, 999), b=st.integers(2, 999), c=st.integers(2, 99), seed=st.integers(0, 99))
def test_whatever_the_numbers_every_row_keeps_its_promises(a: int, b: int, c: int, seed: int) -> None:
    problem = _problem(
        f"Amanda has {a} pens. Kevin has {b} more pens than she and {c} cups. | How many things is that?",
        f"{a} + {a} + {b} + {c}",
    )
    for name in NEW:
        step = perturbations.get(name)
        row = step.apply(problem, Draw(seed, "", "1", name))
        if row is not None:
            certify(problem, row, step)
            assert row.expected_answer() == row.answer


def test_relation_leaves_years_of_birth_alone() -> None:
    text = "Ida was born in 1980 and is twice as old as her cousin. If Ida is 30, | when was her cousin born?"
    assert not _made("relation", text, "1980 + 30 / 2")


SALES = (("(in thousands)", "2019", "2018"), ("Net sales", "$4,310", "$3,975"), ("Store rent", "812", "640"))


def _document(
    question: str, equation: str, body: str = "", table: tuple[tuple[str, ...], ...] = SALES
) -> Problem:
    answer = expression.parse(equation).canonical()
    made = Problem("1", body, question, table, equation, answer, unit="thousand")
    links = operand_links.find(made, expression.parse(equation))
    return made.replace(meta=(("operands", operand_links.to_note(links)), ("table_scale", "thousand")))


def _of_table(name: str, problem: Problem) -> list[Problem]:
    step = perturbations.get(name, "table")
    rows = [step.apply(problem, Draw(seed, "", "1", name)) for seed in range(20)]
    made = [row for row in rows if row is not None]
    for row in made:
        certify(problem, row, step)
    return made


CHANGE = "What was the increase in net sales from 2018 to 2019?"


def test_reverse_hides_a_cell_and_gives_the_answer_in_its_unit() -> None:
    made = _of_table("reverse", _document(CHANGE, "4310 - 3975", "The shop opened in May."))
    assert {row.answer for row in made} == {"4310", "3975"}
    assert {row.question for row in made} == {
        f"{CHANGE} If the answer is $335 thousand, what is x in the table?"
    }
    assert {row.table[1] for row in made} == {("Net sales", "$x", "$3,975"), ("Net sales", "$4,310", "$x")}
    assert {row.equation for row in made} == {"335 + 3975", "4310 - 335"}


@pytest.mark.parametrize(
    ("question", "equation", "body", "table"),
    [
        # The text states the value, the difference of both values, or the sum of a column.
        (CHANGE, "4310 - 3975", "Net sales were $4.31 million, after $3.975 million.", SALES),
        (CHANGE, "4310 - 3975", "Net sales grew by $335 thousand.", SALES),
        (
            "What was the average of net sales?",
            "(4310 + 3975) / 2",
            "In all 5,122 and 4,615 were moved.",
            SALES,
        ),
        # The total of the table gives each part.
        (CHANGE, "4310 - 3975", "", (*SALES, ("Bonuses", "101", "93"), ("Total", "5,223", "4,708"))),
        # Either year may be the better one.
        ("What is the difference in net sales between 2018 and 2019?", "4310 - 3975", "", SALES),
        # A third of 5,122 does not end.
        ("What is a third of net sales and rent?", "(4310 + 812) / 3", "", SALES),
        # Which of the two is larger decides what is taken from what.
        ("What is the range of net sales?", "4310 - 3975", "", SALES),
        # The equation is about another row than the question.
        ("What was the increase in store rent from 2018 to 2019?", "4310 - 3975", "", SALES),
        ("What was the total of x and net sales in 2019?", "4310 + 812", "", SALES),
    ],
)
def test_reverse_is_silent_where_a_cell_is_not_determined(
    question: str, equation: str, body: str, table: tuple[tuple[str, ...], ...]
) -> None:
    assert not _of_table("reverse", _document(question, equation, body, table))


def test_reverse_hides_no_part_of_a_hundred_percent() -> None:
    shares = (
        ("", "2019", "2018"),
        ("Cost", "55%", "52%"),
        ("Profit", "45%", "48%"),
        ("Sales", "100%", "100%"),
    )
    asked = _document("What is the average cost in 2018 and 2019?", "(55 + 52) / 2", "", shares)
    assert not _of_table("reverse", asked.replace(unit="percent"))


def test_reverse_needs_an_answer_that_is_not_rounded() -> None:
    asked = _document("What is the ratio of net sales in 2019 to net sales in 2018?", "4310 / 3975")
    rounded = asked.replace(answer="1.08", unit="", meta=(*asked.meta, ("rounding", "places:2")))
    assert not _of_table("reverse", rounded)


def test_define_puts_the_definition_before_the_text_and_moves_links() -> None:
    asked = _document(CHANGE, "4310 - 3975", "Sales of 2017 were 3,100.")
    for row in _of_table("define", asked):
        first, rest = row.body.split(operand_links.PARAGRAPH_BREAK)
        assert rest == asked.body
        assert re.fullmatch(r"Let x be [\d,]+ (?:times|plus|minus) [\d,]+\.", first)
        assert sum(cell.endswith("x") for line in row.table for cell in line) == 1
        assert (row.answer, row.unit) == (asked.answer, "thousand")
        for value, link in operand_links.stored(row).items():
            located = operand_links.locate(row, link)
            assert located is not None
            assert located.value == value
    assert {cell for row in _of_table("define", asked) for cell in row.table[1]} >= {"$x"}


def test_define_leaves_a_value_alone_that_the_text_restates() -> None:
    asked = _document(CHANGE, "4310 - 3975", "Net sales were $4.31 million, after $3,975 thousand.")
    assert not _of_table("define", asked)


@pytest.mark.parametrize(
    ("promise", "change"),
    [
        ("one_cell_hidden", lambda row: row.replace(question=row.question.replace("335", "336"))),
        ("one_cell_hidden", lambda row: row.replace(question=row.question.replace("thousand", "million"))),
        ("one_cell_hidden", lambda row: row.replace(body="Net sales were 4,310 and 3,975.")),
        ("one_cell_hidden", lambda row: row.replace(table=(*row.table[:2], ("Store rent", "x", "640")))),
        ("hidden_cell_follows", lambda row: row.replace(equation="4310 * 1")),
        ("hidden_cell_is_no_part", None),
    ],
)
def test_promises_about_hidden_cells_refuse_broken_rows(
    promise: str, change: Callable[[Problem], Problem] | None
) -> None:
    asked = _document(CHANGE, "4310 - 3975", "The shop opened in May.")
    row = next(one for one in _of_table("reverse", asked) if one.answer == "4310")
    assert CHECKS[promise](asked, row)
    if change is None:  # the same cells, and a total of them
        total = (("Bonuses", "101", "93"), ("Total", "5,223", "4,708"))
        assert not CHECKS[promise](
            asked.replace(table=(*asked.table, *total)), row.replace(table=(*row.table, *total))
        )
    else:
        assert not CHECKS[promise](asked, change(row))


def test_cell_defined_refuses_another_value() -> None:
    asked = _document(CHANGE, "4310 - 3975")
    row = _of_table("define", asked)[0]
    assert CHECKS["cell_defined"](asked, row)
    assert not CHECKS["cell_defined"](asked, row.replace(body="Let x be 7 times 9."))
    assert not CHECKS["cell_defined"](asked, row.replace(question=f"{row.question} "))

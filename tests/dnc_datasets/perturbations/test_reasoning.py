"""The perturbations of reasoning: wording, fair coins, certificates that can fail, and coverage on real data."""

import json
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from dnc_datasets import expression, perturbations
from dnc_datasets.certificate import CHECKS, certify
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording.step_questions import step_question
from dnc_datasets.english.rewording.yes_no import with_gap
from dnc_datasets.errors import UnknownNameError
from dnc_datasets.perturbations.reasoning.naming import singles_out
from dnc_datasets.perturbations.reasoning.phrases import written
from dnc_datasets.perturbations.reasoning.self_contained_steps import is_self_contained
from dnc_datasets.perturbations.reasoning.thresholds import HOLDS, draw
from dnc_datasets.perturbations.replace_arith import definite
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr.evaluate import evaluate
from dnc_datasets.qdmr.steps import parse_steps
from dnc_datasets.serving import catalogue, rows, verify
from dnc_datasets.serving.build import build
from dnc_datasets.serving.settings import perturb

CASES = json.loads((Path(__file__).parent / "reasoning_cases.json").read_text(encoding="utf-8"))
PENS = Problem(
    "1",
    "Tom had 12 pens. He gave 5 pens to Amy.",
    "How many pens does Tom have left?",
    equation="12 - 5",
    answer="7",
)


@pytest.mark.parametrize(("question", "becomes"), CASES["yes_no"])
def test_yes_or_no(question: str, becomes: str | None) -> None:
    made = with_gap(question)
    assert (made.question if made else None) == becomes


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("Natalia sold 48/2 = <<48/2=24>>24 clips in May.", "How many clips did Natalia sell in May?"),
        ("The total cost of the pens is 3 * 4 = $<<3*4=12>>12.", "What is the total cost of the pens?"),
        ("There are 3 * 4 = <<3*4=12>>12 chairs in the room.", "How many chairs are there in the room?"),
        (
            "First find the total number of pages: 42 pages / 7 = <<42/7=6>>6 pages",
            "What is the total number of pages?",
        ),
        ("He spends 3*2 = $<<3*2=6>>6 on pens.", "How much does he spend on pens?"),
        ("So he has 5 + 3 = <<5+3=8>>8 pens left.", None),
        ("He made 15 dollars because 3 x 5 = <<3*5=15>>15", None),
        ("5 + 3 = <<5+3=8>>8", None),
    ],
)
def test_a_told_step_becomes_its_question(line: str, question: str | None) -> None:
    made = step_question(line)
    assert (made.question if made else None) == question


@pytest.mark.parametrize(("body", "old", "new", "part", "alone"), CASES["alone"])
def test_a_question_for_a_step_stands_alone(body: str, old: str, new: str, part: str, alone: bool) -> None:
    assert is_self_contained(Problem("1", body, old), new, expression.parse(part)) is alone


@pytest.mark.parametrize(("body", "old", "new", "part", "single"), CASES["named"])
def test_a_question_singles_out_its_step(body: str, old: str, new: str, part: str, single: bool) -> None:
    assert singles_out(Problem("1", body, old), new, expression.parse(part)) is single


def test_a_threshold_is_as_true_as_it_should_be_and_its_words_do_not_tell() -> None:
    words = ("more than", "fewer than", "at least", "at most", "exactly")
    counts = Counter[tuple[str, bool]]()
    for number in range(3000):
        truth = bool(number % 2)
        made = draw(PENS.value(), truth, words, Draw(0, "t", str(number), "append_bool"))
        assert made is not None
        assert HOLDS[made.words](PENS.value(), made.value) == truth
        counts[made.words, truth] += 1
    for word in words:
        share = counts[word, True] / (counts[word, True] + counts[word, False])
        assert 0.4 < share < 0.6


def test_a_time_between_two_years_is_not_compared_with_itself() -> None:
    words = ("more than", "at least", "exactly")
    for number in range(300):
        made = draw(
            PENS.value(), bool(number % 2), words, Draw(0, "t", str(number), "append_bool"), apart=True
        )
        assert made is not None
        assert made.value != PENS.value()
        assert made.words != "exactly"


def test_nobody_needs_more_than_there_will_be() -> None:
    problem = PENS.replace(
        question="How many more pens does Tom need to have 12 pens?", equation="12 - 5", answer="7"
    )
    for seed in range(40):
        made = perturb(problem, (perturbations.get("append_bool"),), dataset="t", seed=seed).problem
        asked = [int(word) for word in made.question.split() if word.isdigit()]
        assert max(asked) <= 12


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        ("Ann did 15 laps. Ben did 9 laps.", True),
        ("Ann did 15 laps more than Tim. Ben did 9 laps.", False),
    ],
)
def test_numbers_told_relatively_are_not_compared(body: str, asked: bool) -> None:
    problem = Problem("1", body, "How many more laps did Ann do than Ben?", equation="15 - 9", answer="6")
    made = perturb(problem, (perturbations.get("change_last"),), dataset="t")
    assert (made.original is not None) is asked


def test_a_threshold_is_written_as_the_problem_writes_numbers() -> None:
    assert written(Fraction(256651), PENS) == "256651"
    assert written(Fraction(256651), PENS.replace(body="Tom has 1,200 pens.")) == "256,651"
    assert written(Fraction(-5, 2), PENS.replace(table=(("", "2019"), ("Sales", "1,200")))) == "-2.5"


def test_no_negative_amount_is_asked_of_what_is_used() -> None:
    table = (("", "2018", "2019"), ("Cash used", "10", "14"))
    problem = Problem("1", "", "", table=table, equation="10 - 14", answer="-4")
    for question, acts in (
        ("What is the change in cash used from 2018 to 2019?", False),
        ("What is the average of the reserves in 2018 and 2019?", False),
        ("What is the change in cash from 2018 to 2019?", True),
    ):
        made = perturb(
            problem.replace(question=question), (perturbations.get("append_bool", "table"),), dataset="t"
        )
        assert (made.original is not None) is acts


def test_what_was_told_of_is_known() -> None:
    assert definite("on a rug at an inn for an hour") == "on the rug at the inn for an hour"


def test_no_answer_of_one_is_asked_about() -> None:
    assert (
        perturb(
            PENS.replace(equation="6 - 5", answer="1"), (perturbations.get("append_bool"),), dataset="t"
        ).original
        is None
    )


def test_the_steps_give_the_answer() -> None:
    for seed in range(40):
        made = perturb(PENS, (perturbations.get("append_bool"),), dataset="t", seed=seed).problem
        if steps := made.note("qdmr"):
            assert evaluate(parse_steps(steps))[-1] == made.answer
            return
    raise AssertionError("no row states its steps")


@pytest.mark.parametrize(
    ("check", "changes"),
    [
        ("answer_from_equation", {"question": "Does Tom have more than 6 pens left?", "answer": "no"}),
        ("answer_from_equation", {"question": "Does Tom have more than 7 pens left?", "answer": "yes"}),
        ("answer_from_equation", {"question": "Does Tom have pens left?", "answer": "yes"}),
        ("question_words_kept", {"question": "Does Tom have more than 6 cups left?", "answer": "yes"}),
        ("question_words_kept", {"question": "Does Amy have more than 6 pens left?", "answer": "yes"}),
        ("only_question_changed", {"question": "Does he?", "body": "Tom had 13 pens."}),
        ("equation_is_a_step", {"equation": "12 - 5", "answer": "7"}),
        ("equation_is_a_step", {"equation": "13", "answer": "13"}),
        ("last_operation_replaced", {"equation": "12 * 5"}),
        ("last_operation_replaced", {"equation": "12 + 6"}),
        ("comparison_from_equation", {"question": "Does Tom have more pens than Amy?", "answer": "no"}),
    ],
)
def test_certificates_catch_what_is_wrong(check: str, changes: dict[str, str]) -> None:
    changed = PENS.replace(**{"equation": "", **changes})
    assert not CHECKS[check](PENS, changed)


def test_a_table_comparison_is_read_from_the_table_again() -> None:
    table = (("", "2018", "2019"), ("Sales", "10", "14"))
    problem = Problem(
        "1", "", "What is the change in sales from 2018 to 2019?", table=table, equation="14 - 10", answer="4"
    )
    right = problem.replace(
        question="Was the figure for sales higher in 2019 than in 2018?", equation="", answer="yes"
    )
    assert CHECKS["table_comparison_holds"](problem, right)
    assert not CHECKS["table_comparison_holds"](problem, right.replace(answer="no"))
    losses = problem.replace(table=(("", "2018", "2019"), ("Loss", "(10)", "(14)")))
    assert not CHECKS["table_comparison_holds"](losses, right)


def test_contrast_sets_are_built_verified_and_name_their_originals(tmp_path: Path) -> None:
    build(["tiny_tables-bpb-contrast"], tmp_path / "dnc")
    assert verify.verify(tmp_path / "dnc").failures == []
    found = rows.read(tmp_path / "dnc" / "tiny_tables-bpb-contrast" / "test.parquet")
    ids = {problem.id for problem in catalogue.read("tiny_tables")["test"]}
    assert {row["original_id"] for row in found} <= ids
    assert all(row["id"].split("#")[0] == row["original_id"] for row in found)
    assert len({row["id"] for row in found}) == len(found) > len({row["original_id"] for row in found})
    assert all(rows.original(row).id == row["original_id"] for row in found)


def test_the_published_form_has_not_equal_many_thresholds_and_two_thirds_no() -> None:
    """Break, Perturb, Build: up to 30 comparisons of one answer, of which two in three are answered by no."""
    given = {"form": "published", "thresholds": 30}
    rows = list(catalogue.find("tiny-append_bool-contrast").stream("test", [PENS], parameters=given))
    assert 8 <= len(rows) <= 30
    assert len({row.problem.question for row in rows}) == len({row.problem.id for row in rows}) == len(rows)
    assert any(" other than " in row.problem.question for row in rows)
    share = sum(row.problem.answer == "no" for row in rows) / len(rows)
    assert 0.6 <= share <= 0.75
    first = [
        perturb(PENS, (perturbations.get("append_bool"),), dataset="t", seed=seed, parameters=given).problem
        for seed in range(150)
    ]
    assert 0.55 <= sum(problem.answer == "no" for problem in first) / len(first) <= 0.78


_ASKED = re.compile(r"(more|fewer|less|greater) than (\d[\d,]*)|at (least|most) (\d[\d,]*)")


@pytest.mark.parametrize(
    ("dataset", "problem", "answer"),
    [
        ("tiny", PENS, 7),
        (
            "drop_num",
            Problem(
                "1",
                "Smith kicked a 53-yard field goal.",
                "How many people live in Rome?",
                answer="1200",
                meta=(("passage", "1"),),
            ),
            1200,
        ),
        (
            "tatqa_a",
            Problem(
                "1",
                "",
                "What was the change in sales from 2018 to 2019?",
                (("", "2019", "2018"), ("Sales", "600", "480")),
                "600 - 480",
                "120",
                meta=(("operands", '{"600": "table.1.1", "480": "table.1.2"}'),),
            ),
            120,
        ),
    ],
)
def test_a_contrast_set_has_near_and_far_thresholds_above_and_below(
    dataset: str, problem: Problem, answer: int
) -> None:
    answers: Counter[str] = Counter()
    for seed in range(30):
        rows = list(catalogue.find(f"{dataset}-append_bool-contrast").stream("test", [problem], seed=seed))
        questions = [row.problem.question for row in rows]
        assert len(set(questions)) == len(rows) == len({row.problem.id for row in rows})
        answers.update(row.problem.answer for row in rows)
        kinds = set()
        for question in questions:
            found = _ASKED.search(question)
            if found is not None:
                value = int((found[2] or found[4]).replace(",", ""))
                if value != answer:
                    kinds.add((abs(value - answer) <= max(3, answer // 4), value > answer))
        assert len(rows) == 4
        assert len(kinds) >= 3  # the first threshold may be the answer itself
    assert answers["yes"] == answers["no"] == 60


def test_an_unknown_form_is_named() -> None:
    with pytest.raises(UnknownNameError, match="form of append_bool"):
        perturbations.get("append_bool").apply(PENS, Draw(0, "t", "1", "append_bool"), form="publishd")


@pytest.mark.parametrize("name", ["append_bool", "change_last", "replace_arith"])
def test_every_kind_acts_on_the_embedded_problems(name: str) -> None:
    problems = catalogue.read("tiny")["test"]
    assert any(perturb(one, (perturbations.get(name),), dataset="tiny").original for one in problems)


def test_a_contrast_set_of_ones_own() -> None:
    assert [step.name for step in catalogue.find("tiny-append_bool+prune_step-contrast").steps] == [
        "append_bool",
        "prune_step",
    ]


@pytest.mark.parametrize(("name", "least"), [("append_bool", 0.75), ("replace_arith", 0.1)])
def test_coverage_of_asdiv(mirror: Path, name: str, least: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(mirror))
    problems = [row for split in catalogue.read("asdiv_a").values() for row in split]
    made = [perturb(problem, (perturbations.get(name),), dataset="asdiv_a") for problem in problems]
    assert sum(row.original is not None for row in made) / len(problems) >= least
    labels = Counter(row.problem.answer for row in made if row.problem.answer_type == "yes_no")
    if labels:
        assert abs(labels["yes"] - labels["no"]) < 2.6 * sum(labels.values()) ** 0.5


FLOWERS = Problem(
    "1",
    "Maria bought 7 roses and 3 daisies for her mother. Each flower cost 6 dollars.",
    "How much did she spend?",
    equation="6 * (7 + 3)",
    answer="60",
)


def test_two_kinds_of_one_sentence_are_compared_and_added() -> None:
    step = perturbations.get("change_last", "word_problem")
    made = {
        (one.question, one.answer)
        for seed in range(30)
        if (one := step.apply(FLOWERS, Draw(seed, "d", "1", "change_last")))
    }
    assert made == {
        ("Did Maria buy more roses than daisies?", "yes"),
        ("Did Maria buy fewer roses than daisies?", "no"),
        ("Did Maria buy more daisies than roses?", "no"),
        ("Did Maria buy fewer daisies than roses?", "yes"),
    }
    row = perturb(FLOWERS, (perturbations.get("prune_step", "word_problem"),), dataset="d")
    assert row.problem.question == "How many roses and daisies did Maria buy in all?"
    assert (row.problem.equation, row.problem.answer) == ("7 + 3", "10")


@pytest.mark.parametrize(
    "body",
    [
        "Maria had 7 roses and 3 daisies. She sold 2 of them for 6 dollars each.",  # before or after?
        "Maria bought 7 red ones and 3 white ones. Each flower cost 6 dollars.",
        "Maria bought 7 roses and 3 daisies. If each flower cost 6 dollars. It was her birthday.",
    ],
)
def test_kinds_that_are_not_certain_are_not_compared(body: str) -> None:
    step = perturbations.get("change_last", "word_problem")
    assert step.apply(FLOWERS.replace(body=body), Draw(0, "d", "1", "change_last")) is None


def test_the_certificate_reads_the_kinds_for_itself() -> None:
    check = CHECKS["comparison_holds"]
    right = FLOWERS.replace(question="Did Maria buy more roses than daisies?", answer="yes", equation="")
    assert check(FLOWERS, right)
    assert not check(FLOWERS, right.replace(answer="no"))
    assert not check(FLOWERS, right.replace(question="Did Maria buy more daisies than roses?"))
    assert not check(FLOWERS, right.replace(question="Did Maria sell more roses than daisies?"))
    assert not check(FLOWERS, right.replace(question="Did Anna buy more roses than daisies?"))
    assert not check(FLOWERS, right.replace(question="Did Maria buy more roses than tulips?"))
    twice = FLOWERS.replace(body=f"{FLOWERS.body} Her sister has 9 roses.")
    assert not check(twice, right.replace(body=twice.body))


GARDEN = Problem(
    "garden",
    "Maria bought 14 tulips and 9 lilies. Each flower cost 3 dollars.",
    "How much did she spend on flowers?",
    equation="(14 + 9) * 3",
    answer="69",
)
PRICES = Problem(
    "prices",
    "A lamp costs $14 and a chair costs $32. Omar buys 2 lamps and 5 chairs.",
    "How much does he pay?",
    equation="2 * 14 + 5 * 32",
    answer="188",
)
DAYS = Problem(
    "days",
    "Vera earns $12 per hour. She worked 7 hours on Monday and 4 hours on Thursday.",
    "How much money did Vera earn?",
    equation="(7 + 4) * 12",
    answer="132",
)
OWNERS = Problem(
    "owners",
    "Iris picked 12 apples, Paul picked 7 apples, and Nora picked 20 apples.",
    "How many apples did they pick in all?",
    equation="12 + 7 + 20",
    answer="39",
)


def _made(problem: Problem, name: str) -> dict[str, str]:
    step, found = perturbations.get(name, "word_problem"), dict[str, str]()
    for seed in range(12):
        made = step.apply(problem, Draw(seed, "d", problem.id, name))
        if made is not None:
            certify(problem, made, step)
            found[made.question] = made.answer
    return found


def test_a_text_of_several_steps_names_amounts_to_compare() -> None:
    assert _made(GARDEN, "replace_arith") == {"How many more tulips than lilies did Maria buy?": "5"}
    assert _made(PRICES, "replace_arith") == {
        "How much more does a chair cost than a lamp?": "18",
        "How many more chairs than lamps does Omar buy?": "3",
    }
    whether = {
        "Does a chair cost more than a lamp?": "yes",
        "Does a lamp cost more than a chair?": "no",
        "Does a chair cost less than a lamp?": "no",
        "Does a lamp cost less than a chair?": "yes",
    }
    bought = PRICES.replace(body="A lamp costs $14 and a chair costs $32. Omar buys 2 lamps and a chair.")
    assert (
        _made(bought.replace(equation="2 * 14 + 32", answer="60"), "change_last").items() <= whether.items()
    )
    assert _made(bought.replace(equation="2 * 14 + 32", answer="60"), "change_last")
    assert _made(DAYS, "replace_arith") == {
        "How many more hours did Vera work on Monday than on Thursday?": "3"
    }
    assert _made(DAYS, "change_last")["Did Vera work more hours on Monday than on Thursday?"] == "yes"
    assert "How many more apples did Nora pick than Paul?" in _made(OWNERS, "replace_arith")
    assert _made(OWNERS, "change_last")


def test_a_step_that_a_rule_asks_for() -> None:
    shelves = Problem(
        "shelves",
        "Kira had 6 shelves of mystery books and 3 shelves of picture books. Each shelf had exactly 8 books on it.",
        "How many books did she have total?",
        equation="(6 + 3) * 8",
        answer="72",
    )
    for question, answer in _made(shelves, "prune_step").items():
        assert question.startswith("How many shelves")
        assert answer == "9"


def test_the_certificate_reads_prices_and_days_for_itself() -> None:
    check = CHECKS["comparison_holds"]
    right = PRICES.replace(question="Does a chair cost more than a lamp?", answer="yes", equation="")
    assert check(PRICES, right)
    assert not check(PRICES, right.replace(answer="no"))
    assert not check(PRICES, right.replace(question="Does a lamp cost more than a chair?"))
    assert not check(PRICES, right.replace(question="Does a desk cost more than a lamp?"))
    twice = PRICES.replace(body=f"{PRICES.body} Later a chair costs $40.")
    assert not check(twice, right.replace(body=twice.body))
    right = DAYS.replace(
        question="Did Vera work more hours on Monday than on Thursday?", answer="yes", equation=""
    )
    assert check(DAYS, right)
    assert not check(DAYS, right.replace(answer="no"))
    assert not check(DAYS, right.replace(question="Did Vera work more hours on Friday than on Thursday?"))


def test_the_certificate_wants_two_amounts_that_no_step_compares() -> None:
    check = CHECKS["last_operation_replaced"]
    right = GARDEN.replace(
        question="How many more tulips than lilies did Maria buy?", equation="14 - 9", answer="5"
    )
    assert check(GARDEN, right)
    assert not check(GARDEN, right.replace(question="How many more lilies than tulips did Maria buy?"))
    assert not check(GARDEN, right.replace(equation="9 - 14"))
    assert not check(GARDEN, right.replace(equation="14 + 9"))
    assert not check(GARDEN, right.replace(equation="14 - 8"))
    left = GARDEN.replace(equation="(14 - 9) * 3")
    assert not check(left, right)

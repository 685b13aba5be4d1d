"""Models that make one mistake throughout are recognised by it; perfect and random models get no behaviour."""

from __future__ import annotations

import html
import math
import random
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from dnc_datasets import escaping, expression, numerals
from dnc_datasets.errors import DncError
from dnc_datasets.expression import Binary, Expr, Number
from dnc_datasets.serving import catalogue, rows
from dnc_datasets.serving.catalogue import Variant
from dnc_leaderboard import markdown, page, summary, terminal
from dnc_metrics import behaviours, record_builder, reply_scores
from dnc_metrics import record as record_file
from dnc_metrics.behaviours import Behaviour, Case, Reply, fit
from dnc_metrics.record import Outcome, Provenance, Record, System
from dnc_metrics.record_builder import Asked, Scored
from dnc_metrics.row_labels import cluster

Row = dict[str, Any]
Model = Callable[[Row], Fraction | str]  # a number, or a reply to be read
RECIPES = ("", "language", "type", "noise", "distribution", "verbosity", "extra", "logic", "logic+noise")
WRONG_WAY = {"+": "-", "-": "+", "*": "/", "/": "*"}


@cache
def corpus() -> tuple[tuple[Variant, Row], ...]:
    """Rows of the embedded corpus with their variants: originals, and rows that a perturbation changed."""
    splits = {"test": catalogue.read("tiny")["test"]}
    found = []
    for recipe in RECIPES:
        variant = catalogue.find(f"tiny-{recipe}-attack" if recipe else "tiny")
        for row in variant.rows(splits)["test"]:
            record = rows.to_record(row, variant)
            if not recipe or record["perturbed"]:
                found.append((variant, record))
    return tuple(found)


def gold(row: Row) -> Fraction:
    return Fraction(row["answer"])


def read(row: Row) -> list[Fraction]:
    return [one.value for text in (row["body"], row["question"]) for one in numerals.find(text)]


def tree(row: Row) -> Expr:
    return expression.parse(row["equation"])


def evaluated(node: Expr, number: Callable[[Fraction], Fraction] = lambda value: value) -> Fraction:
    """The value of a calculation whose numbers are read in some way."""
    if isinstance(node, Number):
        return number(node.number)
    assert isinstance(node, Binary)
    return calculated(node.op, evaluated(node.left, number), evaluated(node.right, number))


def calculated(op: str, one: Fraction, other: Fraction) -> Fraction:
    return {
        "+": lambda: one + other,
        "-": lambda: one - other,
        "*": lambda: one * other,
        "/": lambda: one / other,
    }[op]()


def operands(row: Row) -> list[Fraction]:
    return [Fraction(leaf.infix()) for leaf in tree(row).leaves()]


def denied(row: Row) -> dict[Fraction, Fraction]:
    """Every number of a text with the number in brackets after it."""
    pairs = {}
    for kept, wrong in re.findall(r"([\d.,]*\d) \(not \$?([\d.,]*\d)\)", row["body"]):
        pairs.setdefault(Fraction(kept.replace(",", "")), Fraction(wrong.replace(",", "")))
    return pairs


def takes_first_denied(row: Row) -> Fraction:
    pairs, taken = denied(row), []

    def number(value: Fraction) -> Fraction:
        if value in pairs and not taken:
            taken.append(value)
            return pairs[value]
        return value

    return evaluated(tree(row), number)


def takes_all_denied(row: Row) -> Fraction:
    pairs = denied(row)
    return evaluated(tree(row), lambda value: pairs.get(value, value))


def added_number(row: Row) -> list[Fraction]:
    if row["perturbation"] != "extra":
        return []
    before = read(row["source"])
    return [value for value in read(row) if value not in before]


def inverted(node: Expr) -> Expr:
    return (
        Binary(WRONG_WAY[node.op], inverted(node.left), inverted(node.right))
        if isinstance(node, Binary)
        else node
    )


def swapped(node: Expr) -> Expr:
    if not isinstance(node, Binary):
        return node
    sides = swapped(node.left), swapped(node.right)
    return Binary(node.op, *(sides[::-1] if node.op in "-/" else sides))


def first_step(row: Row) -> Fraction:
    node = tree(row)
    while isinstance(node, Binary) and (isinstance(node.left, Binary) or isinstance(node.right, Binary)):
        node = node.left if isinstance(node.left, Binary) else node.right
    return evaluated(node)


def without_carries(row: Row) -> Fraction:
    """The digits are added without carrying, and the smaller digit is taken from the larger."""
    node = tree(row)
    if not isinstance(node, Binary) or node.op not in "+-" or len(operands(row)) != 2:
        return gold(row)
    scale = max(one.denominator for one in operands(row))
    scale = {1: 1, 2: 10, 5: 10, 10: 10}.get(scale, 100)
    one, other = (str(int(value * scale)).zfill(8) for value in operands(row))
    pairs = [(int(a), int(b)) for a, b in zip(one, other, strict=True)]
    digits = [(a + b) % 10 if node.op == "+" else abs(a - b) for a, b in pairs]
    return Fraction(int("".join(map(str, digits))), scale)


def wrong_digit(row: Row) -> Fraction:
    if gold(row).denominator != 1 or gold(row) < 1000:
        return gold(row)
    digits = list(str(gold(row)))
    place = random.Random(row["id"] + row["body"]).randrange(1, len(digits))
    digits[place] = str((int(digits[place]) + 3) % 10)
    return Fraction("".join(digits))


def without_point(row: Row) -> Fraction:
    text = {
        one.value: Fraction(one.text.replace(".", "").replace(",", ""))
        for field in (row["body"], row["question"])
        for one in numerals.find(field)
        if "." in one.text
    }
    return evaluated(tree(row), lambda value: text.get(value, value))


def random_answer(row: Row, seed: int = 0) -> Fraction:
    return Fraction(random.Random(f"{seed}{row['id']}{row['body']}").randint(1, 3 * int(abs(gold(row))) + 3))


def some_number(row: Row) -> Fraction:
    return random.Random(row["id"] + row["body"]).choice(read(row) or [gold(row)])


def last_numbers(row: Row) -> Fraction:
    node, last = tree(row), read(row)[-2:]
    return calculated(node.op, *last) if isinstance(node, Binary) and len(operands(row)) == 2 else gold(row)


def largest_numbers(row: Row) -> Fraction:
    node, largest = tree(row), sorted(read(row), reverse=True)[:2]
    return (
        calculated(node.op, *largest) if isinstance(node, Binary) and len(operands(row)) == 2 else gold(row)
    )


def original_question(row: Row) -> Fraction:
    """The original question's calculation, with the numbers that the text has now."""
    if not row["perturbation"].startswith("logic"):
        return gold(row)
    now = dict(zip(read(row["source"]), read(row), strict=False))
    return evaluated(tree(row["source"]), lambda value: now.get(value, value))


MODELS: dict[str, Model] = {
    "adds_all_numbers": lambda row: sum(read(row), Fraction()),
    "multiplies_all_numbers": lambda row: math.prod(read(row), start=Fraction(1)),
    "takes_a_denied_number": takes_first_denied,
    "takes_every_denied_number": takes_all_denied,
    "adds_the_added_number": lambda row: gold(row) + sum(added_number(row)),
    "takes_the_last_numbers": last_numbers,
    "takes_the_largest_numbers": largest_numbers,
    "copies_a_number": some_number,
    "copies_the_first_number": lambda row: read(row)[0],
    "copies_the_largest_number": lambda row: max(read(row)),
    "always_adds": lambda row: sum(operands(row), Fraction()),
    "always_subtracts": lambda row: 2 * max(operands(row)) - sum(operands(row)),
    "always_multiplies": lambda row: math.prod(operands(row), start=Fraction(1)),
    "inverts_the_operation": lambda row: evaluated(inverted(tree(row))),
    "swaps_the_operands": lambda row: evaluated(swapped(tree(row))),
    "stops_after_the_first_step": first_step,
    "answers_the_original": lambda row: gold(row["source"] or row),
    "ignores_the_changed_question": original_question,
    "rounds_the_answer": lambda row: Fraction(math.floor(gold(row) + Fraction(1, 2))),
    "truncates_the_numbers": lambda row: evaluated(tree(row), lambda value: Fraction(int(value))),
    "ignores_the_decimal_point": without_point,
    "answers_ten_times_too_much": lambda row: 10 * gold(row),
    "is_off_by_one": lambda row: gold(row) + 1,
    "ignores_carries": without_carries,
    "gets_a_digit_wrong": wrong_digit,
    "answers_twice_or_half": lambda row: 2 * gold(row),
    "never_answers_below_zero": lambda row: abs(gold(row)),
}


@cache
def diagnosis(model: Model, share: float = 1.0) -> tuple[Record, list[Outcome]]:
    """The record of a model that makes its mistake on this share of the rows, and its outcomes."""
    draw = random.Random(5)
    asked: dict[str, list[Scored]] = {}
    places = {}
    for variant, row in corpus():
        try:
            answer = model(row) if draw.random() < share else gold(row)
        except (ZeroDivisionError, IndexError):
            answer = None
        if isinstance(answer, str):
            reply = reply_scores.score_reply(row, answer)
            answer = reply.answer
            assert reply.right, row
        right = answer == gold(row)
        status = "right" if right else "not found" if answer is None else "wrong"
        one = Scored(row, right, status, answer, cluster=cluster(row), scores={"answer": right})
        asked.setdefault(variant.name, []).append(one)
        places[variant.name] = variant
    configs = [
        Asked(
            name,
            "tiny",
            "",
            places[name].recipe,
            places[name].setting,
            places[name].capability,
            "direct",
            "answer",
            own,
        )
        for name, own in asked.items()
    ]
    return record_builder.make(System("Model", "predictions"), Provenance("dnc score", "0"), configs)


def identifiable(name: str, outcomes: list[Outcome]) -> list[Outcome]:
    """Wrong rows whose answer this behaviour predicts, and no other but wider or narrower forms of it."""
    known = {f"{variant.name}|direct\t{row['id']}": row for variant, row in corpus()}
    tried = {one.name: one for one in behaviours.behaviours()}
    own = []
    for one in outcomes:
        case = Case.of(known[f"{one.cell}\t{one.id}"])
        if one.right or not one.answer or case is None:
            continue
        value = Fraction(one.answer)
        answer = (value.numerator, value.denominator)
        fits = [other for other in tried.values() if answer in other.answers(case)]
        if tried[name] in fits and all(other is tried[name] or other.related(tried[name]) for other in fits):
            own.append(one)
    return own


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_makes_one_mistake_is_recognised(name: str) -> None:
    record, outcomes = diagnosis(MODELS[name])
    (fitted,) = record.behaviours
    assert fitted.name == name
    assert fitted.share >= 0.95
    assert fitted.interval[0] > 2 * fitted.chance
    assert fitted.p < 0.001
    assert f"Model {fitted.sentence}" in summary.behaviours(record)[0]
    rows = identifiable(name, outcomes)
    assert len(rows) >= 5
    right = sum(one.sentence == fitted.sentence for one in rows)
    wrong = sum(bool(one.sentence) and one.sentence != fitted.sentence for one in rows)
    assert right >= 0.95 * len(rows)
    assert wrong < 0.02 * len(rows)
    # The other rows: their answer is also that of another mistake, or not one that the behaviour predicts.
    failures = [one for one in outcomes if one.answer and not one.right]
    assert sum(one.sentence == fitted.sentence for one in failures) >= 0.95 * len(failures)
    assert sum(one.sentence not in ("", fitted.sentence) for one in failures) < 0.02 * len(failures)


def thinks_aloud(row: Row) -> str:
    """A right reply with the steps before it, as chat models write."""
    listed = " and ".join(str(value) for value in operands(row))
    return f"Let us think. The text has {listed}.\n{row['equation']} = {row['answer']}\nThe answer is {row['answer']}."


LOST, NONE = ": loses ", "shows no drop above 5 points in"
RARELY, KNOWN = "is right too rarely to be judged in", "answers the original problems where"
NUMBERS, VALUES_, OPERANDS, OPERATIONS = (
    "number detection",
    "value understanding",
    "operand selection",
    "operation reasoning",
)
# Model -> what its headline says, and of which capabilities.
HEADLINES = {
    "takes_a_denied_number": {LOST: {OPERANDS}, NONE: {NUMBERS, VALUES_, OPERATIONS}},
    "takes_every_denied_number": {LOST: {OPERANDS}, NONE: {NUMBERS, VALUES_, OPERATIONS}},
    "answers_the_original": {KNOWN: {VALUES_, OPERATIONS}, NONE: {NUMBERS, OPERANDS}},
    "adds_the_added_number": {LOST: {OPERANDS}, NONE: {NUMBERS, VALUES_, OPERATIONS}},
    "adds_all_numbers": {LOST: {OPERANDS, OPERATIONS}},
    "takes_the_last_numbers": {LOST: {OPERANDS, OPERATIONS}, NONE: {NUMBERS, VALUES_}},
    "ignores_the_changed_question": {LOST: {OPERATIONS}, NONE: {NUMBERS, VALUES_, OPERANDS}},
    "rounds_the_answer": {LOST: {VALUES_}, NONE: {NUMBERS, OPERANDS, OPERATIONS}},
    "truncates_the_numbers": {LOST: {VALUES_}, NONE: {NUMBERS, OPERANDS, OPERATIONS}},
    "ignores_the_decimal_point": {LOST: {NUMBERS, VALUES_}, NONE: {OPERANDS, OPERATIONS}},
    "gets_a_digit_wrong": {LOST: {VALUES_}, NONE: {NUMBERS, OPERANDS, OPERATIONS}},
    "swaps_the_operands": {LOST: {OPERATIONS}, NONE: {NUMBERS, VALUES_, OPERANDS}},
    "copies_the_first_number": {RARELY: {NUMBERS, VALUES_, OPERANDS, OPERATIONS}},
    "inverts_the_operation": {RARELY: {NUMBERS, VALUES_, OPERANDS, OPERATIONS}},
    "is_off_by_one": {RARELY: {NUMBERS, VALUES_, OPERANDS, OPERATIONS}},
}


def headline(record: Record) -> dict[str, set[str]]:
    """The capabilities that the first sentence names after each of its phrases."""
    sentence = summary.sentences(record)[0]
    named = {}
    for phrase in (LOST, NONE, RARELY, KNOWN):
        if phrase in sentence:
            part = re.split(r"; |\. ", sentence.partition(phrase)[2])[0]
            names = re.findall(r"[a-z]+ [a-z]+(?:\+[a-z]+ [a-z]+)*", re.sub(r"points| in | and ", ",", part))
            named[phrase] = {name for name in names if name in (NUMBERS, VALUES_, OPERANDS, OPERATIONS)}
    return named


@pytest.mark.parametrize("name", HEADLINES)
def test_the_headline_names_the_capabilities_that_a_mistake_concerns(name: str) -> None:
    record, _ = diagnosis(MODELS[name])
    said = headline(record)
    assert {phrase: said.get(phrase) for phrase in HEADLINES[name]} == HEADLINES[name]
    assert LOST not in said or LOST in HEADLINES[name]


@pytest.mark.parametrize("model", [gold, thinks_aloud])
def test_a_perfect_model_shows_no_drop_however_it_writes(model: Model) -> None:
    record, _ = diagnosis(model)
    assert headline(record) == {NONE: {NUMBERS, VALUES_, OPERANDS, OPERATIONS}}
    assert record.behaviours == ()


@pytest.mark.parametrize(
    "name", ["adds_all_numbers", "takes_a_denied_number", "answers_the_original", "always_adds"]
)
def test_a_mistake_in_a_third_of_the_rows_is_recognised(name: str) -> None:
    record, _ = diagnosis(MODELS[name], 1 / 3)
    assert [one.name for one in record.behaviours] == [name]


def test_a_perfect_model_has_no_behaviour() -> None:
    record, _ = diagnosis(gold)
    assert record.behaviours == ()
    assert summary.behaviours(record) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_random_model_has_no_behaviour(seed: int) -> None:
    record, outcomes = diagnosis(partial(random_answer, seed=seed))
    assert record.behaviours == ()
    wrong = [one for one in outcomes if not one.right]
    assert sum(bool(one.sentence) for one in wrong) < 0.02 * len(wrong)


def test_a_model_that_always_gives_one_answer_is_recognised() -> None:
    record, outcomes = diagnosis(lambda row: Fraction(42) if row["id"][-3] != "7" else gold(row))
    (fitted,) = record.behaviours
    assert summary.behaviours(record)[0].startswith(
        "Model gives the same answer, 42, to different problems: "
    )
    assert fitted.share > 0.95
    assert fitted.chance < 0.1
    assert all(one.sentence == fitted.sentence for one in outcomes if one.answer == "42" and not one.right)


def test_answers_of_other_rows_show_no_behaviour() -> None:
    answers = [gold(row) for _, row in corpus()]
    random.Random(3).shuffle(answers)
    shuffled = dict(zip((id(row) for _, row in corpus()), answers, strict=True))
    record, _ = diagnosis(lambda row: shuffled[id(row)])
    assert record.behaviours == ()


def test_a_model_that_memorised_the_originals_is_not_blamed_for_value_understanding() -> None:
    record, _ = diagnosis(MODELS["answers_the_original"])
    (sentence,) = summary.sentences(record)
    assert "answers the original problems where value understanding" in sentence
    assert ": loses" not in sentence
    assert "does not measure value understanding" in summary.behaviours(record)[0]
    assert record.behaviours[0].capabilities["value_understanding"] == 1.0


def test_two_mistakes_are_both_recognised() -> None:
    def model(row: Row) -> Fraction:
        return takes_all_denied(row) if row["perturbation"] == "verbosity" else MODELS["always_adds"](row)

    record, _ = diagnosis(model)
    assert [one.name for one in record.behaviours] == ["always_adds", "takes_every_denied_number"]


def test_behaviours_survive_writing_and_reading(tmp_path: Path) -> None:
    record, outcomes = diagnosis(MODELS["adds_all_numbers"])
    written = record_file.write(record, outcomes, tmp_path)
    assert record_file.load(tmp_path) == written


def test_a_fit_does_not_depend_on_the_order_of_the_replies() -> None:
    replies = [
        Reply(
            row, False, MODELS["takes_a_denied_number"](row), cluster(row), variant.name, variant.capability
        )
        for variant, row in corpus()
        if variant.recipe == "verbosity"
    ]
    assert fit(replies) == fit(replies[::-1]) != ()


def test_few_wrong_answers_give_no_behaviour() -> None:
    some = [(variant, row) for variant, row in corpus() if variant.recipe == "verbosity"][:15]
    assert fit([Reply(row, False, takes_all_denied(row), cluster(row), "", "") for _, row in some]) == ()


def test_a_name_is_registered_once() -> None:
    def always_adds(case: Case) -> list[tuple[int, int]]:
        return []

    with pytest.raises(DncError, match="'always_adds' is registered already"):
        behaviours.behaviour("always adds", "another operation")(always_adds)


PENS = {"body": "", "question": "How many pens are left?", "equation": "12 - 3", "answer": "9"}


@pytest.mark.parametrize(
    "text",
    [
        "Tom had 12 (not 87) pens and lost 3.",
        "Tom had 12, not 87, pens and lost 3.",
        "Tom had 12 pens, not 87, and lost 3.",
        "Tom paid $12 (not $87) for pens and lost 3.",
        "Tom had twelve (not eighty-seven) pens and lost 3.",
    ],
)
def test_denied_numbers_are_read(text: str) -> None:
    case = Case.of({**PENS, "body": text})
    assert case is not None
    assert case.denials == (((12, 1), (87, 1)),)
    assert case.denied == ((87, 1), None)
    assert case.numbers == ((12, 1), (3, 1))


@pytest.mark.parametrize(
    ("name", "body", "equation", "answers"),
    [
        ("misreads_thousands", "A hall has 2,700 seats and 30 rows.", "2700 / 30", {(9, 100), (1, 15)}),
        ("misreads_thousands", "A hall has 270 seats and 30 rows.", "270 / 30", set()),
        ("confuses_tens_and_teens", "She has fifty figs and eats 13.", "50 - 13", {(2, 1)}),
        ("confuses_tens_and_teens", "She has 50 figs and eats 13.", "50 - 13", set()),
        ("calculates_in_the_order_of_the_text", "She ate 3 of her 12 figs.", "12 - 3", {(-9, 1)}),
        ("calculates_in_the_order_of_the_text", "Of 12 figs she ate 3.", "12 - 3", set()),
        ("answers_twice_or_half", "Of 12 figs she ate 3.", "12 - 3", {(18, 1), (9, 2)}),
    ],
)
def test_a_behaviour_predicts(name: str, body: str, equation: str, answers: set[tuple[int, int]]) -> None:
    answer = str(evaluated(expression.parse(equation)))
    case = Case.of({"body": body, "question": "How many?", "equation": equation, "answer": answer})
    assert case is not None
    assert _named(name).answers(case) == answers


@pytest.mark.parametrize(
    ("changes", "answers"),
    [
        ({"body": "Tom lost 3 of his 12 pens."}, set()),  # the same question, in another order
        ({"question": "How many pens had he?", "equation": "12", "answer": "12"}, {(9, 1)}),
    ],
)
def test_only_a_changed_question_can_be_ignored(changes: Row, answers: set[tuple[int, int]]) -> None:
    before = {**PENS, "body": "Tom had 12 pens and lost 3."}
    case = Case.of({**before, **changes, "source": before})
    assert case is not None
    assert _named("ignores_the_changed_question").answers(case) == answers


def _named(name: str) -> Behaviour:
    return next(one for one in behaviours.behaviours() if one.name == name)


def test_a_number_after_an_ordinary_not_is_not_denied() -> None:
    case = Case.of({**PENS, "body": "Tom had 12 pens. He did not lose more than 3."})
    assert case is not None
    assert case.denials == ()


@given(
    st.lists(st.integers(-(10**300), 10**300), min_size=1, max_size=70),
    st.sampled_from(["{} + {}", "{} / ({} - {})", "{} * {} * {} - {}", "{}", "x", ""]),
)
def test_every_behaviour_is_bounded_and_exact(numbers: list[int], form: str) -> None:
    count = form.count("{}")
    row = {
        "body": " and ".join(f"{number} pens" for number in numbers),
        "question": "How many?",
        "equation": form.format(*(numbers * 4)[:count]),
        "answer": str(numbers[0]),
    }
    case = Case.of(row)
    for one in behaviours.behaviours() if case else ():
        for top, bottom in one.answers(case):
            assert bottom > 0
            assert math.gcd(top, bottom) == 1
            assert top.bit_length() < 5000


def test_terminal_page_and_markdown_show_the_same_sentence() -> None:
    record, outcomes = diagnosis(MODELS["takes_every_denied_number"])
    (sentence,) = summary.behaviours(record)
    console = Console(width=1000, file=StringIO(), record=True)
    terminal.show(record, console)
    assert sentence in console.export_text()
    assert html.escape(sentence) in page.page([(record, outcomes)])
    assert escaping.markdown(sentence) in markdown.text([record])


def test_a_rare_behaviour_is_reported_with_its_frequency() -> None:
    def model(row: Row) -> Fraction:
        often = random.Random(row["id"] + row["body"]).random() < 0.6
        return MODELS["always_multiplies"](row) if often else random_answer(row)

    record, _ = diagnosis(model)
    assert [one.name for one in record.behaviours] == ["always_multiplies"]
    assert summary.behaviours(record)[0].startswith("Model often multiplies, whatever is asked: ")

"""Numbers in text: a table of cases, properties, limits, and the operands of the real problems."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from num2words import num2words

from dnc_datasets import numerals, perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.errors import CertificateError, DncError, UnknownNameError
from dnc_datasets.numerals import (
    KINDS,
    Quantity,
    cardinals,
    chinese,
    digits,
    find,
    parse,
    spell,
    spell_ordinal,
)
from dnc_datasets.numerals._words import read_run
from dnc_datasets.numerals.cardinals import spell_digits
from dnc_datasets.problem import Problem, Turn

CASES: dict[str, list[Any]] = json.loads(
    (Path(__file__).parent / "numerals_cases.json").read_text(encoding="utf-8")
)

integers = st.integers(min_value=-(10**15), max_value=10**15)
decimals = st.builds(lambda number, places: Fraction(number, 10**places), integers, st.integers(0, 12))
fractions = st.builds(Fraction, st.integers(-(10**6), 10**6), st.integers(1, 20))
# Sentences in which a number of any value reads as that number and as nothing else.
sentences = st.sampled_from(
    [
        "{}",
        "Tom has {} pens.",
        "It is {}.",
        "He got {}, then left",
        "({})",
        "Was it {}?",
        "a total of {} metres\n",
    ]
)


def values(text: str) -> list[Fraction]:
    return [quantity.value for quantity in find(text)]


def test_the_table_is_large_and_covers_every_kind() -> None:
    assert len(CASES["find"]) >= 180
    assert {number[2] for case in CASES["find"] for number in case["numbers"]} == set(KINDS)


@pytest.mark.parametrize("case", CASES["find"], ids=lambda case: case["text"][:40])
def test_find(case: dict[str, Any]) -> None:
    found = [[quantity.text, str(quantity.value), quantity.kind] for quantity in find(case["text"])]
    assert found == case["numbers"]


@pytest.mark.parametrize(("text", "value"), CASES["parse"])
def test_parse(text: str, value: str | None) -> None:
    assert parse(text) == (None if value is None else Fraction(value))


@pytest.mark.parametrize(("value", "words"), CASES["spell"])
def test_spell(value: str, words: str) -> None:
    assert spell(Fraction(value)) == words


@pytest.mark.parametrize(("value", "words"), CASES["spell_ordinal"])
def test_spell_ordinal(value: int, words: str) -> None:
    assert spell_ordinal(value) == words


@pytest.mark.parametrize(("value", "like", "text"), CASES["digits"])
def test_digits(value: str, like: str, text: str) -> None:
    assert digits(Fraction(value), like=like) == text


def test_a_quantity_knows_whether_it_is_whole_and_in_digits() -> None:
    whole, decimal, word, half = find("3 pens, 2.5 caps, three cups, half")
    assert [q.is_integer for q in (whole, decimal, word, half)] == [True, False, True, False]
    assert [q.in_digits for q in (whole, decimal, word, half)] == [True, True, False, False]
    assert whole == Quantity("3", (3, 1), 0, 1, "cardinal", "")
    assert decimal.value == Fraction(5, 2)


@given(st.one_of(integers, decimals), sentences)
def test_digits_are_found_again(value: Fraction | int, sentence: str) -> None:
    text = sentence.format(digits(value))
    assert values(text) == [value]
    assert parse(digits(value)) == value


@given(decimals, st.sampled_from(["1,050", "900.00", "1,193.50", "7"]))
def test_digits_in_the_manner_of_a_source_are_found_again(value: Fraction, like: str) -> None:
    text = digits(value, like=like)
    assert values(f"It is {text} now.") == [value]
    if "." in like and "/" not in text:
        assert len(text.partition(".")[2]) >= len(like.partition(".")[2])


@given(st.one_of(integers, decimals, fractions), sentences)
@example(Fraction(-1, 2), "{}")
@example(10**15, "Tom has {} pens.")
def test_words_are_found_again(value: Fraction | int, sentence: str) -> None:
    words = spell(value)
    assert parse(words) == value
    assert values(sentence.format(words)) == [value]
    assert values(sentence.format(words.capitalize())) == [value]


@given(st.integers(min_value=1, max_value=10**15))
@example(54802)
def test_ordinals_are_found_again(value: int) -> None:
    assert values(f"It was the {spell_ordinal(value)} day.") == [value]
    assert values(f"It was the {digits(value, like='4th')} day.") == [value]


@given(st.integers(min_value=0, max_value=10**15 - 1))
def test_words_are_those_of_num2words_but_for_its_commas(value: int) -> None:
    from num2words import num2words

    assert spell(value) == num2words(value).replace(",", "")
    assert spell_ordinal(value) == num2words(value, to="ordinal").replace(",", "")


@given(st.integers(1, 10**6), st.integers(2, 10**6))
def test_fractions_in_digits_are_found_again(numerator: int, denominator: int) -> None:
    assume(not (1500 <= numerator <= 2100 and denominator < 100))  # "1568/9" is two years
    (found,) = find(f"He ate {numerator}/{denominator} of it")
    assert (found.kind, found.value) == ("fraction", Fraction(numerator, denominator))


def test_small_numbers_are_found_again_one_by_one() -> None:
    for value in range(1, 1300):
        assert values(f"He has {spell(value)} pens") == [value]
        assert values(f"He has a {spell(value).replace(' ', '-')}-dollar bill") == [value]
        assert values(f"It is the {spell_ordinal(value)} day") == [value]
        assert values(f"He has {value} pens and the {digits(value, like='4th')} cap") == [value, value]


_WORDS = "one two twenty hundred thousand dozen half third quarters second point minus and a an of the May in"
_DIGITS = (
    "1 12 050 1998 2020 1,050 3.5 th s ½ [1] million percent pm http:// - , . / : ' $ % ( ) – − & # @ é İ"
)
pieces = st.sampled_from([*_WORDS.split(), *_DIGITS.split(), "\ud800", "\n"])


@given(st.one_of(st.text(), st.lists(pieces).map("".join), st.lists(pieces).map(" ".join)))
@example("\ud8005")
@example("1\u01305")
def test_spans_are_exact_and_do_not_overlap(text: str) -> None:
    end = 0
    for quantity in find(text):
        assert end <= quantity.start < quantity.end <= len(text)
        assert text[quantity.start : quantity.end] == quantity.text
        assert parse(quantity.text) == quantity.value
        assert quantity.kind in KINDS
        end = quantity.end


@given(st.text())
def test_parse_agrees_with_find(text: str) -> None:
    value = parse(text)
    if value is not None and "over" not in text:
        assert [abs(found) for found in values(text)] in ([abs(value)], [])


_UNITS = (
    "1,|,111|1.|1-|1/|1 1/2 |1:30:|$|[1|&#|a@| a|-|minus |twenty-|a-|one |one hundred and |a|½|in 1998 and "
)


@pytest.mark.parametrize("unit", _UNITS.split("|"))
def test_long_texts_take_linear_time(unit: str) -> None:
    # Quadratic time would take minutes here.
    for text in (unit * (100_000 // len(unit)), "1" + unit * (100_000 // len(unit)) + "@5"):
        for quantity in find(text):
            assert len(quantity.text) < 1000
        assert parse(text) is None


def test_a_megabyte_of_digits_is_no_number() -> None:
    assert values("1" * 1_000_000) == []
    assert values("1" * 1_000_000 + " pens and 5 caps") == [5]
    assert values("$1" + ",111" * 250_000) == []
    assert parse("1" * 1_000_000) is None


def test_digit_runs_beyond_the_limit_are_not_numbers() -> None:
    assert values("x = " + "9" * 400) == [10**400 - 1]
    assert values("x = " + "9" * 401) == []
    assert values("x = 1." + "9" * 5000) == []
    assert parse("9" * 5000) is None


def test_what_cannot_be_written_is_a_clear_error() -> None:
    with pytest.raises(DncError, match="write it in digits"):
        spell(10**33)
    with pytest.raises(DncError, match="digits cannot be written"):
        digits(10**5000)
    with pytest.raises(DncError, match="no ordinal"):
        spell_ordinal(-1)
    assert digits(Fraction(1, 2**3000)).startswith("0.000")


def test_every_operand_of_the_real_problems_is_found(mirror: Path) -> None:
    folder = next(mirror.glob("LYH-YF/MWPToolkit/*/dataset/asdiv-a"))
    missing = []
    for name in ("trainset", "validset", "testset"):
        for row in json.loads((folder / f"{name}.json").read_text(encoding="utf-8")):
            seen = {*values(row["Body"]), *values(row["Question"])}
            operands = re.findall(r"[0-9]+(?:\.[0-9]+)?", row["Formula"].partition("=")[0])
            if not {Fraction(operand) for operand in operands} <= seen:
                missing.append(row["@ID"])
    # "Bob and his four friends" are 1 + 4: the 1 is not in the text.
    assert missing == ["nluds-1358"]


@given(st.integers(2, 12).flatmap(lambda digits: st.integers(2, 10**digits)))
def test_integers_are_read_back(value: int) -> None:
    words = num2words(value)
    assert spell_digits(str(value)) == spell_digits(f"{value:,}") == words
    (quantity,) = numerals.find(f"They counted {words} grains.")
    assert (quantity.text, quantity.value) == (words, value)


@given(st.integers(0, 10**9), st.text("0123456789", min_size=1, max_size=4))
def test_decimals_are_read_back(integer: int, decimals: str) -> None:
    words = spell_digits(f"{integer}.{decimals}")
    (quantity,) = numerals.find(f"It weighs {words} tons.")
    assert (quantity.text, quantity.value) == (words, Fraction(f"{integer}.{decimals}"))


@given(st.integers(0, 34).flatmap(lambda digits: st.integers(0, 10**digits)))
def test_integers_are_spelled_as_num2words_spells_them(value: int) -> None:
    assert spell_digits(str(value)) == num2words(value)


@pytest.mark.parametrize(
    ("run", "follows", "values"),
    [
        ("one hundred and five", "", [105]),
        ("two thousand, three hundred", "of", [2300]),
        ("twenty five", "-", [20, 5]),
        ("one thousand, five", "", [1000, 5]),
        ("six hundred five", "", [605]),
    ],
)
def test_runs_of_words_are_read(run: str, follows: str, values: list[int]) -> None:
    assert [reading.value for reading in read_run(run, follows)] == values


@pytest.mark.parametrize("digits", ["12.46", "0.05", "1234.5", "3.75"])
def test_decimals_are_spelled_as_num2words_spells_them(digits: str) -> None:
    assert spell_digits(digits) == num2words(digits)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The shops sold one thousand, five and twenty pens.", [1000, 5, 20]),
        ("They have two thousand, three thousand, or nine bricks.", [2000, 3000, 9]),
    ],
)
def test_a_list_is_not_one_number(text: str, values: list[int]) -> None:
    assert [quantity.value for quantity in numerals.find(text)] == values


CHINESE = CASES["chinese"]
LANGUAGE = perturbations.get("language_plausible")
DRAW = Draw(0, "d", "1", "language")


@pytest.mark.parametrize(("text", "wanted"), CHINESE["found"])
def test_numerals_that_count_are_found(text: str, wanted: list[list[str]]) -> None:
    assert [[q.text, str(q.value)] for q in numerals.find(text)] == wanted


@pytest.mark.parametrize("text", CHINESE["nothing"])
def test_numerals_that_count_nothing_are_left(text: str) -> None:
    assert numerals.find(text) == ()


@given(st.integers(-(10**12) + 1, 10**12 - 1), st.sampled_from((1, 2, 4, 10, 1000, 3, 7)))
def test_what_is_spelled_is_read_back(numerator: int, denominator: int) -> None:
    value = Fraction(numerator, denominator)
    assert numerals.parse(chinese.spell(value)) == value


@pytest.mark.parametrize(("text", "wanted"), CHINESE["edits"])
def test_language_spells_chinese(text: str, wanted: str) -> None:
    problem = Problem("1", text, "一共多少？", answer="7")
    made = LANGUAGE.apply(problem, DRAW)
    assert (made.body if made else text) == wanted
    if made:
        certify(problem, made, LANGUAGE)


def test_earlier_answers_are_spelled_too() -> None:
    problem = Problem("1", "", "一共多少？", segments=("有12本书。",), history=(Turn("几本？", "420"),))
    made = LANGUAGE.apply(problem, DRAW, scope=("segments", "history", "question"))
    assert made
    assert made.segments == ("有十二本书。",)
    assert made.history[0].answer == "四百二十"


def test_another_language_is_spelled_and_spelled_again() -> None:
    body = "Anna hat 12 Hefte. 25 Kinder zahlen je 7,50 Euro, 1 Kind 2019 nichts, 21 Kinder 1.050."
    problem = Problem("1", body, "Wie viele nach 3 Tagen?", answer="7")
    made = LANGUAGE.apply(problem, DRAW, language="de")
    assert made
    assert made.body == (
        "Anna hat zwölf Hefte. Fünfundzwanzig Kinder zahlen je 7,50 Euro, 1 Kind 2019 nichts, 21 Kinder 1.050."
    )
    assert made.question == "Wie viele nach drei Tagen?"
    assert certify(problem, made, LANGUAGE)
    for wrong in (made.body.replace("zwölf", "elf"), made.body.replace("Hefte", "Bücher"), made.body + " 5"):
        with pytest.raises(CertificateError, match="values_kept"):
            certify(problem, made.replace(body=wrong), LANGUAGE)


def test_an_unknown_language_answers_with_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="language 'xx'"):
        LANGUAGE.apply(Problem("1", "12 a", "b?"), DRAW, language="xx")
    assert cardinals.can_spell(11)
    assert not cardinals.can_spell(21)


@pytest.mark.parametrize("text", ["The fair (May 5) was full.", "They met on a Monday (Aug 12)."])
def test_a_day_in_brackets_is_a_date(text: str) -> None:
    assert [quantity.kind for quantity in numerals.find(text)] == ["date"]

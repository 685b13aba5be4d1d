"""Chinese numerals: found where they surely count, read, written, and other languages spelled."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import numerals, perturbations
from dnc_datasets.certificate import certify
from dnc_datasets.draws import Draw
from dnc_datasets.errors import CertificateError, UnknownNameError
from dnc_datasets.numerals import cardinals, chinese
from dnc_datasets.problem import Problem, Turn

CASES = json.loads((Path(__file__).parent / "numerals_cases.json").read_text(encoding="utf-8"))["chinese"]
LANGUAGE = perturbations.get("language_plausible")
DRAW = Draw(0, "d", "1", "language")


@pytest.mark.parametrize(("text", "wanted"), CASES["found"])
def test_numerals_that_count_are_found(text: str, wanted: list[list[str]]) -> None:
    assert [[q.text, str(q.value)] for q in numerals.find(text)] == wanted


@pytest.mark.parametrize("text", CASES["nothing"])
def test_numerals_that_count_nothing_are_left(text: str) -> None:
    assert numerals.find(text) == ()


@given(st.integers(-(10**12) + 1, 10**12 - 1), st.sampled_from((1, 2, 4, 10, 1000, 3, 7)))
def test_what_is_spelled_is_read_back(numerator: int, denominator: int) -> None:
    value = Fraction(numerator, denominator)
    assert numerals.parse(chinese.spell(value)) == value


@pytest.mark.parametrize(("text", "wanted"), CASES["edits"])
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

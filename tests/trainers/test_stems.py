"""Stems join the forms of a word and keep other words apart."""

from __future__ import annotations

import pytest

from dnc_trainers.stems import stem


@pytest.mark.parametrize(
    "forms",
    [
        ("marble", "marbles"),
        ("share", "shares", "shared", "sharing"),
        ("box", "boxes", "boxed"),
        ("berry", "berries"),
        ("stop", "stops", "stopped", "stopping"),
        ("class", "classes"),
        ("fill", "fills", "filled"),
        ("number0",),
        ("$",),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("has", "had"), ("glass", "glad"), ("number1", "number2"), ("is", "it")]
)
def test_words_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)

"""Tokens lie in the text as they are said to, and patterns find what trying every way finds."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets.english.reading.questions import Patterns
from dnc_datasets.english.reading.tokens import Element, matches, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How many pens?", "How|many|pens|?"),
        ("Didn't Amy's dog cost $1,200.50?", "Did|n't|Amy|'s|dog|cost|$|1,200.50|?"),
        ("3/4 of the 2nd 5km at 6:00 p.m.", "3/4|of|the|2nd|5|km|at|6:00|p.m."),
        ("a 10-year plan for R&D, 49ers and 1L", "a|10|-|year|plan|for|R&D|,|49ers|and|1L"),
        ("Mr. B. cannot pay 5%.", "Mr.|B.|can|not|pay|5|%|."),
        ("two  blanks", "two| |blanks"),
    ],
)
def test_tokens(text: str, expected: str) -> None:
    assert [token.text for token in tokens(text)] == expected.split("|")


@given(st.text(max_size=60))
def test_nothing_but_blanks_is_left_out(text: str) -> None:
    at = 0
    for token in tokens(text):
        assert text[token.start : token.end] == token.text
        assert not text[at : token.start].strip()
        at = token.end
    assert not text[at:].strip()


ELEMENTS = st.builds(
    Element,
    st.sampled_from([frozenset("a"), frozenset("b"), frozenset("ab")]),
    other=st.booleans(),
    optional=st.booleans(),
    repeated=st.booleans(),
)


def _every_way(pattern: list[Element], words: list[str]) -> dict[int, set[tuple[int, ...]]]:
    """All ends of a pattern and all ways to each, by trying every row of elements in order."""
    found: dict[int, set[tuple[int, ...]]] = {}
    for end in range(1, len(words) + 1):
        for taken in combinations_with_replacement(range(len(pattern)), end):
            counts = [taken.count(at) for at in range(len(pattern))]
            fits = all(pattern[at].takes(word) for at, word in zip(taken, words, strict=False))
            allowed = all(
                count <= 1 or element.repeated for element, count in zip(pattern, counts, strict=True)
            )
            there = all(
                count or element.optional or element.repeated
                for element, count in zip(pattern, counts, strict=True)
            )
            if fits and allowed and there:
                found.setdefault(end, set()).add(taken)
    return found


@given(st.lists(ELEMENTS, min_size=1, max_size=4), st.lists(st.sampled_from("abc"), max_size=6))
def test_every_end_is_found_with_a_way_to_it(pattern: list[Element], words: list[str]) -> None:
    expected = _every_way(pattern, words)
    found = matches(pattern, words)
    assert {match.end for match in found} == expected.keys()
    assert len(found) == len(expected)
    assert all(match.taken in expected[match.end] for match in found)


def test_a_way_that_goes_on_comes_before_one_that_stays() -> None:
    patterns = Patterns([("a", "how many {what} did {who} {verb=} {rest*}"), ("all", "{all*}")])
    found = patterns.match("How many red pens did the old man buy in May?")
    assert found["a"] == {"what": "red pens", "who": "the", "verb": "old", "rest": "man buy in May"}
    assert found["all"] == {"all": "How many red pens did the old man buy in May?"}
    assert "a" not in patterns.match("How many pens are there?")


def test_a_long_question_takes_steps_in_proportion() -> None:
    """Ways that meet go on as one: otherwise five slots over 3,000 words would never end."""
    patterns = Patterns([("a", "{one} {two} {three} {four} {five} end")])
    assert patterns.match("word " * 3000) == {}
    assert patterns.match("word " * 3000 + "end").keys() == {"a"}

"""The lexicon is the only place for word lists; its predicates answer for words a person would write."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import dnc_datasets
from dnc_datasets.english.lexicon import (
    MONTHS,
    PLURAL_UNITS,
    WEEKDAYS,
    any_of,
    is_first_name,
    is_past,
    is_plural,
    is_unit,
)

PACKAGE = Path(dnc_datasets.__file__).parent
ROOMS = ("certificate", "english", "graph", "numerals", "perturbations", "qdmr")
# From this many words on, a list belongs to the lexicon.
LONG = 6
WORD = re.compile(r"[a-z]{2,}\Z", re.IGNORECASE)
# Lists of names of our own (kinds of number, groups of a pattern, promises), which are no English.
OWN_NAMES = {
    "numerals/_digits.py",
    "perturbations/numbers/amounts.py",
    "numerals/_quantity.py",
    "numerals/_tokens.py",
    "numerals/__init__.py",
}


def _words(node: ast.AST) -> list[str]:
    """The words of a display of constants, of the keys of a dictionary, or of a text that is split at once."""
    if isinstance(node, ast.Set | ast.Tuple | ast.List | ast.Dict):
        entries = node.keys if isinstance(node, ast.Dict) else node.elts
        values = [one.value for one in entries if isinstance(one, ast.Constant)]
        texts = [value for value in values if isinstance(value, str)]
        return texts if len(texts) == len(entries) else []
    split = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split"
    if split and isinstance(node.func.value, ast.Constant) and isinstance(node.func.value.value, str):
        return node.func.value.value.split()
    return []


def _files() -> list[Path]:
    rooms = [path for room in ROOMS for path in sorted((PACKAGE / room).rglob("*.py"))]
    found = [path for path in rooms if "lexicon" not in path.parts]
    return [path for path in found if path.relative_to(PACKAGE).as_posix() not in OWN_NAMES]


@pytest.mark.parametrize("path", _files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_word_list_outside_the_lexicon(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        words = _words(node)
        assert len(words) < LONG or not all(map(WORD.match, words)), f"{path}:{node.lineno}: {words[:5]} ..."


@pytest.mark.parametrize(
    "code",
    [
        'STOPS = ("left", "over", "still", "then", "now", "too")',
        'STOPS = frozenset("left over still then now too".split())',
        'GENDERS = {"he": 1, "him": 1, "his": 1, "she": 2, "her": 2, "hers": 2}',
    ],
)
def test_a_word_list_of_any_form_is_found(code: str) -> None:
    assert any(len(_words(node)) >= LONG for node in ast.walk(ast.parse(code)))


@pytest.mark.parametrize("path", _files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_list_of_months_or_weekdays_in_a_pattern(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "|".join(MONTHS[:3]) not in text
    assert "|".join(WEEKDAYS[:3]) not in text


@pytest.mark.parametrize("noun", ["pens", "red apples", "women", "children", "geese", "people"])
def test_plural(noun: str) -> None:
    assert is_plural(noun)


@pytest.mark.parametrize("noun", ["pen", "glass", "bus", "tennis", "milk"])
def test_singular(noun: str) -> None:
    assert not is_plural(noun)


def test_past() -> None:
    assert all(map(is_past, ("gave", "picked", "stopped", "was")))
    assert not any(map(is_past, ("give", "gives", "red", "table", "is")))


def test_first_names_and_units() -> None:
    assert is_first_name("Amy")
    assert is_first_name("Liam")
    assert not is_first_name("Table")
    assert is_unit("mile")
    assert is_unit("kg")
    assert not is_unit("apples")
    assert "minutes" in PLURAL_UNITS
    assert "minute" not in PLURAL_UNITS


def test_longer_words_come_first_in_a_pattern() -> None:
    found = re.match(any_of(("day", "days", "week")), "days")
    assert found is not None
    assert found[0] == "days"

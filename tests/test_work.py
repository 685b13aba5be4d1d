"""The work of each perturbation, counted and not timed: texts read and equations parsed from empty caches."""

from __future__ import annotations

import gc
from functools import _lru_cache_wrapper
from types import FunctionType

import pytest

from dnc_datasets import fast_fraction, numerals, perturbations
from dnc_datasets.certificate import certify, moved_words
from dnc_datasets.draws import Draw
from dnc_datasets.english.rewording import paraphrases
from dnc_datasets.english.rewording.rule_index import RuleIndex
from dnc_datasets.expression import _parse
from dnc_datasets.numerals import _find
from dnc_datasets.perturbations.numbers import operands
from dnc_datasets.perturbations.numbers.value_search import Search
from dnc_datasets.perturbations.tables.leaves import System
from dnc_datasets.problem import Problem

PROBLEMS = (
    Problem(
        "1", "Amy has 12 pens. She buys 30 more pens.", "How many pens does she have?", (), "12 + 30", "42"
    ),
    Problem("2", "A shop had 96 plums. It sold 41 of them.", "How many plums are left?", (), "96 - 41", "55"),
    Problem(
        "3", "Ben fills 14 boxes. Each box holds 25 jars.", "How many jars are there?", (), "14 * 25", "350"
    ),
    Problem(
        "4", "Cleo shares 84 cards among 7 friends.", "How many cards does each get?", (), "84 / 7", "12"
    ),
)
# Perturbation -> texts read and equations parsed for the four problems, certificate included. A body and a question
# are read once, and so is each text that changed. Lower a figure when the work becomes less.
RECORDED = {
    "language": (12, 0),
    "type": (12, 0),
    "noise": (12, 8),
    "distribution": (12, 8),
    "verbosity": (8, 0),
    "language_plausible": (12, 0),
    "verbosity_plausible": (8, 0),
    "noise_plausible": (12, 8),
    "distribution_plausible": (12, 8),
    "define": (8, 12),
    "extend": (8, 12),
    "padding": (8, 0),
}


# Perturbation -> values tried for the four problems.
TRIED = {"noise_plausible": 10, "distribution_plausible": 17}


@pytest.mark.parametrize("name", TRIED)
def test_a_search_tries_no_more_values_than_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    broken = Search.broken
    monkeypatch.setattr(Search, "broken", lambda *given: tried.append(1) or broken(*given))
    counted(name, monkeypatch)
    assert 0 < len(tried) <= TRIED[name]


# Rules of paraphrase tried on the nine sentences of the four problems and on what they become; there are 256.
RULES_TRIED = 47


def test_a_paraphrase_tries_no_more_rules_than_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    places = RuleIndex.places

    def counting(index: RuleIndex, sentence: str) -> list[int]:
        rules = places(index, sentence)
        tried.extend(rules)
        return rules

    monkeypatch.setattr(RuleIndex, "places", counting)
    paraphrases.said_otherwise.cache_clear()  # type: ignore[attr-defined]
    paraphrases._candidates.cache_clear()
    for problem in PROBLEMS:
        perturbations.get("paraphrase").apply(problem, Draw(0, "work", problem.id, "paraphrase"))
    assert 0 < len(tried) <= RULES_TRIED


REPORT = (
    ("", "2019", "2018"),
    ("Product sales", "1,812", "1,655"),
    ("Service fees", "512", "430"),
    ("Licence income", "147", "129"),
    ("Total revenue", "2,471", "2,214"),
)
BODY = "Total revenue was $2,471 million in 2019. Service fees grew by $82 million, to $512 million."
QUESTIONS = (
    Problem(
        "5",
        BODY,
        "What is the change in service fees from 2018 to 2019?",
        REPORT,
        "512 - 430",
        "82",
        meta=(("operands", '{"512": "table.2.1", "430": "table.2.2"}'), ("table_scale", "million")),
    ),
    Problem(
        "6",
        BODY,
        "What is the change in total revenue from 2018 to 2019?",
        REPORT,
        "2471 - 2214",
        "257",
        meta=(("operands", '{"2471": "table.4.1", "2214": "table.4.2"}'), ("table_scale", "million")),
    ),
)
# Perturbation -> texts read, fractions made and sets of leaves tried for the two questions, certificate included. The
# table and its text are read once for both; lower a figure when the work becomes less.
OVER_A_TABLE = {"noise_plausible": (30, 872, 2), "distribution_plausible": (38, 932, 0)}


@pytest.mark.parametrize("name", OVER_A_TABLE)
def test_a_table_is_moved_with_no_more_work_than_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_all()
    texts: list[str] = []
    fractions: list[int] = []
    tried: list[int] = []
    search, make, moved = _find._search, fast_fraction._made, System.moved
    monkeypatch.setattr(_find, "_search", lambda text: texts.append(text) or search(text))
    monkeypatch.setattr(fast_fraction, "_made", lambda *given: fractions.append(1) or make(*given))
    monkeypatch.setattr(System, "moved", lambda *given: tried.append(1) or moved(*given))
    step = perturbations.get(name, "table")
    for problem in QUESTIONS:
        made = step.apply(problem, Draw(0, "work", problem.id, name))
        assert made is not None, f"{name} left {problem.id} unchanged"
        certify(problem, made, step)
    for count, most in zip(map(len, (texts, fractions, tried)), OVER_A_TABLE[name], strict=True):
        assert count <= most, (len(texts), len(fractions), len(tried))


def forget_all() -> None:
    """Empty every cache of the package, so that work done for other tests does not count."""
    numerals.forget()
    for one in gc.get_objects():
        cached = isinstance(one, FunctionType | _lru_cache_wrapper) and hasattr(one, "cache_clear")
        if cached and one.__module__.startswith("dnc_datasets"):
            one.cache_clear()


# Perturbation -> what its rows and their certificates need for the four problems, from empty caches: texts searched for
# numbers, texts of which the certificate reads the words, runs of characters among these that were not known, and
# expansions of its walks.
READ = {"paraphrase": (17, 6, 56, 6), "question_reordering": (25, 6, 47, 7), "order": (28, 2, 17, 4)}


@pytest.mark.parametrize("name", READ)
def test_rewording_reads_no_more_than_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read, steps = [], []
    tokens, after = moved_words._tokens, moved_words._Walk._after
    monkeypatch.setattr(moved_words, "_tokens", lambda text: read.append(text) or tokens(text))
    monkeypatch.setattr(
        moved_words._Walk, "_after", lambda walk, state: steps.append(state) or after(walk, state)
    )
    forget_all()
    searched, _ = counted(name, monkeypatch, skip=True)
    found = (searched, len(read), moved_words._run.cache_info().misses, len(steps))
    assert read
    assert all(number <= most for number, most in zip(found, READ[name], strict=True)), found


@pytest.mark.parametrize("name", RECORDED)
def test_a_perturbation_does_no_more_work_than_recorded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, equations = counted(name, monkeypatch)
    most_texts, most_equations = RECORDED[name]
    assert texts <= most_texts
    assert equations <= most_equations


def test_operands_of_a_problem_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted("noise", monkeypatch)
    again = counted("distribution", monkeypatch, forget=False)
    assert again == (len(PROBLEMS), len(PROBLEMS))  # each changed text and equation; no original once more


def counted(
    name: str, monkeypatch: pytest.MonkeyPatch, *, forget: bool = True, skip: bool = False
) -> tuple[int, int]:
    """Return how many texts were read and how many equations parsed; `skip` problems that the perturbation leaves."""
    step = perturbations.get(name)
    if forget:
        numerals.forget()
        operands.movable.cache_clear()  # type: ignore[attr-defined]
        _parse._remembered.cache_clear()
    texts: list[str] = []
    search = _find._search
    monkeypatch.setattr(_find, "_search", lambda text: texts.append(text) or search(text))
    before = _parse._remembered.cache_info().misses
    for problem in PROBLEMS:
        made = step.apply(problem, Draw(0, "work", problem.id, name))
        assert skip or made is not None, f"{name} left {problem.id} unchanged"
        if made is not None:
            certify(problem, made, step)
    monkeypatch.setattr(_find, "_search", search)
    return len(texts), _parse._remembered.cache_info().misses - before

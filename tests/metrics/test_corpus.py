"""Corpus statistics: templates, baselines and lexicon diversity."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dnc_metrics import corpus
from dnc_metrics.errors import MetricError


def test_templates() -> None:
    counts = corpus.templates(["3 + 4", "+ number0 number1", "(5 - 2) * 3", "42"])
    assert counts == {"+ number number": 2, "* - number number number": 1, "number": 1}


def test_majority_is_of_equations_as_written() -> None:
    baseline = corpus.majority_baseline(["+ n0 n1", "+ n1 n0", "+ n0 n1", "- n0 n1"])
    assert baseline == ("+ n0 n1", 2, Fraction(1, 2))
    assert corpus.majority_baseline(["b", "a"]).output == "a"


def test_constant_answers_for_each_group() -> None:
    golds = ["no", "No", "yes", "3", "3.0", "6/2", "4"]
    groups = ["bool"] * 3 + ["number"] * 4
    assert corpus.constant_baseline(golds, groups) == {
        "bool": ("no", 2, Fraction(2, 3)),
        "number": ("3", 3, Fraction(3, 4)),
    }
    assert corpus.constant_baseline(["1", "1"]) == {"": ("1", 2, 1)}


def test_average_operators() -> None:
    assert corpus.average_operators(["3 + 4", "(3 + 4) * 2", "7"]) == 1


def test_lexicon_diversity() -> None:
    text = "tom has number pens and buys number more pens".split()
    other = "how far is it from the lake to town".split()
    assert corpus.lexicon_diversity([text, text]) == pytest.approx(0)
    assert corpus.lexicon_diversity([text, other]) == 1
    assert corpus.lexicon_diversity([text]) == 1
    assert corpus.lexicon_diversity([text, text, other]) == pytest.approx(1 / 3)
    assert corpus.lexicon_diversity([text, text], ["sum", "difference"]) == 1


def test_bleu_by_hand() -> None:
    # Precisions 5/6, 4/5, 3/4, 2/3 against the longer text and 5/5.. against the shorter one.
    a, b = "a b c d e f".split(), "a b c d e".split()
    one_way = (5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25
    other_way = 2.718281828459045 ** (1 - 6 / 5)
    assert corpus.lexicon_diversity([a, b]) == pytest.approx(1 - (one_way + other_way) / 2)


def test_errors_say_what_and_where() -> None:
    with pytest.raises(MetricError, match="the equation 'apples' cannot be read"):
        corpus.templates(["apples"])
    with pytest.raises(MetricError, match="golds has 1 row but groups has 0"):
        corpus.constant_baseline(["1"], [])
    for empty in (corpus.majority_baseline, corpus.average_operators, corpus.lexicon_diversity):
        with pytest.raises(MetricError, match="at least one"):
            empty([])

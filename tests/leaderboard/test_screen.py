"""The one screen of a diagnosis: the conclusion, four capabilities, behaviours, failures, and the next step."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from rich.console import Console

from dnc_datasets.perturbations import plausible_form
from dnc_datasets.serving import catalogue, rows
from dnc_leaderboard import screen
from dnc_metrics import record_builder
from dnc_metrics.capabilities import CONFIRMATORY
from dnc_metrics.record import Outcome, Provenance, Record, System
from dnc_metrics.record_builder import Asked, Scored
from dnc_metrics.row_labels import cluster

Row = dict[str, Any]
Result = tuple[Record, list[Outcome]]
RECIPES = tuple(plausible_form(name) for names in CONFIRMATORY.values() for name in names)


@pytest.fixture(scope="session")
def asked() -> dict[str, list[Row]]:
    """The test problems of the embedded corpus, one of each template, under every confirmatory perturbation."""
    problems = catalogue.read("tiny")["test"]
    configs = ("tiny", *(f"tiny-{name}-attack" for name in (*RECIPES, "no_question")))
    made = {}
    for config in configs:
        variant = catalogue.find(config)
        changed = variant.rows({"test": problems})["test"]
        made[config] = [rows.to_record(row, variant) for row in changed]
    return made


def diagnosed(
    asked: dict[str, list[Row]],
    name: str,
    answer: Callable[[Row, str], Fraction | None],
    sees_values: bool = True,
) -> Result:
    """The record of a scripted model: a function from a row and its perturbation to an answer."""
    cells = []
    for config, some in asked.items():
        variant = catalogue.find(config)
        replies = []
        for row in some:
            value = answer(row, variant.recipe if row["perturbed"] else "")
            right = value == Fraction(row["answer"])
            status = "right" if right else "wrong" if value is not None else "not found"
            replies.append(
                Scored(row, right, status, value, str(value), cluster=cluster(row), scores={"answer": right})
            )
        place = (config, variant.dataset, "", variant.recipe, variant.setting, variant.capability)
        cells.append(Asked(*place, "direct", "answer", replies, {}, {}))
    made = Provenance("dnc score", "0")
    return record_builder.make(System(name, "predictions", sees_values=sees_values), made, cells)


def gold(row: Row) -> Fraction:
    return Fraction(row["answer"])


def perfect(row: Row, perturbation: str) -> Fraction | None:
    return None if perturbation == "no_question" else gold(row)


def reads_no_words(row: Row, perturbation: str) -> Fraction | None:
    return (
        None
        if perturbation == "no_question"
        else gold(row) + (7 if perturbation.startswith("language") else 0)
    )


def memorised(row: Row, perturbation: str) -> Fraction:
    source = row["source"] if perturbation else None
    return Fraction(source["answer"]) if source else gold(row)


MODELS = {"perfect": perfect, "digits only": reads_no_words, "parrot": memorised}


@pytest.fixture(scope="session")
def results(asked: dict[str, list[Row]]) -> dict[str, Result]:
    """The records of three scripted models, by name."""
    return {name: diagnosed(asked, name, model) for name, model in MODELS.items()}


# `#` is a figure that follows from how many rows the perturbations change.
PERFECT = """\
perfect on tiny: shows no drop above 5 points in number detection, value understanding, operand
selection and operation reasoning.
It answers 100.0 % of the 240 original problems.

● number detection     no drop above 5 points      0.0 points  # templates
    a true loss of 5 points would have shown with more than 99.9 % chance
● value understanding  no drop above 5 points      0.0 points  # templates
    a true loss of 5 points would have shown with more than 99.9 % chance
● operand selection    no drop above 5 points      0.0 points  # templates
    a true loss of 5 points would have shown with more than 99.9 % chance
● operation reasoning  no drop above 5 points      0.0 points  # templates
    a true loss of 5 points would have shown with more than 99.9 % chance"""
DIGITS_ONLY = """\
Right before the change, wrong after it:
  language plausible: expected 72, answered 79
    Tariq saves $6 every week. How much money     → Tariq saves six dollars every week. How much
    does he save in 12 weeks?                       money does he save in 12 weeks?"""


def test_the_screen_of_a_perfect_model(results: dict[str, Result]) -> None:
    shown = "\n".join(screen.screen(*results["perfect"]))
    assert re.sub(r"\[.*\] +\d+ templates", "# templates", shown) == PERFECT


def test_a_failure_shows_both_texts(results: dict[str, Result]) -> None:
    assert DIGITS_ONLY in "\n".join(screen.screen(*results["digits only"]))


def capability_lines(lines: list[str]) -> list[str]:
    return [line for line in lines if line[:1] in "▼▽▲●◇○–" and line.strip()]


def test_a_perfect_model_has_no_drop_in_all_four_capabilities(results: dict[str, Result]) -> None:
    lines = screen.screen(*results["perfect"])
    shown = capability_lines(lines)
    assert len(shown) == 4
    assert all(line.startswith("●") and "no drop above 5 points" in line for line in shown)
    assert "Right before the change, wrong after it:" not in lines
    text = " ".join(lines)
    assert "It answers 100.0 % of the" in text
    assert "would have shown with" in text


def test_a_drop_is_shown_with_its_failures_side_by_side(results: dict[str, Result]) -> None:
    lines = screen.screen(*results["digits only"])
    number_detection, *others = capability_lines(lines)
    assert number_detection.startswith("▼ number detection     drop ")
    assert all(line.startswith("●") for line in others)
    at = lines.index("Right before the change, wrong after it:")
    heads = [line for line in lines[at + 1 :] if not line.startswith("    ")]
    assert len(heads) == 3
    assert all(line.startswith("  language plausible: expected ") and ", answered " in line for line in heads)
    assert any("→" in line for line in lines[at:])


def test_a_model_that_memorised_the_originals_is_named_as_one(results: dict[str, Result]) -> None:
    text = " ".join(screen.screen(*results["parrot"]))
    assert "answers the original problems where" in text
    assert "does not need the question" in text
    assert "parrot answers the original problem instead of the changed one: this predicts 100.0 %" in text
    assert "a drop that comes from this does not measure value understanding" in text


def test_a_solver_that_reads_slots_is_not_judged_on_values(asked: dict[str, list[Row]]) -> None:
    lines = screen.screen(*diagnosed(asked, "slots", perfect, sees_values=False))
    at = next(at for at, line in enumerate(lines) if "value understanding" in line and line[0] == "–")
    assert "cannot see values" in lines[at]
    assert "reads slots instead of numbers" in lines[at + 1]


def test_capabilities_without_a_config_are_named(asked: dict[str, list[Row]]) -> None:
    some = {name: asked[name] for name in ("tiny", "tiny-language_plausible-attack")}
    shown = capability_lines(screen.screen(*diagnosed(some, "perfect", perfect)))
    assert shown[1:] == [
        "– value understanding  not tested",
        "– operand selection    not tested",
        "– operation reasoning  not tested",
    ]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_screen_has_at_most_40_lines(results: dict[str, Result], model: str, width: int) -> None:
    found, outcomes = results[model]
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None)
    screen.show(found, outcomes, console, page="report/report.html", next_command="dnc explain report")
    lines = out.getvalue().splitlines()
    if width == 100:
        assert len(lines) <= screen.LINES
        assert max(map(len, lines)) <= width
    assert lines[-2:] == ["Page: report/report.html", "Next: dnc explain report"]


def test_details_come_before_the_screen(results: dict[str, Result]) -> None:
    found, outcomes = results["perfect"]
    out = io.StringIO()
    screen.show(found, outcomes, Console(file=out, width=200, color_system=None), details=True)
    text = out.getvalue()
    assert text.index("perfect: scores in %") < text.index("It answers 100.0 %")


def test_the_same_record_gives_the_same_failures(results: dict[str, Result]) -> None:
    found, outcomes = results["digits only"]
    chosen = screen.striking(found, outcomes)
    assert chosen == screen.striking(found, list(reversed(outcomes)))
    assert len({one["before"] for one in chosen}) == 3


def test_failures_show_each_capability_that_drops_before_one_that_does_not(
    asked: dict[str, list[Row]],
) -> None:
    language = {row["id"] for row in asked["tiny-language_plausible-attack"] if row["perturbed"]}
    few = sorted(language)[:2]

    def model(row: Row, perturbation: str) -> Fraction:
        bad = perturbation in ("verbosity_plausible", "order")
        bad |= perturbation.startswith("language") and row["id"] in few
        return gold(row) + (7 if bad else 0)

    found, outcomes = diagnosed(asked, "unsteady", model)
    kinds = {line.name: line.verdict for line in found.tables[0].lines if line.is_capability}
    assert kinds["number_detection"] == "no drop above the margin"
    chosen = screen.striking(found, outcomes)
    configs = {one["config"] for one in chosen}
    # Both perturbations share their shortest originals, and each is shown.
    assert configs == {"tiny-verbosity_plausible-attack", "tiny-order-attack"}
    assert len({one["before"] for one in chosen}) == len(chosen) == 3

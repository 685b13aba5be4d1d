"""Families: which lines of a table have a verdict, and which rows count in it."""

from __future__ import annotations

from dnc_metrics.diagnosis import Diagnosis, diagnose
from dnc_metrics.drop_tables import tables
from dnc_metrics.record import Cell, Outcome
from dnc_metrics.row_labels import labels

ROWS = [str(at) for at in range(120)]
RIGHT = dict.fromkeys(ROWS, True)
HALF = {row: int(row) % 2 == 0 for row in ROWS}
REASONING, VALUES = "operation_reasoning", "value_understanding"


def _diagnosis(perturbed: dict[str, dict[str, bool]], **more: object) -> Diagnosis:
    capabilities = {
        "logic": REASONING, "order": REASONING, "vary-x": REASONING, "replace_arith": REASONING,
        "noise": VALUES, "noise_plausible": VALUES, "no_question": "probe",
    }  # fmt: skip
    return diagnose(RIGHT, perturbed, capabilities, **more)  # type: ignore[arg-type]


def _verdicts(found: Diagnosis) -> dict[str, str]:
    return {name: one.verdict for name, one in found.perturbations.items()}


def test_confirmatory_lines_have_verdicts_and_others_point() -> None:
    found = _diagnosis({"logic": HALF, "noise_plausible": RIGHT, "replace_arith": HALF, "vary-x": RIGHT})
    assert _verdicts(found) == {
        "logic": "drop",
        "noise_plausible": "no drop above the margin",
        "replace_arith": "points to a drop",
        "vary-x": "exploratory",
    }
    assert {name: one.verdict for name, one in found.capabilities.items()} == {
        REASONING: "drop",
        VALUES: "no drop above the margin",
    }


def test_few_templates_have_no_verdict_and_count_in_the_capability() -> None:
    few = dict.fromkeys(ROWS[:20], False)
    found = _diagnosis({"logic": few, "order": RIGHT})
    assert _verdicts(found) == {"logic": "too few templates", "order": "no drop above the margin"}
    assert found.perturbations["logic"].reason == "20 templates; 30 needed"
    assert found.capabilities[REASONING].pairs == 140


def test_a_row_that_several_names_share_counts_once() -> None:
    texts = {row: f"text {row}" for row in ROWS}
    half = {row: HALF[row] for row in ROWS[:60]}
    found = _diagnosis(
        {"vary-x": HALF, "logic": HALF, "order": half},
        texts={"vary-x": texts, "logic": texts, "order": {row: f"other {row}" for row in half}},
    )
    assert _verdicts(found)["vary-x"] == "same rows as logic"
    assert found.capabilities[REASONING].pairs == 120 + 60
    # Without their texts, rows cannot be known to be the same.
    assert _diagnosis({"vary-x": HALF, "logic": HALF}).capabilities[REASONING].pairs == 240


def test_a_part_of_another_line_is_a_view_of_it() -> None:
    texts = {row: f"text {row}" for row in ROWS}
    part = dict.fromkeys(ROWS[:50], True)
    found = _diagnosis({"vary-x": part, "order": RIGHT}, texts={"vary-x": texts, "order": texts})
    assert _verdicts(found) == {"vary-x": "same rows as order", "order": "no drop above the margin"}


def test_withheld_lines_are_in_no_family() -> None:
    found = _diagnosis(
        {"noise": HALF, "logic": RIGHT}, withheld=dict.fromkeys((VALUES, "noise"), "cannot see values")
    )
    assert _verdicts(found)["noise"] == found.capabilities[VALUES].verdict == "cannot see values"
    assert found.capabilities[VALUES].drop == 0.5
    alone = _diagnosis({"logic": RIGHT})
    assert found.capabilities[REASONING].p_clear == alone.capabilities[REASONING].p_clear


def test_probes_have_their_own_verdict() -> None:
    none = dict.fromkeys(ROWS, False)
    kept, lost = (_diagnosis({"no_question": some, "logic": RIGHT}) for some in (RIGHT, none))
    assert _verdicts(kept)["no_question"] == "does not need the question"
    assert (
        "100.0 % of its 120 right answers stay right without it" in kept.perturbations["no_question"].reason
    )
    assert _verdicts(lost)["no_question"] == "needs the question"
    assert kept.capabilities["probe"].verdict == "does not need the removed part"


def test_a_probe_with_few_right_answers_has_no_finding() -> None:
    right_in_four = {row: int(row) < 4 for row in ROWS}
    found = diagnose(right_in_four, {"no_question": right_in_four}, {"no_question": "probe"})
    line = found.perturbations["no_question"]
    assert line.verdict == found.capabilities["probe"].verdict == "too few templates"
    assert line.reason.startswith("100.0 % of its 4 right answers stay right without it")
    assert line.reason.endswith("4 templates, 30 needed)")


def test_a_line_that_is_rarely_right_says_so_before_its_hint() -> None:
    right_in_four = {row: int(row) < 4 for row in ROWS[:30]}
    line = diagnose(right_in_four, {"logic": right_in_four}, {"logic": REASONING}).capabilities[REASONING]
    assert line.verdict == "open"
    assert line.reason.startswith(
        "13.3 % of these rows were right before the change; to rule out a loss of 5 points"
    )
    assert "would rule out" not in line.reason


def test_a_perfect_model_has_no_drop_in_four_capabilities() -> None:
    names = {
        "language": "number_detection",
        "noise": VALUES,
        "verbosity": "operand_selection",
        "logic": REASONING,
    }
    clusters = {row: int(row) // 2 for row in ROWS}
    found = diagnose(RIGHT, dict.fromkeys(names, RIGHT), names, clusters=clusters)
    assert {one.verdict for one in found.capabilities.values()} == {"no drop above the margin"}


def test_weak_paraphrases_are_in_no_table() -> None:
    def cell(perturbation: str) -> Cell:
        setting, capability = ("attack", "operation_reasoning") if perturbation else ("", "")
        name = f"tiny-{perturbation}-attack" if perturbation else "tiny"
        return Cell(
            name, "tiny", "", perturbation, setting, capability, "direct", "answer_lenient", 2, 2, 2, {}, {}
        )

    cells = [cell(""), cell("paraphrase")]
    weak, strong = (
        labels({"body": "", "question": "", "answer": "3", "parameters": {"paraphrase": {"changed": share}}})
        for share in (0.19, 0.2)
    )
    rows = {
        cells[0].key: [Outcome(cells[0].key, row, True, "right") for row in "ab"],
        cells[1].key: [
            Outcome(cells[1].key, row, True, "right", perturbed=True, labels=known)
            for row, known in (("a", weak), ("b", strong))
        ],
    }
    (table,) = tables(cells, rows)
    assert {line.name: line.n for line in table.lines} == {"operation_reasoning": 1, "paraphrase": 1}

"""The six perturbations of steps, the evaluator, and the published transformations of IIRC."""

import json
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets import numerals
from dnc_datasets.qdmr import transform
from dnc_datasets.qdmr.evaluate import Value, evaluate
from dnc_datasets.qdmr.steps import Step, fault
from dnc_datasets.qdmr.transform import Transformed

CASES = json.loads((Path(__file__).parent / "transform_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['do']} {case['steps'][-1]}")
def test_case(case: dict[str, Any]) -> None:
    made = getattr(transform, case["do"])(tuple(map(Step, case["steps"])), *case.get("with", ()))
    assert (made and [step.text for step in made.steps]) == case["becomes"]
    if made:
        assert made.kind == case["do"]
        assert made.constraint == case.get("constraint", "")
        assert not fault(made.steps)


def _again(record: dict[str, Any]) -> Transformed | None:
    """What our rule makes of a published row's decomposition."""
    steps = tuple(map(Step, record["decomposition"]))
    name, _, how = record["transformation"].partition("+")
    if name == "append_boolean_step":
        relation, value = how.split("-")[2:]
        return transform.append_bool(steps, relation, value)
    if name == "change_last_step":
        return transform.change_last(steps, "same")
    made: Transformed | None = {
        "prune_last_step": transform.prune_step,
        "prune_last_step_rm_unused": transform.prune_step,
        "op_replace_comparison": transform.replace_comp,
        "op_replace_boolean": transform.replace_bool,
        "op_replace_arithmetic": transform.replace_arith,
    }[name](steps)
    return made


def test_published_transformations_are_reproduced(standin: Path) -> None:
    records = json.loads((standin / "bpb_iirc" / "transformations.json").read_text(encoding="utf-8"))
    faults = Counter(fault(tuple(map(Step, record["decomposition"]))) for record in records)
    differing = [
        record["qid"]
        for record in records
        if (made := _again(record)) is None or [step.text for step in made.steps] != record["transformed"]
    ]
    assert len(records) == 1500
    assert faults == {"": 1500}
    assert differing == []


def test_published_answers_follow_from_the_steps(standin: Path) -> None:
    """Where the original answer is a number, whether it is higher, lower or equal is what the set says."""
    records = json.loads((standin / "bpb_iirc" / "transformations.json").read_text(encoding="utf-8"))
    said = Counter[tuple[bool, str]]()
    for record in records:
        if record["transformed_answer_gen_func"] != "gen_ans_append_boolean_step":
            continue
        value = numerals.parse(record["orig_answer_texts"][0])
        made = _again(record)
        assert made is not None
        if value is not None and len(record["orig_answer_texts"]) == 1:
            got = evaluate(made.steps, {len(made.steps) - 1: value})[-1]
            said[got == record["transformed_answer"], re.sub(r"\d+", "", record["transformation"])] += 1
    assert sum(count for (same, _), count in said.items() if same) > 1000
    assert not [kind for (same, kind) in said if not same]


@pytest.mark.parametrize(
    ("texts", "given", "value"),
    [
        (["12", "5", "sum of #1 and #2"], {}, Fraction(17)),
        (["5", "12", "difference of #1 and #2"], {}, Fraction(7)),
        (["5", "12", "the multiplication of #1 and #2"], {}, Fraction(60)),
        (["5", "0", "the division of #1 and #2"], {}, None),
        (["pens of Ana"], {}, None),
        (["pens of Ana", "if #1 is lower than 4"], {1: Fraction(3)}, "yes"),
        (["pens of Ana", "if #1 is equal to four"], {1: Fraction(3)}, "no"),
        (["A", "B", "if #1 is the same as #2"], {1: "Rome", 2: "rome"}, "yes"),
        (["A", "B", "which is highest of #1 , #2"], {1: Fraction(3), 2: Fraction(4)}, "#2"),
        (["A", "B", "which is lowest of #1 , #2"], {1: Fraction(4), 2: Fraction(4)}, None),
        (["A", "B", "if both #1 and #2 are false"], {1: "no", 2: "no"}, "yes"),
        (["A", "B", "if both #1 and #2 are true"], {1: "no", 2: "yes"}, "no"),
        (["1", "2", "6", "#1 , #2 and #3", "average of #4"], {}, Fraction(3)),
        (["1", "2", "6", "#1 , #2 and #3", "number of #4"], {}, Fraction(3)),
        (["1", "2", "6", "#1 , #2 and #3", "highest of #4"], {}, Fraction(6)),
    ],
)
def test_evaluate(texts: list[str], given: dict[int, Value], value: Value | None) -> None:
    assert evaluate([Step(text) for text in texts], given)[-1] == value

"""Results that no model was trained for, for tests of tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dnc_datasets.serving import catalogue
from dnc_metrics.record import RIGHT, WRONG, Cell, Outcome, Provenance, System, TrainingRun
from dnc_trainers.results import ANSWER, EQUATION, Result


def result(
    train: str,
    test: str,
    right: Mapping[str, bool],
    *,
    seed: int = 0,
    same_equation: Mapping[str, bool] | None = None,
    perturbed: Mapping[str, bool] | None = None,
    clusters: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
    too_long: int = 0,
    **training: Any,
) -> Result:
    """The result of a model that was trained on `train`, on `test`; `right` has a value for every row id."""
    variant = catalogue.find(test)
    same, touched, groups = same_equation or {}, perturbed or {}, clusters or {}
    outcomes = {
        row: Outcome(
            f"{test}|",
            row,
            right=is_right,
            status=RIGHT if is_right else WRONG,
            perturbed=touched.get(row, False),
            cluster=groups.get(row, row),
            scores={ANSWER: is_right, EQUATION: same.get(row, False)},
        )
        for row, is_right in right.items()
    }
    count = len(right)
    cell = Cell(
        test,
        variant.dataset,
        variant.fold,
        variant.recipe,
        variant.setting,
        variant.capability,
        prompt="",
        score=ANSWER,
        rows=count,
        changed=sum(touched.values()),
        right=sum(right.values()),
        scores={ANSWER: sum(right.values()) / count, EQUATION: sum(same.values()) / count},
        statuses={},
        too_long=too_long,
    )
    run = TrainingRun("gts", train, **{"validation_rows": 2, "validation_accuracy": 1.0, **training})
    made = Provenance("dnc research protocol", "0", seed=seed, settings=settings or {"seed": seed})
    return Result(System("gts", "solver", training=run), made, cell, outcomes)


def rows(*right: bool) -> dict[str, bool]:
    """Outcomes of the rows r0, r1 and so on."""
    return {f"r{at}": one for at, one in enumerate(right)}


def first(right: int, of: int) -> dict[str, bool]:
    """Rows of which the first `right` are right."""
    return rows(*(at < right for at in range(of)))

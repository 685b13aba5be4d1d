"""Pools results over seeds and folds, and compares pooled results row by row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dnc_datasets.errors import DncError
from dnc_metrics import intervals
from dnc_metrics.diagnosis import diagnose
from dnc_metrics.record import Cell, Outcome, TrainingRun
from dnc_metrics.robustness import Comparison, table
from dnc_trainers.results import ANSWER, Result

_FOLD = re.compile(r"-fold[0-9]+(?=[-+]|\Z)")
_ADDED = re.compile(r"\+added_[0-9a-f]{1,64}")


def outcomes(results: Sequence[Result], score: str = ANSWER) -> dict[str, bool]:
    """Return the scores of several results, each row under its seed and id."""
    return {
        f"{result.seed}/{row}": outcome.right if score == ANSWER else bool(outcome.scores.get(score))
        for result in results
        for row, outcome in result.outcomes.items()
    }


def row_of(key: str) -> str:
    """Return the id of a row from its key in `outcomes`."""
    return key.split("/", 1)[1]


def share(results: Sequence[Result], score: str = ANSWER) -> float:
    """Return the share of correct rows over all results."""
    scores = outcomes(results, score)
    return sum(scores.values()) / len(scores)


def share_interval(results: Sequence[Result]) -> tuple[float, float]:
    """Return the 95 % interval of `share`: Wilson's for one seed, a bootstrap over problems for several."""
    scores = outcomes(results)
    right: Counter[str] = Counter()
    seeds: Counter[str] = Counter()
    for key, is_right in scores.items():
        right[row_of(key)] += is_right
        seeds[row_of(key)] += 1
    if len(seeds) == len(scores):
        return intervals.wilson(sum(right.values()), len(scores))
    return intervals.bootstrap([seeds[row] for row in seeds], [right[row] for row in seeds])


def clusters(results: Sequence[Result]) -> dict[str, str]:
    """Map each row id to the group that the row belongs to."""
    return {row: name for result in results for row, name in result.clusters().items()}


def compared(
    clean: Sequence[Result],
    perturbed: Mapping[str, Sequence[Result]],
    score: str = ANSWER,
    *,
    changed: bool = False,
) -> dict[str, Comparison]:
    """Compare each perturbation with the clean test set of the same seeds; all are judged together.

    The outcomes of one problem under several seeds form one cluster, since seeds add no problems. Related
    problems, such as those of one template, form a cluster too. With `changed`, only rows that a perturbation
    changed count, as in records. A perturbation that changed no row is omitted.
    """
    original = outcomes(clean, score)
    groups = clusters(clean)
    by_name = {name: outcomes(results, score) for name, results in perturbed.items()}
    if changed:
        touched = {name: _changed_rows(results) for name, results in perturbed.items()}
        by_name = {
            name: {key: rows[key] for key in rows if touched[name][key]} for name, rows in by_name.items()
        }
    by_name = {name: rows for name, rows in by_name.items() if rows}
    if not by_name:
        return {}
    owners = {key: groups.get(row_of(key), row_of(key)) for key in original}
    if not changed:
        return table(original, by_name, clusters=owners)
    capabilities = {name: perturbed[name][0].tested.capability for name in by_name}
    return diagnose(original, by_name, capabilities, clusters=owners).perturbations


def _changed_rows(results: Sequence[Result]) -> dict[str, bool]:
    return {
        f"{result.seed}/{row}": one.perturbed for result in results for row, one in result.outcomes.items()
    }


def without_fold(name: str) -> str:
    """Return the name of a config, or of training data, without its fold.

    >>> without_fold("asdiv_a-fold3-noise-attack"), without_fold("mawps-fold0+0.05_type")
    ('asdiv_a-noise-attack', 'mawps+0.05_type')
    """
    return _FOLD.sub("", name, count=1)


def over_folds(results: Iterable[Result]) -> list[Result]:
    """Merge the folds of the same model, data, test set, seed and settings into one result over all rows.

    A result whose test set has no folds (`--test svamp`) is omitted, since several models share its rows.
    """
    groups: dict[tuple[Any, ...], list[Result]] = {}
    for result in results:
        if not result.tested.fold:
            continue
        settings = sorted((key, value) for key, value in result.settings.items() if key != "seed")
        # Each fold has its own added problems, so their digests differ.
        data, training = _ADDED.sub("+added_", without_fold(result.data)), result.training
        key = (
            result.model, data, without_fold(result.test), result.seed, training.refit, training.chosen_on_test,
            repr(settings),
        )  # fmt: skip
        groups.setdefault(key, []).append(result)
    return [_merge(group, key[1], key[2]) for key, group in groups.items()]


def _merge(results: Sequence[Result], data: str, test: str) -> Result:
    joined: dict[str, Outcome] = {}
    for result in results:
        if both := joined.keys() & result.outcomes.keys():
            raise DncError(f"{test}: {min(both)} is tested in two folds; folds must not share test rows")
        joined |= result.outcomes
    first = results[0]
    training = _merge_trainings([result.training for result in results], data)
    return replace(
        first,
        system=replace(first.system, training=training),
        cell=_merge_cells([result.cell for result in results], test),
        outcomes=joined,
        folds=len(results),
        stale=next((result.stale for result in results if result.stale), ""),
    )


def _merge_cells(cells: Sequence[Cell], test: str) -> Cell:
    rows = sum(cell.rows for cell in cells)

    def mean(name: str) -> dict[str, float]:
        """Return the mean over all rows of each named share."""
        names = getattr(cells[0], name)
        return {key: sum(getattr(cell, name)[key] * cell.rows for cell in cells) / rows for key in names}

    return replace(
        cells[0],
        config=test,
        fold="",
        rows=rows,
        changed=sum(cell.changed for cell in cells),
        right=sum(cell.right for cell in cells),
        scores=mean("scores"),
        baselines=mean("baselines"),
        too_long=sum(cell.too_long for cell in cells),
        measures={},
        data={},
    )


def _merge_trainings(runs: Sequence[TrainingRun], data: str) -> TrainingRun:
    validated = sum(run.validation_rows for run in runs)
    right = sum(run.validation_accuracy * run.validation_rows for run in runs)
    return replace(
        runs[0],
        data=data,
        rows_sha256="",
        rows=sum(run.rows for run in runs),
        dropped_rows=sum(run.dropped_rows for run in runs),
        validation_rows=validated,
        validation_accuracy=right / (validated or 1),
        seconds=sum(run.seconds for run in runs),
    )

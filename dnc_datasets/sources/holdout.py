"""A validation set taken out of the training rows, for sources that publish folds of train and test only."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from dnc_datasets.draws import Draw
from dnc_datasets.problem import Problem


def hold_out(
    rows: list[Problem], dataset: str, fold: str, group: Callable[[Problem], str]
) -> tuple[list[Problem], list[Problem]]:
    """Train and validation: a tenth of the rows, chosen by hash, in their old order.

    Rows of one group stay together, so that nothing in validation has a twin in train. Choosing a model
    on this part, and not on the test fold, keeps the test score honest.
    """
    groups: dict[Hashable, list[int]] = {}
    for index, row in enumerate(rows):
        groups.setdefault(group(row), []).append(index)
    order = sorted(groups, key=lambda name: Draw(0, dataset, str(name), f"{fold}-validation").word())
    chosen: set[int] = set()
    for name in order:
        if len(chosen) + len(groups[name]) <= len(rows) // 10:
            chosen.update(groups[name])
    train = [row for index, row in enumerate(rows) if index not in chosen]
    return train, [rows[index] for index in sorted(chosen)]

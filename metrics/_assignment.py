"""Optimal one-to-one matching of the rows and columns of a score table (Hungarian method)."""

from __future__ import annotations

from collections.abc import Sequence


def assign(scores: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Return the pairs (row, column) of a matching with the largest total score, by row.

    Every row is matched, or every column if there are fewer columns. The cost is (the smaller side)^2 x (the
    larger side), which callers must bound.


    >>> assign([[1, 5], [2, 3], [9, 9]])
    [(0, 1), (2, 0)]
    """
    if not scores or not scores[0]:
        return []
    if len(scores) == 1:
        row = scores[0]
        return [(0, max(range(len(row)), key=row.__getitem__))]
    if len(scores) > len(scores[0]):
        return sorted((row, column) for column, row in assign(list(zip(*scores, strict=True))))
    return _assign_wide(scores)


def _assign_wide(scores: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Match the rows one by one along the cheapest augmenting path; rows must not exceed columns."""
    rows, columns = len(scores), len(scores[0])
    row_price = [0.0] * rows
    column_price = [0.0] * (columns + 1)
    owner = [-1] * (columns + 1)  # the row of each column; the last entry is the start of a path
    for new_row in range(rows):
        owner[columns] = new_row
        slack = [float("inf")] * columns
        came_from = [columns] * columns
        reached = [False] * (columns + 1)
        at = columns
        while owner[at] != -1:
            reached[at] = True
            row = owner[at]
            line, price = scores[row], row_price[row]
            step, nearest = float("inf"), -1
            for column in range(columns):
                if reached[column]:
                    continue
                cost = -line[column] - price - column_price[column]
                if cost < slack[column]:
                    slack[column] = cost
                    came_from[column] = at
                if slack[column] < step:
                    step, nearest = slack[column], column
            for column in range(columns + 1):
                if reached[column]:
                    row_price[owner[column]] += step
                    column_price[column] -= step
                elif column < columns:
                    slack[column] -= step
            at = nearest
        while at != columns:
            owner[at] = owner[came_from[at]]
            at = came_from[at]
    return sorted((owner[column], column) for column in range(columns) if owner[column] != -1)

"""The errors of metrics and of the records that hold their results."""

from __future__ import annotations

from collections.abc import Sized

from dnc_datasets.errors import DncError


class MetricError(DncError, ValueError):
    """Raised for predictions or references that cannot be scored; the message names them and the reason."""


class RecordError(DncError, ValueError):
    """Raised for a file that is not a valid record of a known version; the message names the wrong field."""


def check_lengths(**columns: Sized) -> None:
    """Raise an error if columns have different lengths.

    >>> check_lengths(predictions=["1"], references=["1", "2"])
    Traceback (most recent call last):
    dnc_metrics.errors.MetricError: predictions has 1 row but references has 2; give one of each per question
    """
    first, *others = columns
    for other in others:
        mine, theirs = len(columns[first]), len(columns[other])
        if mine != theirs:
            rows = "row" if mine == 1 else "rows"
            raise MetricError(
                f"{first} has {mine} {rows} but {other} has {theirs}; give one of each per question"
            )

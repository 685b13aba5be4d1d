"""Telling people which rows failed and stand as they were."""

from __future__ import annotations

import sys
from collections.abc import Sequence

_SHOWN_FAILURES = 20


def tell_failed(failed: Sequence[tuple[str, str]], strict: bool = False, total: int = 0) -> int:
    """Name the rows that failed, each with its reason, on standard error; the exit code.

    `total` counts them all where not all are given.
    """
    total = max(total, len(failed))
    for where, reason in failed[:_SHOWN_FAILURES]:
        print(f"dnc: {where}: {reason}", file=sys.stderr)
    if failed:
        more = f" (the first {_SHOWN_FAILURES} above)" if total > _SHOWN_FAILURES else ""
        print(
            f"dnc: warning: {total} rows failed{more} and stand as they were; please report them with the "
            "dataset and the seed" + ("" if strict else "; --strict makes this an error"),
            file=sys.stderr,
        )
    return 1 if failed and strict else 0

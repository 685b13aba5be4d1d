"""spaCy's blank English: its tokens, and the vocabulary in which patterns are matched."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

# Is the process ours alone? The `dnc` command says so. In a program of somebody else, who may want spaCy's
# pipelines that run on torch, spaCy is imported as it is.
alone = False


@cache
def english() -> Language:
    """The blank pipeline; imported on first use, because most perturbations never need it."""
    with _no_torch():
        import spacy

    return spacy.blank("en")


@contextmanager
def _no_torch() -> Iterator[None]:
    """Hide torch, which spaCy loads wherever it finds it: two seconds, for nothing that is used here."""
    if not alone or {"spacy", "thinc", "torch"} & sys.modules.keys():
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["torch"]

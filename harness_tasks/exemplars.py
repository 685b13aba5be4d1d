"""Worked examples for few-shot prompts: written for DNC, and so in no dataset's test split."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("exemplars.json")
# What an example leaves out.
_EMPTY: dict[str, Any] = {
    "table": [],
    "segments": [],
    "history": [],
    "equation": "",
    "answers": [],
    "unit": "",
    "answer_type": "number",
    "rounding": "",
    "perturbed": False,
}


def exemplars(shape: str, language: str = "en") -> list[dict[str, Any]]:
    """The worked examples of a kind of source: rows with a `solution`, in the order to show them."""
    return [{**_EMPTY, **one} for one in _all().get(language, {}).get(shape, [])]


@lru_cache(maxsize=1)
def _all() -> dict[str, dict[str, list[dict[str, Any]]]]:
    found: dict[str, dict[str, list[dict[str, Any]]]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found

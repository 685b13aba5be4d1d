"""No regular expression of the code base runs away, whatever text it meets; see pump_patterns.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

# What once made a reply of two hundred characters stop an evaluation, and a paraphrase on any long text.
_OPERAND = r"[$€£(\s]*-?[\d.,]*\d%?[)\s]*(?:\s*[a-z]{1,14}\b){0,2}\)?\s*"
RUNAWAY = (
    rf"{_OPERAND}(?:(?:[-+*/^×÷·]|x(?=[\s\d(])){_OPERAND}){{1,12}}=\s*",
    r"\s*[%°¢)\"'}]*(?:\s*/?\s*[A-Za-z²³'()\u4e00-\u9fff]{1,20}){0,4}?\s*[.!?,;)\"'}\]$。\s]*",
    r"(?:[^, ]+ ?){2,8}",
    r"(a|a)*$",
    r"a+b",
    r"\s+$",
)
LINEAR = (
    r"####+",
    r"[a-z]{1,20}x",
    r"\b(?:one|two)\b",
    r"(?:[a-z]{1,20} )+",
    r"\$\$?([^$\n]{1,120}?)\$\$?(?!\d)",
)


def _pumped(*arguments: str, given: str | None = None) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(HERE / "pump_patterns.py"), *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=500,
        # Some patterns are made of sets: the same words in the same order in every run.
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_runaway_patterns_are_caught_and_linear_ones_are_not() -> None:
    given = json.dumps([[text, 0] for text in (*RUNAWAY, *LINEAR)])
    caught = [bad["pattern"] for bad in _pumped("--given", given=given)["bad"]]
    assert caught == list(RUNAWAY)


def test_every_pattern_of_the_code_base_is_linear() -> None:
    found = _pumped()
    assert found["patterns"] > 400
    assert not found["absent"]
    assert not found["bad"], "\n".join(f"{bad['name']}: {bad['reason']}" for bad in found["bad"])


def test_replies_that_once_had_no_end_are_read() -> None:
    code = """
from dnc_metrics import extraction
assert extraction.answer("#### " + ("1" + " " * 14 + "+") * 12 + "1 @=").value == 13
for n in (20, 1000):
    gap = " " * n
    assert extraction.answer(f"12 + 7 = 19{gap}apples{gap}in{gap}total *").value == 19
"""
    subprocess.run([sys.executable, "-c", code], timeout=120, check=True)

"""No package of ours evaluates or unpickles what it reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("dnc_datasets", "metrics", "harness_tasks", "trainers", "leaderboard", "benchmarks")
# A call of the built-in, not of a method ("model.eval()") and not of a longer name ("lm_eval(").
DANGEROUS = re.compile(
    r"(?<![\w.])(?:eval|exec|__import__)\s*\(|builtins\.(?:eval|exec)|\bpickle\b|\bparse_expr\b"
)


def _code(line: str) -> str:
    return line.partition("#")[0]


@pytest.mark.parametrize("folder", PACKAGES)
def test_nothing_is_evaluated(folder: str) -> None:
    for path in sorted((ROOT / folder).rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            assert not DANGEROUS.search(_code(line)), f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


@pytest.mark.parametrize(
    "line", ["eval(text)", "x = eval (y)", "exec(code)", "import pickle", "pickle.load(f)", "parse_expr(s)"]
)
def test_the_search_finds_it(line: str) -> None:
    assert DANGEROUS.search(line)


@pytest.mark.parametrize(
    "line", ["model.eval()", "lm_eval(1)", "self._evaluate(x)", "retrieval(", "import lm_eval"]
)
def test_the_search_lets_pass(line: str) -> None:
    assert not DANGEROUS.search(line)

"""No package of ours evaluates or unpickles what it reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("dnc_datasets", "metrics", "harness_tasks", "trainers", "leaderboard", "benchmarks")
BUILT_IN = {"eval", "exec", "compile", "__import__"}
MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
ANYWHERE = {"parse_expr", "sympify"}


def dangerous(code: str) -> Iterator[str]:
    """Uses of the built-ins (not of methods such as model.eval()), of unpicklers, and of sympy's parser."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name) and node.id in BUILT_IN | MODULES | ANYWHERE:
            yield f"line {node.lineno}: {node.id}"
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in ANYWHERE or (owner == "builtins" and node.attr in BUILT_IN):
                yield f"line {node.lineno}: {owner}.{node.attr}"
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
            yield from (f"line {node.lineno}: import {name}" for name in names if name in MODULES | ANYWHERE)


@pytest.mark.parametrize("folder", PACKAGES)
def test_nothing_is_evaluated(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)} {use}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for use in dangerous(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        "eval(text)",
        "map(eval, rows)",
        "exec(code)",
        "import builtins\nbuiltins.eval('1')",
        "import pickle",
        "from pickle import load",
        "import sympy\nsympy.parse_expr('1')",
        "__import__('os')",
    ],
)
def test_the_search_finds_it(code: str) -> None:
    assert list(dangerous(code))


@pytest.mark.parametrize(
    "code", ["model.eval()", "lm_eval(1)", "import lm_eval", "x = 'eval(1)'  # eval(", "re.compile('a')"]
)
def test_the_search_lets_pass(code: str) -> None:
    assert not list(dangerous(code))

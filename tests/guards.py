"""`make guards`: takes one condition of the wording rules away at a time and runs the wording cases without it.

A condition that no case notices is listed: it gets a case in which it alone keeps a wrong row out, or it goes.
Which cases can notice at all is found first, by watching every condition once: only where a condition
decided can its absence change anything. What was noticed by which case is kept, so that a second run is short.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib
import inspect
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "dnc_datasets" / "perturbations"
KEPT = ROOT / "build" / "guards.json"
_PLACES = ("english/reading", "english/relations", "english/rewording")
_PERTURBATIONS = ("order", "logic", "paraphrase", "question_reordering", "variations")
# Its pipeline does not depend on a rule, and is slow to make again.
_STAYS_CACHED = "dnc_datasets.english.reading.tokens"


class Condition(NamedTuple):
    """One condition: where it stands, and which value of it decides (the other one changes nothing)."""

    module: str
    function: str
    line: int
    column: int
    kind: str  # "and", "or": an operand; "guard": if ...: return; "filter": of a comprehension
    source: str

    @property
    def key(self) -> str:
        """The same for the same condition as long as its module does not change."""
        return f"{self.module}:{self.line}:{self.column}:{self.kind}"

    @property
    def decides(self) -> bool:
        """The truth value with which it decides."""
        return self.kind in ("or", "guard")


Case = dict[str, Any]
Run = Callable[[Case], object]


def modules() -> list[str]:
    """The modules of the wording rules, by import name."""
    package = ROOT / "dnc_datasets"
    found = [
        f"dnc_datasets.{place.replace('/', '.')}.{path.stem}"
        for place in _PLACES
        for path in sorted((package / place).glob("*.py"))
        if path.stem != "__init__"
    ]
    return [*found, *(f"dnc_datasets.perturbations.{name}" for name in _PERTURBATIONS)]


class _Walk(ast.NodeTransformer):
    """Visits every condition of a module; `change` says what takes its place."""

    def __init__(self, module: str, change: Callable[[Condition, ast.expr], ast.expr | None]) -> None:
        self.module, self.change = module, change
        self.function: list[str] = []
        self.tests: set[int] = set()

    def _condition(self, kind: str, node: ast.expr) -> ast.expr | None:
        where = ".".join(self.function)
        return self.change(
            Condition(self.module, where, node.lineno, node.col_offset, kind, ast.unparse(node)), node
        )

    def _named(self, node: Any) -> Any:
        self.function.append(node.name)
        made = self.generic_visit(node)
        self.function.pop()
        return made

    visit_FunctionDef = visit_ClassDef = _named

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if node.value is not None:
            self.tests.add(id(node.value))
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        kind = "and" if isinstance(node.op, ast.And) else "or"
        kept = []
        # `first or second` as a value chooses; as a test, or with "and", it is a condition.
        counts = self.function and (kind == "and" or id(node) in self.tests)
        for value in node.values:
            if id(node) in self.tests:
                self.tests.add(id(value))
            new = self._condition(kind, value) if counts else value
            if new is not None:
                kept.append(self.visit(new) if new is value else _inner(self, new))
        node.values = kept
        return node if len(kept) > 1 else kept[0] if kept else ast.Constant(True)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if id(node) in self.tests or isinstance(node.op, ast.Not):
            self.tests.add(id(node.operand))
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "bool":
            self.tests |= {id(argument) for argument in node.args}
        return self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.tests.add(id(node.test))
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        self.tests.add(id(node.test))
        leaves = isinstance(node.body[-1], (ast.Return, ast.Continue, ast.Break)) and len(node.body) == 1
        if self.function and leaves and not node.orelse and not isinstance(node.test, ast.BoolOp):
            new = self._condition("guard", node.test)
            if new is None:
                return ast.copy_location(ast.Pass(), node)
            if new is not node.test:
                node.test = _inner(self, new)
                node.body = [self.visit(part) for part in node.body]
                return node
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        kept: list[ast.expr] = []
        for test in node.ifs:
            self.tests.add(id(test))
            plain = self.function and not isinstance(test, ast.BoolOp)
            new = self._condition("filter", test) if plain else test
            if new is not None:
                kept.append(self.visit(new) if new is test else _inner(self, new))
        node.ifs = kept
        node.target, node.iter = self.visit(node.target), self.visit(node.iter)
        return node


def _inner(walk: _Walk, made: ast.expr) -> ast.expr:
    """What took a condition's place is a call around it: what is inside is visited in its turn."""
    if isinstance(made, ast.Call) and made.args:
        made.args[-1] = walk.visit(made.args[-1])
    return made


def conditions(module: str) -> list[Condition]:
    """Every condition of a module, in order."""
    found: list[Condition] = []

    def note(condition: Condition, node: ast.expr) -> ast.expr:
        found.append(condition)
        return node

    _Walk(module, note).visit(_tree(module))
    return found


def _tree(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(importlib.import_module(module)))


def _functions(module: ModuleType) -> dict[str, FunctionType]:
    """Every function of a module by its qualified name, what decorators hide included."""
    found: dict[str, FunctionType] = {}

    def add(value: Any) -> None:
        value = getattr(value, "fget", value)
        value = inspect.unwrap(getattr(value, "__func__", value)) if callable(value) else value
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            found[value.__qualname__] = value

    for value in list(vars(module).values()):
        add(value)
        if inspect.isclass(value) and value.__module__ == module.__name__:
            for part in list(vars(value).values()):
                add(part)
    return found


def _codes(code: CodeType) -> dict[str, CodeType]:
    found: dict[str, CodeType] = {}

    def look(part: CodeType, prefix: str) -> None:
        for constant in part.co_consts:
            if isinstance(constant, CodeType):
                name = f"{prefix}{constant.co_name}"
                found.setdefault(name, constant)
                look(constant, f"{name}.")

    look(code, "")
    return found


@contextmanager
def changed(module: str, tree: ast.Module, only: str = "", **names: Any) -> Iterator[None]:
    """The module's functions run the code of this tree; `names` are seen by them as globals."""
    loaded = importlib.import_module(module)
    codes = _codes(compile(ast.fix_missing_locations(tree), loaded.__file__ or module, "exec"))
    before: list[tuple[FunctionType, CodeType]] = []
    vars(loaded).update(names)
    try:
        for name, function in _functions(loaded).items():
            new = codes.get(name)
            if new is not None and (not only or name == only.split(".<")[0] or only.startswith(f"{name}.")):
                before.append((function, function.__code__))
                function.__code__ = new
        forget()
        yield
    finally:
        for function, code in before:
            function.__code__ = code
        for name in names:
            del vars(loaded)[name]
        forget()


@cache
def _caches() -> list[Any]:
    return [
        value
        for name, module in list(sys.modules.items())
        if name.startswith("dnc_datasets.english")
        for value in vars(module).values()
        if hasattr(value, "cache_clear") and value.__module__ != _STAYS_CACHED
    ]


def forget() -> None:
    """Empty the caches of what the rules read."""
    for cached in _caches():
        cached.cache_clear()


def without(condition: Condition) -> ast.Module:
    """The module's tree without this one condition."""
    tree = _tree(condition.module)
    _Walk(condition.module, lambda one, node: None if one.key == condition.key else node).visit(tree)
    return tree


def decisive(cases: Sequence[Case], names: Sequence[str], run: Run) -> dict[str, list[int]]:
    """Condition -> the cases in which it took the value that decides."""
    found: dict[str, list[int]] = defaultdict(list)
    for name in names:
        seen: set[str] = set()
        known = {condition.key: condition for condition in conditions(name)}

        def saw(key: str, value: Any, seen: set[str] = seen, known: dict[str, Condition] = known) -> Any:
            if bool(value) == known[key].decides:
                seen.add(key)
            return value

        def watch(condition: Condition, node: ast.expr) -> ast.expr:
            call = ast.Call(ast.Name("_saw_condition", ast.Load()), [ast.Constant(condition.key), node], [])
            return ast.copy_location(call, node)

        tree = _tree(name)
        _Walk(name, watch).visit(tree)
        with changed(name, tree, _saw_condition=saw):
            for at, case in enumerate(cases):
                seen.clear()
                forget()
                run(case)
                for key in seen:
                    found[key].append(at)
    return found


def noticed(condition: Condition, cases: Sequence[Case], usual: Sequence[object], run: Run) -> int | None:
    """The first of these cases that turns out otherwise without the condition."""
    try:
        with changed(condition.module, without(condition), condition.function):
            for at, case in enumerate(cases):
                if run(case) != usual[at]:
                    return at
    except ValueError:  # a condition that holds the only mention of an outer variable
        return None
    return None


def run_case(case: Case) -> object:
    """What the rules make of a case: the texts of a problem, or all paraphrases of a sentence."""
    from dnc_datasets import perturbations
    from dnc_datasets.draws import Draw
    from dnc_datasets.english.rewording.paraphrases import rewrites
    from dnc_datasets.problem import Problem

    try:
        if "sentence" in case:
            return list(rewrites(case["sentence"]))
        step = perturbations.get(case["with"])
        equation = case.get("equation", [""])[0]
        problem = Problem(
            "1", case["body"], case["question"], equation=equation, unit=case.get("unit", ""),
            answer=Problem("1", "", "", equation=equation).expected_answer() if equation else "",
        )  # fmt: skip
        made = step.apply(problem, Draw(case.get("seed", 0), "cases", "1", step.name))
        return made and (made.body, made.question, made.equation, made.answer, made.unit)
    except Exception as error:
        return repr(error)


def cases() -> list[Case]:
    """Every wording case."""
    return [
        case
        for path in sorted(CASES.glob("*_cases.json"))
        for case in json.loads(path.read_text(encoding="utf-8"))
        if "sentence" in case or "body" in case
    ]


def _look(module: str, kept: dict[str, str]) -> dict[str, str]:
    """Condition -> the case (by digest) that notices it, empty where none does."""
    for name in modules():
        importlib.import_module(name)
    own = conditions(module)
    every = cases()
    digests = [hashlib.sha256(json.dumps(case, sort_keys=True).encode()).hexdigest()[:12] for case in every]
    at = {digest: place for place, digest in enumerate(digests)}
    usual = [run_case(case) for case in every]
    witness: dict[str, str] = {}
    for condition in own:
        place = at.get(kept.get(_stable(condition), ""))
        if place is not None and noticed(condition, [every[place]], [usual[place]], run_case) is not None:
            witness[condition.key] = digests[place]
    decided = decisive(every, [module], run_case) if len(witness) < len(own) else {}
    for condition in own:
        if condition.key in witness:
            continue
        places = decided.get(condition.key, [])
        found = noticed(condition, [every[p] for p in places], [usual[p] for p in places], run_case)
        witness[condition.key] = digests[places[found]] if found is not None else ""
    return {f"{_stable(condition)}\n{condition.key}": witness[condition.key] for condition in own}


def _stable(condition: Condition) -> str:
    """The condition's name while lines move."""
    return f"{condition.module}:{condition.function}:{condition.kind}:{condition.source}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("modules", nargs="*", help="words that the module's name contains; all by default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--least", type=float, default=0.0, help="fail below this share with a witness")
    given = parser.parse_args(arguments)
    names = [name for name in modules() if not given.modules or any(word in name for word in given.modules)]
    kept: dict[str, str] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    with ProcessPoolExecutor(given.jobs) as pool:
        results = list(pool.map(_look, names, [kept] * len(names)))
    total = witnessed = 0
    for name, found in zip(names, results, strict=True):
        by_key = {condition.key: condition for condition in conditions(name)}
        alone = [by_key[both.split("\n")[1]] for both, witness in found.items() if not witness]
        total, witnessed = total + len(found), witnessed + len(found) - len(alone)
        print(f"{name}: {len(found) - len(alone)} of {len(found)} conditions have a witness")
        path = Path(*name.split(".")).with_suffix(".py")
        for condition in alone:
            print(f"  {path}:{condition.line}: {condition.kind}: {condition.source}")
        kept |= {both.split("\n")[0]: witness for both, witness in found.items() if witness}
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps(kept, indent=0, sort_keys=True), encoding="utf-8")
    share = witnessed / total if total else 1.0
    print(f"{witnessed} of {total} conditions ({share:.0%}) have a witness in {len(cases())} cases")
    return int(share < given.least)


if __name__ == "__main__":
    sys.exit(main())

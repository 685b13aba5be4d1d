"""Finds every regular expression of our packages and those among them that can run away.

    python tests/pump_patterns.py            walk the packages; print what was found as JSON
    python tests/pump_patterns.py < FILE     with --given: pump the patterns of a JSON list [[text, flags], ...]

From the parse tree of a pattern come strings that keep its repetitions busy and then fail. Each is grown to
100 kB; a pattern runs away where the work grows clearly faster than the text. It is run in a process of its
own with a limit on its processor time, so that a pattern without end cannot hang a test.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import re
import resource
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

try:
    from re import _constants as codes  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10
    import sre_constants as codes
    import sre_parse as parser

PACKAGES = ("dnc_datasets", "dnc_metrics", "dnc_harness", "dnc_trainers", "dnc_leaderboard")
LARGEST = 100_000
_FIRST, _GROWTH = 1_600, 4
# From the first length to this many times it at once. Work a·n + b·n² that is at most _EVEN times the linear there has
# b < a / 58,000, which the last steps up to LARGEST could not tell from linear either.
_LEAP, _EVEN = 16, 1.4
_STEEP = 1.5  # the power of the length from which on work grows faster than linear: quadratic work has 2
_FLOOR = 0.004  # seconds of work below which a ratio of two times says nothing
_MUCH = 0.005  # seconds of a short text that are looked at at once
_LONG = 0.05  # seconds of a search that are measured once
_STOP = 0.5  # seconds of one search that is given up
_MANY = 8  # a repetition that goes on for so long can be pumped
_STRINGS, _HARDEST = 240, 3
_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")
_LIKE = {"finditer": "findall", "subn": "sub"}  # the same work, and a call that does it at once


class Slow(Exception):
    """Raised inside a search that takes too long."""


# Modules whose library has an environment of its own (`make extras`); they hold no pattern.
SEPARATE = ("dnc_harness.environment",)

# --- patterns ---------------------------------------------------------------------------------------------


def modules() -> tuple[list[ModuleType], list[str]]:
    """Every module of our packages, and the names of those that need what is not installed."""
    found, absent = [], []
    for package in PACKAGES:
        root = importlib.import_module(package)
        found.append(root)
        for info in pkgutil.walk_packages(root.__path__, f"{package}."):
            if info.name.endswith("__main__") or info.name in SEPARATE:
                continue
            try:
                found.append(importlib.import_module(info.name))
            except ImportError as error:
                absent.append(f"{info.name}: {error}")
    return found, absent


def patterns(module: ModuleType) -> Iterator[tuple[str, int, str, frozenset[str]]]:
    """Text, flags, name and the ways of use of each pattern of a module."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError):
        return
    used: dict[str, set[str]] = {}
    nodes = list(ast.walk(tree))
    for node in nodes:
        if not isinstance(node, ast.Attribute) or node.attr not in _METHODS:
            continue
        if isinstance(node.value, ast.Name):
            used.setdefault(node.value.id, set()).add(node.attr)
    for call in nodes:  # re.search("...", text): the pattern is written where it is used
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
            and call.func.value.id == "re"
            and call.func.attr in _METHODS
            and call.args
        ):
            written = _constant(call.args[0])
            flags = [ast.unparse(word.value) for word in call.keywords if word.arg == "flags"]
            flags += [ast.unparse(argument) for argument in call.args if "re." in ast.unparse(argument)]
            value = re.I if any("re.I" in flag for flag in flags) else 0
            if written is not None:
                yield written, int(value), f"{module.__name__}:{call.lineno}", frozenset((call.func.attr,))
    for name, value in list(vars(module).items()):
        for pattern in _inside(value, module, set()):
            direct = isinstance(value, re.Pattern)
            ways = used.get(name, set()) if direct else set()
            yield pattern.pattern, pattern.flags, f"{module.__name__}.{name}", frozenset(ways)


def _constant(node: ast.expr) -> str | None:
    """A text, or one made of texts and names, for which a word is."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [_constant(part) if isinstance(part, ast.Constant) else "word" for part in node.values]
        return "".join(part or "" for part in parts)
    return None


def _inside(value: Any, module: ModuleType, seen: set[int]) -> Iterator[re.Pattern[str]]:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _inside(key, module, seen)
            yield from _inside(item, module, seen)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _inside(item, module, seen)
    elif isinstance(value, type):
        if value.__module__ == module.__name__:
            for item in list(vars(value).values()):
                yield from _inside(item, module, seen)
    elif type(value).__module__.split(".")[0] in PACKAGES:
        slots = [getattr(value, name, None) for name in getattr(type(value), "__slots__", ())]
        yield from _inside([*vars(value).values()] if hasattr(value, "__dict__") else slots, module, seen)


# --- strings that keep a pattern busy ----------------------------------------------------------------------


def strings(pattern: str, flags: int) -> list[tuple[str, str, str]]:
    """(prefix, pump, end): texts of the form prefix + pump * n + end."""
    found: dict[tuple[str, str, str], None] = {}
    tree = parser.parse(pattern, flags)
    characters = list(dict.fromkeys(_characters(tree)))[:24]
    ends = ("\0", "\n", "", *list(dict.fromkeys(_refused(tree)))[:4])
    prefixes: dict[str, None] = {"": None}
    for prefix, body in _repetitions(tree, ""):
        prefixes[prefix] = None
        for stretch in (1, 14):
            for choice in range(3):
                pump = _sample(body, stretch, choice)
                for end in ends if pump else ():
                    found[prefix, pump, end] = None
                    found["", prefix + pump, end] = None
    whole = _sample(tree, 1, 0)
    found["", whole or "a", "\0"] = None
    for prefix in list(prefixes)[:8]:
        for character in characters:
            for end in ends[:1] + ends[2:]:
                found[prefix, character, end] = None
    for first in characters[:8]:
        for second in characters[:8]:
            if first != second:
                found["", first + second, "\0"] = None
    return list(found)[:_STRINGS]


def _repetitions(tree: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """What leads to each repetition that can be pumped, and its body."""
    for code, given in tree:
        if code in _REPEATS:
            _least, most, body = given
            if most is codes.MAXREPEAT or most >= _MANY:
                yield prefix, body
            yield from _repetitions(body, prefix)
        for inner in _parts(code, given):
            yield from _repetitions(inner, prefix)
        prefix += _one(code, given, 1, 0)


_REPEATS = tuple(
    getattr(codes, name) for name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") if hasattr(codes, name)
)
_ATOMIC = getattr(codes, "ATOMIC_GROUP", None)


def _parts(code: Any, given: Any) -> list[Any]:
    """The trees inside a node other than a repetition."""
    if code is codes.SUBPATTERN:
        return [given[-1]]
    if code is codes.BRANCH:
        return list(given[1])
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [given[1]]
    if code is codes.GROUPREF_EXISTS:
        return [part for part in given[1:] if part]
    return [given] if code is _ATOMIC else []


def _sample(tree: Any, stretch: int, choice: int) -> str:
    """A text that the tree matches, repetitions inside it going round `stretch` times where they may."""
    return "".join(_one(code, given, stretch, choice) for code, given in tree)


def _one(code: Any, given: Any, stretch: int, choice: int) -> str:
    if code in _REPEATS:
        least, most, body = given
        times = max(least, min(stretch if stretch > 1 else max(1, least), int(most)))
        return _sample(body, stretch if stretch == 1 else 2, choice) * min(times, 20)
    if code is codes.BRANCH:
        return _sample(given[1][choice % len(given[1])], stretch, choice)
    if code in (codes.SUBPATTERN, _ATOMIC):
        return _sample(_parts(code, given)[0], stretch, choice)
    if code in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY):
        some = list(dict.fromkeys(_accepted(code, given)))
        return some[choice % len(some)] if some else ""
    return ""  # an anchor, a look around, a reference to a group


def _characters(tree: Any) -> Iterator[str]:
    """Characters that the pattern knows of, those of repetitions first."""
    later: list[str] = []
    for code, given in tree:
        if code in _REPEATS:
            yield from _characters(given[2])
        for inner in _parts(code, given):
            yield from _characters(inner)
        if code in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY):
            some = _accepted(code, given)
            if code is codes.IN or code is codes.ANY:
                yield from some
            else:
                later += some
    yield from later


def _refused(tree: Any) -> Iterator[str]:
    """Characters that some repetition of the pattern does not go over."""
    for code, given in tree:
        for inner in [given[2]] if code in _REPEATS else _parts(code, given):
            yield from _refused(inner)
        if code is codes.NOT_LITERAL:
            yield chr(given)
        elif code is codes.IN and given[0][0] is codes.NEGATE:
            yield from (chr(what) for kind, what in given if kind is codes.LITERAL)


_CATEGORIES = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_SPACE: " \n",
    codes.CATEGORY_WORD: "aA1",
    codes.CATEGORY_NOT_DIGIT: "a ",
    codes.CATEGORY_NOT_SPACE: "a1.",
    codes.CATEGORY_NOT_WORD: " .",
}


def _accepted(code: Any, given: Any) -> list[str]:
    if code is codes.LITERAL:
        return [chr(given)]
    if code is codes.ANY:
        return ["a", " "]
    if code is codes.NOT_LITERAL:
        return [one for one in "a 1." if one != chr(given)][:2]
    listed: list[str] = []
    for kind, what in given:
        if kind is codes.LITERAL:
            listed.append(chr(what))
        elif kind is codes.RANGE:
            listed.append(chr(what[0]))
        elif kind is codes.CATEGORY:
            listed += _CATEGORIES.get(what, "")
    if given and given[0][0] is codes.NEGATE:
        return [one for one in "a 1A.,-\n" if one not in listed][:4]
    return listed[:10]


# --- pumping -----------------------------------------------------------------------------------------------


def runs_away(pattern: str, flags: int, ways: Iterable[str] = ()) -> str:
    """Why the pattern is not linear, with the text that shows it; empty where nothing shows it."""
    compiled = re.compile(pattern, flags & ~re.DEBUG)
    for way in sorted({_LIKE.get(way, way) for way in ways} or {"search", "fullmatch"}):
        timed = []
        for form in strings(pattern, flags):
            took = _seconds(compiled, way, _grown(form, _FIRST))
            if took == float("inf"):
                return _shown(way, form, f"given up at {_FIRST} characters")
            if took > _MUCH:
                steep = _GROWTH**_STEEP * _least(compiled, way, _grown(form, _FIRST // _GROWTH))
                if took > steep:
                    took = min(took, _least(compiled, way, _grown(form, _FIRST)))
                if took > max(_MUCH, steep):
                    return _shown(
                        way, form, f"{took:.3f} s at {_FIRST} characters, much less at a quarter of them"
                    )
            timed.append((took, form))
        timed.sort(key=lambda pair: -pair[0])
        for _, form in timed[:_HARDEST]:
            reason = _growth(compiled, way, form)
            if reason:
                return reason
    return ""


def _growth(compiled: re.Pattern[str], way: str, form: tuple[str, str, str]) -> str:
    size = _FIRST
    before = _least(compiled, way, _grown(form, size))
    while size < LARGEST:
        larger = min(LARGEST, size * (_GROWTH if size > _FIRST else _LEAP))
        took = _seconds(compiled, way, _grown(form, larger))
        if took == float("inf"):
            return _shown(way, form, f"given up at {larger} characters")
        if size == _FIRST and took < before * _LEAP * _EVEN:
            return ""
        if took > _FLOOR and took > before * (larger / size) ** _STEEP:
            before = _least(compiled, way, _grown(form, size))
            took = _least(compiled, way, _grown(form, larger))
            if took > before * (larger / size) ** _STEEP:
                return _shown(
                    way, form, f"{took / before:.0f} times the work at {larger / size:.0f} times the length"
                )
        size, before = larger, took
    return ""


def _shown(way: str, form: tuple[str, str, str], reason: str) -> str:
    return f"{way} on {form[0]!r:.60} + {form[1]!r:.80} * n + {form[2]!r}: {reason}"


def _grown(form: tuple[str, str, str], size: int) -> str:
    prefix, pump, end = form
    return prefix + pump * max(1, (size - len(prefix)) // len(pump)) + end


def _seconds(compiled: re.Pattern[str], way: str, text: str) -> float:
    arguments = ("", text) if way == "sub" else (text,)
    signal.setitimer(signal.ITIMER_VIRTUAL, _STOP)
    start = time.thread_time()  # while a timer runs, the clock of the whole process moves only in ticks
    try:
        getattr(compiled, way)(*arguments)
        return max(time.thread_time() - start, 1e-6)
    except Slow:
        return float("inf")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _least(compiled: re.Pattern[str], way: str, text: str) -> float:
    """The seconds of a search without a pause of the machine; a long search is not repeated, as no pause matters."""
    took = _seconds(compiled, way, text)
    return took if took > _LONG else min(took, *(_seconds(compiled, way, text) for _ in range(2)))


def _too_slow(*_: object) -> None:
    raise Slow


def main() -> None:
    del sys.path[0]  # the folder of this file holds folders named like the packages
    resource.setrlimit(resource.RLIMIT_CPU, (300, 300))
    signal.signal(signal.SIGVTALRM, _too_slow)
    absent: list[str] = []
    if "--given" in sys.argv:
        work = {
            (text, flags): (f"given {at}", frozenset[str]())
            for at, (text, flags) in enumerate(json.load(sys.stdin))
        }
    else:
        some, absent = modules()
        work = {}
        for module in some:
            for text, flags, name, ways in patterns(module):
                known, used = work.get((text, flags), (name, frozenset[str]()))
                work[text, flags] = (known, used | ways)
    bad = []
    for (text, flags), (name, ways) in work.items():
        reason = runs_away(text, flags, ways)
        if reason:
            bad.append({"pattern": text, "name": name, "reason": reason})
    print(json.dumps({"patterns": len(work), "absent": absent, "bad": bad}))


if __name__ == "__main__":
    main()

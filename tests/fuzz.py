"""`make fuzz`: a million seeded inputs over every public parser, scorer and perturbation, outside `make test`.

Each batch runs in a process of its own with a limit on memory; an input has a limit on time. Input number N is the
same on every machine: `python -m tests.fuzz --only N` runs it alone and shows what it does.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

_BATCH = 5000
_MEMORY = 2 << 30  # bytes of a process
_SECONDS = 20  # of processor time for one input
_LONG = 20_000  # characters of the longest inputs
_SHAPES = ("tiny", "tiny_passages", "tiny_tables", "tiny_dialogues", "tiny_dialogues_zh")
_PIECES = [
    "0", "1", "7", "12", "3.5", "1,050", "-3", "1/2", "2½", "10" * 20, "9" * 399, "1e999", "0.0000001", "%", "$", "€",
    "(", ")", "[", "]", "{", "}", "<<", ">>", "####", "=", "+", "-", "*", "/", "^", "x", ".", ",", ";", ":", "?", "!",
    " ", "  ", "\t", "\n", "\n\n", "\r", "\u00a0", "\u2028", "\u200b", "\ufeff", "\ud800", "\udfff", "\x00", "é", "ß",
    "İ", "多少", "一百", "。", "٣", "１２", "²", "½", "\\boxed{", "\\frac{1}{2}", "**", "```", "<think>", "</think>",
    "The answer is", "twenty-one", "minus", "a dozen", "half", "million", "third", "and", "of", "each", "if", "If",
    "how many", "How many", "Amy", "Ben has", "pens", "more than", "times", "left", "the", "He", "they", "is", "2019",
]  # fmt: skip


class Hang(Exception):
    """An input that took longer than its limit."""


def text(draw: random.Random) -> str:
    """A text of any kind: pieces, random characters, real sentences with damage, long runs, deep nesting."""
    kind = draw.randrange(10)
    if kind < 3:
        return draw.choice(("", " ")).join(draw.choices(_PIECES, k=draw.randrange(1, 30)))
    if kind == 3:
        return "".join(
            chr(draw.choice((127, 0x3000, 0xFFFF, 0x10FFFF)) and draw.randrange(0x110000)) for _ in range(40)
        )
    if kind == 4:
        piece = "".join(draw.choices(_PIECES, k=draw.randrange(1, 4)))
        size = _LONG if draw.random() < 0.02 else 600
        return (piece * (size // len(piece) + 1))[:size] + draw.choice(_PIECES)
    if kind == 5:
        opened = draw.choice(("(", "[", "{", "-", "((", '{"a":', "\\frac{"))
        return opened * draw.randrange(1, 400) + "3" + ")" * draw.randrange(400)
    if kind == 6:
        digits = "".join(draw.choices("0123456789", k=draw.choice((5, 33, 34, 60, 400, 401, 5000))))
        return f"{draw.choice(_PIECES)} {digits}{draw.choice(_PIECES)} pens{draw.choice(_PIECES)}"
    problem = draw.choice(real(draw.choice(_SHAPES)))
    return damaged(draw.choice((problem.text, problem.equation, problem.answer, problem.question)), draw)


def damaged(given: str, draw: random.Random) -> str:
    """The text with some of it cut, doubled, exchanged or replaced."""
    for _ in range(draw.randrange(1, 5)):
        start = draw.randrange(len(given) + 1)
        end = min(len(given), start + draw.choice((0, 1, 1, 3, 10, 40)))
        new = draw.choice((draw.choice(_PIECES), "", given[start:end] * 2, given[start:end].swapcase()))
        given = given[:start] + new + given[end:]
    return given


@cache
def real(dataset: str) -> list[Any]:
    from dnc_datasets.serving import catalogue

    return [problem for some in catalogue.read(dataset).values() for problem in some]


def row(draw: random.Random) -> dict[str, Any]:
    """A record as a user might give it: a real one with damage in some of its fields."""
    from dnc_datasets.problem import to_row

    problem = draw.choice(real(draw.choice(_SHAPES)))
    made = to_row(problem)
    made["meta"] = dict(problem.meta) if draw.random() < 0.5 else {}
    for name in draw.sample(sorted(made), draw.randrange(0, 4)):
        value = made[name]
        if isinstance(value, str):
            made[name] = damaged(value, draw) if draw.random() < 0.6 else text(draw)
        elif name == "table" and value:
            at = draw.randrange(len(value))
            made[name] = draw.choice(
                (
                    value[:at],
                    value[at:],
                    [*value[:at], [], *value[at:]],
                    [[damaged(cell, draw) for cell in line] for line in value],
                    [line[: draw.randrange(4)] for line in value],
                )
            )
        elif name == "history" and value:
            made[name] = draw.choice(
                (value[:-1], value * 2, [{**turn, "answer": text(draw)} for turn in value])
            )
        elif name == "meta":
            made[name] = {key: damaged(item, draw) for key, item in value.items()}
        elif isinstance(value, list):
            made[name] = draw.choice(([], [*value, text(draw)], [damaged(item, draw) for item in value[:3]]))
        if draw.random() < 0.05:
            made[name] = draw.choice((None, 3, 2.5, True, [], {}, [1], [[1]], [None], {"a": [1]}, "x"))
    return made


def targets() -> dict[str, Callable[[random.Random], object]]:
    """What is fuzzed, by name."""
    from dnc_datasets import expression, numerals, operand_links, perturbations
    from dnc_datasets.english.reading.problem_text import split_problem
    from dnc_datasets.english.reading.sentences import sentences
    from dnc_datasets.own import files, problems
    from dnc_datasets.perturbations.statements.neighbours import Neighbours
    from dnc_datasets.problem import SHAPES, from_row
    from dnc_datasets.serving.settings import perturb
    from dnc_datasets.sources.formats.annotated_steps import read_solution
    from dnc_metrics import answers, drop, equations, extraction, graphs, similarity

    pool = Neighbours([problem for dataset in _SHAPES for problem in real(dataset)[:80]])

    def values(made: expression.Expr) -> object:
        return expression.parse(made.infix(), names=True) == made and made.value()

    def perturbed(name: str) -> Callable[[random.Random], object]:
        def run(draw: random.Random) -> object:
            problem = problems.read(row(draw), 1)
            steps = perturbations.recipe(name, problem.shape)
            return perturb(problem, steps, dataset="fuzz", seed=draw.randrange(99), neighbours=pool)

        return run

    def ratio(draw: random.Random) -> Fraction:
        return Fraction(draw.randrange(-(10**9), 10 ** draw.choice((3, 20, 36))), draw.randrange(1, 999))

    def edges(draw: random.Random) -> list[tuple[str, str]]:
        nodes = ["<q>", "<q1>", "<q2>", "<p1>", "<p2>", draw.choice(_PIECES)]
        return [(draw.choice(nodes), draw.choice(nodes)) for _ in range(draw.randrange(6))]

    found: dict[str, Callable[[random.Random], object]] = {
        "numerals.find": lambda draw: numerals.find(text(draw)),
        "numerals.parse": lambda draw: numerals.parse(text(draw)),
        "numerals.spell": lambda draw: numerals.spell(ratio(draw)),
        "numerals.digits": lambda draw: numerals.digits(ratio(draw), text(draw)),
        "expression.parse": lambda draw: values(expression.parse(text(draw), names=draw.random() < 0.5)),
        "expression.parse_prefix": lambda draw: expression.parse_prefix(text(draw)),
        "expression.equivalent": lambda draw: expression.equivalent(text(draw), text(draw)),
        "sentences": lambda draw: sentences(text(draw)),
        "cut": lambda draw: split_problem(text(draw)),
        "solution": lambda draw: read_solution(text(draw), text(draw) + draw.choice(("", " #### 7", "<<3+4=7>>"))),
        "own line": lambda draw: files.record(files.Line(1, damaged(json.dumps(row(draw)), draw))),
        "own row": lambda draw: problems.contradiction(problems.read(row(draw), 1)),
        "row": lambda draw: from_row(row(draw)),
        "links": lambda draw: operand_links.find(p := problems.read(row(draw), 1), expression.parse(p.equation)),
        "extraction.answer": lambda draw: extraction.answer(f"{text(draw)}\n#### {text(draw)}"),
        "extraction.answer in prose": lambda draw: extraction.answer(text(draw)),
        "extraction.phrase": lambda draw: extraction.phrase(text(draw)),
        "answers.score": lambda draw: answers.score(text(draw), draw.choice(("3", "1/2", "a span", text(draw)))),
        "equations.score": lambda draw: equations.score(text(draw), draw.choice(("3 + 4", "12 / 5", text(draw)))),
        "drop.score": lambda draw: drop.score(text(draw), [text(draw), "3"]),
        "graphs.dagsim": lambda draw: graphs.dagsim(edges(draw), edges(draw)),
        "graphs.gem": lambda draw: graphs.gem(edges(draw), edges(draw)),
        "similarity.edit": lambda draw: similarity.edit(text(draw)[:300], text(draw)[:300]),
    }  # fmt: skip
    names = dict.fromkeys(name for shape in SHAPES for name in perturbations.names(shape))
    return found | {
        f"perturb {name}": perturbed(name) for name in (*names, "language+verbosity", "extra+type")
    }


def one(number: int, known: dict[str, Callable[[random.Random], object]]) -> tuple[str, str]:
    """Run one input: which target, and how it ended (fine, refused, or what went wrong)."""
    from dnc_datasets.errors import CertificateError, DncError

    draw = random.Random(number)
    name = draw.choice(sorted(known))
    signal.setitimer(signal.ITIMER_PROF, _SECONDS)
    try:
        known[name](draw)
    except CertificateError as error:
        return name, f"refused by {error.promise}"
    except DncError:
        return name, "refused"
    except Hang:
        return name, "HANG"
    except Exception as error:
        return name, f"CRASH {type(error).__name__}: {str(error)[:80]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return name, "fine"


def _stop(*_: object) -> None:
    raise Hang


def work(first: int, last: int, place: Path) -> None:
    """A process: inputs from first to last; `place` holds the number of the one under way."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    signal.signal(signal.SIGPROF, _stop)
    os.environ["DNC_STRICT"] = "1"
    known = targets()
    found: Counter[str] = Counter()
    bad: list[str] = []
    with place.open("r+b") as file, mmap.mmap(file.fileno(), 8) as shared:
        for number in range(first, last):
            shared[:] = number.to_bytes(8, "big")
            name, ended = one(number, known)
            found[f"{name}: {ended}" if ended.startswith("refused by") else ended] += 1
            if ended.startswith(("CRASH", "HANG")):
                bad.append(f"{number} {name}: {ended}")
    print(json.dumps({"found": found, "bad": bad}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", type=int, help="run this input alone")
    parser.add_argument("--work", nargs=2, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--place", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(*arguments.work, arguments.place)
        return 0
    if arguments.only is not None:
        os.environ["DNC_STRICT"] = "1"
        known = targets()
        draw = random.Random(arguments.only)
        name = draw.choice(sorted(known))
        print(name, flush=True)
        print(known[name](draw))
        return 0
    return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    total: Counter[str] = Counter()
    bad: list[str] = []
    last = arguments.first + arguments.inputs
    starts = iter(range(arguments.first, last, _BATCH))
    running: dict[subprocess.Popen[str], tuple[int, Path]] = {}
    with tempfile.TemporaryDirectory() as folder:
        while True:
            while len(running) < arguments.jobs and (start := next(starts, None)) is not None:
                place = Path(folder, f"{start}")
                place.write_bytes(bytes(8))
                words = ["--work", str(start), str(min(start + _BATCH, last)), "--place", str(place)]
                process = subprocess.Popen(
                    [sys.executable, "-m", "tests.fuzz", *words],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                running[process] = (start, place)
            if not running:
                break
            time.sleep(0.2)
            for process in [one for one in running if one.poll() is not None]:
                start, place = running.pop(process)
                out, err = process.communicate()
                known = len(bad)
                if process.returncode:
                    at = int.from_bytes(place.read_bytes(), "big")
                    bad.append(f"{at} ended its process ({process.returncode}): {err.strip()[-200:]}")
                else:
                    made = json.loads(out)
                    total.update(made["found"])
                    bad += made["bad"]
                for line in bad[known:]:
                    print(f"\n{line}", flush=True)
                print(f"\r{sum(total.values())} inputs, {len(bad)} bad", end="", file=sys.stderr, flush=True)
    print(f"\n{sum(total.values())} inputs: {total['fine']} fine, {total['refused']} refused with a message")
    refused = {name: count for name, count in sorted(total.items()) if "refused by" in name}
    print(f"{sum(refused.values())} rows refused by their certificate: {json.dumps(refused)}")
    print(f"{len(bad)} crashes, hangs or ended processes")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

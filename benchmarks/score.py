"""Measures `dnc score` and `dnc explain`, whole commands: replies a second, and seconds for the wrong answers.

    python benchmarks/score.py [--problems 25000] [--wrong 0.25]

Every problem has a text of its own and is asked twice, as it is and with a number denied, so that hardly anything
repeats from row to row: the hard case, for in the variants of a dataset most rows stand as they were. The parts
of `dnc score` are told in microseconds a reply; `extraction` is a part of `scoring`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from dnc_datasets import cli
from dnc_harness import own_files, predictions, recording
from dnc_leaderboard import making, record, statistics
from dnc_metrics import answers, baselines, causes
from metrics import TEXTS  # benchmarks/metrics.py, the folder of this script

# Each part of the command, and where it is done.
PARTS: tuple[tuple[str, Any, str], ...] = (
    ("reading rows", own_files.OwnFile, "__init__"),
    ("reading replies", predictions, "read"),
    ("scoring", recording.replies, "score"),
    ("extraction", answers, "read"),
    ("calculations stated in wrong replies", recording, "_stated"),
    ("baselines", baselines.Tally, "add"),
    ("labels", making, "labels"),
    ("numbers of wrong rows", making.Question, "of"),
    ("causes", causes, "explain_all"),
    ("statistics", statistics, "tables"),
    ("outcomes", making, "_outcome"),
    ("writing", record, "write"),
)

_THINGS = ("pens", "apples", "books", "coins", "stamps", "shells", "cards")


def problems(count: int) -> Iterable[dict[str, str]]:
    """Problems of one or two steps with numbers of their own."""
    for at in range(count):
        a, b, c, thing = 1000 + at, 3 * at + 7, at % 90 + 2, _THINGS[at % len(_THINGS)]
        text = f"Ann had {a} {thing} and then got {b} more from a friend."
        if at % 2:
            text += f" Later she gave {c} of them to Tom."
        equation, answer = (f"{a} + {b} - {c}", a + b - c) if at % 2 else (f"{a} + {b}", a + b)
        question = f"How many {thing} does Ann have?"
        yield {"id": str(at), "body": text, "question": question, "equation": equation, "answer": str(answer)}


def replies(rows: Iterable[dict[str, str]], wrong: float) -> Iterable[dict[str, str]]:
    """Replies in many forms; a share of them has one of the problem's mistakes or any number."""
    for at, row in enumerate(rows):
        value = int(row["answer"])
        if (at * 37 % 1000) / 1000 < wrong:
            value = (value + 10 * (at % 11) + 1, int(row["equation"].split()[0]), 2 * value)[at % 3]
        yield {"id": row["id"], "output": TEXTS[at % len(TEXTS)](value - 3, 3)}


def _lines(path: Path, rows: Iterable[dict[str, str]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@contextlib.contextmanager
def _timed(seconds: dict[str, float]) -> Iterator[None]:
    """Adds the processor time of each part to `seconds`; a call in a timed one is counted in both."""
    kept = [getattr(place, name) for _, place, name in PARTS]
    for (part, place, name), function in zip(PARTS, kept, strict=True):
        setattr(place, name, _counted(seconds, part, function))
    yield
    for (_, place, name), function in zip(PARTS, kept, strict=True):
        setattr(place, name, function)


def _counted(seconds: dict[str, float], part: str, function: Any) -> Any:
    def call(*arguments: Any, **named: Any) -> Any:
        began = time.process_time()
        made = function(*arguments, **named)
        seconds[part] = seconds.get(part, 0.0) + time.process_time() - began
        return made

    return call


def _command(*words: object) -> float:
    """The processor time of a command; what it prints is not shown."""
    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        assert cli.main([str(word) for word in words]) == 0
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=25_000)
    parser.add_argument("--wrong", type=float, default=0.25)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        rows = list(problems(arguments.problems))
        given = _lines(folder / "given.jsonl", rows)
        _command("perturb", given, "--with", "verbosity", "--out", folder / "own.jsonl")
        said = _lines(folder / "said.jsonl", replies(rows, arguments.wrong))
        configs = (f"own={said}", f"own-verbosity-attack={said}")
        out = folder / "scored"
        took = _command("score", *configs, "--own", folder / "own.jsonl", "--out", out)
        seconds: dict[str, float] = {}
        with _timed(seconds):
            _command("score", *configs, "--own", folder / "own.jsonl", "--out", out)
        explained = _command("explain", out)
        record = json.loads((out / "record.json").read_text(encoding="utf-8"))
        count = sum(cell["rows"] for cell in record["cells"])
        wrong = count - sum(cell["right"] for cell in record["cells"])
        told = {
            "replies": count,
            "wrong": wrong,
            "score_cpu_seconds": round(took, 2),
            "replies_a_second": round(count / took),
            "explain_cpu_seconds": round(explained, 2),
            "microseconds_a_reply": {part: round(1e6 * seconds[part] / count, 1) for part, *_ in PARTS},
        }
        print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()

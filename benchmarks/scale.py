"""Files larger than memory: rows per second, and peak memory, of `dnc perturb` and `dnc build` over more and more rows.

    python benchmarks/scale.py --rows 100000 1000000
    python benchmarks/scale.py --rows 10000000 --only perturb --with type

Word problems are written to Parquet, no two with the same text, and each command runs over them in a process of its
own. Times are the processor's. What was written is deleted before the next size begins.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from processes import CALL

from dnc_datasets import atomic
from dnc_datasets.problem import FIELDS
from dnc_datasets.serving import rows

# Only the last number of a text is never the same in two rows of one kind.
KINDS = (
    ("{who} picked {a} plums and {other} picked {b} plums.", "How many plums were picked?", "{a} + {b}"),
    ("A barn has {a} bales. {who} takes {b} of them away.", "How many bales are left?", "{a} - {b}"),
    ("A crate holds {b} jars, and {who} fills {a} crates.", "How many jars are there?", "{b} * {a}"),
    (
        "{who} read {a} pages and {other} read {b} pages more.",
        "How many pages did {other} read?",
        "{a} + {b}",
    ),
)
WHO = ("Ana", "Bo", "Cleo", "Dan", "Eva", "Finn", "Gita")
PIECE = 10_000
PLUGIN = """
from pathlib import Path
from dnc_datasets import sources
from dnc_datasets.own.stored import Stored
from dnc_datasets.sources import Source

def read(files, fold):
    return {{"test": Stored(Path({path!r}))}}

sources.register(Source("many", "Many rows", "word_problem", read, (), "CC0-1.0", "none"))
"""


def problems(count: int) -> Iterator[pa.Table]:
    """Yield a number of word problems, some at a time."""
    schema = pa.schema([rows.schema().field(name) for name in FIELDS])
    for start in range(0, count, PIECE):
        made = [_problem(number) for number in range(start, min(start + PIECE, count))]
        columns = dict(
            zip(("id", "body", "question", "equation", "answer"), zip(*made, strict=True), strict=True)
        )
        constant = {"unit": "", "answer_type": "number", "meta": "{}"}
        filled = [columns.get(name, [constant.get(name, [])] * len(made)) for name in FIELDS]
        yield pa.table(
            [pa.array(column, field.type) for column, field in zip(filled, schema, strict=True)], schema
        )


def _problem(number: int) -> tuple[str, str, str, str, str]:
    body, question, equation = KINDS[number % len(KINDS)]
    b = number // len(KINDS) + 2
    named = {
        "a": b + 3 + number % 89,
        "b": b,
        "who": WHO[number % len(WHO)],
        "other": WHO[(number + 3) % len(WHO)],
    }
    a = named["a"]
    answer = {"+": a + b, "-": a - b, "*": a * b}[equation[4]]
    return f"m{number}", body.format(**named), question.format(**named), equation.format(**named), str(answer)


def measured(words: list[str]) -> tuple[float, int]:
    """Processor seconds of a `dnc` command in one process, and its peak memory in MB."""
    with subprocess.Popen([sys.executable, "-c", CALL, *words], stdout=subprocess.DEVNULL) as run:
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        raise SystemExit(f"dnc {' '.join(words)} ended with {run.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def commands(folder: Path, recipe: str) -> dict[str, list[str]]:
    """What is measured, by name; files are below the folder."""
    given, plugin = folder / "given.parquet", folder / "many.py"
    plugin.write_text(PLUGIN.format(path=str(given)), encoding="utf-8")
    built, build = str(folder / "built"), f"many-{recipe}-attack"
    return {
        "perturb": [
            "perturb",
            str(given),
            "--with",
            recipe,
            "--dataset",
            "many",
            "--out",
            str(folder / "out.parquet"),
        ],
        "build": ["build", build, "--plugin", str(plugin), "--out", built],
        "verify": ["verify", built, "--plugin", str(plugin)],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--with", dest="recipe", default="type")
    parser.add_argument(
        "--only", nargs="+", default=["perturb", "build", "verify"], help="verify comes after build"
    )
    parser.add_argument("--out", type=Path, help="add the lines to this JSON file, under `scale`")
    arguments = parser.parse_args()
    for count in arguments.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with pq.ParquetWriter(
                folder / "given.parquet", next(problems(1)).schema, compression="zstd"
            ) as file:
                for table in problems(count):
                    file.write_table(table)
            for command, words in commands(folder, arguments.recipe).items():
                if command in arguments.only:
                    seconds, memory = measured(words)
                    line = {
                        "command": command,
                        "recipe": arguments.recipe,
                        "rows": count,
                        "seconds": round(seconds, 1),
                        "rows_per_second": round(count / seconds),
                        "megabytes": memory,
                    }
                    print(json.dumps(line), flush=True)
                    if arguments.out:
                        _add(arguments.out, line)


def _add(path: Path, line: dict[str, Any]) -> None:
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known = ("command", "recipe", "rows")
    others = [one for one in before.get("scale", []) if any(one[name] != line[name] for name in known)]
    scale = sorted([*others, line], key=lambda one: [one[name] for name in known])
    atomic.write_text(path, json.dumps({**before, "scale": scale}, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""Files larger than memory: speed and peak memory of `dnc perturb` and `dnc build` by number of rows.

    python benchmarks/scale.py --rows 100000 1000000
    python benchmarks/scale.py --rows 10000000 --only perturb --with type
    python benchmarks/scale.py --rows 300000 --only cluster --kill worker node
    python benchmarks/scale.py --rows 10000000 --only cluster --keep build/scale

Word problems with distinct texts are written to Parquet, and each command runs over them in a separate
process. Times are processor times. The output is deleted before the next size begins.

`cluster` perturbs the rows on two Ray nodes of one core each on this machine, and again in one process
(`one`). It compares the checksums of both. With `--kill`, a worker of the first node is killed when 60 % of
the files are written, and the second node when 75 % are. The share of the busiest worker is then the one
before the first loss. With `--keep FOLDER`, the rows and the result of one process are stored there for later
runs. Delete the folder after a change of the perturbations.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from processes import CALL

from dnc_datasets import atomic
from dnc_datasets.problem import FIELDS
from dnc_datasets.serving import content, ray_cluster, rows

# Only the last number of a text differs between all rows of one kind.
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
NODES = 2
KILL_AFTER = {"worker": 0.6, "node": 0.75}  # share of the files
_TICK = os.sysconf("SC_CLK_TCK")
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
    """Yield a number of word problems in tables of `PIECE` rows."""
    schema = pa.schema([rows.schema().field(name) for name in FIELDS])
    for start in range(0, count, PIECE):
        rows_of_piece = [_problem(number) for number in range(start, min(start + PIECE, count))]
        columns = dict(
            zip(
                ("id", "body", "question", "equation", "answer"),
                zip(*rows_of_piece, strict=True),
                strict=True,
            )
        )
        constant = {"unit": "", "answer_type": "number", "meta": "{}"}
        filled = [columns.get(name, [constant.get(name, [])] * len(rows_of_piece)) for name in FIELDS]
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
    """Return the processor seconds of a `dnc` command in one process, and its peak memory in MB."""
    with subprocess.Popen([sys.executable, "-c", CALL, *words], stdout=subprocess.DEVNULL) as run:
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        raise SystemExit(f"dnc {' '.join(words)} ended with {run.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def kept(path: Path, make: Callable[[Path], object]) -> Path:
    """Return this file; the first process that needs it makes it, and others wait."""
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            unfinished = path.with_name(f"unfinished-{path.name}")
            make(unfinished)
            unfinished.rename(path)
    return path


def write_problems(path: Path, count: int) -> None:
    """Write a number of word problems to a Parquet file."""
    with pq.ParquetWriter(path, next(problems(1)).schema, compression="zstd") as file:
        for table in problems(count):
            file.write_table(table)


def one_process(words: list[str], out: Path, result: Path) -> None:
    """Perturb in one process; write seconds, memory and the checksum of the rows to a JSON file."""
    seconds, memory = measured(words)
    figures = {"seconds": round(seconds, 1), "megabytes": memory, "checksum": digest([out])}
    result.write_text(json.dumps(figures), encoding="utf-8")


def commands(folder: Path, given: Path, recipe: str) -> dict[str, list[str]]:
    """Return the measured commands, by name; their output is below the folder."""
    plugin = folder / "many.py"
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


@contextmanager
def nodes(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Start a Ray cluster of two nodes on the loopback address; yield its address and node processes."""
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(16)}
    os.environ.setdefault("RAY_worker_niceness", "0")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = [sys.executable, "-m", "ray.scripts.scripts", "start", "--node-ip-address=127.0.0.1", "--block"]
    words = ["--num-cpus=1", f"--object-store-memory={150 << 20}", "--disable-usage-stats"]
    head = ["--head", f"--port={port}", f"--temp-dir={folder / 'ray'}", "--include-dashboard=false"]
    started = []
    try:
        for own in (head, [f"--address=127.0.0.1:{port}"]):
            with (folder / "nodes.log").open("ab") as log:
                started.append(
                    subprocess.Popen([*program, *own, *words], start_new_session=True, stdout=log, stderr=log)
                )
            time.sleep(15)
        yield f"127.0.0.1:{port}", started
    finally:
        for node in started:
            with suppress(ProcessLookupError):
                os.killpg(node.pid, signal.SIGKILL)
            node.wait()


class Workers:
    """The workers of the nodes that have perturbed a block: processor seconds and peak memory of each."""

    def __init__(self) -> None:
        self.seconds: dict[int, float] = {}
        self.resident: dict[int, int] = {}
        self.own: dict[int, int] = {}  # memory that no other process shares

    def busiest(self) -> float:
        """Return the share of the busiest worker in the processor seconds of all."""
        return max(self.seconds.values()) / sum(self.seconds.values())

    def look(self, roots: list[int]) -> list[int]:
        """Measure the current workers, and return those that are perturbing a block."""
        busy, below = [], list(roots)
        while below:
            pid = below.pop()
            with suppress(OSError, IndexError):
                below += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
                working = Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::perturb_block")
                if not working and pid not in self.seconds:
                    continue
                used = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
                sizes = {
                    name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)
                }
                own = sizes["Private_Clean"] + sizes["Private_Dirty"]
                self.seconds[pid] = sum(map(int, used)) / _TICK
                self.resident[pid] = max(self.resident.get(pid, 0), sizes["Rss"] // 1024)
                self.own[pid] = max(self.own.get(pid, 0), own // 1024)
                busy += [pid] if working else []
        return busy


def cluster(
    folder: Path, count: int, words: list[str], kill: list[str], one: Callable[[], Path]
) -> dict[str, Any]:
    """Perturb on two nodes; return seconds, shares, memory, and whether the rows equal one process's."""
    *most, _ = words
    out, workers = folder / "many", Workers()
    killed: list[str] = []
    written, busiest = 0, 0.0
    files = -(-count // ray_cluster.block_rows(count, NODES))
    with nodes(folder) as (address, started):
        losses = {"worker": started[0], "node": started[1]}
        start = time.perf_counter()
        command = [sys.executable, "-c", CALL, *most, str(out), "--engine", "ray", "--address", address]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as run:
            while run.poll() is None:
                workers.look([node.pid for node in started])
                with suppress(FileNotFoundError):  # before the first file, and after the last
                    written = len(os.listdir(folder / ".many.building" / "new"))
                for loss in kill:
                    if loss in killed or written < KILL_AFTER[loss] * files:
                        continue
                    if busy := workers.look([losses[loss].pid]):
                        busiest = busiest or workers.busiest()
                        killed.append(loss)
                        if loss == "node":
                            os.killpg(losses[loss].pid, signal.SIGKILL)
                        else:
                            os.kill(busy[0], signal.SIGKILL)
                time.sleep(0.5)
        wall = time.perf_counter() - start
    if run.returncode or sorted(killed) != sorted(kill):
        raise SystemExit(f"dnc perturb on Ray ended with {run.returncode}; killed: {killed}")
    checksum = digest(sorted(out.iterdir()))
    alone = json.loads(one().read_text(encoding="utf-8"))
    return {
        "seconds": round(wall, 1),
        "load": round(os.getloadavg()[1], 1),
        "processor_seconds": round(sum(workers.seconds.values()), 1),
        "one_process_seconds": alone["seconds"],
        "files": len(list(out.iterdir())),
        "workers": len(workers.seconds),
        "busiest": round(busiest or workers.busiest(), 3),
        "megabytes": max(workers.resident.values()),
        "own_megabytes": max(workers.own.values()),
        "killed": killed,
        "checksum": checksum,
        "same_rows": checksum == alone["checksum"],
    }


def digest(files: list[Path]) -> str:
    """Return the checksum of the rows of these files, in order."""
    hashed = content.Columns()
    hashed.begin("test")
    for path in files:
        with pq.ParquetFile(path) as file:
            for piece in file.iter_batches(batch_size=PIECE):
                hashed.add(piece)
    return hashed.end()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--with", dest="recipe", default="type")
    parser.add_argument(
        "--only",
        nargs="+",
        default=["perturb", "build", "verify"],
        help="run these: perturb, build, verify (after build), cluster, one",
    )
    parser.add_argument(
        "--kill", nargs="+", choices=KILL_AFTER, default=[], help="kill these parts of the cluster"
    )
    parser.add_argument(
        "--keep", type=Path, help="keep the rows and the result of one process in this folder"
    )
    parser.add_argument("--out", type=Path, help="add the lines to this JSON file, under `scale`")
    arguments = parser.parse_args()
    for count in arguments.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            keep = arguments.keep or folder
            keep.mkdir(parents=True, exist_ok=True)
            given = kept(keep / f"given-{count}.parquet", partial(write_problems, count=count))
            every = commands(folder, given.absolute(), arguments.recipe)
            make = partial(one_process, every["perturb"], folder / "out.parquet")
            one = partial(kept, keep / f"one-{arguments.recipe}-{count}.json", make)
            line = {"recipe": arguments.recipe, "rows": count}
            if "one" in arguments.only:
                found = json.loads(one().read_text(encoding="utf-8"))
                print(json.dumps({"command": "one", **line, **found}), flush=True)
            if "cluster" in arguments.only:
                found = cluster(folder, count, every["perturb"], arguments.kill, one)
                print(json.dumps({"command": "cluster", **line, **found}), flush=True)
            for command, words in every.items():
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

"""Cost of a `dnc` command with its workers: processor time of each process, and total memory (Linux)."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

CALL = "import sys; from dnc_datasets.cli import main; sys.exit(main())"
_TICK = os.sysconf("SC_CLK_TCK")
_EVERY = 0.05
_LOOKS = 5  # memory is read once per this number of looks, because the kernel has to count it


class Cost(NamedTuple):
    """Processor seconds of all processes and of the busiest one, wall seconds, and peak memory in MB.

    `longest` is the time of the command with a separate core for each process, independent of other load.
    Memory that processes share because it is a file (programs, libraries) counts once.
    """

    processor: float
    longest: float
    wall: float
    megabytes: int


def spent(words: list[str]) -> Cost:
    """Run a `dnc` command and measure it."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    used: dict[int, float] = {}
    memory = looks = 0
    with subprocess.Popen(
        [sys.executable, "-c", CALL, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as run:
        while run.poll() is None:
            used |= (now := _processes(run.pid))
            if looks % _LOOKS == 0:
                memory = max(memory, _memory(now))
            looks += 1
            time.sleep(_EVERY)
    if run.returncode:
        raise SystemExit(f"dnc {' '.join(words)} ended with {run.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    others = sum(used.values()) - max(used.values())  # the last moments of the busiest one were not observed
    return Cost(
        round(whole, 2),
        round(max(max(used.values()), whole - others), 2),
        round(time.perf_counter() - start, 2),
        memory >> 10,
    )


def _processes(root: int) -> dict[int, float]:
    """Return the processor seconds of a process and of all its descendants."""
    children: dict[int, list[int]] = {}
    seconds: dict[int, float] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "stat").read_text()
        except OSError:
            continue  # it has ended
        fields = text[text.rindex(")") + 2 :].split()
        children.setdefault(int(fields[1]), []).append(int(folder.name))
        seconds[int(folder.name)] = (int(fields[11]) + int(fields[12])) / _TICK
    seconds_of, coming = {}, [root]
    while coming:
        process = coming.pop()
        if process in seconds:
            seconds_of[process] = seconds[process]
        coming += children.get(process, [])
    return seconds_of


def _memory(processes: dict[int, float]) -> int:
    """Return the kilobytes of private memory of all processes, and of the largest file memory of one."""
    own = files = 0
    for process in processes:
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
        except OSError:
            continue
        size = {line.partition(":")[0]: int(line.split()[1]) for line in lines}
        own += size.get("Anonymous", 0)
        files = max(files, size.get("Rss", 0) - size.get("Anonymous", 0))
    return own + files

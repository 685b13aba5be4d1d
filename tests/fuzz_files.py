"""`make fuzz`, first part: valid files, mutated, for each reader of foreign files.

Case number N is the same on every machine: `python -m tests.fuzz_files --only N` runs it alone and shows its end. A
state file names the next case, so a run that was stopped goes on. A case fails if its reader raises anything but a
`DncError`, takes longer than its limit, or changes a file outside its own folder.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from tests.fuzz_readers import CASES

_SECONDS = 10  # of processor time for one case
_SAVE = 500  # cases between two writes of the state
_OUTSIDE = "outside.txt"
# In memory where there is such a folder: thousands of small folders a second are slow on a disk.
_SCRATCH = "/dev/shm" if Path("/dev/shm").is_dir() else None


class Hang(BaseException):
    """A case that took longer than its limit; no reader that handles every `Exception` handles it."""


@cache
def _deck() -> tuple[str, ...]:
    """Return the names of the readers, each as often as it is drawn."""
    return tuple(name for name, (often, _) in sorted(CASES.items()) for _ in range(often))


def drawn(number: int) -> tuple[str, random.Random]:
    """Return the reader of a case and its source of random numbers."""
    draw = random.Random(number)
    return draw.choice(_deck()), draw


def run_case(number: int) -> tuple[str, str]:
    """Run one case and return its reader and its end: fine, refused, or the failure."""
    from dnc_datasets.errors import DncError

    name, draw = drawn(number)
    with tempfile.TemporaryDirectory(prefix="dnc-fuzz-", dir=_SCRATCH) as scratch:
        (Path(scratch) / _OUTSIDE).write_text("unchanged")
        folder = Path(scratch) / "a" / "b"
        folder.mkdir(parents=True)
        read = CASES[name][1](folder, draw)
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)
        try:
            read(folder)
            end = "fine"
        except DncError:
            end = "refused"
        except Hang:
            end = "HANG"
        except Exception as error:
            end = f"CRASH {type(error).__name__}: {str(error)[:100]}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        outside = sorted(
            str(one.relative_to(scratch)) for one in (*Path(scratch).iterdir(), *folder.parent.iterdir())
        )
        if outside != ["a", "a/b", _OUTSIDE] or (Path(scratch) / _OUTSIDE).read_text() != "unchanged":
            end = f"WROTE OUTSIDE: {outside}"
    return name, end


def _stop(*_: object) -> None:
    raise Hang


def main() -> int:
    """Run the cases that the state file does not count yet, or one case alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000_000, help="cases in all")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="processor time of this piece")
    parser.add_argument("--state", type=Path, default=Path("build/fuzz_files.json"))
    parser.add_argument(
        "--reader", choices=sorted(CASES), nargs="+", default=sorted(CASES), help="default: all"
    )
    parser.add_argument("--only", type=int, help="run this case alone")
    arguments = parser.parse_args()
    signal.signal(signal.SIGPROF, _stop)
    if arguments.only is not None:
        print(*run_case(arguments.only), sep=": ")
        return 0
    state: dict[str, Any] = {"next": 0, "ends": {}, "bad": []}
    if arguments.state.exists():
        state = json.loads(arguments.state.read_text(encoding="utf-8"))
    ends = Counter(state["ends"])
    while state["next"] < arguments.cases and time.process_time() < arguments.seconds:
        if drawn(state["next"])[0] not in arguments.reader:
            state["next"] += 1
            continue
        name, end = run_case(state["next"])
        ends[f"{name}: {end.split()[0]}"] += 1
        if end not in ("fine", "refused"):
            state["bad"].append(f"{state['next']} {name}: {end}")
            print(state["bad"][-1], flush=True)
        state["next"] += 1
        if state["next"] % _SAVE == 0:
            _save(arguments.state, state, ends)
    _save(arguments.state, state, ends)
    print(f"{sum(ends.values())} cases: {json.dumps(ends, sort_keys=True)}")
    print(f"{len(state['bad'])} crashes, hangs or writes outside")
    return 1 if state["bad"] else 0


def _save(path: Path, state: dict[str, Any], ends: Counter[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**state, "ends": ends}), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

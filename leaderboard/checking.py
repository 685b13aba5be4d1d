"""Checks a submission in a separate process with limits of memory and time; run as `python -m`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dnc_datasets.errors import DncError
from dnc_harness import data, submission
from dnc_harness.submission import SubmissionError
from dnc_metrics import record

MEMORY = 3 * 1024**3  # bytes of address space
SECONDS = 300
_MAX_REPLY = 10_000  # maximum number of characters of the process's answer


def check(
    files: Sequence[Path],
    built: Path,
    out: Path,
    *,
    name: str,
    openness: str,
    billions: float | None,
    memory: int = MEMORY,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Write the record of a submission into `out`; return its `name`, `configs` and `place`."""
    request = {
        "files": [str(file) for file in files], "built": str(built), "out": str(out), "name": name,
        "openness": openness, "billions": billions, "memory": memory, "seconds": seconds,
    }  # fmt: skip
    try:
        done = subprocess.run(
            [sys.executable, "-m", "dnc_leaderboard.checking"], input=json.dumps(request), capture_output=True,
            text=True, timeout=seconds, check=False,
        )  # fmt: skip
        answer = json.loads(done.stdout[-_MAX_REPLY:].rpartition("\n")[2])
    except subprocess.TimeoutExpired as error:
        raise SubmissionError(
            f"it cannot be checked within {seconds:g} seconds; submit fewer configs"
        ) from error
    except ValueError as error:
        raise SubmissionError(
            "it cannot be checked within the limits of memory; submit fewer configs"
        ) from error
    if "refused" in answer:
        raise SubmissionError(answer["refused"])
    return dict(answer)


def _limit(memory: int, seconds: float) -> None:
    """Limit this process; on systems without `resource` the parent's time limit remains."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, int(seconds) + 1)):
        hard = resource.getrlimit(kind)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def main() -> None:
    """Read a submission's description from standard input and print the answer as one line of JSON."""
    request = json.load(sys.stdin)
    _limit(request["memory"], request["seconds"])
    try:
        found, outcomes = submission.check(
            [Path(file) for file in request["files"]], data.folder(Path(request["built"])),
            name=request["name"], openness=request["openness"], billions=request["billions"],
        )  # fmt: skip
        written = record.write(found, outcomes, Path(request["out"]))
        answer = {"name": found.system.name, "configs": len(found.cells), "place": submission.place(written)}
    except DncError as error:
        answer = {"refused": str(error)}
    except (MemoryError, RecursionError):
        answer = {"refused": "it needs more memory than a submission may; submit fewer configs"}
    print(f"\n{json.dumps(answer)}", end="")


if __name__ == "__main__":
    main()

"""Peak memory and speed of `dnc score`: python benchmarks/score_memory.py 200000 [1000000] [--wrong 0].

One of three replies is wrong, so that causes are searched for a third of them; with `--wrong 0` all are
right.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

RECIPE = "verbosity"


def row(at: int) -> dict[str, Any]:
    """Return a perturbed problem with its original, in the form of `dnc perturb`."""
    total, lost = 12 + at % 900, 3 + at % 9
    question, equation, answer = "How many pens are left?", f"{total} - {lost}", str(total - lost)
    source = {
        "body": f"Tom had {total} pens and lost {lost} of them in week {at}.",
        "question": question, "equation": equation, "answer": answer, "meta": {},
    }  # fmt: skip
    body = f"Tom had {total} (not {total + 17}) pens and lost {lost} of them in week {at}."
    return {
        **source, "id": str(at), "body": body, "perturbation": RECIPE, "perturbed": True, "source": source,
    }  # fmt: skip


def reply(at: int, every: int = 3) -> str:
    """Return a reply; one of `every` replies is wrong, and none if it is 0."""
    total, lost = 12 + at % 900, 3 + at % 9
    slip = every > 0 and at % every == 0
    return f"Tom had {total} pens and lost {lost}. The answer is {total - lost + slip}."


def measure(replies: int, every: int = 3) -> tuple[int, float]:
    """Return the peak memory in MB and the CPU-seconds of scoring replies, half of them to originals."""
    with tempfile.TemporaryDirectory() as folder:
        own, given = Path(folder, "pens.jsonl"), Path(folder, "replies.jsonl")
        with own.open("w") as rows, given.open("w") as said:
            for at in range(replies // 2):
                rows.write(json.dumps(row(at)) + "\n")
                for config in ("pens", f"pens-{RECIPE}-attack"):
                    said.write(
                        json.dumps({"config": config, "id": str(at), "output": reply(at, every)}) + "\n"
                    )
        words = ["score", str(given), "--own", str(own), "--out", str(Path(folder, "out"))]
        program = "import sys; from dnc_datasets.cli import main; sys.exit(main(sys.argv[1:]))"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", program, *words], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_maxrss // 1024, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("replies", type=int, nargs="*", default=[200_000])
    parser.add_argument(
        "--wrong", type=int, default=3, help="make one of this number of replies wrong (default 3)"
    )
    arguments = parser.parse_args()
    for count in sorted(arguments.replies):
        peak, seconds = measure(count, arguments.wrong)
        print(
            f"{count} replies: {peak} MB, {seconds:.0f} CPU-seconds, {count / seconds:,.0f} a second",
            flush=True,
        )

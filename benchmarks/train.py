"""Seconds per training epoch and per evaluation pass of every solver on ASDiv-A fold 0 (needs its files).

    python benchmarks/train.py --threads 2 --out benchmarks/results/speed.json

The comparison is the published code trained from scratch with batch 8 and two threads on a similar machine.
On a busy machine, `--threads 1 --clock cpu` counts processor seconds of one thread instead of wall time.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dnc_datasets import atomic
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue
from dnc_trainers import solvers

# solver, hidden, layers -> seconds per epoch, seconds per pass (beam 5; Seq2Seq greedy).
PUBLISHED = {
    ("gts", 384, 2): (40.0, 9.8),
    ("gts", 512, 2): (57.0, 15.6),
    ("graph2tree", 384, 2): (37.0, 9.4),
    ("seq2seq", 384, 2): (40.0, 2.5),
}
BATCHES = (8, 32)
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "cpu": time.process_time}
NOTES = {"wall": "Seconds.", "cpu": "Processor seconds of one thread, on a busy machine."}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()

    import torch

    torch.set_num_threads(arguments.threads)
    clock = CLOCKS[arguments.clock]
    splits = catalogue.read("asdiv_a", "fold0")
    training, test = splits["train"] + splits["validation"], splits["test"]
    shapes = [(name, 256, solvers.default_config(name).layers) for name in solvers.names()]
    report: dict[str, Any] = {
        "note": NOTES[arguments.clock],
        "clock": arguments.clock,
        "threads": arguments.threads,
        "machine": {"python": platform.python_version(), "torch": torch.__version__},
        "rows": {"train": len(training), "test": len(test)},
        "speed": [],
    }
    before: dict[str, Any] = {}
    if arguments.out and arguments.out.exists():
        before = json.loads(arguments.out.read_text(encoding="utf-8"))
        if all(before[key] == report[key] for key in ("clock", "threads", "machine", "rows")):
            report["speed"] = before["speed"]
    done = {(record["solver"], record["hidden"], record["layers"]) for record in report["speed"]}
    for solver, hidden, layers in [*PUBLISHED, *shapes]:
        if (solver, hidden, layers) in done:
            continue
        record = measure(solver, hidden, layers, training, test, clock)
        # Our own settings, which the accuracies are of, are compared with the published solver's smaller
        # ones.
        published = PUBLISHED.get((solver, hidden, layers)) or PUBLISHED.get((solver, 384, 2))
        if published:
            best = min(record[f"epoch_batch{batch}"] for batch in BATCHES)
            ours = record["pass_greedy"] if solver == "seq2seq" else record["pass_beam5"]
            record["published_epoch"], record["published_pass"] = published
            record["times_faster_epoch"] = round(published[0] / best, 1)
            record["times_faster_epoch_batch8"] = round(published[0] / record["epoch_batch8"], 1)
            record["times_faster_pass"] = round(published[1] / ours, 1)
        print(json.dumps(record), flush=True)
        report["speed"].append(record)
        if arguments.out:
            # After every line, so that a stopped measurement can resume.
            kept = {key: value for key, value in before.items() if key not in report}
            atomic.write_text(arguments.out, json.dumps({**report, **kept}, indent=1) + "\n")


def measure(
    solver: str,
    hidden: int,
    layers: int,
    training: list[Problem],
    test: list[Problem],
    clock: Callable[[], float],
) -> dict[str, Any]:
    """Measure an epoch at each batch size, and a greedy and a beam-5 pass over the test problems, scored."""
    from dnc_trainers import solving

    record: dict[str, Any] = {"solver": solver, "hidden": hidden, "layers": layers}
    for batch in BATCHES:
        settings = {"hidden": hidden, "layers": layers, "batch": batch, "epochs": 1}
        config = solvers.default_config(solver).with_settings(settings)
        learner = solving.SolverLearner(config, training, [])
        record[f"epoch_batch{batch}"] = _seconds(clock, lambda: _train(learner))  # noqa: B023
    for name, beam in (("pass_greedy", 1), ("pass_beam5", 5)):
        record[name] = _seconds(clock, lambda: learner.solve(test, beam=beam))  # noqa: B023
    return record


def _train(learner: Any) -> None:
    from dnc_trainers import loop

    loop.fit(learner, learner.config)


def _seconds(clock: Callable[[], float], work: Callable[[], object]) -> float:
    """Return the better of two times; other load only slows the work."""
    times = []
    for _ in range(2):
        began = clock()
        work()
        times.append(round(clock() - began, 3))
    return min(times)


if __name__ == "__main__":
    main()

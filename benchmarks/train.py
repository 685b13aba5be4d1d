"""Seconds per training epoch and per evaluation pass of every solver on ASDiv-A fold 0 (needs the mirror).

    python benchmarks/train.py --threads 2 --out benchmarks/results/speed.json

Compared with what the published code takes from scratch on a machine like this, two threads, batch 8.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path

from dnc_datasets import atomic, catalogue
from dnc_trainers import solvers

# solver, hidden, layers -> seconds per epoch, seconds per pass (beam 5; Seq2Seq greedy).
PUBLISHED = {
    ("gts", 384, 2): (40.0, 9.8),
    ("gts", 512, 2): (57.0, 15.6),
    ("graph2tree", 384, 2): (37.0, 9.4),
    ("seq2seq", 384, 2): (40.0, 2.5),
}
BATCHES = (8, 32, 64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--passes", type=int, default=2, help="evaluation passes to take the best of")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()

    import torch

    torch.set_num_threads(arguments.threads)
    splits = catalogue.read("asdiv_a", "fold0")
    training, test = splits["train"] + splits["validation"], splits["test"]
    shapes = [(name, 256, solvers.default_config(name).layers) for name in solvers.names()]
    records = []
    for solver, hidden, layers in [*shapes, *PUBLISHED]:
        record = {"solver": solver, "hidden": hidden, "layers": layers, "threads": arguments.threads}
        for batch in BATCHES:
            record[f"epoch_batch{batch}"] = epoch_seconds(solver, hidden, layers, batch, training)
        record |= pass_seconds(solver, hidden, layers, training, test, arguments.passes)
        published = PUBLISHED.get((solver, hidden, layers))
        if published:
            best = min(record[f"epoch_batch{batch}"] for batch in BATCHES)
            ours = record["pass_greedy"] if solver == "seq2seq" else record["pass_beam5"]
            record["published_epoch"], record["published_pass"] = published
            record["times_faster_epoch"] = round(published[0] / best, 1)
            record["times_faster_epoch_batch8"] = round(published[0] / record["epoch_batch8"], 1)
            record["times_faster_pass"] = round(published[1] / ours, 1)
        print(json.dumps(record), flush=True)
        records.append(record)
    if arguments.out:
        machine = {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "machine": platform.machine(),
        }
        rows = {"train": len(training), "test": len(test)}
        atomic.write_text(
            arguments.out, json.dumps({"machine": machine, "rows": rows, "speed": records}, indent=1) + "\n"
        )


def epoch_seconds(solver: str, hidden: int, layers: int, batch: int, training: list) -> float:  # type: ignore[type-arg]
    """Seconds of the second epoch; the first one warms up."""
    from dnc_trainers import solving

    config = solvers.default_config(solver).with_settings(
        {"hidden": hidden, "layers": layers, "batch": batch, "epochs": 2}
    )
    _, history = solving.train(config, training, [])
    return float(history.epochs[-1]["train_seconds"])


def pass_seconds(
    solver: str, hidden: int, layers: int, training: list, test: list, passes: int
) -> dict[str, float]:  # type: ignore[type-arg]
    """Seconds to decode and score the test rows, greedily and with beam 5, after one epoch of training."""
    from dnc_trainers import solving

    config = solvers.default_config(solver).with_settings({"hidden": hidden, "layers": layers, "epochs": 1})
    learner, _ = solving.train(config, training, [])
    found = {}
    for name, beam in (("pass_greedy", 1), ("pass_beam5", 5)):
        times = []
        for _ in range(passes):
            began = time.perf_counter()
            learner.solve(test, beam=beam)
            times.append(time.perf_counter() - began)
        found[name] = round(min(times), 3)
    return found


if __name__ == "__main__":
    main()

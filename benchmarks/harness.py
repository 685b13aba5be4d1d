"""Speed of the harness: `dnc eval` against a bare lm-eval task on the same 1,000 rows, and over every config.

python benchmarks/harness.py              # 1,000 rows of the embedded corpus
python benchmarks/harness.py --all dnc    # also every config of a built folder, five rows of each
python benchmarks/harness.py --start      # also the time until the model would be loaded
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROWS = 200
CONFIGS = ("tiny", "tiny-language-attack", "tiny-type-attack", "tiny-verbosity-attack", "tiny-extra-attack")
ROUNDS = 5


def ours(built: Path) -> float:
    """CPU seconds of a whole run: tasks, prompts, the dummy model, log, scores, diagnosis, files."""
    from dnc_datasets.serving import catalogue
    from dnc_harness import evaluate
    from dnc_harness.listing import HarnessTask

    names = tuple(HarnessTask(catalogue.find(config)).name for config in CONFIGS)
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        evaluate.run(evaluate.Settings("dummy", names, Path(folder), data=built, limit=ROWS))
        return time.process_time() - start


def bare() -> float:
    """CPU seconds of lm-eval on the same rows and prompts, as a plain task with exact match, results written."""
    import datasets
    from lm_eval.evaluator import simple_evaluate
    from lm_eval.models.dummy import DummyLM
    from lm_eval.tasks import TaskManager
    from lm_eval.utils import handle_non_serializable

    from dnc_harness import data, prompts

    with tempfile.TemporaryDirectory() as folder:
        tasks = []
        for config in CONFIGS:
            docs = data.splits(config, dnc_limit=ROWS)["test"]
            path = Path(folder, f"{config}.parquet")
            rows = [{"text": prompts.direct(doc), "target": doc["answer"]} for doc in docs]
            datasets.Dataset.from_list(rows).to_parquet(str(path))
            tasks.append(
                {
                    "task": f"bare_{config}",
                    "dataset_path": "parquet",
                    "dataset_kwargs": {"data_files": {"test": str(path)}, "cache_dir": folder},
                    "test_split": "test",
                    "doc_to_text": "text",
                    "doc_to_target": "target",
                    "output_type": "generate_until",
                    "generation_kwargs": {"until": ["Question:"], "max_gen_toks": 48},
                    "metric_list": [
                        {"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}
                    ],
                }
            )
        start = time.process_time()
        model = DummyLM()
        model.tokenizer = None
        results = simple_evaluate(model=model, tasks=tasks, task_manager=TaskManager(include_defaults=False))
        Path(folder, "results.json").write_text(json.dumps(results, default=handle_non_serializable))
        return time.process_time() - start


def every_config(folder: Path) -> dict[str, Any]:
    """`dnc eval --tasks dnc --limit 5` in a process of its own, as a user starts it."""
    with tempfile.TemporaryDirectory() as out:
        words = ["eval", "--model", "dummy", "--tasks", "dnc", "--limit", "5", "--skip-missing", "--json"]
        done, seconds = _timed([*words, "--data", str(folder), "--out", out])
        found = json.loads(done.stdout)
    return {"configs": len(found["tasks"]), "tables": len(found["tables"]), **seconds}


def start_up() -> dict[str, float]:
    """A new `dnc eval` process until it would load the model, which here does not exist.

    No folder is built, so that the rows of the embedded corpus are made first.
    """
    with tempfile.TemporaryDirectory() as empty:
        words = ["eval", "--model", "none", "--tasks", "dnc_tiny", "--data", f"{empty}/none", "--out", empty]
        done, seconds = _timed(words)
    assert "cannot load the model" in done.stderr, done.stderr
    return seconds


def _timed(words: list[str]) -> tuple[subprocess.CompletedProcess[str], dict[str, float]]:
    """Run `dnc` with these words, and tell its wall and processor seconds (its children's included)."""
    start, before = time.perf_counter(), os.times()
    done = subprocess.run(
        [sys.executable, "-m", "dnc_datasets.cli", *words], capture_output=True, text=True, check=False
    )
    wall, after = time.perf_counter() - start, os.times()
    cpu = sum(after[2:4]) - sum(before[2:4])
    return done, {"seconds": round(wall, 1), "cpu_seconds": round(cpu, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="also every config in this built folder")
    parser.add_argument("--start", action="store_true", help="also the time to start")
    arguments = parser.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import logging

    import lm_eval.evaluator

    from dnc_datasets.serving.build import build

    logging.disable(logging.WARNING)
    # It runs a dozen programs to describe the machine: as long as all the rest, the same for both, and noisy.
    lm_eval.evaluator.add_env_info = lambda results: None
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder, "dnc")
        build(CONFIGS, built)
        ours(built), bare()  # imports and caches
        rounds = [(ours(built), bare()) for _ in range(ROUNDS)]
    rows = ROWS * len(CONFIGS)
    speeds = [rows / statistics.median(seconds) for seconds in zip(*rounds, strict=True)]
    found: dict[str, Any] = {
        "rows": rows,
        "dnc_rows_per_cpu_second": round(speeds[0]),
        "bare_lm_eval_rows_per_cpu_second": round(speeds[1]),
        "share": round(speeds[0] / speeds[1], 2),
    }
    if arguments.start:
        found["start"] = min((start_up() for _ in range(ROUNDS)), key=lambda one: one["seconds"])
    if arguments.all:
        found["every_config"] = every_config(arguments.all)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()

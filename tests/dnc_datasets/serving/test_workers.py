"""What several processes cost and do: no worker loads what it does not need, all work, and an error ends them all."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dnc_datasets.errors import BuildError
from dnc_datasets.serving.workers import each

SCRIPT = """
import os
import sys
from pathlib import Path
from dnc_datasets.serving import build, rows, workers

HEAVY = ("torch", "transformers", "spacy", "pandas", "datasets", "accelerate")

def loaded(task):
    build._make(task)
    return os.getpid(), [name for name in HEAVY if name in sys.modules]

if __name__ == "__main__":
    from dnc_datasets.serving import catalogue
    rows.leave_pandas_out()  # as the command line does
    names = ("tiny_tables-logic-attack", "tiny_passages-extra-attack")
    tasks = [build._Task(catalogue.find(name), False, Path(sys.argv[1]), 0, None) for name in names]
    made = workers.each(loaded, tasks, 2, lambda task: None)
    print([names for _, names in made], len({process for process, _ in made}))
"""


def test_no_worker_of_a_build_loads_what_it_does_not_need(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "out").mkdir()
    stated = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "out")], capture_output=True, text=True, check=True
    )
    assert stated.stdout.strip() == "[[], []] 2"


def _slept(seconds: float) -> tuple[float, int]:
    time.sleep(seconds)
    return seconds, os.getpid()


def test_results_come_in_the_order_of_the_tasks_and_this_process_works_too() -> None:
    tasks = [0.3, 0.0, 0.1, 0.0, 0.2, 0.1]
    stated: list[float] = []
    made = each(_slept, tasks, 2, stated.append)
    assert [seconds for seconds, _ in made] == tasks
    assert sorted(stated) == sorted(tasks)
    processes = {process for _, process in made}
    assert os.getpid() in processes
    assert len(processes) == 2


def _fails(task: tuple[int, bool, Path]) -> None:
    """End this process (or raise), if it is the one that is meant."""
    parent, here, folder = task
    time.sleep(0.2)
    if (os.getpid() == parent) == here:
        raise ValueError("this one")
    (folder / str(time.monotonic_ns())).touch()


@pytest.mark.parametrize("here", [True, False])
def test_an_error_in_any_process_ends_the_work(tmp_path: Path, here: bool) -> None:
    tasks = [(os.getpid(), here, tmp_path)] * 300
    with pytest.raises(ValueError, match="this one"):
        each(_fails, tasks, 2, lambda task: None)
    # A worker that takes seconds to start leaves this process some time, but not for all of them.
    assert len(list(tmp_path.iterdir())) < 200


def _dies(parent: int) -> None:
    time.sleep(0.2)
    if os.getpid() != parent:
        os._exit(1)


def test_a_worker_that_dies_is_told() -> None:
    with pytest.raises(BuildError, match="a worker process ended"):
        each(_dies, [os.getpid()] * 100, 2, lambda task: None)

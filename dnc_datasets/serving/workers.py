"""The same function over many tasks in several processes, with results in the order of the tasks."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from dnc_datasets import plugins
from dnc_datasets.errors import BuildError

Task = TypeVar("Task")
Result = TypeVar("Result")


def each(
    function: Callable[[Task], Result], tasks: Sequence[Task], jobs: int, done: Callable[[Task], object]
) -> list[Result]:
    """The function's result for each task, computed in `jobs` processes; `done(task)` is told of each.

    One job or one task runs in this process. Workers start afresh (spawn), so a script that asks for
    several needs `if __name__ == "__main__":`.
    """
    if jobs < 1:
        raise BuildError(f"jobs is {jobs}; give the number of processes, at least 1")
    results = []
    if min(jobs, len(tasks)) <= 1:
        for task in tasks:
            results.append(function(task))
            done(task)
        return results
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(tasks)), spawn, _begin, (plugins.loaded(),)) as pool:
        try:
            for task, result in zip(tasks, pool.map(function, tasks), strict=True):
                results.append(result)
                done(task)
        except BrokenProcessPool as error:
            raise BuildError(
                "a worker process ended before its work was done; the usual cause is too little memory. "
                "Try again with --jobs 1"
            ) from error
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return results


def _begin(files: Sequence[Path]) -> None:
    """What a worker does before its first task."""
    _end_with_parent()
    for file in files:
        plugins.load_plugin(file)


def _end_with_parent() -> None:
    """Let this worker end when the process that started it is killed; the pool alone would wait for ever."""
    import threading
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()

"""The same function over many tasks in several processes, with results in the order of the tasks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from dnc_datasets import plugins
from dnc_datasets.errors import BuildError

Task = TypeVar("Task")
Result = TypeVar("Result")

# Tasks of each process that are under way or waiting.
_AHEAD = 4
_ENDED = (
    "a worker process ended before its work was done; the usual cause is too little memory. "
    "Try again with --jobs 1"
)


def each(
    function: Callable[[Task], Result], tasks: Sequence[Task], jobs: int, done: Callable[[Task], object]
) -> list[Result]:
    """The function's result for each task, computed in `jobs` processes; `done(task)` is told of each.

    Tasks read or write tables. One job or one task runs in this process. Workers start afresh (spawn), so a
    script that asks for several needs `if __name__ == "__main__":`.
    """
    _check(jobs)
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
    with ProcessPoolExecutor(min(jobs, len(tasks)), spawn, _begin_with_tables, (plugins.loaded(),)) as pool:
        try:
            for task, result in zip(tasks, pool.map(function, tasks), strict=True):
                results.append(result)
                done(task)
        except BrokenProcessPool as error:
            raise BuildError(_ENDED) from error
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return results


def stream(
    make: Callable[..., Callable[[Task], Result]], arguments: Sequence[Any], tasks: Iterable[Task], jobs: int
) -> Iterator[tuple[Task, Result]]:
    """Each task with its result, in the order of the tasks, of which only a few are held at a time.

    `make(*arguments)` gives the function, once in each of the `jobs` processes.
    """
    _check(jobs)
    if jobs == 1:
        function = make(*arguments)
        for task in tasks:
            yield task, function(task)
        return
    import multiprocessing
    from collections import deque
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    spawn = multiprocessing.get_context("spawn")
    waiting: deque[tuple[Task, Future[Result]]] = deque()
    with ProcessPoolExecutor(jobs, spawn, _prepare, (plugins.loaded(), make, arguments)) as pool:
        try:
            for task in tasks:
                waiting.append((task, pool.submit(_call, task)))
                if len(waiting) > jobs * _AHEAD:
                    first, made = waiting.popleft()
                    yield first, made.result()
            for first, made in waiting:
                yield first, made.result()
        except BrokenProcessPool as error:
            raise BuildError(_ENDED) from error
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


# The function of this worker; `stream` sets it.
_function: Callable[[Any], Any] | None = None


def _prepare(
    files: Sequence[Path], make: Callable[..., Callable[[Task], Result]], arguments: Sequence[Any]
) -> None:
    global _function
    _begin(files)
    _function = make(*arguments)


def _call(task: Any) -> Any:
    assert _function is not None
    return _function(task)


def _check(jobs: int) -> None:
    if jobs < 1:
        raise BuildError(f"jobs is {jobs}; give the number of processes, at least 1")


def _begin(files: Sequence[Path]) -> None:
    """What a worker does before its first task."""
    _end_with_parent()
    for file in files:
        plugins.load_plugin(file)


def _begin_with_tables(files: Sequence[Path]) -> None:
    """The same for tasks that write tables."""
    from dnc_datasets.serving.rows import leave_pandas_out

    _begin(files)
    if not files:  # a plug-in may want data frames
        leave_pandas_out()


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

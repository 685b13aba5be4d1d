"""One function over many tasks in several processes, with results in the order of the tasks."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from threading import Lock
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
    """Return the function's result for each task, computed in `jobs` processes.

    `done(task)` is called after each.

    Tasks read or write tables. This process is one of the `jobs` processes. Related tasks should be adjacent,
    because each process works on a consecutive part of them. Workers are new processes (spawn), so a script
    that uses several needs `if __name__ == "__main__":`.
    """
    _check(jobs)
    processes = max(1, min(jobs, len(tasks)))
    shares = _Shares(len(tasks), processes)
    results: dict[int, Result] = {}
    stated = Lock()

    def work(call: Callable[[Task], Result], process: int) -> None:
        try:
            while (at := shares.next(process)) is not None:
                results[at] = call(tasks[at])
                with stated:
                    done(tasks[at])
        except BaseException:
            shares.clear()  # no process begins another task
            raise

    if processes > 1:
        _with_others(work, function, processes - 1)
    else:
        work(function, 0)
    return [results[at] for at in range(len(tasks))]


class _Shares:
    """Indices of tasks, in equal shares for each process.

    An idle process takes the last task of the longest share.

    An idle process takes the last task of the longest share.
    """

    def __init__(self, count: int, processes: int) -> None:
        ends = [count * process // processes for process in range(processes + 1)]
        self._left = [deque(range(start, end)) for start, end in pairwise(ends)]
        self._taken = Lock()

    def next(self, process: int) -> int | None:
        """Return the index of the next task, or None where no task is left."""
        with self._taken:
            if own := self._left[process]:
                return own.popleft()
            longest = max(self._left, key=len)
            return longest.pop() if longest else None

    def clear(self) -> None:
        with self._taken:
            for share in self._left:
                share.clear()


def _with_others(
    work: Callable[[Callable[[Task], Result], int], None], function: Callable[[Task], Result], others: int
) -> None:
    """Work in this process and in `others` processes. One thread waits for each of these."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    spawn = multiprocessing.get_context("spawn")
    try:
        with (
            ProcessPoolExecutor(others, spawn, _begin_with_tables, (plugins.loaded(),)) as pool,
            ThreadPoolExecutor(others) as threads,
        ):
            waiting = [
                threads.submit(work, lambda task: pool.submit(function, task).result(), process)
                for process in range(1, others + 1)
            ]
            work(function, 0)
            for one in waiting:
                one.result()
    except BrokenProcessPool as error:
        raise BuildError(_ENDED) from error


def stream(
    make: Callable[..., Callable[[Task], Result]], arguments: Sequence[Any], tasks: Iterable[Task], jobs: int
) -> Iterator[tuple[Task, Result]]:
    """Yield each task with its result, in the order of the tasks.

    Only a few tasks are in memory at a time.

    `make(*arguments)` gives the function, once in each of the `jobs` processes.
    """
    _check(jobs)
    if jobs == 1:
        function = make(*arguments)
        for task in tasks:
            yield task, function(task)
        return
    import multiprocessing
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
    """Prepare a worker for its first task."""
    _end_with_parent()
    for file in files:
        plugins.load_plugin(file)


def _begin_with_tables(files: Sequence[Path]) -> None:
    """Prepare a worker for tasks that write tables."""
    from dnc_datasets.serving.rows import leave_pandas_out

    _begin(files)
    if not files:  # a plug-in may want data frames
        leave_pandas_out()


def _end_with_parent() -> None:
    """End this worker when its parent process is killed. The pool alone would wait indefinitely."""
    import threading
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()

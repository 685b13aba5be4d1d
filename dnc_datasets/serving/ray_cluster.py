"""One function over many tasks on a Ray cluster. Lost workers and nodes are replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from dnc_datasets import extras, plugins
from dnc_datasets.errors import BuildError, DncError
from dnc_datasets.perturbations.statements.neighbours import Lent, Neighbours

Task = TypeVar("Task")
Result = TypeVar("Result")

# Rows of one task, which a lost worker costs. Fewer where the cluster would have too few tasks.
BLOCK = 10_000
_SMALLEST_BLOCK = 500
# Tasks for each core, so that no core waits long for the last one.
_TASKS_PER_CORE = 4
# Tasks for each core that are under way or waiting.
_AHEAD = 8
# The kills after which a worker is given up, although its machine is available.
_RETRIES = 5


def connect(address: str = "") -> Any:
    """Return Ray, connected to the cluster at this address, or to one that is started here."""
    try:
        import ray
    except ImportError as error:
        raise DncError(f"--engine ray needs Ray; install it with: {extras.command('ray')}") from error
    if not ray.is_initialized():
        ray.init(address=address or None, log_to_driver=False, logging_level="warning")
    return ray


def cores(address: str = "") -> int:
    """Return the number of cores of the cluster."""
    return max(1, int(connect(address).cluster_resources().get("CPU", 1)))


def block_rows(rows: int, cores: int) -> int:
    """Return the number of rows of a block: 10,000, or fewer where that gives less than four blocks for each core.

    >>> block_rows(1_000_000, cores=8), block_rows(100_000, cores=8), block_rows(100, cores=8)
    (10000, 3125, 500)
    """
    return min(BLOCK, max(_SMALLEST_BLOCK, -(-rows // (_TASKS_PER_CORE * cores))))


def each(
    function: Callable[..., Result],
    tasks: Sequence[Task],
    address: str,
    done: Callable[[Task], object] = lambda task: None,
    shared: Sequence[Any] = (),
) -> list[Result]:
    """Return the function's result for each task, in order. `done(task)` is called after each.

    A task may run twice where its worker is lost, so it must replace the files of its first run. `shared` has
    the second argument of each task, or None for a task without one. An argument that several tasks share is
    sent once.
    """
    results: dict[int, Result] = {}
    for at, result in completed(function, tasks, address, shared):
        results[at] = result
        done(tasks[at])
    return [results[at] for at in range(len(tasks))]


def completed(
    function: Callable[..., Result], tasks: Sequence[Task], address: str, shared: Sequence[Any] = ()
) -> Iterator[tuple[int, Result]]:
    """Yield the index of each task with its result as soon as it is completed, without keeping any."""
    ray = connect(address)
    work = ray.remote(_call).options(max_retries=_RETRIES, name=function.__name__)
    files = tuple(plugins.loaded())
    distinct = {id(one): one for one in shared if one is not None}
    sent = {key: [ray.put(one)] for key, one in distinct.items()}
    left = iter(range(len(tasks)))
    most = _AHEAD * cores(address)
    waiting: dict[Any, int] = {}

    def submit() -> None:
        if (at := next(left, None)) is not None:
            given = sent.get(id(shared[at]), []) if shared else []
            waiting[work.remote(files, function, tasks[at], given)] = at

    try:
        for _ in range(most):
            submit()
        while waiting:
            ready, _ = ray.wait(list(waiting), num_returns=1)
            at = waiting.pop(ready[0])
            result = ray.get(ready[0])
            submit()
            yield at, result
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, DncError | OSError):
            raise error.cause from None
        raise
    except ray.exceptions.RayError as error:  # of the worker or its node
        raise BuildError(
            f"a worker of the cluster ended {_RETRIES + 1} times before its work was done "
            f"({type(error).__name__}); the usual cause is too little memory on a node"
        ) from error
    finally:
        for one in waiting:
            ray.cancel(one)


def joined(function: Callable[[Sequence[Task]], Lent], tasks: Sequence[Task], address: str) -> Neighbours:
    """Make the pool from the statements that these tasks lend, in a pass over the cluster.

    The bound of the lent statements is the same for one task and for several. Tasks therefore come in groups,
    at least four for each core.
    """
    size = max(1, len(tasks) // (_TASKS_PER_CORE * cores(address)))
    groups = [tasks[at : at + size] for at in range(0, len(tasks), size)]
    return Neighbours.joined(lent for _, lent in completed(function, groups, address))


# The shared argument of this worker's last task: its key, and the value.
_shared: dict[str, Any] = {}


def _call(files: Sequence[Path], function: Callable[..., Result], task: Task, given: Sequence[Any]) -> Result:
    for file in files:
        plugins.load_plugin(file)
    if not files:  # a plug-in may want data frames
        from dnc_datasets.serving.rows import leave_pandas_out

        leave_pandas_out()
    if not given:
        return function(task)
    import ray

    key = given[0].hex()
    if key not in _shared:
        _shared.clear()
        _shared[key] = ray.get(given[0])
    return function(task, _shared[key])

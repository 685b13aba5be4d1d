"""The same function over many tasks on a Ray cluster, whose lost workers are replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from dnc_datasets import extras, plugins
from dnc_datasets.errors import BuildError, DncError

Task = TypeVar("Task")
Result = TypeVar("Result")

# A worker that was killed so often, and not for lack of a machine, would be killed again.
_RETRIES = 5


def connect(address: str = "") -> Any:
    """Ray, connected to the cluster at this address, or to one that is started here."""
    try:
        import ray
    except ImportError as error:
        raise DncError(f"--engine ray needs Ray; install it with: {extras.command('ray')}") from error
    if not ray.is_initialized():
        ray.init(address=address or None, log_to_driver=False, logging_level="warning")
    return ray


def each(
    function: Callable[[Task], Result], tasks: Sequence[Task], address: str, done: Callable[[Task], object]
) -> list[Result]:
    """The function's result for each task, in their order; `done(task)` is reported each as it ends.

    A task may be done twice where its worker is lost: it must replace what its first try has left.
    """
    ray = connect(address)
    work = ray.remote(max_retries=_RETRIES)(_call)
    files = tuple(plugins.loaded())
    waiting = {work.remote(files, function, task): at for at, task in enumerate(tasks)}
    results: dict[int, Result] = {}
    try:
        while waiting:
            ready, _ = ray.wait(list(waiting), num_returns=1)
            at = waiting.pop(ready[0])
            results[at] = ray.get(ready[0])
            done(tasks[at])
    except ray.exceptions.WorkerCrashedError as error:
        raise BuildError(
            f"a worker of the cluster ended {_RETRIES + 1} times before its work was done; the usual cause is too "
            "little memory on a node"
        ) from error
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, DncError | OSError):
            raise error.cause from None
        raise
    finally:
        for left in waiting:
            ray.cancel(left)
    return [results[at] for at in range(len(tasks))]


def _call(files: Sequence[Path], function: Callable[[Task], Result], task: Task) -> Result:
    for file in files:
        plugins.load_plugin(file)
    return function(task)

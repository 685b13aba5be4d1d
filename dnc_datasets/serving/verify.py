"""Checks a built folder: derives every row again, certificate included, and compares it with the stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from dnc_datasets.errors import BuildError, DncError, SourceError
from dnc_datasets.problem import Problem
from dnc_datasets.serving import catalogue, checksums, rows
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.checksums import Count, Record
from dnc_datasets.serving.workers import each
from dnc_datasets.version import __version__

_SHOWN = 60  # characters of a value in a reason


class Failure(NamedTuple):
    """What is wrong, and where; `split` and `id` are empty where it is the whole config."""

    config: str
    split: str
    id: str
    reason: str


@dataclass(frozen=True)
class VerifyReport:
    """How many rows were checked and what was found.

    `unread` names the configs whose source files are not on this machine (or were the user's own): their
    perturbed rows were derived from the originals stored beside them, and those are covered by the
    content checksum only.
    """

    rows: int
    failures: list[Failure]
    unread: tuple[str, ...] = ()


class _Task(NamedTuple):
    folder: Path
    config: str
    seed: int
    record: Record


class _Result(NamedTuple):
    rows: int
    failures: list[Failure]
    source_read: bool


Records = Mapping[str, list[rows.Record]]


def configs_of(folder: Path) -> list[str]:
    """The configs that a built folder says it holds."""
    return sorted(checksums.read(folder).configs)


def verify(folder: Path, jobs: int = 1, progress: Callable[[str], object] | None = None) -> VerifyReport:
    """Derive every row of the folder again from its original and compare: content, certificate, checksum.

    The originals are read from the source files where they are on this machine.
    """
    found = checksums.read(folder)
    if found.version != __version__:
        raise BuildError(
            f"{folder} was built by version {found.version} and this is version {__version__}, which may "
            f"derive other rows. Install dnc-bench=={found.version} to verify it, or build it again"
        )
    # In the order of names, so that a process reads each source once.
    tasks = [_Task(folder, name, found.seed, found.configs[name]) for name in sorted(found.configs)]
    try:
        results = each(_check, tasks, jobs, lambda task: progress and progress(task.config))
    finally:
        _source.cache_clear()
    failures = [failure for result in results for failure in result.failures]
    known = {*found.configs, "README.md", checksums.FILE_NAME}
    for path in sorted(folder.iterdir()):
        if path.name not in known and not path.name.startswith("."):
            failures.append(Failure(path.name, "", "", f"{path} is not in {checksums.FILE_NAME}"))
    unread = tuple(task.config for task, result in zip(tasks, results, strict=True) if not result.source_read)
    return VerifyReport(sum(result.rows for result in results), failures, unread)


def _check(task: _Task) -> _Result:
    """Check one config."""
    try:
        variant = catalogue.find(task.config)
        stored = _stored(task)
        source = _source(variant.dataset, variant.fold) if task.record.provenance == "verified" else None
        originals = source or {
            split: list(map(rows.original, _of_originals(some))) for split, some in stored.items()
        }
        failures = list(_differences(task, variant, stored, originals))
    except DncError as error:
        return _Result(0, [Failure(task.config, "", "", str(error))], True)
    if rows.digest(stored) != task.record.sha256:
        failures.append(Failure(task.config, "", "", f"its content differs from {checksums.FILE_NAME}"))
    return _Result(sum(map(len, stored.values())), failures, source is not None)


def _stored(task: _Task) -> dict[str, list[rows.Record]]:
    stored = {}
    for split in task.record.splits:
        path = task.folder / task.config / f"{split}.parquet"
        try:
            stored[split] = rows.read(path)
        except (OSError, ValueError) as error:  # Arrow's own errors are ValueErrors
            raise BuildError(f"{path} cannot be read: {error}") from error
        if stored[split] and list(stored[split][0]) != list(rows.COLUMNS):
            raise BuildError(
                f"{path} has other columns than this version writes: {', '.join(stored[split][0])}"
            )
    return stored


@lru_cache(maxsize=1)
def _source(dataset: str, fold: str) -> dict[str, list[Problem]] | None:
    """The original splits, or None where the files are not here."""
    try:
        return catalogue.read(dataset, fold)
    except SourceError:
        return None


def _of_originals(records: list[rows.Record]) -> list[rows.Record]:
    """One record per original, in order: `augment` lists the originals first and then the perturbed rows."""
    clean = {record["id"] for record in records if not record["perturbed"]}
    return [record for record in records if not (record["perturbed"] and record["id"] in clean)]


def _differences(
    task: _Task, variant: Variant, stored: Records, originals: Mapping[str, list[Problem]]
) -> Iterator[Failure]:
    derived = variant.rows(originals, seed=task.seed)
    for split in {**derived, **stored}:
        expected = [rows.to_record(row, variant) for row in derived.get(split, ())]
        for place, (old, new) in enumerate(zip_longest(stored.get(split, ()), expected), 1):
            if old != new:
                yield Failure(task.config, split, (old or new or {})["id"], _reason(old, new, place))
        count = Count(len(expected), sum(record["perturbed"] for record in expected))
        if task.record.splits.get(split) != count:
            yield Failure(
                task.config,
                split,
                "",
                f"{checksums.FILE_NAME} does not count {count.rows} rows, {count.perturbed} perturbed",
            )


def _reason(old: rows.Record | None, new: rows.Record | None, place: int) -> str:
    if old is None:
        return f"row {place} is missing"
    if new is None:
        return f"row {place} should not be there"
    changed = [name for name in rows.COLUMNS if old[name] != new[name]]
    return "; ".join(f"{name} is {_shown(old[name])}, derived {_shown(new[name])}" for name in changed)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."

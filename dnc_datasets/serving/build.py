"""Writes configs as a dataset folder: Parquet per config and split, checksums, and the dataset card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from dnc_datasets import folder_update, owned_folder, sources
from dnc_datasets.errors import BuildError
from dnc_datasets.problem import Problem
from dnc_datasets.second_reader import reader_for
from dnc_datasets.serving import benchmark, card, catalogue, checksums, content, ray_cluster, rows
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.checksums import PROVENANCES, Checksums, ConfigChecksums, Count
from dnc_datasets.serving.settings import Row, failures
from dnc_datasets.serving.workers import each
from dnc_datasets.version import __version__
from dnc_datasets.yes_no_balance import Closed, closed, counted

# The split that is a task of its own.
_LARGEST = "train"


@dataclass(frozen=True)
class BuildReport:
    """What a build wrote; `kept` names the configs that were in the folder before and stayed.

    `failed` lists the rows that remains unchanged because of an error: where, and why.
    """

    folder: Path
    configs: Mapping[str, ConfigChecksums]
    kept: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()

    @property
    def rows(self) -> int:
        """Rows of all configs built."""
        return sum(record.rows for record in self.configs.values())

    @property
    def perturbed(self) -> int:
        """Perturbed rows of all configs built."""
        return sum(record.perturbed for record in self.configs.values())


@dataclass(frozen=True)
class _Task:
    """The largest split of a config, or all the others."""

    variant: Variant
    largest: bool
    folder: Path
    seed: int
    given: Path | None
    second_reader: bool | None = None


class _Made(NamedTuple):
    """A split that was written: its place among those of the source, and the rows that failed."""

    place: int
    split: str
    counted: Count
    failed: list[tuple[str, str]]
    closed: list[Closed]  # what labels are counted by


def build(
    configs: Sequence[str],
    out: Path,
    *,
    seed: int = 0,
    jobs: int = 1,
    ray: str | None = None,
    given: Mapping[str, Path] | None = None,
    progress: Callable[[str], object] | None = None,
    second_reader: bool | None = None,
) -> BuildReport:
    """Write these configs to the folder `out`, so that `load_dataset("dnc", config)` reads them.

    The same version and seed give the same bytes, in any order and with any number of jobs. Configs that the
    folder held before stay, and so does everything that no build wrote: other files, and what a publisher
    wrote in the card outside our section. `given` names the user's own copies of a dataset's files;
    `progress(config)` is called after each config. `ray` is the address of a Ray cluster that makes the configs, ""
    for one that is started here; `out` must then be a folder that every node sees. With `second_reader`, spaCy reads
    every changed row and may refuse it; False leaves it out also where it is the default.
    """
    variants = _in_order(catalogue.find(name) for name in configs)
    if not variants:
        raise BuildError("nothing to build: name at least one config; `dnc list --names` shows them")
    for name in given or {}:
        sources.get(name)  # a misspelt name must not be passed over
    owned_folder.usable(out)
    new = {variant.name for variant in variants}
    try:
        _kept(out, new, seed)  # a folder that is not ours is refused before any work
        with folder_update.updated_folder(out, lambda: _to_replace(out, new, seed)) as folder:
            kept = _kept(out, new, seed)
            tasks = [
                _Task(variant, largest, folder, seed, (given or {}).get(variant.dataset), second_reader)
                for variant, largest in _parts(variants, apart=jobs > 1)
            ]
            made = _all_made(tasks, jobs, ray, progress)
            built = {one.name: _record(made[one], one, one.dataset in (given or {})) for one in variants}
            failed = tuple(row for one in variants for part in made[one] for row in part.failed)
            found = Checksums(__version__, seed, {**kept, **built})
            (folder / checksums.FILE_NAME).write_text(found.text(), encoding="utf-8")
            (folder / card.FILE_NAME).write_text(card.text(found, _card_of(out)), encoding="utf-8")
            if listed := benchmark.text(benchmark.tasks(found, (folder, out))):
                (folder / benchmark.FILE_NAME).write_text(listed, encoding="utf-8")
    except OSError as error:
        raise BuildError(
            f"cannot build {out}: {error}. What was there before is unchanged; free space or grant access, "
            "or choose another folder with --out"
        ) from error
    finally:
        _read.cache_clear()
    return BuildReport(out, built, tuple(kept), failed)


def _all_made(
    tasks: Sequence[_Task], jobs: int, ray: str | None, progress: Callable[[str], object] | None
) -> dict[Variant, list[_Made]]:
    """The splits of each config, by their names."""
    left = Counter(task.variant for task in tasks)

    def done(task: _Task) -> None:
        left[task.variant] -= 1
        if progress and not left[task.variant]:
            progress(task.variant.name)

    if ray is None:
        results = each(_make, tasks, jobs, done)
    else:
        absolute = [replace(task, folder=task.folder.absolute()) for task in tasks]
        results = ray_cluster.each(_make, absolute, ray, done)
    made: dict[Variant, list[_Made]] = {}
    for task, some in zip(tasks, results, strict=True):
        made.setdefault(task.variant, []).extend(some)
    return {variant: sorted(some, key=lambda one: one.split) for variant, some in made.items()}


def _parts(variants: Sequence[Variant], *, apart: bool) -> list[tuple[Variant, bool]]:
    """What is done at a time: the largest split of a config, and the other ones.

    Where several processes work, all the largest splits of a dataset come first: then one process goes through these
    and another through the others, and each remembers what it has read of its own rows.
    """
    parts = [(variant, largest) for variant in variants for largest in (True, False)]
    if apart:
        parts.sort(key=lambda part: (part[0].dataset, part[0].fold, not part[1]))
    return parts


def _record(made: Sequence[_Made], variant: Variant, given: bool) -> ConfigChecksums:
    # An embedded corpus has no files that could be a user's own.
    own = given and bool(variant.source.files)
    counts = {one.split: one.counted for one in sorted(made, key=lambda one: one.place)}
    whole = content.of_config({split: count.content for split, count in counts.items()})
    labels = counted([row for one in made for row in one.closed])
    return ConfigChecksums(whole, PROVENANCES[own], counts, labels=labels)


def _in_order(variants: Iterable[Variant]) -> list[Variant]:
    """Each variant once; those of one dataset together, so that a process reads each source once.

    An attack perturbs one split and the other settings all of them: these come first, so that no process
    is left with a long one when the others have ended.
    """
    return sorted(
        set(variants),
        key=lambda one: (one.dataset, one.fold, one.setting == "attack", one.recipe, one.setting),
    )


def _kept(out: Path, new: set[str], seed: int) -> dict[str, ConfigChecksums]:
    """The configs of an existing folder that stay beside the new ones."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return {}
    found = checksums.read(out)
    others = {name: record for name, record in found.configs.items() if name not in new}
    if others and (found.version, found.seed) != (__version__, seed):
        raise BuildError(
            f"{out} holds {len(others)} other configs ({', '.join(sorted(others)[:3])}, ...) of version "
            f"{found.version} with seed {found.seed}; this build is version {__version__} with seed {seed}, "
            "and a folder holds one of each. Build all its configs again, delete it, or choose another --out"
        )
    return others


def _to_replace(out: Path, new: set[str], seed: int) -> list[str]:
    """The files of an existing folder that this build writes again or takes away."""
    if not (out / checksums.FILE_NAME).exists():
        return []
    found = checksums.read(out)
    gone = found.configs.keys() - _kept(out, new, seed).keys()
    own = (benchmark.FILE_NAME,) if benchmark.is_ours(out) else ()
    return [*found.files(gone), checksums.FILE_NAME, card.FILE_NAME, *own]


def _card_of(out: Path) -> str:
    try:
        return checksums.read_small(out / card.FILE_NAME)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except ValueError as error:
        raise BuildError(f"{out / card.FILE_NAME} is not text ({error}); fix it, or move it away") from error


def _make(task: _Task) -> list[_Made]:
    """Write Parquet files of a config."""
    variant = task.variant
    originals = _read(variant.dataset, variant.fold, task.given)
    reader = reader_for(task.second_reader)
    folder = task.folder / variant.name
    folder.mkdir(exist_ok=True)  # the other task of this config, or a worker that was lost, has left it
    made = []
    for place, split in enumerate(originals):
        if (split == _LARGEST) is not task.largest:
            continue
        seen = _Split(variant, split)
        path = folder / f"{split}.parquet"
        hashed = content.Columns()
        hashed.begin(split)
        rows.write(
            seen.records(variant.stream(split, originals[split], seed=task.seed, reader=reader)),
            path,
            hashed.add,
        )
        file, size = checksums.of_file(path)
        made.append(
            _Made(
                place,
                split,
                Count(seen.rows, seen.perturbed, hashed.end(), file, size),
                seen.failed,
                seen.closed,
            )
        )
    return made


class _Split:
    """Counts the rows of a split while they go by."""

    def __init__(self, variant: Variant, split: str) -> None:
        self._variant, self._split = variant, split
        self.rows = self.perturbed = 0
        self.closed: list[Closed] = []  # what labels are counted by
        self.failed: list[tuple[str, str]] = []

    def records(self, made: Iterable[Row]) -> Iterator[rows.Record]:
        """The records of the rows, of which none is kept."""
        for row in made:
            record = rows.to_record(row, self._variant)
            self.rows += 1
            self.perturbed += record["perturbed"]
            if one := closed(record):
                self.closed.append(one)
            if row.failed:
                self.failed += failures({self._split: [row]}, self._variant.name)
            yield record


@lru_cache(maxsize=1)
def _read(dataset: str, fold: str, given: Path | None) -> dict[str, Sequence[Problem]]:
    return catalogue.opened(dataset, fold, given)

"""Writes configs as a dataset folder: Parquet per config and split, checksums, and the dataset card."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from dnc_datasets import folder_update, owned_folder, sources
from dnc_datasets.errors import BuildError
from dnc_datasets.perturbations.statements.neighbours import Lent, Neighbours
from dnc_datasets.problem import Problem
from dnc_datasets.second_reader import reader_for
from dnc_datasets.serving import benchmark, card, catalogue, checksums, content, ray_cluster, rows
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.checksums import PROVENANCES, Checksums, ConfigChecksums, Count
from dnc_datasets.serving.settings import CHANGED, Row, failures
from dnc_datasets.serving.workers import each
from dnc_datasets.version import __version__
from dnc_datasets.yes_no_balance import Closed, closed, counted

# The split that is a task of its own.
_LARGEST = "train"


@dataclass(frozen=True)
class BuildReport:
    """The result of a build. `kept` names the configs of the folder that were not built.

    `failed` lists the rows that remain unchanged because of an error, with place and reason.
    """

    folder: Path
    configs: Mapping[str, ConfigChecksums]
    kept: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows of all built configs."""
        return sum(record.rows for record in self.configs.values())

    @property
    def perturbed(self) -> int:
        """The number of perturbed rows of all built configs."""
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
    """A written split: its index among the splits of the source, and the failed rows."""

    place: int
    split: str
    counted: Count
    failed: list[tuple[str, str]]
    closed: list[Closed]  # the rows whose labels are counted


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

    The same version and seed give the same bytes, in any order and with any number of jobs. Earlier configs
    of the folder remain, and so do all files that no build wrote and the publisher's text in the card outside
    our section. `given` names the user's own copies of a dataset's files. `progress(config)` is called after
    each config. `ray` is the address of a Ray cluster that makes the rows in blocks, or "" for one that is
    started here. `out` must then be a folder that every node sees. With `second_reader`, spaCy reads every
    changed row and may refuse it. False disables it even where it is the default.
    """
    variants = _in_order(catalogue.find(name) for name in configs)
    if not variants:
        raise BuildError("nothing to build: name at least one config; `dnc list --names` shows them")
    for name in given or {}:
        sources.get(name)  # a misspelt name must be an error
    owned_folder.usable(out)
    new = {variant.name for variant in variants}
    try:
        _kept(out, new, seed)  # a folder that is not ours is refused before any work
        with folder_update.updated_folder(out, lambda: _to_replace(out, new, seed)) as folder:
            kept = _kept(out, new, seed)
            own = {name: path.absolute() for name, path in (given or {}).items()}
            tasks = [
                _Task(variant, largest, folder.absolute(), seed, own.get(variant.dataset), second_reader)
                for variant, largest in _parts(variants, apart=jobs > 1)
            ]
            made = _all_made(tasks, jobs, progress) if ray is None else _made_on_ray(tasks, ray, progress)
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
    tasks: Sequence[_Task], jobs: int, progress: Callable[[str], object] | None
) -> dict[Variant, list[_Made]]:
    """Return the splits of each config, by their names."""
    results = each(_make, tasks, jobs, _reporter(progress, [task.variant for task in tasks]))
    made: dict[Variant, list[_Made]] = {}
    for task, some in zip(tasks, results, strict=True):
        made.setdefault(task.variant, []).extend(some)
    return {variant: sorted(some, key=lambda one: one.split) for variant, some in made.items()}


def _reporter(progress: Callable[[str], object] | None, variants: Iterable[Variant]) -> Callable[[Any], None]:
    """Return the function that is called after each task and reports a config after its last one."""
    left = Counter(variants)

    def done(task: Any) -> None:
        left[task.variant] -= 1
        if progress and not left[task.variant]:
            progress(task.variant.name)

    return done


def _parts(variants: Sequence[Variant], *, apart: bool) -> list[tuple[Variant, bool]]:
    """Return the units of work: the largest split of each config, and its other splits.

    Where several processes work, all the largest splits of a dataset come first. One process then handles
    these and another one the others, and each can reuse the results of its own rows.
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
    """Return each variant once, with those of one dataset together, so that a process reads each source once.

    An attack perturbs one split and the other settings all of them. The other settings come first, so that no
    process has a long one left at the end.
    """
    return sorted(
        set(variants),
        key=lambda one: (one.dataset, one.fold, one.setting == "attack", one.recipe, one.setting),
    )


def _kept(out: Path, new: set[str], seed: int) -> dict[str, ConfigChecksums]:
    """Return the configs of an existing folder that remain beside the new ones."""
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
    """Return the files of an existing folder that this build replaces or removes."""
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
    """Write the Parquet files of a config."""
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


@dataclass(frozen=True)
class Block:
    """Consecutive originals of a split for one task of a cluster, and the file of their rows."""

    variant: Variant
    split: str
    only: str  # a pass of the variant
    start: int
    stop: int
    file: Path
    run: str  # a worker serves several builds, and files may change between them
    task: _Task

    @property
    def lends(self) -> tuple[str, str, str] | None:
        """The split that rows of this block borrow from."""
        borrows = self.only == CHANGED and self.variant.borrows
        return (self.variant.dataset, self.variant.fold, self.split) if borrows else None

    def originals(self) -> Sequence[Problem]:
        """The problems of this block."""
        splits = _read(self.variant.dataset, self.variant.fold, self.task.given, self.run)
        return splits[self.split][self.start : self.stop]


def _made_on_ray(
    tasks: Sequence[_Task], address: str, progress: Callable[[str], object] | None
) -> dict[Variant, list[_Made]]:
    """Make the splits of each config in blocks on a cluster and join them.

    The files equal those of one process.

    A lost worker costs its block. Unfinished files are beside the new folder, and are removed with it.
    """
    run, cores = uuid4().hex, ray_cluster.cores(address)
    whole = {task.variant: task for task in tasks}
    read = list(dict.fromkeys((one.dataset, one.fold, task.given, run) for one, task in whole.items()))
    sizes = dict(zip([one[:2] for one in read], ray_cluster.each(_sizes, read, address), strict=True))
    blocks = cut(whole, sizes, cores, run)
    for folder in {block.file.parent for block in blocks}:
        folder.mkdir(parents=True, exist_ok=True)
    lenders: dict[tuple[str, str, str] | None, dict[int, Block]] = {}
    for block in blocks:
        if block.lends:
            lenders.setdefault(block.lends, {}).setdefault(block.start, block)
    pools = {key: ray_cluster.joined(lend, list(some.values()), address) for key, some in lenders.items()}
    shared = [pools.get(block.lends) for block in blocks]
    report = _reporter(progress, [block.variant for block in blocks])
    made = dict(zip(blocks, ray_cluster.each(make_block, blocks, address, report, shared), strict=True))
    joins: dict[tuple[Variant, str], list[Block]] = {}
    for block in blocks:
        joins.setdefault((block.variant, block.split), []).append(block)
    counts = ray_cluster.each(join, list(joins.values()), address)
    found: dict[Variant, list[_Made]] = {variant: [] for variant in whole}
    for ((variant, split), some), (content_hash, file, size) in zip(joins.items(), counts, strict=True):
        parts = [made[block] for block in some]
        count = Count(sum(p.rows for p in parts), sum(p.perturbed for p in parts), content_hash, file, size)
        place = list(sizes[variant.dataset, variant.fold]).index(split)
        failed, yes_no = [row for p in parts for row in p.failed], [row for p in parts for row in p.closed]
        found[variant].append(_Made(place, split, count, failed, yes_no))
    return {variant: sorted(some, key=lambda one: one.split) for variant, some in found.items()}


def cut(
    tasks: Mapping[Variant, _Task], sizes: Mapping[tuple[str, str], Mapping[str, int]], cores: int, run: str
) -> list[Block]:
    """Cut the splits of configs into blocks, in the order of their rows.

    A split without rows is one block.
    """
    passes = [
        (variant, task, split, size, only)
        for variant, task in tasks.items()
        for split, size in sizes[variant.dataset, variant.fold].items()
        for only in variant.passes(split)
    ]
    rows_of_block = ray_cluster.block_rows(sum(one[3] for one in passes), cores)
    blocks: list[Block] = []
    for variant, task, split, size, only in passes:
        folder = task.folder.with_name("blocks") / variant.name
        for start in range(0, max(size, 1), rows_of_block):
            file, stop = folder / f"{split}-{len(blocks):07}.parquet", min(size, start + rows_of_block)
            blocks.append(Block(variant, split, only, start, stop, file, run, task))
    return blocks


def _sizes(source: tuple[str, str, Path | None, str]) -> dict[str, int]:
    return {split: len(problems) for split, problems in _read(*source).items()}


def lend(blocks: Sequence[Block]) -> Lent:
    """Return the statements that the originals of some blocks lend to all rows."""
    first = blocks[0]
    originals = (problem for block in blocks for problem in block.originals())
    return Neighbours(originals, seed=first.task.seed, dataset=first.variant.dataset).lent()


def make_block(block: Block, pool: Neighbours | None = None) -> _Split:
    """Write the rows of a block. A second call replaces the file by an identical one."""
    variant, task, seen = block.variant, block.task, _Split(block.variant, block.split)
    made = variant.stream(
        block.split,
        block.originals(),
        seed=task.seed,
        reader=reader_for(task.second_reader),
        neighbours=pool,
        only=block.only,
    )
    unfinished = block.file.with_name(f"{uuid4().hex}.unfinished")
    rows.write(seen.records(made), unfinished)
    os.replace(unfinished, block.file)
    return seen


def join(blocks: Sequence[Block]) -> tuple[str, str, int]:
    """Write the file of a split from the files of its blocks. Return its checksums and its size."""
    first = blocks[0]
    hashed = content.Columns()
    hashed.begin(first.split)
    folder = first.task.folder / first.variant.name
    folder.mkdir(exist_ok=True)
    path, unfinished = folder / f"{first.split}.parquet", first.file.with_name(f"{uuid4().hex}.unfinished")
    rows.write_tables(rows.groups(rows.table(block.file) for block in blocks), unfinished, hashed.add)
    os.replace(unfinished, path)
    return hashed.end(), *checksums.of_file(path)


class _Split:
    """Counts the rows of a split during the iteration."""

    def __init__(self, variant: Variant, split: str) -> None:
        self._variant, self._split = variant, split
        self.rows = self.perturbed = 0
        self.closed: list[Closed] = []  # the rows whose labels are counted
        self.failed: list[tuple[str, str]] = []

    def records(self, made: Iterable[Row]) -> Iterator[rows.Record]:
        """Yield the records of the rows, without keeping any."""
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
def _read(dataset: str, fold: str, given: Path | None, run: str = "") -> dict[str, Sequence[Problem]]:
    return catalogue.opened(dataset, fold, given)

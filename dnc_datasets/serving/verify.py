"""Checks a built folder: derives every row, certificate included, and compares all contents.

No statement of the folder is trusted without a check, and no link out of it is followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple

from dnc_datasets import folder_update, owned_folder
from dnc_datasets.certificate import CHECKS
from dnc_datasets.errors import BuildError, DncError, SourceError
from dnc_datasets.problem import Problem, from_row
from dnc_datasets.second_reader import Stored, objections, reading
from dnc_datasets.serving import benchmark, card, catalogue, checksums, rows
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.checksums import PROVENANCES, Checksums, ConfigChecksums
from dnc_datasets.serving.content import FORMATS, Content
from dnc_datasets.serving.settings import CONTRAST
from dnc_datasets.serving.workers import each
from dnc_datasets.sources import tiny_release
from dnc_datasets.version import __version__
from dnc_datasets.yes_no_balance import Closed, closed, counted

_READ_AT_A_TIME = 256  # rows that spaCy gets at a time
# Versions that wrote other rows, in folders that this version can read.
EARLIER_VERSIONS = ("0.2.0",)
_SHOWN = 60  # characters of a value in a reason
# Files that a loader, or a card, could read instead of our tables or beside them.
_REACHABLE = frozenset(
    ".7z .arrow .bz2 .conll .conllu .csv .eval .feather .geoparquet .gpq .gz .h5 .hdf5 .json .jsonl .lance .lz4 "
    ".ndjson .npy .npz .orc .parq .parquet .pickle .pkl .pq .pt .py .rar .safetensors .tar .tgz .tsv .txt .xml "
    ".xz .yaml .yml .zip .zst".split()
)


class Failure(NamedTuple):
    """A fault and its place.

    `split` and `id` are empty for a fault of the entire config or of another file.
    """

    config: str
    split: str
    id: str
    reason: str


@dataclass(frozen=True)
class VerifyReport:
    """The number of checked rows, and the faults.

    `unread` names the configs whose source files are not on this machine (or were the user's own). Their
    perturbed rows were derived from the originals stored beside them, and only the content checksum covers
    these originals. `others` are files that no build wrote and no loader reads. `version` names the earlier
    version that built the folder, if one did: its rows were checked and not derived.
    """

    rows: int
    failures: list[Failure]
    unread: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    version: str = ""


class _Task(NamedTuple):
    folder: Path
    config: str
    seed: int
    record: ConfigChecksums
    given: Path | None
    second_reader: bool = False


class _Result(NamedTuple):
    rows: int
    failures: list[Failure]
    source_read: bool


def configs_of(folder: Path) -> list[str]:
    """Return the configs that a built folder lists."""
    return sorted(checksums.read(folder).configs)


def verify(
    folder: Path,
    jobs: int = 1,
    progress: Callable[[str], object] | None = None,
    given: Mapping[str, Path] | None = None,
    second_reader: bool = False,
) -> VerifyReport:
    """Derive every row of the folder from its original and compare content, certificate, checksums and card.

    The originals are read from the source files where they are on this machine. `given` names, by dataset,
    the user's own copies that a config was made from. With `second_reader`, spaCy reads every changed row and
    its objections are failures. Without it, the verdicts stored on the rows are used, and spaCy is not
    needed.

    An earlier version derived other rows. For its folders, only the files, the checksums and the promises of
    each certificate are checked.
    """
    found = checksums.read(folder)
    same_version = found.version == __version__
    if not same_version and found.version not in EARLIER_VERSIONS:
        raise BuildError(
            f"{folder} was built by version {found.version} and this is version {__version__}, which may "
            f"derive other rows. Install dnc-bench=={found.version} to verify it, or build it again"
        )
    # In alphabetical order, so that a process reads each source once.
    tasks = [
        _Task(
            folder,
            name,
            found.seed,
            found.configs[name],
            (given or {}).get(name.partition("-")[0]),
            second_reader,
        )
        for name in sorted(found.configs)
    ]
    try:
        check = _check if same_version else _check_promises
        results = each(check, tasks, jobs, lambda task: progress and progress(task.config))
    finally:
        _source.cache_clear()
    failures = [failure for result in results for failure in result.failures]
    if same_version:
        failures += _card(folder, found)
        failures += _benchmark(folder, found)
    others: list[str] = []
    failures += _others(folder, found, others)
    if folder_update.is_half_changed(folder):
        failures.append(
            Failure(folder.name, "", "", "a build was killed while it changed it; `dnc build` finishes that")
        )
    unread = tuple(task.config for task, result in zip(tasks, results, strict=True) if not result.source_read)
    checked = sum(result.rows for result in results)
    return VerifyReport(checked, failures, unread, tuple(others), "" if same_version else found.version)


def _check(task: _Task) -> _Result:
    """Check one config."""
    hashed = FORMATS[task.record.format]()
    try:
        variant = catalogue.find(task.config)
        if variant.name != task.config:
            raise BuildError(f"the config is called {variant.name}")
        stored = _stored(task)
        source = _read_source(variant, task)
        originals: Mapping[str, Sequence[Problem]] = source or {
            split: list(map(rows.original, _of_originals(_records(path)))) for split, path in stored.items()
        }
        compared = [
            _Compared(task, variant, split, stored.get(split), originals.get(split), hashed)
            for split in sorted({*stored, *originals})
        ]
        failures = [failure for one in compared for failure in one.differences()]
        labels = counted([row for one in compared for row in one.closed])
    except DncError as error:
        return _Result(0, [Failure(task.config, "", "", str(error))], True)
    except Exception as error:  # a damaged row may raise any error where it is derived
        reason = f"its rows cannot be derived again: {type(error).__name__}: {error}"
        return _Result(0, [Failure(task.config, "", "", reason)], True)
    if hashed.whole() != task.record.sha256:
        failures.append(Failure(task.config, "", "", f"its content differs from {checksums.FILE_NAME}"))
    elif task.record.labels not in (None, labels):
        failures.append(Failure(task.config, "", "", f"{checksums.FILE_NAME} does not count its yes and no"))
    own = task.record.provenance != PROVENANCES[0]
    if own and not variant.source.files:
        failures.append(Failure(task.config, "", "", "an embedded corpus has no files of a user's own"))
    elif own and failures and source is not None and task.given is None:
        reason = f"it was made from a user's own files; name them with --from {variant.dataset}=DIR"
        failures.append(Failure(task.config, "", "", reason))
    return _Result(sum(one.rows for one in compared), failures, source is not None)


def _check_promises(task: _Task) -> _Result:
    """Check one config of an earlier version: files, checksums, and promises of certificates."""
    hashed, checked, failures = FORMATS[task.record.format](), 0, []
    try:
        for split, path in sorted(_stored(task).items()):
            hashed.begin(split)
            for record in _records(path, hashed.add):
                checked += 1
                if reason := _broken_promise(record):
                    failures.append(Failure(task.config, split, str(record["id"]), reason))
            hashed.end()
    except DncError as error:
        return _Result(0, [Failure(task.config, "", "", str(error))], True)
    except Exception as error:  # a damaged row may raise any error
        reason = f"its rows cannot be read: {type(error).__name__}: {error}"
        return _Result(0, [Failure(task.config, "", "", reason)], True)
    if hashed.whole() != task.record.sha256:
        failures.append(Failure(task.config, "", "", f"its content differs from {checksums.FILE_NAME}"))
    return _Result(checked, failures, True)


def _broken_promise(record: rows.Record) -> str:
    """Describe the fault in the certificate of a perturbed row, or return "" where it holds."""
    if not record["perturbed"]:
        return ""
    original, perturbed = rows.original(record), from_row(record)
    for name in record["certificate"]:
        if name not in CHECKS:
            return f"its certificate names {name!r}, which this version does not know"
        if not CHECKS[name](original, perturbed):
            return f"breaks its promise {name!r} ({CHECKS[name].__doc__})"
    return ""


def _stored(task: _Task) -> dict[str, Path]:
    """Return the table of every split: a regular file with the columns and types that this version writes."""
    stored = {}
    if not stat.S_ISDIR(_mode(task.folder / task.config)):
        raise BuildError(f"{task.folder / task.config} is no folder")
    for split, count in task.record.splits.items():
        path = task.folder / checksums.table(task.config, split)
        if not stat.S_ISREG(_mode(path)):
            raise BuildError(f"{path} cannot be read: it is no plain file")
        try:
            if checksums.of_file(path) != (count.file, count.size):
                raise BuildError(f"{path} is not the file that {checksums.FILE_NAME} names")
            _check_columns(path)
            stored[split] = path
        except (OSError, ValueError) as error:  # Arrow's own errors are ValueErrors
            raise BuildError(f"{path} cannot be read: {error}") from error
    return stored


def _records(path: Path, seen: rows.Seen | None = None) -> Iterator[rows.Record]:
    try:
        yield from rows.stream(path, seen)
    except (OSError, ValueError) as error:
        raise BuildError(f"{path} cannot be read: {error}") from error


def _mode(path: Path) -> int:
    try:
        return os.lstat(path).st_mode
    except OSError as error:
        raise BuildError(f"{path} cannot be read: {error.strerror}") from error


def _check_columns(path: Path) -> None:
    """Check names, order and types of the columns, and that no metadata of the file changes their reading."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        found = file.schema_arrow
    expected = rows.schema()
    if found.names != expected.names:
        raise BuildError(f"{path} has other columns than this version writes: {', '.join(found.names)}")
    for ours, theirs in zip(expected, found, strict=True):
        if not ours.equals(theirs):
            raise BuildError(
                f"{path} has column {theirs.name} of type {theirs.type}, not {ours.type} as this version writes"
            )
    if found.metadata:
        raise BuildError(f"{path} has notes for loaders that this version does not write")


def _read_source(variant: Variant, task: _Task) -> dict[str, Sequence[Problem]] | None:
    """Return the original splits from their source files, or None where the files are missing."""
    if task.given is not None and task.record.provenance != PROVENANCES[0]:
        return catalogue.opened(variant.dataset, variant.fold, task.given)
    return _source(variant.dataset, variant.fold)


@lru_cache(maxsize=1)
def _source(dataset: str, fold: str) -> dict[str, Sequence[Problem]] | None:
    try:
        return catalogue.opened(dataset, fold)
    except SourceError:
        return None


def _of_originals(records: Iterable[rows.Record]) -> list[rows.Record]:
    """Return one record per original, in order.

    `augment` lists originals first, a contrast set each one several times.
    """
    first: dict[str, rows.Record] = {}
    for record in records:
        first.setdefault(record["original_id"], record)
    return list(first.values())


class _Compared:
    """Compares the stored rows of a split with the derived ones, with one row group in memory at a time."""

    def __init__(
        self,
        task: _Task,
        variant: Variant,
        split: str,
        stored: Path | None,
        originals: Sequence[Problem] | None,
        hashed: Content,
    ) -> None:
        self._task, self._variant, self._split = task, variant, split
        self._stored, self._originals, self._hashed = stored, originals, hashed
        self.rows = 0  # that are stored
        self._objections: list[tuple[str, str]] = []
        self.closed: list[Closed] = []  # the rows whose labels are counted

    def differences(self) -> Iterator[Failure]:
        """Yield the differences. The stored rows are added to `hashed`."""
        stored: Iterable[rows.Record] = ()
        if self._stored is not None:
            self._hashed.begin(self._split)
            stored = _records(self._stored, self._hashed.add)
        derived_rows = perturbed = 0
        same = self._stored is not None
        for place, (old, new) in enumerate(zip_longest(self._read(stored), self._derived()), 1):
            if old != new:
                same = False
                yield Failure(
                    self._task.config, self._split, str((old or new or {})["id"]), _reason(old, new, place)
                )
            self.rows += old is not None
            if new is not None:
                derived_rows += 1
                perturbed += new["perturbed"]
                if one := closed(new):
                    self.closed.append(one)
        for id_, objection in self._objections:
            reason = f"the second reader objects: {objection}"
            yield Failure(self._task.config, self._split, id_, reason)
        content = self._hashed.end() if self._stored is not None else ""
        yield from self._uncounted(derived_rows, perturbed, content if same else None)

    def _read(self, stored: Iterable[rows.Record]) -> Iterator[rows.Record]:
        """Yield the records, after the second reader if that is wanted.

        Its objections are kept for the end.
        """
        if not self._task.second_reader:
            yield from stored
            return
        what = reading(self._variant.steps)
        coming = iter(stored)
        while batch := list(islice(coming, _READ_AT_A_TIME)):
            changed = [record for record in batch if record["perturbed"]]
            pairs = [(rows.original(record), from_row(record), what) for record in changed]
            for record, objection in zip(changed, objections(pairs), strict=True):
                if objection:
                    self._objections.append((str(record["id"]), objection))
            yield from batch

    def _derived(self) -> Iterator[rows.Record]:
        if self._originals is not None:
            setting = self._variant.setting
            dropped = setting == CONTRAST or (setting == "augment" and self._split != "test")
            verdicts = Stored(rows.verdicts(self._stored) if self._stored else (), dropped=dropped)
            made = self._variant.stream(self._split, self._originals, seed=self._task.seed, reader=verdicts)
            for row in made:
                yield rows.to_record(row, self._variant)

    def _uncounted(self, found: int, perturbed: int, content: str | None) -> Iterator[Failure]:
        """Yield the differences between `checksums.json` and the derived split.

        There is no `content` where rows differ, because each of these rows is already named.
        """
        said = self._task.record.splits.get(self._split)
        counted = said and (said.rows, said.perturbed, said.content if content is not None else None)
        if counted != (found, perturbed, content):
            reason = f"{checksums.FILE_NAME} does not say {found} rows, {perturbed} perturbed"
            yield Failure(self._task.config, self._split, "", f"{reason}, {content}" if content else reason)


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


def _card(folder: Path, found: Checksums) -> Iterator[Failure]:
    """Check the card's YAML, which loaders follow, and our section.

    The prose around it is the publisher's.
    """
    name = card.FILE_NAME
    try:
        header, section = card.made(found)
        stored = card.parts(checksums.read_small(folder / name))
    except (OSError, ValueError) as error:
        yield Failure(name, "", "", f"the card cannot be read: {error}")
        return
    except DncError:
        return  # a config that does not exist was named already
    if stored.header != header:
        yield Failure(name, "", "", "its YAML, which loaders follow, is not what this version writes")
    if stored.section != section:
        yield Failure(name, "", "", "our section, between its two marks, is not what this version writes")


def _benchmark(folder: Path, found: Checksums) -> Iterator[Failure]:
    """Check `eval.yaml`, which the Hub runs: it lists exactly the configs that the stored targets qualify."""
    name = benchmark.FILE_NAME
    try:
        expected = benchmark.text(benchmark.tasks(found, (folder,)))
        stored = checksums.read_small(folder / name) if os.path.lexists(folder / name) else ""
    except (OSError, ValueError) as error:
        yield Failure(name, "", "", f"it cannot be read: {error}")
        return
    except DncError:
        return  # a config that does not exist was named already
    if stored.replace("\r\n", "\n") != expected:
        yield Failure(name, "", "", "it is not what this version writes")


def _others(folder: Path, found: Checksums, others: list[str]) -> Iterator[Failure]:
    """Check files that no build wrote.

    Those that a loader or a card could reach are failures, the rest is in `others`.
    """
    known = {*found.files(), checksums.FILE_NAME, card.FILE_NAME, benchmark.FILE_NAME, owned_folder.MARK}
    if tiny_release.SOURCE.name in found.configs:
        known.add(tiny_release.FILE_NAME)
    for path, mode in _walk(folder):
        name = path.relative_to(folder).as_posix()
        first, _, inner = name.partition("/")
        if stat.S_ISLNK(mode):
            yield Failure(name, "", "", "a symbolic link, which is not followed")
        elif stat.S_ISDIR(mode):
            if first == ".git" and not inner:
                others.append(name)
            elif name not in found.configs and not inner and _is_config(name):
                yield Failure(name, "", "", f"a config that is not in {checksums.FILE_NAME}")
        elif not stat.S_ISREG(mode):
            yield Failure(name, "", "", "a device, a pipe or a socket")
        elif name not in known:
            suffixes = {suffix.lower() for suffix in path.suffixes} | {path.name.lower()}
            if first in found.configs or suffixes & _REACHABLE:
                yield Failure(
                    name, "", "", f"{path} is not in {checksums.FILE_NAME}, and loaders can read it"
                )
            else:
                others.append(name)


def _walk(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield everything below the folder with its kind, without links and git's folder."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        path = Path(entry.path)
        mode = entry.stat(follow_symlinks=False).st_mode
        yield path, mode
        if stat.S_ISDIR(mode) and entry.name != ".git":
            yield from _walk(path)


def _is_config(name: str) -> bool:
    try:
        return bool(catalogue.find(name))
    except DncError:
        return False

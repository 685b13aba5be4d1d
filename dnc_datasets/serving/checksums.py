"""`checksums.json` of a built folder: version, seed, and each config's checksum and counts."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from dnc_datasets import filesystem
from dnc_datasets.errors import BuildError
from dnc_datasets.serving.content import FORMAT, FORMATS
from dnc_datasets.yes_no_balance import Guess, Labels

FILE_NAME = "checksums.json"
PROVENANCES = ("verified", "unverified")
_MAX_BYTES = 1 << 26
_PIECE = 1 << 20
Value = TypeVar("Value", int, str)
_NAME = re.compile(r"\w[\w+-]*")


@dataclass(frozen=True)
class Count:
    """A split: its number of rows and of perturbed rows, and two checksums.

    `content` is the SHA-256 of its rows (`serving.content`), `file` that of its Parquet file, `size` its bytes.
    """

    rows: int
    perturbed: int
    content: str
    file: str
    size: int


@dataclass(frozen=True)
class ConfigChecksums:
    """One config of a built folder. `provenance` is "unverified" where a user's own files were read.

    `format` names the hash of the content. Folders from before this field have the first format. `labels`
    counts yes and no where a config asks for them.
    """

    sha256: str
    provenance: str
    splits: Mapping[str, Count]
    format: int = FORMAT
    labels: Labels | None = None

    @property
    def rows(self) -> int:
        """The number of rows of all splits."""
        return sum(count.rows for count in self.splits.values())

    @property
    def perturbed(self) -> int:
        """The number of perturbed rows of all splits."""
        return sum(count.perturbed for count in self.splits.values())

    @property
    def size(self) -> int:
        """The number of bytes of all Parquet files."""
        return sum(count.size for count in self.splits.values())


@dataclass(frozen=True)
class Checksums:
    """A built folder's record: every config in it was made by this version with this seed."""

    version: str
    seed: int
    configs: Mapping[str, ConfigChecksums]

    def text(self) -> str:
        """Return the record as JSON, with the same bytes for the same content in any order."""
        configs = {name: _entry(self.configs[name]) for name in sorted(self.configs)}
        return json.dumps({"version": self.version, "seed": self.seed, "configs": configs}, indent=1) + "\n"

    def files(self, configs: Iterable[str] | None = None) -> list[str]:
        """Return the paths of the Parquet files below the folder, of some configs or of all."""
        names = self.configs if configs is None else configs
        return [table(name, split) for name in names for split in self.configs[name].splits]


def _entry(record: ConfigChecksums) -> dict[str, Any]:
    entry = asdict(record)
    labels = entry.pop("labels")  # most configs have none
    return {**entry, "labels": labels} if labels else entry


def table(config: str, split: str) -> str:
    """Return the path of a Parquet file below the folder."""
    return f"{config}/{split}.parquet"


def of_file(path: Path) -> tuple[str, int]:
    """Return the SHA-256 and the number of a file's bytes, reading one piece at a time."""
    hashed, size = sha256(), 0
    with filesystem.open_regular(path) as file:
        while piece := file.read(_PIECE):
            hashed.update(piece)
            size += len(piece)
    return hashed.hexdigest(), size


def read(folder: Path) -> Checksums:
    """Read the checksums of a built folder. If they are missing, the error states the remedy."""
    path = folder / FILE_NAME
    try:
        found = json.loads(read_small(path))
    except FileNotFoundError:
        raise BuildError(
            f"{folder} is not a folder that `dnc build` has written: it has no {FILE_NAME}. "
            "Name another folder, or build one with `dnc build --out FOLDER`"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise BuildError(f"{path} cannot be read: {error}. Delete the folder and build it again") from error
    try:
        return _checksums(found)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BuildError(f"{path} is damaged ({error!r}). Delete the folder and build it again") from error


def read_small(path: Path) -> str:
    """Return the text of a regular file that we wrote. A link or a pipe in its place is not followed."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is not a plain file")
    if status.st_size > _MAX_BYTES:
        raise OSError(f"it has {status.st_size} bytes")
    return path.read_text(encoding="utf-8")


def _checksums(found: Any) -> Checksums:
    _keys(found, "version", "seed", "configs")
    configs = {_name(name): _record(entry) for name, entry in found["configs"].items()}
    if not configs:
        raise ValueError("no configs")
    return Checksums(_typed(found["version"], str), _typed(found["seed"], int), configs)


def _record(entry: Any) -> ConfigChecksums:
    entry = {"format": 1, "labels": None, **entry}
    _keys(entry, "sha256", "provenance", "splits", "format", "labels")
    if _typed(entry["format"], int) not in FORMATS:
        raise ValueError(
            f"checksums of format {entry['format']}; this version knows {', '.join(map(str, FORMATS))}"
        )
    if entry["provenance"] not in PROVENANCES:
        raise ValueError(f"provenance {entry['provenance']!r}; it is {' or '.join(PROVENANCES)}")
    counts = {_name(split): _count(count) for split, count in entry["splits"].items()}
    labels = _labels(entry["labels"]) if entry["labels"] is not None else None
    return ConfigChecksums(_typed(entry["sha256"], str), entry["provenance"], counts, entry["format"], labels)


def _labels(found: Any) -> Labels:
    """Return six counts: the answers yes and no, and for two guesses the right ones and all."""
    yes, no, *guesses = found
    threshold, largest = (Guess(*(_typed(count, int) for count in guess)) for guess in guesses)
    return Labels(_typed(yes, int), _typed(no, int), threshold, largest)


def _count(count: Any) -> Count:
    _keys(count, "rows", "perturbed", "content", "file", "size")
    return Count(
        _typed(count["rows"], int),
        _typed(count["perturbed"], int),
        _typed(count["content"], str),
        _typed(count["file"], str),
        _typed(count["size"], int),
    )


def _keys(entry: Any, *names: str) -> None:
    if not isinstance(entry, dict) or set(entry) != set(names):
        raise ValueError(
            f"{', '.join(entry) if isinstance(entry, dict) else entry!r:.60}, not {', '.join(names)}"
        )


def _typed(value: Any, kind: type[Value]) -> Value:
    if type(value) is not kind:
        raise ValueError(f"{value!r:.60} is no {kind.__name__}")
    return value


def _name(text: str) -> str:
    # Names become paths, and the file may have been downloaded, so no name may lead out of the folder.
    if not _NAME.fullmatch(text):
        raise ValueError(f"{text!r:.60} is not a name of a config or a split")
    return text

"""What `checksums.json` of a built folder says: version, seed, each config's content checksum and counts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dnc_datasets.errors import BuildError

FILE_NAME = "checksums.json"
_NAME = re.compile(r"\w[\w+-]*")


@dataclass(frozen=True)
class Count:
    """How many rows a split has, and how many of them are perturbed."""

    rows: int
    perturbed: int


@dataclass(frozen=True)
class Record:
    """One config of a built folder; `provenance` is "unverified" where a user's own files were read."""

    sha256: str
    provenance: str
    splits: Mapping[str, Count]

    @property
    def rows(self) -> int:
        """Rows of all splits."""
        return sum(count.rows for count in self.splits.values())

    @property
    def perturbed(self) -> int:
        """Perturbed rows of all splits."""
        return sum(count.perturbed for count in self.splits.values())


@dataclass(frozen=True)
class Checksums:
    """A built folder's record: every config in it was made by this version with this seed."""

    version: str
    seed: int
    configs: Mapping[str, Record]

    def text(self) -> str:
        """As JSON, the same bytes for the same content in any order."""
        configs = {name: asdict(self.configs[name]) for name in sorted(self.configs)}
        return json.dumps({"version": self.version, "seed": self.seed, "configs": configs}, indent=1) + "\n"


def read(folder: Path) -> Checksums:
    """The checksums of a built folder; an error says what to do where there are none."""
    path = folder / FILE_NAME
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BuildError(
            f"{folder} is not a folder that `dnc build` has written: it has no {FILE_NAME}. "
            "Name another folder, or build one with `dnc build --out FOLDER`"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise BuildError(f"{path} cannot be read: {error}. Delete the folder and build it again") from error
    try:
        configs = {_name(name): _record(entry) for name, entry in found["configs"].items()}
        return Checksums(str(found["version"]), int(found["seed"]), configs)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BuildError(f"{path} is damaged ({error!r}). Delete the folder and build it again") from error


def _record(entry: Mapping[str, Any]) -> Record:
    counts = {
        _name(split): Count(int(n["rows"]), int(n["perturbed"])) for split, n in entry["splits"].items()
    }
    return Record(str(entry["sha256"]), str(entry["provenance"]), counts)


def _name(text: str) -> str:
    # Names become paths below the folder, and the file may have been downloaded: none may lead out of it.
    if not _NAME.fullmatch(text):
        raise ValueError(f"{text!r} is not a name of a config or a split")
    return text

"""Shows what a release would upload, and fails where a file is missing, foreign or larger than it should be.

python -m tests.release build/release
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

from dnc_datasets.version import __version__

_MAX_BYTES = 10_000_000
# Folders of the source that a release carries; tests and benchmarks stay in the repository.
_FOLDERS = ("dnc_datasets", "metrics", "harness_tasks", "trainers", "leaderboard")
_NAMED = ("__pycache__", ".pyc", "/tests/", "/build/", ".env", "id_rsa", ".parquet")


def main(folder: Path) -> int:
    """Print the two files with what they hold; 1 where something is wrong."""
    problems = []
    for kind in ("whl", "tar.gz"):
        found = list(folder.glob(f"dnc_bench-{__version__}*.{kind}"))
        if len(found) != 1:
            problems.append(f"{len(found)} files dnc_bench-{__version__}*.{kind} in {folder}")
            continue
        names, about = _held(found[0])
        size = found[0].stat().st_size
        print(f"{found[0].name}: {size / 1e6:.2f} MB, {len(names)} files")
        for top in sorted({name.partition("/")[0] for name in names}):
            print(f"  {top}: {sum(name.partition('/')[0] == top for name in names)} files")
        problems += [
            f"{found[0].name} holds {name}" for name in names if any(bad in f"/{name}" for bad in _NAMED)
        ]
        if size > _MAX_BYTES:
            problems.append(f"{found[0].name} has {size} bytes")
        fields = Parser().parsestr(about)
        for field in (
            "Name",
            "Version",
            "Summary",
            "License-Expression",
            "Requires-Python",
            "Description-Content-Type",
        ):
            if not fields.get(field):
                problems.append(f"{found[0].name}: its metadata has no {field}")
        print(f"  {fields['Name']} {fields['Version']}, {fields['License-Expression']}, {fields['Summary']}")
    for problem in problems:
        print(f"release: {problem}", file=sys.stderr)
    if not problems:
        print(f"ready: `twine upload {folder}/dnc_bench-{__version__}*` publishes it")
    return 1 if problems else 0


def _held(file: Path) -> tuple[list[str], str]:
    """The names of the files, and the metadata."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as wheel:
            names = wheel.namelist()
            about = next(name for name in names if name.endswith(".dist-info/METADATA"))
            return names, wheel.read(about).decode()
    with tarfile.open(file) as sdist:
        names = [member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()]
        about_file = sdist.extractfile(f"{file.name.removesuffix('.tar.gz')}/PKG-INFO")
        assert about_file is not None
        missing = [folder for folder in _FOLDERS if not any(name.startswith(f"{folder}/") for name in names)]
        assert not missing, f"the sdist lacks {missing}"
        return names, about_file.read().decode()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""The files of each repository for the Hub, written into a folder as they are uploaded, and the upload."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import dnc_datasets
import dnc_harness
import dnc_leaderboard
import dnc_metrics
from dnc_datasets import extras
from dnc_datasets.errors import DncError
from dnc_datasets.serving import benchmark, card, catalogue, checksums
from dnc_datasets.serving.checksums import PROVENANCES, Checksums, ConfigChecksums
from dnc_datasets.sources import Source
from dnc_leaderboard import report
from dnc_leaderboard.hub.publishing import CARD, ENTRIES, PublishError, repository
from dnc_metrics import record

_SPACE_CARD = """\
---
title: DNC leaderboard
emoji: 🔢
colorFrom: blue
colorTo: green
sdk: gradio
sdk_version: {gradio}
app_file: app.py
pinned: false
license: apache-2.0
tags:
- leaderboard
- numerical-reasoning
datasets:
- {records}
---

# DNC leaderboard

Which numerical capabilities do models have? Made by `dnc-bench`.
"""
# The first lines of an app. The Space contains the package, so it runs before a release and does not change.
_UNPACK = """\
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
if not (HERE / "packages").is_dir():
    zipfile.ZipFile(HERE / "packages.zip").extractall(HERE / "packages")
sys.path.insert(0, str(HERE / "packages"))
"""
_SPACE_APP = '''\
"""The Space: the leaderboard over the records in a dataset repository."""

{unpack}
from dnc_leaderboard.serving import space

if __name__ == "__main__":
    space("{records}").launch()
'''

_METRIC_APP = '''\
"""The Space of the metric {name}."""

{unpack}
from dnc_metrics.evaluate_module import interface

if __name__ == "__main__":
    interface("{name}").launch()
'''


class Repository(NamedTuple):
    """A repository of the Hub, the folder with its files, and the omissions."""

    name: str
    kind: str  # "dataset", "model" or "space"
    folder: Path
    left_out: tuple[str, ...] = ()


def dataset(built: Path, name: str, out: Path, named: Collection[str] = ()) -> Repository:
    """Return a built folder with the permitted datasets: their tables, checksums, card and eval.yaml."""
    found = checksums.read(built)
    choice = choose(found.configs, named)
    if not choice.kept:
        reasons = "; ".join(f"{one}: {why}" for one, why in choice.left_out.items())
        raise PublishError(f"nothing in {built} may be uploaded: {reasons}")
    part = Checksums(found.version, found.seed, {config: found.configs[config] for config in choice.kept})
    for config, entry in part.configs.items():
        for split, count in entry.splits.items():
            path = checksums.table(config, split)
            content = (built / path).read_bytes()
            if sha256(content).hexdigest() != count.file:
                raise PublishError(f"{built / path} differs from the build; `dnc verify {built}` shows where")
            _put(out / path, content)
    before = checksums.read_small(built / card.FILE_NAME) if (built / card.FILE_NAME).is_file() else ""
    _put(out / checksums.FILE_NAME, part.text().encode())
    _put(out / card.FILE_NAME, card.text(part, before).encode())
    if listed := benchmark.text(benchmark.tasks(part, (built,))):
        _put(out / benchmark.FILE_NAME, listed.encode())
    left_out = tuple(f"{one}: {why}" for one, why in choice.left_out.items())
    return Repository(repository(name), "dataset", out, left_out)


def metrics(owner: str, out: Path) -> Iterator[Repository]:
    """Yield one Space for each metric, named after it, so that `evaluate.load("OWNER/METRIC")` finds it."""
    for name in dnc_metrics.MODULES:
        for file in sorted(Path(dnc_metrics.path(name)).iterdir()):
            if file.is_file() and file.name != "__init__.py" and file.suffix != ".pyc":
                _put(out / name / file.name, file.read_bytes())
        _put(out / name / "app.py", _METRIC_APP.format(name=name, unpack=_UNPACK).encode())
        _vendor(out / name, "evaluate")
        yield Repository(repository(f"{owner}/{name}"), "space", out / name)


def results(folder: Path, name: str, out: Path) -> Repository:
    """Return a model's repository with published results, or the leaderboard's dataset with records."""
    if (folder / ENTRIES).is_file() or (folder / CARD).is_file():
        for part in (ENTRIES, CARD):
            if (folder / part).is_file():
                _put(out / part, (folder / part).read_bytes())
        return Repository(repository(name), "model", out)
    paths = report.found_in([folder])
    for path in paths:
        found = record.load(path)
        record.outcomes(path, found)  # raises an error if the rows are not those that the record names
        place = path if path.is_dir() else path.parent
        inner = out / place.name
        _put(inner / record.FILE_NAME, (path / record.FILE_NAME if path.is_dir() else path).read_bytes())
        if found.rows is not None:
            _put(inner / found.rows.name, (place / found.rows.name).read_bytes())
    _put(out / CARD, b"---\nlicense: apache-2.0\nviewer: false\n---\n\nRecords of the DNC leaderboard.\n")
    return Repository(repository(name), "dataset", out)


def space(name: str, records: str, out: Path) -> Repository:
    """Return the leaderboard's Space over the dataset repository `records`."""
    import gradio

    repository(records)
    _put(out / "app.py", _SPACE_APP.format(records=records, unpack=_UNPACK).encode())
    _vendor(out, "leaderboard")
    _put(out / CARD, _SPACE_CARD.format(gradio=gradio.__version__, records=records).encode())
    return Repository(repository(name), "space", out)


def empty(folder: Path) -> Path:
    """Return a new or empty folder for a tree; a folder with files is never emptied."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise PublishError(f"{folder} exists and is not empty; name another with --out, or move it away")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _vendor(out: Path, extra: str) -> None:
    """Write our packages as `packages.zip`, and the external packages that they need as requirements.txt."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for package in (dnc_datasets, dnc_metrics, dnc_harness, dnc_leaderboard):
            folder = Path(str(package.__file__)).parent
            for file in sorted(folder.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts and file.suffix not in (".pyc", ".so"):
                    name = f"{package.__name__}/{file.relative_to(folder).as_posix()}"
                    archive.writestr(zipfile.ZipInfo(name), file.read_bytes(), zipfile.ZIP_DEFLATED)
    _put(out / "packages.zip", content.getvalue())
    _put(out / "requirements.txt", "".join(f"{one}\n" for one in extras.requirements(extra)).encode())


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


_OPEN = frozenset(("apache-2.0", "mit", "cc by 4.0", "cc by-sa 4.0", "cc0-1.0"))


class Choice(NamedTuple):
    """The configs that may be uploaded, and the other datasets with the reason."""

    kept: list[str]
    left_out: dict[str, str]


def is_open(source: Source) -> bool:
    """Return whether the data may be redistributed for any purpose."""
    return source.licence.lower() in _OPEN


def is_non_commercial(source: Source) -> bool:
    """Return whether the data, or a part, may be redistributed only for non-commercial use."""
    return "by-nc" in source.licence.lower()


def choose(configs: Mapping[str, ConfigChecksums], named: Collection[str]) -> Choice:
    """Return the parts of a built folder that may be uploaded; `named` lists accepted non-commercial datasets."""
    kept, left_out = [], {}
    for name, entry in configs.items():
        source = catalogue.find(name).source
        if is_open(source) or (is_non_commercial(source) and source.name in named):
            if entry.provenance == PROVENANCES[0]:
                kept.append(name)
            else:
                left_out[source.name] = (
                    "it was built from your own copies of the files, whose content is not verified"
                )
        elif is_non_commercial(source):
            left_out[source.name] = f"its licence is {source.licence}; --include {source.name} adds it"
        else:
            left_out[source.name] = f"its licence is {source.licence!r}, which does not allow redistribution"
    return Choice(kept, left_out)


class PushError(DncError, RuntimeError):
    """Raised when the Hub refuses an upload."""


def push(repository: Repository, *, private: bool = False, pull_request: bool = False) -> str:
    """Create the repository if it does not exist, and commit its files; return the commit's address.

    The Hub's own library finds the endpoint and the token (`hf auth login`, $HF_TOKEN). Neither is stored.
    """
    try:
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError
    except ImportError as error:
        raise PushError(f"pushing needs huggingface_hub: {extras.command('hub')}") from error
    from httpx import HTTPError

    api = HfApi(library_name="dnc-bench")
    try:
        api.create_repo(
            repository.name,
            repo_type=repository.kind,
            private=private or None,
            exist_ok=True,
            space_sdk="gradio" if repository.kind == "space" else None,
        )
        info = api.upload_folder(
            repo_id=repository.name,
            repo_type=repository.kind,
            folder_path=repository.folder,
            commit_message="Written by dnc publish",
            create_pr=pull_request,
        )
    except (HfHubHTTPError, HTTPError, OSError, ValueError) as error:
        message = str(error).strip().split("\n")[0]
        raise PushError(
            f"{repository.kind} {repository.name} was not pushed: {message}. Log in with `hf auth login` as someone "
            "who may write there, and push again"
        ) from None
    return str(info.pr_url if pull_request else info.commit_url)

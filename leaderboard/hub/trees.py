"""The files of each repository that goes to the Hub, written into a folder exactly as they go up."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import dnc_metrics
from dnc_datasets.serving import benchmark, card, checksums
from dnc_datasets.serving.checksums import Checksums
from dnc_datasets.version import __version__
from dnc_leaderboard import record, report
from dnc_leaderboard.hub import licences
from dnc_leaderboard.hub.publishing import CARD, ENTRIES, PublishError, repository

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
_SPACE_APP = '''\
"""The Space: the leaderboard over the records in a dataset repository."""

from dnc_harness.leaderboard import space

if __name__ == "__main__":
    space("{records}").launch()
'''


class Repository(NamedTuple):
    """A repository of the Hub, the folder with its files, and what was left out of it."""

    name: str
    kind: str  # "dataset", "model" or "space"
    folder: Path
    left_out: tuple[str, ...] = ()


def dataset(built: Path, name: str, out: Path, named: Collection[str] = ()) -> Repository:
    """A built folder, as far as the licences allow: tables, checksums, card and eval.yaml of what remains."""
    found = checksums.read(built)
    choice = licences.choose(found.configs, named)
    if not choice.kept:
        reasons = "; ".join(f"{one}: {why}" for one, why in choice.left_out.items())
        raise PublishError(f"nothing of {built} may go up: {reasons}")
    part = Checksums(found.version, found.seed, {config: found.configs[config] for config in choice.kept})
    for config, entry in part.configs.items():
        for split, count in entry.splits.items():
            path = checksums.table(config, split)
            content = (built / path).read_bytes()
            if sha256(content).hexdigest() != count.file:
                raise PublishError(f"{built / path} is not what was built; `dnc verify {built}` tells more")
            _put(out / path, content)
    before = checksums.read_small(built / card.FILE_NAME) if (built / card.FILE_NAME).is_file() else ""
    _put(out / checksums.FILE_NAME, part.text().encode())
    _put(out / card.FILE_NAME, card.text(part, before).encode())
    if listed := benchmark.text(benchmark.tasks(part, (built,))):
        _put(out / benchmark.FILE_NAME, listed.encode())
    left_out = tuple(f"{one}: {why}" for one, why in choice.left_out.items())
    return Repository(repository(name), "dataset", out, left_out)


def metrics(owner: str, out: Path) -> Iterator[Repository]:
    """One Space for each metric, called as the metric is, so that `evaluate.load("OWNER/METRIC")` finds it."""
    for name in dnc_metrics.MODULES:
        whole = repository(f"{owner}/{name}")
        for file in sorted(Path(dnc_metrics.path(name)).iterdir()):
            if file.is_file() and file.name != "__init__.py" and file.suffix != ".pyc":
                content = file.read_bytes()
                if file.name == "requirements.txt":
                    content = content.replace(
                        b"dnc-bench[evaluate]\n", f"dnc-bench[evaluate]=={__version__}\n".encode()
                    )
                _put(out / name / file.name, content)
        yield Repository(whole, "space", out / name)


def results(folder: Path, name: str, out: Path) -> Repository:
    """What `dnc publish` wrote, for a model's repository; or records, for the leaderboard's dataset repository."""
    if (folder / ENTRIES).is_file() or (folder / CARD).is_file():
        for part in (ENTRIES, CARD):
            if (folder / part).is_file():
                _put(out / part, (folder / part).read_bytes())
        return Repository(repository(name), "model", out)
    paths = report.found_in([folder])
    for path in paths:
        found = record.load(path)
        record.outcomes(path, found)  # an error where the rows are not those that the record names
        place = path if path.is_dir() else path.parent
        inner = out / place.name
        _put(inner / record.FILE_NAME, (path / record.FILE_NAME if path.is_dir() else path).read_bytes())
        if found.rows is not None:
            _put(inner / found.rows.name, (place / found.rows.name).read_bytes())
    _put(out / CARD, b"---\nlicense: apache-2.0\nviewer: false\n---\n\nRecords of the DNC leaderboard.\n")
    return Repository(repository(name), "dataset", out)


def space(name: str, records: str, out: Path) -> Repository:
    """The leaderboard's Space, over the dataset repository `records`."""
    import gradio

    repository(records)
    _put(out / "app.py", _SPACE_APP.format(records=records).encode())
    _put(out / "requirements.txt", f"dnc-bench[leaderboard]=={__version__}\n".encode())
    _put(out / CARD, _SPACE_CARD.format(gradio=gradio.__version__, records=records).encode())
    return Repository(repository(name), "space", out)


def empty(folder: Path) -> Path:
    """A folder for a tree: a new one, or one that is there and empty; what a user has is never emptied."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise PublishError(f"{folder} is there and not empty; name another with --out, or move it away")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)

"""Finds the files of a source in the user's folder, a mirror or the cache. Only `fetch` uses the network."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha1, sha256
from pathlib import Path, PurePosixPath
from typing import Literal

from dnc_datasets.errors import SourceError
from dnc_datasets.sources import PinnedFile, Source

# Environment variable that allows the download of models.
ONLINE = "DNC_ONLINE"
UPSTREAM = "https://raw.githubusercontent.com"

Provenance = Literal["verified", "unverified"]
Progress = Callable[[PinnedFile, int, int], None]


@dataclass(frozen=True)
class Resolved:
    """The local path of each file of a source, by its upstream path, and whether its bytes were checked."""

    files: dict[str, Path]
    provenance: Provenance


def resolve(source: Source, given: Path | None = None, fold: str | None = None) -> Resolved:
    """Return the files of `source` on this machine, without using the network.

    `given` is the user's own folder (`--from NAME=DIR`): no other is searched, its bytes are not checked,
    and the provenance is "unverified". Otherwise each file comes from $DNC_MIRROR or the download cache
    and must have the pinned checksum. `fold` limits the files to those that this fold needs ("" is the
    standard split; None asks for all).
    """
    files = [file for file in source.files if fold is None or file.needed_for(fold)]
    if given is not None:
        return Resolved({file.path: _users_copy(source, file, given) for file in files}, "unverified")
    return Resolved({file.path: _local(source, file) for file in files}, "verified")


def fetch(source: Source, progress: Progress | None = None) -> Resolved:
    """Download the files of `source` that $DNC_MIRROR and the cache lack, and check each before its use.

    The address is https://raw.githubusercontent.com/OWNER/REPO/COMMIT/PATH; $DNC_UPSTREAM replaces the
    part before OWNER. A download that breaks off continues where it stopped, in this run or the next.
    `progress(file, bytes_done, bytes_total)` is called as bytes arrive. Two processes may fetch at once:
    the second waits for the first, and uses its files.
    """
    from dnc_datasets.owned_folder import exclusive  # imported here because it is slow to import

    if source.manual:
        raise SourceError(f"{source.name} cannot be fetched. {_by_hand(source)}")
    files: dict[str, Path] = {}
    for file in source.files:
        mirrored = _mirrored(file)
        if mirrored is not None and mirrored.is_file():
            files[file.path] = _checked(file, mirrored, _mirror_remedy(file))
            continue
        target = _cached(file)
        if not _is_right(file, target):
            with exclusive(target.parent, wait=True):
                if not _is_right(file, target):  # another process may have fetched it while this one waited
                    _download(source, file, target, progress)
        files[file.path] = target
    return Resolved(files, "verified")


def may_go_online() -> bool:
    """Return whether the user allows, with $DNC_ONLINE, the download of models that are not on this
    machine.
    """
    return os.environ.get(ONLINE, "") not in ("", "0")


@contextmanager
def hub(*, online: bool) -> Iterator[None]:
    """Load models within this block. Unless `online`, the Hub's library makes no request.

    `local_files_only` alone is not enough: version 1.x of the library also makes requests of its own.
    """
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = before or not online
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def cache_folder() -> Path:
    """Return the folder of downloads: $DNC_CACHE, or `dnc` in the user's cache folder."""
    configured = os.environ.get("DNC_CACHE")
    if configured:
        return Path(configured)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dnc"


def git_blob_id(data: bytes) -> str:
    """Return the id that git gives to a file of these bytes.

    >>> git_blob_id(b"")
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _users_copy(source: Source, file: PinnedFile, folder: Path) -> Path:
    """Return the user's copy of a file: at its upstream path below the folder, or at the end of that path."""
    if not folder.is_dir():
        raise SourceError(
            f"--from {source.name}={folder}: there is no such folder. Name the one that holds your "
            f"{PurePosixPath(file.path).name}"
        )
    candidates = [folder / tail for tail in _tails(file.path, (other.path for other in source.files))]
    for path in candidates:
        if path.is_file():
            return path
    raise SourceError(
        f"{source.name}: {file.path} is not in {folder}. Looked for {_listed(candidates)}. "
        f"Put your copy there, or leave out --from and run `dnc fetch {source.name}`"
    )


def _tails(path: str, all_paths: Iterable[str]) -> list[str]:
    """Return the path and its tails, from long to short, that name no other file.

    >>> _tails("data/a/dev.csv", ["data/a/dev.csv", "data/b/dev.csv"])
    ['data/a/dev.csv', 'a/dev.csv']
    """
    parts = path.split("/")
    others = [other.split("/") for other in all_paths if other != path]
    tails = [parts[start:] for start in range(len(parts))]
    return ["/".join(tail) for tail in tails if all(other[-len(tail) :] != tail for other in others)]


def _by_hand(source: Source) -> str:
    return f"{source.manual}, and name the folder with `--from {source.name}=DIR`"


def _local(source: Source, file: PinnedFile) -> Path:
    if source.manual:
        raise SourceError(f"{source.name}: {file.path} is not on this machine. {_by_hand(source)}")
    mirrored = _mirrored(file)
    cached = _cached(file)
    if mirrored is not None and mirrored.is_file():
        return _checked(file, mirrored, _mirror_remedy(file))
    if cached.is_file():
        return _checked(file, cached, f"run `dnc fetch {source.name}` to download it again")
    where = [f"{mirrored} (DNC_MIRROR)"] if mirrored is not None else []
    raise SourceError(
        f"{source.name}: {file.path} of github.com/{file.repo} is not on this machine. "
        f"Looked for {_listed([*where, f'{cached} (download cache)'])}. Run `dnc fetch {source.name}`, or "
        f"name your own copy with `--from {source.name}=DIR`, or set DNC_MIRROR to a folder laid out as "
        "OWNER/REPO/COMMIT/PATH"
    )


def _cached(file: PinnedFile, suffix: str = "") -> Path:
    """Return the file's path in the download cache. A symbolic link inside the cache is an error."""
    path = cache = cache_folder()
    for part in PurePosixPath(file.location + suffix).parts:
        path /= part
        if path.is_symlink():
            raise SourceError(
                f"{path} is a symbolic link, and none is followed inside the download cache {cache}. Remove it, "
                "or set DNC_CACHE to another folder"
            )
    return path


def _mirrored(file: PinnedFile) -> Path | None:
    mirror = os.environ.get("DNC_MIRROR")
    return Path(mirror) / file.location if mirror else None


def _mirror_remedy(file: PinnedFile) -> str:
    return f"put the file of commit {file.commit[:12]} of github.com/{file.repo} there, or unset DNC_MIRROR"


def _listed(places: Iterable[object]) -> str:
    return ", then ".join(str(place) for place in places)


def _checked(file: PinnedFile, path: Path, next_step: str) -> Path:
    difference = _difference(file, path)
    if difference:
        raise SourceError(f"{path} is not the pinned {file.path}: {difference}. Next: {next_step}")
    return path


def _is_right(file: PinnedFile, path: Path) -> bool:
    return path.is_file() and not _difference(file, path)


# Results of checksums, so that a process checks no file twice.
_differences: dict[tuple[PinnedFile, str, int, int], str] = {}


def _difference(file: PinnedFile, path: Path) -> str:
    """Describe the difference between the file and its pin, or return "" where there is none."""
    status = path.stat()
    if file.size and status.st_size != file.size:
        cut = "truncated: " if status.st_size < file.size else ""
        return f"{cut}expected {file.size} bytes, found {status.st_size}"
    key = (file, str(path), status.st_size, status.st_mtime_ns)
    if key not in _differences:
        _differences[key] = _checksum_difference(file, path.read_bytes())
    return _differences[key]


def _checksum_difference(file: PinnedFile, data: bytes) -> str:
    if not (file.sha256 or file.git_blob):
        raise SourceError(f"{file.location} is pinned by no checksum; give it a git_blob or a sha256")
    if file.sha256 and (digest := sha256(data).hexdigest()) != file.sha256:
        return f"expected sha256 {file.sha256}, found {digest}"
    if file.git_blob and (digest := git_blob_id(data)) != file.git_blob:
        return f"expected git blob {file.git_blob}, found {digest}"
    return ""


def _download(source: Source, file: PinnedFile, target: Path, progress: Progress | None) -> None:
    from urllib.parse import quote

    from dnc_datasets.download import download
    from dnc_datasets.model_arguments import address

    url = f"{os.environ.get('DNC_UPSTREAM', UPSTREAM).rstrip('/')}/{quote(file.location)}"
    part = _cached(file, ".part")

    def report(done: int, total: int) -> None:
        if progress:
            progress(file, done, total)

    # Bytes from an earlier run may belong to another version, so a wrong checksum allows one clean start.
    resumed = part.exists()
    while True:
        try:
            download(url, part, file.size, report)
        except SourceError as error:
            raise SourceError(
                f"{source.name}: cannot download {file.path}: {error}. Without the network: "
                f"`--from {source.name}=DIR` with your own copy (in load_dataset: data_dir=DIR), or DNC_MIRROR"
            ) from error
        difference = _difference(file, part)
        if not difference:
            os.replace(part, target)
            return
        part.unlink()
        if not resumed:
            raise SourceError(
                f"{source.name}: {address(url)} is not the pinned {file.path}: {difference}. Nothing was kept. "
                f"Next: try `dnc fetch {source.name}` again; if it stays so, something between here and "
                "there changes the file (a proxy, or DNC_UPSTREAM)"
            )
        resumed = False

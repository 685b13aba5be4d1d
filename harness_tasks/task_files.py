"""The lm-eval task files of the catalogue: their texts, a cached folder of them, and copies on request."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from dnc_datasets import files
from dnc_datasets.folder_update import updated_folder
from dnc_datasets.owned_folder import exclusive
from dnc_harness import data, listing
from dnc_harness.errors import HarnessError
from dnc_harness.listing import HarnessTask

# Increase it when prompts, scoring or the rows of a config change, so that versions are not compared.
VERSION = 3
_FIRST_LINE = "# Generated from the DNC catalogue; do not edit.\n"

# Maximum number of tokens of a reply by prompt; reasoning models have their own limit.
MOST_TOKENS = {listing.DIRECT: 32, listing.COT: 1024, listing.EQUATION: 64, listing.GRAPH: 128}
REASONING_TOKENS = 8192
# After worked examples, a base model continues with another question; generation stops there. Without
# examples there is no stop string, because a reply may mention a question.
FEW_SHOT_STOPS = ("\n\nQuestion:", "\n\n问题：", "\n\nPassage:")


def folder() -> Path:
    """Return a folder with the files of all tasks, plug-ins included; write it on first use.

    The folder is in the cache and named by the hash of its content. If the cache is not writable, it is in
    the temporary folder.
    """
    wanted = texts(listing.tasks())
    content = sha256("\0".join(part for item in sorted(wanted.items()) for part in item).encode())
    name = content.hexdigest()[:16]
    try:
        return _cached(files.cache_folder() / "tasks" / name, wanted)
    except OSError:
        return _cached(_private_temporary_folder() / name, wanted)


def _cached(path: Path, wanted: Mapping[str, str]) -> Path:
    """Write the folder unless another call or process has done so.

    The files are not flushed to disk, which would take most of the time. They are compared on each call instead.
    """
    with exclusive(path.parent, wait=True):
        if not _holds(path, wanted):
            new = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
            _write_all(new, wanted)
            new.chmod(0o755)
            shutil.rmtree(path, ignore_errors=True)
            new.rename(path)
    return path


def _holds(path: Path, wanted: Mapping[str, str]) -> bool:
    try:
        return all((path / name).read_text(encoding="utf-8") == text for name, text in wanted.items())
    except (FileNotFoundError, UnicodeDecodeError):
        return False


@contextmanager
def temporary_folder(tasks: Iterable[HarnessTask]) -> Iterator[Path]:
    """Yield a folder with the files of only these tasks and their groups, since lm-eval parses every file."""
    wanted = set(tasks)
    with tempfile.TemporaryDirectory(prefix="dnc-tasks-") as name:
        _write_all(Path(name), texts([task for task in listing.tasks() if task in wanted]))
        yield Path(name)


def _private_temporary_folder() -> Path:
    """Return a temporary folder that only this user can write, since lm-eval runs functions in task files."""
    if not hasattr(os, "getuid"):
        return Path(tempfile.mkdtemp(prefix="dnc-tasks-"))
    shared = Path(tempfile.gettempdir()) / f"dnc-tasks-{os.getuid()}"
    shared.mkdir(mode=0o700, exist_ok=True)
    status = shared.lstat()
    if shared.is_symlink() or status.st_uid != os.getuid() or status.st_mode & 0o022:
        return Path(tempfile.mkdtemp(prefix="dnc-tasks-"))
    return shared


def write(path: Path) -> int:
    """Write the files of all tasks into a folder and return their number.

    Task files of an earlier call that no longer belong to the catalogue are removed. Other files are kept.
    """
    wanted = texts(listing.tasks())
    with updated_folder(path, lambda: _generated(path)) as new:
        _write_all(new, wanted)
    return len(wanted)


def _write_all(new: Path, wanted: Mapping[str, str]) -> None:
    for name, text in wanted.items():
        (new / name).parent.mkdir(exist_ok=True)
        (new / name).write_text(text, encoding="utf-8")


def _generated(path: Path) -> Iterable[str]:
    """Yield the files of a folder that an earlier `write` wrote."""
    first = _FIRST_LINE.encode()
    for file in (*path.glob("_*"), *path.glob("*/*.yaml")):
        if file.is_file() and not file.is_symlink():
            with file.open("rb") as opened:
                if opened.read(len(first)) == first:
                    yield file.relative_to(path).as_posix()


def texts(tasks: Sequence[HarnessTask]) -> dict[str, str]:
    """Return the text of every file by its relative path. Base files have no `.yaml` ending."""
    contents = {f"_{prompt}": _base(prompt) for prompt in listing.PROMPTS}
    names: set[str] = set()
    for task in tasks:
        contents[f"{task.variant.dataset}/{task.name}.yaml"] = _task(task)
        names.add(task.name)
    for name, members in listing.groups(tasks).items():
        if name in names:
            raise HarnessError(f"{name} is both a task and a group; rename the dataset or the perturbation")
        contents[f"groups/{name}.yaml"] = _group(name, members)
    return contents


def _base(prompt: str) -> str:
    metrics = "".join(
        f"  - metric: {name}\n"
        "    aggregation: mean\n"
        f"    higher_is_better: {'false' if name in ('not_found', 'truncated') else 'true'}\n"
        for name in listing.SCORES[prompt]
    )
    scoring = prompt if prompt in (listing.EQUATION, listing.GRAPH) else "answer"
    splits = data.splits_for(prompt).__name__
    return (
        f"{_FIRST_LINE}"
        f"custom_dataset: !function dnc_harness.data.{splits}\n"
        "test_split: test\n"
        "fewshot_split: fewshot\n"
        "fewshot_config:\n"
        "  sampler: first_n\n"
        "output_type: generate_until\n"
        f"doc_to_text: !function dnc_harness.prompts.{prompt}\n"
        f"doc_to_target: !function dnc_harness.prompts.{prompt}_target\n"
        "generation_kwargs:\n"
        "  until: []\n"
        "  do_sample: false\n"
        "  temperature: 0.0\n"
        f"  max_gen_toks: {MOST_TOKENS[prompt]}\n"
        f"process_results: !function dnc_harness.scoring.{scoring}\n"
        "metric_list:\n"
        f"{metrics}"
        "metadata:\n"
        f"  version: {VERSION}\n"
    )


def _task(task: HarnessTask) -> str:
    tag = f"tag: {task.tag}\n" if task.tag else ""
    return (
        f"{_FIRST_LINE}include: ../_{task.prompt}\ntask: {task.name}\n{tag}"
        f"dataset_kwargs:\n  config: {task.variant.name}\n"
    )


def _group(name: str, members: list[str]) -> str:
    # No aggregate: one number over originals and several perturbations is meaningless.
    lines = "".join(f"  - {member}\n" for member in members)
    return f"{_FIRST_LINE}group: {name}\ntask:\n{lines}metadata:\n  version: {VERSION}\n"

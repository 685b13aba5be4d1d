"""Writes the task files from the catalogue, and tells when those that are checked in are out of step."""

from __future__ import annotations

from pathlib import Path

from dnc_datasets import atomic
from dnc_harness import listing, tasks_path
from dnc_harness.errors import HarnessError
from dnc_harness.listing import HarnessTask

# Raise it when prompts or scoring change, so that results of different versions are not compared.
VERSION = 1
_FIRST_LINE = "# Written by `dnc tasks --write`; do not edit.\n"

MOST_TOKENS = {listing.DIRECT: 48, listing.COT: 512, listing.EQUATION: 64}


def files() -> dict[str, str]:
    """Every file below the folder of tasks: relative path -> text. Base files have no `.yaml` ending."""
    found = {f"_{prompt}": _base(prompt) for prompt in listing.PROMPTS}
    names: set[str] = set()
    for task in listing.tasks():
        found[f"{task.variant.dataset}/{task.name}.yaml"] = _task(task)
        names.add(task.name)
    for name, members in listing.groups().items():
        if name in names:
            raise HarnessError(f"{name} is both a task and a group; rename the dataset or the perturbation")
        found[f"groups/{name}.yaml"] = _group(name, members)
    return found


def differences(folder: Path | None = None) -> list[str]:
    """What is out of step: files missing, changed or left over; empty where all is well."""
    folder = folder or tasks_path()
    wanted = files()
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    missing = [f"missing: {name}" for name in sorted(wanted.keys() - there)]
    extra = [f"left over: {name}" for name in sorted(there - wanted.keys())]
    changed = [
        f"changed: {name}"
        for name in sorted(wanted.keys() & there)
        if (folder / name).read_text(encoding="utf-8") != wanted[name]
    ]
    return missing + extra + changed


def write(folder: Path | None = None) -> int:
    """Bring the folder in step; returns the number of files."""
    folder = folder or tasks_path()
    wanted = files()
    for change in differences(folder):
        kind, _, name = change.partition(": ")
        if kind == "left over":
            (folder / name).unlink()
        else:
            atomic.write_text(folder / name, wanted[name])
            (folder / name).chmod(0o644)
    for left in sorted(folder.iterdir()):
        if left.is_dir() and not any(left.iterdir()):
            left.rmdir()
    return len(wanted)


def _base(prompt: str) -> str:
    metrics = "".join(
        f"  - metric: {name}\n"
        "    aggregation: mean\n"
        f"    higher_is_better: {'false' if name == 'not_found' else 'true'}\n"
        for name in listing.SCORES[prompt]
    )
    scoring = "equation" if prompt == listing.EQUATION else "answer"
    splits = "equation_splits" if prompt == listing.EQUATION else "splits"
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
        "  until:\n"
        '    - "Question:"\n'
        '    - "问题："\n'
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
    # No aggregate: one number over originals and several perturbations would say nothing.
    lines = "".join(f"  - {member}\n" for member in members)
    return f"{_FIRST_LINE}group: {name}\ntask:\n{lines}metadata:\n  version: {VERSION}\n"

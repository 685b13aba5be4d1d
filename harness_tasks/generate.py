"""Writes the task files from the catalogue, and tells when those that are checked in are out of step."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from dnc_datasets import atomic, files, perturbations, sources
from dnc_harness import data, listing
from dnc_harness.errors import HarnessError
from dnc_harness.listing import HarnessTask

# Raise it when prompts or scoring change, so that results of different versions are not compared.
VERSION = 2
_FIRST_LINE = "# Written by `dnc tasks --write`; do not edit.\n"

# The files that are checked in: those of our own datasets and perturbations.
OWN = Path(__file__).resolve().parent / "tasks"

# Tokens of a reply by what is asked for; a model that thinks before it replies needs its own limit.
MOST_TOKENS = {listing.DIRECT: 32, listing.COT: 1024, listing.EQUATION: 64, listing.GRAPH: 128}
REASONING_TOKENS = 8192
# Where worked examples stand before a question, a base model goes on with a question of its own: it is
# stopped there. Without examples nothing is a stop string, since a reply may well speak of a question.
FEW_SHOT_STOPS = ("\n\nQuestion:", "\n\n问题：", "\n\nPassage:")


def folder() -> Path:
    """The folder of all tasks; it is made in the cache, by its content, where plug-ins add to ours."""
    if all(map(_is_own, listing.tasks())):
        return OWN
    wanted = texts(listing.tasks())
    content = sha256("\0".join(part for item in sorted(wanted.items()) for part in item).encode())
    made = files.cache_folder() / "tasks" / content.hexdigest()[:16]
    with atomic.one_at_a_time(made.parent):
        if not made.is_dir():
            with atomic.replaced_folder(made) as new:
                for name, text in wanted.items():
                    (new / name).parent.mkdir(exist_ok=True)
                    (new / name).write_text(text, encoding="utf-8")
    return made


def _is_own(task: HarnessTask) -> bool:
    variant = task.variant
    steps = filter(None, variant.recipe.split("+"))
    return sources.is_own(variant.dataset) and all(map(perturbations.is_own, steps))


def texts(tasks: Sequence[HarnessTask]) -> dict[str, str]:
    """Every file of a folder of tasks: relative path -> text. Base files have no `.yaml` ending."""
    found = {f"_{prompt}": _base(prompt) for prompt in listing.PROMPTS}
    names: set[str] = set()
    for task in tasks:
        found[f"{task.variant.dataset}/{task.name}.yaml"] = _task(task)
        names.add(task.name)
    for name, members in listing.groups(tasks).items():
        if name in names:
            raise HarnessError(f"{name} is both a task and a group; rename the dataset or the perturbation")
        found[f"groups/{name}.yaml"] = _group(name, members)
    return found


def own() -> dict[str, str]:
    """The files of our own tasks, which are checked in."""
    return texts([task for task in listing.tasks() if _is_own(task)])


def differences(folder: Path = OWN) -> list[str]:
    """What is out of step: files missing, changed or left over; empty where all is well."""
    wanted = own()
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    missing = [f"missing: {name}" for name in sorted(wanted.keys() - there)]
    extra = [f"left over: {name}" for name in sorted(there - wanted.keys())]
    changed = [
        f"changed: {name}"
        for name in sorted(wanted.keys() & there)
        if (folder / name).read_text(encoding="utf-8") != wanted[name]
    ]
    return missing + extra + changed


def write(folder: Path = OWN) -> int:
    """Bring the folder in step; returns the number of files."""
    wanted = own()
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
    # No aggregate: one number over originals and several perturbations would say nothing.
    lines = "".join(f"  - {member}\n" for member in members)
    return f"{_FIRST_LINE}group: {name}\ntask:\n{lines}metadata:\n  version: {VERSION}\n"

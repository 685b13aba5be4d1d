"""`eval.yaml` of a built folder: the configs that make sense as a benchmark on the Hub.

The Hub runs it with inspect_ai (`inspect eval hf/OWNER/NAME`) without our code, so it names inspect's own
scorer `match`. This scorer compares five significant digits, does not round, and matches entire words. The
file lists only configs in which it gives a perfect model 100.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from dnc_datasets import filesystem
from dnc_datasets.perturbations import Capability
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.checksums import Checksums, table

FILE_NAME = "eval.yaml"
_FIRST_LINE = "# Written by `dnc build`.\n"
# Perturbations of each capability that do not mislead a reader who understands.
_CHOSEN = {
    Capability.NUMBER_DETECTION: ("language_plausible", "type"),
    Capability.VALUE_UNDERSTANDING: ("noise_plausible", "distribution_plausible"),
    Capability.OPERAND_SELECTION: ("verbosity_plausible", "extra_plausible", "noop"),
    Capability.OPERATION_REASONING: ("logic", "order", "reverse", "relation"),
}
_PLAIN_NUMBER = re.compile(r"-?(?:\d{1,5}|\d{1,4}\.\d|\d{1,3}\.\d\d)")
# Letters and single blanks: the scorer drops punctuation in a target, but not in the reply.
_PLAIN_WORDS = re.compile(r"[^\W\d_]+(?:[ ][^\W\d_]+){0,8}", re.ASCII)
_HEAD = """\
name: DNC
description: >-
  Word problems and other questions over numbers, each in its original form and with one numerical capability
  put to the test (number detection, value understanding, operand selection, operation reasoning).
evaluation_framework: inspect-ai
tasks:
"""
_TASK = """\
- id: {id}
  config: {config}
  split: test
  field_spec:
    input: prompt
    target: target
    metadata: [id, perturbed]
  solvers:
  - name: prompt_template
    args:
      template: "{{prompt}}\\n\\nWork it out step by step. Then end with the line \\"The answer is X.\\", {how}."
  - name: generate
  scorers:
  - name: match
    args:
      numeric: true
"""
_NUMBER = "with the number alone, not rounded, for X"
_ANY = "with the answer alone for X, or unknown if the text does not tell"


def is_plain(target: str) -> bool:
    """Return whether `match(numeric=True)` finds exactly this target in "The answer is X.".

    >>> [is_plain(target) for target in ("12", "-2.5", "yes", "Kim Lee", "123456", "5/6", "0.125", "U.S.")]
    [True, True, True, True, False, False, False, False]
    """
    return bool(_PLAIN_NUMBER.fullmatch(target) or _PLAIN_WORDS.fullmatch(target))


def tasks(found: Checksums, folders: Iterable[Path]) -> list[Variant]:
    """Return the listed configs, from the Parquet files in the first folder that has them."""
    places = list(folders)
    return [
        variant
        for variant in map(catalogue.find, sorted(found.configs))
        if _makes_sense(variant) and _all_plain(variant, places)
    ]


def text(variants: Iterable[Variant]) -> str:
    """Return the text of the file, or "" where there is no task."""
    entries = [
        _TASK.format(
            id=task_id(variant.name),
            config=variant.name,
            how=_NUMBER if variant.source.numeric else _ANY,
        )
        for variant in variants
    ]
    return f"{_FIRST_LINE}{_HEAD}{''.join(entries)}" if entries else ""


def task_id(config: str) -> str:
    """Return the name of a config as a task."""
    return config.replace("-", "_")


def is_ours(folder: Path) -> bool:
    """Return whether a build wrote the folder's file."""
    try:
        with filesystem.open_regular(folder / FILE_NAME) as file:
            return file.readline(len(_FIRST_LINE) + 1).decode("utf-8") == _FIRST_LINE
    except (OSError, ValueError):
        return False


def _makes_sense(variant: Variant) -> bool:
    if variant.source.language != "en" or variant.fold:
        return False
    return not variant.recipe or (
        variant.setting == "attack" and any(variant.recipe in names for names in _CHOSEN.values())
    )


def _all_plain(variant: Variant, folders: Iterable[Path]) -> bool:
    import pyarrow.parquet as pq

    name = table(variant.name, "test")
    path = next((folder / name for folder in folders if (folder / name).is_file()), None)
    if path is None:
        return False
    with pq.ParquetFile(path) as file:
        batches = file.iter_batches(columns=["target"])
        return all(is_plain(target) for batch in batches for target in batch["target"].to_pylist())

"""Logs of other programs as replies to our rows: a plain lm-eval output folder with samples, inspect_ai logs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dnc_datasets import json_lines
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant
from dnc_harness import data, listing, recording
from dnc_harness.errors import HarnessError
from dnc_harness.recording import Replies, Reply
from dnc_leaderboard.making import Asked

# What lm-eval calls the samples of a task: samples_dnc_tiny_original_2026-11-16T10-00-00.000000.jsonl
_SAMPLES = re.compile(r"samples_(?P<task>.{1,200})_(?P<time>\d{4}-\d\d-\d\dT[\d.-]{1,40})\.jsonl")
_SHOWN = ("body", "question", "answer")


@dataclass(frozen=True)
class Logged:
    """A config as a log has it: the way it was asked, the replies, and the rows that were shown."""

    variant: Variant
    prompt: str
    replies: Replies
    shown: Mapping[str, Mapping[str, Any]]

    def asked(self, built: Path) -> Asked:
        """The replies scored, once the rows are known to be ours of today."""
        rows = {row["id"]: row for row in data.test_records(self.variant, built)}
        for row_id, doc in self.shown.items():
            row = rows.get(row_id)
            if row is None or any(name in doc and doc[name] != row[name] for name in _SHOWN):
                raise HarnessError(
                    f"{self.variant.name}: row {row_id} of the log is not the row that `dnc` makes today; the log is "
                    "of another version, seed or build. Run it again, or give the folder of its build as --data"
                )
        return recording.asked(self.variant, self.prompt, self.replies, built)


def lm_eval(folder: Path) -> tuple[str, list[Logged]]:
    """The name of the model, and every config of ours in a folder that `lm_eval --log_samples` wrote.

    Of several runs of a task the latest is taken.
    """
    if not folder.is_dir():
        raise HarnessError(
            f"there is no folder {folder}; give what `lm_eval --log_samples --output_path` wrote"
        )
    known = {task.name: task for task in listing.tasks()}
    latest: dict[str, tuple[str, Path]] = {}
    for path in sorted(folder.rglob("samples_*.jsonl")):
        found = _SAMPLES.fullmatch(path.name)
        if found and found["task"] in known:
            latest[found["task"]] = max(latest.get(found["task"], ("", path)), (found["time"], path))
    if not latest:
        raise HarnessError(
            f"{folder} holds no samples of a DNC task; run lm_eval with --log_samples and --output_path"
        )
    made = []
    for name, (_, path) in latest.items():
        replies: dict[str, list[Reply]] = {}
        shown = {}
        for number, sample in json_lines.objects(path, error=HarnessError):
            try:
                doc, said = sample["doc"], sample["resps"][0]
                row = str(doc["id"])
                texts = [said] if isinstance(said, str) else [str(text) for text in said]
            except (KeyError, IndexError, TypeError) as error:
                raise HarnessError(f"{path}, line {number}: no sample of lm-eval ({error!r})") from error
            if row in replies:
                raise HarnessError(
                    f"{path}, line {number}: row {row} is there twice; keep one sample for each row"
                )
            replies[row], shown[row] = [Reply(text) for text in texts], doc
        made.append(Logged(known[name].variant, known[name].prompt, replies, shown))
    newest = max(path for _, path in latest.values())
    return newest.parent.name, sorted(made, key=lambda one: bool(one.variant.recipe))


def inspect(paths: list[Path]) -> tuple[str, list[Logged]]:
    """The name of the model, and the configs of inspect_ai logs of our task; epochs are replies to one row."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError as error:
        raise HarnessError("inspect logs need inspect_ai: pip install inspect_ai") from error
    made, names = [], []
    for path in paths:
        if not path.is_file():
            raise HarnessError(f"there is no file {path}; give a log of inspect_ai (.eval or .json)")
        try:
            log = read_eval_log(str(path))
        except Exception as error:
            raise HarnessError(f"{path} is no log of inspect_ai: {error}") from error
        arguments = log.eval.task_args
        if not str(log.eval.task).rpartition("/")[2].startswith("dnc_") or not log.samples:
            raise HarnessError(f"{path} is no finished log of dnc_harness/inspect.py@dnc")
        replies: dict[str, list[Reply]] = {}
        shown = {}
        for sample in sorted(log.samples, key=lambda one: one.epoch):
            output = sample.output
            cut_off = bool(output.choices) and output.stop_reason == "max_tokens"
            replies.setdefault(str(sample.id), []).append(Reply(output.completion, cut_off))
            shown[str(sample.id)] = sample.metadata or {}
        prompt = str(arguments.get("prompt", listing.DIRECT))
        made.append(Logged(catalogue.find(str(arguments.get("config", "tiny"))), prompt, replies, shown))
        names.append(str(log.eval.model))
    if len(set(names)) > 1:
        raise HarnessError(
            f"the logs are of several models ({', '.join(dict.fromkeys(names))}); score each alone"
        )
    return names[0], sorted(made, key=lambda one: bool(one.variant.recipe))

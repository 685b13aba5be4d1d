"""Logs of other programs as replies to DNC rows: an lm-eval output folder with samples, inspect_ai logs."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dnc_datasets import escaping, extras, filesystem, json_lines, untrusted
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant
from dnc_harness import data, listing, recording
from dnc_harness.errors import HarnessError
from dnc_harness.recording import Reply
from dnc_harness.server_replies import of_inspect
from dnc_metrics.record_builder import Asked
from dnc_metrics.spool import Spool

# The file name of a task's samples: samples_dnc_tiny_original_2026-11-16T10-00-00.000000.jsonl
_SAMPLES = re.compile(r"samples_(?P<task>.{1,200})_(?P<time>\d{4}-\d\d-\d\dT[\d.-]{1,40})\.jsonl")
_SHOWN = ("body", "question", "answer")
_MAX_NAME = 80  # maximum number of characters of an unknown name in an error
_MAX_REASON = 300
_PART = 1 << 20  # number of bytes that are unpacked at a time


@dataclass(frozen=True)
class Logged:
    """A config in a log: its prompt, the replies, and the rows that the model read."""

    variant: Variant
    prompt: str
    replies: dict[str, list[Reply]]
    shown: dict[str, Mapping[str, Any]]

    def asked(self, built: Path, spool: Spool | None = None) -> Asked:
        """Score the replies after checking that the rows are current; with a spool, its file stores them."""
        rows = {row["id"]: row for row in data.test_records(self.variant, built)}
        for row_id, doc in self.shown.items():
            row = rows.get(row_id)
            if row is None or any(name in doc and doc[name] != row[name] for name in _SHOWN):
                raise HarnessError(
                    f"{self.variant.name}: row {row_id} of the log is not the row that `dnc` makes today; the log is "
                    "of another version, seed or build. Run it again, or give the folder of its build as --built"
                )
        return recording.asked(self.variant, self.prompt, self.replies, built, spool=spool)


def lm_eval(folder: Path) -> tuple[str, list[Logged]]:
    """Return the model's name, and each DNC config in a folder that `lm_eval --log_samples` wrote.

    Of several runs of a task, the latest counts.
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
    for name, (time, path) in latest.items():
        replies: dict[str, list[Reply]] = {}
        shown = {}
        is_api = _is_of_an_api(path, time)
        for number, sample in json_lines.objects(path, error=HarnessError, exact=True):
            try:
                doc, said = sample["doc"], sample["resps"][0]
                row = str(doc["id"])
                texts = [said] if said is None or isinstance(said, str) else list(said)
            except (KeyError, IndexError, TypeError) as error:
                raise HarnessError(f"{path}, line {number}: no sample of lm-eval ({error!r})") from error
            if row in replies:
                raise HarnessError(
                    f"{path}, line {number}: row {row} is there twice; keep one sample for each row"
                )
            replies[row], shown[row] = [_reply(text, is_api) for text in texts], doc
        made.append(Logged(known[name].variant, known[name].prompt, replies, shown))
    newest = max(path for _, path in latest.values())
    return newest.parent.name, sorted(made, key=lambda one: bool(one.variant.recipe))


def _reply(text: Any, is_api: bool) -> Reply:
    """Return the reply of a sample. Of an API, lm-eval writes null and filtered replies as empty text."""
    if text is None:
        return Reply("", fault="null reply")
    if text == "" and is_api:
        return Reply("", fault="empty in a log of lm-eval, which writes null and filtered replies so")
    return Reply(str(text))


def _is_of_an_api(samples: Path, time: str) -> bool:
    """Return whether the model was an API, by the results file of lm-eval beside the samples."""
    try:
        data = filesystem.read_regular(samples.parent / f"results_{time}.json")
        backend = str(
            untrusted.parse(data, "results", max_bytes=untrusted.MAX_BYTES, exact=True)["config"]["model"]
        )
    except (OSError, DncError, LookupError, TypeError):
        return False
    return backend.endswith("completions") or backend.startswith(("openai", "anthropic"))


def _size(path: Path) -> int:
    """Return the unpacked size of a log in bytes; counting stops above the limit.

    The size that an archive states for a member is used only if the member cannot be unpacked here.
    """
    if not zipfile.is_zipfile(path):
        return path.stat().st_size
    size = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    size += member.file_size
                    continue
                member.file_size, member.CRC = untrusted.MAX_BYTES + 1, None  # type: ignore[assignment]
                with archive.open(member) as file:
                    while size <= untrusted.MAX_BYTES and (part := file.read(_PART)):
                        size += len(part)
    except (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise HarnessError(f"{path} is a damaged archive ({error}); copy it once more") from error
    return size


def inspect(paths: list[Path]) -> tuple[str, list[Logged]]:
    """Return the model's name, and the configs of inspect_ai logs of our task; epochs are several replies."""
    try:
        from inspect_ai.log import read_eval_log
    except ImportError as error:
        raise HarnessError(f"inspect logs need inspect_ai: {extras.command('inspect')}") from error
    made: list[Logged] = []
    names: list[str] = []
    for path in paths:
        if not path.is_file():
            raise HarnessError(f"there is no file {path}; give a log of inspect_ai (.eval or .json)")
        if _size(path) > untrusted.MAX_BYTES:
            raise HarnessError(f"{path} has more than {untrusted.MAX_BYTES} bytes; score parts of it")
        try:
            log = read_eval_log(str(path))
        except Exception as error:
            reason = escaping.line(str(error))[:_MAX_REASON]
            raise HarnessError(f"{path} is no log of inspect_ai: {reason}") from error
        arguments = log.eval.task_args
        if not str(log.eval.task).rpartition("/")[2].startswith("dnc_") or not log.samples:
            raise HarnessError(f"{path} is no finished log of a task of dnc_harness")
        prompt = str(arguments.get("prompt", listing.DIRECT))
        if prompt not in listing.PROMPTS:
            raise UnknownNameError("prompt", prompt[:_MAX_NAME], listing.PROMPTS)
        configs: dict[str, Logged] = {}
        for sample in sorted(log.samples, key=lambda one: one.epoch):
            row = sample.metadata or {}
            # A capability task has several configs, which its samples name.
            config = str(row.get("config") or arguments.get("config", "tiny"))
            if config not in configs:
                configs[config] = Logged(catalogue.find(config), prompt, {}, {})
            name = str(row.get("id", sample.id) if "config" in row else sample.id)
            reply = of_inspect(sample.output, sample.error)
            configs[config].replies.setdefault(name, []).append(Reply(str(reply), reply.cut_off, reply.fault))
            configs[config].shown[name] = row
        made += configs.values()
        names.append(str(log.eval.model))
    if len(set(names)) > 1:
        raise HarnessError(
            f"the logs are of several models ({', '.join(dict.fromkeys(names))}); score each alone"
        )
    return names[0], sorted(made, key=lambda one: bool(one.variant.recipe))

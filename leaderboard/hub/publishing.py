"""Results in external forms: the Hub's `.eval_results`, a `model-index`, and every_eval_ever.

A record contains more than any of these forms. Each gets the part that it can represent correctly. The Hub's
leaderboard only gets the results of its own scorer (see `dnc_datasets.serving.benchmark`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from dnc_datasets import extras, filesystem
from dnc_datasets.errors import DncError
from dnc_datasets.owned_folder import OwnedFolder
from dnc_datasets.serving import benchmark, checksums, rows
from dnc_leaderboard.hub import every_eval_ever
from dnc_metrics.errors import RecordError
from dnc_metrics.record import Cell, Outcome, Record, by_cell
from dnc_metrics.record_builder import MAX_REPLY

ENTRIES, INDEX, CARD = ".eval_results/dnc.yaml", "model-index.yaml", "README.md"
_NAME = re.compile(r"[\w][\w.-]{0,95}/[\w][\w.-]{0,95}", re.ASCII)
Systems = Sequence[tuple[Record, Sequence[Outcome]]]


class PublishError(DncError, ValueError):
    """Raised for results that cannot be published as requested."""


@dataclass(frozen=True)
class Published:
    """The files that were written, and the omissions with their reasons."""

    files: tuple[Path, ...]
    left_out: tuple[str, ...]


def repository(name: str) -> str:
    """Return the name of a repository in the Hub's form, or raise an error."""
    if not _NAME.fullmatch(name) or ".." in name or "--" in name:
        raise PublishError(f"{name!r:.120} is no repository of the Hub; write it as OWNER/NAME")
    return name


def _adopts(folder: Path) -> list[str]:
    """Return the files of a folder that a version without marks published, by a text in it."""
    try:
        if (folder / every_eval_ever.MARK).read_bytes() != every_eval_ever.ABOUT.encode():
            return []
    except OSError:
        return []
    return [file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()]


def publish(
    systems: Systems,
    model: str,
    dataset: str,
    out: Path,
    *,
    data: Path,
    date: datetime,
    card: Path | None = None,
    force: bool = False,
) -> Published:
    """Write the results of one model (its records) into the folder `out`.

    `dataset` is the repository that holds the built folder `data`. `card` is the model's own README.md; its
    metadata gets the model-index, and its text remains unchanged.
    """
    import yaml
    from huggingface_hub import eval_result_entries_to_yaml

    repository(model), repository(dataset)
    systems = _single_system(systems)
    left_out: list[str] = []
    entries: dict[str, Any] = {}
    for found, outcomes in systems:
        for one in _entries(found, outcomes, dataset, data, date, left_out):
            if entries.setdefault(one.task_id, one) is not one:
                left_out.append(f"{one.task_id} with another prompt: a task has one value, that of the first")
    texts = {}
    if entries:
        texts[ENTRIES] = yaml.safe_dump(eval_result_entries_to_yaml(list(entries.values())), sort_keys=False)
    index = model_index([found for found, _ in systems], model, dataset)
    texts[INDEX] = yaml.safe_dump({"model-index": index}, sort_keys=False, allow_unicode=True)
    if card is not None:
        texts[CARD] = _with_index(card, index)
    for found, _ in systems:
        name, value = every_eval_ever.document(found, model, dataset, date)
        texts[name] = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    texts[every_eval_ever.MARK] = every_eval_ever.ABOUT
    with OwnedFolder(out, "dnc publish", names=texts, adopts=_adopts, force=force) as folder:
        for name, text in texts.items():
            folder.write_text(name, text)
    return Published(tuple(out / name for name in texts), tuple(left_out))


def _single_system(systems: Systems) -> Systems:
    """Return the records with each config once; raise for several systems, or for two results of a config."""
    names = dict.fromkeys(_system_label(found) for found, _ in systems)
    if len(names) > 1:
        raise PublishError(
            f"the records are of different systems ({', '.join(names)}); publish one model at a time. If they are "
            "the same model, score them under one --name"
        )
    seen: dict[str, Cell] = {}
    merged = []
    for found, outcomes in systems:
        for cell in found.cells:
            if cell != seen.get(cell.key, cell):
                asked = f"{cell.config} ({cell.prompt})" if cell.prompt else cell.config
                raise PublishError(
                    f"two records of {found.system.name} have results on {asked}, and they differ; give the record "
                    "that counts"
                )
        new = tuple(cell for cell in found.cells if cell.key not in seen)
        seen |= {cell.key: cell for cell in new}
        if new:
            merged.append((replace(found, cells=new), outcomes))
    return merged


def _system_label(result: Record) -> str:
    revision = result.system.revision
    return f"{result.system.name} at revision {revision}" if revision else result.system.name


def _entries(
    result: Record, outcomes: Sequence[Outcome], dataset: str, data: Path, date: datetime, left_out: list[str]
) -> Iterator[Any]:
    """Yield an entry for each complete cell that is a task of `eval.yaml`, with inspect's score."""
    from huggingface_hub import EvalResultEntry

    if not (data / checksums.FILE_NAME).is_file():
        left_out.append(f"the Hub's leaderboard: there is no built folder {data}; name it with --built")
        return
    listed = {variant.name for variant in benchmark.tasks(checksums.read(data), (data,))}
    replies = by_cell(outcomes)
    for cell in result.cells:
        if cell.config not in listed or cell.prompt == "equation":
            continue
        stored = rows.read(data / checksums.table(cell.config, "test"))
        own_replies = {one.id: one.reply for one in replies.get(cell.key, ())}
        if reason := _omission_reason(cell, stored, own_replies):
            left_out.append(f"{cell.config}: {reason}")
            continue
        value = match_accuracy([(row["target"], own_replies[row["id"]]) for row in stored])
        yield EvalResultEntry(
            dataset_id=dataset,
            task_id=benchmark.task_id(cell.config),
            value=round(100 * value, 4),
            date=date.strftime("%Y-%m-%dT%H:%M:%SZ"),
            notes=f"{result.made.command} {result.made.version}, prompt {cell.prompt}, scored by inspect_ai's match",
        )


def _omission_reason(cell: Cell, stored: Sequence[Mapping[str, Any]], own_replies: Mapping[str, str]) -> str:
    if cell.data.get("sha256") != rows.digest({"test": stored}):
        return "it was scored on other rows than those of the built folder"
    if {row["id"] for row in stored} != set(own_replies):
        return f"{len(own_replies)} of {len(stored)} rows were asked; a leaderboard needs all"
    if any(len(reply) >= MAX_REPLY for reply in own_replies.values()):
        return "replies were cut, and the scorer reads their end"
    return ""


def model_index(records: Sequence[Record], model: str, dataset: str) -> list[dict[str, Any]]:
    """Return accuracies of every cell and drops of every table in the form of the Hub's model cards."""
    from huggingface_hub import EvalResult
    from huggingface_hub.repocard_data import eval_results_to_model_index

    results = []
    counts = Counter(cell.config for found in records for cell in found.cells)
    for found in records:
        for cell in found.cells:
            # All results of one config share one name; if there are several prompts, the metric names state
            # them.
            prompt = f" (prompt {cell.prompt})" if counts[cell.config] > 1 else ""
            place: dict[str, Any] = {
                "task_type": "question-answering",
                "dataset_type": dataset,
                "dataset_name": f"DNC {cell.config}" + ("" if prompt else f" ({cell.prompt or 'trained'})"),
                "dataset_config": cell.config,
                "dataset_split": "test",
            }
            accuracy = 100 * cell.scores.get(cell.score, 0.0)
            results.append(
                EvalResult(
                    metric_type="accuracy",
                    metric_name=f"{cell.score}{prompt}",
                    metric_value=round(accuracy, 2),
                    **place,
                )
            )
            line = drop_of(found, cell)
            if line is not None and line.drop is not None:
                name = f"drop in points on {line.n} changed rows: {line.verdict}{prompt}"
                results.append(
                    EvalResult(
                        metric_type="drop", metric_name=name, metric_value=round(100 * line.drop, 2), **place
                    )
                )
    index: list[dict[str, Any]] = eval_results_to_model_index(model.rpartition("/")[2], results)
    return index


def drop_of(found: Record, cell: Cell) -> Any:
    """Return the line of a table that compares this cell with its original, or None."""
    for table in found.tables:
        if (table.dataset, table.fold, table.setting, table.prompt) == (
            cell.dataset,
            cell.fold,
            cell.setting,
            cell.prompt,
        ):
            for line in table.lines:
                if not line.is_capability and line.name == cell.perturbation:
                    return line
    return None


def _with_index(card: Path, index: list[dict[str, Any]]) -> str:
    """Return the model's card with this model-index in its metadata; results of other datasets remain."""
    import yaml

    try:
        text = filesystem.read_regular_text(card)
    except (OSError, UnicodeDecodeError) as error:
        raise PublishError(f"{card} cannot be read as a model card: {error}") from error
    header: Any = {}
    body = text
    if text.startswith("---\n") and (end := text.find("\n---\n", 3)) >= 0:
        try:
            header, body = yaml.safe_load(text[4:end]) or {}, text[end + 5 :]
        except (ValueError, RecursionError, yaml.YAMLError) as error:
            raise PublishError(f"{card}: its metadata is no YAML ({error})") from error
    if not isinstance(header, dict):
        raise PublishError(f"{card}: its metadata is no mapping")
    ours = {result["dataset"]["type"] for entry in index for result in entry["results"]}
    before = header.get("model-index") or [{"name": index[0]["name"] if index else "", "results": []}]
    if not _is_index(before):
        raise PublishError(f"{card}: its model-index is no list of models with results; correct or remove it")
    kept = [
        result
        for entry in before
        for result in entry.get("results") or ()
        if (result.get("dataset") or {}).get("type") not in ours
    ]
    new = [result for entry in index for result in entry["results"]]
    header["model-index"] = [{"name": before[0].get("name", ""), "results": [*kept, *new]}]
    return f"---\n{yaml.safe_dump(header, sort_keys=False, allow_unicode=True)}---\n{body}"


def _is_index(value: Any) -> bool:
    """Return whether metadata has the shape of a model-index: models, their results, and the datasets."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        return False
    results = [entry.get("results") or [] for entry in value]
    if not all(isinstance(some, list) and all(isinstance(one, dict) for one in some) for some in results):
        return False
    datasets = [one.get("dataset") or {} for some in results for one in some]
    return all(isinstance(one, dict) and isinstance(one.get("type", ""), str) for one in datasets)


def date_of(paths: Sequence[Path]) -> datetime:
    """Return the modification time of the newest of these records."""
    from dnc_metrics import record

    files = [path / record.FILE_NAME if path.is_dir() else path for path in paths]
    try:
        newest = max(file.stat().st_mtime for file in files)
    except (OSError, ValueError) as error:
        raise RecordError(f"there is no record to publish: {error}") from error
    return datetime.fromtimestamp(newest, timezone.utc)


class MissingScorerError(DncError, ImportError):
    """Raised when inspect_ai, whose scorer is needed, is not installed."""


def match_accuracy(pairs: Sequence[tuple[str, str]]) -> float:
    """Return the share of replies that match, of pairs of target and reply."""
    try:
        import anyio
        from inspect_ai.model import ModelName, ModelOutput
        from inspect_ai.scorer import CORRECT, Target, match
        from inspect_ai.solver import TaskState
    except ImportError as error:
        raise MissingScorerError(
            f"the Hub's leaderboard shows the scores of inspect_ai, which is not installed: {extras.command('inspect')}"
        ) from error
    score = match(numeric=True)

    async def right() -> int:
        count = 0
        for at, (target, reply) in enumerate(pairs):
            output = ModelOutput.from_content("replies", reply)
            state = TaskState(ModelName("none/replies"), at, 1, "", [], output=output)
            found = await score(state, Target(target))
            count += found is not None and found.value == CORRECT
        return count

    return anyio.run(right) / len(pairs) if pairs else 0.0

"""Run: attack every problem of a split, with a journal to resume from. The result is a dataset."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dnc_datasets import escaping, filesystem, json_lines, secrets, untrusted
from dnc_datasets.attack import models, transformation
from dnc_datasets.attack.attempt import Attempt, Settings, attempt
from dnc_datasets.errors import DncError
from dnc_datasets.folder_update import updated_folder
from dnc_datasets.owned_folder import OwnedFolder
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import Problem, from_row
from dnc_datasets.serving import rows
from dnc_datasets.serving.catalogue import Variant
from dnc_datasets.serving.settings import Row

CONFIG = "adversarial"
_JOURNAL, _REPORT, _CARD = "journal.jsonl", "report.json", "README.md"
_MAX_HEAD = 1 << 20  # bytes of the journal's first line
# Problems that are attacked at the same time, so that a model gets their texts in one batch.
_TOGETHER = 16


@dataclass
class Report:
    """The figures of an attack."""

    outcomes: list[Attempt] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """The accuracy before and under attack, flips, queries, and queries for each flip."""
        total = len(self.outcomes)
        right = sum(outcome.right for outcome in self.outcomes)
        flips = sum(outcome.flipped for outcome in self.outcomes)
        queries = sum(outcome.queries for outcome in self.outcomes)
        return {
            "problems": total,
            "right": right,
            "flipped": flips,
            "accuracy": right / total if total else 0.0,
            "accuracy_under_attack": (right - flips) / total if total else 0.0,
            "queries": queries,
            "queries_per_success": queries / flips if flips else None,
        }


def attack(
    problems: Sequence[Problem],
    model: models.Model,
    settings: Settings,
    out: Path | None = None,
    progress: Callable[[], object] | None = None,
) -> Report:
    """Attack all problems. With `out`, the results are kept in that folder and not computed twice.

    The folder then holds the adversarial set as a dataset. It has all problems in their order, the flipped
    ones in their adversarial form, with their ids, equations and answers. While the attack runs, no other
    process may write to the folder.
    """
    if out is None:
        return _attack(problems, model, settings, None, progress)
    table = f"{CONFIG}/{settings.split}.parquet"
    with OwnedFolder(
        out, "dnc research attack", names=(_JOURNAL, _REPORT, _CARD, CONFIG, table), adopts=_adopts
    ) as folder:
        return _attack(problems, model, settings, folder, progress)


def _adopts(out: Path) -> Iterator[str]:
    """Yield the files of an attack that a version without marks wrote.

    Its journal begins with the settings.
    """
    try:
        with filesystem.open_regular(out / _JOURNAL) as file:
            settings = json.loads(file.readline(_MAX_HEAD))
        if not isinstance(settings, dict) or not settings.keys() >= {"dataset", "model", "search"}:
            return
    except (OSError, ValueError, RecursionError):
        return
    yield from (_JOURNAL, _REPORT, _CARD)
    yield from (f"{CONFIG}/{file.name}" for file in (out / CONFIG).glob("*.parquet"))


def _attack(
    problems: Sequence[Problem],
    model: models.Model,
    settings: Settings,
    out: OwnedFolder | None,
    progress: Callable[[], object] | None,
) -> Report:
    done = _resumed(out, settings) if out else {}
    neighbours = Neighbours(problems, seed=settings.seed, dataset=settings.dataset)
    missing = [problem for problem in problems if problem.id not in done]
    if progress:
        for _ in range(len(problems) - len(missing)):
            progress()
    attempts = (attempt(problem, settings, neighbours) for problem in missing)
    for outcome in _together(attempts, model, settings.model):
        done[outcome.id] = outcome
        if out:
            _append(out.path / _JOURNAL, asdict(outcome))
        if progress:
            progress()
    report = Report([done[problem.id] for problem in problems])
    if out:
        _write(out, problems, settings, report)
    return report


def _together(
    attempts: Iterator[Generator[list[str], list[str], Attempt]], model: models.Model, name: str
) -> Iterator[Attempt]:
    """Yield the outcomes of all attempts as they are completed.

    Several attempts run at a time and share queries.
    """
    going: list[tuple[Generator[list[str], list[str], Attempt], list[str]]] = []
    while True:
        going += [(one, next(one)) for one in itertools.islice(attempts, _TOGETHER - len(going))]
        if not going:
            return
        answers = iter(models.ask(model, [text for _, texts in going for text in texts], name))
        still = []
        for one, texts in going:
            try:
                still.append((one, one.send([next(answers) for _ in texts])))
            except StopIteration as end:
                yield end.value
        going = still


def _resumed(out: OwnedFolder, settings: Settings) -> dict[str, Attempt]:
    """Return the outcomes of an earlier run with the same settings.

    Another attack in the folder is an error.
    """
    path = out.path / _JOURNAL
    out.claim(_JOURNAL)
    head = json.dumps(asdict(settings), sort_keys=True)
    if not path.exists():
        out.write_text(_JOURNAL, head + "\n")
        return {}
    first, *lines = path.read_bytes().splitlines() or [b""]
    if first != head.encode():
        shown = first.decode("utf-8", "replace")
        raise DncError(f"{out.path} holds another attack ({shown}); choose another folder with --out")
    attempts = [
        untrusted.convert(value, Attempt, f"{path}: an attempt", DncError)
        for value in json_lines.unbroken(lines)
    ]
    done = {attempt.id: attempt for attempt in attempts}
    if len(done) != len(lines):
        kept = [json.dumps(asdict(outcome), ensure_ascii=False) for outcome in done.values()]
        out.write_text(_JOURNAL, "\n".join([head, *kept]) + "\n")
    return done


def _append(path: Path, record: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(secrets.file_cleaner()(json.dumps(record, ensure_ascii=False)) + "\n")


def _write(out: OwnedFolder, problems: Sequence[Problem], settings: Settings, report: Report) -> None:
    """Write Parquet, card and report.

    `load_dataset(OUT, "adversarial", split=...)` reads the Parquet files.
    """
    variant = Variant(settings.dataset, "", f"adversarial-{settings.search}", "attack")
    own = {name: getattr(settings, name) for name in ("search", "most", "budget", "recipes", "paraphraser")}
    own["heads"] = transformation.head_filter(settings.paraphraser)
    parameters = json.dumps({"adversarial": own}, sort_keys=True)
    records = []
    for problem, outcome in zip(problems, report.outcomes, strict=True):
        row = Row(problem)
        if outcome.adversarial is not None:
            certificate = tuple(outcome.certificate)
            row = Row(from_row(outcome.adversarial), problem, certificate, settings.seed, parameters)
        records.append(rows.to_record(row, variant))
    table = f"{settings.split}.parquet"
    out.claim(f"{CONFIG}/{table}")
    with updated_folder(out.path / CONFIG, lambda: [table]) as folder:
        rows.write(records, folder / table)
    card = [
        "---", "configs:", f"- config_name: {CONFIG}", "  data_files:", f"  - split: {settings.split}",
        f"    path: {CONFIG}/{table}", "---", "",
        f"# Adversarial problems of {escaping.markdown(settings.dataset)}", "",
        f"Found by the {settings.search} search against {escaping.code(settings.model)}; "
        "ids are those of the source.",
    ]  # fmt: skip
    out.write_text(_CARD, "\n".join(card) + "\n")
    out.write_text(_REPORT, json.dumps({"settings": asdict(settings), **report.figures()}, indent=1) + "\n")

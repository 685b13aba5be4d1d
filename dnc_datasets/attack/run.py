"""Run: attack every problem of a split, with a journal to resume from; what is found is a dataset."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dnc_datasets import atomic, rows
from dnc_datasets.attack import models, search
from dnc_datasets.attack.constraints import PARAPHRASE, Constraint, holds
from dnc_datasets.attack.goal import flipped, is_right
from dnc_datasets.attack.transformation import Choice, space
from dnc_datasets.catalogue import Variant
from dnc_datasets.draws import Draw
from dnc_datasets.errors import DncError
from dnc_datasets.perturbations.neighbours import Neighbours
from dnc_datasets.problem import Problem, from_row, to_row
from dnc_datasets.settings import Row

_JOURNAL = "journal.jsonl"
_SPLIT = "test"


@dataclass(frozen=True)
class Settings:
    """What an attack depends on, besides the problems and the model."""

    dataset: str
    model: str
    search: str = "full"
    most: int = 7
    budget: int = 1000
    seed: int = 0
    recipes: tuple[str, ...] = ()
    paraphraser: str = ""


@dataclass
class Outcome:
    """What came of one problem: was it right, was it flipped, after how many queries, by which text."""

    id: str
    right: bool
    flipped: bool = False
    queries: int = 1
    answer: str = ""
    adversarial: dict[str, Any] | None = None


@dataclass
class Report:
    """The figures of an attack."""

    outcomes: list[Outcome] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """Accuracy before and under attack, flips, queries, and queries for each flip."""
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


def attack_one(
    problem: Problem,
    model: models.Model,
    settings: Settings,
    neighbours: Neighbours,
    constraints: tuple[Constraint, ...] = PARAPHRASE,
) -> Outcome:
    """Search the forms of a problem that the model answers right for one that it answers wrong."""
    (answer,) = models.ask(model, [problem.text], settings.model)
    outcome = Outcome(problem.id, is_right(problem, answer), answer=answer)
    if not outcome.right:
        return outcome
    forms = space(
        problem,
        most=settings.most,
        model=settings.paraphraser,
        recipes=settings.recipes,
        dataset=settings.dataset,
        seed=settings.seed,
        neighbours=neighbours,
    )
    asked = {problem.text}

    def ask(choices: Sequence[Choice]) -> Choice | None:
        fresh: dict[str, tuple[Choice, Problem]] = {}
        for choice in choices:
            if outcome.queries + len(fresh) >= settings.budget:
                break
            made = forms.build(choice)
            plain = forms.build((0, *choice[1:]))
            if made is None or plain is None or made.text in asked or made.text in fresh:
                continue
            # A recipe laid over the text adds numbers of its own and has its own certificate.
            if holds(problem, plain, constraints):
                fresh[made.text] = (choice, made)
        asked.update(fresh)
        outcome.queries += len(fresh)
        for (choice, made), reply in zip(
            fresh.values(), models.ask(model, list(fresh), settings.model) if fresh else [], strict=True
        ):
            if flipped(problem, reply):
                outcome.flipped, outcome.answer, outcome.adversarial = True, reply, to_row(made)
                return choice
        return None

    search.get(settings.search)(forms, Draw(settings.seed, settings.dataset, problem.id, "attack"), ask)
    return outcome


def attack(
    problems: Sequence[Problem],
    model: models.Model,
    settings: Settings,
    out: Path | None = None,
    progress: Callable[[], object] | None = None,
) -> Report:
    """Attack all problems; with `out`, what is done is kept there and not done again.

    The folder then holds the adversarial set as a dataset: the problems in their order, those that were
    flipped in their adversarial form, with their ids, equations and answers.
    """
    for recipe in settings.recipes:
        if any(step.changes_target for step in _steps(recipe)):
            raise DncError(
                f"recipe {recipe!r} changes the answer; an attack may only use one that keeps it, e.g. type"
            )
    done = _resumed(out, settings) if out else {}
    neighbours = Neighbours(problems)
    report = Report()
    for problem in problems:
        outcome = done.get(problem.id)
        if outcome is None:
            outcome = attack_one(problem, model, settings, neighbours)
            if out:
                _append(out / _JOURNAL, asdict(outcome))
        report.outcomes.append(outcome)
        if progress:
            progress()
    if out:
        _write(out, problems, settings, report)
    return report


def _steps(recipe: str) -> Iterable[Any]:
    from dnc_datasets import perturbations

    return perturbations.recipe(recipe)


def _resumed(out: Path, settings: Settings) -> dict[str, Outcome]:
    """The outcomes of an earlier run with the same settings; another attack in the folder is an error."""
    path = out / _JOURNAL
    head = json.dumps(asdict(settings), sort_keys=True)
    if not path.exists():
        atomic.write_text(path, head + "\n")
        return {}
    first, *lines = path.read_text(encoding="utf-8").splitlines() or [""]
    if first != head:
        raise DncError(f"{out} holds another attack ({first}); choose another folder with --out")
    done = {}
    for line in lines:
        try:
            outcome = Outcome(**json.loads(line))
        except (ValueError, TypeError):
            break  # a line cut off when the process was killed: that problem is done again
        done[outcome.id] = outcome
    if len(done) != len(lines):
        kept = [json.dumps(asdict(outcome), ensure_ascii=False) for outcome in done.values()]
        atomic.write_text(path, "\n".join([head, *kept]) + "\n")
    return done


def _append(path: Path, record: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _write(out: Path, problems: Sequence[Problem], settings: Settings, report: Report) -> None:
    """Parquet, card and report: `load_dataset(OUT, "adversarial")` reads the first."""
    variant = Variant(settings.dataset, "", f"adversarial-{settings.search}", "attack")
    records = []
    for problem, outcome in zip(problems, report.outcomes, strict=True):
        row = Row(problem)
        if outcome.adversarial is not None:
            kept = tuple(f"{constraint.__name__}" for constraint in PARAPHRASE)
            row = Row(from_row(outcome.adversarial), problem, kept)
        records.append(rows.to_record(row, variant))
    folder = out / "adversarial"
    folder.mkdir(parents=True, exist_ok=True)
    rows.write(records, folder / f"{_SPLIT}.parquet")
    card = [
        "---", "configs:", "- config_name: adversarial", "  data_files:", f"  - split: {_SPLIT}",
        f"    path: adversarial/{_SPLIT}.parquet", "---", "",
        f"# Adversarial problems of {settings.dataset}", "",
        f"Found by the {settings.search} search against `{settings.model}`; ids are those of the source.",
    ]  # fmt: skip
    atomic.write_text(out / "README.md", "\n".join(card) + "\n")
    atomic.write_text(
        out / "report.json", json.dumps({"settings": asdict(settings), **report.figures()}, indent=1) + "\n"
    )

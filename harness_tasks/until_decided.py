"""Runs an evaluation in steps, and stops asking for a capability once it is decided.

Each step adds complete templates in an order fixed by the seed, and resumes the log of the previous step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dnc_datasets.serving.catalogue import Variant
from dnc_harness import data, evaluate
from dnc_harness.errors import HarnessError
from dnc_harness.evaluate import Settings
from dnc_metrics import drop_tables, record, sequential, verdict_words, verdicts
from dnc_metrics.paired import Pairs
from dnc_metrics.record import Line, Record, Table, by_cell
from dnc_metrics.verdicts import Judgement, Sample

_ATTACK = "attack"
# Templates per step if looks are allowed at any time.
_STEP = 2 * sequential.STEP


@dataclass(frozen=True)
class Stopped:
    """The record, the templates that each capability was asked, and the templates of a complete run."""

    record: Record
    templates: dict[str, int]
    total: int
    rows: int
    all_rows: int

    def text(self) -> str:
        """Return a line that states the saving of early stopping."""
        saved = 100 * (1 - self.rows / self.all_rows)
        asked = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in self.templates.items())
        rows = f"asked {self.rows:,} of {self.all_rows:,} rows ({saved:.0f} % saved)"
        return f"{rows}; templates of {self.total}: {asked}"


def run(settings: Settings, *, any_time: bool = False) -> Stopped:
    """Evaluate step by step until every capability is decided or the plan ends."""
    original, variants = _variants(settings)
    total = _templates(original, settings)
    steps = _steps(total, any_time)
    asked: dict[str, int] = {}
    decided: dict[str, tuple[str, Sample]] = {}
    for step, count in enumerate(steps):
        found = evaluate.run(replace(settings, templates={"": count, **asked}))
        rows = by_cell(record.outcomes(settings.out, found))
        pairs = drop_tables.capability_pairs(found.cells, rows)
        for name, own in pairs.items():
            if name in asked:
                continue
            ordered = _in_order(own, original.dataset)
            verdict = _verdict(ordered, step, settings.margin, any_time, is_last=count == steps[-1])
            decided[name] = verdict, ordered
            if verdict != verdicts.OPEN:
                asked[name] = count
        if all(name in asked for name in pairs):
            break
    everything = record.outcomes(settings.out, found, faults=True)
    final = _rewritten(found, decided, asked, any_time)
    final = record.write(final, everything, settings.out)
    used = {name: asked.get(name, count) for name in decided}
    complete = sum(_rows(variant, settings) for variant in variants)
    return Stopped(final, used, total, sum(cell.rows for cell in final.cells), complete)


def _variants(settings: Settings) -> tuple[Variant, list[Variant]]:
    """Return the original and all variants of a run: one dataset, its attacks, one prompt."""
    if settings.repeats > 1 or settings.limit is not None:
        raise HarnessError(
            "--until-decided chooses the rows itself; leave out --limit, --precision and --repeats"
        )
    tasks = list(dict.fromkeys(task for some in evaluate.chosen(settings).values() for task in some))
    originals = {task.variant.original for task in tasks}
    others = {task.variant.setting for task in tasks} - {"", _ATTACK}
    if len(originals) > 1 or len({task.prompt for task in tasks}) > 1 or others:
        raise HarnessError(
            "--until-decided judges the attacks on one dataset with one prompt; name one group, e.g. --tasks dnc_tiny"
        )
    (original,) = originals
    variants = [task.variant for task in tasks]
    if original not in variants or len(variants) < 2:
        raise HarnessError(
            f"--until-decided compares with the originals; name the task of {original.name} and its attacks"
        )
    return original, variants


def _templates(original: Variant, settings: Settings) -> int:
    """Return the number of templates of the original test rows."""
    source, built = data.of_source(original), data.folder(settings.data)
    return len({data.doc(source, row)["cluster"] for row in data.test_records(original, built)})


def _rows(variant: Variant, settings: Settings) -> int:
    return len(data.test_records(variant, data.folder(settings.data)))


def _steps(total: int, any_time: bool) -> list[int]:
    """Return the number of templates after each step; the fixed plan ends at its last look.

    >>> _steps(150, False), _steps(500, False), _steps(50, True)
    ([60, 110, 150], [60, 110, 160, 240], [20, 40, 50])
    """
    planned = range(_STEP, total, _STEP) if any_time else sequential.LOOKS
    last = total if any_time else min(total, sequential.LOOKS[-1])
    return [*(count for count in planned if count < last), last]


def _in_order(pairs: Pairs, dataset: str) -> Sample:
    """Return the differences by template, in the order in which the templates were asked."""
    sample = pairs.sample()
    names = list(dict.fromkeys(map(str, pairs.groups)))
    order = sorted(range(len(names)), key=lambda at: data.template_order(dataset, names[at]))
    return replace(
        sample, sizes=tuple(sample.sizes[at] for at in order), sums=tuple(sample.sums[at] for at in order)
    )


def _verdict(of: Sample, step: int, margin: float, any_time: bool, *, is_last: bool) -> str:
    # Four capabilities share the significance level even if fewer were asked, since later steps may add one.
    if not any_time:
        return sequential.at_look(of, step, margin, is_last=is_last)
    means = [total / size for total, size in zip(of.sums, of.sizes, strict=True)]
    return sequential.bet(means, margin).verdict


def _rewritten(
    found: Record, decided: Mapping[str, tuple[str, Sample]], asked: Mapping[str, int], any_time: bool
) -> Record:
    """Return the record with the plan's verdicts; those of a fixed-size run would be too liberal."""
    plan = "any time" if any_time else "four looks"
    tables = tuple(
        replace(
            table,
            lines=tuple(_line(line, table, decided, asked) for line in table.lines),
            method=f"{verdicts.METHOD}, {plan}",
        )
        for table in found.tables
    )
    return replace(found, tables=tables)


def _line(
    line: Line, table: Table, decided: Mapping[str, tuple[str, Sample]], asked: Mapping[str, int]
) -> Line:
    if line.verdict not in (*verdicts.RANKING, verdicts.EXPLORATORY):
        return line  # probes, views and withheld lines are not tested
    if not line.is_capability:
        reason = "not judged in a run that stops early"
        return replace(line, verdict=verdicts.EXPLORATORY, reason=reason, p=None, p_clear=None, decide=None)
    verdict, sample = decided[line.name]
    judged = Judgement(verdict, 1.0, line.p_alone or 1.0, 1.0)
    reason = verdict_words.reason(sample, judged, table.margin)
    if line.name in asked:
        reason += f"; decided after {asked[line.name]} templates"
    return replace(line, verdict=verdict, reason=reason, p=None, p_clear=None, decide=None)

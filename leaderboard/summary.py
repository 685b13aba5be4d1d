"""A diagnosis in sentences: which capabilities a system has, lacks, or was not shown to have."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_leaderboard.figures import interval, percent, words
from dnc_metrics import verdicts
from dnc_metrics.behaviours import MEMORISED
from dnc_metrics.capabilities import PROBE
from dnc_metrics.record import Behaviour, Line, Record, Table
from dnc_metrics.verdict_words import listed

# Shares of the wrong answers from which on a behaviour is reported without an adverb, and as frequent.
_MOSTLY = 0.8
_OFTEN = 0.4


def sentences(record: Record) -> list[str]:
    """One sentence per table of a record, with the figures that it rests on."""
    return [_sentence(record, table) for table in record.tables]


def behaviours(record: Record) -> list[str]:
    """One sentence per behaviour that explains wrong answers, with its figures; the best fit first."""
    return [_behaviour(record, one) for one in record.behaviours]


def _behaviour(record: Record, one: Behaviour) -> str:
    rivals = f" (or {' or '.join(one.rivals)}: these rows cannot tell)" if one.rivals else ""
    adverb = "" if one.share >= _MOSTLY else "often " if one.share >= _OFTEN else "sometimes "
    parts = [
        f"{record.system.name} {adverb}{one.sentence}{rivals}: this predicts {percent(one.share)} % "
        f"{interval(one.interval)} of the {one.rows} wrong answers that could show it "
        f"({percent(one.chance)} % by chance)"
    ]
    explained = recalled(record) if one.name == MEMORISED else ()
    if explained:
        named = listed([words(name) for name in explained])
        parts.append(f"a drop that comes from this does not measure {named}")
    return f"{'; '.join(parts)}."


def recalled(record: Record) -> tuple[str, ...]:
    """Capabilities in which most wrong answers are those of the original problems, given by a fitted behaviour."""
    return tuple(
        capability
        for one in record.behaviours
        if one.name == MEMORISED
        for capability, share in one.capabilities.items()
        if share > 0.5
    )


def judged(line: Line) -> bool:
    """Does the line have figures that say something of the system?"""
    return line.drop is not None and line.verdict != verdicts.CANNOT_SEE


def _sentence(record: Record, table: Table) -> str:
    lines = [line for line in table.lines if line.is_capability]
    margin = f"{100 * table.margin:g} points"
    parts = []
    known = [line for line in lines if line.verdict == verdicts.DROP and line.capability in recalled(record)]
    if known:
        parts.append(f"answers the original problems where {_tested(known)} tested")
    for verdict, sentence in (
        (verdicts.DROP, "loses accuracy where {} tested"),
        (verdicts.SMALL_DROP, f"loses a little, less than {margin}, where {{}} tested"),
        (verdicts.GAIN, "gains accuracy where {} tested"),
        (verdicts.NO_DROP, f"shows no drop above {margin} in {{}}"),
        (verdicts.POINTS_TO_DROP, "points to a drop in {}"),
        (verdicts.POINTS_TO_GAIN, "points to a gain in {}"),
        (verdicts.OPEN, "leaves {} open"),
        (verdicts.RARELY_RIGHT, "is right too rarely to be judged in {}"),
        ("undecided", "is undecided in {}"),  # records of earlier versions without their rows
        (verdicts.CANNOT_SEE, "cannot see values, so that {} is not judged"),
    ):
        own = [
            line
            for line in lines
            if line.verdict == verdict and line.capability != PROBE and line not in known
        ]
        if own:
            with_figures = sentence.endswith("tested")
            names = _tested(own) if with_figures else listed([words(line.name) for line in own])
            parts.append(sentence.format(names))
    parts += [_probe(line) for line in table.lines if is_probe_finding(line)]
    asked = ", ".join(part for part in (table.setting, table.prompt) if part)
    where = " ".join(part for part in (table.dataset, table.fold, f"({asked})" if asked else "") if part)
    if not parts:
        return f"{record.system.name} on {where}: nothing to compare."
    return f"{record.system.name} on {where}: {'; '.join(parts)}."


def is_probe_finding(line: Line) -> bool:
    """Does the system answer although a part that it must need was removed?"""
    return not line.is_capability and line.verdict.startswith(verdicts.NEEDS_NOT.format(""))


def _probe(line: Line) -> str:
    return f"{line.verdict} ({line.reason})"


def _tested(lines: Sequence[Line]) -> str:
    return listed([_named(line) for line in lines]) + (" is" if len(lines) == 1 else " are")


def _named(line: Line) -> str:
    low, high = line.interval or (0.0, 0.0)
    return f"{words(line.name)} ({100 * (line.drop or 0.0):.1f} points, {100 * low:.1f} to {100 * high:.1f})"

"""A diagnosis in sentences: capabilities that a system has, lacks, or was not shown to have."""

from __future__ import annotations

from collections.abc import Sequence

from dnc_leaderboard.figures import interval, percent, words
from dnc_metrics import verdicts
from dnc_metrics.behaviours import MEMORISED
from dnc_metrics.capabilities import PROBE
from dnc_metrics.record import Behaviour, Line, Record, Table
from dnc_metrics.verdict_words import listed

# Minimum shares of the wrong answers for a behaviour without an adverb, and for "often".
_MOSTLY = 0.8
_OFTEN = 0.4
# "undecided" is in records of earlier versions without their rows.
_UNDECIDED = (verdicts.POINTS_TO_DROP, verdicts.POINTS_TO_GAIN, verdicts.OPEN, "undecided")


def sentences(record: Record) -> list[str]:
    """Return one sentence per table of a record, with its figures."""
    return [_sentence(record, table) for table in record.tables]


def behaviours(record: Record) -> list[str]:
    """Return one sentence per behaviour that explains wrong answers, with its figures; the best fit first."""
    return [_behaviour(record, one) for one in record.behaviours]


def _behaviour(record: Record, one: Behaviour) -> str:
    rivals = f" (or {' or '.join(one.rivals)}: these rows cannot separate them)" if one.rivals else ""
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
    """Return capabilities in which a fitted behaviour gives the original's answers in most wrong replies."""
    return tuple(
        capability
        for one in record.behaviours
        if one.name == MEMORISED
        for capability, share in one.capabilities.items()
        if share > 0.5
    )


def judged(line: Line) -> bool:
    """Return whether the line has figures that are a result of the system."""
    return line.drop is not None and line.verdict != verdicts.CANNOT_SEE


def _sentence(record: Record, table: Table) -> str:
    """Return the verdicts of a table in words: decided and open capabilities, and unneeded parts."""
    known = set(recalled(record))
    margin = f"{100 * table.margin:g} points"
    lines: dict[str, list[Line]] = {}
    for line in table.lines:
        if line.is_capability and line.capability != PROBE:
            is_known = line.verdict == verdicts.DROP and line.capability in known
            lines.setdefault(MEMORISED if is_known else line.verdict, []).append(line)
    phrases = (
        (MEMORISED, _recalls),
        (verdicts.DROP, lambda some: f"loses {_points_in(some)}"),
        (verdicts.SMALL_DROP, lambda some: f"loses only {_points_in(some)}, less than {margin}"),
        (verdicts.GAIN, lambda some: f"gains {_points_in(some)}"),
        (verdicts.NO_DROP, lambda some: f"shows no drop above {margin} in {_names(some)}"),
        (verdicts.RARELY_RIGHT, lambda some: f"is right too rarely to be judged in {_names(some)}"),
        (verdicts.CANNOT_SEE, lambda some: f"cannot see values, so that {_names(some)} is not judged"),
    )
    decided = [phrase(lines[verdict]) for verdict, phrase in phrases if verdict in lines]
    undecided = [_undecided(line) for verdict in _UNDECIDED for line in lines.get(verdict, ())]
    findings = [_probe(line) for line in table.lines if is_probe_finding(line)]
    # The usual setting and prompt are not named.
    asked = ", ".join(part for part in (table.setting, table.prompt) if part not in ("", "attack", "direct"))
    where = " ".join(part for part in (table.dataset, table.fold, f"({asked})" if asked else "") if part)
    if not decided and not undecided and not findings:
        return f"{record.system.name} on {where}: nothing to compare."
    parts = ["; ".join(decided)] if decided else []
    parts += [f"{'Not' if decided else 'not'} decided: {listed(undecided)}"] if undecided else []
    parts += findings
    return f"{record.system.name} on {where}: {'. '.join(parts)}."


def is_probe_finding(line: Line) -> bool:
    """Return whether the system answers although a necessary part was removed."""
    return not line.is_capability and line.verdict.startswith(verdicts.NEEDS_NOT.format(""))


def _probe(line: Line) -> str:
    return f"It {line.verdict}: {line.reason.partition(' (')[0]}"


def _recalls(lines: Sequence[Line]) -> str:
    named = listed([f"{words(line.name)} ({_points(line)} points lost)" for line in lines])
    return f"answers the original problems where {named} {'is' if len(lines) == 1 else 'are'} tested"


def _points_in(lines: Sequence[Line]) -> str:
    """Return drops or gains: "52.3 points in operand selection and 22.4 in operation reasoning"."""
    first, *others = (f"{_points(line)}{{}} in {words(line.name)}" for line in lines)
    return listed([first.format(" points"), *(one.format("") for one in others)])


def _points(line: Line) -> str:
    return f"{100 * abs(line.drop or 0.0):.1f}"


def _names(lines: Sequence[Line]) -> str:
    return listed([words(line.name) for line in lines])


def _undecided(line: Line) -> str:
    points_to = line.verdict in (verdicts.POINTS_TO_DROP, verdicts.POINTS_TO_GAIN)
    return f"{words(line.name)} ({line.verdict})" if points_to else words(line.name)

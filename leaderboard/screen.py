"""A diagnosis on one terminal screen: conclusion, capabilities, behaviours, three failures, next step."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING

from dnc_datasets import escaping
from dnc_leaderboard.failures import Failure, failures
from dnc_leaderboard.figures import interval, percent, points, words
from dnc_leaderboard.summary import behaviours, sentences
from dnc_metrics import verdict_words, verdicts
from dnc_metrics.capabilities import CAPABILITIES, PROBE
from dnc_metrics.record import Line, Outcome, Record, Table

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 100
LINES = 40
_FOOT = 3  # number of lines after the failures: the page and the next command
_HEADLINE = 5  # number of lines of the sentence about the first table
_OTHER_TABLES = 2
_BEHAVIOURS = 2
_FAILURES = 3
_EXCERPT = 3  # number of lines of a failure's texts
_LEAD = 8  # number of words before the first difference of two texts
_NOT_TESTED = "not tested"
_MAX_RANKED = 400  # maximum number of failures of a capability in memory
_SLOTS = "the solver reads slots instead of numbers, so this run cannot judge it"
_WITHOUT_DROP = (verdicts.NO_DROP, verdicts.GAIN)
# Verdicts that need a note on the detectable drops.
_EXPLAINED = (verdicts.NO_DROP, verdicts.OPEN, verdicts.TOO_FEW, verdicts.RARELY_RIGHT)


def show(
    record: Record,
    outcomes: Sequence[Outcome],
    console: Console,
    *,
    details: bool = False,
    page: str = "",
    next_command: str = "",
) -> None:
    """Print the screen of a record; with `details`, or without comparisons, all of its tables first."""
    from dnc_leaderboard import terminal

    if details or not record.tables:
        terminal.details(record, console)
    lines = screen(record, outcomes, width=min(console.width, WIDTH)) if record.tables else []
    if page:
        lines += ["", f"Page: {page}"]
    if next_command:
        lines += [f"Next: {next_command}"]
    for line in map(escaping.terminal, lines):
        console.print(line, markup=False, highlight=False, soft_wrap=True, style=_style(line))


def screen(record: Record, outcomes: Sequence[Outcome], width: int = WIDTH) -> list[str]:
    """Return the lines of the screen, without those of the page and the next command."""
    table = record.tables[0]
    lines = _clipped(sentences(record)[0], width, _HEADLINE)
    lines += _wrapped(_originals(record, table), width)
    lines.append("")
    for capability in CAPABILITIES:
        if capability != PROBE:
            lines += _capability(table, capability, width)
    fitted = [line for sentence in behaviours(record)[:_BEHAVIOURS] for line in _clipped(sentence, width, 3)]
    lines += ["", *fitted] if fitted else []
    lines += _others(record, width)
    failure_lines = ["", "Right before the change, wrong after it:"]
    for one in striking(record, outcomes):
        failure = _failure(one, record, width)
        if len(lines) + len(failure_lines) + len(failure) + _FOOT <= LINES:
            failure_lines += failure
    return [*lines, *failure_lines] if len(failure_lines) > 2 else lines


def striking(record: Record, outcomes: Sequence[Outcome], count: int = _FAILURES) -> list[Failure]:
    """Choose the clearest failures: answered right before the change, explained, short.

    Each capability is shown once before one is shown twice, in the order of their drops. Capabilities without
    a drop come last.
    """
    capabilities = {cell.config: cell.capability for cell in record.cells}
    drops = {line.name: line.drop or 0.0 for line in record.tables[0].lines if line.is_capability}
    kinds = {line.name: line.verdict for line in record.tables[0].lines if line.is_capability}
    best: dict[str, list[Failure]] = {}
    for one in failures([(record, outcomes)]):
        capability = capabilities.get(one["config"], PROBE)
        judged = capability in drops and kinds[capability] != verdicts.CANNOT_SEE
        clear = one["right_before"] and one["answer"] and one["answer"] != one["gold"]
        if judged and capability != PROBE and clear:
            held = best.setdefault(capability, [])
            held.append(one)
            if len(held) >= _MAX_RANKED:
                held[:] = _ranked(held)[: _MAX_RANKED // 4]
    groups: dict[str, list[Failure]] = {}
    for one in _ranked([one for held in best.values() for one in held]):
        groups.setdefault(capabilities[one["config"]], []).append(one)
    order = sorted(groups, key=lambda name: (-drops[name], name))
    cleared = [name for name in order if kinds[name] in _WITHOUT_DROP]
    chosen: dict[str, Failure] = {}
    for names in ([name for name in order if name not in cleared], cleared):
        queues = {name: iter(groups[name]) for name in names}
        while queues and len(chosen) < count:
            for name in list(queues):
                failure = next((item for item in queues[name] if item["before"] not in chosen), None)
                if failure is None:
                    del queues[name]
                else:
                    chosen[failure["before"]] = failure
    return list(chosen.values())[:count]


def _ranked(some: Sequence[Failure]) -> list[Failure]:
    """Return failures with distinct texts, explained and short ones first."""
    ordered = sorted(some, key=lambda one: (not one["sentence"], len(one["text"]), one["config"], one["id"]))
    distinct: dict[str, Failure] = {}
    for one in ordered:
        distinct.setdefault(one["text"], one)
    return list(distinct.values())


def _originals(record: Record, table: Table) -> str:
    place = (table.dataset, table.fold, table.prompt)
    original = next(
        cell
        for cell in record.cells
        if not cell.perturbation and (cell.dataset, cell.fold, cell.prompt) == place
    )
    share = original.scores.get(original.score)
    parts = [f"It answers {percent(share)} % of the {original.rows:,} original problems."]
    cut_off = sum(cell.cut_off for cell in record.cells)
    if cut_off:
        replies = sum(cell.rows for cell in record.cells)
        parts.append(f"{cut_off:,} of {replies:,} replies hit the limit of tokens.")
    return " ".join(parts)


def _capability(table: Table, capability: str, width: int) -> list[str]:
    """Return the line of a capability, and its reason if the verdict needs one."""
    line = next((one for one in table.lines if one.is_capability and one.name == capability), None)
    name = f"{words(capability):<20}"
    if line is None:
        return [f"{verdict_words.NOT_JUDGED} {name} {_NOT_TESTED}"]
    verdict = verdict_words.words(line.verdict, table.margin)
    mark, label = verdict[0], verdict[2:]
    reason = _reason(line)
    if line.drop is None or line.interval is None:
        first = f"{mark} {name} {label}"
    else:
        first = (
            f"{mark} {name} {label:<24} {points(line.drop):>6} points  {interval(line.interval):<15} "
            f"{line.clusters:>4} templates"
        )
    return [first.rstrip(), *(_clipped(reason, width, 2, indent="    ") if reason else [])]


def _reason(line: Line) -> str:
    if line.verdict == verdicts.CANNOT_SEE:
        return _SLOTS
    if line.verdict == verdicts.NO_DROP and line.lost == 0:
        return line.reason.partition("; ")[2]  # the line already has the number of templates
    return line.reason if line.verdict in _EXPLAINED else ""


def _others(record: Record, width: int) -> list[str]:
    """Return the sentences of further tables, and the number of omitted ones."""
    further = sentences(record)[1:]
    lines = [line for sentence in further[:_OTHER_TABLES] for line in _clipped(sentence, width, 2)]
    if len(further) > _OTHER_TABLES:
        lines.append(f"{len(further) - _OTHER_TABLES} more tables: --details")
    return ["", *lines] if lines else []


def _failure(one: Failure, record: Record, width: int) -> list[str]:
    """Return a failure as a headline, and its two texts side by side."""
    perturbation = next((cell.perturbation for cell in record.cells if cell.config == one["config"]), "")
    head = f"  {words(perturbation)}: expected {_short(one['gold'])}, answered {_short(one['answer'])}"
    if one["sentence"]:
        head += f" ({one['sentence']})"
    column = (width - 6) // 2
    left, right = _excerpts(one["before"], one["text"], column * _EXCERPT)
    columns = (_clipped(text, column, _EXCERPT) for text in (left, right))
    pairs = zip_longest(*columns, fillvalue="")
    body = [
        f"    {was:<{column - 2}} {'→' if at == 0 else ' '} {now}".rstrip()
        for at, (was, now) in enumerate(pairs)
    ]
    return [_clipped(head, width, 1)[0], *body]


def _excerpts(before: str, after: str, room: int) -> tuple[str, str]:
    """Return both texts, or their parts from some words before the first difference if they are too long."""
    if max(len(before), len(after)) <= room - 10:
        return before, after
    old, new = before.split(), after.split()
    match = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()[0]
    start = match.size if match.a == match.b == 0 else 0
    start = max(0, start - _LEAD)
    dots = "… " if start else ""
    return dots + " ".join(old[start:]), dots + " ".join(new[start:])


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False)


def _clipped(text: str, width: int, most: int, indent: str = "") -> list[str]:
    """Wrap a text into at most `most` lines; dots mark an omission."""
    lead = indent or text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text.strip(),
        width - 2,
        initial_indent=lead,
        subsequent_indent=lead,
        max_lines=most,
        placeholder=" …",
        break_on_hyphens=False,
    )


def _short(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:24]}…"


def _style(line: str) -> str:
    if line.startswith(("▼", "◆")):
        return "red"
    return "green" if line.startswith("●") else ""

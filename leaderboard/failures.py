"""Wrong answers for display: the problem before and after, the reply, and the explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from hashlib import sha256
from typing import Any

from dnc_datasets.escaping import html as escape
from dnc_leaderboard.figures import words
from dnc_metrics.record import Cell, Outcome, Record
from dnc_metrics.record_builder import Outcomes

Failure = Mapping[str, Any]
# The maximum size of the failures on a page, so that a page of twenty systems is below two megabytes.
_MAX_BYTES = 600_000
_MAX_OF_A_CELL = 20
PAGE = 20  # number of failures that are drawn at once
_MAX_TEXT = 700


def failures(systems: Sequence[tuple[Record, Sequence[Outcome]]]) -> Iterator[Failure]:
    """Yield every wrong answer in the form of the file beside the page."""
    for record, rows in systems:
        cells = {cell.key: cell for cell in record.cells}
        right: dict[tuple[str, str, str], dict[str, bool]] = {}
        for key, row_id, is_right in _results(rows):
            cell = cells.get(key)
            if cell is not None and not cell.perturbation:
                right.setdefault(_place(cell), {})[row_id] = is_right
        for row in _wrong(rows):
            if not row.text:
                continue
            config, _, prompt = row.cell.partition("|")
            cell = cells.get(row.cell)
            before = right.get(_place(cell), {}) if cell and row.before else {}
            yield {
                "system": record.system.name,
                "config": config,
                "perturbation": cell.perturbation if cell else "",
                "prompt": prompt,
                "id": row.id,
                "before": row.before,
                "right_before": _was_right(row.id, before),
                "text": row.text,
                "gold": row.gold,
                "answer": row.answer,
                "status": row.status,
                "reply": row.reply,
                "causes": list(row.causes),
                "sentence": row.sentence,
            }


def _results(rows: Sequence[Outcome]) -> Iterable[tuple[str, str, bool]]:
    """Return the cell and the id of each row and whether it is right."""
    if isinstance(rows, Outcomes):
        return rows.results()
    return ((row.cell, row.id, row.right) for row in rows)


def _wrong(rows: Sequence[Outcome]) -> Iterable[Outcome]:
    """Return the rows that are not right."""
    return rows.wrong() if isinstance(rows, Outcomes) else (row for row in rows if not row.right)


def _place(cell: Cell) -> tuple[str, str, str]:
    return cell.dataset, cell.fold, cell.prompt


def _was_right(row: str, originals: Mapping[str, bool]) -> bool:
    """Return whether the row's original was right; a contrast member's id has a suffix for its kind.

    >>> _was_right("a-7#append_bool", {"a-7": True})
    True
    """
    while row and row not in originals:
        row = row.rpartition("#")[0]
    return originals.get(row, False)


def section(every: Sequence[Failure]) -> str:
    """Return the section of the page with failures, filters and search.

    The first failures are part of the page. The browser draws the others from a template on request.
    """
    shown = _select_failures(every)
    options = {
        "system": dict.fromkeys(one["system"] for one in shown),
        "config": dict.fromkeys(one["config"] for one in shown),
        "cause": dict.fromkeys(cause for one in shown for cause in one["causes"]),
    }
    filters = "".join(
        _select(name, list(values)) for name, values in options.items() if len(values) > 1 or name == "config"
    )
    cards = list(map(_card, shown))
    steps = '<button type="button" id="{}">{}</button>'
    pager = (
        f'<div class="pager">{steps.format("previous", "Previous 20")} <span id="count" role="status">'
        f"{min(PAGE, len(cards))} of {len(cards)}</span> {steps.format('next', 'Next 20')}</div>"
    )
    return (
        f'<section id="failures"><h2>Failures</h2><p>{len(shown)} of {len(every)} wrong answers; all of them are '
        "in <code>failures.jsonl</code> beside this page. First: rows that were right before the change. The words "
        "that the change concerns are marked.</p>"
        f'<div class="filters">{filters}<label>search <input type="search" data-filter="search"></label></div>'
        f'<div id="cards">{"".join(cards[:PAGE])}</div><template id="more">{"".join(cards[PAGE:])}</template>'
        f"{pager}</section>"
    )


def _select(name: str, values: Sequence[str]) -> str:
    options = "".join(f'<option value="{escape(value)}">{escape(value)}</option>' for value in values)
    return (
        f'<label>{name} <select data-filter="{name}"><option value="">all</option>{options}</select></label>'
    )


def _select_failures(every: Sequence[Failure]) -> list[Failure]:
    """Return failures of each cell in turn, the clearest first, up to the size limit."""
    cells: dict[tuple[str, str, str], list[Failure]] = {}
    for one in every:
        cells.setdefault((one["system"], one["config"], one["prompt"]), []).append(one)
    for failures_of_cell in cells.values():
        failures_of_cell.sort(
            key=lambda one: (_clarity(one), _anchor(one))
        )  # the anchor varies the first problem
    chosen: list[Failure] = []
    left = _MAX_BYTES
    for rank in range(_MAX_OF_A_CELL):
        for failures_of_cell in cells.values():
            if rank < len(failures_of_cell) and left > 0:
                left -= len(_card(failures_of_cell[rank]).encode())
                chosen.append(failures_of_cell[rank])
    return sorted(chosen, key=_clarity)


def _clarity(one: Failure) -> tuple[bool, bool, bool]:
    """Return a sort key: right before the change, with the text before it, explained."""
    return not one["right_before"], not one["before"], not one["sentence"]


def _card(one: Failure) -> str:
    before, text = _truncate(one["before"]), _truncate(one["text"])
    was, now = _highlight(before, text) if before else ("", escape(text))
    title = "before, answered right" if one["right_before"] else "before"
    pair = f"<div><h4>{title}</h4><p>{was}</p></div>" if was else ""
    pair += f"<div><h4>asked</h4><p>{now}</p></div>"
    why = one["sentence"] or ", ".join(one["causes"])
    cause = f" · {escape(why)}" if why else ""
    head = (
        f"<b>{escape(words(one['perturbation']) or one['config'])}</b>: expected {escape(one['gold'])}, answered "
        f"{escape(one['answer'] or one['status'])}{cause}"
    )
    reply = f"<b>reply</b> {escape(_truncate(one['reply']))} · " if one["reply"] else ""
    causes = escape("|".join(one["causes"]))
    place = _anchor(one)
    return (
        f'<article id="{place}" data-system="{escape(one["system"])}" data-config="{escape(one["config"])}" '
        f'data-cause="{causes}"><details open><summary>{head}</summary><div class="pair">{pair}</div>'
        f'<p class="reply">{reply}{escape(one["system"])} · {escape(one["config"])} · {escape(one["id"])} · '
        f'<a href="#{place}">link to this row</a></p></details></article>'
    )


def _anchor(one: Failure) -> str:
    """Return the anchor of a failure in addresses, the same in every page."""
    named = "\t".join((one["system"], one["config"], one["prompt"], one["id"]))
    return f"failure-{sha256(named.encode('utf-8', 'replace')).hexdigest()[:10]}"


def _highlight(before: str, after: str) -> tuple[str, str]:
    """Return both texts as HTML with the differing words marked."""
    old, new = before.split(" "), after.split(" ")
    left, right = [], []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        was, now = escape(" ".join(old[a:b])), escape(" ".join(new[c:d]))
        left.append(was if tag == "equal" or not was else f"<del>{was}</del>")
        right.append(now if tag == "equal" or not now else f"<mark>{now}</mark>")
    return " ".join(filter(None, left)), " ".join(filter(None, right))


def _truncate(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]} …"

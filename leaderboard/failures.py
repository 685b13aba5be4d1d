"""The failures themselves: what was asked before and after, what the model replied, and why that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from html import escape
from typing import Any

from dnc_leaderboard.record import Cell, Outcome, Record

Failure = Mapping[str, Any]
# What the failures of a page may take together, so that twenty systems stay below two megabytes.
_MAX_BYTES = 600_000
_MAX_OF_A_CELL = 20
_MAX_TEXT = 700


def failures(systems: Sequence[tuple[Record, Sequence[Outcome]]]) -> Iterator[Failure]:
    """Every wrong answer, as the file beside the page holds it."""
    for record, rows in systems:
        cells = {cell.key: cell for cell in record.cells}
        right: dict[tuple[str, str, str], dict[str, bool]] = {}
        for row in rows:
            cell = cells.get(row.cell)
            if cell is not None and not cell.perturbation:
                right.setdefault(_asked(cell), {})[row.id] = row.right
        for row in rows:
            if row.right or not row.text:
                continue
            config, _, prompt = row.cell.partition("|")
            cell = cells.get(row.cell)
            before = right.get(_asked(cell), {}) if cell and row.before else {}
            yield {
                "system": record.system.name,
                "config": config,
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


def _asked(cell: Cell) -> tuple[str, str, str]:
    return cell.dataset, cell.fold, cell.prompt


def _was_right(row: str, originals: Mapping[str, bool]) -> bool:
    """Was the row's original right? A member of a contrast set has its kind behind the original's id.

    >>> _was_right("a-7#append_bool", {"a-7": True})
    True
    """
    while row and row not in originals:
        row = row.rpartition("#")[0]
    return originals.get(row, False)


def section(every: Sequence[Failure]) -> str:
    """The part of the page that shows them, with filters and search."""
    shown = _chosen(every)
    options = {
        "system": dict.fromkeys(one["system"] for one in shown),
        "config": dict.fromkeys(one["config"] for one in shown),
        "cause": dict.fromkeys(cause for one in shown for cause in one["causes"]),
    }
    filters = "".join(_select(name, list(values)) for name, values in options.items())
    return (
        f'<section id="failures"><h2>Failures</h2><p>{len(shown)} of {len(every)} wrong answers; all of them are '
        "in <code>failures.jsonl</code> beside this page. What the perturbation changed is marked.</p>"
        f'<div class="filters">{filters}<label>search <input type="search" data-filter="search"></label>'
        f'<span id="count" role="status"></span></div><div id="cards">{"".join(map(_card, shown))}</div></section>'
    )


def _select(name: str, values: Sequence[str]) -> str:
    options = "".join(f'<option value="{escape(value)}">{escape(value)}</option>' for value in values)
    return (
        f'<label>{name} <select data-filter="{name}"><option value="">all</option>{options}</select></label>'
    )


def _chosen(every: Sequence[Failure]) -> list[Failure]:
    """As many failures of each cell as fit: first what was right before it was perturbed, and what is explained."""
    cells: dict[tuple[str, str, str], list[Failure]] = {}
    for one in every:
        cells.setdefault(_place(one), []).append(one)
    for found in cells.values():
        found.sort(key=lambda one: (not one["right_before"], not one["sentence"]))
    chosen: list[Failure] = []
    left = _MAX_BYTES
    for rank in range(_MAX_OF_A_CELL):
        for found in cells.values():
            if rank < len(found) and left > 0:
                left -= len(_card(found[rank]).encode())
                chosen.append(found[rank])
    return sorted(chosen, key=lambda one: (not one["before"], _place(one)))  # pairs first


def _place(one: Failure) -> tuple[str, str, str]:
    return one["system"], one["config"], one["prompt"]


def _card(one: Failure) -> str:
    before, text = _cut(one["before"]), _cut(one["text"])
    was, now = _marked(before, text) if before else ("", escape(text))
    told = "before, and answered right" if one["right_before"] else "before"
    pair = f"<div><h4>{told}</h4><p>{was}</p></div>" if was else ""
    pair += f"<div><h4>asked</h4><p>{now}</p></div>"
    why = one["sentence"] or ", ".join(one["causes"])
    said = f"<b>gold</b> {escape(one['gold'])} · <b>answer</b> {escape(one['answer'] or one['status'])}"
    reply = f'<p class="reply"><b>reply</b> {escape(_cut(one["reply"]))}</p>' if one["reply"] else ""
    causes = escape("|".join(one["causes"]))
    return (
        f'<article data-system="{escape(one["system"])}" data-config="{escape(one["config"])}" data-cause="{causes}">'
        f"<h3>{escape(one['config'])} <small>{escape(one['id'])} · {escape(one['system'])}</small></h3>"
        f'<div class="pair">{pair}</div><p>{said} · <b>cause</b> {escape(why)}</p>{reply}</article>'
    )


def _marked(before: str, after: str) -> tuple[str, str]:
    """Both texts as HTML with the words that differ marked."""
    old, new = before.split(" "), after.split(" ")
    left, right = [], []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        was, now = escape(" ".join(old[a:b])), escape(" ".join(new[c:d]))
        left.append(was if tag == "equal" or not was else f"<del>{was}</del>")
        right.append(now if tag == "equal" or not now else f"<mark>{now}</mark>")
    return " ".join(filter(None, left)), " ".join(filter(None, right))


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]} …"

"""Submitted results: every claim is re-computed before it is shown.

The rows and hashes are ours, and every reply is scored once more. A record that differs is refused with the
reason. The stored record is the re-computed one.
"""

from __future__ import annotations

import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from dnc_datasets import filesystem
from dnc_datasets.errors import DncError
from dnc_datasets.serving import catalogue
from dnc_datasets.version import __version__
from dnc_harness import data, listing, recording
from dnc_metrics import record, record_builder
from dnc_metrics.record import Cell, Outcome, Provenance, Record, System, by_cell
from dnc_metrics.record_builder import MAX_REPLY

ROWS = "record.rows.jsonl"
# Limits of a submission.
MAX_BYTES = 64 * 1024 * 1024
MAX_CELLS = 500
MAX_BILLIONS = 1_000_000
MAX_FAULT = 200
_SHOWN = 3


class SubmissionError(DncError, ValueError):
    """Raised for a refused submission, with the reason."""


def check(
    files: Sequence[Path],
    built: Path,
    *,
    name: str = "",
    openness: str = "not stated",
    billions: float | None = None,
) -> tuple[Record, list[Outcome]]:
    """Return the record of a submission, re-computed from its replies; raise an error for a refusal."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = _gathered(files, Path(scratch))
        given = record.load(folder)
        outcomes = record.outcomes(
            folder, given, faults=True
        )  # refuses a file whose hash differs from the record's
    called = name.strip() or given.system.name
    if reason := name_fault(called):
        raise SubmissionError(reason)
    if billions is not None and not 0 < billions <= MAX_BILLIONS:
        raise SubmissionError(f"billions of parameters are a number from 0 to {MAX_BILLIONS}")
    if not given.cells or len(given.cells) > MAX_CELLS:
        raise SubmissionError(f"{len(given.cells)} configs; a submission has 1 to {MAX_CELLS}")
    replies = by_cell(outcomes)
    stray = [key for key in replies if key not in {cell.key for cell in given.cells}]
    if stray:
        raise SubmissionError(f"rows of {stray[0]!r:.100}, of which the record says nothing")
    asked = [_asked(cell, replies.get(cell.key, ()), built) for cell in given.cells]
    model: dict[str, Any] = {"openness": openness, "billions": billions}
    system = System(called, given.system.kind, model, given.system.revision[:100])
    # Verdicts use the board's margin, not the submitter's.
    made, computed = record_builder.make(
        system, Provenance("submission", __version__, date=record.today()), asked
    )
    _compare(given, made)
    record.refuse_faults(made)
    return made, computed


def _gathered(files: Sequence[Path], folder: Path) -> Path:
    """Copy the two files to the folder under their standard names, within the size limit."""
    by_end = {ROWS: [], record.FILE_NAME: []}  # type: dict[str, list[Path]]
    for file in files:
        by_end[ROWS if file.suffix == ".jsonl" else record.FILE_NAME].append(file)
    for name, found in by_end.items():
        if len(found) != 1:
            raise SubmissionError(
                f"{len(found)} files for {name}; give {record.FILE_NAME} and {ROWS}, one of each"
            )
        try:
            with filesystem.open_regular(found[0]) as opened:
                content = opened.read(MAX_BYTES + 1)
        except OSError as error:
            raise SubmissionError(f"{name} cannot be read: {error.strerror}; give the file itself") from error
        if len(content) > MAX_BYTES:
            raise SubmissionError(f"{name} is too large; at most {MAX_BYTES} bytes are taken")
        (folder / name).write_bytes(content)
    return folder


def _asked(cell: Cell, outcomes: Sequence[Outcome], built: Path) -> record_builder.Asked:
    """Return the cell with its replies scored once more, if they are complete and for our rows."""
    variant = catalogue.find(cell.config)
    if cell.prompt not in listing.PROMPTS:
        raise SubmissionError(
            f"{cell.config}: prompt {cell.prompt!r:.60}; it is {', '.join(listing.PROMPTS)}"
        )
    counts = Counter(one.id for one in outcomes)
    double = [row for row, count in counts.items() if count > 1]
    if double:
        raise SubmissionError(f"{cell.config}: {_some(double)} given more than once")
    rows = data.splits_for(cell.prompt)
    ids = [row["id"] for row in rows(variant.name, dnc_data=str(built))["test"]]
    missing = [row for row in ids if row not in counts]
    if missing:
        raise SubmissionError(f"{cell.config}: {_some(missing)} missing, of {len(ids)}; all rows are needed")
    unknown = sorted(counts.keys() - set(ids))
    if unknown:
        raise SubmissionError(f"{cell.config}: {_some(unknown)} no row of it")
    ours = data.provenance(variant, built)["sha256"]
    if cell.data.get("sha256") != ours:
        raise SubmissionError(
            f"{cell.config}: the rows' hash is {str(cell.data.get('sha256'))[:12]!r}, and that of our rows is "
            f"{ours[:12]!r}; score version {__version__}'s rows"
        )
    cut = [one.id for one in outcomes if len(one.reply) >= MAX_REPLY]
    if cut:
        raise SubmissionError(f"{cell.config}: the reply to {_some(cut)} cut off, and cannot be scored again")
    replies = {one.id: [_reply(one)] for one in outcomes}
    return recording.asked(variant, cell.prompt, replies, built)


def _reply(outcome: Outcome) -> recording.Reply:
    if outcome.status == record.FAULT:
        return recording.Reply("", fault=outcome.fault[:MAX_FAULT] or "not stated")
    return recording.Reply(outcome.reply, outcome.cut_off)


def _compare(given: Record, made: Record) -> None:
    """Raise an error if the record differs from the result of its replies."""
    for theirs, ours in zip(given.cells, made.cells, strict=True):
        for what in ("right", "rows", "changed", "scores", "statuses"):
            said, found = getattr(theirs, what), getattr(ours, what)
            if not _same(said, found):
                raise SubmissionError(
                    f"{theirs.config}: the record says {what} {_short(said)}, and the replies give {_short(found)}"
                )
    claims = {_key(table): {line.name: line.drop for line in table.lines} for table in given.tables}
    for table in made.tables:
        for line in table.lines:
            said = claims.get(_key(table), {}).get(line.name)
            if (said is None) != (line.drop is None) or not _same({"": said or 0.0}, {"": line.drop or 0.0}):
                raise SubmissionError(
                    f"{table.dataset} {line.name}: the record says a drop of {said}, and the replies give {line.drop}"
                )


def _same(said: Any, found: Any) -> bool:
    if isinstance(found, Mapping):
        return said.keys() == found.keys() and all(abs(said[key] - found[key]) < 1e-9 for key in found)
    return bool(said == found)


def _key(table: record.Table) -> tuple[str, str, str, str]:
    return table.dataset, table.fold, table.setting, table.prompt


def _short(value: Any) -> str:
    text = str(dict(value)) if isinstance(value, Mapping) else str(value)
    return text if len(text) <= 120 else f"{text[:120]}..."


def _some(ids: Sequence[str]) -> str:
    shown = ", ".join(f"{one:.40}" for one in ids[:_SHOWN])
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return f"row{'s' if len(ids) > 1 else ''} {shown}{more} {'are' if len(ids) > 1 else 'is'}"


def place(found: Record) -> str:
    """Return the name of a submission's folder: the system's, made safe, and a hash of all but the date."""
    slug = re.sub(r"[^\w.-]+", "-", found.system.name, flags=re.ASCII).strip(".-")[:60] or "system"
    undated = replace(found, rows=None, made=replace(found.made, date=""))
    return f"{slug}-{sha256(undated.text().encode()).hexdigest()[:12]}"


MAX_NAME = 80
# Invisible letters that Unicode does not classify as spaces.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")
# Cyrillic and Greek letters with the shape of a Latin one.
_LATIN_SHAPES = frozenset(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd"
)


def name_fault(name: str) -> str:
    """Return the reason why a name is refused, empty if it is valid.

    >>> name_fault("Llama 3.1 (8B)"), name_fault("Modell-\u00e4")
    ('', '')
    >>> name_fault("GPT\u200b-4")
    'the name holds U+200B, which cannot be seen'
    """
    if not name or len(name) > MAX_NAME:
        return f"the name has {len(name)} characters; it has 1 to {MAX_NAME} printable characters"
    if name != name.strip() or "  " in name:
        return "the name has spaces at an end, or several in a row"
    for character in name:
        category = unicodedata.category(character)
        shown = f"U+{ord(character):04X}"
        if category in ("Cc", "Cf", "Cs", "Co", "Cn") or character in _BLANK or _is_selector(character):
            return f"the name holds {shown}, which cannot be seen"
        if category[0] == "Z" and character != " ":
            return f"the name holds the space {shown}; use the plain space"
    if unicodedata.normalize("NFKC", name) != unicodedata.normalize("NFC", name):
        return "the name holds letters that look like others (full width, styled); use the plain ones"
    if not name[0].isalnum():
        return "the name begins with a letter or a digit"
    return _mixed(name)


def _is_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _mixed(name: str) -> str:
    """Return a reason if a word mixes Latin with Greek or Cyrillic letters, or has only look-alikes."""
    for word in "".join(one if one.isalnum() else " " for one in name).split():
        scripts = {unicodedata.name(one, "").partition(" ")[0] for one in word if one.isalpha()}
        if len(scripts & {"LATIN", "GREEK", "CYRILLIC"}) > 1:
            return f"the word {word!r} mixes alphabets whose letters look alike"
        letters = {one for one in word if one.isalpha()}
        if letters and letters <= _LATIN_SHAPES:
            return f"the word {word!r} has letters that look like Latin ones; use Latin letters"
    return ""

"""Which rows belong together: those of one template, passage, table, conversation or original problem.

They rise and fall together, so that every test and interval takes them as one piece of evidence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from dnc_datasets.remembering import remembered

# Notes of a source that name what its rows share.
_NOTES = ("template", "passage", "conversation", "seed_problem")


def cluster(row: Mapping[str, Any]) -> str:
    """What the row belongs to, by its columns; the same for an original and all that was made of it.

    >>> cluster({"id": "a", "body": "Tom had 3 pens.", "meta": '{"template": "pens-1"}'})
    'template pens-1'
    >>> cluster({"id": "a", "body": "Tom had 3 pens.", "original_id": "b"})
    'b'
    """
    source = row.get("source") or row
    notes = _notes(source.get("meta") or row.get("meta"))
    for name in _NOTES:
        if notes.get(name):
            return f"{name} {_short(str(notes[name]))}"
    shared = (source.get("table") or (), source.get("segments") or ())
    if any(shared):
        return f"text {_short(json.dumps([list(map(list, shared[0])), list(shared[1])]))}"
    return str(row.get("original_id") or row["id"])


def _notes(meta: object) -> Mapping[str, Any]:
    if isinstance(meta, str):
        return _decoded(meta)
    return meta if isinstance(meta, Mapping) else dict(meta) if isinstance(meta, (list, tuple)) else {}


@remembered
def _decoded(meta: str) -> Mapping[str, Any]:
    found = json.loads(meta)
    return found if isinstance(found, dict) else {}


def _short(text: str) -> str:
    return text if len(text) <= 64 else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

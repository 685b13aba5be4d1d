"""Lines of JSON: every error names the file and the line; a journal loses only the line that was cut."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_datasets import json_lines
from dnc_datasets.errors import DncError, SourceError

_OBJECTS = st.lists(st.dictionaries(st.text(), st.integers() | st.text()), max_size=5)


def test_blank_lines_count_and_a_mark_of_order_goes(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 0.10}\n\n{"a": 2}\r\n')
    assert list(json_lines.objects(path)) == [(1, {"a": 0.1}), (3, {"a": 2})]
    assert list(json_lines.objects(path, exact=True)) == [(1, {"a": "0.10"}), (3, {"a": "2"})]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"{", "line 2: not JSON"),
        (b"[1]", "line 2: list instead of an object"),
        (b"7", "line 2: int instead of an object"),
        (b'{"a": "\xff"}', "line 2: not UTF-8"),
        (b"[" * 100_000, "line 2: not JSON"),
    ],
    ids=["torn", "list", "number", "latin-1", "deep"],
)
def test_error_names_the_line(tmp_path: Path, line: bytes, told: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"{}\n" + line + b"\n")
    with pytest.raises(SourceError, match=rf"rows\.jsonl, {told}"):
        list(json_lines.objects(path, error=SourceError))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(DncError, match=r"none\.jsonl cannot be read"):
        list(json_lines.objects(tmp_path / "none.jsonl"))


@given(_OBJECTS, st.integers(0, 40))
def test_journal_loses_only_what_was_cut(written: list[dict[str, object]], cut: int) -> None:
    data = "".join(f"{json.dumps(one)}\n" for one in written).encode()
    kept = data[: max(0, len(data) - cut)]
    whole = kept.count(b"\n") + (kept.endswith(b"}") and kept != data)
    assert list(json_lines.unbroken(kept.splitlines()))[:whole] == written[:whole]

"""JSON of other people: bounded, cleaned, and with one kind of failure that names the place and the remedy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dnc_datasets import json_lines, untrusted
from dnc_datasets.errors import DncError, SourceError

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | st.text(),
    lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    max_leaves=20,
)
_OBJECTS = st.lists(st.dictionaries(st.text(), st.integers(-(2**53), 2**53) | st.text()), max_size=5)


@dataclass(frozen=True)
class Leaf:
    """A dataclass within another one."""

    share: float


@dataclass(frozen=True)
class Tree:
    """A dataclass with each kind of field that records have."""

    name: str
    count: int = 0
    leaves: tuple[Leaf, ...] = ()
    pair: tuple[float, float] | None = None
    others: Mapping[str, Any] = field(default_factory=dict)


@given(_JSON)
def test_values_within_bounds_are_read_as_written(value: Any) -> None:
    assert untrusted.parse(json.dumps(value).encode(), "a file") == value


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "not JSON"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"[" * 100_000, "not JSON of at most 64 levels|not JSON"),
        (b"[" * 70 + b"]" * 70, "has more than 64 levels"),
        (b'{"a": [NaN]}', "holds NaN"),
        (b'{"a": [0, -Infinity]}', "holds -Infinity"),
        (b'{"a": [0, 1e999]}', r"a\[1\] is not a finite number"),
        (b'{"a": {"b": 9007199254740993}}', r"a\.b is an integer above 2\^53"),
        (b"1" + b"0" * 5000, "not JSON|integer above"),
        (b"[1e999, " + b"[" * 3000, "a number is out of bounds"),
        (b"[1e999, }", "a number is out of bounds"),
        (b"[" + b"[]," * untrusted.MAX_VALUES + b"[]]", "more than 4000000 values"),
    ],
    ids=range(12),
)
def test_a_value_out_of_bounds_is_an_error_with_place_and_remedy(data: bytes, message: str) -> None:
    with pytest.raises(SourceError, match=message) as raised:
        untrusted.parse(data, "x.json", error=SourceError, remedy="ask its author")
    assert str(raised.value).startswith("x.json")
    assert str(raised.value).endswith(("ask its author", "save the file as UTF-8"))


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "large.json").write_bytes(b" " * 1000)
    with pytest.raises(DncError, match="more than 999 bytes"):
        untrusted.read_json(tmp_path / "large.json", max_bytes=999)
    with pytest.raises(DncError, match=r"none\.json cannot be read"):
        untrusted.read_json(tmp_path / "none.json")


def test_exact_numbers_remain_text() -> None:
    assert untrusted.parse(b'[0.10, 9007199254740993, 1e999, NaN]', "x", exact=True) == [
        "0.10", "9007199254740993", "1e999", "NaN",
    ]  # fmt: skip


@given(st.text(st.characters(exclude_categories=()), max_size=30))
def test_every_text_can_be_written_and_a_name_has_no_hidden_characters(text: str) -> None:
    data = json.dumps({text: text}).encode()
    (cleaned,) = untrusted.parse(data, "x").values()
    assert cleaned.encode().decode() == cleaned
    ((key, name),) = untrusted.parse(data, "x", names=True).items()
    assert key == name == untrusted.clean_name(name)
    assert not set(name) & set("\x00\x1b\x7f\x9b\u200b\u202e\u2066\ufeff\U000e0041")


def test_a_dataclass_of_plain_values() -> None:
    value = {"name": "a", "leaves": [{"share": 1}], "pair": [0, 1], "others": {"k": [None]}}
    assert untrusted.convert(value, Tree, "tree") == Tree("a", 0, (Leaf(1.0),), (0.0, 1.0), {"k": [None]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": None}, "tree.name is null instead of a text"),
        ({"count": True}, "tree.count is true or false instead of an integer"),
        ({"count": "2"}, "tree.count is a text instead of an integer"),
        ({"leaves": {}}, "tree.leaves is an object instead of a list"),
        ({"leaves": [{}]}, "tree.leaves[0].share is missing"),
        ({"leaves": [{"share": 1, "shape": 2}]}, "tree.leaves[0] has an unknown field 'shape'"),
        ({"more": 1}, "tree has an unknown field 'more'"),
        ({"pair": [1]}, "tree.pair"),
    ],
    ids=str,
)
def test_a_field_that_does_not_fit_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SourceError) as raised:
        untrusted.convert({"name": "a", **change}, Tree, "tree", SourceError)
    assert message in str(raised.value)


@given(_JSON)
def test_any_value_is_the_dataclass_or_an_error(value: Any) -> None:
    with pytest.raises(DncError):
        untrusted.convert([value], Tree, "tree")


def test_blank_lines_count_and_a_mark_of_order_goes(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 0.10}\n\n{"a": 2}\r\n')
    assert list(json_lines.objects(path)) == [(1, {"a": 0.1}), (3, {"a": 2})]
    assert list(json_lines.objects(path, exact=True)) == [(1, {"a": "0.10"}), (3, {"a": "2"})]


@pytest.mark.parametrize(
    ("line", "stated"),
    [
        (b"{", "line 2: not JSON"),
        (b"[1]", "line 2: list instead of an object"),
        (b"7", "line 2: int instead of an object"),
        (b'{"a": "\xff"}', "line 2: not UTF-8"),
        (b"[" * 100_000, "line 2: not JSON"),
    ],
    ids=["torn", "list", "number", "latin-1", "deep"],
)
def test_error_names_the_line(tmp_path: Path, line: bytes, stated: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"{}\n" + line + b"\n")
    with pytest.raises(SourceError, match=rf"rows\.jsonl, {stated}"):
        list(json_lines.objects(path, error=SourceError))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(DncError, match=r"none\.jsonl cannot be read"):
        list(json_lines.objects(tmp_path / "none.jsonl"))


@given(_OBJECTS, st.integers(0, 40))
@example([{"": "}0"}], 5)
def test_journal_loses_only_what_was_cut(written: list[dict[str, object]], cut: int) -> None:
    lines = [f"{json.dumps(one)}\n".encode() for one in written]
    data = b"".join(lines)
    kept = data[: max(0, len(data) - cut)]
    ends = [sum(map(len, lines[: at + 1])) - 1 for at in range(len(lines))]
    whole = sum(end <= len(kept) for end in ends)  # the last one may have lost its line break
    assert list(json_lines.unbroken(kept.splitlines()))[:whole] == written[:whole]

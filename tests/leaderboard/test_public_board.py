"""A public leaderboard: names, limits of a check, rates and quotas of clients, and its own margin."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dnc_harness import submission
from dnc_harness.submission import SubmissionError
from dnc_leaderboard import board, checking
from dnc_leaderboard.admission import Gate, Rate, Uploads
from dnc_metrics import record, verdicts
from dnc_metrics.record import Outcome, Record

Systems = list[tuple[Record, list[Outcome]]]


@pytest.mark.parametrize(
    "name", ["Llama 3.1 (8B)", "gpt-4o", "Qwen2.5", "通义千问", "Модель", "modèle_7", "T5+LoRA"]
)
def test_ordinary_names_are_taken(name: str) -> None:
    assert submission.name_fault(name) == ""


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "1 to 80"), ("x" * 81, "1 to 80"), ("a\x1b[31m", "U+001B"), ("a\x9bb", "U+009B"), ("a\u202eb", "U+202E"),
        ("GPT\u200b4", "U+200B"), ("a\u2066b", "U+2066"), ("a\ud83d", "U+D83D"), ("a\u00a0b", "U+00A0"),
        ("a\u3000b", "U+3000"), ("a  b", "several"), (" a", "spaces"), ("a\nb", "U+000A"), ("=1+1", "begins"),
        ("\uff27PT", "look like"), ("GP\u0422-4", "mixes"), ("gpt-4\u043e", "Latin"), ("a\u3164", "U+3164"),
        ("a\ufe0f", "U+FE0F"), ("a\U000e0041", "U+E0041"), ("<script>", "begins"),
    ],
)  # fmt: skip
def test_names_that_deceive_are_refused(name: str, reason: str) -> None:
    assert reason in submission.name_fault(name)


def test_a_client_has_its_rate_and_all_together_have_theirs() -> None:
    now = [0.0]
    rate = Rate(per_client=2, in_all=3, seconds=60, clock=lambda: now[0])
    assert [rate.allows("a") for _ in range(3)] == [True, True, False]
    assert [rate.allows(name) for name in "bcd"] == [True, False, False]
    now[0] = 60.0
    assert rate.allows("a")
    assert rate.allows("c", amount=2)
    assert not rate.allows("d")


def test_uploads_expire_and_the_oldest_go_above_the_quota(tmp_path: Path) -> None:
    for at, name in enumerate(("expired", "old", "new")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "record.json").write_bytes(b"x" * 600)
        for path in (tmp_path / name / "record.json", tmp_path / name):
            os.utime(path, (1000 * at, 1000 * at))
    Uploads(tmp_path, seconds=1500, max_bytes=1000).sweep(now=2000)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


@pytest.mark.parametrize(
    ("calls", "length", "statuses"), [(3, b"10", [200, 200, 429]), (1, b"99", [413]), (1, b"", [413])]
)
def test_uploads_pass_a_gate(tmp_path: Path, calls: int, length: bytes, statuses: list[int]) -> None:
    sent: list[int] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def send(message: Any) -> None:
        sent.extend([message["status"]] if "status" in message else [])

    gate = Gate(inner, rate=Rate(9, 9, 60), volume=Rate(20, 99, 60), uploads=Uploads(tmp_path), max_bytes=50)
    headers = [(b"content-length", length)] if length else []
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/gradio_api/upload",
        "headers": headers,
        "client": ("h", 1),
    }
    for _ in range(calls):
        asyncio.run(gate(scope, None, send))
    assert sent == statuses


def test_the_margin_is_the_boards(systems: Systems, tmp_path: Path) -> None:
    found, rows = systems[1]
    generous = tuple(replace(table, margin=0.9) for table in found.tables)
    record.write(replace(found, tables=generous), rows, tmp_path / "one")
    (entry,) = board.load(tmp_path)[0]
    assert {table.margin for table in entry.found.tables} == {verdicts.MARGIN}


def test_a_check_has_limits(systems: Systems, tmp_path: Path) -> None:
    found, rows = systems[1]
    record.write(found, rows, tmp_path / "one")
    files = [tmp_path / "one" / record.FILE_NAME, tmp_path / "one" / submission.ROWS]
    given: dict[str, Any] = {"name": "steady", "openness": "open", "billions": None}
    with pytest.raises(SubmissionError, match=r"rows .* missing"):
        checking.check(files, tmp_path / "none", tmp_path / "out", **given)
    with pytest.raises(SubmissionError, match=r"within 0\.1 seconds"):
        checking.check(files, tmp_path / "none", tmp_path / "out", seconds=0.1, **given)
    files[1].write_text(json.dumps([[]] * 200_000), encoding="utf-8")
    with pytest.raises(SubmissionError):
        checking.check(files, tmp_path / "none", tmp_path / "out", memory=2**28, **given)
    assert not (tmp_path / "out").exists()

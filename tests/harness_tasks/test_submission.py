"""A submission is taken when every claim of it holds; each thing that is wrong is refused with its own message."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from dnc_datasets.cli import main
from dnc_datasets.errors import DncError
from dnc_harness import data, submission
from dnc_harness.submission import SubmissionError
from dnc_metrics import record

CONFIGS = ("tiny_tables", "tiny_tables-verbosity-attack")
Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `dnc score` writes of a system that is wrong twice in each config."""
    folder = tmp_path_factory.mktemp("submission")
    lines = []
    for config in CONFIGS:
        for at, doc in enumerate(data.splits(config, dnc_data=str(folder / "none"))["test"]):
            reply = "I cannot tell." if at < 2 else f"The answer is {doc['answer']}."
            lines.append(json.dumps({"config": config, "id": doc["id"], "output": reply}))
    (folder / "replies.jsonl").write_text("\n".join(lines), encoding="utf-8")
    words = ["--data", str(folder / "none"), "--out", str(folder / "out"), "--name", "mine"]
    assert main(["score", str(folder / "replies.jsonl"), *words]) == 0
    return folder / "out"


def changed(
    good: Path,
    out: Path,
    *,
    rows: Callable[[Lines], object] | None = None,
    claims: Callable[[dict[str, Any]], object] | None = None,
) -> list[Path]:
    """The two files after such a change; the hash of the rows is written once more, as a careful cheat would."""
    lines = [json.loads(line) for line in (good / submission.ROWS).read_text(encoding="utf-8").splitlines()]
    found = json.loads((good / record.FILE_NAME).read_text(encoding="utf-8"))
    if rows:
        rows(lines)
    content = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    found["rows"] |= {"sha256": sha256(content).hexdigest(), "count": len(lines)}
    if claims:
        claims(found)
    out.mkdir(exist_ok=True)
    (out / submission.ROWS).write_bytes(content)
    (out / record.FILE_NAME).write_text(json.dumps(found), encoding="utf-8")
    return [out / record.FILE_NAME, out / submission.ROWS]


def test_a_good_one_is_computed_again(good: Path, tmp_path: Path) -> None:
    files = [good / record.FILE_NAME, good / submission.ROWS]
    found, outcomes = submission.check(files, tmp_path / "none", name="Mine 2", openness="open", billions=7.0)
    before = record.load(good)
    assert found.system.name == "Mine 2"
    assert dict(found.system.model) == {"openness": "open", "billions": 7.0}
    assert [cell.scores for cell in found.cells] == [cell.scores for cell in before.cells]
    assert found.tables == before.tables
    assert len(outcomes) == sum(cell.rows for cell in found.cells)
    assert main(["leaderboard", "check", str(good), "--data", str(tmp_path / "none")]) == 0


@pytest.mark.parametrize("billions", [10**400, -1, float("nan"), float("inf")])
def test_a_size_that_is_no_size_is_refused(good: Path, tmp_path: Path, billions: float) -> None:
    files = [good / record.FILE_NAME, good / submission.ROWS]
    with pytest.raises(submission.SubmissionError, match="billions"):
        submission.check(files, tmp_path / "none", billions=billions)


def raised(found: dict[str, Any]) -> None:
    found["cells"][1]["scores"]["answer_lenient"] = 1.0
    found["cells"][1]["right"] = found["cells"][1]["rows"]


def softened(found: dict[str, Any]) -> None:
    found["tables"][0]["lines"][0]["drop"] = -0.5


def wrong_to_right(lines: Lines) -> None:
    for line in lines:
        line["right"] = True
        line["status"] = "right"
        line.pop("scores", None)


CASES: dict[str, tuple[dict[str, Any], str]] = {
    "edited score": ({"claims": raised}, "attack: the record says right 332, and the replies give 330"),
    "edited drop": ({"claims": softened}, "the record says a drop of -0.5, and the replies give 0.0"),
    "missing id": ({"rows": lambda lines: lines.pop(3)}, "missing, of 332; all rows are needed"),
    "double id": ({"rows": lambda lines: lines.append(lines[3])}, "given more than once"),
    "unknown id": ({"rows": lambda lines: lines.append({**lines[3], "id": "else"})}, "row else is no row of it"),
    "wrong hash of the file": (
        {"claims": lambda found: found["rows"].update(sha256="0" * 64)},
        "its checksum differs",
    ),
    "wrong hash of the rows": (
        {"claims": lambda found: found["cells"][0]["data"].update(sha256="0" * 64)},
        "tiny_tables: the rows' hash is '000000000000', and that of our rows is",
    ),
    "rows of a cell that is not named": (
        {"rows": lambda lines: lines.append({**lines[3], "cell": "tiny|direct"})},
        "of which the record says nothing",
    ),
    "another config": (
        {"claims": lambda found: found["cells"][0].update(config="../../etc")},
        "rows of 'tiny_tables|direct'",
    ),
    "a prompt that is none": (
        {
            "claims": lambda found: found["cells"][0].update(prompt="<b>"),
            "rows": lambda lines: [
                line.update(cell="tiny_tables|<b>") for line in lines if line["cell"] == "tiny_tables|direct"
            ],
        },
        "prompt '<b>'",
    ),
    "a reply that was cut": (
        {"rows": lambda lines: lines[0].update(reply="x" * submission.MAX_REPLY)},
        "cut off",
    ),
    "a name of many characters": (
        {"claims": lambda found: found["system"].update(name="x" * 81)},
        "1 to 80 printable characters",
    ),
    "NaN": ({"claims": lambda found: found["cells"][0]["scores"].update(answer_lenient=float("nan"))}, "NaN"),
    "another schema": ({"claims": lambda found: found.update(schema="dnc-record/9")}, "schema"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_refused_with_its_own_message(good: Path, tmp_path: Path, case: str) -> None:
    changes, message = CASES[case]
    files = changed(good, tmp_path / "sent", **changes)
    with pytest.raises(DncError) as error:
        submission.check(files, tmp_path / "none")
    assert message in str(error.value)


def test_what_outcomes_claim_of_themselves_does_not_count(good: Path, tmp_path: Path) -> None:
    files = changed(good, tmp_path / "sent", rows=wrong_to_right)
    found, outcomes = submission.check(files, tmp_path / "none")
    assert [cell.right for cell in found.cells] == [330, 330]
    assert sum(one.right for one in outcomes) == 660


def test_files_that_are_too_many_too_few_or_too_long(
    good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [good / record.FILE_NAME, good / submission.ROWS]
    for some in ([], files[:1], [*files, files[1]]):
        with pytest.raises(SubmissionError, match="one of each"):
            submission.check(some, tmp_path)
    monkeypatch.setattr(submission, "MAX_BYTES", 100)
    with pytest.raises(SubmissionError, match="at most 100"):
        submission.check(files, tmp_path)


def test_the_folder_s_name_is_safe(good: Path) -> None:
    from dataclasses import replace

    found = record.load(good)
    hostile = replace(found, system=replace(found.system, name="../../<script>/.."))
    assert "/" not in submission.place(hostile)
    assert not submission.place(hostile).startswith(".")

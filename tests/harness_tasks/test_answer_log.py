"""The log of answers survives kills at any byte, and never mixes up requests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnc_harness import evaluate
from dnc_harness.answer_log import AnswerLog, Request
from dnc_harness.errors import HarnessError
from dnc_harness.logged_model import attach
from dnc_metrics.record import Record

GREEDY: dict[str, Any] = {"do_sample": False, "temperature": 0.0, "max_gen_toks": 8}
HERE = Path(__file__).parent
PROGRAM = "import sys, scripted; from dnc_datasets.cli import main; sys.exit(main(sys.argv[1:]))"
TASKS = ("dnc_tiny_original", "dnc_tiny_type_attack", "dnc_tiny_order_attack")


def _request(row: str, task: str = "t", **options: Any) -> Request:
    return Request(task, row, f"question {row}", {**GREEDY, **options})


def test_a_link_in_place_of_the_log_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("unchanged")
    (tmp_path / "log.jsonl").symlink_to(tmp_path / "outside.txt")
    with pytest.raises(HarnessError, match="cannot be written"):
        AnswerLog(tmp_path / "log.jsonl")
    assert (tmp_path / "outside.txt").read_text() == "unchanged"


def test_what_is_added_is_read_again(tmp_path: Path) -> None:
    log = AnswerLog(tmp_path / "a" / "log.jsonl")
    log.add([_request("1"), _request("1", task="u")], "line\nbreak \ud800 ✓")
    log.add([_request("2")], "")
    log.close()
    again = AnswerLog(log.path)
    assert again.replies == log.replies == {_request("1").key: "line\nbreak \ufffd ✓", _request("2").key: ""}
    again.add([_request("1")], "line\nbreak \ud800 ✓")
    again.close()
    assert len(log.path.read_text().splitlines()) == 3, "a row is logged once"


def test_a_reply_that_was_cut_off_stays_so(tmp_path: Path) -> None:
    log = AnswerLog(tmp_path / "log.jsonl")
    log.add([_request("1")], "So 3 +", cut_off=True)
    log.add([_request("1", task="u")], "So 3 +")
    log.add([_request("2")], "7")
    log.close()
    again = AnswerLog(log.path)
    assert again.cut_off == log.cut_off == {("t", "1", "So 3 +"), ("u", "1", "So 3 +")}
    again.close()


def test_several_times_are_several_requests_only_where_a_model_samples() -> None:
    first, second = (Request("t", "1", "q", GREEDY, time) for time in (0, 1))
    assert first.key == second.key
    first, second = (Request("t", "1", "q", {"temperature": 0.7}, time) for time in (0, 1))
    assert first.key != second.key


def test_a_reply_as_long_as_the_limit_is_cut_off(tmp_path: Path) -> None:
    class Model:
        """Answers every question with as many words as the question has."""

        @staticmethod
        def tokenizer(text: str, add_special_tokens: bool) -> dict[str, list[str]]:
            return {"input_ids": text.split()}

        def set_cache_hook(self, hook: Any) -> None:
            pass

        def generate_until(self, instances: list[Any]) -> list[str]:
            return [instance.args[0] for instance in instances]

    questions = ("one two", "one two three four five six seven eight")
    instances = [
        SimpleNamespace(args=(text, GREEDY), task_name="t", doc={"id": str(at)})
        for at, text in enumerate(questions)
    ]
    log = AnswerLog(tmp_path / "log.jsonl")
    attach(Model(), log).generate_until(instances)
    log.close()
    assert log.cut_off == {("t", "1", questions[1])}


@given(st.lists(st.text(max_size=20), max_size=6), st.data())
def test_a_log_cut_at_any_byte_loses_at_most_the_torn_line(replies: list[str], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.jsonl")
        log = AnswerLog(path)
        for row, reply in enumerate(replies):
            log.add([_request(str(row))], reply)
        log.close()
        whole = path.read_bytes()
        cut = data.draw(st.integers(0, len(whole)))
        path.write_bytes(whole[:cut])
        again = AnswerLog(path)
        # A line that lacks nothing but its line break is complete.
        complete = sum(cut >= end - 1 for end in _line_ends(whole))
        assert again.replies == {_request(str(row)).key: replies[row] for row in range(complete)}
        again.add([_request("new")], "fresh")
        again.close()
        last = AnswerLog(path)
        assert last.replies == {**again.replies}
        last.close()


def _line_ends(data: bytes) -> list[int]:
    return [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]


def test_foreign_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"task": "t"}\n[]\nnull\nnonsense\n{"task": "t", "row": "1", "request": "k", "reply": "7"}\n'
    )
    log = AnswerLog(path)
    assert log.replies == {"k": "7"}
    log.close()


def test_two_writers_at_once_are_refused(tmp_path: Path) -> None:
    log = AnswerLog(tmp_path / "log.jsonl")
    with pytest.raises(HarnessError, match="another process is writing"):
        AnswerLog(log.path)
    log.close()
    AnswerLog(log.path).close()


def test_rows_with_the_same_text_share_a_key_only_where_decoding_is_greedy() -> None:
    first = Request("t", "1", "same", GREEDY)
    assert first.key == Request("u", "2", "same", GREEDY).key
    assert first.key != Request("t", "1", "same", {**GREEDY, "max_gen_toks": 9}).key
    sampled = {**GREEDY, "do_sample": True, "temperature": 0.7}
    assert Request("t", "1", "same", sampled).key != Request("t", "2", "same", sampled).key


class _Instance:
    def __init__(self, row: str, context: str, options: dict[str, Any]) -> None:
        self.args = (context, options)
        self.doc = {"id": row}
        self.task_name = "t"


class _Model:
    """Replies with a running number; `reports` says whether it tells the hook as it goes."""

    def __init__(self, reports: bool, fails_after: int = 99) -> None:
        self.asked, self.reports, self.fails_after = 0, reports, fails_after

    def set_cache_hook(self, hook: Any) -> None:
        self.hook = hook

    def generate_until(self, instances: list[_Instance]) -> list[str]:
        replies = []
        for instance in instances:
            if self.asked == self.fails_after:
                raise TimeoutError("no reply in 300 s")
            self.asked += 1
            replies.append(f"{instance.args[0]} reply {self.asked}")
            if self.reports:
                # Backends may hand on options that they have changed.
                self.hook.add_partial("generate_until", (instance.args[0], {}), replies[-1])
        return replies


@pytest.mark.parametrize("reports", [True, False])
def test_the_same_text_is_asked_once_and_answered_everywhere(tmp_path: Path, reports: bool) -> None:
    model = _Model(reports)
    log = AnswerLog(tmp_path / "log.jsonl")
    rows = [_Instance("1", "x", GREEDY), _Instance("2", "y", GREEDY), _Instance("3", "x", GREEDY)]
    assert attach(model, log).generate_until(rows) == ["x reply 1", "y reply 2", "x reply 1"]
    assert model.generate_until(rows[:2]) == ["x reply 1", "y reply 2"]
    assert model.asked == 2
    log.close()
    assert [json.loads(line)["row"] for line in log.path.read_text().splitlines()] == ["1", "3", "2"]


def test_sampled_replies_are_each_row_its_own(tmp_path: Path) -> None:
    sampled = {**GREEDY, "do_sample": True}
    log = AnswerLog(tmp_path / "log.jsonl")
    model = attach(_Model(True), log)
    rows = [_Instance("1", "x", sampled), _Instance("2", "x", sampled)]
    assert model.generate_until(rows) == ["x reply 1", "x reply 2"]
    log.close()
    assert attach(_Model(True, 0), AnswerLog(log.path)).generate_until(rows) == ["x reply 1", "x reply 2"]


def test_one_text_with_two_sets_of_options_is_not_mixed_up(tmp_path: Path) -> None:
    log = AnswerLog(tmp_path / "log.jsonl")
    longer = {**GREEDY, "max_gen_toks": 99}
    rows = [_Instance("1", "x", GREEDY), _Instance("1", "x", longer)]
    assert attach(_Model(True), log).generate_until(rows) == ["x reply 1", "x reply 2"]
    log.close()
    again = AnswerLog(log.path)
    assert again.replies[Request("t", "1", "x", longer).key] == "x reply 2"
    again.close()


def test_a_model_that_fails_keeps_what_it_has_answered(tmp_path: Path) -> None:
    log = AnswerLog(tmp_path / "log.jsonl")
    rows = [_Instance(str(row), f"q{row}", GREEDY) for row in range(5)]
    with pytest.raises(HarnessError, match=r"TimeoutError: no reply in 300 s.*run the same command again"):
        attach(_Model(True, fails_after=3), log).generate_until(rows)
    model = _Model(True)
    assert len(attach(model, log).generate_until(rows)) == 5
    assert model.asked == 2
    log.close()


def _start(out: Path, notes: Path, delay: float) -> subprocess.Popen[bytes]:
    arguments = f"script=wrong_where_perturbed,delay={delay},notes={notes}"
    words = ["eval", "--model", "scripted", "--model-args", arguments, "--tasks", ",".join(TASKS)]
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words, "--limit", "40", "--out", str(out)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(HERE), os.environ.get("PYTHONPATH", "")))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def test_killed_and_started_again_it_asks_only_what_is_missing(
    tmp_path: Path, run: Callable[..., Record]
) -> None:
    out, log = tmp_path / "killed", tmp_path / "killed" / evaluate.LOG
    notes = tmp_path / "asked.txt"
    process = _start(out, notes, 0.05)
    deadline = time.monotonic() + 60
    while len(_lines(log)) < 15:
        assert process.poll() is None, process.communicate()[1].decode()[-2000:]
        assert time.monotonic() < deadline, "no answers were logged"
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if process.stderr:
        process.stderr.close()
    assert process.returncode == -signal.SIGKILL
    logged, asked = _lines(log), _lines(notes)
    rows_logged = {(line["task"], line["row"]) for line in map(json.loads, logged)}
    assert not (out / "record.json").exists()

    process = _start(out, notes, 0.05)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors.decode()[-2000:]
    again = _lines(notes)[len(asked) :]
    assert again, "the killed process had not finished"
    assert not {tuple(line.split("\t")) for line in again} & rows_logged, "a logged row was asked again"
    assert _lines(log)[: len(logged)] == logged, "the log is only ever added to"

    whole = run("wrong_where_perturbed", *TASKS, out="whole", limit=40)
    found = json.loads((out / "record.json").read_text())
    wanted = json.loads(whole.text())
    assert found["cells"] == wanted["cells"]
    assert found["tables"] == wanted["tables"]
    results, expected = (
        json.loads((tmp_path / name / evaluate.RESULTS).read_text()) for name in ("killed", "whole")
    )
    assert results["results"] == expected["results"]

"""A command replaces only files that it wrote, in its own folder, while nobody else writes there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dnc_datasets import atomic, filesystem, owned_folder
from dnc_datasets.errors import OutputError
from dnc_datasets.owned_folder import LOCK, MARK, OwnedFolder
from dnc_metrics import record
from dnc_metrics.record import Provenance, Record, System

OUTSIDE = (
    "../thesis.txt",
    "a/../../thesis.txt",
    "/thesis.txt",
    "link/thesis.txt",
    "a\\b",
    "a\0b",
    "",
    ".",
    MARK,
)


@pytest.mark.parametrize("name", OUTSIDE)
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "link").symlink_to(tmp_path)
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with OwnedFolder(tmp_path / "out", "dnc test") as folder, pytest.raises(OutputError):
        folder.write_text(name, "new")
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "years of work"
    assert sorted(os.listdir(tmp_path / "out")) == ["link"]


def test_a_command_replaces_its_own_files_and_no_others(tmp_path: Path) -> None:
    with OwnedFolder(tmp_path, "dnc one") as folder:
        folder.write_text("a/b.txt", "1")
        folder.write_text("a/b.txt", "2")
    with OwnedFolder(tmp_path, "dnc one", names=["a/b.txt", "a"]) as folder:
        folder.write_text("a/b.txt", "3")
    with pytest.raises(OutputError, match="was written by `dnc one`"):
        OwnedFolder(tmp_path, "dnc two", names=["a/b.txt"]).__enter__()
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with (
        OwnedFolder(tmp_path, "dnc one") as folder,
        pytest.raises(OutputError, match="was not written by `dnc one`"),
    ):
        folder.write_text("thesis.txt", "new")
    assert (tmp_path / "a" / "b.txt").read_text(encoding="utf-8") == "3"
    assert not (tmp_path / LOCK).exists()


def test_force_names_the_files_that_it_replaces(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with OwnedFolder(tmp_path, "dnc test", force=True) as folder:
        folder.write_text("thesis.txt", "new")
    assert "replacing" in caplog.text
    assert "thesis.txt" in caplog.text


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with OwnedFolder(tmp_path / "link", "dnc test") as folder:
        folder.write_text("a.txt", "1")
    assert (tmp_path / "real" / "a.txt").is_file()


def test_a_link_to_a_file_is_neither_followed_nor_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.txt").symlink_to(tmp_path / "thesis.txt")
    with OwnedFolder(tmp_path / "out", "dnc test", force=True) as folder, pytest.raises(OutputError):
        folder.write_text("a.txt", "new")
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "years of work"


@pytest.mark.parametrize("mark", ["", "[]", '{"files": 7}', "[" * 100_000, '{"files": {"a": 1'])
def test_a_mark_that_dnc_did_not_write_is_an_error(tmp_path: Path, mark: str) -> None:
    (tmp_path / MARK).write_text(mark, encoding="utf-8")
    with pytest.raises(OutputError, match="is not a mark"):
        OwnedFolder(tmp_path, "dnc test").__enter__()


def test_a_second_process_is_told_who_writes(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from dnc_datasets.owned_folder import OwnedFolder\n"
    code += "with OwnedFolder(Path(sys.argv[1]), 'dnc score'): print('in', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(OutputError, match=rf"'dnc score', pid {process.pid}"):
            OwnedFolder(tmp_path, "dnc report").__enter__()
        process.communicate("")
    with OwnedFolder(tmp_path, "dnc report"):
        pass


def test_two_processes_do_not_write_one_file(tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    with owned_folder.new_owned_file(out, lambda line: True) as file:
        file.write(b"1\n")
        with pytest.raises(OutputError, match="another process"):
            owned_folder.write_owned_text(out, "2\n", lambda line: True)
    assert out.read_bytes() == b"1\n"
    assert os.listdir(tmp_path) == ["o.jsonl"]


@pytest.mark.skipif(os.name == "nt", reason="flock is POSIX; filelock raises its own errors")
def test_a_lock_that_fails_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def fails(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fails)
    with pytest.raises(OutputError, match="No locks available"):
        filesystem.Lock(tmp_path / LOCK, "here").acquire()


def test_half_of_a_surrogate_pair_is_written_as_a_replacement(tmp_path: Path) -> None:
    atomic.write_text(tmp_path / "a.txt", "7 \ud83d")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "7 \ufffd"


WRITER = """
import sys
from pathlib import Path
from dnc_metrics import record
from dnc_metrics.record import Outcome, Provenance, Record, System
folder, name = sys.argv[1:]
outcomes = [Outcome("tiny|direct", f"{name}-{at}", True, "right") for at in range(50 * len(name))]
sys.stdin.readline()
for _ in range(25):
    record.write(Record(System(name, "predictions"), Provenance("dnc score", "1"), ()), outcomes, Path(folder))
"""


def test_records_that_two_processes_write_at_once_are_readable(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), name], stdin=subprocess.PIPE, text=True
        )
        for name in ("one", "another")
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    reads = 0
    while any(process.poll() is None for process in processes):
        if (tmp_path / record.FILE_NAME).exists():
            with owned_folder.exclusive(tmp_path, wait=True):
                found = record.load(tmp_path)
                assert len(record.outcomes(tmp_path, found)) == 50 * len(found.system.name)
                reads += 1
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 0
    found = record.load(tmp_path)
    assert record.outcomes(tmp_path, found)


def small(command: str) -> Record:
    return Record(System("m", "predictions"), Provenance(command, "0.2.0"), ())


def test_the_record_of_another_command_or_person_is_not_replaced(tmp_path: Path) -> None:
    record.write(small("dnc eval"), [], tmp_path / "evaluated")
    with pytest.raises(OutputError, match="dnc eval"):
        record.write(small("dnc score"), [], tmp_path / "evaluated")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / record.FILE_NAME).write_text('{"vinyl": 33}', encoding="utf-8")
    with pytest.raises(OutputError, match="was not written by"):
        record.write(small("dnc score"), [], tmp_path / "own")
    assert json.loads((tmp_path / "own" / record.FILE_NAME).read_text(encoding="utf-8")) == {"vinyl": 33}


@pytest.mark.parametrize("former", ["dnc score", "dnc eval"])
def test_a_record_of_version_0_2_0_is_adopted_by_its_command(tmp_path: Path, former: str) -> None:
    (tmp_path / record.FILE_NAME).write_text(small(former).text(), encoding="utf-8")
    if former == "dnc score":
        record.write(small("dnc score"), [], tmp_path)
    else:
        with pytest.raises(OutputError):
            record.write(small("dnc score"), [], tmp_path)


def test_trainers_continue_each_other_s_records(tmp_path: Path) -> None:
    for command in ("dnc research train", "dnc research protocol", "dnc research finetune"):
        record.write(small(command), [], tmp_path, "gts.record.json")

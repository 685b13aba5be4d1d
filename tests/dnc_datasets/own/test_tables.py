"""Parquet through `dnc perturb`: one process, several and a Ray cluster of two nodes give the same rows."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from dnc_datasets.cli import main
from dnc_datasets.errors import DncError
from dnc_datasets.own.tables import Work, perturb_file, perturb_on_ray
from dnc_datasets.serving import catalogue, rows
from dnc_datasets.serving.build import build
from dnc_datasets.serving.settings import Row

COPIES = 12


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Parquet file of several row groups."""
    path = tmp_path_factory.mktemp("tables") / "mine.parquet"
    variant = catalogue.find("tiny")
    problems = catalogue.read("tiny")["test"]
    records = (
        rows.to_record(Row(problem.replace(id=f"{problem.id}-{copy}")), variant)
        for copy in range(COPIES)
        for problem in problems
    )
    rows.write(records, path)
    return path


def _by_id(table: pa.Table) -> dict[str, dict[str, object]]:
    found = {record["id"]: record for record in table.to_pylist()}
    assert len(found) == table.num_rows
    return found


@pytest.mark.parametrize("recipe", ["verbosity", "extra"])
def test_any_number_of_processes_gives_the_same_file(source: Path, tmp_path: Path, recipe: str) -> None:
    for jobs in ("1", "2"):
        words = ["perturb", str(source), "--with", recipe, "--out", str(tmp_path / f"{jobs}.parquet")]
        subprocess.run([sys.executable, "-m", "dnc_datasets.cli", *words, "--jobs", jobs], check=True)
    assert (tmp_path / "1.parquet").read_bytes() == (tmp_path / "2.parquet").read_bytes()
    made = pq.read_table(tmp_path / "1.parquet")
    assert made.schema == rows.schema()
    assert made.column("id") == pq.read_table(source).column("id")
    assert any(made.column("perturbed").to_pylist())


def test_what_would_go_wrong_is_said(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pq.read_table(source).slice(0, 5)
    pq.write_table(table.drop_columns(["meta"]), tmp_path / "bare.parquet")
    (tmp_path / "bad.parquet").write_bytes(b"no")
    (tmp_path / "others.parquet").write_text("my notes")
    for words, reason in (
        (("bare.parquet", "--out", "o.parquet"), "no column meta"),
        (("bad.parquet", "--out", "o.parquet"), "cannot be read as Parquet"),
        (("absent.parquet", "--out", "o.parquet"), "cannot be read as Parquet"),
        (("bare.parquet", "--out", "o.parquet", "--strict"), "--strict"),
        (("bare.parquet", "--out", "others.parquet"), "others.parquet"),
    ):
        given = [str(tmp_path / word) if word.endswith(".parquet") else word for word in words]
        assert main(["perturb", *given, "--with", "type"]) == 1
        assert reason in capsys.readouterr().err
    assert (tmp_path / "others.parquet").read_text() == "my notes"
    assert not (tmp_path / "o.parquet").exists()


def test_ray_that_is_not_installed(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(DncError, match=r"pip install .*\[ray\]"):
        perturb_on_ray(str(source), str(tmp_path / "out"), Work("type", "mine", 0, {}))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[int]]]:
    """The address of a Ray cluster of two nodes on this machine, and the processes that are the nodes."""
    changes = pytest.MonkeyPatch()
    # The cluster's own key, as newer releases want one; and workers do not wait for everybody else.
    changes.setenv("RAY_AUTH_MODE", "token")
    changes.setenv("RAY_AUTH_TOKEN", secrets.token_hex(16))
    changes.setenv("RAY_worker_niceness", "0")
    ray = pytest.importorskip("ray")
    program = str(Path(sys.executable).with_name("ray"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    place = tmp_path_factory.mktemp("ray")
    words = ["--num-cpus", "1", "--object-store-memory", str(150 << 20), "--disable-usage-stats", "--block"]
    head = ["--head", f"--port={address.split(':')[1]}", f"--temp-dir={place}", "--include-dashboard=false"]
    nodes = []
    for own in (["--node-ip-address=127.0.0.1", *head], [f"--address={address}"]):
        nodes.append(subprocess.Popen([program, "start", *own, *words], start_new_session=True))
        time.sleep(8)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error")
        for _ in range(60):
            if sum(node["Alive"] for node in ray.nodes()) == len(nodes):
                break
            time.sleep(1)
        assert sum(node["Alive"] for node in ray.nodes()) == len(nodes)
        yield address, [node.pid for node in nodes]
    finally:
        ray.shutdown()
        changes.undo()
        for node in nodes:
            os.killpg(node.pid, signal.SIGKILL)
            node.wait()


@pytest.mark.parametrize("recipe", ["verbosity", "extra"])
def test_two_nodes_give_the_rows_of_one_process(
    cluster: tuple[str, list[int]], source: Path, tmp_path: Path, recipe: str
) -> None:
    address, _ = cluster
    work = Work(recipe, "mine", 0, {})
    here = perturb_file(str(source), tmp_path / "one.parquet", work)
    there = perturb_on_ray(str(source), str(tmp_path / "many"), work, address)
    assert here == there
    many = ds.dataset(tmp_path / "many", format="parquet").to_table()
    assert _by_id(many) == _by_id(pq.read_table(tmp_path / "one.parquet"))
    with pytest.raises(DncError, match="not empty"):
        perturb_on_ray(str(source), str(tmp_path / "many"), work, address)


def test_a_killed_worker_loses_and_doubles_nothing(
    cluster: tuple[str, list[int]], source: Path, tmp_path: Path
) -> None:
    address, nodes = cluster
    work = Work("paraphrase", "mine", 0, {})
    perturb_file(str(source), tmp_path / "one.parquet", work)
    killed: list[int] = []
    ended = threading.Event()

    def kill() -> None:
        while not ended.wait(0.05) and not killed:
            for pid in _workers(nodes):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                break

    killer = threading.Thread(target=kill)
    killer.start()
    stated = perturb_on_ray(str(source), str(tmp_path / "many"), work, address)
    ended.set()
    killer.join()
    assert killed
    many = ds.dataset(tmp_path / "many", format="parquet").to_table()
    assert stated.rows == many.num_rows
    assert _by_id(many) == _by_id(pq.read_table(tmp_path / "one.parquet"))


def _workers(nodes: list[int]) -> list[int]:
    """The processes below these nodes that are perturbing a batch now."""
    found, below = [], list(nodes)
    while below:
        pid = below.pop()
        try:
            below += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
            if b"MapBatches" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


def test_two_nodes_build_the_folder_of_one_process(cluster: tuple[str, list[int]], tmp_path: Path) -> None:
    address, _ = cluster
    configs = ["tiny_tables", "tiny_tables-extra-defense", "tiny_passages-type-attack"]
    here = build(configs, tmp_path / "one")
    there = build(configs, tmp_path / "many", ray=address)
    assert here.configs == there.configs
    files = [path.relative_to(tmp_path / "one") for path in sorted((tmp_path / "one").rglob("*.*"))]
    assert all(
        (tmp_path / "many" / file).read_bytes() == (tmp_path / "one" / file).read_bytes() for file in files
    )
    with pytest.raises(DncError, match="is not in"):  # what a worker raises is stated as it is
        build(["asdiv_a"], tmp_path / "none", ray=address, given={"asdiv_a": tmp_path})

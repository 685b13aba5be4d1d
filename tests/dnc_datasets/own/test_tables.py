"""Arrow and Parquet tables: batches, processes, Ray, datasets and Spark give the rows of a build."""

from __future__ import annotations

import copy
import functools
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dnc_datasets import perturbations
from dnc_datasets.cli import main
from dnc_datasets.errors import DncError, ProblemError
from dnc_datasets.own.engine import borrows, lent, perturb_batch, pool, with_defaults
from dnc_datasets.own.stored import batches, cut
from dnc_datasets.own.tables import Work, perturb_file, perturb_on_ray
from dnc_datasets.perturbations.statements.neighbours import Neighbours
from dnc_datasets.problem import FIELDS, Problem, to_row
from dnc_datasets.serving import catalogue, ray_cluster, rows
from dnc_datasets.serving.build import build
from dnc_datasets.serving.ray_cluster import block_rows
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


def _joined(folder: Path) -> pa.Table:
    """The rows of the files of a folder, in the order of their names; there is nothing else in it."""
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == [
        f"part-{at:05}-of-{len(files):05}.parquet" for at in range(len(files))
    ]
    return pa.concat_tables(map(pq.read_table, files))


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


@pytest.fixture
def no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of a cluster, this process: tasks end in another order, and each is done twice, as after a loss."""

    def completed(
        function: Callable[..., object], tasks: Sequence[object], address: str, shared: Sequence[object] = ()
    ) -> Iterator[tuple[int, object]]:
        for at in reversed(range(len(tasks))):
            given = (tasks[at], *([shared[at]] if shared and shared[at] is not None else []))
            function(*copy.deepcopy(given))
            yield at, function(*copy.deepcopy(given))

    monkeypatch.setattr(ray_cluster, "completed", completed)
    monkeypatch.setattr(ray_cluster, "cores", lambda address="": 2)
    monkeypatch.setattr(ray_cluster, "_SMALLEST_BLOCK", 7)


@pytest.mark.parametrize("recipe", ["verbosity", "extra"])
def test_blocks_give_the_rows_of_one_process_in_their_order(
    no_cluster: None, source: Path, tmp_path: Path, recipe: str
) -> None:
    work = Work(recipe, "mine", 0, {})
    table = pq.read_table(source)
    (tmp_path / "given").mkdir()
    for start, stop in ((0, 300), (300, 301), (301, table.num_rows)):
        file = tmp_path / "given" / f"from-{start:05}.parquet"
        pq.write_table(table.slice(start, stop - start), file, row_group_size=90)
    here = perturb_file(str(source), tmp_path / "one.parquet", work)
    there = perturb_on_ray(str(tmp_path / "given"), str(tmp_path / "many"), work)
    assert here == there
    assert _joined(tmp_path / "many") == pq.read_table(tmp_path / "one.parquet")
    assert len(list((tmp_path / "many").iterdir())) >= 4 * 2
    with pytest.raises(DncError, match="not empty"):
        perturb_on_ray(str(source), str(tmp_path / "many"), work)


def test_blocks_build_the_files_of_one_process(no_cluster: None, tmp_path: Path) -> None:
    configs = [
        "tiny",
        "tiny-type-attack",
        "tiny-extra-augment",
        "tiny-bpb-contrast",
        "tiny_tables-extra_plausible-defense",
    ]
    reported: list[str] = []
    here = build(configs, tmp_path / "one")
    there = build(configs, tmp_path / "many", ray="", progress=reported.append)
    assert here.configs == there.configs
    assert sorted(reported) == sorted(configs)
    files = [path.relative_to(tmp_path / "one") for path in sorted((tmp_path / "one").rglob("*.*"))]
    assert files == [path.relative_to(tmp_path / "many") for path in sorted((tmp_path / "many").rglob("*.*"))]
    for file in files:
        assert (tmp_path / "many" / file).read_bytes() == (tmp_path / "one" / file).read_bytes()


def test_a_cluster_gets_four_tasks_for_each_core() -> None:
    assert cut([25_000], block_rows(25_000_000, cores=8))[1:] == [
        ((0, 10_000, 20_000),),
        ((0, 20_000, 25_000),),
    ]
    for cores in (1, 2, 16, 100):
        for rows_in_all in (1_000_000, 10_000_000):
            size = block_rows(rows_in_all, cores)
            assert size <= 10_000
            assert len(cut([rows_in_all], size)) >= 4 * cores


def test_only_the_row_groups_of_a_block_are_read(source: Path, tmp_path: Path) -> None:
    table = pq.read_table(source).select(list(FIELDS))
    pq.write_table(table, tmp_path / "some.parquet", row_group_size=50)
    with pq.ParquetFile(tmp_path / "some.parquet") as file:
        for start, stop in ((0, 5), (45, 105), (120, 121), (50, 100), (7, 7)):
            found = list(batches(file, start, stop, 20))
            rows_found = [record for batch in found for record in batch.to_pylist()]
            assert rows_found == table.slice(start, stop - start).to_pylist()
        seen: list[list[int]] = []
        whole = file.iter_batches
        file.iter_batches = lambda **given: seen.append(given["row_groups"]) or whole(**given)
        list(batches(file, 120, 160))
    assert seen == [[2, 3]]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[int]]]:
    """The address of a Ray cluster of two nodes on this machine, and the processes that are the nodes."""
    changes = pytest.MonkeyPatch()
    # The cluster's own key, as newer releases want one; and workers do not wait for everybody else.
    changes.setenv("RAY_AUTH_MODE", "token")
    changes.setenv("RAY_AUTH_TOKEN", secrets.token_hex(16))
    changes.setenv("RAY_worker_niceness", "0")
    ray = pytest.importorskip("ray", reason="Ray is not installed: make extras")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    place = tmp_path_factory.mktemp("ray")
    words = ["--num-cpus", "1", "--object-store-memory", str(150 << 20), "--disable-usage-stats", "--block"]
    head = ["--head", f"--port={address.split(':')[1]}", f"--temp-dir={place}", "--include-dashboard=false"]
    nodes = []
    for own in (head, [f"--address={address}"]):
        program = [sys.executable, "-m", "ray.scripts.scripts", "start", "--node-ip-address=127.0.0.1"]
        nodes.append(subprocess.Popen([*program, *own, *words], start_new_session=True))
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
            with suppress(ProcessLookupError):
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
    assert _joined(tmp_path / "many") == pq.read_table(tmp_path / "one.parquet")
    with pytest.raises(DncError, match="not empty"):
        perturb_on_ray(str(source), str(tmp_path / "many"), work, address)


def test_a_killed_worker_loses_and_doubles_nothing(
    cluster: tuple[str, list[int]], source: Path, tmp_path: Path
) -> None:
    address, nodes = cluster
    work = Work("paraphrase", "mine", 0, {})
    perturb_file(str(source), tmp_path / "one.parquet", work)
    with _killer(lambda: _workers(nodes), lambda pid: os.kill(pid, signal.SIGKILL)) as killed:
        stated = perturb_on_ray(str(source), str(tmp_path / "many"), work, address)
    assert killed
    many = _joined(tmp_path / "many")
    assert stated.rows == many.num_rows
    assert many == pq.read_table(tmp_path / "one.parquet")


@contextmanager
def _killer(found: Callable[[], list[int]], kill: Callable[[int], None]) -> Iterator[list[int]]:
    """Kill the first process that is found while the block runs; the list then holds it."""
    killed: list[int] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.05) and not killed:
            for pid in found()[:1]:
                kill(pid)
                killed.append(pid)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield killed
    finally:
        ended.set()
        thread.join()


def _workers(nodes: list[int], name: bytes = b"perturb_block") -> list[int]:
    """The processes below these nodes that are making a block now."""
    found, below = [], list(nodes)
    while below:
        pid = below.pop()
        try:
            below += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
            if b"ray::" + name in Path(f"/proc/{pid}/cmdline").read_bytes():
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


def test_a_lost_node_costs_its_blocks_only(cluster: tuple[str, list[int]], tmp_path: Path) -> None:
    """The last test of the cluster, which has one node less after it."""
    address, nodes = cluster
    configs = ["tiny-paraphrase-defense", "tiny-extra-augment"]
    here = build(configs, tmp_path / "one")
    lost = nodes[1]
    with _killer(
        lambda: _workers([lost], b"make_block"), lambda pid: os.killpg(lost, signal.SIGKILL)
    ) as killed:
        there = build(configs, tmp_path / "many", ray=address)
    assert killed
    assert here.configs == there.configs


RECIPES = {
    "tiny": (
        "type",
        "language_plausible+verbosity_plausible",
        "noise",
        "extra",
        "order",
        "vary-invert_operation",
    ),
    "tiny_tables": ("distribution", "language_table", "extra"),
    "tiny_dialogues": ("noise", "type"),
    "tiny_passages": ("verbosity", "extra"),
}
CASES = [(dataset, recipe) for dataset, recipes in RECIPES.items() for recipe in recipes]


def _table(dataset: str) -> pa.Table:
    return rows.to_table([rows.to_record(rows.Row(p), catalogue.find(dataset)) for p in _problems(dataset)])


@functools.cache
def _problems(dataset: str) -> list[Problem]:
    return catalogue.read(dataset)["test"][:60]


@pytest.mark.parametrize(("dataset", "recipe"), CASES)
def test_batches_give_the_rows_of_a_build(dataset: str, recipe: str) -> None:
    table = _table(dataset)
    variant = catalogue.find(f"{dataset}-{recipe}-attack")
    expected = [rows.to_record(row, variant) for row in variant.stream("test", _problems(dataset), seed=3)]
    found = pool([table], dataset=dataset, seed=3) if borrows(recipe) else None
    for size in (7, 100):
        parts = [
            perturb_batch(table.slice(at, size), recipe, dataset=dataset, seed=3, pool=found)
            for at in range(0, table.num_rows, size)
        ]
        made = pa.concat_tables(parts)
        assert made.schema == rows.schema()
        assert [{**record, "setting": "attack"} for record in made.to_pylist()] == expected
    assert any(record["perturbed"] for record in expected)


@pytest.mark.parametrize("dataset", ["tiny", "tiny_tables", "tiny_passages"])
def test_the_pool_does_not_depend_on_order_or_parts(dataset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnc_datasets.perturbations.statements.neighbours._MAX_STATEMENTS", 20)
    table = _table(dataset)
    parts = [table.slice(30), table.slice(0, 30), table.slice(10, 20)]
    one = pool([table, table.slice(10, 20)], dataset="mine")
    apart = Neighbours.joined(lent([part], dataset="mine") for part in parts)
    for other in (pool(parts, dataset="mine"), apart):
        assert one.statements == other.statements
        assert one.common_words == other.common_words
        assert one.lends_to_reports == other.lends_to_reports
    assert one.statements


@pytest.mark.parametrize("column", [name for name in FIELDS if name not in ("id", "question")])
def test_a_table_that_lacks_a_column_is_refused(column: str) -> None:
    table = _table("tiny").drop_columns([column])
    with pytest.raises(ProblemError, match=rf"no column {column}\. .*with_defaults"):
        perturb_batch(table, "type", dataset="mine")
    assert perturb_batch(with_defaults(table), "type", dataset="mine").num_rows == table.num_rows


def test_leaving_out_meta_changes_rows() -> None:
    """Why it is refused: a passage without its note is read as a word problem."""
    table = _table("tiny_passages")
    whole = perturb_batch(table, "type", dataset="mine")
    bare = perturb_batch(with_defaults(table.drop_columns(["meta"])), "type", dataset="mine")
    assert whole.column("body") != bare.column("body")


def test_no_pool_no_extra() -> None:
    with pytest.raises(ProblemError, match="borrows statements"):
        perturb_batch(_table("tiny"), "extra", dataset="mine")
    with pytest.raises(ProblemError, match="no column 'question'"):
        with_defaults(pa.table({"id": ["1"]}))


def test_datasets_map(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    table = _table("tiny")
    data = datasets.Dataset(table).with_format("arrow")
    made = data.map(
        functools.partial(perturb_batch, recipe="verbosity", dataset="mine"),
        batched=True,
        batch_size=16,
        remove_columns=data.column_names,
        features=datasets.Features.from_arrow_schema(rows.schema()),
        cache_file_name=str(tmp_path / "cache.arrow"),
    )
    expected = perturb_batch(table, "verbosity", dataset="mine")
    assert made.with_format(None).to_list() == expected.to_pylist()


def test_an_own_row_that_cannot_be_perturbed_stands() -> None:
    problem = Problem("1", "Amy has 3 pens. Ben has 4 pens.", "How many pens?", equation="3 + 4", answer="9")
    made = perturb_batch(pa.Table.from_pylist([to_row(problem)], schema=_types()), "noise", dataset="mine")
    assert made.column("perturbed").to_pylist() == [False]
    assert perturbations.get("noise").changes_target


def _types() -> pa.Schema:
    return pa.schema([rows.schema().field(name) for name in FIELDS])


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    """The file system of `memory://`, empty before and after."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


@pytest.mark.parametrize("recipe", ["verbosity", "extra"])
def test_parquet_is_read_from_memory_and_written_there(
    memory: fsspec.AbstractFileSystem, source: Path, tmp_path: Path, recipe: str
) -> None:
    for file in ("given/a.parquet", "given/b.parquet"):
        memory.pipe_file(f"/{file}", source.read_bytes())
    (tmp_path / "given").mkdir()
    for name in ("a", "b"):
        shutil.copy(source, tmp_path / "given" / f"{name}.parquet")
    words = ["--with", recipe, "--dataset", "mine"]
    work = Work(recipe, "mine", 0, {})
    here = perturb_file(str(tmp_path / "given"), tmp_path / "o.parquet", work)
    assert main(["perturb", "memory://given", "--out", "memory://out/o.parquet", *words]) == 0
    assert memory.cat_file("/out/o.parquet") == (tmp_path / "o.parquet").read_bytes()
    assert here.rows == 2 * pq.read_table(source).num_rows


def test_blocks_are_read_from_memory_and_written_there(
    no_cluster: None, memory: fsspec.AbstractFileSystem, source: Path, tmp_path: Path
) -> None:
    memory.pipe_file("/given/a.parquet", source.read_bytes())
    work = Work("extra", "mine", 0, {})
    perturb_file(str(source), tmp_path / "one.parquet", work)
    perturb_on_ray("memory://given", "memory://many", work)
    made = [pq.read_table(memory.open(file)) for file in sorted(memory.ls("/many", detail=False))]
    assert pa.concat_tables(made) == pq.read_table(tmp_path / "one.parquet")
    with pytest.raises(DncError, match="not empty"):
        perturb_on_ray("memory://given", "memory://many", work)


def test_what_goes_wrong_at_an_address_leaves_nothing(
    memory: fsspec.AbstractFileSystem, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    memory.pipe_file("/a.parquet", source.read_bytes())
    memory.pipe_file("/bad.parquet", b"no")
    memory.pipe_file("/notes.parquet", b"my notes")
    memory.pipe_file("/lines.jsonl", b"{}")
    for given, out, reason in (
        ("memory://bad.parquet", "memory://o.parquet", "cannot be read as Parquet"),
        ("memory://absent.parquet", "memory://o.parquet", "cannot be read as Parquet"),
        ("memory://a.parquet", "memory://notes.parquet", "no Parquet file"),
        ("memory://a.parquet", "http://127.0.0.1:9/o.parquet", "can only be read"),
        ("memory://lines.jsonl", "o.jsonl", "only Parquet is read from an address"),
        (str(source.with_suffix(".jsonl")), "memory://o.jsonl", "only Parquet is written to an address"),
        ("nowhere://a.parquet", "memory://o.parquet", "cannot be opened"),
    ):
        assert main(["perturb", given, "--out", out, "--with", "type"]) == 1
        assert reason in capsys.readouterr().err
    assert memory.cat_file("/notes.parquet") == b"my notes"
    assert not memory.exists("/o.parquet")


class _Ranges(SimpleHTTPRequestHandler):
    """Serves pieces of files, as stores of files on the web do."""

    asked: ClassVar[list[str]] = []
    pieces: ClassVar[bool] = True

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if wanted is None or not self.pieces:
            return super().do_GET()
        self.asked.append(wanted[0])
        data = Path(self.translate_path(self.path)).read_bytes()
        piece = data[int(wanted[1]) : int(wanted[2]) + 1]
        self.send_response(206)
        self.send_header("Content-Length", str(len(piece)))
        self.send_header("Content-Range", f"bytes {wanted[1]}-{int(wanted[1]) + len(piece) - 1}/{len(data)}")
        self.end_headers()
        self.wfile.write(piece)
        return None

    def end_headers(self) -> None:
        if self.pieces:
            self.send_header("Accept-Ranges", "bytes")
        super().end_headers()


@pytest.fixture
def server(source: Path) -> Iterator[str]:
    """The address of a web server on this machine that has the file of `source`."""
    handler = functools.partial(_Ranges, directory=str(source.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as web:
        thread = threading.Thread(target=web.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{web.server_address[1]}"
        web.shutdown()
        thread.join()


def test_parquet_is_read_from_a_web_server(
    no_cluster: None, server: str, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["perturb", f"{server}/mine.parquet", "--with", "type", "--out"]
    assert main([*words, str(tmp_path / "web.parquet")]) == 0
    assert main(["perturb", str(source), "--with", "type", "--out", str(tmp_path / "here.parquet")]) == 0
    assert (tmp_path / "web.parquet").read_bytes() == (tmp_path / "here.parquet").read_bytes()
    perturb_on_ray(f"{server}/mine.parquet", str(tmp_path / "many"), Work("type", "mine", 0, {}))
    assert _joined(tmp_path / "many") == pq.read_table(tmp_path / "here.parquet")
    assert _Ranges.asked
    capsys.readouterr()
    assert main(["perturb", f"{server}/absent.parquet", "--with", "type", "--out", str(tmp_path / "o")]) == 1
    assert "cannot be read as Parquet" in capsys.readouterr().err


def test_a_web_server_that_sends_only_complete_files(
    server: str,
    source: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_Ranges, "pieces", False)
    large = source.with_name("large.parquet")  # a small file is one piece
    pq.write_table(pq.read_table(source), large, compression="none", use_dictionary=False)
    out = ["--with", "type", "--out", str(tmp_path / "web.parquet")]
    assert main(["perturb", f"{server}/large.parquet", *out]) == 1
    assert "put simplecache:: before the address" in capsys.readouterr().err
    assert main(["perturb", f"simplecache::{server}/large.parquet", *out]) == 0
    assert pq.read_table(tmp_path / "web.parquet").num_rows == pq.read_table(source).num_rows


# What a Spark shell has before the guide's code; a script of its own, since Spark sends what it defines to its workers.
SPARK = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
"""


def test_spark_as_the_guide_shows_it(tmp_path: Path) -> None:
    pytest.importorskip("pyspark.sql", reason="pyspark is not installed: make extras")
    if shutil.which("java") is None:
        pytest.skip("no Java on this machine")
    guide = (Path(__file__).parents[3] / "docs" / "guides" / "scale.md").read_text(encoding="utf-8")
    code = guide.split("## Spark")[1].split("```python\n")[1].split("```")[0]
    script = tmp_path / "guide.py"
    script.write_text(SPARK + code, encoding="utf-8")
    table = _table("tiny")
    (tmp_path / "problems").mkdir()
    pq.write_table(table, tmp_path / "problems" / "some.parquet")
    own = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    stated = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, env=own
    )
    assert stated.returncode == 0, stated.stderr[-3000:]
    made = {record["id"]: record for record in pq.read_table(tmp_path / "out").to_pylist()}
    expected = perturb_batch(table, "verbosity", dataset="mine").to_pylist()
    assert made == {record["id"]: record for record in expected}

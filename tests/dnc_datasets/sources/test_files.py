"""Files from the user's folder, a mirror, the cache and a local server that misbehaves on demand."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dnc_datasets import files
from dnc_datasets.errors import SourceError
from dnc_datasets.sources import PinnedFile, Source

DATA = b"".join(b"line %d of an upstream file\n" % i for i in range(8000))
SMALL = b"nluds-0001\n"


def pin(path: str, data: bytes, folds: tuple[str, ...] | None = None) -> PinnedFile:
    return PinnedFile(
        "someone/data",
        "c0ffee" * 6,
        path,
        files.git_blob_id(data),
        sha256(data).hexdigest(),
        len(data),
        folds,
    )


BIG = pin("set/train.json", DATA)
FOLD = pin("folds/one.txt", SMALL, folds=("fold1",))
SOURCE = Source(
    "demo", "Demo", "word_problem", lambda found, fold: {}, (BIG, FOLD), licence="none", citation="none"
)


def put(folder: Path, file: PinnedFile, data: bytes) -> Path:
    path = folder / file.location
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No mirror, an empty cache, and no time lost between tries."""
    monkeypatch.delenv("DNC_MIRROR", raising=False)
    monkeypatch.setenv("DNC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DNC_UPSTREAM", "http://127.0.0.1:9")  # the discard port: nobody answers
    monkeypatch.setattr("dnc_datasets.download.time.sleep", lambda seconds: None)


class Server:
    """A web server whose answers are a list of steps, one per request; it keeps what was asked."""

    def __init__(self) -> None:
        self.steps: list[Callable[[BaseHTTPRequestHandler], None]] = []
        self.asked: list[tuple[str, str]] = []


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append((self.path, self.headers.get("Range", "")))
            (state.steps.pop(0) if state.steps else whole)(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("DNC_UPSTREAM", f"http://127.0.0.1:{httpd.server_port}/")
        yield state
        httpd.shutdown()
        thread.join()


def respond(
    handler: BaseHTTPRequestHandler, data: bytes, cut: int | None = None, ranges: bool = True
) -> None:
    """Send data, or the asked range of it; break off after `cut` bytes."""
    asked = handler.headers.get("Range", "") if ranges else ""
    start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
    handler.send_response(206 if asked else 200)
    if asked:
        handler.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
    handler.send_header("Content-Length", str(len(data) - start))
    handler.end_headers()
    handler.wfile.write(data[start:][:cut])
    handler.close_connection = True


def whole(handler: BaseHTTPRequestHandler) -> None:
    respond(handler, DATA if handler.path.endswith("train.json") else SMALL)


def cut_after(count: int) -> Callable[[BaseHTTPRequestHandler], None]:
    return lambda handler: respond(handler, DATA, cut=count)


def status(code: int) -> Callable[[BaseHTTPRequestHandler], None]:
    return lambda handler: handler.send_error(code)


def ranges_asked(server: Server) -> list[str]:
    return [asked for path, asked in server.asked if path.endswith("train.json")]


def left_behind() -> list[str]:
    folder = files.cache_folder()
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


# --- on this machine


def test_git_blob_id_is_the_one_git_gives() -> None:
    assert files.git_blob_id(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


def test_a_missing_file_names_the_places_and_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(tmp_path / "mirror"))
    with pytest.raises(SourceError) as caught:
        files.resolve(SOURCE)
    message = str(caught.value)
    for part in (
        "set/train.json",
        str(tmp_path / "mirror" / BIG.location),
        str(tmp_path / "cache" / BIG.location),
        "dnc fetch demo",
        "--from demo=DIR",
        "DNC_MIRROR",
    ):
        assert part in message


def test_without_a_mirror_only_the_cache_is_named() -> None:
    with pytest.raises(SourceError) as caught:
        files.resolve(SOURCE)
    assert "(DNC_MIRROR)" not in str(caught.value)
    assert "(download cache)" in str(caught.value)


def test_the_mirror_comes_before_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(tmp_path / "mirror"))
    mirrored = put(tmp_path / "mirror", BIG, DATA)
    put(tmp_path / "cache", BIG, DATA)
    cached = put(tmp_path / "cache", FOLD, SMALL)
    found = files.resolve(SOURCE)
    assert found.files == {BIG.path: mirrored, FOLD.path: cached}
    assert found.provenance == "verified"


def test_a_fold_asks_only_for_its_own_files(tmp_path: Path) -> None:
    cached = put(tmp_path / "cache", BIG, DATA)
    assert files.resolve(SOURCE, fold="").files == {BIG.path: cached}
    with pytest.raises(SourceError, match=r"folds/one\.txt"):
        files.resolve(SOURCE, fold="fold1")


@pytest.mark.parametrize("place", ["mirror", "cache"])
def test_a_truncated_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(tmp_path / "mirror"))
    path = put(tmp_path / place, BIG, DATA[:-100])
    with pytest.raises(SourceError) as caught:
        files.resolve(SOURCE, fold="")
    message = str(caught.value)
    assert str(path) in message
    assert f"truncated: expected {len(DATA)} bytes, found {len(DATA) - 100}" in message
    assert ("unset DNC_MIRROR" if place == "mirror" else "dnc fetch demo") in message


@pytest.mark.parametrize("kind", ["sha256", "git_blob"])
def test_one_changed_byte_is_refused_by_either_checksum(tmp_path: Path, kind: str) -> None:
    file = PinnedFile(BIG.repo, BIG.commit, BIG.path, **{kind: getattr(BIG, kind)})
    source = Source("demo", "Demo", "word_problem", lambda f, k: {}, (file,), licence="none", citation="none")
    path = put(tmp_path / "cache", file, DATA)
    assert files.resolve(source).files == {file.path: path}
    changed = DATA.replace(b"line 7 ", b"line 8 ")
    path.write_bytes(changed)
    os.utime(path, ns=(1, 1))
    with pytest.raises(SourceError) as caught:
        files.resolve(source)
    found = sha256(changed).hexdigest() if kind == "sha256" else files.git_blob_id(changed)
    assert getattr(BIG, kind) in str(caught.value)
    assert found in str(caught.value)


def test_a_file_without_any_checksum_is_never_trusted(tmp_path: Path) -> None:
    file = PinnedFile("someone/data", "c0ffee", "x.json")
    source = Source("demo", "Demo", "word_problem", lambda f, k: {}, (file,), licence="none", citation="none")
    put(tmp_path / "cache", file, b"{}")
    with pytest.raises(SourceError, match="no checksum"):
        files.resolve(source)


# --- the user's own folder


@pytest.mark.parametrize("layout", ["set/train.json", "train.json"])
def test_own_files_are_found_by_path_or_by_name_and_not_verified(tmp_path: Path, layout: str) -> None:
    own = tmp_path / "own" / layout
    own.parent.mkdir(parents=True)
    own.write_bytes(b"[]")
    found = files.resolve(SOURCE, given=tmp_path / "own", fold="")
    assert found.files == {BIG.path: own}
    assert found.provenance == "unverified"


def test_own_folder_is_not_completed_from_elsewhere(tmp_path: Path) -> None:
    put(tmp_path / "cache", BIG, DATA)
    (tmp_path / "own").mkdir()
    with pytest.raises(SourceError, match=r"set/train\.json is not in .*own"):
        files.resolve(SOURCE, given=tmp_path / "own")
    with pytest.raises(SourceError, match="there is no such folder"):
        files.resolve(SOURCE, given=tmp_path / "elsewhere")


def test_a_name_that_two_files_share_is_not_guessed(tmp_path: Path) -> None:
    one, two = pin("data/fold0/dev.csv", b"a"), pin("data/fold1/dev.csv", b"b")
    source = Source(
        "demo", "Demo", "word_problem", lambda f, k: {}, (one, two), licence="none", citation="none"
    )
    (tmp_path / "dev.csv").write_bytes(b"a")
    with pytest.raises(SourceError, match=r"fold0/dev\.csv"):
        files.resolve(source, given=tmp_path)
    for fold in ("fold0", "fold1"):
        (tmp_path / fold).mkdir()
        (tmp_path / fold / "dev.csv").write_bytes(b"a")
    assert set(files.resolve(source, given=tmp_path).files) == {one.path, two.path}


# --- the network


def test_fetch_fills_the_cache_once(server: Server) -> None:
    seen: list[tuple[str, int, int]] = []
    found = files.fetch(SOURCE, lambda file, done, total: seen.append((file.path, done, total)))
    assert found == files.resolve(SOURCE)
    assert found.files[BIG.path].read_bytes() == DATA
    assert left_behind() == ["one.txt", "train.json"]
    assert [path for path, _ in server.asked] == [f"/{BIG.location}", f"/{FOLD.location}"]
    assert (BIG.path, len(DATA), len(DATA)) in seen
    files.fetch(SOURCE)
    assert len(server.asked) == 2


def test_two_at_once_download_a_file_once(server: Server) -> None:
    held, asked_again = threading.Event(), threading.Event()

    def slowly(handler: BaseHTTPRequestHandler) -> None:
        held.set()
        asked_again.wait(0.3)  # in vain: the second one must not ask while the first is at it
        whole(handler)

    def again(handler: BaseHTTPRequestHandler) -> None:
        asked_again.set()
        whole(handler)

    server.steps = [slowly, again]
    found: list[bytes] = []
    both = [
        threading.Thread(target=lambda: found.append(files.fetch(SOURCE).files[BIG.path].read_bytes()))
        for _ in range(2)
    ]
    both[0].start()
    assert held.wait(10)
    both[1].start()
    for one in both:
        one.join()
    assert found == [DATA, DATA]
    assert len(ranges_asked(server)) == 1
    assert left_behind() == ["one.txt", "train.json"]


def test_a_mirrored_file_is_not_downloaded(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNC_MIRROR", str(tmp_path / "mirror"))
    put(tmp_path / "mirror", BIG, DATA)
    files.fetch(SOURCE)
    assert [path for path, _ in server.asked] == [f"/{FOLD.location}"]


def test_a_cut_connection_is_resumed_where_it_broke(server: Server) -> None:
    server.steps = [cut_after(100_000), cut_after(50_000), cut_after(0)]
    assert files.fetch(SOURCE).files[BIG.path].read_bytes() == DATA
    assert ranges_asked(server) == ["", "bytes=100000-", "bytes=150000-", "bytes=150000-"]


def test_a_later_run_resumes_too(server: Server) -> None:
    server.steps = [cut_after(70_000), *[status(503)] * 9]
    with pytest.raises(SourceError, match="70000 bytes are kept"):
        files.fetch(SOURCE)
    assert left_behind() == ["train.json.part"]
    server.steps.clear()
    server.asked.clear()
    files.fetch(SOURCE)
    assert ranges_asked(server) == ["bytes=70000-"]
    assert left_behind() == ["one.txt", "train.json"]


def test_a_server_without_ranges_sends_it_all_again(server: Server) -> None:
    server.steps = [cut_after(100_000), lambda handler: respond(handler, DATA, ranges=False)]
    assert files.fetch(SOURCE).files[BIG.path].read_bytes() == DATA


def test_a_server_that_answers_another_range_is_not_believed(server: Server) -> None:
    def other_range(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(206)
        handler.send_header("Content-Range", f"bytes 0-99/{len(DATA)}")
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(DATA[:100])

    server.steps = [cut_after(100_000), other_range]
    assert files.fetch(SOURCE).files[BIG.path].read_bytes() == DATA
    assert ranges_asked(server) == ["", "bytes=100000-", ""]


@pytest.mark.parametrize("size", [1000, len(DATA), len(DATA) + 5])
def test_old_bytes_of_another_version_give_one_clean_start(server: Server, size: int) -> None:
    part = files.cache_folder() / (BIG.location + ".part")
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * size)
    assert files.fetch(SOURCE).files[BIG.path].read_bytes() == DATA
    assert ranges_asked(server)[-1] == ""


def test_a_damaged_cache_is_fetched_anew(server: Server, tmp_path: Path) -> None:
    put(tmp_path / "cache", BIG, DATA[:10])
    assert files.fetch(SOURCE).files[BIG.path].read_bytes() == DATA


def test_server_errors_that_pass_are_waited_out(server: Server) -> None:
    server.steps = [status(500), status(429), status(503)]
    assert files.fetch(SOURCE).files[BIG.path].read_bytes() == DATA


def test_a_server_error_that_stays_is_told(server: Server) -> None:
    server.steps = [status(500)] * 9
    with pytest.raises(SourceError, match=r"cannot download set/train\.json.*HTTP 500.*5 tries.*DNC_MIRROR"):
        files.fetch(SOURCE)
    assert len(server.asked) == 5


def test_not_found_is_told_at_once(server: Server) -> None:
    server.steps = [status(404)]
    with pytest.raises(SourceError, match=r"set/train\.json.*HTTP 404.*--from demo=DIR"):
        files.fetch(SOURCE)
    assert len(server.asked) == 1


@pytest.mark.parametrize("wrong", [DATA[:-1] + b"!", DATA + b"more", b"<html>Sign in</html>"])
def test_wrong_bytes_are_never_kept(server: Server, wrong: bytes) -> None:
    server.steps = [lambda handler: respond(handler, wrong, ranges=False)] * 9
    with pytest.raises(SourceError) as caught:
        files.fetch(SOURCE)
    assert "set/train.json" in str(caught.value)
    assert "expected" in str(caught.value)
    assert "train.json" not in left_behind()


def test_no_network_is_told() -> None:
    with pytest.raises(SourceError, match=r"cannot download set/train\.json.*no connection.*--from demo=DIR"):
        files.fetch(SOURCE)


def test_other_schemes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "elsewhere", BIG, DATA)
    monkeypatch.setenv("DNC_UPSTREAM", (tmp_path / "elsewhere").as_uri())
    with pytest.raises(SourceError, match="only http and https"):
        files.fetch(SOURCE)


@pytest.mark.parametrize("place", ["owner", "file", "part"])
def test_no_link_in_the_cache_is_followed(server: Server, tmp_path: Path, place: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "thesis").write_text("years of work", encoding="utf-8")
    target = files.cache_folder() / BIG.location
    link = {
        "owner": files.cache_folder() / "someone",
        "file": target,
        "part": target.with_name(target.name + ".part"),
    }[place]
    link.parent.mkdir(parents=True)
    link.symlink_to(outside if place == "owner" else outside / "thesis")
    with pytest.raises(SourceError, match="symbolic link"):
        files.fetch(SOURCE)
    assert os.listdir(outside) == ["thesis"]
    assert (outside / "thesis").read_text(encoding="utf-8") == "years of work"

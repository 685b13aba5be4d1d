"""OpenAI-style servers, end to end on localhost: rate limits, time-outs and nonsense."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from dnc_harness import evaluate
from dnc_harness.errors import HarnessError
from dnc_harness.evaluate import Settings
from dnc_leaderboard.record import Record

tenacity = pytest.importorskip("tenacity")
pytest.importorskip("aiohttp")
TASKS = ("dnc_tiny_original", "dnc_tiny_type_attack")
ROWS = 4


class Server(ThreadingHTTPServer):
    """Answers each request by the next scripted behaviour, or with 7; keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behaviours: list[str] = []
        self.always = "answer"
        self.sent: list[dict[str, Any]] = []
        self.answered = 0

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/{path}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._reply(404, b"{}")

    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.sent.append({**sent, "run": self.headers["X-Run"]})
        behaviour = server.behaviours.pop(0) if server.behaviours else server.always
        if behaviour == "rate limit":
            self._reply(429, b'{"error": "slow down"}')
        elif behaviour == "time-out":
            time.sleep(1.5)
            self._reply(200, b"{}")
        elif behaviour == "malformed":
            self._reply(200, b'{"choices": [{"index": 0, "mess')
        elif behaviour == "no choices":
            self._reply(200, b'{"error": {"message": "model overloaded"}}')
        else:
            server.answered += 1
            text = "So we have 7 of" if behaviour == "cut off" else "7"
            said: dict[str, Any] = {"message": {"content": text}} if "messages" in sent else {"text": text}
            said["finish_reason"] = "length" if behaviour == "cut off" else "stop"
            self._reply(200, json.dumps({"choices": [{"index": 0, **said}]}).encode())

    def _reply(self, status: int, body: bytes) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # the client has given up

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr("lm_eval.models.api_models.wait_exponential", lambda **_: tenacity.wait_none())
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture(params=["completions", "chat", "chat, concurrent"])
def ask(request: pytest.FixtureRequest, server: Server, tmp_path: Path) -> Callable[..., Record]:
    """Run the same evaluation against the server, as each kind of client."""
    chat = request.param != "completions"

    def run(name: str = "first") -> Record:
        arguments = {
            "header": {"X-Run": name},
            "model": "scripted",
            "base_url": server.url("chat/completions" if chat else "completions"),
            "tokenizer_backend": "none",
            "tokenized_requests": False,
            "timeout": 1,
            "max_retries": 3,
            "num_concurrent": 4 if "concurrent" in request.param else 1,
        }
        backend = "local-chat-completions" if chat else "local-completions"
        return evaluate.run(
            Settings(backend, TASKS, tmp_path / "r", arguments, limit=ROWS, chat_template=chat)
        )

    run.one_by_one = "concurrent" not in request.param  # type: ignore[attr-defined]
    return run


def _logged(tmp_path: Path) -> int:
    return len((tmp_path / "r" / evaluate.LOG).read_text().splitlines())


def test_all_rows_are_answered(server: Server, ask: Callable[..., Record], tmp_path: Path) -> None:
    found = ask()
    assert [task.rows for task in found.cells] == [ROWS, ROWS]
    assert all("not found" not in task.statuses for task in found.cells)
    assert len(server.sent) == _logged(tmp_path) == 2 * ROWS
    first = server.sent[0]
    assert first["temperature"] == 0
    assert not any("Question" in stop for stop in first["stop"]), "a stop string only behind worked examples"
    if "messages" in first:
        assert [message["role"] for message in first["messages"]] == ["user"]


def test_replies_that_hit_the_limit_are_truncated(
    server: Server, ask: Callable[..., Record], tmp_path: Path
) -> None:
    server.always = "cut off"
    found = ask()
    assert [(task.cut_off, task.statuses) for task in found.cells] == [(ROWS, {"truncated": ROWS})] * 2
    assert '"cut_off": true' in (tmp_path / "r" / evaluate.LOG).read_text()
    assert ask() == found, "the log remembers it"


@pytest.mark.parametrize("trouble", ["rate limit", "malformed", "no choices"])
def test_passing_trouble_is_tried_again(server: Server, ask: Callable[..., Record], trouble: str) -> None:
    server.behaviours = ["answer", trouble, trouble, "answer", trouble]
    found = ask()
    assert all("not found" not in task.statuses for task in found.cells)
    assert server.answered == 2 * ROWS
    assert len(server.sent) == 2 * ROWS + 3


def test_a_time_out_is_tried_again(server: Server, ask: Callable[..., Record]) -> None:
    server.behaviours = ["answer", "time-out"]
    found = ask()
    assert all("not found" not in task.statuses for task in found.cells)
    assert server.answered == 2 * ROWS


@pytest.mark.parametrize("trouble", ["rate limit", "malformed", "no choices"])
def test_lasting_trouble_is_a_clear_error_that_loses_nothing(
    server: Server, ask: Callable[..., Record], tmp_path: Path, trouble: str
) -> None:
    server.behaviours = ["answer"] * 3
    server.always = trouble
    with pytest.raises(HarnessError, match=r"the model stopped answering: .*run the same command again"):
        ask()
    logged = _logged(tmp_path)
    # With several requests at once, some answers may still have been under way when the error came.
    assert logged == 3 if ask.one_by_one else logged <= 3  # type: ignore[attr-defined]
    server.always = "answer"
    found = ask("second")
    asked = [sent for sent in server.sent if sent["run"] == "second"]
    assert len(asked) == 2 * ROWS - logged, "what was answered is not asked again"
    assert all("not found" not in task.statuses for task in found.cells)


def test_a_chat_server_without_a_chat_template_is_told_what_to_do(server: Server, tmp_path: Path) -> None:
    arguments = {"model": "m", "base_url": server.url("chat/completions"), "tokenizer_backend": "none"}
    with pytest.raises(HarnessError, match="--apply-chat-template"):
        evaluate.run(Settings("local-chat-completions", TASKS, tmp_path / "r", arguments, limit=1))

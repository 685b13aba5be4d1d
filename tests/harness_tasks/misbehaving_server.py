"""An OpenAI-style server on localhost that misbehaves by a script, in every way that servers are known to."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = "answer"


class Server(ThreadingHTTPServer):
    """Answers each request by the next scripted behaviour, or by `always`; keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behaviours: list[str] = []
        self.always = ANSWER
        self.sent: list[dict[str, Any]] = []
        self.answered = 0

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/{path}"

    def handle_error(self, *_: Any) -> None:
        pass  # a client that has given up

    def reset(self, behaviours: list[str], always: str = ANSWER) -> None:
        """Begin a new script."""
        self.behaviours, self.always, self.answered = behaviours, always, 0
        self.sent.clear()


@contextmanager
def running() -> Iterator[Server]:
    """A server in a thread of its own."""
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sent: dict[str, Any]

    def do_GET(self) -> None:
        self.reply(b"{}", status=400)

    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        self.sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.sent.append({**self.sent, "run": self.headers["X-Run"]})
        behaviour = self.server.behaviours.pop(0) if self.server.behaviours else self.server.always
        try:
            MISBEHAVIOURS.get(behaviour, _answer)(self)
        except OSError:
            self.close_connection = True  # the client has given up

    def choice(self, text: str | None = "7", index: int = 0, reason: str | None = "stop") -> dict[str, Any]:
        shown = (
            {"message": {"role": "assistant", "content": text}} if "messages" in self.sent else {"text": text}
        )
        return {"index": index, **shown, "finish_reason": reason}

    def choices(self, *choices: Any) -> None:
        self.reply(json.dumps({"choices": choices}).encode())

    def reply(
        self,
        body: bytes,
        *,
        status: int = 200,
        kind: str = "application/json",
        length: int = -1,
        **headers: str,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length < 0 else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def begin_chunks(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def reset_connection(self) -> None:
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()
        self.close_connection = True

    def log_message(self, *arguments: Any) -> None:
        pass


def _answer(handler: _Handler) -> None:
    assert isinstance(handler.server, Server)
    handler.server.answered += 1
    handler.choices(handler.choice())


def _body(handler: _Handler) -> bytes:
    return json.dumps({"choices": [handler.choice()]}).encode()


def _cut_off(handler: _Handler) -> None:
    assert isinstance(handler.server, Server)
    handler.server.answered += 1
    handler.choices(handler.choice("So we have 7 of", reason="length"))


def _time_out(handler: _Handler) -> None:
    time.sleep(3)
    handler.reply(b"{}")


def _truncated_body(handler: _Handler) -> None:
    body = _body(handler)
    handler.reply(body[: len(body) // 2], length=len(body))
    handler.close_connection = True


def _reset_in_body(handler: _Handler) -> None:
    body = _body(handler)
    handler.reply(body[:10], length=len(body))
    handler.reset_connection()


def _slow_drip(handler: _Handler) -> None:
    """A body that comes slowly, and whole."""
    assert isinstance(handler.server, Server)
    handler.server.answered += 1
    body = _body(handler)
    handler.reply(body[:5], length=len(body))
    for at in range(5, len(body), 20):
        time.sleep(0.01)
        handler.wfile.write(body[at : at + 20])


def _closes(handler: _Handler) -> None:
    """An answer, after which a connection that was to be kept alive is closed."""
    _answer(handler)
    handler.close_connection = True


def _chunked_garbage(handler: _Handler) -> None:
    handler.begin_chunks()
    handler.wfile.write(b"zz\r\nnonsense\r\n")
    handler.close_connection = True


def _partial_stream(handler: _Handler) -> None:
    handler.begin_chunks()
    handler.wfile.write(b"10\r\n" + b'{"choices": [{"i' + b"\r\n")
    handler.close_connection = True


def _event_stream(handler: _Handler) -> None:
    event = json.dumps({"choices": [{"index": 0, "delta": {"content": "7"}}]})
    handler.reply(f"data: {event}\n\ndata: [DONE]\n\n".encode(), kind="text/event-stream")


def _redirect(handler: _Handler) -> None:
    handler.reply(b"", status=302, Location="/elsewhere")


def _status(status: int, **headers: str) -> Callable[[_Handler], None]:
    return lambda handler: handler.reply(b'{"error": {"message": "slow down"}}', status=status, **headers)


def _raw(body: bytes, kind: str = "application/json") -> Callable[[_Handler], None]:
    return lambda handler: handler.reply(body, kind=kind)


def _batch(prefix: str, null: int | None = None) -> Callable[[_Handler], None]:
    def answer(handler: _Handler) -> None:
        texts = [None if at == null else f"{prefix} {at}" for at in range(len(handler.sent["prompt"]))]
        handler.choices(*(handler.choice(text, at) for at, text in reversed(list(enumerate(texts)))))

    return answer


# Replies that are a fault of the server: a reader who took them for the model's would be wrong.
FAULTS: dict[str, Callable[[_Handler], None]] = {
    "null": lambda handler: handler.choices(handler.choice(None)),
    "content filter": lambda handler: handler.choices(handler.choice("", reason="content_filter")),
    "content filter within a text": lambda handler: handler.choices(
        handler.choice("The answer is 8", reason="content_filter")
    ),
    "empty by an error": lambda handler: handler.choices(handler.choice("", reason="error")),
    "empty and not finished": lambda handler: handler.choices(handler.choice("", reason=None)),
    "tool call": lambda handler: handler.choices(handler.choice(None, reason="tool_calls")),
    "text that is a number": lambda handler: handler.choices(handler.choice(8)),  # type: ignore[arg-type]
    "doubled index": lambda handler: handler.choices(handler.choice("8"), handler.choice("8")),
    "more choices than prompts": lambda handler: handler.choices(
        handler.choice("8"), handler.choice("8", index=1)
    ),
    "wrong index": lambda handler: handler.choices(handler.choice("8", index=3)),
    "no choices": _raw(b'{"choices": []}'),
    "choices that are no objects": _raw(b'{"choices": ["8"]}'),
    "error object": _raw(b'{"error": {"message": "model overloaded"}}'),
    "null body": _raw(b"null"),
    "NaN as index": _raw(b'{"choices": [{"index": NaN, "text": "8", "message": {"content": "8"}}]}'),
    "rate limit": _status(429),
    "rate limit, retry later": _status(429, Retry_After="0"),
    "rate limit, retry at a date": _status(429, Retry_After="Wed, 18 Nov 2026 01:00:00 GMT"),
    "HTTP 400": _status(400),
    "HTTP 500": _status(500),
    "HTTP 502": _status(502),
    "HTTP 503": _status(503, Retry_After="0"),
    "HTTP 504": _status(504),
    "truncated JSON": _raw(b'{"choices": [{"index": 0, "mess'),
    "truncated body": _truncated_body,
    "invalid UTF-8": _raw(b'{"choices": [{"index": 0, "text": "\xff\xfe 8\xc3"'),
    "huge body": lambda handler: handler.choices(handler.choice("8 " * 1_000_000)),
    "reset in the body": _reset_in_body,
    "chunked garbage": _chunked_garbage,
    "partial stream": _partial_stream,
    "event stream": _event_stream,
    "HTML page": _raw(b"<html><body>8 users are before you</body></html>", "text/html"),
    "redirect": _redirect,
    "deep JSON": _raw(b"[" * 100_000 + b"]" * 100_000),
}
# Replies that are the model's own, however odd.
OWN: dict[str, Callable[[_Handler], None]] = {
    "lone surrogate": lambda handler: handler.choices(handler.choice("\ud83d 7")),
    "duplicate keys": lambda handler: handler.reply(
        _body(handler).replace(b'"index"', b'"index": 9, "index"')
    ),
    "NaN beside the text": lambda handler: handler.choices({**handler.choice(), "logprobs": float("nan")}),
    "slow drip": _slow_drip,
    "keep-alive that closes": _closes,
    "empty and finished": lambda handler: handler.choices(handler.choice("")),
    "refusal": lambda handler: handler.choices(
        {
            "index": 0,
            "text": "I cannot.",
            "message": {"content": None, "refusal": "I cannot."},
            "finish_reason": "stop",
        }
    ),
}
_BATCHES = {
    "batch with one null in wrong order": _batch("first", null=2),
    "batch in wrong order": _batch("again"),
}
MISBEHAVIOURS = {
    **FAULTS,
    **OWN,
    **_BATCHES,
    "cut off": _cut_off,
    "time-out": _time_out,
    "HTTP 401": _status(401),
}

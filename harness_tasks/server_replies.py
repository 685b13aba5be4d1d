"""Reads the replies of API servers through lm-eval, and separates server faults from a model's answers.

lm-eval's API backends turn null, filtered and misnumbered replies into empty text, and drop the finish
reason. `attach` wraps the three methods of a backend through which every reply passes. It is the only place
that depends on their names. Each reply is then a `ServerReply`.

A request with a fault is repeated, `max_retries` times in total. The last one is returned as a reply whose
`fault` describes the failure.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

# Finish reasons with which an empty reply is the model's own.
_FINISHED = frozenset(("stop", "eos", "eos_token", "end_turn", "stop_sequence", "length", "max_tokens"))
_CUT_OFF = frozenset(("length", "max_tokens"))
_FAULTY = frozenset(("content_filter", "error", "tool_calls", "function_call"))
# Above any token limit: a server that sends this repeats itself or is incompatible.
_MAX_CHARACTERS = 1_000_000
_MAX_REASON = 200
NO_CONNECTION = "cannot connect to the server"  # a fault
# Seconds before a request is repeated, and the maximum wait that a server may request.
_SHORTEST_WAIT, _LONGEST_WAIT, _LONGEST_RETRY_AFTER = 1.0, 10.0, 60.0
# Repeating does not help: a wrong key, a forbidden or unknown model, a wrong address.
_HOPELESS = frozenset((401, 403, 404, 405))


class ServerReply(str):
    """A reply with its server's status; `fault` is empty if the reply is the model's own.

    `failed` marks a fault of the entire request: an error status, a time-out, a body that is not JSON.
    """

    cut_off: bool
    fault: str
    failed: bool

    def __new__(
        cls, text: str = "", *, cut_off: bool = False, fault: str = "", failed: bool = False
    ) -> ServerReply:
        reply = super().__new__(cls, text)
        reply.cut_off, reply.fault, reply.failed = cut_off, fault, failed
        return reply


def fault_of(reply: Any) -> str:
    """Return the server's fault for this reply; empty if there is none."""
    if reply is None:
        return "null reply"
    return reply.fault if isinstance(reply, ServerReply) else ""


def of_inspect(output: Any, error: Any = None) -> ServerReply:
    """Return the reply in an output of inspect_ai; `error` is that of its sample."""
    if error is not None or output.error:
        return ServerReply(fault=str(getattr(error, "message", "") or output.error or "error")[:_MAX_REASON])
    if not output.choices:
        return ServerReply(fault="no choices")
    if output.stop_reason == "content_filter":
        return ServerReply(fault="content filter")
    if not output.completion and output.stop_reason == "unknown":
        return ServerReply(fault="empty reply, not finished")
    return ServerReply(output.completion, cut_off=output.stop_reason in ("max_tokens", "model_length"))


def attach(model: Any) -> None:
    """Make an API backend of lm-eval return `ServerReply` texts; other models remain unchanged."""
    methods = [getattr(model, name, None) for name in ("model_call", "amodel_call", "parse_generations")]
    if not all(map(callable, methods)):
        return
    call, call_async, parse = methods
    attempts = max(1, int(getattr(model, "max_retries", 1)))
    model.max_retries = 1  # requests are repeated here, where faults are known
    field = _text_field(model)

    def collect(count: int) -> _Replies:
        return _Replies(count, parse, field)  # type: ignore[arg-type]

    def model_call(messages: Sequence[Any], *, generate: bool = True, **options: Any) -> Any:
        if not generate:
            return call(messages, generate=False, **options)  # type: ignore[misc]
        replies = collect(len(messages))
        for attempt in range(1, attempts + 1):
            try:
                replies.take(call(messages, generate=True, **options))  # type: ignore[misc]
            except Exception as error:
                replies.fail(error)
            if not replies.faults or attempt == attempts:
                break
            time.sleep(replies.wait(attempt))
        return replies

    async def amodel_call(
        session: Any, sem: Any, messages: Sequence[Any], *, generate: bool = True, **options: Any
    ) -> Any:
        if not generate:
            return await call_async(session, sem, messages, generate=False, **options)  # type: ignore[misc]
        replies = collect(len(messages))
        _current.set(replies)
        for attempt in range(1, attempts + 1):
            replies.is_last = attempt == attempts
            try:
                return await call_async(session, sem, messages, generate=True, **options)  # type: ignore[misc]
            except _FaultyError:
                pass
            except Exception as error:
                replies.fail(error)
            if not replies.is_last:
                await asyncio.sleep(replies.wait(attempt))
        # lm-eval reports only replies that it has parsed.
        for key, reply in zip(options.get("cache_keys") or (), replies.texts(), strict=False):
            model.cache_hook.add_partial("generate_until", key, reply)
        return replies.texts()

    def parse_generations(outputs: Any, **options: Any) -> Any:
        if isinstance(outputs, _Replies):
            return outputs.texts()
        replies = _current.get()
        if replies is None:
            return parse(outputs=outputs, **options)  # type: ignore[misc]
        replies.take(outputs)
        if replies.faults and not replies.is_last:
            raise _FaultyError(replies.faults[0])
        return replies.texts()

    model.model_call = model_call
    model.amodel_call = amodel_call
    model.parse_generations = parse_generations


class _FaultyError(Exception):
    """Raised for a reply with a fault through lm-eval's asynchronous call, to repeat the request."""


class _Replies:
    """The replies to one request of one or several prompts, collected over several attempts."""

    def __init__(self, count: int, parse: Callable[..., Any], field: str) -> None:
        self._replies = [ServerReply(fault="no reply")] * count
        self._parse = parse
        self._field = field
        self._retry_after = 0.0
        self.is_last = False

    @property
    def faults(self) -> list[str]:
        """Return the remaining faults."""
        return [reply.fault for reply in self._replies if reply.fault]

    def texts(self) -> list[ServerReply]:
        """Return the replies in the order of the prompts."""
        return self._replies

    def take(self, outputs: Any) -> None:
        """Add the replies of a response; earlier replies without a fault are kept."""
        self._retry_after = 0.0
        found = self._read(outputs)
        self._replies = [new if old.fault else old for old, new in zip(self._replies, found, strict=True)]

    def fail(self, error: Exception) -> None:
        """Record a failed request; raise an error that no repetition can change."""
        status = _status(error)
        if status in _HOPELESS or not _is_of_the_server(error):
            raise error
        self._retry_after = _retry_after(error)
        fault = f"HTTP {status}" if status else NO_CONNECTION
        if not status and not _is_without_connection(error):
            fault = f"{type(error).__name__}: {error}"[:_MAX_REASON]
        self._replies = [ServerReply(fault=fault, failed=True) if old.fault else old for old in self._replies]

    def wait(self, attempt: int) -> float:
        """Return the seconds before the next attempt."""
        exponential: float = _SHORTEST_WAIT * 2 ** (attempt - 1)
        return max(min(_LONGEST_WAIT, exponential), self._retry_after)

    def _read(self, outputs: Any) -> list[ServerReply]:
        if self._field:
            return _of_choices(outputs, len(self._replies), self._field, self._parse)
        texts = self._parse(outputs=outputs)
        if not isinstance(texts, list) or len(texts) != len(self._replies):
            return [ServerReply(fault="replies do not match the prompts")] * len(self._replies)
        return [
            ServerReply(text) if isinstance(text, str) else ServerReply(fault="null reply") for text in texts
        ]


_current: ContextVar[_Replies | None] = ContextVar("the request that is being answered", default=None)


def _text_field(model: Any) -> str:
    """Return the field of an OpenAI choice that holds the text; empty if the backend reads another format."""
    from lm_eval.models import openai_completions as openai

    reader = getattr(type(model), "parse_generations", None)
    if reader is openai.LocalCompletionsAPI.parse_generations:
        return "text"
    return "message" if reader is openai.LocalChatCompletion.parse_generations else ""


def _of_choices(outputs: Any, count: int, field: str, parse: Callable[..., Any]) -> list[ServerReply]:
    """Return the reply of each prompt; choices that do not match the prompts are a fault of all."""
    choices = outputs.get("choices") if isinstance(outputs, dict) else None
    if not isinstance(choices, list) or not choices:
        return [ServerReply(fault=f"no choices: {str(outputs)[:_MAX_REASON]}", failed=True)] * count
    places: dict[int, Mapping[str, Any]] = {}
    for choice in choices:
        place = choice.get("index", 0 if len(choices) == 1 else None) if isinstance(choice, dict) else None
        if type(place) is int:
            places[place] = choice
    if len(choices) != count or sorted(places) != list(range(count)):
        return [ServerReply(fault="choices do not match the prompts")] * count
    return [_of_choice(places[place], field, parse) for place in range(count)]


def _of_choice(choice: Mapping[str, Any], field: str, parse: Callable[..., Any]) -> ServerReply:
    reason = choice.get("finish_reason")
    if not isinstance(reason, str):
        reason = ""
    if reason in _FAULTY:
        return ServerReply(fault=str(reason).replace("_", " "))
    content = choice.get(field)
    if isinstance(content, dict):
        # A refusal is in the model's own words.
        content = (
            content["refusal"]
            if content.get("content") is None and content.get("refusal")
            else content.get("content")
        )
    if content is None and reason in _CUT_OFF:
        content = ""  # the model was still reasoning at the limit
    if not isinstance(content, str):
        return ServerReply(fault="null reply" if content is None else "reply is not text")
    if not content and reason not in _FINISHED:
        return ServerReply(fault="empty reply, not finished")
    if len(content) > _MAX_CHARACTERS:
        return ServerReply(fault=f"reply of {len(content)} characters")
    shown = {"content": content} if field == "message" else content
    (text,) = parse(outputs={"choices": [{"index": 0, field: shown}]})
    return ServerReply(text, cut_off=reason in _CUT_OFF)


def _is_of_the_server(error: Exception) -> bool:
    """Return whether the error is of the connection or the response, not of the program."""
    import aiohttp
    import requests

    kinds = (requests.RequestException, aiohttp.ClientError, OSError, ValueError, RecursionError)
    return isinstance(error, kinds)


def _is_without_connection(error: Exception) -> bool:
    """Return whether nothing answers at the address."""
    import aiohttp
    import requests

    return isinstance(error, (requests.ConnectionError, aiohttp.ClientConnectorError))


def _status(error: Exception) -> int:
    """Return the HTTP status of an error of requests or aiohttp; 0 if it has none."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None) or getattr(error, "status", None)
    return status if isinstance(status, int) and status >= 400 else 0


def _retry_after(error: Exception) -> float:
    """Return the seconds that the server asks to wait for; 0 if it states none."""
    headers = getattr(getattr(error, "response", None), "headers", None) or getattr(error, "headers", None)
    try:
        seconds = float(headers.get("Retry-After", 0)) if headers else 0.0
    except ValueError:  # a date
        return 0.0
    return min(seconds, _LONGEST_RETRY_AFTER) if seconds > 0 else 0.0

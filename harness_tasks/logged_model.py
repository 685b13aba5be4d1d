"""Wrapper of an lm-eval model that answers from the log of replies and logs all others as they arrive."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dnc_datasets import model_arguments
from dnc_harness import server_replies
from dnc_harness.answer_log import AnswerLog, Request
from dnc_harness.errors import HarnessError
from dnc_harness.server_replies import ServerReply, fault_of

# Number of consecutive faults after which the server counts as down; earlier rows with faults do not count.
_MAX_FAULTS_IN_A_ROW = 10


def attach(model: Any, log: AnswerLog) -> Any:
    """Wrap a model's `generate_until` so that it answers from the log and writes to it; return the model.

    lm-eval's backends report each reply to a *cache hook* when it arrives; this hook writes it to the log.
    The replies of a backend that does not report (the dummy) are logged when it returns. A row whose last
    reply is a server fault is asked once more.
    """
    ask = model.generate_until
    server_replies.attach(model)
    hook = _Hook(log, model)
    model.set_cache_hook(hook)

    def generate_until(instances: Sequence[Any], *arguments: Any, **options: Any) -> list[str]:
        times: Counter[tuple[str, str]] = Counter()
        requests = []
        for instance in instances:
            request = _request(instance)
            place = (request.task, request.row)
            requests.append(replace(request, time=times[place]))
            times[place] += 1
        waiting: dict[str, list[Request]] = defaultdict(list)
        to_ask: dict[str, Any] = {}
        for request, instance in zip(requests, instances, strict=True):
            if request.key in log.replies:
                reply = log.replies[request.key]
                log.add([request], reply, cut_off=_fills_limit(model, request, reply))
                continue
            if request.key not in waiting:
                to_ask[request.key] = instance
            waiting[request.key].append(request)
        if to_ask:
            hook.expect(waiting)
            try:
                replies = ask(list(to_ask.values()), *arguments, **options)
            except Exception as error:
                raise _stopped(error, model, log) from error
            for key, reply in zip(to_ask, replies, strict=True):
                hook.log(waiting[key], reply)
        return [_logged(log, request) for request in requests]

    model.generate_until = generate_until
    return model


def _logged(log: AnswerLog, request: Request) -> str:
    fault = log.faults.get(request.key, "")
    return ServerReply(fault=fault) if fault else log.replies[request.key]


class _Hook:
    """The cache hook that lm-eval calls with each reply; the context identifies the rows that wait for it."""

    def __init__(self, log: AnswerLog, model: Any) -> None:
        self._log = log
        self._model = model
        self._by_context: dict[str, list[list[Request]]] = {}
        self._earlier_faults = frozenset(log.faults)
        self._faults: set[str] = set()  # of this run
        self._faults_in_a_row = 0

    def expect(self, waiting: dict[str, list[Request]]) -> None:
        """Register the requests that are about to be sent."""
        self._by_context = defaultdict(list)
        for requests in waiting.values():
            self._by_context[requests[0].context].append(requests)
        for context, queue in list(self._by_context.items()):
            if any(requests[0].options != queue[0][0].options for requests in queue):
                del self._by_context[context]  # a reply could belong to either; they are logged at the end

    def add_partial(self, method: str, request: tuple[Any, ...], reply: Any) -> None:
        """Log a reply that the backend reports; its context identifies it, as backends may change options."""
        queue = self._by_context.get(_context(request[0]))
        if method == "generate_until" and queue and isinstance(reply, str):
            self.log(queue.pop(0), reply)

    def log(self, requests: list[Request], reply: Any) -> None:
        """Log a reply; consecutive faults, or a failed request before any reply, stop the run."""
        key, fault = requests[0].key, fault_of(reply)
        if not fault:
            self._faults_in_a_row = 0
            cut_off = getattr(reply, "cut_off", False) or _fills_limit(self._model, requests[0], reply)
            self._log.add(requests, reply, cut_off=cut_off)
            return
        if key in self._faults:
            return  # reported a second time
        self._faults.add(key)
        self._log.add_fault(requests, fault)
        if key in self._earlier_faults:
            return
        self._faults_in_a_row += 1
        if getattr(reply, "failed", False) and not self._log.replies:
            raise _ServerDownError(fault)
        if self._faults_in_a_row >= _MAX_FAULTS_IN_A_ROW:
            raise _ServerDownError(f"{self._faults_in_a_row} requests in a row failed, the last one: {fault}")


class _ServerDownError(Exception):
    """Raised when the server has stopped answering."""


def _request(instance: Any) -> Request:
    context, options = instance.args[:2]
    return Request(instance.task_name, str(instance.doc["id"]), _context(context), options)


def _context(given: Any) -> str:
    # Chat APIs get their messages as a named tuple with one JSON text.
    return given if isinstance(given, str) else str(given[0])


def _stopped(error: Exception, model: Any, log: AnswerLog) -> HarnessError:
    """Return the error of a model that stopped answering: the failure, what to check, and how to continue."""
    # Chat APIs that get no chat template fail an assertion deep inside lm-eval.
    hint = " (a chat API needs --apply-chat-template)" if "--apply_chat_template" in str(error) else ""
    is_server = isinstance(error, _ServerDownError)
    kind = "" if is_server else f"{type(error).__name__}: "
    state = "stopped answering" if log.replies else "does not answer"
    sentences = [f"the model {state}: {kind}{error}{hint}".rstrip(".") + "."]
    url = getattr(model, "base_url", None)
    if is_server and isinstance(url, str) and server_replies.NO_CONNECTION in str(error):
        sentences.append(f"Is a server running at {model_arguments.address(url)}?")
    if log.replies:
        sentences.append(f"The {len(log.replies)} replies received so far are kept in {log.path}.")
    sentences.append("To continue, run the same command again")
    return HarnessError(" ".join(sentences))


def _fills_limit(model: Any, request: Request, reply: str) -> bool:
    """Return whether a reply reaches the token limit; False without a tokenizer."""
    most = request.options.get("max_gen_toks")
    tokenizer = getattr(model, "tokenizer", None)
    if not isinstance(most, int) or not reply or not callable(tokenizer):
        return False
    try:
        count = len(tokenizer(reply, add_special_tokens=False)["input_ids"])
    except Exception:  # a tokenizer of another kind
        return False
    # After decoding and encoding, a text may be one token shorter.
    return count >= most - 1

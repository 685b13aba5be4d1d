"""Lets an lm-eval model answer from the log what is logged, and logs everything else as it comes."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from dnc_harness.answer_log import AnswerLog, Request
from dnc_harness.errors import HarnessError


def attach(model: Any, log: AnswerLog) -> Any:
    """The same model; its `generate_until` now goes by way of the log.

    lm-eval's backends report each reply to a *cache hook* as soon as they have it; ours writes it to the
    log. A backend that does not report (the dummy) is logged when it returns.
    """
    ask = model.generate_until
    ended = _note_endings(model)
    _refuse_replies_without_choices(model)

    def cut_off(request: Request, reply: str) -> bool:
        return reply in ended or _fills_limit(model, request, reply)

    hook = _Hook(log, cut_off)
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
                raise _stopped(error, log, len(waiting)) from error
            for key, reply in zip(to_ask, replies, strict=True):
                log.add(waiting[key], reply, cut_off=cut_off(waiting[key][0], reply))
        return [log.replies[request.key] for request in requests]

    model.generate_until = generate_until
    return model


class _Hook:
    """What lm-eval calls with each reply; a context says which rows wait for it."""

    def __init__(self, log: AnswerLog, cut_off: Callable[[Request, str], bool]) -> None:
        self._log = log
        self._cut_off = cut_off
        self._by_context: dict[str, list[list[Request]]] = {}

    def expect(self, waiting: dict[str, list[Request]]) -> None:
        """These requests are about to be sent."""
        self._by_context = defaultdict(list)
        for requests in waiting.values():
            self._by_context[requests[0].context].append(requests)
        for context, queue in list(self._by_context.items()):
            if any(requests[0].options != queue[0][0].options for requests in queue):
                del self._by_context[context]  # a reply could be either's; they are logged at the end

    def add_partial(self, method: str, request: tuple[Any, ...], reply: Any) -> None:
        """Called by the backend. Its copy of the options may have been changed, so the context decides."""
        queue = self._by_context.get(_context(request[0]))
        if method == "generate_until" and queue and isinstance(reply, str):
            waiting = queue.pop(0)
            self._log.add(waiting, reply, cut_off=self._cut_off(waiting[0], reply))


def _request(instance: Any) -> Request:
    context, options = instance.args[:2]
    return Request(instance.task_name, str(instance.doc["id"]), _context(context), options)


def _context(given: Any) -> str:
    # Chat APIs get their messages as a named tuple with one JSON text.
    return given if isinstance(given, str) else str(given[0])


def _stopped(error: Exception, log: AnswerLog, wanted: int) -> HarnessError:
    # Chat APIs that get no chat template fail an assertion deep inside lm-eval.
    hint = " (a chat API needs --apply-chat-template)" if "--apply_chat_template" in str(error) else ""
    return HarnessError(
        f"the model stopped answering: {type(error).__name__}: {error}{hint}. Of {wanted} requests those "
        f"answered before are in {log.path}; run the same command again to go on from there"
    )


def _fills_limit(model: Any, request: Request, reply: str) -> bool:
    """Does the reply have as many tokens as the model may write? Where no tokenizer tells, it is not known."""
    most = request.options.get("max_gen_toks")
    tokenizer = getattr(model, "tokenizer", None)
    if not isinstance(most, int) or not reply or not callable(tokenizer):
        return False
    try:
        count = len(tokenizer(reply, add_special_tokens=False)["input_ids"])
    except Exception:  # a tokenizer of another kind
        return False
    # Decoded and read again, a text may come out a token shorter.
    return count >= most - 1


def _note_endings(model: Any) -> set[str]:
    """The replies of OpenAI-style backends that the server says to have ended by their length."""
    ended: set[str] = set()
    parse: Callable[..., Any] | None = getattr(model, "parse_generations", None)
    if parse is None:
        return ended

    def parse_generations(outputs: Any, **options: Any) -> Any:
        for output in outputs if isinstance(outputs, list) else [outputs]:
            for choice in output.get("choices") or () if isinstance(output, dict) else ():
                if isinstance(choice, dict) and choice.get("finish_reason") == "length":
                    said = choice.get("text") or (choice.get("message") or {}).get("content")
                    ended.add(str(said or ""))
        return parse(outputs=outputs, **options)

    model.parse_generations = parse_generations
    return ended


def _refuse_replies_without_choices(model: Any) -> None:
    """Let OpenAI-style backends treat a reply without choices as an error, to be tried again.

    lm-eval's chat backend takes it for an empty answer, which would be scored as a wrong one.
    """
    openai = sys.modules.get("lm_eval.models.openai_completions")
    if openai is None or getattr(type(model), "parse_generations", None) not in (
        openai.LocalCompletionsAPI.parse_generations,
        openai.LocalChatCompletion.parse_generations,
    ):
        return
    call: Callable[..., Any] = model.model_call
    parse: Callable[..., Any] = model.parse_generations

    def model_call(*arguments: Any, **options: Any) -> Any:
        return _with_choices(call(*arguments, **options))

    def parse_generations(outputs: Any, **options: Any) -> Any:
        return parse(outputs=_with_choices(outputs), **options)

    model.model_call = model_call
    model.parse_generations = parse_generations


def _with_choices(outputs: Any) -> Any:
    for output in outputs if isinstance(outputs, list) else [outputs]:
        choices = output.get("choices") if isinstance(output, dict) else None
        if not isinstance(choices, list) or not choices:
            raise ValueError(f"the server's reply has no choices: {str(output)[:200]}")
    return outputs

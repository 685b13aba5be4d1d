"""The kinds of models that lm-eval asks, as functions of texts; entry points of `dnc.models`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dnc_datasets import extras, model_names, secrets
from dnc_harness import server_replies
from dnc_harness.errors import HarnessError

Model = Callable[[Sequence[str]], Sequence[str]]


def hf(text: str) -> Model:
    """Return a model of transformers: `hf:NAME`."""
    return _asking(f"hf:{text}")


def api(text: str) -> Model:
    """Return a model on a server with OpenAI's interface: `api:URL#NAME`."""
    return _asking(f"api:{text}")


def lm_eval(text: str) -> Model:
    """Return a backend of lm-eval: `lm_eval:BACKEND:ARGUMENTS`."""
    return _asking(f"lm_eval:{text}")


def writing(model: str, *, varied: bool = False) -> Model:
    """Return the function that sends prompts to a model unchanged and returns its complete replies.

    With `varied`, the replies to one prompt differ (temperature 0.7).
    """
    sampling = {"do_sample": True, "temperature": 0.7} if varied else {"do_sample": False}
    return _asking(model, frame="{}", generation={"until": [], "max_gen_toks": 1024, **sampling})


_SHORT = {"until": ["\n"], "max_gen_toks": 32, "do_sample": False}


def _asking(
    model: str, frame: str = "Question: {}\nAnswer:", generation: Mapping[str, Any] = _SHORT
) -> Model:
    """Return the function that asks a model by name; its replies end at the end of the line."""
    backend = model_names.backend(model)
    try:
        from lm_eval.api.instance import Instance
        from lm_eval.api.registry import get_model as backend_class
        from lm_eval.models.api_models import JsonChatStr
    except ImportError as error:
        raise HarnessError(f"language models need lm-eval: {extras.command('harness')}") from error
    try:
        import lm_eval.models  # registers the backends  # noqa: F401

        if backend.name == model_names.TEXT:
            from dnc_harness import text_model  # registers the backend  # noqa: F401

        network: Any = backend_class(backend.name).create_from_arg_obj(backend.arguments)
    except Exception as error:
        raise HarnessError(
            secrets.hide(f"lm-eval backend {backend.name!r} cannot be made: {error}", backend.arguments)
        ) from None
    server_replies.attach(network)

    def prompt(text: str) -> Any:
        asked = frame.replace("{}", text)
        return JsonChatStr(json.dumps([{"role": "user", "content": asked}])) if backend.chat else asked

    def answer(texts: Sequence[str]) -> Sequence[str]:
        asked = [
            Instance(
                request_type="generate_until",
                doc={},
                arguments=(prompt(one), dict(generation)),
                idx=at,
            )
            for at, one in enumerate(texts)
        ]
        try:
            with secrets.guard(backend.arguments):
                answers: Sequence[str] = network.generate_until(asked)
            if fault := next(filter(None, map(server_replies.fault_of, answers)), ""):
                raise HarnessError(f"a server fault, not an answer: {fault}")
        except Exception as error:
            raise HarnessError(
                secrets.hide(
                    f"the model stopped answering: {type(error).__name__}: {error}", backend.arguments
                )
                + ". What was done is kept; run the same command again to go on from there"
            ) from None
        return answers

    return answer

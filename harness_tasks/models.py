"""The kind of model `lm_eval:BACKEND:ARGUMENTS`, which `dnc attack` finds by the entry point `dnc.models`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dnc_datasets import recorded
from dnc_harness.errors import HarnessError

Model = Callable[[Sequence[str]], Sequence[str]]


def lm_eval(text: str) -> Model:
    """A backend of lm-eval: `hf:pretrained=NAME`; it gets the text and answers up to the end of the line."""
    backend, _, arguments = text.partition(":")
    secret = recorded.of_model(f"lm_eval:{text}")[1]
    try:
        from lm_eval.api.instance import Instance
        from lm_eval.api.registry import get_model
    except ImportError as error:
        raise HarnessError("lm_eval models need lm-eval: pip install 'dnc-bench[harness]'") from error
    try:
        import lm_eval.models  # registers the backends  # noqa: F401

        network: Any = get_model(backend).create_from_arg_string(arguments)
    except Exception as error:
        raise HarnessError(
            recorded.hidden(f"lm-eval backend {backend!r} cannot be made: {error}", secret)
        ) from None

    def answer(texts: Sequence[str]) -> Sequence[str]:
        asked = [
            Instance(
                request_type="generate_until",
                doc={},
                arguments=(
                    f"Question: {one}\nAnswer:",
                    {"until": ["\n"], "max_gen_toks": 32, "do_sample": False},
                ),
                idx=at,
            )
            for at, one in enumerate(texts)
        ]
        try:
            with recorded.quiet_log(secret):
                answers: Sequence[str] = network.generate_until(asked)
        except Exception as error:
            raise HarnessError(
                recorded.hidden(f"the model stopped answering: {type(error).__name__}: {error}", secret)
                + ". What was done is kept; run the same command again to go on from there"
            ) from None
        return answers

    return answer

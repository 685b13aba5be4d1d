"""Selects the arguments of a model that are recorded: those known to change its answers, without secrets.

The names that may be recorded are listed, because a list of names that may not is never complete. All commands
that record a model (`dnc eval`, `dnc research attack`) use this module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# Names of lm-eval's backends, and of its generation options, that change what a model answers.
RECORDED = frozenset(
    (
        # The model itself.
        "pretrained model revision subfolder tokenizer peft delta gguf_file base_url api_version engine backend "
        # The handling of its weights and texts.
        "dtype softmax_dtype mixed_precision_dtype load_in_4bit load_in_8bit quantization autogptq gptqmodel "
        "max_length max_model_len truncate truncation add_bos_token prefix_token_id custom_prefix_token_id "
        "eos_string tokenizer_backend tokenized_requests use_fast_tokenizer trust_remote_code use_safetensors "
        "attn_implementation think_end_token enable_thinking chat_template chat_template_args seed "
        # The generation of text.
        "max_gen_toks max_tokens max_new_tokens until do_sample temperature top_p top_k min_p num_beams "
        "repetition_penalty presence_penalty frequency_penalty reasoning_effort"
    ).split()
)
# Text that is an address: a scheme, a user with a password, or a query. The pattern takes linear time.
ADDRESS = re.compile(r"[^\s:/?@]*://|[^/@\s]*@|[^?\s]*\?[^=\s]*=")


def arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments to record. Addresses lose user, password and query.

    >>> arguments({"model": "m", "api_key": "k", "base_url": "https://me:pw@host/v1?api-key=k"})
    {'model': 'm', 'base_url': 'https://host/v1'}
    """
    return {name: _plain(value) for name, value in given.items() if name in RECORDED}


def model(name: str) -> str:
    """Return the name of a model of `dnc research attack` as it is recorded.

    >>> model("lm_eval:hf:pretrained=gpt2,token=k")
    'lm_eval:hf:pretrained=gpt2'
    >>> model("api:https://host/v1?key=k#mine")
    'api:https://host/v1#mine'
    """
    if name.startswith("api:"):
        url, _, model_name = name.removeprefix("api:").rpartition("#")
        return f"api:{address(url)}#{model_name}"
    kind, given = of_model(name)
    return kind + ",".join(f"{name}={value}" for name, value in arguments(given).items())


def of_model(name: str) -> tuple[str, dict[str, Any]]:
    """Split a model of `dnc research attack` into its kind, up to the last colon, and its arguments.

    >>> of_model("lm_eval:hf:pretrained=gpt2,token=k")
    ('lm_eval:hf:', {'pretrained': 'gpt2', 'token': 'k'})
    """
    head, equals, _ = name.partition("=")
    if not equals or head.startswith("solver:"):
        return str(_plain(name)), {}
    kind = head[: head.rfind(":") + 1]
    parts = (part.partition("=") for part in name[len(kind) :].split(","))
    return kind, {name.strip(): value for name, _, value in parts if name.strip()}


def address(url: str) -> str:
    """Return a URL without user, password, query and fragment.

    >>> address("https://me:pw@host:8080/v1?key=k#top")
    'https://host:8080/v1'
    """
    plain = re.split(r"[?#]", url, maxsplit=1)[0]
    scheme, separator, rest = plain.rpartition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return arguments(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, str) and ADDRESS.match(value):
        return address(value)
    return value if value is None or isinstance(value, bool | int | float) else str(value)

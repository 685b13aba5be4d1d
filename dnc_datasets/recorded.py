"""What is written down of a model's arguments: those known to change its answers, and no secret with them.

A list of what may be written is short and stays right; a list of what may not is never complete. All commands
that record a model (`dnc eval`, `dnc attack`) go through this module.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, unquote, urlsplit

# Names of lm-eval's backends, and of its generation options, that change what a model answers.
RECORDED = frozenset(
    (
        # Which model.
        "pretrained model revision subfolder tokenizer peft delta gguf_file base_url api_version engine backend "
        # How its weights and texts are handled.
        "dtype softmax_dtype mixed_precision_dtype load_in_4bit load_in_8bit quantization autogptq gptqmodel "
        "max_length max_model_len truncate truncation add_bos_token prefix_token_id custom_prefix_token_id "
        "eos_string tokenizer_backend tokenized_requests use_fast_tokenizer trust_remote_code use_safetensors "
        "attn_implementation think_end_token enable_thinking chat_template chat_template_args seed "
        # How text is generated.
        "max_gen_toks max_tokens max_new_tokens until do_sample temperature top_p top_k min_p num_beams "
        "repetition_penalty presence_penalty frequency_penalty reasoning_effort"
    ).split()
)
# Arguments that neither change answers nor hide anything: they may stand in a message.
_HARMLESS = frozenset(
    "batch_size device max_batch_size max_retries num_concurrent parallelize timeout verify_certificate".split()
)
# Text that is an address: a scheme, a user with a password, or a query. One look at each character is enough.
_ADDRESS = re.compile(r"[^\s:/?@]*://|[^/@\s]*@|[^?\s]*\?[^=\s]*=")
_SHORTEST_SECRET = 4  # characters; anything shorter would blot out half of a message
_HIDDEN = "***"


def arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that are written down, addresses without user, password and query.

    >>> arguments({"model": "m", "api_key": "k", "base_url": "https://me:pw@host/v1?api-key=k"})
    {'model': 'm', 'base_url': 'https://host/v1'}
    """
    return {name: _plain(value) for name, value in given.items() if name in RECORDED}


def model(name: str) -> str:
    """A model of `dnc attack` as it is written down.

    >>> model("lm_eval:hf:pretrained=gpt2,token=k")
    'lm_eval:hf:pretrained=gpt2'
    """
    kind, given = of_model(name)
    return kind + ",".join(f"{name}={value}" for name, value in arguments(given).items())


def of_model(name: str) -> tuple[str, dict[str, Any]]:
    """A model of `dnc attack` taken apart: its kind up to the last colon, and its arguments.

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
    """A URL without user, password, query and fragment.

    >>> address("https://me:pw@host:8080/v1?key=k#top")
    'https://host:8080/v1'
    """
    plain = re.split(r"[?#]", url, maxsplit=1)[0]
    scheme, separator, rest = plain.rpartition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"


def hidden(text: str, given: Mapping[str, Any]) -> str:
    """A message with everything blotted out that is not written down of these arguments.

    >>> hidden("401 for key abcd", {"api_key": "abcd"})
    '401 for key ***'
    """
    for secret in sorted(_secrets(given), key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    return text


@contextmanager
def quiet_log(given: Mapping[str, Any]) -> Iterator[None]:
    """Blot the same out of what libraries log while the block runs."""

    def blot(record: logging.LogRecord) -> bool:
        record.msg, record.args = hidden(record.getMessage(), given), None
        return True

    handlers = [handler for handler in (*logging.root.handlers, logging.lastResort) if handler]
    for handler in handlers:
        handler.addFilter(blot)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(blot)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return arguments(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, str) and _ADDRESS.match(value):
        return address(value)
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _secrets(given: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    for name, value in given.items():
        if name in _HARMLESS:
            continue
        for leaf in _leaves(value):
            found |= set(_parts_of_address(leaf)) if name in RECORDED else {leaf, *leaf.split()}
    return {
        form
        for secret in found
        for form in (secret, quote(secret, safe=""), unquote(secret))
        if len(form) >= _SHORTEST_SECRET
    }


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _parts_of_address(url: str) -> Iterator[str]:
    """What `address` leaves out."""
    if not _ADDRESS.match(url):
        return
    found = urlsplit(url if "://" in url else f"//{url}")
    yield from (part for part in (found.query, found.fragment) if part)
    for pair in found.query.split("&"):
        yield pair.partition("=")[2]
    user = found.netloc.rpartition("@")[0]
    yield from (user, *user.partition(":")[::2])

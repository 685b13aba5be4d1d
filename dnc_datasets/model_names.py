"""The names of models on the command line, the same for every command."""

from __future__ import annotations

from typing import Any, NamedTuple

from dnc_datasets import model_arguments
from dnc_datasets.errors import DncError

KINDS = ("hf:NAME", "api:URL#NAME", "lm_eval:BACKEND:ARGUMENTS", "solver:RUN", "python:MODULE:FUNCTION")
HELP = (
    "name the model: hf:NAME (a folder or a name on the Hub), api:URL#NAME (a server), lm_eval:BACKEND:ARGUMENTS, "
    "solver:RUN (from `dnc research train`) or python:MODULE:FUNCTION (texts -> answers)"
)
# The lm-eval backend that asks a solver or a Python function.
TEXT = "dnc-text"
_CHAT = "chat/completions"


class Backend(NamedTuple):
    """An lm-eval backend, its arguments, and whether it is sent conversations."""

    name: str
    arguments: dict[str, Any]
    chat: bool = False


def backend(model: str) -> Backend:
    """Return the lm-eval backend that asks a model.

    >>> backend("hf:gpt2")
    Backend(name='hf', arguments={'pretrained': 'gpt2'}, chat=False)
    >>> backend("api:http://localhost:8000/v1#mine").arguments["base_url"]
    'http://localhost:8000/v1/chat/completions'
    >>> backend("api:http://localhost:8000/v1?api-version=1#mine").arguments["base_url"]
    'http://localhost:8000/v1/chat/completions?api-version=1'
    >>> backend("solver:runs/gts").arguments
    {'model': 'solver:runs/gts'}
    """
    kind, _, rest = model.partition(":")
    if kind == "hf" and rest:
        return Backend("hf", {"pretrained": rest})
    if kind == "lm_eval" and rest:
        name, _, _ = rest.partition(":")
        given = model_arguments.of_model(f"{model}:" if rest == name else model)[1]
        return Backend(name, {key: _value(text) for key, text in given.items()})
    if kind in ("solver", "python") and rest:
        return Backend(TEXT, {"model": model})
    url, sign, name = rest.rpartition("#")
    if kind == "api" and sign and url and name:
        path, question, query = url.partition("?")
        if not path.rstrip("/").endswith("/completions"):
            path = f"{path.rstrip('/')}/{_CHAT}"
        url, chat = path + question + query, path.rstrip("/").endswith(_CHAT)
        arguments = {"model": name, "base_url": url, "tokenizer_backend": "none", "tokenized_requests": False}
        return Backend(f"local-{'chat-' if chat else ''}completions", arguments, chat)
    raise unknown(model)


def pretrained(model: str) -> str:
    """Return the folder or Hub name of a model that is loaded with transformers, `hf:NAME` or a bare name.

    >>> pretrained("hf:google/flan-t5-small")
    'google/flan-t5-small'
    """
    kind, colon, rest = model.partition(":")
    if colon and kind in ("api", "lm_eval", "solver", "python"):
        raise DncError(f"model {model:.60}: this command loads weights; name them as hf:NAME")
    return rest if kind == "hf" and rest else model


def unknown(model: str) -> DncError:
    """Return the error for a name of no known kind."""
    return DncError(f"model {model:.60}: write it as {', '.join(KINDS[:-1])} or {KINDS[-1]}")


def _value(text: str) -> Any:
    """Read the value of an argument as lm-eval does."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.isdecimal():
        return int(text)
    try:
        return float(text)
    except ValueError:
        return text

"""Removes secrets, by value, from text that is printed, logged or written.

A secret is the value of a variable such as OPENAI_API_KEY or HF_TOKEN, an argument of a model that is not on the
list of recorded ones (`model_arguments.RECORDED`), a password or a query in an address, and the text after "Bearer" or
"Basic" wherever it occurs.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from io import TextIOBase
from typing import Any, TextIO, cast
from urllib.parse import quote, unquote, urlsplit

from dnc_datasets.model_arguments import ADDRESS, RECORDED

HIDDEN = "***"
# Names of environment variables whose values are secrets. A path to a file with a secret is none.
_KEY_VARIABLE = re.compile(
    r"(?:^|_)(?:API_?KEYS?|KEY|TOKENS?|SECRETS?|PASSWORD|PASSWD|CREDENTIALS?)(?:_|$)", re.I
)
_PATH_SUFFIXES = ("_PATH", "_FILE", "_DIR")
# The credentials of an Authorization header, wherever a library prints one.
_AUTHORIZATION = re.compile(r"\b(Bearer|Basic)(\s+)(?!\*)[\w.~+/=-]{4,}")
# The same with the header's name, for files: a reply may speak of "Basic skills".
_HEADER = re.compile(
    r"""(\bauthorization\\*["']?\s*[:=]\s*\\*["']?(?:Bearer|Basic|Token)\s+)[\w.~+/=-]{4,}""", re.I
)
_KEY_ARGUMENT = re.compile(r"auth|header", re.I)
# Arguments of models that neither change answers nor hide anything.
_HARMLESS = frozenset(
    "batch_size device max_batch_size max_retries num_concurrent parallelize timeout verify_certificate".split()
)
_SHORTEST = 4  # characters of a model's argument; a shorter one would remove half of a message
_SHORTEST_KEY = 6  # of a key in everything that is printed
_SHORTEST_VARIABLE = 8


def hide(text: str, given: Mapping[str, Any] | None = None) -> str:
    """Return the text without the secrets of the environment and of these arguments of a model.

    >>> hide("401 for key abcd", {"api_key": "abcd"})
    '401 for key ***'
    >>> hide("headers: {'Authorization': 'Bearer sk-123456'}")
    "headers: {'Authorization': 'Bearer ***'}"
    """
    return _hide_values(text, values(given))


def values(given: Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """Return the secrets of the environment and of these arguments, the longest first."""
    secrets = _environment_secrets()
    secrets |= {value for value in _argument_secrets(given or {}) if len(value) >= _SHORTEST}
    forms = {form for one in secrets for form in (one, quote(one, safe=""), unquote(one), repr(one)[1:-1])}
    return _longest_first(form for form in forms if len(form) >= _SHORTEST)


def _environment_secrets() -> set[str]:
    return {
        value
        for name, value in os.environ.items()
        if _names_key(name) and len(value) >= _SHORTEST_VARIABLE and not value.isdigit()
    }


def _names_key(variable: str) -> bool:
    """Return whether a variable of this name holds a secret, and not the path to one."""
    return _KEY_VARIABLE.search(variable) is not None and not variable.upper().endswith(_PATH_SUFFIXES)


@contextmanager
def guard(given: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Remove secrets from everything that is printed while the block runs, and from every log from now on.

    Log records are cleaned when they are created, so that no handler of any logger receives a secret. That goes on
    after the block: asyncio logs a failed request, with its headers, when it is collected as garbage.
    """
    remember(given)
    with ExitStack() as stack:
        if sys.stdout is not None:
            stack.enter_context(redirect_stdout(guarded(sys.stdout)))
        if sys.stderr is not None:
            stack.enter_context(redirect_stderr(guarded(sys.stderr)))
        yield


def remember(given: Mapping[str, Any] | None = None) -> None:
    """Remove these secrets, and those of the environment, from all logs and guarded streams from now on.

    The value of an argument whose name is not that of a key counts only if it cannot be a word of a message.
    """
    keys = {name: value for name, value in (given or {}).items() if _names_key(name)}
    _known.update(one for one in values(keys) if len(one) >= _SHORTEST_KEY)
    _known.update(one for one in values(given) if len(one) >= _SHORTEST_VARIABLE and not one.isalpha())
    for name, value in (given or {}).items():
        if _names_key(name) or _KEY_ARGUMENT.search(name):
            words = {word for leaf in _leaves(value) for word in (leaf, *leaf.split())}
        else:
            words = {word for leaf in _leaves(value) for word in _address_secrets(leaf)}
        _known_keys.update(word for word in words if len(word) >= _SHORTEST_VARIABLE)
    create = logging.getLogRecordFactory()
    if not hasattr(create, "removes_secrets"):

        def clean(*arguments: Any, **options: Any) -> logging.LogRecord:
            return _clean_record(create(*arguments, **options))

        clean.removes_secrets = True  # type: ignore[attr-defined]
        logging.setLogRecordFactory(clean)


def guarded(stream: TextIO) -> TextIO:
    """Return the stream with secrets removed from what is written to it."""
    return cast(TextIO, _Guarded(stream))


def file_cleaner() -> Callable[[str], str]:
    """Return a function that removes keys from text that goes to a file.

    Files hold replies and figures, so it is more careful than `hide`: it removes the values of key variables and of
    model arguments with the name of a key, passwords and queries of addresses, if they have eight characters and a
    letter, and Authorization headers.
    """
    forms = {form for one in _environment_secrets() | _known_keys for form in (one, json.dumps(one)[1:-1])}
    known = _longest_first(form for form in forms if not form.isdecimal() and any(map(str.isalpha, form)))

    def clean(text: str) -> str:
        for secret in known:
            if secret in text:
                text = text.replace(secret, HIDDEN)
        return _HEADER.sub(rf"\1{HIDDEN}", text) if "uthorization" in text else text

    return clean


_known: set[str] = set()
_known_keys: set[str] = set()  # values of model arguments that are keys or parts of an address


class _Guarded(TextIOBase):
    """A stream that removes secrets from what is written to it and is otherwise the stream given."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(_hide_values(text, _longest_first(_known)))
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._stream.errors

    @property
    def buffer(self) -> Any:
        return self._stream.buffer

    def close(self) -> None:
        """Leave the stream open. Its owner closes it."""


def _longest_first(secrets: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(secrets, key=len, reverse=True))


def _hide_values(text: str, known: Iterable[str]) -> str:
    for secret in known:
        text = text.replace(secret, HIDDEN)
    return _AUTHORIZATION.sub(rf"\1\2{HIDDEN}", text)


def _clean_record(record: logging.LogRecord) -> logging.LogRecord:
    known = _longest_first(_known)
    try:
        message = record.getMessage()
    except Exception:  # a format that does not fit its arguments; the handler reports it
        return record
    clean = _hide_values(message, known)
    if clean != message:
        record.msg, record.args = clean, None
    if record.exc_info and record.exc_info[0] is not None:
        # Formatters print this text instead of formatting the exception.
        record.exc_text = _hide_values(logging.Formatter().formatException(record.exc_info), known)
    if record.stack_info:
        record.stack_info = _hide_values(record.stack_info, known)
    return record


def _argument_secrets(given: Mapping[str, Any]) -> Iterator[str]:
    for name, value in given.items():
        if name in _HARMLESS:
            continue
        for leaf in _leaves(value):
            if name in RECORDED:
                yield from _address_secrets(leaf)
            else:
                yield from (leaf, *leaf.split())


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _address_secrets(url: str) -> Iterator[str]:
    """Yield the parts of an address that `model_arguments.address` leaves out."""
    if not ADDRESS.match(url):
        return
    parts = urlsplit(url if "://" in url else f"//{url}")
    yield from (part for part in (parts.query, parts.fragment) if part)
    for pair in parts.query.split("&"):
        yield pair.partition("=")[2]
    user = parts.netloc.rpartition("@")[0]
    yield from (user, *user.partition(":")[::2])
    if user:
        yield base64.b64encode(unquote(user).encode()).decode()  # as an Authorization header holds them

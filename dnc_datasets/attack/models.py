"""Models under attack: anything that answers a list of problem texts with a list of answers."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from dnc_datasets import model_names, plugins, untrusted
from dnc_datasets.errors import DncError

GROUP = "dnc.models"

Model = Callable[[Sequence[str]], Sequence[str]]


def load(name: str) -> Model:
    """Return the model of a name (see `model_names`).

    `python:MODULE:FUNCTION` is a Python callable `(texts) -> answers`. The other kinds are entry points of the
    group `dnc.models`: functions of the text after the first colon, in the package that loads the model.
    """
    kind, colon, rest = name.partition(":")
    if not colon or not kind or not rest:
        raise model_names.unknown(name)
    if kind == "python":
        module, _, function = rest.rpartition(":")
        return _callable(module, function)
    if kind not in plugins.entry_points(GROUP):
        if not rest.isidentifier():
            raise model_names.unknown(name)
        print(f"dnc: write --model python:{name}; the short form works for one more release", file=sys.stderr)
        return _callable(kind, rest)
    model: Model = plugins.load(GROUP, kind)(rest)
    return model


def _callable(module: str, function: str) -> Model:
    # Modules of the current folder can be imported, as with `python -m`.
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise DncError(
            f"model python:{module}:{function} cannot be imported: {error}. The module must be installed or lie "
            "in the folder where you run the command, and define the function"
        ) from error
    if not callable(found):
        raise DncError(f"model python:{module}:{function} is no function of (texts) -> answers")
    model: Model = found
    return model


def ask(model: Model, texts: Sequence[str], name: str) -> list[str]:
    """Return the model's answers, one for each text. A missing answer is an error that names the model."""
    answers = [answer for answer in replies(model, texts, name) if answer is not None]
    if len(answers) != len(texts):
        raise DncError(
            f"model {name} gave None to {len(texts) - len(answers)} of {len(texts)} texts, which is no answer; return "
            "'' where the model says nothing, and ask again where its server failed"
        )
    return answers


def replies(model: Model, texts: Sequence[str], name: str) -> list[str | None]:
    """Return the model's answers, with None where its server gave no answer."""
    try:
        given = list(model(list(texts)))
    except DncError:
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise DncError(
            f"model {name} failed in {place.filename}, line {place.lineno}: {type(error).__name__}: {error}"
        ) from error
    answers: list[str | None] = [
        None if answer is None else untrusted.clean_text(str(answer)) for answer in given
    ]
    if len(answers) != len(texts):
        raise DncError(
            f"model {name} gave {len(answers)} answers to {len(texts)} texts; it must give one for each"
        )
    return answers

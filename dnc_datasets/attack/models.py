"""Models under attack: anything that answers a list of problem texts with a list of answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from dnc_datasets import plugins
from dnc_datasets.errors import DncError

GROUP = "dnc.models"

Model = Callable[[Sequence[str]], Sequence[str]]


def load(name: str) -> Model:
    """The model of a name, which says its kind first.

    `solver:DIR` is a solver or a fine-tuned model in the folder where `dnc train` or `dnc finetune` left it.
    `lm_eval:hf:pretrained=NAME` is a backend of lm-eval with its arguments; it gets the text and answers up to the
    end of the line.
    `package.module:function` is a Python callable `(texts) -> answers`. Kinds are entry points of the
    group `dnc.models`, functions of what stands behind the colon; ours live with what they load.
    """
    kind, colon, rest = name.partition(":")
    if not colon or not kind or not rest:
        raise DncError(
            f"model {name!r}: write solver:DIR, lm_eval:BACKEND:ARGUMENTS (e.g. lm_eval:hf:pretrained=gpt2), "
            "or package.module:function"
        )
    if kind not in plugins.entry_points(GROUP):
        return _callable(kind, rest)
    model: Model = plugins.load(GROUP, kind)(rest)
    return model


def _callable(module: str, function: str) -> Model:
    # A module in the folder where the command runs, as `python -m` would find it.
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        kinds = ", ".join(sorted(plugins.entry_points(GROUP)))
        raise DncError(
            f"model {module}:{function} cannot be imported: {error}. The module must be installed or lie "
            f"in the folder where you run the command, and define the function. Kinds of models here: {kinds} "
            "(where solver and lm_eval are missing, install dnc-bench again)"
        ) from error
    if not callable(found):
        raise DncError(f"model {module}:{function} is no function of (texts) -> answers")
    model: Model = found
    return model


def ask(model: Model, texts: Sequence[str], name: str) -> list[str]:
    """The model's answers, one for each text; an error that names the model where it gives another number."""
    answers = [str(answer) for answer in model(list(texts))]
    if len(answers) != len(texts):
        raise DncError(
            f"model {name} gave {len(answers)} answers to {len(texts)} texts; it must give one for each"
        )
    return answers

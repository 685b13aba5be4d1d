"""Models under attack: anything that answers a list of problem texts with a list of answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from dnc_datasets.errors import DncError

Model = Callable[[Sequence[str]], Sequence[str]]


def load(name: str) -> Model:
    """The model of a name.

    `solver:DIR` is a solver in the folder where `dnc train` left it. `lm_eval:hf:pretrained=NAME` is a
    backend of lm-eval with its arguments; it gets the text and answers up to the end of the line.
    `package.module:function` is a Python callable `(texts) -> answers`.
    """
    kind, colon, rest = name.partition(":")
    if not colon or not kind or not rest:
        raise DncError(
            f"model {name!r}: write solver:DIR, lm_eval:BACKEND:ARGUMENTS (e.g. lm_eval:hf:pretrained=gpt2), "
            "or package.module:function"
        )
    return _KINDS[kind](rest) if kind in _KINDS else _callable(kind, rest)


def _solver(folder: str) -> Model:
    # By name and only now: this package does without torch.
    import_module("dnc_trainers.commands").require_torch()
    model: Model = import_module("dnc_trainers.trained").text_model(Path(folder))
    return model


def _callable(module: str, function: str) -> Model:
    # A module in the folder where the command runs, as `python -m` would find it.
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise DncError(
            f"model {module}:{function} cannot be imported: {error}. The module must be installed or lie "
            "in the folder where you run the command, and define the function"
        ) from error
    if not callable(found):
        raise DncError(f"model {module}:{function} is no function of (texts) -> answers")
    model: Model = found
    return model


def _lm_eval(text: str) -> Model:
    backend, _, arguments = text.partition(":")
    try:
        from lm_eval.api.instance import Instance
        from lm_eval.api.registry import get_model
    except ImportError as error:
        raise DncError("lm_eval models need lm-eval: pip install 'dnc-bench[harness]'") from error
    try:
        import lm_eval.models  # registers the backends  # noqa: F401

        network: Any = get_model(backend).create_from_arg_string(arguments)
    except Exception as error:
        raise DncError(f"lm-eval backend {backend!r} with {arguments!r} cannot be made: {error}") from error

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
        answers: Sequence[str] = network.generate_until(asked)
        return answers

    return answer


_KINDS: dict[str, Callable[[str], Model]] = {"solver": _solver, "lm_eval": _lm_eval}


def ask(model: Model, texts: Sequence[str], name: str) -> list[str]:
    """The model's answers, one for each text; an error that names the model where it gives another number."""
    answers = [str(answer) for answer in model(list(texts))]
    if len(answers) != len(texts):
        raise DncError(
            f"model {name} gave {len(answers)} answers to {len(texts)} texts; it must give one for each"
        )
    return answers

"""Diagnosis of a user's own model on the embedded corpus: `dnc diagnose --model` and `--predictions`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from dnc_datasets import filesystem, model_names, owned_folder
from dnc_datasets.errors import DncError
from dnc_datasets.perturbations import plausible_form
from dnc_datasets.serving import catalogue
from dnc_datasets.serving.catalogue import Variant
from dnc_metrics.capabilities import CONFIRMATORY

# Every template, since the model was not trained on them.
_DATASET = "tiny_all"
# The perturbations that have verdicts of their own, and the probe without the question.
RECIPES = (*(plausible_form(name) for names in CONFIRMATORY.values() for name in names), "no_question")
# Options of `dnc eval` that `dnc diagnose --model` passes on unchanged.
_FLAGS = ("reasoning", "estimate", "details", "json", "until_decided")
_VALUES = ("limit", "batch_size")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that concern a model of the user."""
    group = parser.add_argument_group("your own model, on one row of every template")
    which = group.add_mutually_exclusive_group()
    which.add_argument("--model", metavar="KIND:NAME", help=model_names.HELP)
    which.add_argument("--predictions", type=Path, metavar="FILE", help="score replies that you have")
    which.add_argument(
        "--questions", type=Path, metavar="FILE", help="write the questions to a file, and stop"
    )
    group.add_argument("--estimate", action="store_true", help="print rows and tokens, and stop")
    group.add_argument(
        "--until-decided", action="store_true", help="stop asking once every capability is decided"
    )
    group.add_argument("--limit", type=int, help="ask this number of rows per config, the same ids")
    group.add_argument("--batch-size", help="set the batch size of the model, or auto")
    group.add_argument(
        "--apply-chat-template", nargs="?", const=True, metavar="NAME", help="send prompts as a conversation"
    )
    group.add_argument(
        "--reasoning", action="store_true", help="allow more tokens, for a model that reasons first"
    )


def is_asked(arguments: argparse.Namespace) -> bool:
    """Return whether the arguments name a model of the user, or ask for the questions."""
    return bool(arguments.model or arguments.predictions or arguments.questions)


def run(arguments: argparse.Namespace) -> int:
    """Run the model, score its predictions or write the questions, as the arguments specify."""
    if arguments.questions:
        return _write_questions(arguments.questions)
    return _ask(arguments) if arguments.model else _score(arguments)


def variants() -> list[Variant]:
    """Return the original config of the templates, and the perturbed ones."""
    return [catalogue.find(name) for name in (_DATASET, *(f"{_DATASET}-{one}-attack" for one in RECIPES))]


def _ask(arguments: argparse.Namespace) -> int:
    from dnc_harness.commands import eval as evaluating
    from dnc_harness.listing import HarnessTask

    name, model_args, _ = model_names.backend(arguments.model)
    tasks = ",".join(HarnessTask(variant).name for variant in variants())
    place = filesystem.safe_name(str(model_args.get("pretrained") or model_args.get("model") or name))
    words = ["--model", arguments.model, "--tasks", tasks]
    words += _places(arguments, place)
    words += [_option(flag) for flag in _FLAGS if getattr(arguments, flag)]
    for value in _VALUES:
        if getattr(arguments, value) is not None:
            words += [_option(value), str(getattr(arguments, value))]
    if arguments.apply_chat_template:
        words += [
            "--apply-chat-template",
            *filter(lambda name: name is not True, [arguments.apply_chat_template]),
        ]
    return evaluating.run(_parse_words(evaluating, words, arguments))


def _score(arguments: argparse.Namespace) -> int:
    from dnc_harness import predictions
    from dnc_harness.commands import score

    unused = [
        flag for flag in (*_FLAGS, *_VALUES) if flag not in ("details", "json") and getattr(arguments, flag)
    ]
    if unused:
        raise DncError(f"{_option(unused[0])} is for a model that is asked; leave it out with --predictions")
    replies = predictions.read(arguments.predictions)
    expected = {(one["config"], one["id"]) for one in questions()}
    missing = sorted(pair for pair in expected if pair[1] not in replies.get(pair[0], {}))
    if missing:
        config, row = missing[0]
        raise DncError(
            f"{arguments.predictions} has no reply for {len(missing)} of {len(expected)} questions, such as {row} of "
            f"{config}; `dnc diagnose --questions FILE` writes all of them"
        )
    words = [
        str(arguments.predictions),
        "--partial",
        *_places(arguments, filesystem.safe_name(arguments.predictions.stem)),
    ]
    words += [_option(flag) for flag in ("details", "json") if getattr(arguments, flag)]
    return score.run(_parse_words(score, words, arguments))


def _write_questions(path: Path) -> int:
    from dnc_harness import predictions

    owned_folder.owned_file(path, predictions.is_question)
    lines = [json.dumps(one, ensure_ascii=False) for one in questions()]
    owned_folder.write_owned_text(path, "\n".join(lines) + "\n", predictions.is_question)
    print(f"{path}: {len(lines):,} questions. Add the model's reply to each line as `output`, then run")
    print(f"    dnc diagnose --predictions {path}")
    return 0


def questions() -> Iterator[Mapping[str, str]]:
    """Yield the prompts of all originals, and of the rows that each perturbation changes."""
    from dnc_harness import data, prompts

    for variant in variants():
        built = data.folder(None)
        for row in data.test_records(variant, built):
            if row["perturbed"] or not variant.recipe:
                doc = data.doc(data.of_source(variant), row)
                yield {"config": variant.name, "id": str(row["id"]), "prompt": prompts.direct(doc)}


def _places(arguments: argparse.Namespace, name: str) -> list[str]:
    report = arguments.report or Path("report") / name
    return ["--out", str(arguments.results / name), "--report", str(report)]


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parse_words(command: ModuleType, words: list[str], original: argparse.Namespace) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    parsed = parser.parse_args(words)
    parsed.command_line = original.command_line  # the command that resumes this run
    return parsed

"""`dnc score`: score the predictions of a model, write the record and print the diagnosis."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dnc_datasets.commands import add_built, add_force
from dnc_harness import listing
from dnc_harness.commands import add_margin, add_marks, add_result, left_out, margin, may_report, show_result

if TYPE_CHECKING:
    from dnc_harness.own_files import OwnFile
    from dnc_harness.predictions import Predictions
    from dnc_metrics.record_builder import Asked
    from dnc_metrics.spool import Spool

_COMMAND = "dnc score"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "predictions", nargs="*",
        help="read JSON lines or CSV with id and output; CONFIG=FILE, a column `config` or --config names the config. "
        "For your own data: the file that `dnc perturb` wrote, the predictions for its originals, those for its "
        "perturbed rows",
    )  # fmt: skip
    parser.add_argument("--config", default="", help="name the config of all predictions")
    parser.add_argument(
        "--from-lm-eval",
        type=Path,
        metavar="DIR",
        help="score logs that `lm_eval --log_samples` wrote for DNC tasks",
    )
    parser.add_argument(
        "--from-inspect", type=Path, nargs="+", default=[], metavar="LOG", help="score logs of inspect_ai"
    )
    parser.add_argument("--own", type=Path, help=argparse.SUPPRESS)  # the first file, in version 0.2.0
    parser.add_argument("--name", default="", help="name the system (default: the name of the first file)")
    parser.add_argument(
        "--prompt", choices=listing.PROMPTS, default=listing.DIRECT, help="name the prompt that was used"
    )
    parser.add_argument(
        "--out", metavar="PATH", type=Path, help="write the record to this folder (default: print only)"
    )
    add_built(parser)
    parser.add_argument("--partial", action="store_true", help="score only the rows that have an output")
    add_margin(parser)
    add_marks(parser)
    add_result(parser)
    parser.add_argument("--json", action="store_true", help="print the record instead of the screen")
    add_force(parser)


def run(arguments: argparse.Namespace) -> int:
    # Scoring creates no reference cycles. Searching all rows and replies for cycles takes a third of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _run(arguments)
    finally:
        if collects:
            gc.enable()


def _run(arguments: argparse.Namespace) -> int:
    from dnc_datasets.version import __version__
    from dnc_harness import own_files
    from dnc_metrics import judges, record, record_builder
    from dnc_metrics.record import Provenance, System
    from dnc_metrics.spool import Spool

    margin_share = margin(arguments)
    if not arguments.own and arguments.predictions and own_files.is_own(Path(arguments.predictions[0])):
        arguments.own = Path(arguments.predictions.pop(0))
    _check_order(arguments)
    if arguments.out:
        record.may_write(arguments.out, _COMMAND, force=arguments.force)
    may_report(arguments)
    marks = judges.read(arguments.marks)
    name, asked = _scored_replies(arguments, Spool())
    name = arguments.name or name
    settings = {"prompt": arguments.prompt, "margin": arguments.margin, "partial": arguments.partial}
    system = System(name, "predictions")
    provenance = Provenance(_COMMAND, __version__, settings=settings, date=record.today())
    result, outcomes = record_builder.build(system, provenance, asked, margin_share)
    if arguments.out:
        result = record.write(result, outcomes, arguments.out, force=arguments.force)
    if arguments.json:
        print(result.text(), end="")
        return 0
    show_result(result, outcomes, arguments, arguments.out)
    for note in left_out(result, arguments.own) if arguments.own else ():
        print(note)
    if arguments.own and (wrong := own_files.inconsistent(arguments.own)):
        rows = "1 row has" if wrong == 1 else f"{wrong} rows have"
        print(
            f"{arguments.own}: {rows} an answer that differs from the value of the equation; the replies are scored "
            "by the answer, so check it (`dnc check` on the original file names the rows)"
        )
    if marks:
        print(judges.summary(result, outcomes, marks))
    return 0


def _check_order(arguments: argparse.Namespace) -> None:
    """Raise an error if the perturbed file is not the first argument."""
    from dnc_harness import own_files
    from dnc_harness.errors import HarnessError

    if arguments.own:
        return
    for name in arguments.predictions[1:]:
        if own_files.is_own(Path(name)):
            raise HarnessError(
                f"{name} is a file that `dnc perturb` wrote: name it first, then the predictions: "
                f"dnc score {name} {arguments.predictions[0]}"
            )


def _scored_replies(arguments: argparse.Namespace, spool: Spool) -> tuple[str, list[Asked]]:
    """Return the default name of the system and its scored replies."""
    from dnc_harness import data, logs
    from dnc_harness.errors import HarnessError
    from dnc_harness.own_files import OwnFile

    sources = (bool(arguments.predictions), bool(arguments.from_lm_eval), bool(arguments.from_inspect))
    if sum(sources) != 1:
        raise HarnessError(
            "give files of predictions, or --from-lm-eval, or --from-inspect: one of the three"
            + ("; `dnc eval FILE --questions asked.jsonl` writes the questions" if arguments.own else "")
        )
    if arguments.predictions:
        own = OwnFile(arguments.own) if arguments.own else None
        if own:
            own.check_model(arguments.name)
        predictions = _predictions(arguments.predictions, arguments.config, own)
        name = Path(arguments.predictions[0].rpartition("=")[2]).stem
        return name, [
            _asked(config, predictions.of(config), own, arguments, spool) for config in predictions.configs()
        ]
    logged = (
        logs.lm_eval(arguments.from_lm_eval)
        if arguments.from_lm_eval
        else logs.inspect(arguments.from_inspect)
    )
    built = data.folder(arguments.built)
    return logged[0], [config_log.asked(built, spool) for config_log in logged[1]]


def _predictions(words: list[str], config: str, own: OwnFile | None) -> Predictions:
    from dnc_harness import predictions

    collected = predictions.Predictions()
    # Two prediction files for an own file: the first is for the originals. A single file is for the perturbed
    # rows.
    default_configs = [own.name, own.perturbed][-len(words) :] if own and len(words) <= 2 else []
    for index, word in enumerate(words):
        word_config, _, name = word.rpartition("=")
        word_config = word_config or config or (default_configs[index] if default_configs else "")
        if own:
            collected.add(Path(name), word_config, own.config_of)
        else:
            collected.add(Path(name), word_config)
    return collected


def _asked(
    config: str, outputs: Mapping[str, str], own: OwnFile | None, arguments: argparse.Namespace, spool: Spool
) -> Asked:
    from dnc_datasets.serving import catalogue
    from dnc_harness import data, predictions, recording

    if own is not None:
        ids, unscored = own.ids(config), own.unanswered(config)
        predictions.check(config, outputs, ids, partial=arguments.partial, left_out=unscored)
        rows = own.of(config)
        if arguments.partial:
            rows = (row for row in rows if row["id"] in outputs)
        return recording.of_rows(
            rows, recording.once(outputs), prompt=arguments.prompt, spool=spool, **own.place(config)
        )
    variant = catalogue.find(config)
    built = data.folder(arguments.built)
    records = data.test_records(variant, built)
    predictions.check(config, outputs, [row["id"] for row in records], partial=arguments.partial)
    return recording.asked(variant, arguments.prompt, recording.once(outputs), built, records, spool)

"""`dnc score`: the record and the diagnosis of predictions that you already have."""

from __future__ import annotations

import argparse
import gc
from pathlib import Path
from typing import TYPE_CHECKING

from dnc_harness import listing
from dnc_harness.commands import add_margin, add_marks, left_out, margin

if TYPE_CHECKING:
    from dnc_harness.own_files import OwnFile
    from dnc_leaderboard.making import Asked


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "predictions", nargs="*",
        help="JSON lines or CSV of id and output; CONFIG=FILE, a column `config`, or --config says of what",
    )  # fmt: skip
    parser.add_argument("--config", default="", help="the config that all predictions are of")
    parser.add_argument(
        "--from-lm-eval",
        type=Path,
        metavar="DIR",
        help="score what `lm_eval --log_samples` wrote for our tasks",
    )
    parser.add_argument(
        "--from-inspect", type=Path, nargs="+", default=[], metavar="LOG", help="score logs of inspect_ai"
    )
    parser.add_argument("--own", type=Path, help="score on your own file, as `dnc perturb` wrote it")
    parser.add_argument("--name", default="", help="the system's name (default: the first file's)")
    parser.add_argument(
        "--prompt", choices=listing.PROMPTS, default=listing.DIRECT, help="what was asked for"
    )
    parser.add_argument("--out", type=Path, help="a folder for the record (default: print only)")
    parser.add_argument(
        "--data", type=Path, help="the folder that `dnc build` wrote (default $DNC_DATA or ./dnc)"
    )
    parser.add_argument("--partial", action="store_true", help="score the rows that have an output")
    add_margin(parser)
    add_marks(parser)
    parser.add_argument("--json", action="store_true", help="print the record instead of tables")


def run(arguments: argparse.Namespace) -> int:
    # Nothing here refers to itself, and looking for what does, among all rows and replies, takes a third of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _run(arguments)
    finally:
        if collects:
            gc.enable()


def _run(arguments: argparse.Namespace) -> int:
    from dnc_datasets.commands import console
    from dnc_datasets.version import __version__
    from dnc_leaderboard import making, record, terminal, validated
    from dnc_leaderboard.record import Provenance, System

    ruled_out = margin(arguments)
    marks = validated.read(arguments.marks)
    name, asked = _given(arguments)
    name = arguments.name or name
    settings = {"prompt": arguments.prompt, "margin": arguments.margin, "partial": arguments.partial}
    system = System(name, "predictions")
    made = Provenance("dnc score", __version__, settings=settings)
    found, outcomes = making.make(system, made, asked, ruled_out)
    if arguments.out:
        found = record.write(found, outcomes, arguments.out)
    if arguments.json:
        print(found.text(), end="")
        return 0
    terminal.show(found, console())
    for told in left_out(found, arguments.own) if arguments.own else ():
        print(told)
    if marks:
        print(validated.told(found, outcomes, marks))
    if arguments.out:
        print(
            f"{arguments.out / record.FILE_NAME} holds it all; `dnc report {arguments.out}` makes a page of it"
        )
    return 0


def _given(arguments: argparse.Namespace) -> tuple[str, list[Asked]]:
    """The system's name, unless told, and its replies scored."""
    from dnc_harness import data, logs
    from dnc_harness.errors import HarnessError
    from dnc_harness.own_files import OwnFile

    ways = (bool(arguments.predictions), bool(arguments.from_lm_eval), bool(arguments.from_inspect))
    if sum(ways) != 1:
        raise HarnessError(
            "give files of predictions, or --from-lm-eval, or --from-inspect: one of the three"
        )
    if arguments.predictions:
        own = OwnFile(arguments.own) if arguments.own else None
        outputs = _outputs(arguments.predictions, arguments.config)
        name = Path(arguments.predictions[0].rpartition("=")[2]).stem
        return name, [_asked(config, given, own, arguments) for config, given in outputs.items()]
    found = (
        logs.lm_eval(arguments.from_lm_eval)
        if arguments.from_lm_eval
        else logs.inspect(arguments.from_inspect)
    )
    built = data.folder(arguments.data)
    return found[0], [one.asked(built) for one in found[1]]


def _outputs(words: list[str], config: str) -> dict[str, dict[str, str]]:
    from dnc_harness import predictions
    from dnc_harness.errors import HarnessError

    found: dict[str, dict[str, str]] = {}
    for word in words:
        of, _, name = word.rpartition("=")
        for key, rows in predictions.read(Path(name), of or config).items():
            if key in found:
                raise HarnessError(f"{name}: predictions of {key} were given before; give each config once")
            found[key] = rows
    return found


def _asked(config: str, given: dict[str, str], own: OwnFile | None, arguments: argparse.Namespace) -> Asked:
    from dnc_datasets.serving import catalogue
    from dnc_harness import data, predictions, recording

    if own is not None:
        rows = own.of(config)
        unscored = set(own.unanswered(config))
        scored = {row: output for row, output in given.items() if row not in unscored}
        outputs = predictions.matched(config, scored, [row["id"] for row in rows], partial=arguments.partial)
        return recording.of_rows(
            [row for row in rows if row["id"] in outputs],
            recording.once(outputs),
            prompt=arguments.prompt,
            **own.place(config),
        )
    variant = catalogue.find(config)
    built = data.folder(arguments.data)
    records = data.test_records(variant, built)
    outputs = predictions.matched(config, given, [row["id"] for row in records], partial=arguments.partial)
    return recording.asked(variant, arguments.prompt, recording.once(outputs), built, records)

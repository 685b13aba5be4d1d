"""`dnc explain`: explain wrong answers, row by row and by capability."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

# Letters of a gold or an answer in a line, enough for any number; --json has complete texts.
_LONGEST = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", type=Path, help="name a record, or its folder")
    parser.add_argument("--config", default="", help="explain only this config")
    parser.add_argument("--cause", default="", help="show only replies that this cause may explain")
    parser.add_argument(
        "-n", type=int, default=20, help="show this number of replies (default 20; 0 for all)"
    )
    parser.add_argument("--json", action="store_true", help="print every wrong reply as a JSON line")


def run(arguments: argparse.Namespace) -> int:
    from dnc_datasets.commands import console
    from dnc_datasets.errors import UnknownNameError
    from dnc_leaderboard import report, summary, terminal
    from dnc_leaderboard.failures import failures
    from dnc_leaderboard.figures import originals
    from dnc_metrics.causes import CAUSES

    ((found, outcomes),) = report.load([arguments.results])
    configs = dict.fromkeys(cell.config for cell in found.cells)
    if arguments.config and arguments.config not in configs:
        raise UnknownNameError(f"config of {found.system.name}", arguments.config, configs)
    causes_known = {*CAUSES, *(cause for one in outcomes for cause in one.causes)}
    if arguments.cause and arguments.cause not in causes_known:
        raise UnknownNameError("cause", arguments.cause, causes_known)
    wrong = [
        one
        for one in failures([(found, outcomes)])
        if arguments.config in ("", one["config"])
        and (not arguments.cause or arguments.cause in one["causes"])
    ]
    if arguments.json:
        for one in wrong:
            print(json.dumps(one, ensure_ascii=False))
        return 0
    out = console()
    for sentence in summary.behaviours(found):
        out.print(sentence, markup=False, highlight=False)
    keys = {cell.key for cell in found.cells if arguments.config in ("", cell.config)}
    capabilities = {cell.key: cell.capability for cell in found.cells}
    for causes in found.causes:
        if causes.is_capability != bool(arguments.config) and (causes.is_capability or causes.name in keys):
            out.print(terminal.whole(terminal.causes_table(causes), out.width))
            memorised_note = originals(causes, capabilities.get(causes.name, causes.name))
            if memorised_note:
                out.print(memorised_note)
    wrong.sort(key=lambda one: not one["sentence"])
    table = terminal.grid(f"{len(wrong)} wrong replies", "config", "id", "gold", "answer", "")
    for one in wrong[: arguments.n or None]:
        why = one["sentence"] or "several fit: " + ", ".join(one["causes"])
        if not one["sentence"] and len(one["causes"]) == 1:
            why = one["causes"][0]
        gold, answer = (_short(text) for text in (one["gold"], one["answer"] or one["status"]))
        table.add_row(one["config"], one["id"], gold, answer, why)
    out.print(terminal.whole(table, out.width))
    if 0 < arguments.n < len(wrong):
        print(f"{arguments.n} of {len(wrong)} wrong replies; -n 0 shows all")
    return 0


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

"""`dnc research audit-scorer`: compare scorers of replies on the public set of replies."""

from __future__ import annotations

import argparse
import json

from dnc_datasets.commands import console

_KINDS = {
    "answer_is": '"The answer is 7."', "last_number": "a calculation or prose", "bare": "the answer alone",
    "not_found": "no answer", "heading": "under a heading", "boxed": r"\boxed{7}", "equals": "x = 7", "hash": "#### 7",
    "json": "a JSON object", "tag": "<answer>7</answer>", "truncated": "cut off while thinking",
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")


def run(arguments: argparse.Namespace) -> int:
    from rich.markup import escape
    from rich.table import Table

    from dnc_harness import scorer_audit

    tallies = scorer_audit.audit()
    if arguments.json:
        print(
            json.dumps(
                {kind: {name: list(tally) for name, tally in row.items()} for kind, row in tallies.items()}
            )
        )
        return 0
    names = list(next(iter(tallies.values())))
    table = Table("kind of reply", "replies", *names)
    for kind, row in sorted(tallies.items(), key=lambda item: -item[1][names[0]].replies):
        table.add_row(
            escape(_KINDS.get(kind, kind)),
            str(row[names[0]].replies),
            *(f"{row[name].right}" for name in names),
        )
    total = [sum(row[name].right for row in tallies.values()) for name in names]
    table.add_row(
        "all", str(sum(row[names[0]].replies for row in tallies.values())), *map(str, total), style="bold"
    )
    console().print(table)
    print("A scorer is right if it accepts the answer of a reply and rejects its other numbers.")
    print("The scorer dnc was developed on these replies: its column says only that nothing broke.")
    if packages := scorer_audit.missing():
        print(f"Not installed, so not in the table: {', '.join(packages)} (pip install {' '.join(packages)})")
    return 0

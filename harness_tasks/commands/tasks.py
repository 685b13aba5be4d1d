"""`dnc tasks`: list the lm-eval tasks and groups, or write their files from the catalogue."""

from __future__ import annotations

import argparse
import json
import sys

from dnc_harness import generate, listing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--groups", action="store_true", help="list the groups instead of the tasks")
    parser.add_argument(
        "--json", action="store_true", help="tell dataset, prompt and capability too, as JSON"
    )
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--write", action="store_true", help="write the task files of the catalogue")
    action.add_argument("--check", action="store_true", help="say which task files are out of step")


def run(arguments: argparse.Namespace) -> int:
    if arguments.write:
        print(f"{generate.write()} files in {generate.OWN}")
        return 0
    if arguments.check:
        found = generate.differences()
        for line in found:
            print(line)
        if found:
            print("dnc: `dnc tasks --write` brings them in step", file=sys.stderr)
        return 1 if found else 0
    if arguments.json:
        shown: object = [
            {
                "task": task.name,
                "config": task.variant.name,
                "prompt": task.prompt,
                "capability": task.variant.capability,
            }
            for task in listing.tasks()
        ]
        print(json.dumps(listing.groups() if arguments.groups else shown, indent=1))
        return 0
    names = listing.groups() if arguments.groups else [task.name for task in listing.tasks()]
    print("\n".join(names))
    return 0

"""`dnc tasks`: list the lm-eval tasks and groups, or write their files into a folder."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from dnc_harness import listing, task_files, tasks_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--groups", action="store_true", help="list the groups instead of the tasks")
    parser.add_argument("--json", action="store_true", help="add dataset, prompt and capability, as JSON")
    parser.add_argument("--path", action="store_true", help="print the folder for lm_eval --include_path")
    parser.add_argument(
        "--write", metavar="PATH", type=Path, help="write the lm-eval task files into a folder"
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.path:
        print(tasks_path())
        return 0
    if arguments.write is not None:
        print(f"{task_files.write(arguments.write)} files in {arguments.write}")
        return 0
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

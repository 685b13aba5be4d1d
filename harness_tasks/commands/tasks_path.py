"""`dnc tasks-path`: where the task files are, for `lm_eval --include_path`."""

from __future__ import annotations

import argparse

from dnc_harness import tasks_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments."""


def run(arguments: argparse.Namespace) -> int:
    print(tasks_path())
    return 0

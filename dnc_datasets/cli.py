"""The `dnc` command: one line per subcommand here, its code in the module that the line names."""

from __future__ import annotations

import argparse
import errno
import shlex
import sys
from collections.abc import Sequence
from importlib import import_module

from dnc_datasets import plugins
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.version import __version__

# Group -> command -> (module with `add_arguments(parser)` and `run(arguments) -> exit code`, one line of help).
# A command of two words is a part of the first; `dnc --help` shows the first words only.
# Modules are imported only when their command runs, so that `dnc --help` answers at once.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "diagnose": {
        "diagnose": ("dnc_trainers.commands.diagnose", "diagnose a model of yours, or one trained here"),
        "eval": ("dnc_harness.commands.eval", "ask a model the tasks of any dataset, or your own file"),
        "score": ("dnc_harness.commands.score", "score predictions that you already have"),
        "tasks": ("dnc_harness.commands.tasks", "list the lm-eval tasks or write their files"),
        "eval severity": (
            "dnc_harness.commands.severity",
            "measure accuracy against the strength of a perturbation",
        ),
        "eval shrink": ("dnc_harness.commands.shrink", "find the smallest change that makes a model fail"),
    },
    "look": {
        "list": ("dnc_datasets.commands.list", "list configs with capability, setting and rows"),
        "show": ("dnc_datasets.commands.show", "show original and perturbed problems side by side"),
        "check": ("dnc_datasets.commands.check", "check a file of your own problems"),
        "perturb": ("dnc_datasets.commands.perturb", "perturb your own problems (JSON lines, CSV, Parquet)"),
        "build": ("dnc_datasets.commands.build", "write configs as a dataset folder (Parquet and card)"),
        "verify": ("dnc_datasets.commands.verify", "check every row of a built folder"),
        "fetch": ("dnc_datasets.commands.fetch", "download the pinned upstream files"),
        "list coverage": ("dnc_datasets.commands.coverage", "count the rows that each perturbation changes"),
        "list stats": (
            "dnc_metrics.commands.stats",
            "count templates and operators, and measure diversity",
        ),
    },
    "read": {
        "report": ("dnc_leaderboard.commands.report", "write results as a page with figures and failures"),
        "explain": ("dnc_leaderboard.commands.explain", "explain wrong answers, row by row"),
        "compare": (
            "dnc_leaderboard.commands.compare",
            "compare the robustness of systems on the same rows",
        ),
    },
    "publish": {
        "publish": (
            "dnc_leaderboard.commands.publish",
            "upload results, a dataset, metrics or the leaderboard",
        ),
        "release": ("dnc_datasets.commands.release", "commit to a seed, and publish fresh rows from it"),
        "leaderboard": (
            "dnc_leaderboard.commands.leaderboard",
            "serve a leaderboard, or check a submission",
        ),
    },
    "research": {
        "research train": ("dnc_trainers.commands.train", "train a solver from scratch and score it"),
        "research finetune": (
            "dnc_trainers.commands.finetune",
            "fine-tune a pretrained model on clean or perturbed data",
        ),
        "research protocol": ("dnc_trainers.commands.protocol", "run the attack and defense experiment"),
        "research reproduce": (
            "dnc_trainers.commands.reproduce",
            "run the missing cells of the papers' tables",
        ),
        "research attack": (
            "dnc_datasets.commands.attack",
            "search paraphrases that flip a model's correct answers",
        ),
        "research challenge": (
            "dnc_metrics.commands.challenge",
            "build a challenge set of a dataset, as SVAMP was built",
        ),
        "research review": ("dnc_metrics.commands.review", "judge pairs by hand and measure agreement"),
        "research attention": (
            "dnc_trainers.commands.attention",
            "show the words that a trained Seq2Seq attends to",
        ),
        "research qdmr": (
            "dnc_trainers.commands.qdmr",
            "decompose questions into steps and change the steps",
        ),
        "research rl": ("dnc_trainers.commands.rl", "train by reinforcement learning on exact rewards"),
        "research audit-scorer": (
            "dnc_harness.commands.audit_scorer",
            "compare scorers on the public set of replies",
        ),
    },
}
_RESEARCH = "train, attack, challenge, review and other experiments"
# Commands that `dnc --help` does not show.
_HIDDEN = {
    "candidates": ("dnc_datasets.commands.candidates", "write prompts for a language model that rewrites"),
    "completion": ("dnc_datasets.commands.completion", "print the completion script for your shell"),
}
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()} | _HIDDEN
_FORMER_RESEARCH = ("train", "finetune", "protocol", "attack", "challenge", "review", "attention", "qdmr")
# Names of version 0.2.0 -> their new words. They work until the release after the next one.
RENAMED = {
    "coverage": ["list", "coverage"],
    "stats": ["list", "stats"],
    "severity": ["eval", "severity"],
    "shrink": ["eval", "shrink"],
    "tasks-path": ["tasks", "--path"],
    "push": ["publish"],
    **{name: ["research", name] for name in _FORMER_RESEARCH},
}


# Commands that run alone in their process and use only the tables of Arrow.
_WRITE_TABLES = ("build", "verify")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Return 0, or 1 after an error whose message states the remedy."""
    words = list(sys.argv[1:] if argv is None else argv)
    overview = _overview()
    if not words or words[0].startswith("-"):
        overview.parse_args(words)
        overview.print_help()
        return 0
    try:
        name, rest = _command(words)
        if not name:
            return 0
        module_name, summary = COMMANDS[name]
        module = import_module(module_name)
        shared = _shared_arguments()
        # Plug-ins come before the command's own arguments, whose help may list their names.
        for path in shared.parse_known_args(rest)[0].plugin:
            plugins.load_plugin(path)
        parser = argparse.ArgumentParser(
            prog=f"dnc {name}",
            description=summary,
            epilog=_more(name),
            parents=[shared],
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(parser)
        if argv is None and name in _WRITE_TABLES and not plugins.loaded():
            from dnc_datasets.serving.rows import leave_pandas_out

            leave_pandas_out()
        arguments = parser.parse_args(rest)
        arguments.command_line = shlex.join(("dnc", *words))
        # Imported here because they import `logging` and `html`, which `dnc --help` does not need.
        from dnc_datasets import plain_output, secrets

        with secrets.guard(), plain_output.plain():
            return int(module.run(arguments))
    except DncError as error:
        _complain(str(error))
        return 1
    except BrokenPipeError:
        # The reader (head, less) has gone: stop without a traceback, also when Python flushes at exit.
        sys.stdout = None
        return 0
    except OSError as error:
        _complain(_reason(error))
        return 1
    except RuntimeError as error:
        if not str(error).startswith("Symlink loop"):  # which became an OSError in Python 3.13
            raise
        _complain(f"{error}; fix the links, or name another path")
        return 1
    except KeyboardInterrupt:
        print("dnc: interrupted; what was written is complete", file=sys.stderr)
        return 130


def _command(words: list[str]) -> tuple[str, list[str]]:
    """Return the command at the start of the words, and the words after it.

    There is no command after `dnc research`.
    """
    if words[0] in RENAMED:
        renamed = RENAMED[words[0]]
        print(
            f"dnc: `dnc {words[0]}` is now `dnc {' '.join(renamed)}`; the old name works until the next release",
            file=sys.stderr,
        )
        words = [*renamed, *words[1:]]
    first_two = " ".join(words[:2])
    if first_two in COMMANDS:
        return first_two, words[2:]
    if words[0] in COMMANDS:
        return words[0], words[1:]
    parts = [name for name in COMMANDS if name.startswith(f"{words[0]} ")]
    if not parts:
        raise UnknownNameError("command", words[0], [name for name in COMMANDS if " " not in name])
    if len(words) > 1 and not words[1].startswith("-"):
        raise UnknownNameError(f"command of dnc {words[0]}", words[1], [name.split()[1] for name in parts])
    print(f"usage: dnc {words[0]} COMMAND [OPTIONS]\n\n{_lines(words[0])}")
    return "", []


def _more(name: str) -> str:
    """List the subcommands of this command."""
    is_part = any(other.startswith(f"{name} ") for other in COMMANDS)
    return f"further commands, `dnc {name} COMMAND --help`:\n{_lines(name)}" if is_part else ""


def _lines(first: str) -> str:
    """List the commands that begin with a word, without that word."""
    summaries = {
        name.split()[1]: entry[1] for name, entry in COMMANDS.items() if name.startswith(f"{first} ")
    }
    width = max(map(len, summaries)) + 2
    return "\n".join(f"  {name:<{width}}{summary}" for name, summary in summaries.items())


def _complain(message: str) -> None:
    """Print an error without secrets and terminal control sequences."""
    from dnc_datasets import escaping, secrets

    print(f"dnc: {escaping.terminal(secrets.hide(message))}", file=sys.stderr)


def _shared_arguments() -> argparse.ArgumentParser:
    """Return the parser of the options that every command has."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="FILE",
        help="load a Python file that registers perturbations, sources or solvers (repeatable)",
    )
    return parser


def _reason(error: OSError) -> str:
    """Describe the operation that the system refused, and the remedy."""
    name = error.filename2 or error.filename
    place = f"{name}: " if name else ""
    remedy = (
        "free some space"
        if error.errno in (errno.ENOSPC, errno.EDQUOT)
        else "check that the path exists, is of the right kind and may be read and written"
    )
    return f"{place}{error.strerror or error}; {remedy}. What was there before is unchanged"


def _overview() -> argparse.ArgumentParser:
    lines = []
    for group, commands in GROUPS.items():
        shown = {name: summary for name, (_, summary) in commands.items() if " " not in name}
        for at, (name, summary) in enumerate((shown or {group: _RESEARCH}).items()):
            lines.append(f"  {group if not at else '':<10}{name:<13}{summary}")
    parser = argparse.ArgumentParser(
        prog="dnc",
        usage="dnc COMMAND [OPTIONS]",
        description="Diagnose the numerical capabilities of question-answering and math-word-problem models.\n"
        "Start with: dnc diagnose --model hf:NAME. Options: dnc COMMAND --help\n\n" + "\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)
    version = f"dnc {__version__}"
    parser.add_argument("--version", action="version", version=version, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())

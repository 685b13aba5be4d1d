"""The `dnc` command: one line per subcommand here, its code in the module that the line names."""

from __future__ import annotations

import argparse
import errno
import sys
from collections.abc import Sequence
from importlib import import_module

from dnc_datasets import plugins
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.version import __version__

# Command -> (module with `add_arguments(parser)` and `run(arguments) -> exit code`, one line of help).
# Modules are imported only when their command runs, so that `dnc --help` answers at once.
COMMANDS = {
    "list": ("dnc_datasets.commands.list", "every config: dataset, perturbation, capability, setting, rows"),
    "coverage": ("dnc_datasets.commands.coverage", "rows that each perturbation changes, as a page"),
    "build": ("dnc_datasets.commands.build", "write configs as a dataset folder (Parquet and dataset card)"),
    "show": ("dnc_datasets.commands.show", "original and perturbed problem side by side"),
    "verify": ("dnc_datasets.commands.verify", "derive and check every row of a built folder again"),
    "perturb": ("dnc_datasets.commands.perturb", "perturb your own problems (JSON lines or CSV)"),
    "attack": ("dnc_datasets.commands.attack", "search paraphrases that flip a model's right answers"),
    "challenge": ("dnc_leaderboard.commands.challenge", "a challenge set of a dataset, as SVAMP was built"),
    "stats": (
        "dnc_leaderboard.commands.stats",
        "templates, operators, diversity of a dataset; conversations",
    ),
    "review": ("dnc_leaderboard.commands.review", "judge pairs by hand: terminal or HTML, agreement, export"),
    "qdmr": ("dnc_trainers.commands.qdmr", "questions as steps, and what other reasoning makes of them"),
    "fetch": ("dnc_datasets.commands.fetch", "download the pinned upstream files"),
    "tasks": ("dnc_harness.commands.tasks", "the lm-eval tasks: list them, or write their files"),
    "tasks-path": ("dnc_harness.commands.tasks_path", "the folder of tasks, for lm_eval --include_path"),
    "eval": ("dnc_harness.commands.eval", "diagnose a language model with lm-eval"),
    "severity": ("dnc_harness.commands.severity", "accuracy against the strength of a perturbation"),
    "shrink": ("dnc_harness.commands.shrink", "the smallest change of a row that still makes a model fail"),
    "score": ("dnc_harness.commands.score", "score predictions that you already have, and diagnose them"),
    "explain": ("dnc_leaderboard.commands.explain", "why answers are wrong, row by row and by capability"),
    "report": ("dnc_leaderboard.commands.report", "results as a page, with figures and all failures"),
    "compare": (
        "dnc_leaderboard.commands.compare",
        "which of several systems is more robust, on the same rows",
    ),
    "publish": ("dnc_leaderboard.commands.publish", "results as the Hub, model cards and others read them"),
    "push": ("dnc_leaderboard.commands.push", "a dataset, the metrics, results or the Space to the Hub"),
    "leaderboard": ("dnc_harness.commands.leaderboard", "serve results as a leaderboard, check submissions"),
    "train": ("dnc_trainers.commands.train", "train a solver from scratch and score it"),
    "finetune": ("dnc_trainers.commands.finetune", "fine-tune a pretrained model, attacked or defended"),
    "protocol": ("dnc_trainers.commands.protocol", "the attack and defense experiment, folds, cross-dataset"),
    "attention": ("dnc_trainers.commands.attention", "which word a trained Seq2Seq looks at for each symbol"),
    "completion": ("dnc_datasets.commands.completion", "completion of commands and options for your shell"),
    "diagnose": ("dnc_trainers.commands.diagnose", "train on the embedded corpus, attack, report"),
}


# The process is theirs alone, and they need nothing of Arrow but tables.
_WRITE_TABLES = ("build", "verify")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns 0, or 1 after an error whose message says what to do."""
    words = list(sys.argv[1:] if argv is None else argv)
    overview = _overview()
    if not words or words[0].startswith("-"):
        overview.parse_args(words)
        overview.print_help()
        return 0
    name, *rest = words
    try:
        if name not in COMMANDS:
            raise UnknownNameError("command", name, COMMANDS)
        module_name, summary = COMMANDS[name]
        module = import_module(module_name)
        shared = _shared_arguments()
        # Before the command's own arguments, whose help may list what a plug-in brings.
        for path in shared.parse_known_args(rest)[0].plugin:
            plugins.load_plugin(path)
        parser = argparse.ArgumentParser(prog=f"dnc {name}", description=summary, parents=[shared])
        module.add_arguments(parser)
        if argv is None and name in _WRITE_TABLES and not plugins.loaded():
            from dnc_datasets.serving.rows import leave_pandas_out

            leave_pandas_out()
        return int(module.run(parser.parse_args(rest)))
    except DncError as error:
        print(f"dnc: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader (head, less) has gone: stop without a traceback, also when Python flushes at exit.
        sys.stdout = None
        return 0
    except OSError as error:
        print(f"dnc: {_told(error)}", file=sys.stderr)
        return 1
    except RuntimeError as error:
        if not str(error).startswith("Symlink loop"):  # which became an OSError in Python 3.13
            raise
        print(f"dnc: {error}; mend the links, or name another path", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("dnc: interrupted; what was written is complete", file=sys.stderr)
        return 130


def _shared_arguments() -> argparse.ArgumentParser:
    """What every command takes."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="FILE",
        help="a Python file of your own that registers perturbations, sources or solvers (may be repeated)",
    )
    return parser


def _told(error: OSError) -> str:
    """What the system refused, and what to do."""
    name = error.filename2 or error.filename
    place = f"{name}: " if name else ""
    remedy = (
        "free some space"
        if error.errno in (errno.ENOSPC, errno.EDQUOT)
        else "check that the path exists, is of the right kind and may be read and written"
    )
    return f"{place}{error.strerror or error}; {remedy}. What was there before is unchanged"


def _overview() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS)) + 2
    lines = "\n".join(f"  {name:<{width}}{summary}" for name, (_, summary) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="dnc",
        usage="dnc COMMAND [OPTIONS]",
        description="Diagnose the numerical capabilities of question-answering and math-word-problem models.",
        epilog=f"commands (dnc COMMAND --help tells more):\n{lines}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"dnc {__version__}")
    return parser


if __name__ == "__main__":
    sys.exit(main())

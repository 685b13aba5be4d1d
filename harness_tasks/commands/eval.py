"""`dnc eval`: run a language model over DNC tasks, write its results and print the diagnosis."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnc_datasets.commands import console
from dnc_datasets.errors import DncError
from dnc_harness.errors import HarnessError
from dnc_leaderboard.figures import HEADINGS, figures

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from dnc_leaderboard.schema import Diagnosis, Table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", required=True, help="an lm-eval backend: hf, vllm, local-completions, dummy ..."
    )
    parser.add_argument(
        "--model-args", default="", metavar="NAME=VALUE,...", help="the backend's arguments, or a JSON object"
    )
    parser.add_argument(
        "--tasks", required=True, help="tasks, groups or tags, separated by commas (`dnc tasks` lists them)"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="the folder for results and the log of answers"
    )
    parser.add_argument(
        "--data", type=Path, help="the folder that `dnc build` wrote (default $DNC_DATA or ./dnc)"
    )
    parser.add_argument("--limit", type=int, help="rows per task, the same ids in all variants of a dataset")
    parser.add_argument("--num-fewshot", type=int, help="worked examples before each question (default 0)")
    parser.add_argument("--batch-size", help="the backend's batch size, or auto")
    parser.add_argument("--device", help="the backend's device: cpu, cuda:0 ...")
    parser.add_argument(
        "--apply-chat-template",
        "--apply_chat_template",
        nargs="?",
        const=True,
        default=False,
        metavar="NAME",
        help="send prompts as a conversation",
    )
    parser.add_argument("--system-instruction", help="a system message for every prompt")
    parser.add_argument(
        "--gen-kwargs",
        default="",
        metavar="NAME=VALUE,...",
        help="change how text is generated, e.g. max_gen_toks=16",
    )
    parser.add_argument(
        "--reasoning",
        action="store_true",
        help="the model thinks before it replies: up to 8,192 tokens a reply",
    )
    parser.add_argument("--skip-missing", action="store_true", help="leave out datasets that are not built")
    parser.add_argument("--json", action="store_true", help="print diagnosis.json instead of tables")


def run(arguments: argparse.Namespace) -> int:
    from importlib.util import find_spec

    if find_spec("lm_eval") is None:
        raise HarnessError("lm-eval is not installed; `pip install 'dnc-bench[harness]'` provides it")
    if arguments.limit is not None and arguments.limit < 1:
        raise DncError(f"--limit {arguments.limit}: give at least 1 row")
    from dnc_harness import evaluate

    found = evaluate.run(
        evaluate.Settings(
            model=arguments.model,
            tasks=tuple(filter(None, (name.strip() for name in arguments.tasks.split(",")))),
            out=arguments.out,
            model_args=_pairs(arguments.model_args, "--model-args"),
            data=arguments.data,
            limit=arguments.limit,
            num_fewshot=arguments.num_fewshot,
            chat_template=arguments.apply_chat_template,
            system_instruction=arguments.system_instruction,
            gen_kwargs=_pairs(arguments.gen_kwargs, "--gen-kwargs"),
            batch_size=arguments.batch_size,
            device=arguments.device,
            reasoning=arguments.reasoning,
            skip_missing=arguments.skip_missing,
        )
    )
    if arguments.json:
        print(found.text(), end="")
        return 0
    _print(found)
    print(f"{arguments.out / evaluate.DIAGNOSIS} and {arguments.out / evaluate.RESULTS} hold it all")
    return 0


def _pairs(text: str, option: str) -> dict[str, Any]:
    """`a=1,b=x`, or a JSON object."""
    if text.lstrip().startswith("{"):
        try:
            found: dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise DncError(f"{option} is not JSON: {error}") from error
        return found
    if any("=" not in part for part in filter(None, text.split(","))):
        raise DncError(f"{option} {text}: write it as NAME=VALUE,NAME=VALUE or as a JSON object")
    from lm_eval.utils import simple_parse_args_string

    return dict(simple_parse_args_string(text))


def _print(found: Diagnosis) -> None:
    out = console()
    out.print(_score_table(found))
    left_out = {task.config.partition("-")[0]: task.left_out for task in found.tasks if task.left_out}
    for dataset, count in left_out.items():
        out.print(f"{dataset}: {count} test rows have no equation that gives the answer; they are not asked")
    for table in found.tables:
        out.print(_drop_table(table))
    if not found.tables:
        out.print("nothing to compare: run an original (dnc_..._original) together with its perturbed tasks")


def _score_table(found: Diagnosis) -> RichTable:
    names = list(dict.fromkeys(name for task in found.tasks for name in task.scores))
    titles = [name.replace("answer_", "").replace("equation_", "").replace("_", " ") for name in names]
    shown = _table("Scores in %", "task", "rows", "changed", *titles)
    for task in found.tasks:
        values = [f"{100 * task.scores[name]:.1f}" if name in task.scores else "" for name in names]
        shown.add_row(task.task, str(task.rows), str(task.changed), *values)
    return shown


def _drop_table(table: Table) -> RichTable:
    """A line per perturbation below that of its capability, which takes all its changed rows together."""
    where = " ".join(filter(None, (table.dataset, table.fold, table.setting, table.prompt)))
    shown = _table(
        f"{where}: {table.score} in % on the rows that were changed",
        "perturbation",
        *HEADINGS,
    )
    for capability in dict.fromkeys(cell.capability for cell in table.cells):
        shown.add_row(f"[bold]{capability}[/]", *figures(table.capabilities.get(capability)))
        for cell in table.cells:
            if cell.capability == capability:
                shown.add_row(f"  {cell.perturbation}", *figures(cell.changed))
    return shown


def _table(title: str, first: str, *others: str) -> RichTable:
    from rich import box
    from rich.table import Table as RichTable

    shown = RichTable(title=title, title_justify="left", box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    shown.add_column(first, no_wrap=True)
    for name in others:
        shown.add_column(name, justify="left" if name == "verdict" else "right", no_wrap=True)
    return shown

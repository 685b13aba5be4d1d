"""`dnc eval`: run a language model over DNC tasks, write its results and print the diagnosis."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnc_datasets.commands import console
from dnc_datasets.errors import DncError
from dnc_harness import listing
from dnc_harness.commands import add_margin, add_marks, left_out, margin
from dnc_harness.errors import HarnessError

if TYPE_CHECKING:
    from dnc_harness.evaluate import Settings
    from dnc_harness.row_sets import RowSet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument(
        "--tasks", default="", help="tasks, groups or tags, separated by commas (`dnc tasks` lists them)"
    )
    parser.add_argument(
        "--own", type=Path, metavar="FILE", help="ask your own problems, as `dnc perturb` wrote them"
    )
    parser.add_argument(
        "--prompt",
        choices=listing.PROMPTS,
        default=listing.DIRECT,
        help="what --own asks for (default direct)",
    )
    parser.add_argument(
        "--draws", type=int, default=0, metavar="K",
        help="ask the problems of --tasks with fresh plausible numbers too, drawn K times (seeds 0 to K-1)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, help="make the perturbed rows of --tasks anew with this seed")
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="NAME=VALUE",
        help="make them anew with this parameter of a perturbation (may be repeated)",
    )  # fmt: skip
    parser.add_argument(
        "--repeats", type=int, default=1, metavar="N",
        help="ask every row N times, at temperature 0.7 unless --gen-kwargs says another",
    )  # fmt: skip
    add_marks(parser)
    parser.add_argument("--estimate", action="store_true", help="tell rows and tokens, and run nothing")
    parser.add_argument("--skip-missing", action="store_true", help="leave out datasets that are not built")


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Which model, where its answers go, and how it is asked."""
    parser.add_argument(
        "--model", required=True, help="an lm-eval backend: hf, vllm, local-completions, dummy ..."
    )
    parser.add_argument(
        "--model-args", default="", metavar="NAME=VALUE,...", help="the backend's arguments, or a JSON object"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="the folder for results and the log of answers"
    )
    parser.add_argument(
        "--data", type=Path, help="the folder that `dnc build` wrote (default $DNC_DATA or ./dnc)"
    )
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument("--limit", type=int, help="rows per task, the same ids in all variants of a dataset")
    rows.add_argument(
        "--precision", type=float, metavar="POINTS",
        help="as many rows per task as an accuracy needs for a 95 %% interval of +- POINTS, wherever it lies",
    )  # fmt: skip
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
    add_margin(parser)
    parser.add_argument("--json", action="store_true", help="print the record instead of tables")


def settings(arguments: argparse.Namespace, tasks: tuple[str, ...] = (), **more: Any) -> Settings:
    """What the arguments ask for; an error where lm-eval is missing."""
    from importlib.util import find_spec

    if find_spec("lm_eval") is None:
        raise HarnessError("lm-eval is not installed; `pip install 'dnc-bench[harness]'` provides it")
    if arguments.limit is not None and arguments.limit < 1:
        raise DncError(f"--limit {arguments.limit}: give at least 1 row")
    if arguments.precision is not None and not 0 < arguments.precision < 50:
        raise DncError(f"--precision {arguments.precision}: give points between 0 and 50, e.g. 3")
    from dnc_harness import cost
    from dnc_harness.evaluate import Settings

    return Settings(
        model=arguments.model,
        tasks=tasks,
        out=arguments.out,
        model_args=_pairs(arguments.model_args, "--model-args"),
        data=arguments.data,
        limit=arguments.limit if arguments.precision is None else cost.rows_for(arguments.precision),
        num_fewshot=arguments.num_fewshot,
        chat_template=arguments.apply_chat_template,
        system_instruction=arguments.system_instruction,
        gen_kwargs=_pairs(arguments.gen_kwargs, "--gen-kwargs"),
        batch_size=arguments.batch_size,
        device=arguments.device,
        reasoning=arguments.reasoning,
        margin=margin(arguments),
        **more,
    )


def run(arguments: argparse.Namespace) -> int:
    named = tuple(filter(None, (name.strip() for name in arguments.tasks.split(","))))
    if not named and not arguments.own:
        raise HarnessError(
            "name tasks or groups with --tasks (`dnc tasks --groups` lists them), or a file of your own with --own"
        )
    wanted = settings(arguments, named, repeats=arguments.repeats, skip_missing=arguments.skip_missing)
    from dnc_harness import cost, evaluate
    from dnc_leaderboard import record, report, terminal, validated

    evaluate.may_write(wanted.out)
    marks = validated.read(arguments.marks)
    wanted, sets = _made(wanted, arguments)
    estimate = cost.estimate(wanted, evaluate.chosen(wanted) if wanted.tasks else {}, sets)
    print(estimate.text(), file=sys.stderr)
    if arguments.estimate:
        return 0
    found = evaluate.run(wanted, sets)
    if arguments.json:
        print(found.text(), end="")
        return 0
    terminal.show(found, console())
    if marks:
        ((found, outcomes),) = report.load([arguments.out])
        print(validated.told(found, outcomes, marks))
    for told in left_out(found, arguments.own):
        print(told)
    print(f"{arguments.out / record.FILE_NAME} holds it all; `dnc report {arguments.out}` makes a page of it")
    return 0


def _made(wanted: Settings, arguments: argparse.Namespace) -> tuple[Settings, list[RowSet]]:
    """The rows that no task file names, and the tasks that are left to ask beside them."""
    from dataclasses import replace

    from dnc_datasets.commands.perturb import parameters
    from dnc_harness import data, evaluate, row_sets

    sets = row_sets.own(arguments.own, arguments.prompt) if arguments.own else []
    anew = arguments.seed is not None or bool(arguments.settings)
    if not arguments.draws and not anew:
        return wanted, sets
    if not wanted.tasks:
        raise HarnessError(
            "--draws, --seed and --set are of --tasks; for a file of yours give them to `dnc perturb`"
        )
    if arguments.draws < 0:
        raise HarnessError(f"--draws {arguments.draws}: give the number of draws, e.g. 5")
    tasks = [task for some in evaluate.chosen(wanted).values() for task in some]
    built = data.folder(wanted.data)
    originals = [listing.HarnessTask(task.variant.original, task.prompt) for task in tasks]
    for original in dict.fromkeys(originals):
        sets += row_sets.draws(original.variant.name, arguments.draws, built, original.prompt)
    if anew:
        steps = tuple(step for task in tasks for step in task.variant.steps)
        given = parameters(steps, arguments.settings)
        for task in dict.fromkeys(task for task in tasks if task.variant.recipe):
            sets.append(
                row_sets.of_variant(
                    task.variant, built, task.prompt, seed=arguments.seed or 0, parameters=given
                )
            )
        tasks = [task for task in tasks if not task.variant.recipe]
    names = dict.fromkeys(task.name for task in (*originals, *tasks))
    return replace(wanted, tasks=tuple(names)), sets


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

"""`dnc eval`: run a language model over DNC tasks, write its results and print the diagnosis."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from dnc_datasets.commands import console
from dnc_datasets.errors import DncError
from dnc_harness.errors import HarnessError


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
    parser.add_argument(
        "--margin", type=float, default=5.0, help="points that 'no drop' rules out (default 5)"
    )
    parser.add_argument("--skip-missing", action="store_true", help="leave out datasets that are not built")
    parser.add_argument("--json", action="store_true", help="print the record instead of tables")


def run(arguments: argparse.Namespace) -> int:
    from importlib.util import find_spec

    if find_spec("lm_eval") is None:
        raise HarnessError("lm-eval is not installed; `pip install 'dnc-bench[harness]'` provides it")
    if arguments.limit is not None and arguments.limit < 1:
        raise DncError(f"--limit {arguments.limit}: give at least 1 row")
    from dnc_harness import evaluate
    from dnc_leaderboard import record, terminal

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
            margin=arguments.margin / 100,
        )
    )
    if arguments.json:
        print(found.text(), end="")
        return 0
    terminal.show(found, console())
    left_out = {cell.dataset: cell.left_out for cell in found.cells if cell.left_out}
    for dataset, count in left_out.items():
        print(f"{dataset}: {count} test rows have no equation that gives the answer; they are not asked")
    print(f"{arguments.out / record.FILE_NAME} holds it all; `dnc report {arguments.out}` makes a page of it")
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

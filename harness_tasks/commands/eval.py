"""`dnc eval`: run a language model over DNC tasks, write its results and print the diagnosis."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnc_datasets import extras, model_names
from dnc_datasets.commands import add_built, add_model
from dnc_datasets.commands.perturb import add_min_change
from dnc_datasets.errors import DncError
from dnc_datasets.model_names import Backend
from dnc_harness import listing
from dnc_harness.commands import (
    add_margin,
    add_marks,
    add_result,
    faults_report,
    left_out,
    margin,
    may_report,
    show_result,
)
from dnc_harness.errors import HarnessError

if TYPE_CHECKING:
    from dnc_harness.evaluate import Settings
    from dnc_harness.row_sets import RowSet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", type=Path, help="ask your own problems: a file that `dnc perturb` wrote"
    )
    add_model_arguments(parser, required=False)
    parser.add_argument(
        "--tasks", default="", help="name tasks, groups or tags, separated by commas (`dnc tasks` lists them)"
    )
    parser.add_argument("--own", type=Path, help=argparse.SUPPRESS)  # the argument `file`, in version 0.2.0
    parser.add_argument(
        "--release", type=Path, metavar="DIR",
        help="ask fresh and published rows, and measure contamination (`dnc release` writes DIR)",
    )  # fmt: skip
    parser.add_argument(
        "--prompt",
        choices=listing.PROMPTS,
        default=listing.DIRECT,
        help="choose the prompt of your own problems (default direct)",
    )
    parser.add_argument(
        "--questions",
        type=Path,
        metavar="FILE",
        help="write the questions of your own problems to this file, and stop",
    )
    parser.add_argument(
        "--draws", type=int, default=0, metavar="K",
        help="also ask the problems of --tasks with K draws of fresh plausible numbers (seeds 0 to K-1)",
    )  # fmt: skip
    parser.add_argument(
        "--wordings", type=int, default=0, metavar="K",
        help="also ask the problems of --tasks in K other wordings of the instruction (at most 12)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, help="recompute the perturbed rows of --tasks with this seed")
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="NAME=VALUE",
        help="recompute the perturbed rows with this parameter (repeatable)",
    )  # fmt: skip
    add_min_change(parser)
    parser.add_argument(
        "--repeats", type=int, default=1, metavar="N",
        help="ask every row N times, at temperature 0.7 unless --gen-kwargs sets another",
    )  # fmt: skip
    parser.add_argument(
        "--until-decided", action="store_true", help="stop asking for a capability once it is decided"
    )
    parser.add_argument(
        "--look-any-time",
        action="store_true",
        help="with --until-decided: look every 20 templates, by betting",
    )
    add_marks(parser)
    add_result(parser)
    parser.add_argument("--estimate", action="store_true", help="print rows and tokens, and stop")
    parser.add_argument("--skip-missing", action="store_true", help="skip datasets that are not built")


def add_model_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the options of the model, its output folder and the way it is asked."""
    add_model(parser, required=required)
    parser.add_argument(
        "--model-args",
        default="",
        metavar="NAME=VALUE,...",
        help="pass more arguments to the model, e.g. dtype=float32; also as a JSON object",
    )
    parser.add_argument(
        "--out",
        metavar="PATH",
        type=Path,
        required=required,
        help="write results and the log of replies to this folder",
    )
    add_built(parser)
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument(
        "--limit",
        type=int,
        help="ask this number of rows per task, the same ids in all variants of a dataset",
    )
    rows.add_argument(
        "--precision", type=float, metavar="POINTS",
        help="ask enough rows per task for a 95 %% interval of +- POINTS at any accuracy",
    )  # fmt: skip
    parser.add_argument(
        "--num-fewshot", type=int, help="add worked examples before each question (default 0)"
    )
    parser.add_argument("--batch-size", help="set the batch size of the backend, or auto")
    parser.add_argument("--device", help="set the device of the backend: cpu, cuda:0 ...")
    parser.add_argument(
        "--apply-chat-template",
        "--apply_chat_template",
        nargs="?",
        const=True,
        default=False,
        metavar="NAME",
        help="send prompts as a conversation",
    )
    parser.add_argument("--system-instruction", help="add a system message to every prompt")
    parser.add_argument(
        "--gen-kwargs",
        default="",
        metavar="NAME=VALUE,...",
        help="change how text is generated, e.g. max_gen_toks=16",
    )
    parser.add_argument(
        "--reasoning",
        action="store_true",
        help="allow a model that reasons before it replies 8,192 tokens per reply",
    )
    add_margin(parser)
    parser.add_argument("--json", action="store_true", help="print the record instead of tables")


def settings(arguments: argparse.Namespace, tasks: tuple[str, ...] = (), **more: Any) -> Settings:
    """Return the settings of the command line. A missing lm-eval is an error."""
    from importlib.util import find_spec

    if find_spec("lm_eval") is None:
        raise HarnessError(f"lm-eval is not installed: {extras.command('harness')}")
    if arguments.limit is not None and arguments.limit < 1:
        raise DncError(f"--limit {arguments.limit}: give at least 1 row")
    if arguments.precision is not None and not 0 < arguments.precision < 50:
        raise DncError(f"--precision {arguments.precision}: give points between 0 and 50, e.g. 3")
    from dnc_harness import cost
    from dnc_harness.evaluate import Settings

    model_args = _pairs(arguments.model_args, "--model-args")
    backend = _backend(arguments.model, model_args)
    return Settings(
        model=backend.name,
        tasks=tasks,
        out=arguments.out,
        model_args={**backend.arguments, **model_args},
        data=arguments.built,
        limit=arguments.limit if arguments.precision is None else cost.rows_for(arguments.precision),
        num_fewshot=arguments.num_fewshot,
        chat_template=arguments.apply_chat_template or backend.chat,
        system_instruction=arguments.system_instruction,
        gen_kwargs=_pairs(arguments.gen_kwargs, "--gen-kwargs"),
        batch_size=arguments.batch_size,
        device=arguments.device,
        reasoning=arguments.reasoning,
        margin=margin(arguments),
        **more,
    )


def _backend(model: str, model_args: dict[str, Any]) -> Backend:
    """Return the backend of `--model`. Version 0.2.0 took the bare name of a backend, which still works."""
    if ":" in model:
        return model_names.backend(model)
    replacement = (
        f"hf:{model_args['pretrained']}"
        if model == "hf" and "pretrained" in model_args
        else f"lm_eval:{model}:ARGUMENTS"
    )
    print(f"dnc: write --model {replacement}; --model {model} works for one more release", file=sys.stderr)
    return Backend(model, {})


def run(arguments: argparse.Namespace) -> int:
    tasks = tuple(filter(None, (name.strip() for name in arguments.tasks.split(","))))
    arguments.own = arguments.file or arguments.own
    if arguments.release:
        tasks = (*tasks, *_release_tasks(arguments))
    if not tasks and not arguments.own:
        raise HarnessError(
            "name tasks or groups with --tasks (`dnc tasks --groups` lists them), or a file that `dnc perturb` wrote"
        )
    if arguments.questions:
        return _write_questions(arguments)
    if not arguments.model or not arguments.out:
        raise HarnessError(
            f"name the model with --model ({', '.join(model_names.KINDS)}) and a folder with --out"
        )
    chosen = settings(arguments, tasks, repeats=arguments.repeats, skip_missing=arguments.skip_missing)
    from dnc_harness import cost, evaluate
    from dnc_metrics import judges, record

    evaluate.may_write(chosen.out)
    may_report(arguments)
    marks = judges.read(arguments.marks)
    chosen, sets = _with_row_sets(chosen, arguments)
    if arguments.look_any_time and not arguments.until_decided:
        raise HarnessError("--look-any-time is a plan of --until-decided; give both")
    if arguments.until_decided and sets:
        raise HarnessError("--until-decided is for --tasks alone; leave out --own, --draws, --seed and --set")
    estimate = cost.estimate(chosen, evaluate.chosen(chosen) if chosen.tasks else {}, sets)
    print(estimate.text(), file=sys.stderr)
    if arguments.estimate:
        return 0
    saving = ""
    if arguments.until_decided:
        from dnc_harness import until_decided

        early = until_decided.run(chosen, any_time=arguments.look_any_time)
        result, saving = early.record, f"{early.text()}\n"
    else:
        result = evaluate.run(chosen, sets)
    faults = faults_report(result, arguments.out, _command_line(arguments, chosen))
    if arguments.json:
        print(result.text(), end="")
        print(saving + faults, end="", file=sys.stderr)
        return 0
    outcomes = record.outcomes(arguments.out, result)
    show_result(result, outcomes, arguments, arguments.out)
    if marks:
        print(judges.summary(result, outcomes, marks))
    if arguments.release:
        from dnc_metrics import contamination

        print(contamination.of_record(result, outcomes, chosen.margin).text())
    for note in left_out(result, arguments.own):
        print(note)
    print(saving + faults, end="")
    return 0


def _write_questions(arguments: argparse.Namespace) -> int:
    """Write the prompts of the originals and of the perturbed rows of the user's own file."""
    from dnc_datasets import owned_folder
    from dnc_harness import predictions, prompts, row_sets

    if not arguments.own:
        raise HarnessError("--questions writes those of a file that `dnc perturb` wrote; name the file")
    lines = []
    for row_set in row_sets.own(arguments.own, arguments.prompt):
        for doc in row_set.docs(arguments.limit):
            prompt = getattr(prompts, arguments.prompt)(doc)
            row = {"config": row_set.place["config"], "id": str(doc["id"]), "prompt": prompt}
            lines.append(json.dumps(row, ensure_ascii=False))
    owned_folder.write_owned_text(arguments.questions, "\n".join(lines) + "\n", predictions.is_question)
    print(
        f"{arguments.questions}: {len(lines):,} questions. Add the model's reply to each line as `output`, then run"
    )
    print(f"    dnc score {arguments.own} {arguments.questions}")
    return 0


def _release_tasks(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the tasks of the release's originals and of the embedded corpus, whose rows the release folder holds."""
    from dnc_datasets.serving import catalogue
    from dnc_metrics import contamination

    if arguments.built:
        raise HarnessError("--release names the folder of the rows; leave --built out")
    arguments.built = arguments.release
    pair = (contamination.PUBLISHED, contamination.FRESH)
    return tuple(listing.HarnessTask(catalogue.find(name), arguments.prompt).name for name in pair)


def _command_line(arguments: argparse.Namespace, chosen: Settings) -> str:
    from dnc_datasets import secrets

    return secrets.hide(arguments.command_line, {**chosen.gen_kwargs, **chosen.model_args})


def _with_row_sets(chosen: Settings, arguments: argparse.Namespace) -> tuple[Settings, list[RowSet]]:
    """Return the settings with the remaining tasks, and the sets of rows that no task file names."""
    from dataclasses import replace

    from dnc_datasets.commands.perturb import min_change, parameters
    from dnc_harness import data, evaluate, row_sets

    sets = row_sets.own(arguments.own, arguments.prompt, arguments.model) if arguments.own else []
    assignments = [*arguments.settings, *min_change(arguments)]
    is_rebuilt = arguments.seed is not None or bool(assignments)
    if not arguments.draws and not arguments.wordings and not is_rebuilt:
        return chosen, sets
    if not chosen.tasks:
        raise HarnessError(
            "--draws, --seed, --set and --min-change are of --tasks; for a file of yours give them to `dnc perturb`"
        )
    if arguments.draws < 0:
        raise HarnessError(f"--draws {arguments.draws}: give the number of draws, e.g. 5")
    tasks = [task for group in evaluate.chosen(chosen).values() for task in group]
    built = data.folder(chosen.data)
    originals = [listing.HarnessTask(task.variant.original, task.prompt) for task in tasks]
    for original in dict.fromkeys(originals):
        sets += row_sets.draws(original.variant.name, arguments.draws, built, original.prompt)
        if arguments.wordings and original.prompt == listing.DIRECT:
            sets += row_sets.wordings(original.variant.name, arguments.wordings, built)
    if is_rebuilt:
        steps = tuple(step for task in tasks for step in task.variant.steps)
        values = parameters(steps, assignments)
        for task in dict.fromkeys(task for task in tasks if task.variant.recipe):
            sets.append(
                row_sets.of_variant(
                    task.variant, built, task.prompt, seed=arguments.seed or 0, parameters=values
                )
            )
        tasks = [task for task in tasks if not task.variant.recipe]
    names = dict.fromkeys(task.name for task in (*originals, *tasks))
    return replace(chosen, tasks=tuple(names)), sets


def _pairs(text: str, option: str) -> dict[str, Any]:
    """Parse `a=1,b=x` or a JSON object."""
    if text.lstrip().startswith("{"):
        try:
            pairs: dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise DncError(f"{option} is not JSON: {error}") from error
        return pairs
    if any("=" not in part for part in filter(None, text.split(","))):
        raise DncError(f"{option} {text}: write it as NAME=VALUE,NAME=VALUE or as a JSON object")
    from lm_eval.utils import simple_parse_args_string

    return dict(simple_parse_args_string(text))

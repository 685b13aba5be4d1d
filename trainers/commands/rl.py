"""`dnc research rl`: train a language model by GRPO on verifiable rewards, and attack it before and after."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dnc_datasets.commands import console, progress_bar
from dnc_datasets.errors import DncError, UnknownNameError
from dnc_datasets.owned_folder import OwnedFolder
from dnc_datasets.perturbations import plausible_form
from dnc_datasets.serving import catalogue
from dnc_metrics.capabilities import CONFIRMATORY
from dnc_metrics.record import Record
from dnc_trainers.commands import require_torch
from dnc_trainers.reinforcement import Settings, describe, train

_COMMAND = "dnc research rl"
_RUN, _MODEL, _BEFORE, _AFTER = "rl.json", "model", "before", "after"
_REWARDS = ("answer", "format", "equation", "refusal", "consistency")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="name a causal model: a folder, or a name on the Hub")
    parser.add_argument(
        "--data", required=True, help="train on this dataset or config, e.g. tiny-noise-attack"
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="PATH",
        help="write the model and its records to this folder",
    )
    parser.add_argument(
        "--rewards", default="answer,format", help=f"add up these rewards: {', '.join(_REWARDS)}"
    )
    parser.add_argument("--steps", type=int, default=200, help="run this number of steps (default 200)")
    parser.add_argument("--batch", type=int, default=8, help="sample this number per step (default 8)")
    parser.add_argument(
        "--generations", type=int, default=8, help="sample this number per prompt (default 8)"
    )
    parser.add_argument(
        "--learning-rate", type=float, default=1e-5, help="set the learning rate (default 1e-5)"
    )
    parser.add_argument(
        "--max-tokens", type=int, default=32, help="limit completions to this number of tokens (default 32)"
    )
    parser.add_argument("--seed", type=int, default=0, help="set the seed of tasks and training (default 0)")
    parser.add_argument("--limit", type=int, help="attack this number of rows of each config")
    parser.add_argument(
        "--built", type=Path, metavar="DIR", help="read the folder that `dnc build` wrote (default ./dnc)"
    )


def run(arguments: argparse.Namespace) -> int:
    require_torch()
    from dnc_harness import rewards

    names = [name.strip() for name in arguments.rewards.split(",") if name.strip()]
    for name in names:
        if name not in _REWARDS:
            raise UnknownNameError("reward", name, _REWARDS)
    if not names:
        raise DncError("--rewards names no reward; the usual ones are answer,format")
    settings = Settings(
        steps=arguments.steps,
        batch=arguments.batch,
        generations=arguments.generations,
        learning_rate=arguments.learning_rate,
        max_tokens=arguments.max_tokens,
        seed=arguments.seed,
    )
    settings.check()
    dataset = catalogue.find(arguments.data).dataset
    before = _attack(arguments.model, dataset, arguments, _BEFORE)
    with OwnedFolder(arguments.out, _COMMAND, names=(_RUN,)) as folder:
        folder.claim(_MODEL)
        with progress_bar("training", settings.steps) as advance:
            progress = train(
                arguments.model,
                _tasks(arguments.data, arguments.seed, paired="consistency" in names),
                [getattr(rewards, f"{name}_reward") for name in names],
                settings,
                arguments.out / _MODEL,
                progress=lambda note: advance(note=note),
            )
        run_record = {"model": arguments.model, "data": arguments.data, "rewards_used": names}
        folder.write_text(_RUN, json.dumps({**run_record, **describe(settings, progress)}, indent=2) + "\n")
    after = _attack(str(arguments.out / _MODEL), dataset, arguments, _AFTER)
    _show(before, after)
    first, last = progress.ends()
    print(f"mean reward {first:.2f} in the first fifth of the steps, {last:.2f} in the last")
    print(
        f"the model is in {arguments.out / _MODEL}; compare: dnc compare {arguments.out}/before {arguments.out}/after"
    )
    return 0


def _tasks(config: str, seed: int, *, paired: bool) -> Iterator[Mapping[str, Any]]:
    """Yield the prompts of the stream in the form of an evaluation, with the columns that rewards read."""
    import dnc_datasets
    from dnc_harness import data, prompts, rewards

    source = data.of_source(catalogue.find(config))
    for record in dnc_datasets.stream(config, seed):
        row = {name: record[name] for name in rewards.COLUMNS if name in record}
        if not paired:
            yield {"prompt": prompts.direct(data.doc(source, record)), **row}
        elif record["source"] is not None:
            original = {name: record["source"][name] for name in rewards.COLUMNS if name in record["source"]}
            text = f"{record['source']['body']} {record['source']['question']}"
            yield {"prompt": rewards.pair_prompt(record, text), **row, "source": original}


def _attack(model: str, dataset: str, arguments: argparse.Namespace, name: str) -> Record:
    """Evaluate the model on the originals and on every confirmatory perturbation of the dataset."""
    from dnc_harness import evaluate
    from dnc_harness.listing import HarnessTask

    recipes = [plausible_form(one) for some in CONFIRMATORY.values() for one in some]
    known = {variant.name: variant for variant in catalogue.variants(dataset)}
    wanted = [dataset, *(f"{dataset}-{recipe}-attack" for recipe in recipes)]
    tasks = tuple(HarnessTask(known[one]).name for one in wanted if one in known)
    return evaluate.run(
        evaluate.Settings(
            "hf",
            tasks,
            arguments.out / name,
            {"pretrained": model, "dtype": "float32"},
            data=arguments.built,
            limit=arguments.limit,
            batch_size="16",
        )
    )


def _show(before: Record, after: Record) -> None:
    from rich.table import Table

    later = {cell.config: cell for cell in after.cells}
    table = Table("config", "rows", "before", "after")
    for cell in before.cells:
        if cell.config in later:
            scores = (one.scores["answer_lenient"] for one in (cell, later[cell.config]))
            table.add_row(cell.config, str(cell.rows), *(f"{100 * score:.1f}" for score in scores))
    console().print(table)

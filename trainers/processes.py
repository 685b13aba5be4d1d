"""Several processes that train one model: how they may be launched, share work, and when one of them is lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import torch

from dnc_datasets.errors import DncError
from dnc_trainers.config import Training

Answered = TypeVar("Answered")
# In the messages of a process that waits for one that is no more.
_LOST = ("Connection closed by peer", "Connection reset by peer", "Broken pipe", "NCCL error", "Gloo")
# Ways of accelerate's in which no process holds all of a model and its optimizer, as people write them.
_SPLIT = {"FSDP": "FSDP", "DEEPSPEED": "DeepSpeed", "MEGATRON_LM": "Megatron-LM", "TP": "tensor parallelism"}


class TrainingError(DncError):
    """Training that cannot start or go on."""


def launched_for(kind: str) -> bool:
    """Has `accelerate launch` told its processes to work so?"""
    return os.environ.get(f"ACCELERATE_USE_{kind}", "").lower() in ("1", "true", "yes", "on")


def check_launch() -> None:
    """Refuse before accelerate is asked, which would tell to install what this loop cannot use, or say less."""
    if launched_for("MEGATRON_LM"):
        raise _unknown("MEGATRON_LM")
    if launched_for("DEEPSPEED") and find_spec("deepspeed") is None:
        raise TrainingError(
            "accelerate is set up for DeepSpeed, which is not installed: pip install 'dnc-bench[deepspeed]', or launch "
            "without it"
        )


def check(accelerator: Any, config: Training) -> None:
    """Refuse what accelerate is set up for but this loop cannot do with these settings."""
    kind = accelerator.distributed_type.value
    if kind not in _SPLIT:
        return
    if kind not in ("FSDP", "DEEPSPEED") or (kind == "FSDP" and not accelerator.is_fsdp2):
        raise _unknown(kind)
    if not config.SPLITS:
        raise TrainingError(
            f"{config.model_name} is small and not split over processes: launch without {_SPLIT[kind]}, with torchrun "
            "or `accelerate launch --multi_gpu`"
        )
    for name in ("average", "lora"):
        if getattr(config, name, 0):
            raise TrainingError(
                f"{name} is {getattr(config, name)}, which needs whole weights in every process; "
                f"with {_SPLIT[kind]} set {name}=0"
            )
    if kind == "DEEPSPEED":
        _check_deepspeed(accelerator.state.deepspeed_plugin, config)


def _check_deepspeed(plugin: Any, config: Training) -> None:
    """Refuse settings of DeepSpeed's that the loop cannot keep, and let those of the config hold."""
    settings = plugin.deepspeed_config
    if plugin.zero_stage not in (1, 2, 3):
        raise TrainingError(
            f"DeepSpeed's stage is {plugin.zero_stage}; use zero_stage 1, 2 or 3, or launch without DeepSpeed"
        )
    for name in ("optimizer", "scheduler"):
        if name in settings:
            raise TrainingError(
                f"DeepSpeed's config has a {name} of its own; take it out: the loop has one, with lr, weight_decay, "
                "schedule and warmup to set by --set"
            )
    if settings.get("fp16", {}).get("enabled") is True:
        raise TrainingError(
            "with DeepSpeed set precision to bf16 or no: what fp16 is scaled by is not in our checkpoints"
        )
    settings["gradient_clipping"] = config.clip
    # For DeepSpeed's own figures: the loop makes the batches, and says when one is whole.
    settings["train_micro_batch_size_per_gpu"] = settings["gradient_accumulation_steps"] = 1


def _unknown(kind: str) -> TrainingError:
    name = "FSDP version 1" if kind == "FSDP" else _SPLIT[kind]
    return TrainingError(
        f"accelerate is set up for {name}; of the ways that split a model over processes the loop knows FSDP version "
        "2 (fsdp_version: 2 in accelerate's config) and DeepSpeed. Models that fit into one GPU need none: launch "
        "with torchrun, or `accelerate launch --multi_gpu`"
    )


@contextmanager
def others_alive(accelerator: Any, who: str, epoch: int, folder: Path | None) -> Iterator[None]:
    """Say what has happened where another process of the run has gone and cannot be reached any more."""
    try:
        yield
    except RuntimeError as error:
        lost = isinstance(error, torch.distributed.DistError) or any(word in str(error) for word in _LOST)
        if accelerator.num_processes == 1 or not lost:
            raise
        kept = (
            f"the last checkpoint in {folder} stands"
            if folder
            else "nothing was kept, as no folder was given"
        )
        raise TrainingError(
            f"{who}: another of the {accelerator.num_processes} processes has ended in epoch {epoch + 1} (see its "
            f"own message, or the kernel's: too little memory ends a process without a word); {kept}. "
            "Run the same command again to go on"
        ) from error


def shared(
    batches: Sequence[Sequence[int]],
    answer: Callable[[Sequence[int]], Iterable[Answered]],
    accelerator: Any,
    *,
    together: bool = False,
) -> dict[int, Answered]:
    """What every row is answered with: each process takes its share of the batches, and all get everything.

    `together`: all processes must take part in every pass, as each holds a part of the model.
    """
    from accelerate.utils import gather_object

    mine = list(batches[accelerator.process_index :: accelerator.num_processes])
    if together and len(mine) * accelerator.num_processes < len(batches):
        mine.append(batches[-1])  # a row that is answered twice is one row
    made = [pair for rows in mine for pair in zip(rows, answer(rows), strict=True)]
    # Results come back in any order and are put in place by row.
    return dict(gather_object(made) if accelerator.num_processes > 1 else made)


def any_of(accelerator: Any, here: bool) -> bool:
    """Is it so in any of the processes? Every process must ask, and all get the same answer."""
    flag = torch.tensor([float(here)], device=accelerator.device)
    return bool(accelerator.reduce(flag, "sum").item())

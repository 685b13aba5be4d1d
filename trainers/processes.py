"""Several processes that train one model: each with a part of its weights (FSDP), and when one of them is lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from dnc_datasets.errors import DncError
from dnc_trainers.config import Training

Answered = TypeVar("Answered")
# In the messages of a process that waits for one that is no more.
_LOST = ("Connection closed by peer", "Connection reset by peer", "Broken pipe", "NCCL error", "Gloo")
# Ways of accelerate's in which no process holds a whole model.
_SPLIT = ("FSDP", "DEEPSPEED", "MEGATRON_LM", "TP")
# What `accelerate launch` tells its processes -> the way that it means.
_LAUNCHED = {"ACCELERATE_USE_DEEPSPEED": "DEEPSPEED", "ACCELERATE_USE_MEGATRON_LM": "MEGATRON_LM"}


class TrainingError(DncError):
    """Training that cannot start or go on."""


def check_launch() -> None:
    """Refuse before accelerate is asked, which would tell to install what this loop cannot use."""
    for name, kind in _LAUNCHED.items():
        if os.environ.get(name, "").lower() in ("1", "true", "yes", "on"):
            raise _unknown(kind)


def check(accelerator: Any, config: Training) -> None:
    """Refuse what accelerate is set up for but this loop cannot do with these settings."""
    kind = accelerator.distributed_type.value
    if kind not in _SPLIT:
        return
    if kind != "FSDP" or not accelerator.is_fsdp2:
        raise _unknown("FSDP version 1" if kind == "FSDP" else kind)
    if not config.SPLITS:
        raise TrainingError(
            f"{config.model_name} is small and not split over processes: launch without FSDP, with torchrun or "
            "`accelerate launch --multi_gpu`"
        )
    for name in ("average", "lora"):
        if getattr(config, name, 0):
            raise TrainingError(
                f"{name} is {getattr(config, name)}, which needs whole weights in every process; "
                f"with FSDP set {name}=0"
            )


def _unknown(kind: str) -> TrainingError:
    return TrainingError(
        f"accelerate is set up for {kind}; of the ways that split a model over processes the loop knows FSDP version "
        "2 (fsdp_version: 2 in accelerate's config). Models that fit into one GPU need none: launch with torchrun, or "
        "`accelerate launch --multi_gpu`"
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


def is_split(model: nn.Module) -> bool:
    """Does each process hold a part of this model's weights only?"""
    return any(hasattr(parameter, "full_tensor") for parameter in model.parameters())


def callable_whole(model: nn.Module, method: str) -> None:
    """Let another method than `forward` gather the weights that it needs, as `forward` does."""
    from torch.distributed.fsdp import register_fsdp_forward_method

    if hasattr(model, method):
        register_fsdp_forward_method(model, method)


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


def whole(tensors: Mapping[str, Any], tied: Mapping[str, str], *, keep: bool) -> dict[str, Tensor]:
    """Tensors that lie in parts, gathered one by one into the memory of the processes that `keep` them.

    Every process must call it with the same names in the same order. `tied` names (with the name that each shares
    its tensor with) are not gathered twice.
    """
    made: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if tied.get(name) in tensors:
            continue
        found = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
        if keep:
            made[name] = found.detach().cpu().clone()
    return made | {name: made[other] for name, other in tied.items() if other in made and name in tensors}


def parts(weights: Mapping[str, Tensor], like: Mapping[str, Any]) -> dict[str, Any]:
    """This process's parts of whole tensors that the first process has; the others give none.

    `like` are tensors of the same names that lie as these shall. What lies whole everywhere stays as it is.
    """
    return {name: _part(weights.get(name), one) for name, one in like.items()}


def _part(given: Tensor | None, like: Any) -> Any:
    from torch.distributed.tensor import distribute_tensor

    if not hasattr(like, "full_tensor"):
        return like
    device = like.to_local().device
    whole_one = torch.empty(like.shape, dtype=like.dtype) if given is None else given
    return distribute_tensor(whole_one.to(device, like.dtype), like.device_mesh, like.placements)


def optimizer_parts(optimizer: Any, state: Mapping[int, Mapping[str, Tensor]]) -> dict[int, dict[str, Any]]:
    """This process's parts of an AdamW's whole state, which the first process has."""
    steps = [{index: float(entry["step"]) for index, entry in state.items()}]
    torch.distributed.broadcast_object_list(steps, src=0)
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    made = {}
    for index, step in steps[0].items():
        entry, like = state.get(index, {}), parameters[index].detach()
        moments = {name: _part(entry.get(name), like) for name in ("exp_avg", "exp_avg_sq")}
        made[index] = {"step": torch.tensor(step), **moments}
    return made

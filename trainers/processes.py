"""Several processes that train one model: how they may be launched, share work, and when one of them is lost."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor, nn

from dnc_datasets import extras
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
    """Return whether `accelerate launch` set up its processes this way."""
    return os.environ.get(f"ACCELERATE_USE_{kind}", "").lower() in ("1", "true", "yes", "on")


def check_launch() -> None:
    """Refuse before accelerate is asked, which would tell to install what this loop cannot use, or say less."""
    if launched_for("MEGATRON_LM"):
        raise _unknown("MEGATRON_LM")
    if launched_for("DEEPSPEED") and find_spec("deepspeed") is None:
        raise TrainingError(
            f"accelerate is set up for DeepSpeed, which is not installed: {extras.command('deepspeed')}, or launch "
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
            f"the last checkpoint in {folder} is complete"
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


def leave_at_exit() -> None:
    """Close the connections between the processes before Python ends.

    A thread of them that still runs while Python shuts down can abort a process that has finished its work.
    """
    atexit.unregister(_leave)
    atexit.register(_leave)


def _leave() -> None:
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def any_of(accelerator: Any, here: bool) -> bool:
    """Is it so in any of the processes? Every process must ask, and all get the same answer."""
    flag = torch.tensor([float(here)], device=accelerator.device)
    return bool(accelerator.reduce(flag, "sum").item())


# Of an AdamW: by the number of a parameter, its step and its moments.
State = Mapping[int, Mapping[str, Tensor]]
MOMENTS = ("exp_avg", "exp_avg_sq")


class Layout(Protocol):
    """What the loop asks for the weights and the optimizer's state, wherever they lie.

    Where no process has them all, every process must call each method; `weights` and `moments` then give everything
    to the first and nothing to the others, and what is taken is given by the first.
    """

    first_only: bool

    def weights(self) -> dict[str, Tensor]:
        """The weights that training changes, by name; frozen ones are as the model came."""
        ...

    def take(self, weights: Mapping[str, Tensor]) -> None:
        """Put weights into the model."""
        ...

    def moments(self) -> State:
        """The state of the optimizer."""
        ...

    def take_moments(self, state: State) -> None:
        """Put a state into the optimizer."""
        ...


def of(
    accelerator: Any, model: nn.Module, optimizer: Any, tied: Mapping[str, str], sample: Callable[[], Any]
) -> Layout:
    """The layout of a model that accelerate has prepared.

    `tied` names share their tensor with the name that they stand for; `sample` makes a small batch.
    """
    if accelerator.distributed_type.value == "DEEPSPEED":
        from dnc_trainers.zero import Zero

        return Zero(accelerator, model, tied, sample)
    return Fsdp(accelerator, model, optimizer, tied) if is_split(model) else Whole(model, optimizer)


def is_split(model: nn.Module) -> bool:
    """Does each process hold a part of this model's weights only, so that all must take part in every pass?"""
    return any(hasattr(one, "full_tensor") or hasattr(one, "ds_id") for one in model.parameters())


class Whole:
    """Every process has the whole model."""

    first_only = False

    def __init__(self, model: nn.Module, optimizer: Any) -> None:
        self.model, self.optimizer = model, optimizer
        # By every name: a tied weight has several.
        named = model.named_parameters(remove_duplicate=False)
        self.frozen: Collection[str] = {name for name, one in named if not one.requires_grad}

    def weights(self) -> dict[str, Tensor]:
        return {name: value for name, value in self.model.state_dict().items() if name not in self.frozen}

    def take(self, weights: Mapping[str, Tensor]) -> None:
        self.model.load_state_dict(weights, strict=not self.frozen)

    def moments(self) -> State:
        state: State = self.optimizer.state_dict()["state"]
        return state

    def take_moments(self, state: State) -> None:
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": state, "param_groups": groups})


class Fsdp(Whole):
    """PyTorch's FSDP, version 2: each process has a part of every tensor."""

    first_only = True

    def __init__(self, accelerator: Any, model: nn.Module, optimizer: Any, tied: Mapping[str, str]) -> None:
        from torch.distributed.fsdp import register_fsdp_forward_method

        super().__init__(model, optimizer)
        self.keep, self.tied = accelerator.is_main_process, tied
        if hasattr(model, "generate"):
            # It gathers the weights that it needs, as `forward` does.
            register_fsdp_forward_method(model, "generate")

    def weights(self) -> dict[str, Tensor]:
        return gathered(super().weights(), _whole, self.tied, keep=self.keep)

    def take(self, weights: Mapping[str, Tensor]) -> None:
        own = self.model.state_dict()
        super().take({name: _part(weights.get(name), like) for name, like in own.items()})

    def moments(self) -> State:
        return {
            index: gathered(entry, _whole, {}, keep=self.keep) for index, entry in super().moments().items()
        }

    def take_moments(self, state: State) -> None:
        steps = steps_of(state)
        parameters = [one for group in self.optimizer.param_groups for one in group["params"]]
        made: dict[int, dict[str, Tensor]] = {}
        for index, step in steps.items():
            entry, like = state.get(index, {}), parameters[index].detach()
            made[index] = {name: _part(entry.get(name), like) for name in MOMENTS}
            made[index]["step"] = torch.tensor(step)
        super().take_moments(made)


def gathered(
    tensors: Mapping[str, Any], whole: Callable[[Any], Any], tied: Mapping[str, str], *, keep: bool
) -> dict[str, Tensor]:
    """Tensors that lie in parts, made whole one by one, in the memory of the processes that `keep` them.

    Every process must call it with the same names in the same order. Tied ones are not gathered twice.
    """
    made: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if tied.get(name) in tensors:
            continue
        found = whole(tensor)
        if keep:
            made[name] = found.detach().cpu().clone()
    return made | {name: made[other] for name, other in tied.items() if other in made and name in tensors}


def steps_of(state: State) -> dict[int, float]:
    """How many steps each parameter has made, by the state that the first process has; all processes get it."""
    steps = [{index: float(entry["step"]) for index, entry in state.items()}]
    torch.distributed.broadcast_object_list(steps, src=0)
    return steps[0]


def _whole(tensor: Any) -> Any:
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def _part(given: Tensor | None, like: Any) -> Any:
    """This process's part of a whole tensor that the first process has; `like` lies as it shall."""
    from torch.distributed.tensor import distribute_tensor

    if not hasattr(like, "full_tensor"):
        return like
    device = like.to_local().device
    whole = torch.empty(like.shape, dtype=like.dtype) if given is None else given
    return distribute_tensor(whole.to(device, like.dtype), like.device_mesh, like.placements)

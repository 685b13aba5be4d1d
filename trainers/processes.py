"""Training in several processes: launch checks, work sharing, lost processes, and layouts of the weights."""

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
# Parts of error messages of a process that waits for a lost one.
_LOST = ("Connection closed by peer", "Connection reset by peer", "Broken pipe", "NCCL error", "Gloo")
# Modes of accelerate in which no process holds all of a model and its optimizer, with their usual spelling.
_SPLIT = {"FSDP": "FSDP", "DEEPSPEED": "DeepSpeed", "MEGATRON_LM": "Megatron-LM", "TP": "tensor parallelism"}


class TrainingError(DncError):
    """Raised when training cannot start or continue."""


def launched_for(kind: str) -> bool:
    """Return whether `accelerate launch` set up its processes this way."""
    return os.environ.get(f"ACCELERATE_USE_{kind}", "").lower() in ("1", "true", "yes", "on")


def check_launch() -> None:
    """Refuse unusable launch modes first, since accelerate's own messages are less specific."""
    if launched_for("MEGATRON_LM"):
        raise _unsupported("MEGATRON_LM")
    if launched_for("DEEPSPEED") and find_spec("deepspeed") is None:
        raise TrainingError(
            f"accelerate is set up for DeepSpeed, which is not installed: {extras.command('deepspeed')}, or launch "
            "without it"
        )


def check(accelerator: Any, config: Training) -> None:
    """Raise an error for a mode of accelerate that this loop does not support with these settings."""
    kind = accelerator.distributed_type.value
    if kind not in _SPLIT:
        return
    if kind not in ("FSDP", "DEEPSPEED") or (kind == "FSDP" and not accelerator.is_fsdp2):
        raise _unsupported(kind)
    if not config.SPLITS:
        raise TrainingError(
            f"{config.model_name} is small and not split over processes: launch without {_SPLIT[kind]}, with torchrun "
            "or `accelerate launch --multi_gpu`"
        )
    for name in ("average", "lora"):
        if getattr(config, name, 0):
            raise TrainingError(
                f"{name} is {getattr(config, name)}, which needs complete weights in every process; "
                f"with {_SPLIT[kind]} set {name}=0"
            )
    if kind == "DEEPSPEED":
        _check_deepspeed(accelerator.state.deepspeed_plugin, config)


def _check_deepspeed(plugin: Any, config: Training) -> None:
    """Raise an error for DeepSpeed settings that the loop does not support; apply the config's own."""
    settings = plugin.deepspeed_config
    if plugin.zero_stage not in (1, 2, 3):
        raise TrainingError(
            f"DeepSpeed's stage is {plugin.zero_stage}; use zero_stage 1, 2 or 3, or launch without DeepSpeed"
        )
    for name in ("optimizer", "scheduler"):
        if name in settings:
            raise TrainingError(
                f"DeepSpeed's config has its own {name}; remove it: the loop has one, with lr, weight_decay, "
                "schedule and warmup to set by --set"
            )
    if settings.get("fp16", {}).get("enabled") is True:
        raise TrainingError(
            "with DeepSpeed set precision to bf16 or no: checkpoints do not store the loss scale of fp16"
        )
    settings["gradient_clipping"] = config.clip
    # For DeepSpeed's own statistics: the loop makes the batches and decides when one is complete.
    settings["train_micro_batch_size_per_gpu"] = settings["gradient_accumulation_steps"] = 1


def _unsupported(kind: str) -> TrainingError:
    name = "FSDP version 1" if kind == "FSDP" else _SPLIT[kind]
    return TrainingError(
        f"accelerate is set up for {name}; the loop supports FSDP version "
        "2 (fsdp_version: 2 in accelerate's config) and DeepSpeed. Models that fit into one GPU need none: launch "
        "with torchrun, or `accelerate launch --multi_gpu`"
    )


@contextmanager
def others_alive(accelerator: Any, who: str, epoch: int, folder: Path | None) -> Iterator[None]:
    """Turn the error of a lost connection to another process of the run into one that explains it."""
    try:
        yield
    except RuntimeError as error:
        lost = isinstance(error, torch.distributed.DistError) or any(word in str(error) for word in _LOST)
        if accelerator.num_processes == 1 or not lost:
            raise
        state = (
            f"the last checkpoint in {folder} is complete"
            if folder
            else "nothing was kept, as no folder was given"
        )
        raise TrainingError(
            f"{who}: another of the {accelerator.num_processes} processes has ended in epoch {epoch + 1} (see its "
            f"own message, or the kernel's, which ends processes when memory runs out); {state}. "
            "Run the same command again to resume"
        ) from error


def shared(
    batches: Sequence[Sequence[int]],
    answer: Callable[[Sequence[int]], Iterable[Answered]],
    accelerator: Any,
    *,
    together: bool = False,
) -> dict[int, Answered]:
    """Map every row to its answer: each process answers its share of the batches, and all get everything.

    `together`: all processes must take part in every forward pass, as each holds a part of the model.
    """
    from accelerate.utils import gather_object

    mine = list(batches[accelerator.process_index :: accelerator.num_processes])
    if together and len(mine) * accelerator.num_processes < len(batches):
        mine.append(batches[-1])  # a row that is answered twice counts once
    answers = [pair for rows in mine for pair in zip(rows, answer(rows), strict=True)]
    # Results arrive in any order and are assigned by row.
    return dict(gather_object(answers) if accelerator.num_processes > 1 else answers)


def leave_at_exit() -> None:
    """Register a handler that closes the connections between the processes before Python ends.

    A communication thread that still runs while Python shuts down can abort a finished process.
    """
    atexit.unregister(_close_connections)
    atexit.register(_close_connections)


def _close_connections() -> None:
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def any_of(accelerator: Any, here: bool) -> bool:
    """Return whether the flag is set in any process; every process must call this."""
    flag = torch.tensor([float(here)], device=accelerator.device)
    return bool(accelerator.reduce(flag, "sum").item())


# State of AdamW: the step and the moments of each parameter, by index.
State = Mapping[int, Mapping[str, Tensor]]
MOMENTS = ("exp_avg", "exp_avg_sq")


class Layout(Protocol):
    """Access to the weights and the optimizer's state, independent of their distribution.

    If no process has them all, every process must call each method. `weights` and `moments` then return
    everything in the first process and nothing in the others. `take` and `take_moments` use the values of the
    first process.
    """

    first_only: bool

    def weights(self) -> dict[str, Tensor]:
        """Return the trainable weights by name; frozen ones are those of the pretrained model."""
        ...

    def take(self, weights: Mapping[str, Tensor]) -> None:
        """Load weights into the model."""
        ...

    def moments(self) -> State:
        """Return the state of the optimizer."""
        ...

    def take_moments(self, state: State) -> None:
        """Load a state into the optimizer."""
        ...


def of(
    accelerator: Any, model: nn.Module, optimizer: Any, tied: Mapping[str, str], sample: Callable[[], Any]
) -> Layout:
    """Return the layout of a model that accelerate has prepared.

    `tied` maps a name to the name whose tensor it shares; `sample` makes a small batch.
    """
    if accelerator.distributed_type.value == "DEEPSPEED":
        from dnc_trainers.zero import Zero

        return Zero(accelerator, model, tied, sample)
    return Fsdp(accelerator, model, optimizer, tied) if is_split(model) else Whole(model, optimizer)


def is_split(model: nn.Module) -> bool:
    """Return whether each process holds only a part of the weights; all must then join every pass."""
    return any(hasattr(one, "full_tensor") or hasattr(one, "ds_id") for one in model.parameters())


class Whole:
    """Layout in which every process has the complete model."""

    first_only = False

    def __init__(self, model: nn.Module, optimizer: Any) -> None:
        self.model, self.optimizer = model, optimizer
        # Under every name: a tied weight has several.
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
    """Layout of PyTorch's FSDP, version 2: each process has a part of every tensor."""

    first_only = True

    def __init__(self, accelerator: Any, model: nn.Module, optimizer: Any, tied: Mapping[str, str]) -> None:
        from torch.distributed.fsdp import register_fsdp_forward_method

        super().__init__(model, optimizer)
        self.keep, self.tied = accelerator.is_main_process, tied
        if hasattr(model, "generate"):
            # `generate` then gathers the weights that it needs, as `forward` does.
            register_fsdp_forward_method(model, "generate")

    def weights(self) -> dict[str, Tensor]:
        return gathered(super().weights(), _full_tensor, self.tied, keep=self.keep)

    def take(self, weights: Mapping[str, Tensor]) -> None:
        own = self.model.state_dict()
        super().take({name: _shard(weights.get(name), like) for name, like in own.items()})

    def moments(self) -> State:
        return {
            index: gathered(entry, _full_tensor, {}, keep=self.keep)
            for index, entry in super().moments().items()
        }

    def take_moments(self, state: State) -> None:
        steps = steps_of(state)
        parameters = [one for group in self.optimizer.param_groups for one in group["params"]]
        parts: dict[int, dict[str, Tensor]] = {}
        for index, step in steps.items():
            entry, like = state.get(index, {}), parameters[index].detach()
            parts[index] = {name: _shard(entry.get(name), like) for name in MOMENTS}
            parts[index]["step"] = torch.tensor(step)
        super().take_moments(parts)


def gathered(
    tensors: Mapping[str, Any], whole: Callable[[Any], Any], tied: Mapping[str, str], *, keep: bool
) -> dict[str, Tensor]:
    """Gather sharded tensors one by one, in the memory of the processes that `keep` them.

    Every process must call this with the same names in the same order. Tied tensors are gathered once.
    """
    results: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if tied.get(name) in tensors:
            continue
        complete = whole(tensor)
        if keep:
            results[name] = complete.detach().cpu().clone()
    return results | {
        name: results[other] for name, other in tied.items() if other in results and name in tensors
    }


def steps_of(state: State) -> dict[int, float]:
    """Return the number of steps of each parameter from the first process's state, in all processes."""
    steps = [{index: float(entry["step"]) for index, entry in state.items()}]
    torch.distributed.broadcast_object_list(steps, src=0)
    return steps[0]


def _full_tensor(tensor: Any) -> Any:
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def _shard(tensor: Tensor | None, like: Any) -> Any:
    """Return this process's part of a complete tensor of the first process, with the sharding of `like`."""
    from torch.distributed.tensor import distribute_tensor

    if not hasattr(like, "full_tensor"):
        return like
    device = like.to_local().device
    whole = torch.empty(like.shape, dtype=like.dtype) if tensor is None else tensor
    return distribute_tensor(whole.to(device, like.dtype), like.device_mesh, like.placements)

"""How a model and its optimizer lie over the processes of a run: whole in each, or a part in each (FSDP, or ZeRO)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

import torch
from torch import Tensor, nn

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

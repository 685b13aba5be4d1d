"""Layout of DeepSpeed's ZeRO: partitioned optimizer state (stage 1), gradients too (2), weights too (3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from dnc_trainers.processes import MOMENTS, State, gathered, steps_of


class Zero:
    """Layout of a model that DeepSpeed trains: each process has a part of the full-precision values."""

    first_only = True

    def __init__(
        self, accelerator: Any, model: nn.Module, tied: Mapping[str, str], sample: Callable[[], Any]
    ) -> None:
        self.accelerator, self.model, self.tied, self.sample = accelerator, model, tied, sample
        self.keep, self.device = accelerator.is_main_process, accelerator.device
        self.engine = accelerator.deepspeed_engine_wrapped.engine
        self.named = {name: one for name, one in model.named_parameters() if one.requires_grad}

    def weights(self) -> dict[str, Tensor]:
        from deepspeed.utils import safe_get_full_fp32_param

        weights = gathered(self.named, safe_get_full_fp32_param, {}, keep=self.keep)
        weights |= {name: value.detach().cpu().clone() for name, value in self._buffers() if self.keep}
        return weights | {name: weights[other] for name, other in self.tied.items() if other in weights}

    def take(self, weights: Mapping[str, Tensor]) -> None:
        from deepspeed import zero

        for name, parameter in self.named.items():
            value = self._broadcast(weights.get(name), parameter)
            # The optimizer has the weight in full precision, and the model possibly in lower precision.
            _set_part(parameter, value)
            with zero.GatheredParameters([parameter], modifier_rank=0), torch.no_grad():
                parameter.copy_(value)
        for name, buffer in self._buffers():
            value = weights[name].to(self.device) if self.keep else buffer
            torch.distributed.broadcast(value, 0)
            buffer.copy_(value)

    def moments(self) -> State:
        from deepspeed.utils import safe_get_full_optimizer_state

        step = self._step()
        if not step:
            return {}
        state = {}
        for index, parameter in enumerate(self.named.values()):
            moments = {name: safe_get_full_optimizer_state(parameter, name) for name in MOMENTS}
            if self.keep:
                state[index] = {name: one.cpu().clone() for name, one in moments.items()} | {"step": step}
        return state

    def take_moments(self, state: State) -> None:
        steps = steps_of(state)
        if not steps:
            return
        if not self._step():
            self._make_state()
        for index, parameter in enumerate(self.named.values()):
            for name in MOMENTS:
                value = self._broadcast(state.get(index, {}).get(name), parameter)
                _set_part(parameter, value, name)
        for entry in self._states():
            entry["step"] = torch.tensor(steps[0]) if isinstance(entry["step"], Tensor) else int(steps[0])

    def _buffers(self) -> Iterator[tuple[str, Tensor]]:
        """Return the persistent buffers, which no optimizer updates and every process has completely."""
        lasting = self.model.state_dict().keys()
        return ((name, one) for name, one in self.model.named_buffers() if name in lasting)

    def _broadcast(self, value: Tensor | None, like: Any) -> Tensor:
        """Broadcast a complete tensor of the first process to every process."""
        shape = getattr(like, "ds_shape", like.shape)
        if value is None or not self.keep:
            value = torch.empty(shape, dtype=torch.float32)
        value = value.to(self.device, torch.float32).contiguous()
        torch.distributed.broadcast(value, 0)
        return value

    def _states(self) -> list[dict[str, Any]]:
        return [entry for entry in self.engine.basic_optimizer.state.values() if "step" in entry]

    def _step(self) -> Tensor | None:
        """Return the number of steps, the same for all parameters; None before the first."""
        states = self._states()
        return torch.tensor(float(states[0]["step"])) if states else None

    def _make_state(self) -> None:
        """Make DeepSpeed create its state, which it does in the first step, by a step with rate 0."""
        for group in self.engine.optimizer.param_groups:
            group["lr"] = 0.0
        self.accelerator.backward(self.engine(self.sample()) * 0.0)


def _set_part(parameter: Any, value: Tensor, state: str | None = None) -> None:
    """Set this process's part of a complete tensor in the optimizer: the weight, or the state `state`."""
    from deepspeed import utils

    if not hasattr(parameter, "ds_id"):
        if state:
            utils.safe_set_full_optimizer_state(parameter, value, state)
        else:
            utils.safe_set_full_fp32_param(parameter, value)
        return
    # Stage 3: the last part may extend beyond the end.
    size, rank = parameter.ds_tensor.ds_numel, torch.distributed.get_rank(parameter.ds_process_group)
    own = value.flatten()[rank * size : (rank + 1) * size]
    own = torch.nn.functional.pad(own, (0, size - own.numel()))
    if state:
        utils.safe_set_local_optimizer_state(parameter, own, state)
    else:
        utils.safe_set_local_fp32_param(parameter, own)

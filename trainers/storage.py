"""Tensors that share their storage: a model with tied weights names the same numbers twice."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor


def ties(tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """Every name whose tensor has stood under an earlier name, with that name.

    `ties(T5.state_dict())` is {"encoder.embed_tokens.weight": "shared.weight", ...}.
    """
    first: dict[tuple[object, ...], str] = {}
    tied = {}
    for name, tensor in tensors.items():
        if not tensor.numel():
            continue
        # The same numbers in the same order, not only the same memory.
        place = (tensor.device, tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
        if (earlier := first.setdefault(place, name)) != name:
            tied[name] = earlier
    return tied


def distinct(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors without those that have stood under an earlier name."""
    tied = ties(tensors)
    return {name: tensor for name, tensor in tensors.items() if name not in tied}


def cloned(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """A copy that shares nothing with the original and is tied as the original is."""
    tied = ties(tensors)
    made = {name: tensor.detach().clone() for name, tensor in tensors.items() if name not in tied}
    return {name: made[tied.get(name, name)] for name in tensors}

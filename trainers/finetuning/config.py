"""The settings of a fine-tuning run, and the presets that they start from."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from dnc_datasets.errors import UnknownNameError
from dnc_trainers.config import TARGETS, ConfigError, Training

NUMBERS = ("text", "slots")
FORMS = ("plain", "chat")
ORDERS = ("question_body", "body_question")
DECODINGS = ("free", "grammar")
# Learning rate of T5 and related models, which need a higher one.
_T5_LIKE = ("t5", "mt5", "umt5", "longt5", "byt5", "switch_transformers")
_T5_RATE = 5e-4


@dataclass(frozen=True)
class Finetuning(Training):
    """The settings of a fine-tuning run; the defaults suit any model on one to ten thousand problems."""

    epochs: int = 10
    batch: int = 16
    lr: float = 5e-5
    weight_decay: float = 0.01
    clip: float = 1.0
    average: float = 0.0
    precision: str = "auto"
    beam: int = 1
    eval_batch: int = 32
    checkpoint_seconds: float = 60.0
    # A folder, or the name of a model on the Hub.
    model: str = ""
    download: bool = False
    # Form of the input and the target (`forms.py`).
    numbers: str = "text"
    target: str = "equation"
    form: str = "plain"
    order: str = "question_body"
    # In tokens; 0 is the model's limit. Longer problems are counted, never cut.
    source_length: int = 0
    target_length: int = 32
    # "free", or "grammar": only complete expressions (`constraint.py`).
    decoding: str = "free"
    # The rank of LoRA's matrices (needs peft); 0 trains all weights.
    lora: int = 0
    # Re-compute activations in the backward pass to save memory.
    checkpointing: bool = False

    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **Training.WORDS, "numbers": NUMBERS, "target": TARGETS, "form": FORMS, "order": ORDERS,
        "decoding": DECODINGS,
    }  # fmt: skip
    AT_LEAST_ONE: ClassVar[tuple[str, ...]] = (*Training.AT_LEAST_ONE, "target_length")
    SPLITS: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("source_length", "lora"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be at least 0")

    @property
    def model_name(self) -> str:
        # The last part of a folder or of "owner/name", as a file name may hold it.
        return re.sub(r"[^\w.]", "_", self.model.rstrip("/").rpartition("/")[2]) or "model"

    def digest(self) -> str:
        """Return the SHA-256 of the settings and of the model's own files, independent of their location."""
        settings = {**self.to_dict(), "model": identity(self.model)}
        # Neither changes the weights.
        del settings["checkpoint_seconds"], settings["download"]
        return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


@lru_cache(maxsize=16)
def identity(model: str) -> str:
    """Return the identity of a model: the digest of a folder's files, or its name on the Hub."""
    folder = Path(model)
    if not folder.is_dir():
        return model
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in (".json", ".safetensors", ".model", ".jinja") and path.is_file():
            digest.update(path.name.encode())
            with path.open("rb") as file:
                while block := file.read(1 << 22):
                    digest.update(block)
    return digest.hexdigest()


# The settings in which a preset differs from the defaults.
PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    # As printed by Xu et al. (2022): 40 epochs at 1e-5 in batches of 32 (their code has AdamW at 1e-4 for up
    # to 80 epochs); 128 input and 32 output tokens; AdamW's own weight decay, no warm-up, a constant rate.
    "dnc-paper": {
        "epochs": 40, "batch": 32, "lr": 1e-5, "weight_decay": 0.01, "schedule": "constant", "warmup": 0.0,
        "source_length": 128, "target_length": 32,
    },
}  # fmt: skip


def from_preset(model: str, name: str, settings: Mapping[str, Any]) -> Finetuning:
    """Return the settings of a preset for this model, overridden by `settings`."""
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    start: dict[str, Any] = {"model": model, **PRESETS[name]}
    if "lr" not in PRESETS[name] and "lr" not in settings and _kind(model) in _T5_LIKE:
        start["lr"] = _T5_RATE
    return Finetuning().with_settings({**start, **settings})


def _kind(model: str) -> str:
    """Return the `model_type` of a folder's config, or the kind in the model's name."""
    try:
        found = json.loads((Path(model) / "config.json").read_text(encoding="utf-8")).get("model_type", "")
    except (OSError, ValueError, AttributeError):
        found = next((kind for kind in _T5_LIKE if kind in model.lower().replace("-", "")), "")
    return str(found)

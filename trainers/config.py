"""The settings of a training run, from a solver's defaults, a YAML file and the command line."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dnc_datasets.errors import DncError, UnknownNameError

NUMBERS = ("replacement", "tokenization")
TARGETS = ("equation", "answer", "equation_answer")
SCHEDULES = ("constant", "cosine", "halving")
PRECISIONS = ("no", "fp16", "bf16")
CHOICES = ("likeliest", "plausible")


class ConfigError(DncError, ValueError):
    """A setting that does not exist or cannot have this value."""


@dataclass(frozen=True)
class Config:
    """The settings of one run; a run is repeatable from its config and its data."""

    solver: str = "gts"
    seed: int = 0
    # How numbers enter and what is decoded (`representation.py`).
    numbers: str = "replacement"
    target: str = "equation"
    least_word_count: int = 2
    least_constant_count: int = 5
    # The most symbols that are decoded; 0: 15 over slots, 48 where numbers are written in digits.
    max_length: int = 0
    # The model.
    embedding: int = 128
    hidden: int = 256
    layers: int = 1
    dropout: float = 0.5
    word_dropout: float = 0.1
    encoder: str = ""
    # The optimisation.
    epochs: int = 30
    patience: int = 0
    batch: int = 16
    lr: float = 1e-3
    encoder_lr: float = 1e-5
    weight_decay: float = 1e-5
    schedule: str = "cosine"
    warmup: float = 0.05
    halve_every: int = 20
    clip: float = 5.0
    average: float = 0.99
    precision: str = "no"
    # Decoding.
    beam: int = 5
    # Of the beam's hypotheses, the likeliest, or the likeliest once the numbers have had their say (`choice.py`).
    choice: str = "plausible"
    eval_batch: int = 128
    # At least this many seconds between two checkpoints; 0 writes one after every epoch.
    checkpoint_seconds: float = 30.0

    def __post_init__(self) -> None:
        for name, allowed in (
            ("numbers", NUMBERS), ("target", TARGETS), ("schedule", SCHEDULES), ("precision", PRECISIONS),
            ("choice", CHOICES),
        ):  # fmt: skip
            if getattr(self, name) not in allowed:
                raise ConfigError(f"{name} is {getattr(self, name)!r}; use one of {', '.join(allowed)}")
        for name in ("embedding", "hidden", "layers", "epochs", "batch", "beam", "eval_batch"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in ("dropout", "word_dropout", "average"):
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be at least 0 and below 1")
        if not self.lr > 0:
            raise ConfigError(f"lr is {self.lr}; it must be above 0")

    @property
    def decoded_length(self) -> int:
        """The most symbols of a target or a decoded sequence."""
        in_slots = self.numbers == "replacement" and self.target == "equation"
        return self.max_length or (15 if in_slots else 48)

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values."""
        return dataclasses.asdict(self)

    def fingerprint(self) -> str:
        """Twelve hex digits that change with any setting that changes the weights or the predictions."""
        # How often a checkpoint is written does not change what is learnt.
        settings = {key: value for key, value in self.to_dict().items() if key != "checkpoint_seconds"}
        text = json.dumps(settings, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def with_settings(self, settings: Mapping[str, Any]) -> Config:
        """A copy with some settings changed, each read as the type of its field.

        >>> Config().with_settings({"lr": "2e-3", "hidden": 384}).lr
        0.002
        """
        types: dict[str, Any] = {field.name: type(field.default) for field in dataclasses.fields(self)}
        changes: dict[str, Any] = {}
        for name, value in settings.items():
            if name not in types:
                raise UnknownNameError("setting", name, types)
            try:
                changes[name] = types[name](value)
            except (TypeError, ValueError):
                kind = "a whole number" if types[name] is int else "a number"
                raise ConfigError(f"{name} is {value!r}; it must be {kind}") from None
            if types[name] is int and isinstance(value, float) and value != changes[name]:
                raise ConfigError(f"{name} is {value!r}; it must be a whole number")
        return dataclasses.replace(self, **changes)


def from_yaml(path: Path) -> dict[str, Any]:
    """The settings of a YAML file: one mapping of names to plain values."""
    import yaml

    try:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ConfigError(f"{path} cannot be read as YAML: {error}") from error
    if settings is None:
        return {}
    if not isinstance(settings, dict) or not all(isinstance(name, str) for name in settings):
        raise ConfigError(f"{path} must hold settings as `name: value` lines")
    return settings


def from_words(words: list[str]) -> dict[str, str]:
    """The settings of `--set name=value` words."""
    settings = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ConfigError(f"--set {word}: write it as NAME=VALUE, e.g. --set hidden=384")
        settings[name] = value
    return settings

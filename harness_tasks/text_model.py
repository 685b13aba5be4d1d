"""The lm-eval backend that asks a solver or a Python function: `solver:RUN`, `python:MODULE:FUNCTION`."""

from __future__ import annotations

from typing import Any

from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

from dnc_datasets import model_names
from dnc_datasets.attack import models
from dnc_datasets.commands import progress_bar
from dnc_datasets.problem import Problem
from dnc_harness.errors import HarnessError

# Number of texts per call of a model; replies are logged after each call.
_BATCH = 32


@register_model(model_names.TEXT)
class TextModel(LM):  # type: ignore[misc]
    """A function of texts. A solver gets only the problem, a Python function the prompt."""

    def __init__(self, model: str, **_: Any) -> None:
        super().__init__()
        self._name, self._model = model, models.load(model)

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str | None]:
        """Return the replies, and report each to lm-eval when it arrives; None is a server fault."""
        replies: list[str | None] = []
        with progress_bar("asking", len(requests)) as advance:
            for start in range(0, len(requests), _BATCH):
                batch = requests[start : start + _BATCH]
                answers = models.replies(self._model, [self._text(one) for one in batch], self._name)
                for request, reply in zip(batch, answers, strict=True):
                    self.cache_hook.add_partial("generate_until", request.args, reply)
                    replies.append(reply)
                advance(len(batch))
        return replies

    def _text(self, request: Any) -> str:
        if not self._name.startswith("solver:"):
            return str(request.args[0])
        row = request.doc
        if row["shape"] != "word_problem":
            raise HarnessError(
                f"{self._name} reads word problems; {request.task_name} has {row['shape']} rows"
            )
        return Problem(str(row["id"]), row["body"], row["question"]).text

    def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
        """Raise an error: a function or a solver returns text, and no likelihoods."""
        raise HarnessError(f"{self._name} only writes text; choose tasks that generate, such as dnc_tiny")

    def loglikelihood_rolling(self, requests: list[Any]) -> list[float]:
        """Raise an error: a function or a solver returns text, and no likelihoods."""
        raise HarnessError(f"{self._name} only writes text; choose tasks that generate, such as dnc_tiny")

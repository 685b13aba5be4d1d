"""An lm-eval model whose replies are scripted; it reports each reply as real backends do."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

Script = Callable[[dict[str, Any]], str]
SCRIPTS: dict[str, Script] = {}
ASKED: list[str] = []
DEVICES: list[str] = []

# A right answer as models write it; `{}` is the number.
STYLES = (
    "{}",
    "{}.",
    "**{}**",
    "The answer is {}.",
    "#### {}",
    "\\boxed{{{}}}",
    "Answer: {}",
    "First we look at what is given. So the final answer is: {}.",
    "<answer>{}</answer>",
    "Let us see.\n\nFinal answer: {}\n\nQuestion: Another one has 99 pens.",
    "We add it all up and get the total, which is {}",
    "It comes to x = {}",
)


def right(doc: dict[str, Any]) -> str:
    return str(doc["answer"])


def wrong_where_perturbed(doc: dict[str, Any]) -> str:
    return "I do not know, perhaps 123456789.125" if doc["perturbed"] else str(doc["answer"])


def some_wrong(doc: dict[str, Any]) -> str:
    """Wrong in all ways: most perturbed rows, some originals; sometimes silent, cut off, or two places off."""
    at = sum(map(ord, doc["id"])) % 7
    if at < (5 if doc["perturbed"] else 1):
        wrong = ("", "<think>The answer is 5", f"The answer is {doc['answer']}1.", "12 + 4 = 16", "0")
        return wrong[at]
    return in_styles(doc)


def in_styles(doc: dict[str, Any]) -> str:
    return STYLES[sum(map(ord, doc["id"])) % len(STYLES)].format(doc["answer"])


def equation(doc: dict[str, Any]) -> str:
    return f"{doc['equation']} = {doc['answer']}"


def silent(doc: dict[str, Any]) -> str:
    return ""


SCRIPTS.update(
    right=right,
    wrong_where_perturbed=wrong_where_perturbed,
    in_styles=in_styles,
    some_wrong=some_wrong,
    equation=equation,
    silent=silent,
)


@register_model("scripted")
class Scripted(LM):  # type: ignore[misc]
    """`model` (or `script`) names the function that answers; each question is noted in ASKED and in `notes`."""

    def __init__(
        self, model: str = "", script: str = "right", delay: float = 0.0, notes: str = "", **_: Any
    ) -> None:
        super().__init__()
        self._script = SCRIPTS[model or script]
        self._delay = float(delay)
        self._notes = Path(notes) if notes else None

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        replies = []
        for request in requests:
            time.sleep(self._delay)
            ASKED.append(request.args[0])
            if self._notes:
                with self._notes.open("a", encoding="utf-8") as file:
                    file.write(f"{request.task_name}\t{request.doc['id']}\n")
            reply = self._script(request.doc)
            self.cache_hook.add_partial("generate_until", request.args, reply)
            replies.append(reply)
        return replies

    def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Any]) -> list[float]:
        raise NotImplementedError


@register_model("on-a-device")
class OnADevice(Scripted):
    """A perfect model. The device that it is given is noted in DEVICES."""

    def __init__(self, device: str = "cuda", **_: Any) -> None:
        super().__init__()
        DEVICES.append(device)

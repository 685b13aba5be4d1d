"""Audits scorers of model replies on the public set of replies: ours, math-verify, lm-eval's regex, inspect's match.

A scorer is right on a reply if it accepts the answer that the reply gives and rejects every other number of the reply.
On a reply that gives no answer it must reject all of its numbers.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

from dnc_datasets import numerals
from dnc_metrics import answers, extraction

# Reply and gold answer -> whether the scorer takes the reply as right.
Scorer = Callable[[str, str], bool]
# The last number of the reply, as lm-eval's task gsm8k reads it ("flexible-extract").
_FLEXIBLE = r"(-?[$0-9.,]{2,})|(-?[0-9]+)"
_IGNORED = re.compile(r",|\$|\.$")
_SECONDS = 10  # for one reply, where a scorer takes a limit; a busy machine must not change the table
# Scorers beside ours: module -> package to install.
PACKAGES = {"math_verify": "math-verify", "lm_eval": "lm-eval", "inspect_ai": "inspect-ai"}
_MAX_OTHERS = 3  # other numbers of a reply that are tried as wrong golds


class Tally(NamedTuple):
    """The replies of one kind, and the number that a scorer judges right."""

    replies: int
    right: int


def audit() -> dict[str, dict[str, Tally]]:
    """Judge every installed scorer: kind of reply -> scorer -> tally. The kind is the rule that reads the reply."""
    counts: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for case in extraction.reply_cases():
        for name, scorer in scorers().items():
            tally = counts[case["rule"]][name]
            tally[0] += 1
            tally[1] += is_right(scorer, case["text"], case["value"])
    return {
        kind: {name: Tally(*tally) for name, tally in by_name.items()} for kind, by_name in counts.items()
    }


def is_right(scorer: Scorer, text: str, value: str | None) -> bool:
    """Whether the scorer accepts the answer of this reply and nothing else.

    >>> is_right(lambda text, gold: text.endswith(gold), "First 3, then 4", "4")
    True
    """
    gold = None if value is None else answers.gold_value(value)
    others = {
        one.value for one in numerals.find(text[:2_000]) if one.value != gold and one.value.denominator == 1
    }
    wrong = [str(number) for number in sorted(others)[:_MAX_OTHERS]]
    accepted = value is None or _accepts(scorer, text, value)
    return accepted and not any(_accepts(scorer, text, other) for other in wrong)


def _accepts(scorer: Scorer, text: str, gold: str) -> bool:
    try:
        return bool(scorer(text, gold))
    except Exception:  # a scorer that raises does not accept
        return False


def scorers() -> dict[str, Scorer]:
    """The scorers that are installed, by name; ours is always there."""
    known = {"math_verify": ("math-verify", _math_verify), "lm_eval": ("lm-eval regex", _lm_eval)}
    known["inspect_ai"] = ("inspect match", _inspect)
    installed = {name: scorer for module, (name, scorer) in known.items() if find_spec(module)}
    return {"dnc": lambda text, gold: answers.score(text, gold).correct, **installed}


def missing() -> list[str]:
    """The packages of scorers that are not installed."""
    return [package for module, package in PACKAGES.items() if not find_spec(module)]


def _math_verify(text: str, gold: str) -> bool:
    from math_verify import parse, verify

    logging.getLogger("math_verify").setLevel(logging.CRITICAL)  # a reply that it cannot compare is a warning
    return bool(
        verify(
            parse(gold, parsing_timeout=_SECONDS),
            parse(text, parsing_timeout=_SECONDS),
            timeout_seconds=_SECONDS,
        )
    )


def _lm_eval(text: str, gold: str) -> bool:
    from lm_eval.filters.extraction import RegexFilter

    ((found,),) = RegexFilter(regex_pattern=_FLEXIBLE, group_select=-1).apply([[text]], [{}])
    return bool(_IGNORED.sub("", found) == _IGNORED.sub("", gold))


def _inspect(text: str, gold: str) -> bool:
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import CORRECT, Target, match
    from inspect_ai.solver import TaskState

    state: Any = TaskState(
        model="none/none",
        sample_id=1,
        epoch=1,
        input="",
        messages=[],
        output=ModelOutput.from_content("none", text),
    )
    score = asyncio.run(match(numeric=True)(state, Target(gold)))
    return score is not None and bool(score.value == CORRECT)

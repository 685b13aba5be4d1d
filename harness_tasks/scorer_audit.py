"""Audit of reply scorers on the public set of replies: ours, math-verify, lm-eval's regex, inspect's match.

A scorer is right on a reply if it accepts the answer of the reply and rejects every other number in it. On a
reply without an answer it must reject all numbers.
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

# Reply and gold answer -> whether the scorer accepts the reply.
Scorer = Callable[[str, str], bool]
# The last number of the reply, as lm-eval's task gsm8k reads it ("flexible-extract").
_FLEXIBLE = r"(-?[$0-9.,]{2,})|(-?[0-9]+)"
_IGNORED = re.compile(r",|\$|\.$")
_SECONDS = 10  # per reply, for scorers with a time limit; a busy machine must not change the table
# Other scorers: module -> package to install.
PACKAGES = {"math_verify": "math-verify", "lm_eval": "lm-eval", "inspect_ai": "inspect-ai"}
_MAX_OTHERS = 3  # maximum number of other numbers of a reply that are tried as wrong golds


class Tally(NamedTuple):
    """The number of replies of one kind, and the number on which a scorer is right."""

    replies: int
    right: int


def audit() -> dict[str, dict[str, Tally]]:
    """Audit every installed scorer: kind of reply (the rule that reads it) -> scorer -> tally."""
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
    """Return whether the scorer accepts the answer of this reply and nothing else.

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
    """Return the installed scorers by name; ours is always one of them."""
    known = {"math_verify": ("math-verify", _math_verify), "lm_eval": ("lm-eval regex", _lm_eval)}
    known["inspect_ai"] = ("inspect match", _inspect)
    installed = {name: scorer for module, (name, scorer) in known.items() if find_spec(module)}
    return {"dnc": lambda text, gold: answers.score(text, gold).correct, **installed}


def missing() -> list[str]:
    """Return the packages of scorers that are not installed."""
    return [package for module, package in PACKAGES.items() if not find_spec(module)]


def _math_verify(text: str, gold: str) -> bool:
    from math_verify import parse, verify

    logging.getLogger("math_verify").setLevel(logging.CRITICAL)  # it warns of replies that it cannot compare
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

"""Verifiable rewards for reinforcement learning, as plain functions for trl, verl and verifiers.

Every function takes prompts, completions and the columns of the dataset, and returns one number per
completion. None of them raises: a completion that cannot be read gets 0. A reward requires an answer that the
completion marks or gives alone, so that a list of guesses gets 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dnc_datasets import expression, numerals
from dnc_datasets.expression import Expr, Number
from dnc_metrics import equations, extraction, replies

Row = Mapping[str, Any]
# Columns of a record that scoring reads.
COLUMNS = ("answer", "answers", "answer_type", "question", "unit", "equation", "meta", "rounding")
# A longer completion gets 0, so that a policy learns to stop.
MAX_CHARACTERS = 20_000
_MAX_MARKED = 3  # maximum number of different marked answers before a completion counts as guessing
_CALCULATION = re.compile(r"[=+*/×÷]|\d ?- ?\d")
_PART = re.compile(r"^[ \t*#]{0,6}(?:Answer|Problem) ?([12])\b[^:\n]{0,20}:", re.I | re.M)


def answer_reward(
    prompts: Sequence[Any], completions: Sequence[Any], **columns: Sequence[Any]
) -> list[float]:
    """Return 1.0 if the completion gives the correct answer and no other one.

    >>> answer_reward(["3 + 4?"] * 3, ["The answer is 7.", "1 2 3 4 5 6 7", "seven"], answer=["7"] * 3)
    [1.0, 0.0, 1.0]
    """
    return _each(_answer, prompts, completions, columns)


def equation_reward(
    prompts: Sequence[Any], completions: Sequence[Any], **columns: Sequence[Any]
) -> list[float]:
    """Return 1.0 if the completion calculates the answer from numbers that the prompt shows.

    >>> equation_reward(["Tom has 3 pens and 4 pencils."] * 2, ["3 + 4", "7"], answer=["7"] * 2, equation=["3 + 4"] * 2)
    [1.0, 0.0]
    """
    return _each(_equation, prompts, completions, columns)


def format_reward(
    prompts: Sequence[Any], completions: Sequence[Any], **columns: Sequence[Any]
) -> list[float]:
    """Return 1.0 if the completion marks one answer, correct or not: "The answer is 7.", a box, a JSON field.

    >>> format_reward(["?"] * 2, ["The answer is 9.", "Perhaps 9, perhaps 10"], answer=["7"] * 2)
    [1.0, 0.0]
    """
    return _each(_format, prompts, completions, columns)


def refusal_reward(
    prompts: Sequence[Any], completions: Sequence[Any], **columns: Sequence[Any]
) -> list[float]:
    """Return 1.0 for refusing a question without an answer, or for marking one answer if there is one.

    >>> kinds = ["unanswerable", "number"]
    >>> refusal_reward(["?"] * 2, ["It cannot be determined."] * 2, answer=["", "7"], answer_type=kinds)
    [1.0, 0.0]
    """
    return _each(_refusal, prompts, completions, columns)


def consistency_reward(
    prompts: Sequence[Any], completions: Sequence[Any], **columns: Sequence[Any]
) -> list[float]:
    """Return 1.0 if both problems of a pair are correct (see `pair_prompt`): the original and its variant.

    The column `source` holds the original of each row, as in every perturbed record.
    """
    return _each(_pair, prompts, completions, columns)


def pair_prompt(record: Row, original: str) -> str:
    """Return one prompt for a perturbed record and its original, whose text is `original`."""
    return (
        f"Problem 1. {original}\n\nProblem 2. {record['prompt']}\n\nSolve both problems. End with two lines: "
        '"Answer 1: N" and "Answer 2: N", with a number for N.'
    )


def compute_score(
    data_source: str, solution_str: str, ground_truth: Any, extra_info: Mapping[str, Any] | None = None
) -> float:
    """Return the answer reward in verl's form; `extra_info` may hold further columns and the prompt.

    >>> compute_score("dnc/tiny", "So the answer is 7.", "7")
    1.0
    """
    info = extra_info if isinstance(extra_info, Mapping) else {}
    row = {name: [info[name]] for name in COLUMNS if name in info}
    return answer_reward([info.get("prompt", "")], [solution_str], **{**row, "answer": [ground_truth]})[0]


def _each(
    reward: Any, prompts: Sequence[Any], completions: Sequence[Any], columns: Mapping[str, Sequence[Any]]
) -> list[float]:
    given = {name: columns[name] for name in (*COLUMNS, "source") if name in columns}
    found = []
    for at, completion in enumerate(completions):
        row = {name: values[at] for name, values in given.items() if at < len(values)}
        prompt = text_of(prompts[at]) if at < len(prompts) else ""
        try:
            found.append(float(reward(row, _own_text(completion, prompt), prompt)))
        except Exception:  # an unexpected row or completion must not end a training run
            found.append(0.0)
    return found


def text_of(message: Any) -> str:
    """Return the text of a prompt or completion: a string, or the contents of chat messages."""
    if isinstance(message, str):
        return message
    contents = (one.get("content") for one in message) if isinstance(message, Sequence) else ()
    return "\n".join(content for content in contents if isinstance(content, str))


def _own_text(completion: Any, prompt: str) -> str:
    """Return the completion without repetitions of the prompt; empty if it is too long."""
    text = text_of(completion)
    if len(text) > MAX_CHARACTERS:
        return ""
    return text.replace(prompt, " ") if prompt and len(prompt) <= len(text) else text


def _answer(row: Row, text: str, prompt: str) -> bool:
    return bool(text) and replies.score(row, text).strict and not _guesses(text, str(row.get("unit") or ""))


def _equation(row: Row, text: str, prompt: str) -> bool:
    found = extraction.equation(text).expr if text else None
    if found is None or not found.operators:
        return False
    scored = equations.score(
        text, str(row["equation"]), answer=str(row["answer"]), rounding=replies.rounding(row)
    )
    shown = {quantity.value for quantity in numerals.find(prompt)} | _numbers(
        expression.parse(row["equation"])
    )
    return bool(scored.executes) and _numbers(found) <= shown


def _numbers(equation: Expr) -> set[Fraction]:
    return {leaf.number for leaf in equation.leaves() if isinstance(leaf, Number)}


def _format(row: Row, text: str, prompt: str) -> bool:
    found = extraction.answer(text) if text else None
    return (
        found is not None
        and found.rule in extraction.EXPLICIT
        and len(_marked(text)) == 1
        and not _guesses(text, str(row.get("unit") or ""))
    )


def _marked(text: str) -> set[object]:
    """Return the different answers that a completion marks, as values if they have one."""
    marked = (words for words, rule in extraction.phrases(text) if rule in extraction.EXPLICIT)
    values = {words: extraction.answer(words).value for words in marked}
    return {words if value is None else value for words, value in values.items()}


def _refusal(row: Row, text: str, prompt: str) -> bool:
    if not text:
        return False
    if row.get("answer_type") == replies.UNANSWERABLE:
        return replies.refuses(text)
    return not replies.refuses(text) and _format(row, text, prompt)


def _pair(row: Row, text: str, prompt: str) -> bool:
    """Return whether both parts are correct, each scored by its own row."""
    original = row.get("source")
    marks = list(_PART.finditer(text))
    parts = {mark[1]: text[mark.end() : _next_start(marks, at, text)] for at, mark in enumerate(marks)}
    if not isinstance(original, Mapping) or parts.keys() != {"1", "2"}:
        return False
    return _answer(original, parts["1"].strip(), "") and _answer(row, parts["2"].strip(), "")


def _next_start(marks: Sequence[re.Match[str]], at: int, text: str) -> int:
    return marks[at + 1].start() if at + 1 < len(marks) else len(text)


def _guesses(text: str, unit: str) -> bool:
    """Return whether the completion marks several answers, or lists several numbers as its answer."""
    marked = {words for words, rule in extraction.phrases(text) if rule in extraction.EXPLICIT}
    if len(marked) > _MAX_MARKED:
        return True
    words = extraction.phrase(text)[0]
    if _CALCULATION.search(words):
        return False
    found = extraction.answer(text, unit)
    rest = words.replace(found.text, " ", 1)
    others = {quantity.value for quantity in numerals.find(rest)} - {found.value}
    return len(others) > 1

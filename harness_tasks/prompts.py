"""Prompts: a row as text, and one of four instructions.

The layout shows the content for a reader of the source in reading order: text, paragraphs, table, earlier
turns, question. A prompt does not depend on a row's answer or on whether the row is perturbed. It asks for a
number if every answer of the source is one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from dnc_datasets import numerals
from dnc_datasets.serving.rows import layout as laid_out

Doc = Mapping[str, Any]

# Language -> instruction -> words.
_WORDS = {
    "en": {
        "direct_number": (
            "Reply with the answer only, as a number; if it is not whole, round it to two decimal places, but keep "
            "at least two significant digits.\nAnswer:"
        ),
        "direct": (
            "Reply with the answer only; round a number that is not whole to two decimal places, but keep at "
            'least two significant digits; if the text does not tell, reply "unknown".\nAnswer:'
        ),
        "direct_yes_no": 'Reply with "yes" or "no" only.\nAnswer:',
        "cot_yes_no": (
            'Work it out step by step. Then end with the line "The answer is yes." or "The answer is no."\nSolution:'
        ),
        "cot_number": (
            'Work it out step by step. Then end with the line "The answer is N.", with the number for N, '
            "rounded, if it is not whole, to two decimal places, but to at least two significant digits.\n"
            "Solution:"
        ),
        "cot": (
            'Work it out step by step. Then end with the line "The answer is X.", with the answer for X; '
            "round a number that is not whole to two decimal places, but keep at least two significant "
            'digits; if the text does not tell, it is "unknown".\nSolution:'
        ),
        "equation": (
            "Write one arithmetic expression whose value is the answer. Use the numbers of the problem, "
            "+ - * / and parentheses. Write nothing but the expression.\nExpression:"
        ),
        "equation_table": (
            "Write one arithmetic expression whose value is the answer. Use the numbers of the table and the "
            "text, + - * / and parentheses; multiply by 100 where a percentage is asked for. Write nothing "
            "but the expression.\nExpression:"
        ),
        "graph": (
            "What does the answer to the question Q rest on: which sentences of the passage (P1, P2, ...) and which "
            "earlier questions (Q1, Q2, ...)? Write one line for Q, and one for each earlier question that it rests "
            "on, directly or not. Write nothing else. Form:\nQ: Q1, P2\nQ1: P1"
        ),
        "answer_is": "The answer is {}.",
    },
    "zh": {
        "direct_number": "只写出答案（一个数，不是整数时四舍五入到两位小数，至少保留两位有效数字）。\n答案：",
        "direct": (
            "只写出答案；不是整数的数四舍五入到两位小数，至少保留两位有效数字；"
            "如果材料里没有说，就写“不确定”。\n答案："
        ),
        "cot_number": (
            "请一步一步地思考，最后另起一行写“答案是N”，N为一个数，不是整数时四舍五入到两位小数，至少保留两位有效数字。\n解答："
        ),
        "cot": (
            "请一步一步地思考，最后另起一行写“答案是X”；不是整数的数四舍五入到两位小数，至少保留两位有效数字；"
            "如果材料里没有说，X为“不确定”。\n解答："
        ),
        "equation": "用题中的数和 + - * / 以及括号写一个算式，它的值就是答案。只写算式。\n算式：",
        "graph": (
            "问题Q的答案依据什么：材料中的哪些句子（P1、P2……），前面的哪些问题（Q1、Q2……）？"
            "给Q写一行，再给它直接或间接依据的每个前面的问题各写一行。不要写别的。格式：\nQ: Q1, P2\nQ1: P1"
        ),
        "answer_is": "答案是{}。",
    },
}


# Twelve ways to ask for a number only, all different from "direct_number". English only.
WORDINGS = (
    "Give only the number.\nAnswer:",
    "What is the answer? Write just a number.\nAnswer:",
    "Solve the problem. Your reply must be a single number.\nAnswer:",
    "Please answer with a number and nothing else.\nAnswer:",
    "Compute the result. Output the number only, without explanation.\nResult:",
    "Reply with one number.\nA:",
    "State the final answer as a number.\nFinal answer:",
    "Find the answer and write it down as a number, with no other words.\nAnswer:",
    "Don't show your work. Just tell me the number.\nAnswer:",
    "Work it out in your head and give me the number.\nAnswer:",
    "Respond with the numeric answer only.\nAnswer:",
    "I only need the number.\nAnswer:",
)


def direct(doc: Doc) -> str:
    """Return the prompt for the answer only; a `wording` (from 1) replaces the instruction."""
    if doc.get("wording"):
        return f"{layout(doc)}\n{WORDINGS[int(doc['wording']) - 1]}"
    return f"{layout(doc)}\n{_words(doc)['direct' + _kind(doc)]}"


TOOL_INSTRUCTION = (
    "Numbers of this problem have names such as [A]. Call the tool look_up with a name to get its number. "
    "The tool calculate works out arithmetic."
)


def with_named_numbers(doc: Doc) -> tuple[Doc, dict[str, str]]:
    """Return the row with names instead of the numbers of its body and question, and the number of each name.

    >>> hidden, numbers = with_named_numbers({"body": "Tom has 3 pens and 12 caps.", "question": "How many?"})
    >>> hidden["body"], numbers
    ('Tom has [A] pens and [B] caps.', {'A': '3', 'B': '12'})
    """
    numbers: dict[str, str] = {}
    changed = dict(doc)
    for field in ("body", "question"):
        parts, at = [], 0
        for quantity in numerals.find(doc[field]):
            name = _name(len(numbers))
            numbers[name] = quantity.text
            parts += [doc[field][at : quantity.start], f"[{name}]"]
            at = quantity.end
        changed[field] = "".join((*parts, doc[field][at:]))
    return changed, numbers


def _name(index: int) -> str:
    """Return the name of an index: A, B, ... Z, A1, B1, ..."""
    letter, turn = chr(ord("A") + index % 26), index // 26
    return f"{letter}{turn or ''}"


def cot(doc: Doc) -> str:
    """Return the prompt for steps and then the answer in a fixed sentence."""
    return f"{layout(doc)}\n{_words(doc)['cot' + _kind(doc)]}"


def _kind(doc: Doc) -> str:
    """Return the suffix of the instruction: for a number, for yes or no, or empty for any answer."""
    if not doc["numeric"]:
        return ""
    return "_yes_no" if doc.get("answer_type") == "yes_no" else "_number"


def equation(doc: Doc) -> str:
    """Return the prompt for an arithmetic expression only."""
    words = _words(doc)
    ask = words.get("equation_" + doc["shape"], words["equation"])
    return f"{layout(doc)}\n{ask}"


def graph(doc: Doc) -> str:
    """Return the prompt for the evidence of the answer, over numbered sentences and earlier questions."""
    segments = doc["segments"] or [doc["body"]]
    lines = [f"P{at}: {text}" for at, text in enumerate(segments, 1)]
    lines += [f"Q{at}: {turn['question']} {turn['answer']}" for at, turn in enumerate(doc["history"], 1)]
    return "\n".join((*lines, f"Q: {doc['question']}", "", _words(doc)["graph"]))


def graph_target(doc: Doc) -> str:
    """Return the gold graph, one line for each node with evidence."""
    stated: dict[str, list[str]] = {}
    for one, two in doc["graph"]:
        stated.setdefault(_named(one), []).append(_named(two))
    return "\n".join(f"{node}: {', '.join(others)}" for node, others in stated.items())


def _named(node: str) -> str:
    return node.strip("<>").upper()


def direct_target(doc: Doc) -> str:
    """Return the answer."""
    return str(doc["answer"])


def cot_target(doc: Doc) -> str:
    """Return the worked solution of an example with the prompt's closing sentence, or only the answer."""
    solution = doc.get("solution")
    if not solution:
        return str(doc["answer"])
    return f"{solution}\n{_words(doc)['answer_is'].format(doc['answer'])}"


def equation_target(doc: Doc) -> str:
    """Return the equation."""
    return str(doc["equation"])


def layout(doc: Doc) -> str:
    """Return the row as a reader sees it, without an instruction."""
    return laid_out(doc, doc["shape"], doc["language"])


def _words(doc: Doc) -> dict[str, str]:
    return _WORDS.get(doc["language"], _WORDS["en"])


_FILE = Path(__file__).with_name("exemplars.json")
# Default values of the fields that an example omits.
_EMPTY: dict[str, Any] = {
    "table": [],
    "segments": [],
    "history": [],
    "equation": "",
    "answers": [],
    "unit": "",
    "answer_type": "number",
    "rounding": "",
    "perturbed": False,
}


def exemplars(shape: str, language: str = "en") -> list[dict[str, Any]]:
    """Return the worked examples of a shape of source: rows with a `solution`, in display order."""
    return [{**_EMPTY, **one} for one in _all().get(language, {}).get(shape, [])]


@lru_cache(maxsize=1)
def _all() -> dict[str, dict[str, list[dict[str, Any]]]]:
    found: dict[str, dict[str, list[dict[str, Any]]]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found

"""GSM8K's Socratic problems as conversations in NOAHQA's form, with graphs found by matching operands.

Each sub-question is a turn, its calculation `<<15*30=450>>` the equation. An operand rests on the earlier turn whose
answer it is, or on the sentence in which it is; where both or several fit, the graph is ambiguous, and the turn
has no evidence, so that no graph is scored. The problems are of GSM8K's official test set: what is trained on
them must never be scored on gsm8k.

    python -m dnc_datasets.corpus.socratic problems.jsonl DIR
    dnc research train rgnet --data noahqa_en --from noahqa_en=DIR
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from dnc_datasets import expression, numerals
from dnc_datasets.corpus.drawn_conversations import write
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.errors import DncError, ExpressionError
from dnc_datasets.expression import Number

PREFIX = "socratic-"  # of the ids: by them a training knows that it has seen GSM8K's test set
_STEP = re.compile(r"<<([^<>=]{1,200})=([^<>=]{1,60})>>")


def conversation(name: str, problem: str, solution: str, counts: Counter[str]) -> dict[str, Any] | None:
    """One problem as a conversation; None where a step cannot be read. `counts` tells what was found."""
    segments = sentences(problem)
    if len(segments) > 9:
        counts["too many sentences"] += 1
        return None
    pairs: list[dict[str, Any]] = []
    answers: list[Fraction] = []
    unclear: set[float | int] = set()  # turns whose own graph is not certain, and so none that rests on them
    for line in solution.splitlines():
        asked, sep, text = line.partition(" ** ")
        if not sep:
            continue
        found = _STEP.search(text)
        try:
            tree = expression.parse(found[1]) if found else None
            value = tree.value() if tree else None
        except ExpressionError:
            tree = value = None
        if tree is None or value is None:
            counts["step not read"] += 1
            return None
        operands = [leaf.number for leaf in tree.leaves() if isinstance(leaf, Number)]
        evidence = _evidence(operands, segments, answers)
        if evidence is None or not unclear.isdisjoint(evidence):
            evidence = None
            unclear.add(len(pairs) + 1)
        pairs.append(
            {
                "question": asked.strip(),
                "answer": expression.canonical(value),
                "ans": expression.canonical(value),
                "answer_formula": tree.infix(),
                "query_id": f"{name}-{len(pairs) + 1}",
                "answer_type": [3, 0],
                "evidence": evidence or [],
            }
        )
        answers.append(value)
    counts["conversations"] += bool(pairs)
    counts["turns"] += len(pairs)
    counts["ambiguous graphs"] += len(unclear)
    passage = [[at, text] for at, text in enumerate(segments, 1)]
    return {"passage": passage, "qa_pairs": pairs} if pairs else None


def _evidence(
    operands: Sequence[Fraction], segments: Sequence[str], answers: Sequence[Fraction]
) -> list[float | int] | None:
    """The codes of what the operands rest on; None where it is not certain."""
    found: list[float | int] = []
    for operand in dict.fromkeys(operands):
        turns = [at for at, answer in enumerate(answers, 1) if answer == operand]
        places = [at for at, text in enumerate(segments, 1) if _shows(text, operand)]
        if len(turns) + len(places) > 1:
            return None
        found += turns or [place / 10 for place in places]  # a constant such as 7 days rests on nothing
    return sorted(dict.fromkeys(found)) or None


def _shows(text: str, value: Fraction) -> bool:
    return any(quantity.value in (value, 100 * value) for quantity in numerals.find(text))


def convert(path: Path) -> tuple[dict[str, dict[str, Any]], Counter[str]]:
    """The conversations of a file of problems by split (chosen by hash, 8 : 1 : 1), and counts of what was found."""
    parts: dict[str, dict[str, Any]] = {"train": {}, "valid": {}, "test": {}}
    counts: Counter[str] = Counter()
    for at, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        try:
            row = json.loads(line)
            name = f"{PREFIX}{at}"
            made = conversation(name, str(row["question"]), str(row["answer"]), counts)
        except (ValueError, KeyError, TypeError) as error:
            raise DncError(
                f"{path}, line {at + 1}: not a Socratic problem of GSM8K ({error}); is it the right file?"
            ) from error
        if made:
            share = Draw(0, "socratic", name, "split").integer(0, 9)
            parts["test" if share == 0 else "valid" if share == 1 else "train"][name] = made
    return parts, counts


def main() -> None:
    """Write the conversations of a file to a folder and tell what was found."""
    parser = argparse.ArgumentParser(
        description="GSM8K's Socratic problems as conversations in NOAHQA's form"
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    parts, counts = convert(arguments.file)
    write(arguments.folder, parts)
    print(json.dumps({**counts, **{name: len(part) for name, part in parts.items()}}))


if __name__ == "__main__":
    main()

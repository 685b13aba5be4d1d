"""A row as a reader sees it: the whole problem as one text, and its answer as one would write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# Language -> what stands before each part.
_LABELS = {
    "en": {
        "passage": "Passage:",
        "table": "Table:",
        "earlier": "Earlier questions:",
        "question": "Question:",
    },
    "zh": {"passage": "材料：", "table": "表格：", "earlier": "前面的问答：", "question": "问题："},
}
# Language -> what one replies where the text does not tell.
UNKNOWN = {"en": "unknown", "zh": "不确定"}


def layout(row: Mapping[str, Any], shape: str, language: str) -> str:
    """Text, paragraphs, table, earlier turns and question, in reading order and without any instruction.

    >>> print(layout({"body": "Tom has 3 pens.", "question": "How many pens?"}, "word_problem", "en"))
    Question: Tom has 3 pens. How many pens?
    """
    labels = _LABELS.get(language, _LABELS["en"])
    if shape == "word_problem":
        return f"{labels['question']} {row['body']} {row['question']}".rstrip()
    texts = [text for text in (row["body"], *row["segments"]) if text]
    parts = [f"{labels['passage']} " + "\n".join(texts)] if texts else []
    if row["table"]:
        parts.append(f"{labels['table']}\n" + "\n".join(map(_table_line, row["table"])))
    if row["history"]:
        turns = "\n".join(f"- {turn['question']} {turn['answer']}" for turn in row["history"])
        parts.append(f"{labels['earlier']}\n{turns}")
    parts.append(f"{labels['question']} {row['question']}".rstrip())
    return "\n".join(parts)


def target(row: Mapping[str, Any], language: str) -> str:
    """The answer; where the text does not tell, the one word for that, however the source writes it.

    Where only a constraint is known, the least that keeps it.
    """
    if row["answer_type"] == "constraint":
        name, _, bound = str(row["answer"]).partition(" ")
        return bound or {"boolean": "yes"}.get(name, "0")
    if row["answer_type"] == "unanswerable":
        return UNKNOWN.get(language, UNKNOWN["en"])
    return str(row["answer"])


def _table_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"

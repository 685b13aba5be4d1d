"""Contrast sets that others have published: members that come with their originals, and are not made here."""

from __future__ import annotations

import json
from collections.abc import Iterator

from dnc_datasets.errors import ProblemError
from dnc_datasets.problem import Problem

RECIPE = "published"
# In meta of an original: its members, a JSON list of objects with `kind`, `question`, `answer` and `answer_type`.
MEMBERS = "members"


def members(original: Problem) -> Iterator[tuple[str, Problem]]:
    """The published members of an original, each with its kind, numbered in their order.

    >>> stated = '[{"kind": "human", "question": "Who lost?", "answer": "Ann", "answer_type": "span"}]'
    >>> [member.question for _, member in members(Problem("1", "Ben won.", "Who won?", meta=(("members", stated),)))]
    ['Who lost?']
    """
    try:
        stated = json.loads(original.note(MEMBERS) or "[]")
        for number, one in enumerate(stated, 1):
            kept = tuple(pair for pair in original.meta if pair[0] != MEMBERS)
            yield (
                f"{number}#{one['kind']}",
                original.replace(
                    body=one.get("body", original.body),
                    question=one["question"],
                    answer=one["answer"],
                    answers=tuple(one.get("answers", ())),
                    answer_type=one["answer_type"],
                    equation="",
                    unit="",
                    meta=kept,
                ),
            )
    except (ValueError, KeyError, TypeError) as error:
        raise ProblemError(f"row {original.id!r}: its members cannot be read ({error!r})") from error

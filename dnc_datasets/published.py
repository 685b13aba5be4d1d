"""Contrast sets that others have published: the members come with their originals."""

from __future__ import annotations

import json
from collections.abc import Iterator

from dnc_datasets.errors import ProblemError
from dnc_datasets.problem import Problem

RECIPE = "published"
# In meta of an original: its members, a JSON list of objects with `kind`, `question`, `answer` and `answer_type`.
MEMBERS = "members"


def members(original: Problem) -> Iterator[tuple[str, Problem]]:
    """Yield the published members of an original, each with its number and kind.

    >>> stated = '[{"kind": "human", "question": "Who lost?", "answer": "Ann", "answer_type": "span"}]'
    >>> [member.question for _, member in members(Problem("1", "Ben won.", "Who won?", meta=(("members", stated),)))]
    ['Who lost?']
    """
    try:
        stated = json.loads(original.note(MEMBERS) or "[]")
        for number, member in enumerate(stated, 1):
            meta = tuple(pair for pair in original.meta if pair[0] != MEMBERS)
            yield (
                f"{number}#{member['kind']}",
                original.replace(
                    body=member.get("body", original.body),
                    question=member["question"],
                    answer=member["answer"],
                    answers=tuple(member.get("answers", ())),
                    answer_type=member["answer_type"],
                    equation="",
                    unit="",
                    meta=meta,
                ),
            )
    except (ValueError, KeyError, TypeError) as error:
        raise ProblemError(f"row {original.id!r}: its members cannot be read ({error!r})") from error

"""Extra: a statement with a number from another problem joins the body."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets import numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.sentences import sentences
from dnc_datasets.links import PARAGRAPH_BREAK
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.neighbours import Neighbours, Statement, content_words
from dnc_datasets.problem import TEXT_FIELDS, Problem

# A statement with one of these leans on what was said before it, so it cannot stand alone elsewhere.
_LEANS = re.compile(
    r"\b(?:he|she|it|they|we|i|you|his|her|hers|its|their|theirs|them|him|us|our|my|your|if|then|later|now|"
    r"another|other|others|rest|left|remaining|also|too|altogether|total|both|same|these|those|this|that|"
    r"such|so|after|before|afterwards|earlier|respond|responded|ensuing|meanwhile|thus|therefore|following|"
    r"first|second|third|last|next|how|suppose|however|instead|again|still|ones|one|similarly|likewise|contrast|"
    r"conversely|additionally|furthermore|moreover|subsequently|consequently|nevertheless|response|finally|"
    r"here|instance|example|addition|of all|the (?:two|three|four))\b|又|还|再|另|其中|剩|这|那|他|她|它|也|前\d",
    re.IGNORECASE,
)
# An open clause and what joins on to the sentence before it stay together.
_JOINS_ON = re.compile(r"(?:And|But|Or|So|Also|Then|He|She|It|They|This|That|These|Those|Which)\b")
_END_MARKS = frozenset(".!?。！？")
# Statements tried in drawn order before the problem is given up.
_MAX_TRIES = 400


@perturbation(
    "extra",
    capability=Capability.OPERAND_SELECTION,
    promises=("target_kept", "statement_added"),
)
def add_statement(
    problem: Problem, draw: Draw, neighbours: Neighbours, *, scope: Sequence[str] = TEXT_FIELDS
) -> Problem | None:
    """A statement of another problem of the split, about other things and numbers, ends the body."""
    fitting = neighbours.statements
    if not (problem.body or problem.segments) or not fitting:
        return None
    taken = frozenset(problem.values())
    if (answer := numerals.parse(problem.answer)) is not None:
        taken |= {answer}
    words = frozenset[str]().union(*[content_words(text) for _, text in problem.texts()])
    for _ in range(min(_MAX_TRIES, 20 * len(fitting))):
        statement = draw.choice(fitting)
        if _fits(statement, problem, taken, words):
            if problem.segments:
                return _in_segments(problem, statement.text)
            if problem.table:
                return problem.replace(body=f"{problem.body}{PARAGRAPH_BREAK}{statement.text}")
            return problem.replace(body=_joined(problem.body, statement.text))
    return None


def _fits(statement: Statement, problem: Problem, taken: frozenset[object], words: frozenset[str]) -> bool:
    return (
        statement.owner != problem.id
        and statement.values.isdisjoint(taken)
        and statement.words.isdisjoint(words)
        and not _LEANS.search(statement.text)
    )


def _joined(body: str, statement: str) -> str:
    """The statement behind the last complete sentence: a body may end in an open if-clause."""
    last = sentences(body)[-1]
    joined = f"{body.rstrip()} {statement}"
    # "... a grade of A." may be taken for an initial; the statement then goes before it.
    if last.rstrip("\"')")[-1:] in ".!?" and sentences(joined)[-1] == statement:
        return joined
    parts = sentences(body)
    while len(parts) > 1 and _JOINS_ON.match(parts[-1]):
        parts.pop()
    at = body.rindex(parts[-1])
    return f"{body[:at]}{statement} {body[at:]}"


def _in_segments(problem: Problem, statement: str) -> Problem | None:
    """The statement as a segment of its own at the end, or before an open clause in the last segment.

    No segment gets another number, because the evidence of questions goes by these.
    """
    *first, last = problem.segments
    if last.rstrip("\"')”")[-1:] in _END_MARKS:
        return problem.replace(segments=(*problem.segments, statement))
    if first and first[-1].rstrip("\"')”")[-1:] not in _END_MARKS:
        return None
    return problem.replace(segments=(*first, f"{statement} {last}"))

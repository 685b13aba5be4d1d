"""Where a borrowed statement goes: after what is complete, and not between what belongs together."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets import numerals, operand_links
from dnc_datasets.english.reading.dependence import elliptical
from dnc_datasets.english.reading.people import people
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.operand_links import PARAGRAPH_BREAK
from dnc_datasets.perturbations.numbers.amounts import is_prose
from dnc_datasets.problem import Problem

# An open clause and what joins on to the sentence before it stay together.
_JOINS_ON = re.compile(r"(?:And|But|Or|So|Also|Then|He|She|It|They|This|That|These|Those|Which)\b")
_END_MARKS = frozenset(".!?。！？")
# "The components are as follows (in millions):" belongs to the table after it.
_LEADS_TO_TABLE = re.compile(
    r":\Z|(?<!above )\btables?\b(?! above)|\bas follows\b|\bbelow\b|\bfollowing\b(?! (?:the|an?)\b)",
    re.IGNORECASE,
)
# "The value of these awards is": a report's next sentence may point back after its first words.
_POINTS_BACK = re.compile(
    r"(?:\S+ ){0,5}(?:this|these|those|such)\b|The (?:related|corresponding)\b", re.IGNORECASE
)
_ENDS = re.compile(r"[.!?][\"')]*\Z")
_LEAST_BLANKS = 4


def with_statement(problem: Problem, statement: str) -> Problem | None:
    """The problem with the statement in its body; None where there is no place for it."""
    if problem.segments:
        return _in_segments(problem, statement)
    if problem.table:
        return problem.replace(body=_in_report(problem, statement))
    if is_prose(problem):
        return problem.replace(body=_in_story(problem.body, statement))
    if is_in_small_letters(problem.body):
        statement = statement[0].lower() + statement[1:]
    following = what_follows(problem)
    unnamed = _JOINS_ON.match(problem.body) is not None  # "They" would be those of the statement
    if (
        _POINTS_BEFORE.search(following)
        or elliptical(following)
        or (people(statement) and _MEANS_SOMEBODY.search(following))
    ):
        return None if unnamed else problem.replace(body=f"{statement} {problem.body}")
    return problem.replace(body=_in_story(problem.body, statement))


def appended(problem: Problem, statement: str) -> Problem:
    """The problem with the statement at the end of its body, even where that ends in an open clause."""
    if problem.segments:
        return problem.replace(segments=(*problem.segments, statement))
    if problem.table:
        return problem.replace(body=f"{problem.body}{PARAGRAPH_BREAK}{statement}")
    return problem.replace(body=f"{problem.body.rstrip()} {statement}")


def is_in_small_letters(text: str) -> bool:
    """Has the text no capital letter, as some sources write whole problems?"""
    return text == text.lower()


# "It takes him 3 times that long": what is pointed at must stand right before it.
_POINTS_BEFORE = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|then|so|still|others?|another|remaining|rest|latter)\b"
    # "how many did she buy?": of what was stated last
    r"|\bhow many (?:(?:more )?(?:did|does|do|are|were|is|was|will|would|can|could|should|have|has|had)\b|more\b|of\b)",
    re.IGNORECASE,
)
_MEANS_SOMEBODY = re.compile(r"\b(?:he|she|his|her|him|hers)\b", re.IGNORECASE)


def what_follows(problem: Problem) -> str:
    """What would stand after a statement that joins a story: the question, and what leads to it."""
    last = sentences(problem.body)[-1:]
    opened = last and last[0].rstrip("\"')")[-1:] not in ".!?"
    return f"{last[0]} {problem.question}" if opened else problem.question


def _in_story(body: str, statement: str) -> str:
    """The statement after the last complete sentence: a body may end in an open if-clause."""
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


def _in_report(problem: Problem, statement: str) -> str:
    """The statement as a last paragraph or, where the text leads on to its table, after what comes before.

    The links of operands go by the numbers of paragraphs and of what is in them, so none of these moves.
    """
    body = problem.body
    last = f"{body}{PARAGRAPH_BREAK}{statement}"
    parts = operand_links.paragraphs(body)
    linked = [link for link in operand_links.stored(problem).values() if link.startswith("body.")]
    following = ""  # the sentence after the place
    for number in reversed(range(len(parts))):
        text = parts[number]
        end = len(text)
        for sentence in reversed(sentences(text)):
            start = text.rindex(sentence, 0, end)
            end = start + len(sentence)
            if _is_complete(sentence) and not (_JOINS_ON.match(following) or _POINTS_BACK.match(following)):
                if not following:
                    return last
                if not _moves(linked, number, text[:end], text[end:]):
                    parts[number] = f"{text[:end]} {statement}{text[end:]}"
                    return PARAGRAPH_BREAK.join(parts)
            following, end = sentence, start
    if linked:
        return last
    # Nothing but headings and what leads on to the table: the statement goes between these.
    at = next((number for number, text in enumerate(parts) if not _is_heading(text)), 0)
    return PARAGRAPH_BREAK.join((*parts[:at], statement, *parts[at:]))


def _is_complete(sentence: str) -> bool:
    """Whether it ends, is no heading such as "Note 12.", and does not lead on to the table."""
    ends = _ENDS.search(sentence) is not None and sentence.count(" ") >= _LEAST_BLANKS
    return ends and not _LEADS_TO_TABLE.search(sentence)


def _is_heading(paragraph: str) -> bool:
    """Whether it has no sentence, not even one that leads on to the table."""
    return paragraph.count(" ") < _LEAST_BLANKS or not _LEADS_TO_TABLE.search(paragraph)


def _moves(linked: Sequence[str], number: int, before: str, after: str) -> bool:
    """Whether a number of this paragraph that is an operand is after the place."""
    own = [int(link.split(".")[2]) for link in linked if link.startswith(f"body.{number}.")]
    return bool(own and after) and max(own) >= len(numerals.find(before))

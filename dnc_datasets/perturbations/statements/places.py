"""Insertion points of a borrowed statement: after a complete part, and never between dependent sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from dnc_datasets import numerals, operand_links
from dnc_datasets.english.reading.dependence import elliptical
from dnc_datasets.english.reading.people import people
from dnc_datasets.english.reading.report_sentences import is_tokenised, sentence_spans
from dnc_datasets.english.reading.report_words import words
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.operand_links import PARAGRAPH_BREAK
from dnc_datasets.perturbations.numbers.amounts import is_prose
from dnc_datasets.problem import Problem

# Openings of a sentence that depends on the one before it. The two stay together.
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
# Openings of a sentence that continues the one before it, in text with or without capitals.
_GOES_ON = re.compile(
    r"(?:and|but|or|so|also|then|he|she|it|its|they|their|this|that|these|those|such|which|however|in addition|"
    r"additionally|further(?:more)?|moreover|accordingly|as a result|therefore|thus|similarly|conversely|finally|"
    r"in contrast|other|both|each|the (?:remaining|remainder|other|latter|former|increase|decrease|change)s?|partially|"
    r"offset|consequently|likewise|excluding|including)\b",
    re.IGNORECASE,
)
_LEANS = re.compile(r"\b(?:also|above|same|additional|another|aforementioned|foregoing)\b", re.IGNORECASE)
# "goldman sachs 2017 form 10-k 61 .", "52 | annual report".
_FOOTER = re.compile(
    r"\bform 10-[kq]\b.{0,12}\Z|\bannual report\b.{0,24}\Z|\|\s*\d|\d\s*\||\bpage \d", re.IGNORECASE
)
_CUT_OFF = re.compile(
    r"\b(?:the|an?|of|to|and|or|in|by|for|with|that|which|our|its|no|inc|u\.s) ?\.\Z", re.IGNORECASE
)
_OPENS_INSIDE = re.compile(r"[a-z](?=[^.]*[A-Z])|[\d(),;.%$]")
_ENDS = re.compile(r"[.!?][\"')]*\Z")
_NOTE = re.compile(r"\(?\w{1,2}\)|[*†‡¹²³]|\d{1,2} [A-Z]|Notes?\b|Source\b", re.IGNORECASE)
# "(5) Includes", "• growth", "( a ) includes": one of several notes or items, without a boundary.
_ITEM = re.compile(r"[(\[] ?\w{1,3} ?[)\]]|\w{1,2}\)|[*†‡¹²³•●▪–—-]")
# "... of the plant. (4) Includes": notes that share a paragraph.
_NOTES_WITHIN = re.compile(r"[.;] \(\w\) [A-Z]")
# In tokenised text, a part that ends in a complete sentence has two full stops. A cut-off part has one.
_ENDS_TOKENISED = re.compile(r"\. \.\Z")
# Openings of a page: "notes to consolidated financial statements", "part ii item 5", "2018 annual report | 51".
_PAGE_HEADING = re.compile(
    r"[^.]{0,60}(?:\b(?:notes to|financial statements|annual report|form 10-[kq]|item \d|management 2019s)|"
    r"\bmanagement's\b|\band subsidiaries\b)|table of contents\b|notes? \d+ ?[.:2]|\d{1,2} ?\. [a-z]"
)
_LEAST_BLANKS, _LEAST_SENTENCES, _LAST_SENTENCES = 4, 2, 8


def with_statement(problem: Problem, statement: str) -> Problem | None:
    """Return the problem with the statement in its body, or None where there is no place for it."""
    if problem.segments:
        return _in_segments(problem, statement)
    if problem.table:
        return problem.replace(body=_in_report(problem, statement))
    if is_prose(problem):
        return problem.replace(body=_in_story(problem.body, statement))
    if is_in_small_letters(problem.body):
        statement = statement[0].lower() + statement[1:]
    following = what_follows(problem)
    unnamed = _JOINS_ON.match(problem.body) is not None  # "They" would refer to the statement
    if (
        _POINTS_BEFORE.search(following)
        or elliptical(following)
        or (people(statement) and _MEANS_SOMEBODY.search(following))
    ):
        return None if unnamed else problem.replace(body=f"{statement} {problem.body}")
    return problem.replace(body=_in_story(problem.body, statement))


def at_end(problem: Problem, statement: str) -> Problem | None:
    """Return the problem with the statement after its last complete paragraph, or None.

    Notes of a table may follow the statement.
    """
    parts = operand_links.paragraphs(problem.body)
    end = len(parts)
    while end and (_NOTE.match(parts[end - 1]) or _NOTES_WITHIN.search(parts[end - 1])):
        end -= 1
    if not end or end <= _last_linked(problem) or not _ends_complete(parts[end - 1]):
        return None
    return problem.replace(body=PARAGRAPH_BREAK.join((*parts[:end], statement, *parts[end:])))


def after_complete(problem: Problem, statement: str) -> Problem | None:
    """Return the problem with the statement after a complete part or at the start, or None."""
    if made := at_end(problem, statement) or after_prose(problem, statement):
        return made
    manners = (_between_paragraphs, _before_footer, _before_all, _before_last_sentences)
    body = next(filter(None, (manner(problem, statement) for manner in manners)), "")
    return problem.replace(body=body) if body else None


def after_prose(problem: Problem, statement: str) -> Problem | None:
    """Return the problem with the statement after the first paragraph of two complete sentences, or None."""
    parts = operand_links.paragraphs(problem.body)
    linked = _last_linked(problem)
    for number, text in enumerate(parts):
        if number < linked or len(sentence_spans(text)) < _LEAST_SENTENCES:
            continue
        if _is_closed(text) and (number + 1 == len(parts) or _begins(parts[number + 1])):
            return problem.replace(
                body=PARAGRAPH_BREAK.join((*parts[: number + 1], statement, *parts[number + 1 :]))
            )
    return None


def _ends_complete(paragraph: str) -> bool:
    """Return whether a paragraph ends with a complete sentence that does not lead to a table."""
    last = _last_sentence(paragraph)
    return not (_CUT_OFF.search(last) or _FOOTER.search(last)) and _is_complete(last)


def _last_sentence(paragraph: str) -> str:
    """Return the last sentence of a paragraph, or "" where tokenised text may have cut it off."""
    if _ENDS_TOKENISED.search(paragraph):
        paragraph = paragraph[:-2]
    elif is_tokenised(paragraph):
        return ""
    spans = sentence_spans(paragraph)
    return paragraph[slice(*spans[-1])] if spans else ""


def appended(problem: Problem, statement: str) -> Problem:
    """Return the problem with the statement at the end of its body, even after an open clause."""
    if problem.segments:
        return problem.replace(segments=(*problem.segments, statement))
    if problem.table:
        return problem.replace(body=f"{problem.body}{PARAGRAPH_BREAK}{statement}")
    return problem.replace(body=f"{problem.body.rstrip()} {statement}")


def is_in_small_letters(text: str) -> bool:
    """Return whether the text has no capital letter, as in some sources."""
    return text == text.lower()


# "It takes him 3 times that long": the antecedent must directly precede it.
_POINTS_BEFORE = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|then|so|still|others?|another|remaining|rest|latter)\b"
    # "how many did she buy?": the noun is that of the last sentence
    r"|\bhow many (?:(?:more )?(?:did|does|do|are|were|is|was|will|would|can|could|should|have|has|had)\b|more\b|of\b)",
    re.IGNORECASE,
)
_MEANS_SOMEBODY = re.compile(r"\b(?:he|she|his|her|him|hers)\b", re.IGNORECASE)


def what_follows(problem: Problem) -> str:
    """Return the text that would follow a statement appended to a story: the question and its open clause."""
    last = sentences(problem.body)[-1:]
    opened = last and last[0].rstrip("\"')")[-1:] not in ".!?"
    return f"{last[0]} {problem.question}" if opened else problem.question


def _in_story(body: str, statement: str) -> str:
    """Insert the statement after the last complete sentence, because a body may end in an open if-clause."""
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
    """Append the statement as a segment, or insert it before an open clause in the last segment.

    No segment number changes, because the evidence of questions refers to these numbers.
    """
    *first, last = problem.segments
    if last.rstrip("\"')”")[-1:] in _END_MARKS:
        return problem.replace(segments=(*problem.segments, statement))
    if first and first[-1].rstrip("\"')”")[-1:] not in _END_MARKS:
        return None
    return problem.replace(segments=(*first, f"{statement} {last}"))


def _in_report(problem: Problem, statement: str) -> str:
    """Insert the statement as a paragraph or, where no paragraph boundary fits, after a complete sentence.

    The links of operands refer to positions of paragraphs and numbers, so none of these positions changes.
    """
    if alone := _between_paragraphs(problem, statement) or _between_sentences(problem, statement):
        return alone
    body = problem.body
    last = f"{body}{PARAGRAPH_BREAK}{statement}"
    parts = operand_links.paragraphs(body)
    linked = _linked(problem)
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
    # Only headings and sentences that lead to the table: the statement goes between these.
    at = next((number for number, text in enumerate(parts) if not _is_heading(text)), 0)
    return PARAGRAPH_BREAK.join((*parts[:at], statement, *parts[at:]))


def _between_paragraphs(problem: Problem, statement: str) -> str:
    """Insert the statement between two complete paragraphs or after the last one.

    Return "" if there is no place.
    """
    parts = operand_links.paragraphs(problem.body)
    last = _last_linked(problem)
    for number in (*reversed(range(1, len(parts))), len(parts)):
        if number <= last or not _is_closed(parts[number - 1]):
            continue
        if number == len(parts) or _is_opening(parts[number]):
            return PARAGRAPH_BREAK.join((*parts[:number], statement, *parts[number:]))
    return ""


def _is_closed(paragraph: str) -> bool:
    """Return whether a paragraph ends with a complete sentence that does not lead to a table."""
    last = _last_sentence(paragraph)
    return _is_whole(last) and not _LEADS_TO_TABLE.search(last)


def _is_opening(paragraph: str) -> bool:
    """Return whether the first sentence of a paragraph is independent of the text before it."""
    spans = sentence_spans(paragraph)
    first = paragraph[slice(*spans[0])] if spans else ""
    leans = _GOES_ON.match(first) or _POINTS_BACK.match(first) or _LEANS.search(first)
    return _is_whole(first) and not leans and not _ITEM.match(first)


def _begins(paragraph: str) -> bool:
    """Return whether a paragraph is independent of the text before it. It may lead to a table."""
    if _ITEM.match(paragraph):
        return False
    leans = _GOES_ON.match(paragraph) or _POINTS_BACK.match(paragraph) or _LEANS.search(paragraph)
    return _is_opening(paragraph) or (_LEADS_TO_TABLE.search(paragraph) is not None and not leans)


def _before_footer(problem: Problem, statement: str) -> str:
    """Insert the statement before the page footer of the last paragraph. Return "" if there is no footer."""
    return _in_last_paragraph(problem, statement, footer=True) if _ends_in_footer(problem.body) else ""


def _ends_in_footer(body: str) -> bool:
    spans = sentence_spans(body)
    return bool(spans) and _FOOTER.search(body[slice(*spans[-1])]) is not None


def _before_last_sentences(problem: Problem, statement: str) -> str:
    """Insert the statement in the last paragraph, before a sentence on a new topic.

    Return "" if there is none.
    """
    return _in_last_paragraph(problem, statement, footer=False)


def _in_last_paragraph(problem: Problem, statement: str, *, footer: bool) -> str:
    """Insert the statement before the footer, or between two sentences without a common word."""
    parts = operand_links.paragraphs(problem.body)
    linked = _linked(problem)
    text = parts[-1]
    pairs = [*reversed([*pairwise(sentence_spans(text))])]
    for (start, end), (after, stop) in pairs[: 1 if footer else _LAST_SENTENCES]:
        one, two = text[start:end], text[after:stop]
        if "\n" in text[end:after] or not _is_whole(one) or _LEADS_TO_TABLE.search(one) or _ITEM.match(one):
            continue
        leans = _GOES_ON.match(two) or _POINTS_BACK.match(two) or _LEANS.search(two) or _ITEM.match(two)
        if leans or _parts_quotation(one, two) or _moves(linked, len(parts) - 1, text[:end], text[end:]):
            continue
        if not footer and (_LEADS_TO_TABLE.search(two) or words(one) & words(two)):
            continue
        return PARAGRAPH_BREAK.join((*parts[:-1], f"{text[:end]} {statement}{text[end:]}"))
    return ""


def _parts_quotation(one: str, two: str) -> bool:
    """Return whether a quotation is open between two sentences.

    In tokenised text its marks are 201c and 201d.
    """
    return one.count("201c") != one.count("201d") or two.startswith("201d")


def _before_all(problem: Problem, statement: str) -> str:
    """Insert the statement at the start of the body.

    Return "" where the body may continue an earlier page.
    """
    if _linked(problem) or not _opens_page(problem.body):
        return ""
    return f"{statement}{PARAGRAPH_BREAK}{problem.body}"


def _opens_page(body: str) -> bool:
    """Return whether a body begins with a heading or with an independent sentence."""
    first = operand_links.paragraphs(body)[0]
    if _ITEM.match(first):
        return False
    if body == body.lower():
        return _PAGE_HEADING.match(first) is not None
    opens = first[:1].isupper() or first[:1].isdigit()
    spans = sentence_spans(first)
    start = first[slice(*spans[0])] if spans else first
    return opens and not (_GOES_ON.match(start) or _POINTS_BACK.match(start) or _LEANS.search(start))


def _between_sentences(problem: Problem, statement: str) -> str:
    """Insert the statement between the last two independent sentences of a paragraph.

    Return "" if there are none.
    """
    parts = operand_links.paragraphs(problem.body)
    linked = _linked(problem)
    for number in reversed(range(len(parts))):
        text = parts[number]
        for (start, end), (after, stop) in reversed([*pairwise(sentence_spans(text))]):
            one, two = text[start:end], text[after:stop]
            if (
                "\n" in text[end:after]
                or not _is_whole(one)
                or not _is_whole(two)
                or _LEADS_TO_TABLE.search(one)
            ):
                continue
            if (
                _GOES_ON.match(two)
                or _POINTS_BACK.match(two)
                or _moves(linked, number, text[:end], text[end:])
            ):
                continue
            parts[number] = f"{text[:end]} {statement}{text[end:]}"
            return PARAGRAPH_BREAK.join(parts)
    return ""


def _is_whole(sentence: str) -> bool:
    """Return whether a sentence is complete and is no footer: it has a start, an end and some words."""
    return (
        _ENDS.search(sentence) is not None
        and not _CUT_OFF.search(sentence)
        and sentence.count(" ") > _LEAST_BLANKS
        and not _FOOTER.search(sentence)
        and sentence.count("(") == sentence.count(")")
        and not _OPENS_INSIDE.match(sentence)
    )


def _is_complete(sentence: str) -> bool:
    """Return whether the sentence has an end, is no heading, and does not lead to the table."""
    ends = _ENDS.search(sentence) is not None and sentence.count(" ") >= _LEAST_BLANKS
    return ends and not _LEADS_TO_TABLE.search(sentence)


def _is_heading(paragraph: str) -> bool:
    """Return whether the paragraph has no sentence, not even one that leads to the table."""
    return paragraph.count(" ") < _LEAST_BLANKS or not _LEADS_TO_TABLE.search(paragraph)


def _linked(problem: Problem) -> list[str]:
    """Return the links to the body: those of operands and those that the source cites."""
    links = (*operand_links.stored(problem).values(), *problem.evidence)
    return [link for link in links if link.startswith("body.")]


def _last_linked(problem: Problem) -> int:
    """Return the number of the last paragraph with a link, or -1 where there is none."""
    return max((int(link.split(".")[1]) for link in _linked(problem)), default=-1)


def _moves(linked: Sequence[str], number: int, before: str, after: str) -> bool:
    """Return whether a linked number of this paragraph is after the insertion point."""
    own = [int(link.split(".")[2]) for link in linked if link.startswith(f"body.{number}.")]
    return bool(own and after) and max(own) >= len(numerals.find(before))

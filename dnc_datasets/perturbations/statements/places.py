"""Insertion points of a borrowed statement: after a complete part, and never between dependent sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
    r": ?(?:\( ?in [a-z ]{4,20}\) ?)?\.?\Z|(?<!above )\btables?\b(?! above)|"
    r"\bas follows\b|\bbelow\b|\bfollowing\b(?! (?:the|an?)\b)",
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
    r"\b(?:the|an?|of|to|and|or|in|by|for|with|that|which|our|its|"
    r"nos?|inc|corp|co|ltd|vs|approx|dr|mr|ms|st|jr|u\.s) ?\.\Z",
    re.IGNORECASE,
)
_OPENS_INSIDE = re.compile(r"[a-z](?=[^.]*[A-Z])|[\d(),;.%$]")
# "notes to consolidated financial statements sfas no . 148 .", "l a r c h m i l l s": a heading in tokenised text.
_NO_SENTENCE = re.compile(
    r"\A[^.]{0,60}\bnotes to\b|\b(?:no|note|item) \.? ?\d{1,3} \.\Z|"
    r" \d\d? \.\Z|(?: [a-z]){4} |\(cont[.i]",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?][\"')]*\Z")
_NOTE = re.compile(r"\(?\w{1,2}\)|[*†‡¹²³]|\d{1,2} [A-Z]|Notes?\b|Source\b", re.IGNORECASE)
_LATER_NOTE = re.compile(r"\(?(?:[2-9]|[1-9]\d|[b-h])\) |[2-9] [A-Z]")
# "(5) Includes", "• growth", "( a ) includes": one of several notes or items, which nothing parts from the others.
_ITEM = re.compile(r"[(\[] ?\w{1,3} ?[)\]]|\w{1,2}\)|[*†‡¹²³•●▪–—-]")
# "... of the plant. (4) Includes": notes that share a paragraph.
_NOTES_WITHIN = re.compile(r"[.;] \(\w\) [A-Z]")
# In tokenised text, a part that ends in a complete sentence has two full stops. A cut-off part has one.
_ENDS_TOKENISED = re.compile(r"\. \.\Z")
# "Share Repurchase", "12. Geographic Information", "Note 7 — Income Taxes".
_NUMBERED_TITLE = re.compile(r"\d{1,2}(?:\.\d)?[.:]? [A-Z]")
_TITLE = re.compile(r"(?:Note )?(?:\d{1,2}(?:\.\d)?[.:]?)?[^.!?;:\d$€£¥%]{4,80}")
# "NOTES TO CONSOLIDATED FINANCIAL STATEMENTS", "ITEM 5", "(in thousands)": openings at the top of a page.
_TOP_OF_PAGE = re.compile(
    r"[^.]{0,60}(?:notes to|financial statements|annual report|form 10-[kq]|and subsidiaries)\b|(?:part|item) [ivx\d]|"
    r"table of contents\b",
    re.IGNORECASE,
)
# "Expected volatility—The Company uses": one of several items of the same form.
_ITEM_OF_MANY = re.compile(r"[A-Z][^.!?—–]{2,60}(?:—| [–-] )")
_LEAST_BLANKS, _LAST_SENTENCES, _MOST_SHARED, _MOST_LINKED, _LONGEST_TITLE = 4, 12, 1, 2, 10


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
    if end < len(parts) and _LATER_NOTE.match(parts[end]):
        return None  # what is before it goes on with a note
    if not end or end <= _last_linked(problem) or not _ends_complete(parts[end - 1]):
        return None
    return problem.replace(body=PARAGRAPH_BREAK.join((*parts[:end], statement, *parts[end:])))


def after_complete(problem: Problem, statement: str) -> Problem | None:
    """The problem with the statement where it parts nothing, the best place first; None if there is no such place."""
    made = at_end(problem, statement)
    if made and made.body.endswith(statement):
        return made
    manners = (_before_heading, _before_new_subject, _before_footer, _before_last_sentences)
    body = next(filter(None, (manner(problem, statement) for manner in manners)), "")
    if body or made:
        return problem.replace(body=body) if body else made
    body = _before_all(problem, statement)
    return problem.replace(body=body) if body else None


def _before_heading(problem: Problem, statement: str) -> str:
    """The statement as the last sentence of the paragraph before the last heading that has one; else empty."""
    parts = operand_links.paragraphs(problem.body)
    for number in reversed(range(1, len(parts))):
        if _is_title(parts[number]) and _is_prose(parts[number - 1]):
            parts[number - 1] += f" {statement}"
            return PARAGRAPH_BREAK.join(parts)
    return ""


def _before_new_subject(problem: Problem, statement: str) -> str:
    """The statement as a paragraph where the next one shares the fewest words with the one before; else empty."""
    parts = operand_links.paragraphs(problem.body)
    found: list[tuple[int, int, int]] = []
    for number in range(max(1, _last_linked(problem) + 1), len(parts)):
        before, after = parts[number - 1], parts[number]
        if not _is_prose(before) or not _is_opening(after) or _NOTE.match(after):
            continue
        opening = after[slice(*sentence_spans(after)[0])]
        if _LEADS_TO_TABLE.search(opening) or (_ITEM_OF_MANY.match(before) and _ITEM_OF_MANY.match(after)):
            continue
        shared, linked = (len(words(opening) & words(text)) for text in (_last_sentence(before), before))
        if shared <= _MOST_SHARED and linked <= _MOST_LINKED:
            found.append((shared, linked, -number))
    if not found:
        return ""
    number = -min(found)[2]
    return PARAGRAPH_BREAK.join((*parts[:number], statement, *parts[number:]))


def _is_prose(paragraph: str) -> bool:
    """Return whether a paragraph ends with a complete sentence that introduces nothing, and is no note."""
    return _is_closed(paragraph) and not (_NOTE.match(paragraph) or _NOTES_WITHIN.search(paragraph))


def _is_title(paragraph: str) -> bool:
    """Return whether a paragraph is the heading of a new part: some words without an end mark or a number."""
    return (paragraph[:1].isupper() or _NUMBERED_TITLE.match(paragraph) is not None) and _TITLE.fullmatch(
        paragraph
    ) is not None


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


def _before_footer(problem: Problem, statement: str) -> str:
    """The statement in the last paragraph, before the footer of its page; empty where there is none."""
    parts = operand_links.paragraphs(problem.body)
    text = parts[-1]
    spans = sentence_spans(text)
    if len(spans) < 2 or not _ends_in_footer(problem.body):
        return ""
    start, end = spans[-2]
    one = text[start:end]
    if (
        "\n" in text[end : spans[-1][0]]
        or not _is_whole(one)
        or _LEADS_TO_TABLE.search(one)
        or _ITEM.match(one)
    ):
        return ""
    if _moves(_linked(problem), len(parts) - 1, text[:end], text[end:]):
        return ""
    return PARAGRAPH_BREAK.join((*parts[:-1], f"{text[:end]} {statement}{text[end:]}"))


def _ends_in_footer(body: str) -> bool:
    spans = sentence_spans(body)
    return bool(spans) and _FOOTER.search(body[slice(*spans[-1])]) is not None


def _before_last_sentences(problem: Problem, statement: str) -> str:
    """The statement in tokenised text, whose paragraphs run together, where two sentences share the fewest words."""
    if not is_tokenised(problem.body):
        return ""
    parts = operand_links.paragraphs(problem.body)
    found = [
        (shared, -number, -end)
        for number, text in enumerate(parts)
        for shared, end in _seams(problem, number, text)
    ]
    if not found:
        return ""
    _, number, end = min(found)
    text = parts[-number]
    parts[-number] = f"{text[:-end]} {statement}{text[-end:]}"
    return PARAGRAPH_BREAK.join(parts)


def _seams(problem: Problem, number: int, text: str) -> Iterator[tuple[int, int]]:
    """The ends of the last sentences of a paragraph after which a new subject begins, and how much is shared there."""
    spans = sentence_spans(text)
    linked = _linked(problem)
    for at in range(max(0, len(spans) - 1 - _LAST_SENTENCES), len(spans) - 1):
        one, two = (text[slice(*span)] for span in spans[at : at + 2])
        end = spans[at][1]
        if "\n" in text[end : spans[at + 1][0]] or not _is_whole(one) or _ITEM.match(one):
            continue
        if _LEADS_TO_TABLE.search(one) or _LEADS_TO_TABLE.search(two) or not _may_open(two):
            continue
        if _parts_quotation(one, two) or _moves(linked, number, text[:end], text[end:]):
            continue
        if not words(one) & words(two):
            # Around the seam, the sentences before and after the two count as well.
            before, after = (text[spans[low][0] : spans[high][1]] for low, high in _around(at, len(spans)))
            yield len(words(before) & words(after)), end


def _around(at: int, count: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The first and last of the two sentences up to a seam, and of the two after it."""
    return (max(0, at - 1), at), (at + 1, min(at + 2, count - 1))


def _may_open(sentence: str) -> bool:
    """Return whether a sentence of tokenised text is complete and independent, unlike "144 , the company"."""
    leans = _GOES_ON.match(sentence) or _POINTS_BACK.match(sentence) or _LEANS.search(sentence)
    return not (leans or _ITEM.match(sentence) or _OPENS_INSIDE.match(sentence)) and (
        sentence.count(" ") > _LEAST_BLANKS
    )


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
    """Return whether a body begins with a heading or an independent sentence, and not at the top of a page."""
    first = operand_links.paragraphs(body)[0]
    if _ITEM.match(first) or _TOP_OF_PAGE.match(first) or is_in_small_letters(body):
        return False
    if _LEADS_TO_TABLE.search(first) and first.count(" ") > _LONGEST_TITLE:
        return False
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
        and not _NO_SENTENCE.search(sentence)
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

"""Extra, plausible: a statement of another problem is added to the body where it causes no ambiguity."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from dnc_datasets import numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import COLLECTIVE_NOUNS, PRESENT_AUXILIARIES, SCENES, is_past
from dnc_datasets.english.reading.content_words import content_words, is_chinese
from dnc_datasets.english.reading.dependence import refers_to_unknown
from dnc_datasets.english.reading.people import people
from dnc_datasets.english.reading.report_words import words as report_words
from dnc_datasets.english.reading.sentences import capitalised
from dnc_datasets.memoization import memoized
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.amounts import is_prose
from dnc_datasets.perturbations.statements.neighbours import Neighbours, Statement
from dnc_datasets.perturbations.statements.places import is_in_small_letters, what_follows, with_statement
from dnc_datasets.perturbations.statements.report_statements import is_company_report, with_report_statement
from dnc_datasets.perturbations.statements.self_contained import (
    self_contained_in_passage,
    self_contained_in_problem,
)
from dnc_datasets.perturbations.statements.topics import topic
from dnc_datasets.problem import TEXT_FIELDS, Problem

# A statement with one of these words depends on earlier text, so it cannot be used elsewhere.
_LEANS = re.compile(
    r"\b(?:he|she|it|they|we|i|you|his|her|hers|its|their|theirs|them|him|us|our|my|your|if|then|later|now|"
    r"another|other|others|rest|left|remaining|also|too|altogether|total|both|same|these|those|this|that|"
    r"such|so|after|before|afterwards|earlier|respond|responded|ensuing|meanwhile|thus|therefore|following|"
    r"first|second|third|last|next|how|suppose|however|instead|again|still|ones|one|similarly|likewise|contrast|"
    r"conversely|additionally|furthermore|moreover|subsequently|consequently|nevertheless|response|finally|"
    r"here|instance|example|addition|of all|the (?:two|three|four))\b|又|还|再|另|其中|剩|这|那|他|她|它|也|前\d",
    re.IGNORECASE,
)
# Long sentences of a passage contain the antecedents of these: "Dover won their game in the first half".
_SAID_WITHIN = re.compile(
    r"\b(?:first|second|third) (?:quarter|half)\b|(?<=\w )(?:their|its|that|total|(?:of|with) them)\b"
    r"|(?<!the )\bother (?=[a-z]+s\b)"
)
_COUNTS_NOTHING = re.compile(
    r"\d (?:away|back|more|less|fewer|out|off|from|to)\b|\d (?:pieces|slices|bags|boxes|cups|packs)[.,]|\bthrows in\b"
    r"|\bmore (?:are|were|is|was)\b"
    r"|\A(?:All|None|Half|Most|Everything|Anything|Everyone|Nobody|Neither|Only|Suddenly|In each|"
    r"The (?!world|sun|moon|earth|average|price|cost|number)\w+)\b"
)
# "How many years did these events span?" depends on all events, so one more event changes the answer.
_ASKS_OF_ALL = re.compile(
    r"\bthese events\b|\bthis passage\b|\b(?:are|were) (?:mentioned|listed|described)\b(?! (?:as|by)\b)",
    re.IGNORECASE,
)
_SPOKEN_OF = re.compile(r"\b(?:he|she|they|his|her|him|their|them)\b", re.IGNORECASE)
_SIGNS = frozenset("$€£¥")
# Maximum number of statements that are tried, in drawn order.
_MAX_TRIES = 400
_WORD = re.compile(r"[a-z]+")
_WHERE = ("nearby", "in another town", "in the next town", "not far away", "at the other end of town")
# "in the ball pit" is a place without an antecedent; "a quarter equals $0.25" belongs to no story.
_NOT_OF_A_STORY = re.compile(
    r"\A[a-z]|\bequals?\b|\b(?:in|on|at|from|to|into|of|for|with|by) the (?!world|sun|moon|earth|sky|sea|morning|"
    r"afternoon|evening|weekend|summer|winter|spring|fall|end|beginning|same|price|cost|number)[a-z]+\b"
)
_FORMS = ("There {be} {number} {things} in {place} {where}.", "{Place} {where} {have} {number} {things}.")
_MOST = 48
# "Net cash used in investing activities was $44.2 million": figures of accounts belong to their own report.
_COMPANY = re.compile(
    r"\b(?:Company|Group|Corporation|we|our|(?:million|billion)s?|net|cash|activities|revenues?|sales|income|earnings|"
    r"profits?|losse?s?|expenses?|assets?|liabilit(?:y|ies)|debts?|equity|shares?|stock|tax(?:es)?|fiscal)\b",
    re.IGNORECASE,
)
# "RMB2,767 million", "DKK 53.7", "US$5": a currency that is named, and not only by its sign.
_CODE = re.compile(r"\b[A-Z]{2,3}(?= ?[$€£¥]?\d)|\b[A-Z]{1,3}(?=[$€£¥])")
# Words without a blank between them: "othercurrent liabilities", "assetsAs".
_GLUED = re.compile(r"[a-z]{18}|[a-z][A-Z]|\bother(?:current|noncurrent|income|assets)\b")


@perturbation(
    "extra_plausible",
    draw_key="extra",
    capability=Capability.OPERAND_SELECTION,
    promises=("target_kept", "statement_added"),
    qualifies="a statement about other things and numbers must be found in the split or written on the topic",
)
def add_statement_plausibly(
    problem: Problem, draw: Draw, neighbours: Neighbours, *, scope: Sequence[str] = TEXT_FIELDS
) -> Problem | None:
    """A statement about other things and numbers joins the body.

    For a word problem in English, three of four statements are written on its topic and in its tense. For a company's
    report, a statement gives a line of its table in the year before. The others are of another problem of the split.
    """
    if problem.table and is_company_report(problem):
        return with_report_statement(problem, draw)
    story = not (problem.table or problem.segments or is_prose(problem) or is_chinese(problem.text))
    statement = scene_statement(problem, draw) if story and draw.integer(0, 3) else ""
    statement = statement or fitting_statement(problem, draw, neighbours, plausible=story)
    if problem.table and _COMPANY.search(statement):
        return None
    return with_statement(problem, statement) if statement else None


def fitting_statement(
    problem: Problem, draw: Draw, neighbours: Neighbours, *, plausible: bool = False
) -> str:
    """Draw a statement of another problem about other things and numbers. Return "" if there is none.

    A plausible statement also introduces everything that it mentions.
    """
    fitting = neighbours.statements
    if not (problem.body.strip() or problem.segments) or not fitting or _ASKS_OF_ALL.search(problem.question):
        return ""
    if problem.table and not neighbours.lends_to_reports:
        return ""
    taken = frozenset(problem.values())
    if (answer := numerals.parse(problem.answer)) is not None:
        taken |= {answer}
    leaves_alone = _report_test(problem, neighbours) if problem.table else _story_test(problem)
    # "Ann is wrapping 3 gifts. How much did she earn?": no other person precedes a pronoun, if possible.
    spoken = not problem.table and _SPOKEN_OF.search(what_follows(problem)) is not None
    second_best = ""
    for _ in range(min(_MAX_TRIES, 20 * len(fitting))):
        statement = draw.choice(fitting)
        fits = statement.values.isdisjoint(taken) and statement.text not in problem.body
        if not fits or not leaves_alone(statement):
            continue
        if plausible and _NOT_OF_A_STORY.search(statement.text) and not is_in_small_letters(problem.body):
            continue
        if not spoken or not people(statement.text):
            return statement.text
        second_best = second_best or statement.text
    return second_best


def _story_test(problem: Problem) -> Callable[[Statement], bool]:
    """Return the test of a statement for a story or passage: it shares no word with it and is independent."""
    words = frozenset[str]().union(*[content_words(text) for _, text in problem.texts()])
    prose = is_prose(problem)
    story = not prose and not problem.segments and not is_chinese(problem.text)
    small = is_in_small_letters(problem.body)
    return lambda other: (
        other.words.isdisjoint(words)
        and not _leans(other.text, prose)
        and (not story or _is_self_contained(other.text))
        and (not small or is_in_small_letters(other.text[1:]))
    )


def _report_test(problem: Problem, neighbours: Neighbours) -> Callable[[Statement], bool]:
    """Return the test of a statement for a report: it avoids the topics of the report and its question.

    Reports share most of their words, so a test of all words would reject every statement.
    """
    about = topic(problem, neighbours.common_words)
    shown = f"{problem.text} {' '.join(cell for row in problem.table for cell in row)}"
    return lambda other: (
        _is_of_the_size(other.text, shown)
        and about.is_left_alone_by(report_words(other.text))
        and (other.of_report or not _leans(other.text, False))
    )


def _is_of_the_size(statement: str, report: str) -> bool:
    """Return whether the statement has the currency of the report, and billions only if the report does."""
    if " billion" in statement and " billion" not in report:
        return False
    if _GLUED.search(statement) or not set(_CODE.findall(statement)) <= set(_CODE.findall(report)):
        return False
    signs = _SIGNS.intersection(report)
    unknown = not signs and not _CODE.search(report)
    return unknown or _SIGNS.intersection(statement) <= signs


# A statement is drawn for many problems.
_is_self_contained = memoized(self_contained_in_problem)


@memoized
def _leans(text: str, prose: bool) -> bool:
    if (
        not self_contained_in_passage(text)
        if prose
        else _COUNTS_NOTHING.search(text) or refers_to_unknown(text)
    ):
        return True
    return _LEANS.search(_SAID_WITHIN.sub("", text) if prose else text) is not None


def scene_statement(problem: Problem, draw: Draw) -> str:
    """Write a statement in the tense and on the topic of the problem.

    Return "" if the topic is not known or no statement fits.

    >>> shop = Problem("1", "Ann bought 3 pens for $2 each.", "How much did Ann pay?", answer="6")
    >>> scene_statement(shop, Draw(0, "", "1", "extra"))
    'A toy shop at the other end of town had 25 robots.'
    """
    words = set(_WORD.findall(problem.text.lower()))
    if words & COLLECTIVE_NOUNS or problem.body.islower() or not problem.body.strip():
        return ""
    cues = {topic: len(words & set(known.split())) for topic, (known, _) in SCENES.items()}
    best = max(1, *cues.values())
    scenes = [
        (place, thing)
        for topic, count in cues.items()
        if count == best
        for place, things in SCENES[topic][1]
        for thing in things.split()
        if not {*place.split(), thing, thing[:-1]} & words
    ]
    taken = {*problem.values(), numerals.parse(problem.answer)}
    numbers = [number for number in range(3, _MOST) if number not in taken]
    if not scenes or not numbers:
        return ""
    place, things = draw.choice(scenes)
    place = f"{'an' if place[0] in 'aeiou' else 'a'} {place}"
    past = any(map(is_past, words)) and not words & PRESENT_AUXILIARIES
    return draw.choice(_FORMS).format(
        be="were" if past else "are",
        have="had" if past else "has",
        number=draw.choice(numbers),
        things=things,
        place=place,
        Place=capitalised(place),
        where=draw.choice(_WHERE),
    )

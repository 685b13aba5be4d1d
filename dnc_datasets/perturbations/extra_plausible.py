"""Extra, plausible: a statement of another problem joins the body where it disturbs nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

from dnc_datasets import numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import COLLECTIVE_NOUNS, PRESENT_AUXILIARIES, SCENES, is_past
from dnc_datasets.english.reading.content_words import content_words, is_chinese
from dnc_datasets.english.reading.dependence import refers_to_unknown
from dnc_datasets.english.reading.people import people
from dnc_datasets.english.reading.sentences import capitalised
from dnc_datasets.memoization import memoized
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.numbers.amounts import is_prose
from dnc_datasets.perturbations.statements.neighbours import Neighbours, Statement
from dnc_datasets.perturbations.statements.places import is_in_small_letters, what_follows, with_statement
from dnc_datasets.perturbations.statements.self_contained import (
    self_contained_in_passage,
    self_contained_in_problem,
)
from dnc_datasets.perturbations.statements.topics import topic
from dnc_datasets.perturbations.statements.topics import words as report_words
from dnc_datasets.problem import TEXT_FIELDS, Problem
from dnc_datasets.tables.relations import signed

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
# The long sentences of a passage say themselves what these lean on: "Dover won their game in the first half".
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
# "How many years did these events span?" asks for all that a text tells, so one more event changes the answer.
_ASKS_OF_ALL = re.compile(
    r"\bthese events\b|\bthis passage\b|\b(?:are|were) (?:mentioned|listed|described)\b(?! (?:as|by)\b)",
    re.IGNORECASE,
)
_SPOKEN_OF = re.compile(r"\b(?:he|she|they|his|her|him|their|them)\b", re.IGNORECASE)
_SIGNS = frozenset("$€£¥")
# Statements tried in drawn order before the problem is given up.
_MAX_TRIES = 400
_WORD = re.compile(r"[a-z]+")
_WHERE = ("nearby", "in another town", "in the next town", "not far away", "at the other end of town")
# "in the ball pit" is a place that nobody has mentioned, "a quarter equals $0.25" a fact of no story.
_NOT_OF_A_STORY = re.compile(
    r"\A[a-z]|\bequals?\b|\b(?:in|on|at|from|to|into|of|for|with|by) the (?!world|sun|moon|earth|sky|sea|morning|"
    r"afternoon|evening|weekend|summer|winter|spring|fall|end|beginning|same|price|cost|number)[a-z]+\b"
)
_FORMS = ("There {be} {number} {things} in {place} {where}.", "{Place} {where} {have} {number} {things}.")
_MOST = 48
_YEAR = re.compile(r"(?<![\d,.])(?:19|20)\d\d(?![\d,.]\d|[a-z])")
# In a tokenised text, a bare "2014" may be the code of a dash and "2019s" that of an apostrophe.
_DATED = re.compile(
    r"\b(?:(?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"(?: \d{1,2})?(?: ?,)?|fiscal(?: years?)?|(?:in|during|year)) ((?:19|20)\d\d)(?![\d,.]\d|[a-z])"
)
_SCALE = re.compile(r"\b(?:thousand|million|billion)s?\b|000|\bm\b", re.IGNORECASE)
_MOST_LINES = 6
_HEADS, _TWO_COLUMNS = 4, 3
_AMOUNT = re.compile(r"\d{3}|\d,\d|\d\.\d|\d%")
_NAMES = ("The Company", "The Group", "We")
_COMPANY = re.compile(rf"\b(?:{'|'.join(_NAMES)})\b", re.IGNORECASE)
_REPORTS = re.compile(
    r"\b(?:fiscal|(?:years?|quarters?|months|weeks) ended|december 31|31 december|1 january|consolidated|corporation|"
    r"subsidiar(?:y|ies)|(?:stock|share)holders?|(?:common|preferred) (?:stock|shares?)|ordinary shares?|"
    r"dividends?|actuarial|(?:income|deferred|effective) tax(?:es)?|segment assets)\b",
    re.IGNORECASE,
)
_UNDATED, _EARLIEST, _LATEST = 2018, 1985, 2030
_CURRENCY = re.compile(r"([$€£¥])(?=\d)")
_SLOTS = report_words("{who} {n} {year}")
# What a company could report of any year, with the range of its number.
_COMPANY_FORMS = (
    ("{who} had {n} employees at the end of {year}.", 1_240, 9_800),
    ("{who} rented {n} offices at the end of {year}.", 14, 90),
    ("{who} held {n} patents at the end of {year}.", 48, 870),
    ("{who} registered {n} trademarks in {year}.", 12, 75),
    ("The annual meeting of {year} was attended by {n} people.", 130, 940),
    ("The board of directors met {n} times in {year}.", 5, 15),
    ("The audit committee met {n} times in {year}.", 4, 14),
    ("{who} trained {n} apprentices in {year}.", 24, 380),
    ("{who} recycled {n} tons of packaging in {year}.", 140, 980),
    ("The employee survey of {year} was answered by {n} people.", 310, 4_700),
    ("{who} bought from {n} suppliers in {year}.", 120, 890),
    ("{who} sponsored {n} local sports clubs in {year}.", 6, 45),
)
_AMOUNT_LIMIT = 10_000
_LARGER = {"thousand": "million", "million": "billion", "billion": ""}
# A label that names an item by itself, without brackets, numbers or references.
_LINE = re.compile(r"[A-Za-z][a-z’'-]{3,}(?:,? (?:[A-Za-z][a-z’'-]+|&|a)){0,7}")
_ITEM = re.compile(
    r"\b(?:revenues?|sales|costs?|expenses?|income|profits?|loss(?:es)?|earnings|assets|liabilities|debt|borrowings|"
    r"inventor(?:y|ies)|receivables?|payables?|cash|equivalents|equity|goodwill|investments?|deposits?|obligations?|tax(?:es)?|"
    r"fees?|leases?|provisions?|reserves?|depreciation|amorti[sz]ation|interest|dividends?|expenditures?|payments?|"
    r"capital|loans?|securities|equipment|benefits?|wages|salaries|charges?|royalties|commissions?|premiums?|"
    r"contributions?|rent|insurance|advertising|compensation)(?:, net)?\Z",
    re.IGNORECASE,
)
_NO_LINE = re.compile(
    r"\A(?:total|other|others|net|gross|subtotal|basic|diluted|current|high|low)\Z|\b(?:balance|beginning|ending?|less|add|"
    r"before|after|adjustments?|changes?|increase|decrease|rates?|per|ratio|margins?|average|number|shares|thereafter|"
    r"within|due|from|quarter|month|years?|weighted|expected|used|provided)\b|\b(?:of|in|to|and|for|by|from|at|as|on)\Z",
    re.IGNORECASE,
)


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

    For a word problem in English, three of four statements are written on its topic and in its tense. For a report over
    years, a statement gives another line of its table in an earlier year. The others are of another problem of the
    split.
    """
    if problem.table and is_company_report(problem):
        statement = report_statement(problem, draw)
        return with_statement(problem, statement) if statement else None
    story = not (problem.table or problem.segments or is_prose(problem) or is_chinese(problem.text))
    statement = scene_statement(problem, draw) if story and draw.integer(0, 3) else ""
    statement = statement or fitting_statement(problem, draw, neighbours, plausible=story)
    return with_statement(problem, statement) if statement else None


def fitting_statement(
    problem: Problem, draw: Draw, neighbours: Neighbours, *, plausible: bool = False
) -> str:
    """Draw a statement of another problem about other things and numbers. Empty if there is none.

    A plausible one also introduces whatever it speaks of.
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
    # "Ann is wrapping 3 gifts. How much did she earn?": nobody else is before a pronoun, if that can be had.
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
    """A statement for a story or a passage shares no word with it, and leans on nothing."""
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
    """Reports share most of their words, so a statement keeps away from what this one and its question mean."""
    about = topic(problem, neighbours.common_words)
    shown = f"{problem.text} {' '.join(cell for row in problem.table for cell in row)}"
    return lambda other: (
        _is_of_the_size(other.text, shown)
        and about.is_left_alone_by(report_words(other.text))
        and (other.of_report or not _leans(other.text, False))
    )


def _is_of_the_size(statement: str, report: str) -> bool:
    """Whether the statement could be of such a report: in its currency, and in billions only where that is."""
    if " billion" in statement and " billion" not in report:
        return False
    signs = _SIGNS.intersection(report)
    return not signs or _SIGNS.intersection(statement) <= signs


def is_company_report(problem: Problem) -> bool:
    """Whether a table is of a company's report: in thousands or more, or in the words of one."""
    if problem.note("table_scale") in _LARGER or _COMPANY.search(problem.body):
        return True
    texts = (problem.body, *(cell for row in problem.table for cell in row))
    return any(map(_REPORTS.search, texts))


def report_statement(problem: Problem, draw: Draw) -> str:
    """Write a statement for a company's report, on a year before all that its table and text speak of.

    It gives a line of the table that the question does not name, or something of which the report says nothing.
    Empty where neither can be had.

    >>> rows = (("$ in millions", "2019", "2018"), ("Marketing costs", "310", "295"), ("Rent", "42", "40"))
    >>> report = Problem("1", "A note.", "What was the change in rent?", answer="2", table=rows)
    >>> report_statement(report.replace(meta=(("table_scale", "million"),)), Draw(0, "", "1", "extra"))
    'Marketing costs amounted to $274 million in 2016.'
    """
    heads: list[str] = []
    for row in problem.table[:_HEADS]:
        if any(_AMOUNT.search(_YEAR.sub("", cell)) for cell in row[1:]):
            break
        if len(row) < _TWO_COLUMNS or len({*row[1:]}) > 1 or not _YEAR.fullmatch(row[1]):
            heads += row  # else a line of dashes
    text = f"{problem.body}\n{' '.join(cell for row in problem.table for cell in row)}"
    taken = {abs(value) for value in problem.values()}
    small = is_in_small_letters(problem.body)
    years = [int(year) for year in _YEAR.findall(" ".join(heads))]
    stated = Counter(map(int, (_DATED if small else _YEAR).findall(text)))
    if small and not years and not stated:
        return ""
    first = min(years) if years else max(stated, key=lambda year: (stated[year], year), default=_UNDATED)
    earlier = [year for year in range(first - 5, first - 1) if year not in taken]
    if not earlier or not _EARLIEST <= first <= _LATEST:
        return ""
    year = draw.choice(earlier)
    statement = _line_statement(problem, draw, text, year, taken) or _company_statement(
        problem, draw, text, year, taken
    )
    if statement and small:
        spaced = _CURRENCY.sub(r"\1 ", statement.removesuffix("."))
        return f"{spaced} .".lower()
    return statement


def _line_statement(problem: Problem, draw: Draw, text: str, year: int, taken: set[Fraction]) -> str:
    """A line of the table in another year, in the currency and scale of the report."""
    signs = _SIGNS.intersection(text)
    scale = problem.note("table_scale")
    if len(signs) != 1 or (scale not in _LARGER and _SCALE.search(text)):
        return ""
    for label, values in draw.shuffled(_other_lines(problem))[:_MOST_LINES]:
        size = draw.choice(values) * draw.integer(78, 96) / 100
        amount, value = _in_words(size, scale)
        if value and taken.isdisjoint((value, value * 10**3, value * 10**6, value * 10**9)):
            return f"{label[0].upper()}{label[1:]} amounted to {min(signs)}{amount} in {year}."
    return ""


def _company_statement(problem: Problem, draw: Draw, text: str, year: int, taken: set[Fraction]) -> str:
    """Something that any company could report, where this report speaks of nothing like it."""
    # Several questions are asked about a report.
    known = report_words(text).union(
        report_words(problem.question), *(report_words(turn.question) for turn in problem.history)
    )
    forms = [form for form in _COMPANY_FORMS if report_words(form[0]).isdisjoint(known - _SLOTS)]
    if not forms:
        return ""
    form, least, most = draw.choice(forms)
    numbers = [number for number in range(least, most, max(1, least // 20)) if number not in taken]
    if not numbers:
        return ""
    found = {name.lower() for name in _COMPANY.findall(text)}
    who = next((name for name in _NAMES if name.lower() in found), _NAMES[0])
    return form.format(who=who, n=f"{draw.choice(numbers):,}", year=year)


def _other_lines(problem: Problem) -> list[tuple[str, list[Fraction]]]:
    """The labels and amounts of lines that name something which the question does not ask for."""
    asked = report_words(problem.question).union(*(report_words(turn.question) for turn in problem.history))
    labels = Counter(row[0].strip() for row in problem.table if row)
    found = []
    for label, *cells in problem.table:
        label = label.strip()
        if (
            not _LINE.fullmatch(label)
            or not _ITEM.search(label)
            or _NO_LINE.search(label)
            or labels[label] > 1
        ):
            continue
        values = [signed(cell) for cell in cells if cell.strip()]
        sizes = [value for value in values if value is not None and value > 0]
        steady = sizes and len(sizes) == len(values) and min(sizes) * 10 > max(sizes)
        if steady and report_words(label) and report_words(label).isdisjoint(asked):
            found.append((label, sizes))
    return found


def _in_words(size: Fraction, scale: str) -> tuple[str, Fraction]:
    """An amount of a table as a text states it, and its value as it is written: "1.3 billion" of 1,310 million."""
    word = scale if scale in _LARGER else ""
    while word and size >= _AMOUNT_LIMIT and _LARGER[word]:
        size, word = size / 1000, _LARGER[word]
    places = 0 if size >= 100 and word != "billion" else 1
    value = Fraction(round(size * 10**places), 10**places)
    amount = f"{int(value):,}" if not places else f"{float(value):,.{places}f}"
    return (f"{amount} {word}", value) if word else (f"{round(size):,}", Fraction(round(size)))


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
    """Write a statement in the problem's tense and on its topic. Empty where the topic is not known or none fits.

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

"""Append bool: the question asks whether the answer is above, below or equal to a number."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from dnc_datasets import expression, numerals, operand_links
from dnc_datasets.certificate.reasoning import answer_from_equation, question_words_kept
from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import TIME_UNITS
from dnc_datasets.english.reading.sentences import is_too_long, sentences
from dnc_datasets.english.rewording import table_questions
from dnc_datasets.english.rewording.passage_yes_no import passage_gap
from dnc_datasets.english.rewording.share_questions import share
from dnc_datasets.english.rewording.yes_no import Asked, with_gap
from dnc_datasets.errors import UnknownNameError
from dnc_datasets.graph import relative_change
from dnc_datasets.perturbations import Capability, perturbation
from dnc_datasets.perturbations.reasoning import phrases, share_rows, thresholds
from dnc_datasets.perturbations.reasoning.round_numbers import Spans, round_spans
from dnc_datasets.perturbations.reasoning.rows import answer_of, steps_of, yes_or_no
from dnc_datasets.perturbations.reasoning.table_gates import is_fit
from dnc_datasets.perturbations.reasoning.thresholds import RELATIONS
from dnc_datasets.perturbations.tables.periods import asks_forward
from dnc_datasets.problem import Problem
from dnc_datasets.qdmr import transform

BALANCED, PUBLISHED = "balanced", "published"
_IN_ALL = re.compile(r"\bto (?:have|get|reach|make|own|collect) (?:a total of )?(?P<all>\d[\d,]{0,12})\b")


@perturbation(
    "append_bool",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "answer_from_equation", "question_words_kept"),
    shapes=("word_problem", "passage", "dialogue"),
    languages=("en",),
    asks_yes_no=True,
    qualifies="a question that can be turned into one of yes or no, with a number as answer",
)
def ask_whether(problem: Problem, draw: Draw, *, form: str = BALANCED, rank: int = 0) -> Problem | None:
    """How many pens did Tom buy? -> Did Tom buy more than 12 pens?

    The form `balanced` asks as many questions with the answer yes as with no; `rank` counts thresholds of one question
    (near and far, above and below). The form `published` has the
    comparisons and thresholds of Break, Perturb, Build, two thirds of them with the answer no; `rank` counts them.
    """
    truth = bool(draw.integer(0, 1))  # drawn first and only once: a later failure applies to both
    known = answer_of(problem)
    if known is None or known[0] <= 0 or is_too_long(problem.question):
        return None
    asked = passage_gap(problem.question) if problem.note("passage") else with_gap(problem.question)
    unit = phrases.unit_of(problem, asked) if asked else None
    if asked is None or unit is None:
        return None
    exact, stated = known
    if exact.denominator > 1 and asked.word == "many" and exact != stated:
        return None
    # A percentage has an end; before "1-yard runs" the number is written as a word.
    most = 100 if asked.noun.startswith("percent") else 12 if unit[:1].isdigit() else _total(problem, asked)
    # Between two years of a passage there may be a few months more or less.
    apart = bool(problem.note("passage")) and asked.noun in TIME_UNITS
    if form == PUBLISHED:
        every = thresholds.published(exact, phrases.published_words(asked, unit), draw, stated=stated)
        made = every[rank] if rank < len(every) else None
        truth = made is not None and thresholds.HOLDS[made.words](exact, made.value)
    elif form == BALANCED:
        words, least = phrases.words_for(asked), 1 if apart else 2
        made = thresholds.draw(exact, truth, words, draw, least=least, most=most, stated=stated, apart=apart)
        if made and rank:
            made = thresholds.further(
                exact, truth, words, draw, made, rank, least=least, most=most, stated=stated
            )
            truth ^= rank % 2 == 1
    else:
        raise UnknownNameError("form of append_bool", form, (BALANCED, PUBLISHED))
    if made is None:
        return None
    steps = steps_of(problem)
    if steps is not None:
        relation = RELATIONS.get(made.words)
        steps = transform.append_bool(steps, relation, made.value).steps if relation else None
    changed = yes_or_no(
        problem, phrases.filled(asked, made, unit, phrases.written(made.value, problem)), truth, steps
    )
    held = question_words_kept(problem, changed) and answer_from_equation(problem, changed)
    return changed if held else None


def _total(problem: Problem, asked: Asked) -> int | None:
    """Return the total that the question states: "how many more to have 83". The answer cannot exceed it."""
    found = _IN_ALL.search(problem.question) if asked.noun.startswith("more ") else None
    value = numerals.parse(found["all"]) if found else None
    return int(value) if value else None


_ASKED = re.compile(
    r"(?:\A|, )(?:(?:[Ww]hat|How much) (?P<verb>is|was)(?= the )|what (?P<plural>are|were)(?= (?:the )?average )) "
)
_ALL = 100  # percent
_PLAUSIBLE = 3  # times the largest figure
_FELL = re.compile(
    r"\b(?:decreas(?:e[sd]?|ing)|declin(?:e[sd]?|ing)|fell|fall(?:s|en|ing)?|dropp?(?:ed|s|ing)?|reduc(?:ed|tion)|lower)\b",
    re.IGNORECASE,
)
_EXCEEDED = re.compile(r"\bexceed(?:s|ed)?\b")
_COMPARED = re.compile(
    r"\b(?:more than|less than|fewer than|greater than|at least|at most|exactly|above|below|or)\b"
)
_WORDS = ("more than", "less than", "at least", "at most")
# "Greater than -5" may refer to absolute values; "above -5" refers to values.
_SIGNED = ("above", "below")
_OUT = re.compile(
    r"\b(?:used|paid|spent|loss(?:es)?|expenses?|outflows?|decrease|deficit|amorti[sz]ation|depreciation|costs?)\b",
    re.IGNORECASE,
)
# Nouns of whole things, and the words that turn them into a rate or another amount.
_WHOLE = re.compile(
    r"\b(?:number of|employees|headcount|people|persons|customers|subscribers|shares|options|stores|vessels)\b",
    re.IGNORECASE,
)
_RATED = re.compile(
    r"\b(?:per|ratio|proportion|percent(?:age)?|rate|price|cost|value|average|mean|days|years|months|"
    r"in (?:thousands|millions|billions))\b|[%$]",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"\b(?:percent(?:age)?|proportion|share|portion|%)"
    r"(?! (?:change|increase|decrease|growth|decline|difference|variance))\b",
    re.IGNORECASE,
)
_MOVED = re.compile(r"\b(?:change|difference|increase|growth|decrease|variance)\b", re.IGNORECASE)


@perturbation(
    "append_bool",
    capability=Capability.OPERATION_REASONING,
    changes_target=True,
    promises=("only_question_changed", "answer_from_equation", "question_words_kept"),
    shapes=("table",),
    languages=("en",),
    asks_yes_no=True,
    needs_equations=True,
)
def ask_whether_it_is_more(problem: Problem, draw: Draw, *, rank: int = 0) -> Problem | None:
    """What was the change in sales? -> Was the change in sales more than 12 million?

    `rank` counts thresholds of one question: near and far, above and below, as many with yes as with no.
    """
    truth = bool(draw.integer(0, 1))  # drawn first and only once
    known = answer_of(problem)
    if known is None or not known[1] or not is_fit(problem):
        return None
    if is_too_long(problem.question) or _COMPARED.search(problem.question):
        return None
    exact, stated = known
    write = _wording(problem, stated)
    spans = _spans(problem, exact, stated)
    if write is None or spans is None:
        return None
    words = _WORDS if stated > 0 else _SIGNED
    made = thresholds.draw(stated, truth, words, draw, stated=exact, spans=spans)
    if made and rank:
        made = thresholds.further(stated, truth, words, draw, made, rank, stated=exact, spans=spans)
        truth ^= rank % 2 == 1
    if made is None:
        return None
    steps = steps_of(problem)
    if steps is not None:
        relation = RELATIONS.get(made.words)
        steps = transform.append_bool(steps, relation, made.value).steps if relation else None
    number = phrases.in_unit(made.value, problem)
    if number is None:
        return None
    text = write(f"{made.words} {number}")
    if text is None:
        return None
    changed = yes_or_no(problem, text, truth, steps)
    return changed if question_words_kept(problem, changed) else None


def _spans(problem: Problem, exact: Fraction, stated: Fraction) -> Spans | None:
    """Return the round thresholds of an answer over a table, or None if there is none."""
    percent = problem.unit == "percent"
    if percent and stated <= -_ALL:
        return None  # no amount falls by more than all of it
    if stated < 0 and _states_fall(problem, stated):
        return None  # "above -26%" of what the document says fell by 26%
    if percent:
        # A share of a whole has an end, a change has none.
        is_share = stated <= _ALL and _SHARE.search(problem.question)
        most = Fraction(_ALL) if is_share else None
        return round_spans(exact, stated, percent=True, least=Fraction(-_ALL), most=most)
    equation = expression.parse(problem.equation)
    operands = set(operand_links.operand_values(equation)) - operand_links.constants(equation)
    most = max((*map(abs, operands), abs(stated))) * _PLAUSIBLE
    return round_spans(exact, stated, integers=_counts_whole(problem), least=-most, most=most)


def _states_fall(problem: Problem, stated: Fraction) -> bool:
    """Return whether a sentence of the document states a negative change as a fall."""
    sizes = {abs(stated), *(Fraction(round(abs(stated), places)) for places in (0, 1))}
    return any(
        _FELL.search(sentence) and any(one.value in sizes for one in numerals.find(sentence))
        for sentence in sentences(problem.body)
    )


def _wording(problem: Problem, stated: Fraction) -> Callable[[str], str | None] | None:
    """Return a function that writes the yes-or-no question with a comparison: "more than 12 million"."""
    in_percent = problem.unit == "percent"
    relative = relative_change(expression.parse(problem.equation)) is not None
    asked = share(problem.question) if in_percent and 0 < stated <= _ALL else None
    moved = table_questions.moved(problem.question, relative=relative) if stated > 0 else None
    if moved is not None:
        if in_percent != relative:
            return None  # a rate that decreases by 1% may do so in points
        return moved.whether if asks_forward(problem.question) else None
    for question in (problem.question, *table_questions.noun_forms(problem.question, relative=relative)):
        found = _ASKED.search(question)
        if found is None or question.count("?") != 1 or not question.endswith("?"):
            continue
        if question != problem.question and _EXCEEDED.search(question):
            return None
        if stated < 0 and (_OUT.search(question) or not _MOVED.search(question)):
            return None  # comparisons with negative values are ambiguous, except for a change
        if _MOVED.search(question) and not asks_forward(question):
            return None  # "the change from 2019 to 2018"
        return partial(_compared, question, found)
    # "what percent of the assets was written off": only a label of the table is certainly a noun.
    if asked is None or (asked.has_noun and share_rows.row_of(problem, asked.part) is None):
        return None
    return asked.whether


def _compared(question: str, asked: re.Match[str], compared: str) -> str:
    before, what = question[: asked.start()], question[asked.end() :].rstrip("? ")
    verb = asked["verb"] or asked["plural"]
    verb = f", {verb}" if before else verb
    if question[:1].isupper() and not before:
        verb = verb.capitalize()
    return f"{before}{verb} {what} {compared}?"


def _counts_whole(problem: Problem) -> bool:
    """Return whether the answer counts whole things (employees, shares): then no threshold has decimals."""
    scaled = problem.unit or problem.note("table_scale") in phrases.SCALES
    if scaled or not _WHOLE.search(problem.question) or _RATED.search(problem.question):
        return False
    equation = expression.parse(problem.equation)
    counted = set(operand_links.operand_values(equation)) - operand_links.constants(equation)
    # "0.11" is a share of the count; "12.5" has a separate scale.
    return all(value.denominator == 1 or value < 1 for value in counted)

"""Tests whether a question for a step identifies its node: person, noun, rate, time and total."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from dnc_datasets import expression, numerals
from dnc_datasets.english.lexicon import (
    GAIN_VERBS,
    LOSS_VERBS,
    MONTHS,
    NOUNS_OF_ANY_STEP,
    PAID_BY_VERB,
    PRONOUN_FORMS,
    QUESTION_WORDS,
    WEEKDAYS,
    any_of,
    is_first_name,
    is_past,
    is_plural,
    plain,
)
from dnc_datasets.english.reading.people import people
from dnc_datasets.english.reading.sentences import sentences
from dnc_datasets.expression import Binary, Expr, Number
from dnc_datasets.numerals import Quantity
from dnc_datasets.problem import Problem

_WORD = re.compile(r"[A-Za-z]+")
_MONEY_ASKED = re.compile(
    r"\bhow much (?:money|(?:do|does|did|will|would|is|are|was|were|has|have|can|should)\b)|"
    r"\b(?:dollars|cents|money|price|cost|fee|profit|income|revenue|bill|wage|salary|discount|tax|tip|interest|savings)\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\b(?:total|all|altogether|whole|entire|combined|together|overall|everyone|everything|everybody)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:that|those|these|such) [a-z]+\b|\bin (?:one|an|a) (?:hour|minute|foot|yard|day)\b|\bbetween\b"
)
_FOR_EACH = re.compile(r"\b(?:each|every|per|apiece|an?) ([a-z]+)", re.IGNORECASE)
# "How much do popcorns cost?" may ask for the price of one.
_PRICED = re.compile(
    r"\b(?:costs?|sell|sells|sold|price|charged?|charges|worth|sell [a-z ]+ for)\b", re.IGNORECASE
)
# The amount finally paid, as opposed to a discount or surcharge.
_PAID = re.compile(r"\b(?:pay|pays|paid|costs?|price|spend|spent|with|after|now|new)\b", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?:discount|tax|tip|interest|increase|decrease|raise|rebate|off|save|savings|drop|rise|percent|after|now|new)\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"(?:%|percent) (?:more|less|fewer|off|higher|lower|increase|decrease|discount|raise|tax|tip|cheaper|older)|"
    r"(?:increased?|decreased?|reduced|discount|raised?|dropped|rose|grew) (?:of|by)",
    re.IGNORECASE,
)
_ONE_OF_MANY = re.compile(
    r"\b(?:does|was|is|has) (?:(?:the|all|his|her|their) )?(?:all\b|[A-Z][a-z]+ and\b|([a-z]+)\b)"
)
_STATE = re.compile(r"\b(?:have|has|had|there|own|owns)\b", re.IGNORECASE)
_EVENTS = GAIN_VERBS | LOSS_VERBS
_RIVALS = re.compile(r"\bratio\b|\bproportion|\b(?:every(?:one|body)|anyone|anybody) else\b", re.IGNORECASE)
_DAY = re.compile(r"\b(?:today|tomorrow|yesterday|tonight)\b", re.IGNORECASE)
_NEEDED = re.compile(r"\bneeds? to [a-z]+")
_BEFORE_AND_AFTER = re.compile(r"\bbefore and after\b|\bused to\b", re.IGNORECASE)
# Numbers that a unit implies. The question must name the unit.
_MEANT_BY = {
    Fraction(number): re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for number, words in (
        (7, "week|weekly"),
        (12, "year|yearly|dozen|inches|feet|foot"),
        (24, "day|daily"),
        (30, "month|monthly"),
        (52, "year|yearly"),
        (60, "hour|hours|minutes|seconds"),
        (365, "year|yearly"),
    )
}
_HUNDRED = Fraction(100)
# Numbers that every reader knows: days, months, hours, minutes, inches, cents.
_KNOWN = frozenset(map(Fraction, (1, 2, 4, 7, 12, 24, 30, 52, 60, 100, 365, 1000)))


def singles_out(problem: Problem, question: str, part: Expr) -> bool:
    """Return whether the question asks for this step of the text and for no other amount.

    >>> shop = Problem("1", "Ann has 3 bags of 5 figs. Ben has 4 bags of 6 figs.", "How many figs have both?")
    >>> from dnc_datasets import expression
    >>> step = expression.parse("3 * 5")
    >>> singles_out(shop, "How many figs does Ann have?", step), singles_out(shop, "How many figs are there?", step)
    (True, False)
    """
    quantities = numerals.find(problem.text)
    stated = {abs(quantity.value) for quantity in quantities}
    leaves = {abs(leaf.number) for leaf in part.leaves() if isinstance(leaf, Number)}
    value = part.value()
    if value in stated or not leaves <= stated | numerals.implied(problem.text) | _KNOWN:
        return False  # a number of the text, or a step that does not start from the text
    if question.lower().startswith("how many") and value.denominator != 1:
        return False
    if "," in question or _RIVALS.search(problem.text) or _BEFORE_AND_AFTER.search(problem.question):
        return False
    if _WHOLE.search(question) or _POINTS.search(question) or not _agrees(question):
        return False
    if _DAY.search(problem.text) and not _DAY.search(question):
        return False  # the day is not stated
    if (
        re.search(r"\bin each\b|\bhow (?:wide|high|tall|deep|long)\b", question.lower())
        and "/" not in part.operators
    ):
        return False  # the question may refer to any measure or rate of the text
    if (needed := _NEEDED.search(question)) and not re.search(
        rf"\bneeds? {needed[0].partition(' ')[2]}\b", problem.text
    ):
        return False  # the purpose is not stated
    if _adds_one_number_again(part, [abs(quantity.value) for quantity in quantities]):
        return False  # two equal amounts of the text may be confused
    if any(not unit.search(question) for number, unit in _MEANT_BY.items() if number in leaves - stated):
        return False  # the period is not stated
    return (
        _numbers_keep_their_nouns(problem, question)
        and _is_right_unit(problem, question, part, leaves)
        and _is_right_rate(problem, question, part)
        and _is_right_change(problem, question, part)
        and _is_set_apart(problem, question, leaves, quantities)
        and _is_of_its_statements(problem, question, part)
    )


def _adds_one_number_again(part: Expr, stated: list[Fraction]) -> bool:
    """Return whether a sum uses a number of the text more often than the text states it."""
    if not isinstance(part, Binary):
        return False
    addends = list(_addends(part)) if part.op == "+" else []
    if any(addends.count(value) > max(1, stated.count(value)) for value in addends):
        return True
    return any(_adds_one_number_again(side, stated) for side in (part.left, part.right))


def _addends(part: Expr) -> Iterator[Fraction]:
    if isinstance(part, Binary) and part.op == "+":
        yield from _addends(part.left)
        yield from _addends(part.right)
    elif isinstance(part, Number):
        yield part.number


def _agrees(question: str) -> bool:
    """Return whether "does" and "is" have a singular subject: never "does the ducks" or "was Al and Bo's"."""
    found = _ONE_OF_MANY.search(question)
    if found is None:
        return True
    return found[1] is not None and not (is_plural(found[1]) and not found[1].endswith("ss"))


def _numbers_keep_their_nouns(problem: Problem, question: str) -> bool:
    """Return whether each number of the question has the noun that it has in the text."""
    text = problem.text.lower()
    for quantity in numerals.find(question):
        following = re.match(r" [a-z-]+", question[quantity.end :])
        if following and f"{quantity.text.lower()}{following[0]}" not in text:
            return False
    return True


def _is_money(text: str, quantity: Quantity) -> bool:
    return quantity.kind == "money" or re.match(r" (?:dollars?|cents?)\b", text[quantity.end :]) is not None


def _is_right_unit(problem: Problem, question: str, part: Expr, leaves: set[Fraction]) -> bool:
    """Return whether the question asks for money exactly where the step gives money."""
    text = problem.text
    money = any(
        _is_money(text, quantity) for quantity in numerals.find(text) if abs(quantity.value) in leaves
    )
    asked = _MONEY_ASKED.search(question) is not None
    if question.lower().startswith("how much ") and not asked and not re.search(r"\bweigh\b", question):
        return False  # "How much hay": the unit is not stated
    if isinstance(part, Binary) and part.op == "/":
        return asked == money or not asked
    if money and isinstance(part, Binary) and part.op == "*" and _PRICED.search(question):
        return bool(numerals.find(question))  # the cost of all or of one
    return asked == money or (not money and re.search(r"\bweigh\b", question) is not None)


def _is_right_rate(problem: Problem, question: str, part: Expr) -> bool:
    """Return whether "in each box" refers to the content of one box, and never to that of all boxes."""
    if isinstance(part, Binary) and part.op == "-" and _FOR_EACH.search(question):
        return False  # "fills 9 holes a day" while his dog digs 6
    if not (isinstance(part, Binary) and part.op == "*"):
        return True
    for one in _FOR_EACH.findall(question.lower()):
        for quantity in numerals.find(problem.text):
            counts = re.match(
                rf" (?:[a-z]+ )?{re.escape(one)}(?:s|es)\b", problem.text[quantity.end :].lower()
            )
            if counts and expression.number(quantity.value) in part.leaves():
                return False
    return True


def _is_right_change(problem: Problem, question: str, part: Expr) -> bool:
    """Return whether the question names a change in per cent: the change itself, or the amount after it."""
    share = expression.number(_HUNDRED) in part.leaves()
    changes_only = isinstance(part, Binary) and part.op not in "+-"
    if share and changes_only and _CHANGES.search(problem.text) and _PAID.search(question):
        return False  # the discount itself or the remaining amount
    return not share or _CHANGES.search(problem.text) is None or _CHANGE.search(question) is not None


def _is_set_apart(
    problem: Problem, question: str, leaves: set[Fraction], quantities: Sequence[Quantity]
) -> bool:
    """Return whether the question has a word of the step's sentences that other amounts of its unit lack."""
    text = problem.text
    spans = list(_spans(text))
    inside, outside = set[int](), set[int]()
    units = {_unit(text, quantity) for quantity in quantities if abs(quantity.value) in leaves}
    for quantity in quantities:
        at = next((k for k, (start, end) in enumerate(spans) if start <= quantity.start < end), -1)
        if abs(quantity.value) in leaves:
            inside.add(at)
        elif _unit(text, quantity) in units:
            outside.add(at)
    later = [text[start:end] for start, end in spans[max(inside, default=0) + 1 :]]
    own_sentences = [text[slice(*spans[at])] for at in inside if at >= 0]
    mixed = [one for one in own_sentences if any(abs(q.value) not in leaves for q in numerals.find(one))]
    if _STATE.search(question) and any(map(_is_event, (*later, *mixed))):
        return False  # before or after a purchase
    if not outside:
        return True
    own = _stems(" ".join(text[slice(*spans[at])] for at in inside if at >= 0))
    other = _stems(" ".join(text[slice(*spans[at])] for at in outside - inside if at >= 0))
    asked = {_stem(word) for word in _WORD.findall(question) if word.lower() not in QUESTION_WORDS}
    if outside & inside:
        # Another amount of the unit is in the same sentence: a noun beside the step's own number must name it.
        beside = _stems(" ".join(text[q.end : q.end + _NEAR] for q in quantities if abs(q.value) in leaves))
        rivals = _stems(
            " ".join(text[q.end : q.end + _NEAR] for q in quantities if abs(q.value) not in leaves)
        )
        return bool(asked & beside - rivals) or bool(asked & own - other and not outside & inside)
    return bool(asked & own - other)


# The time of an event, and its unit.
_TIME = re.compile(
    rf"\b(?:{any_of((*WEEKDAYS, *MONTHS))}|yesterday|today|tomorrow|tonight|"
    r"(?:last|next|this|that|previous|first|second|third|other|following) "
    r"(?:day|night|week|weekend|month|year|hour|morning|summer|game|trip|time)|"
    r"morning|afternoon|evening|night|weekends?|weekdays?|breakfast|lunch|dinner)\b",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"\b(?:each|every|per|an?) "
    r"(second|minute|hour|day|night|week|weekend|month|year|trip|time|game|batch|round|shift|season)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\b(?:another|again|more|remaining|rest|also|half|other|left|instead|additional|too)\b", re.IGNORECASE
)
_CLAUSE = re.compile(r"(?<!\d)[,;]|,(?!\d)|\b(?:while|but|and then|whereas)\b")
_FACTORS = frozenset(map(Fraction, (2, 3)))
_INTENDED = re.compile(
    r"\b(?:wants?|wanted|plans?|planned|planning|needs?|needed|going|hopes?|decides?|decided|able|has|have) to ([a-z]+)"
)
_STATES = frozenset("have be own there".split())


def _is_of_its_statements(problem: Problem, question: str, part: Expr) -> bool:
    """Return whether only the sentences that state the step's numbers contain all words of the question."""
    text = problem.text
    quantities = numerals.find(problem.body)
    wanted = [abs(leaf.number) for leaf in part.leaves() if isinstance(leaf, Number)]
    stated = [abs(quantity.value) for quantity in quantities]
    for word in _WORD.findall(problem.body.lower()):
        stated += numerals.implied(word) & _FACTORS
    if any(stated.count(value) > wanted.count(value) for value in wanted if value in stated):
        return False  # the reference is ambiguous
    all_sentences = [text[start:end] for start, end in _spans(text) if end <= len(problem.body)]
    own = [one for one in all_sentences if any(abs(q.value) in wanted for q in numerals.find(one))]
    others = [one for one in all_sentences if one not in own]
    said = " ".join(own)
    known = {abs(q.value) for q in numerals.find(said)} | numerals.implied(said)
    if not own or not set(wanted) <= known | _KNOWN:
        return False
    if not all(map(partial(_uses_all, wanted), own)):
        return False
    names = {one.phrase for one in people(problem.body)}
    words = [word for word in _WORD.findall(question) if word.lower() not in QUESTION_WORDS]
    verbs = {plain(word.lower()) for word in words} - {None}
    stems = _stems(said)
    for word in words:
        if _stem(word) in stems or word.lower() in NOUNS_OF_ANY_STEP or word.lower() in PRONOUN_FORMS:
            continue
        if PAID_BY_VERB.get(word.lower(), frozenset()) & stems and "$" in said:
            continue
        if not (word in names and len(names) == 1):
            return False  # a word that the statements of the step do not use
    if not _keeps_tense(question, said):
        return False
    if any(word.lower() in PRONOUN_FORMS for word in words) and len(names) > 1:
        return False
    return _is_timed(problem.body, question, said, wanted) and not any(
        _tells_of_it(one, question, verbs) for one in others
    )


def _keeps_tense(question: str, said: str) -> bool:
    """Return whether the question has the tense of the statements: "does he know" does not match "knew"."""
    asked = re.search(r"\b(did|does|do) (?:[A-Za-z'. ]{1,40} )?([a-z]+)\b(?=[^?]{0,200}\?)", question)
    if asked is None:
        return True
    words = [word for word in _WORD.findall(question[asked.start() :].lower())[1:] if plain(word) == word]
    forms = [word for word in _WORD.findall(said.lower()) if plain(word) in words]
    past = [word for word in forms if is_past(word)]
    present = [word for word in forms if word.endswith("s") or not is_past(word)]
    if set(_INTENDED.findall(said)) & set(words):
        return False  # an intended action
    return not forms or bool(past if asked[1] == "did" else present)


def _uses_all(wanted: Sequence[Fraction], sentence: str) -> bool:
    """Return whether each clause with a number of the step has no number that the step does not use."""
    for clause in _CLAUSE.split(sentence):
        values = {abs(quantity.value) for quantity in numerals.find(clause)} - {Fraction(1)}
        if values & set(wanted) and not values <= set(wanted):
            return False
    return True


def _is_timed(body: str, question: str, said: str, wanted: Sequence[Fraction]) -> bool:
    """Return whether the question states the time and the period, where the text has several."""
    times = {found[0].lower() for found in _TIME.finditer(body)}
    own = {found[0].lower() for found in _TIME.finditer(said)}
    asked = {found[0].lower() for found in _TIME.finditer(question)}
    if len(times) > 1 and not asked & own:
        return False
    for period in _PERIOD.findall(said):
        counted = any(
            re.match(rf" (?:[a-z]+ )?{period}s?\b", said[q.end :]) and abs(q.value) in wanted
            for q in numerals.find(said)
        )
        if not counted and period.lower() not in question.lower():
            return False
    return True


def _tells_of_it(sentence: str, question: str, verbs: set[str | None]) -> bool:
    """Return whether a sentence outside the step states the same action with other amounts."""
    words = {plain(word) for word in _WORD.findall(sentence.lower())}
    again = verbs & words - _STATES - {None}
    stated = bool(numerals.find(sentence)) or _GOES_ON.search(sentence) is not None
    if not again or not stated:
        return False
    mine, theirs = (
        {word for word in _WORD.findall(one) if word[0].isupper()} for one in (question, sentence)
    )
    other_actor = {one for one in theirs if is_first_name(one)} - mine
    asked = re.match(r"How many ([a-z]+)", question)
    return not other_actor and (asked is None or _stem(asked[1]) in _stems(sentence) or "$" in sentence)


def _is_event(sentence: str) -> bool:
    """Return whether a person gets or loses a number of things."""
    verbs = (plain(word) for word in _WORD.findall(sentence.lower()) if is_past(word) or word.endswith("s"))
    return bool(numerals.find(sentence)) and any(verb in _EVENTS for verb in verbs)


_NEAR = 24  # characters after a number


def _unit(text: str, quantity: Quantity) -> str:
    if _is_money(text, quantity):
        return "$"
    following = re.match(r" (?:more |fewer |less )?([a-z]+)", text[quantity.end :])
    return _stem(following[1]) if following else ""


def _spans(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for sentence in sentences(text):
        start = text.index(sentence, at)
        at = start + len(sentence)
        yield start, at


def _stems(text: str) -> set[str]:
    return {_stem(word) for word in _WORD.findall(text)}


def _stem(word: str) -> str:
    known = plain(word.lower()) or word.lower()
    return known[:-1] if known.endswith("s") and len(known) > 3 else known

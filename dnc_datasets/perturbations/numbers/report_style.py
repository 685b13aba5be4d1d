"""Selection of the numbers of a report that are written in words: small counts and round amounts.

Decimals and long amounts stay in digits, except for half periods. Similar numbers in one sentence are written
in one style: "from 12 to 24 months", "5 years versus 10 years". Percentages agree with those of adjacent
sentences, and money in millions with all amounts of that kind in the text.

A text without such numbers is read with a `Reach`, which permits a few digits and words: "$5.9 million",
"12.4%".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from dnc_datasets.english.lexicon import (
    AFTER_MONEY_AMOUNT,
    AFTER_SCALED_AMOUNTS,
    REPORT_UNITS,
    SPOKEN_REPORT_UNITS,
    TIME_UNIT,
)
from dnc_datasets.english.reading.report_sentences import sentence_spans
from dnc_datasets.numerals import Quantity
from dnc_datasets.perturbations.numbers import reports
from dnc_datasets.perturbations.numbers.amounts import currency_before, is_year
from dnc_datasets.perturbations.numbers.amounts_in_words import is_half
from dnc_datasets.perturbations.numbers.report_reach import (
    ARTICLE_BEFORE,
    IN_SCALE,
    NO_MONEY,
    Reach,
    appositions,
    is_in_reach,
    kind_in_reach,
    states_year,
    words_of,
)

_NO_NUMBERS: Final = frozenset(("date", "time", "year", "ordinal", "word"))
_PERCENT_AFTER: Final = re.compile(r" ?%| ?per ?cent\b| percentage points?\b", re.IGNORECASE)
_SCALED: Final = re.compile(r"(\d+) (?:thousand|million|billion|trillion)", re.IGNORECASE)
_PLAIN: Final = re.compile(r"\d{1,3}(?:,\d{3})*|\d+")
_ROUND: Final = re.compile(r"[1-9]0*")
_ROUND_MONEY: Final = re.compile(r"[1-9]0*|1[0-2]|[1-9]50*")
_LARGEST, _OF_FEW_WORDS, _MOST_WORDS, _LEAST_MONEY = 100, 1000, 2, 1000
# "a 5-year term", "the 3 year period", "the 3rd quarter": the unit follows the number at once.
_SPAN_AFTER: Final = re.compile(rf"[- ]({TIME_UNIT}|quarter)\b", re.IGNORECASE)
_PERIODS_AFTER: Final = re.compile(rf" (?:{TIME_UNIT})s\b", re.IGNORECASE)
_PERIOD_AFTER: Final = re.compile(r" (?:fiscal )?(?:quarter|half|year)\b", re.IGNORECASE)
_WORDS_AFTER: Final = re.compile(r" ([A-Za-z][\w'-]*)(?: ([A-Za-z][\w'-]*))?(?: ([A-Za-z][\w'-]*))?")
_DASHES: Final = frozenset("–—−-")
_UNIT_OF_TIME: Final = re.compile(rf"(?:{TIME_UNIT}|quarter|week)s?", re.IGNORECASE)
# "closed eight and sold 42 to others": a number without a noun after a verb counts things named before.
_VERB_BEFORE: Final = re.compile(r"\b[a-z]+(?:ed|ld|nt|ought) \Z")
# "20 or more trading days": the days are counted.
_OR_MORE: Final = re.compile(r" or (?:more|fewer|less)(?= [a-z])")
_NEXT_WORD: Final = re.compile(r"\s+([A-Za-z]+)")
# The words between two numbers of one list, range or comparison.
_JOINT: Final = re.compile(
    r" ?(?:%|per ?cent)?,? ?(?:and|or|to|,|versus|vs\.?|[-–—]|compared (?:to|with)) ?[$€£¥]? ?", re.IGNORECASE
)
_MONEY: Final = frozenset(("money", "scaled money"))
_WITH_SIGNS: Final = frozenset(("money", "percent"))
_BASIS_POINTS: Final = "basis points"
_BASIS_POINTS_AFTER: Final = re.compile(r"[ -](?:bps|basis[ -]points?)\b", re.IGNORECASE)
# Rates of parallel sentences are written alike.
_PARALLEL: Final = frozenset(("percent", _BASIS_POINTS))
_SIGNS: Final = " $€£¥%()-–"
_BRACKET_AFTER: Final = re.compile(r" ?(?:%|per ?cent)?(?: [a-z]+)? ?\( ?(?:or |approximately )?[$€£¥]? ?\Z")
_WINDOW: Final = 40
# The sentences of a list with bullets agree as one; in tokenised text, a bullet is its number.
_BULLET: Final = re.compile(r"2022 [a-z]|[•●▪–—-] ?[A-Za-z]")
_OPENS_LIST: Final = re.compile(r": ?(?:2022|[•●▪]) ?[A-Za-z]")
_IN_LIST: Final = -9


def chosen(
    text: str, found: Sequence[Quantity], possible: Collection[int], reach: Reach | None = None
) -> set[int]:
    """Return the indices of the numbers `found` in a report that are written in words.

    `possible` has the indices of all numbers that can be written in words.
    """
    kinds = _kinds(text, found, reach)
    short = {
        at
        for at in possible
        if kinds[at]
        and (
            _is_short(text, found[at], kinds[at])
            or (reach and is_in_reach(text, found[at], kinds[at], reach))
        )
        and not _is_repeated(text, found, at, years_between=reach is not None)
    }
    if reach:
        short -= {at for pair in appositions(text, found) for at in pair if not short.issuperset(pair)}
    spans = sentence_spans(text)
    starts = [start for start, _ in spans]
    listed = {
        number
        for number, (start, end) in enumerate(spans, 1)
        if _BULLET.match(text, start) or _OPENS_LIST.search(text, start, end)
    }
    sentence = [bisect_right(starts, quantity.start) for quantity in found]
    sentence = [_IN_LIST if number in listed else number for number in sentence]
    paragraphs = _paragraphs(text, spans)
    flat = {
        sentence[at]
        for at in range(len(found))
        if in_row(text, found, at) and not (reach and states_year(text, found[at], found[at + 1]))
    }
    counting = {at for at in range(len(found)) if _is_count(text, found[at], kinds[at])}
    no_money = {("money", bisect_right(starts, nothing.start())) for nothing in NO_MONEY.finditer(text)}

    def agreeing(short: set[int]) -> set[int]:
        """Return the numbers that may be in words if all except `short` stay in digits."""
        in_digits = {(kinds[at], sentence[at]) for at in range(len(found)) if at not in short}
        if reach:
            in_digits |= no_money
        kinds_in_digits = {kind for kind, _ in in_digits}
        counts_in_digits = {other for kind, other in in_digits if kind and kind not in _WITH_SIGNS}
        large_in_digits = {
            sentence[at]
            for at in range(len(found))
            if at not in short and kinds[at] not in ("", *_WITH_SIGNS) and found[at].value > _LARGEST
        }

        # Some of a list of counts in words, and the others in digits: "we closed eight and sold 42".
        mixed = Counter(sentence[at] for at in counting - short)
        small = {sentence[at] for at in counting - short if found[at].value < _OF_FEW_WORDS}

        def agrees(at: int) -> bool:
            kind, here = kinds[at], sentence[at]
            if at in counting and (here in small or mixed[here] > 1):
                return False
            if reach and kind not in _WITH_SIGNS:
                return here not in flat and here not in counts_in_digits
            if reach:
                if reach.all_alike and any((other, here) in in_digits for other in _WITH_SIGNS):
                    return False
                if reach.all_money and kind == "money" and kind in kinds_in_digits:
                    return False
                around = paragraphs.get(here, range(here - reach.beside, here + reach.beside + 1))
                return here not in flat and all((kind, other) not in in_digits for other in around)
            if kind in _MONEY:
                return kind not in kinds_in_digits
            if kind != "percent" and found[at].value > _LARGEST and here in large_in_digits:
                return False  # "forty thousand options or 16,000 units"
            beside = paragraphs.get(here, range(here - 1, here + 2)) if kind in _PARALLEL else (here,)
            return here not in flat and all((kind, other) not in in_digits for other in beside)

        return set(filter(agrees, short))

    # A number in digits keeps its neighbours in digits, repeatedly.
    while (agreed := agreeing(short)) != short:
        short = agreed
    return short


def _is_count(text: str, quantity: Quantity, kind: str) -> bool:
    """Return whether an integer counts things other than periods, also without a noun: "sold 42"."""
    if not kind or kind in (*_WITH_SIGNS, "scaled money", "ordinal") or not _PLAIN.fullmatch(quantity.text):
        return False
    if _UNIT_OF_TIME.fullmatch(kind) or is_year(quantity.text):
        return False
    if {text[quantity.start - 1 : quantity.start], text[quantity.end : quantity.end + 1]} & _DASHES:
        return False  # "20–25 shops" is written so in any style
    before = text[max(0, quantity.start - _WINDOW) : quantity.start]
    if kind != "?":
        return True
    follows = _NEXT_WORD.match(text, quantity.end) is not None and before.endswith(" ")
    return follows and _VERB_BEFORE.search(before) is not None


def _paragraphs(text: str, spans: Sequence[tuple[int, int]]) -> dict[int, Sequence[int]]:
    """Return, for each sentence, the sentences of its paragraph, counted from 1.

    A text without paragraphs gives an empty mapping.
    """
    if "\n" not in text:
        return {}
    members: dict[int, list[int]] = {}
    for number, (start, _) in enumerate(spans, 1):
        members.setdefault(text.count("\n", 0, start), []).append(number)
    return {number: some for some in members.values() for number in some}


def _kinds(text: str, found: Sequence[Quantity], reach: Reach | None) -> list[str]:
    small = reports.folded(text)
    kinds = [_kind(small, quantity) for quantity in found]
    if reach:
        kinds = [kind_in_reach(text, quantity, kind) for quantity, kind in zip(found, kinds, strict=True)]
    _share_nouns(text, found, kinds)
    if reach:
        return [
            "millions" if kind == "?" and IN_SCALE.fullmatch(quantity.text) else kind
            for quantity, kind in zip(found, kinds, strict=True)
        ]
    return kinds


def _kind(small: str, quantity: Quantity) -> str:
    """Return the kind of a number: money, percent, or the noun that it counts. "" if it counts nothing."""
    start, end = quantity.start, quantity.end
    if quantity.kind == "ordinal" and quantity.in_digits:
        return "ordinal" if _PERIOD_AFTER.match(small, end) else ""
    if quantity.kind in _NO_NUMBERS or not quantity.in_digits:
        return ""
    if currency_before(small, start) or quantity.kind == "money":
        return "scaled money" if quantity.text[-1].isalpha() else "money"
    if _PERCENT_AFTER.match(small, end):
        return "percent"
    if _BASIS_POINTS_AFTER.match(small, end):
        return _BASIS_POINTS
    if is_year(quantity.text):
        return ""
    if span := _SPAN_AFTER.match(small, end):
        return f"{span[1]}s"
    return _counted(small, quantity) or "?"


def _counted(small: str, quantity: Quantity) -> str:
    """Return the plural or unit that a number counts: "months" of "12 months", "hotels" of "328 hotels"."""
    least = _OR_MORE.match(small, quantity.end)
    following = _WORDS_AFTER.match(small, least.end() if least else quantity.end)
    if following is None:
        return ""
    for word in following.groups(default=""):
        if word in REPORT_UNITS:
            return word if word in SPOKEN_REPORT_UNITS else ""
        if reports.is_plural(word):
            return word
        if not word or reports.ends_count(word):
            break
    return "of" if following[1] == "of" else ""


def _share_nouns(text: str, found: Sequence[Quantity], kinds: list[str]) -> None:
    """Set the kind of a number in a list or a range from the next one: "12" of "12 to 24 months"."""
    for at in range(len(found) - 2, -1, -1):
        if kinds[at] == "?" and kinds[at + 1] and _is_joined(text, found, at):
            kinds[at] = kinds[at + 1]


def _is_joined(text: str, found: Sequence[Quantity], at: int) -> bool:
    return _JOINT.fullmatch(text, found[at].end, found[at + 1].start) is not None


def is_countable(small: str, found: Sequence[Quantity], at: int) -> bool:
    """Return whether a number of a folded report is a count or measure.

    "12 to 24 months" and "a 5-year term" qualify.
    """
    start, end = found[at].start, found[at].end
    if reports.is_amount(small, start, end, in_range=True) or _SPAN_AFTER.match(small, end):
        return True
    if IN_SCALE.fullmatch(found[at].text) or _PERIODS_AFTER.match(small, end):
        return True
    if found[at].kind == "ordinal":
        return _PERIOD_AFTER.match(small, end) is not None
    return at + 1 < len(found) and _is_joined(small, found, at) and is_countable(small, found, at + 1)


def _is_short(text: str, quantity: Quantity, kind: str) -> bool:
    """Return whether the number takes one or two words: a small integer or a round amount."""
    if kind in ("?", ""):
        return False
    if kind == "ordinal":
        return quantity.value <= _LARGEST
    if is_half(text, quantity):
        return True
    if scaled := _SCALED.fullmatch(quantity.text):
        size, least = scaled[1], 0
    elif _PLAIN.fullmatch(quantity.text):
        size, least = quantity.text.replace(",", ""), _LEAST_MONEY
    else:
        return False
    if kind in _MONEY:
        return (
            int(size) >= least
            and _ROUND_MONEY.fullmatch(size) is not None
            and words_of(size) <= _MOST_WORDS
            and _ends_phrase(text, quantity)
        )
    if kind == "percent" or int(size) <= _LARGEST:
        return 0 < int(size) <= _LARGEST
    return _ROUND.fullmatch(size) is not None and words_of(size) <= _MOST_WORDS


def _ends_phrase(text: str, quantity: Quantity) -> bool:
    """Return whether an amount of money is not an attribute: "rose $5 million in May".

    "a $5 million facility" has an attribute.
    """
    if ARTICLE_BEFORE.search(text, max(0, quantity.start - _WINDOW), quantity.start):
        return False
    following = _NEXT_WORD.match(text, quantity.end)
    return following is None or following[1].lower() in AFTER_MONEY_AMOUNT | AFTER_SCALED_AMOUNTS


def in_list(text: str, found: Sequence[Quantity], at: int) -> bool:
    """Return whether the number is part of a list, a range or a comparison.

    Examples: "$5 million and $6 million", "12 to 24".
    """
    return (at > 0 and _is_joined(text, found, at - 1)) or (
        at + 1 < len(found) and _is_joined(text, found, at)
    )


def in_row(text: str, found: Sequence[Quantity], at: int) -> bool:
    """Return whether only blanks and signs separate a number from the next, as in the remains of a table."""
    if at + 1 >= len(found):
        return False
    one, two = found[at], found[at + 1]
    gap = text[one.end : two.start]
    return (
        " " in gap
        and not gap.strip(_SIGNS)
        and "(" not in gap
        and one.in_digits
        and two.in_digits
        and not {one.kind, two.kind} & _NO_NUMBERS
    )


def _is_repeated(text: str, found: Sequence[Quantity], at: int, *, years_between: bool = False) -> bool:
    """Return whether the number is in a row of numbers, in brackets, or before another one in brackets.

    With `years_between`, brackets that state the year of the other number do not qualify: "5 plants (2018: 4
    plants)".
    """
    here = found[at]
    for one, other in ((at - 1, at), (at, at + 1)):
        if one >= 0 and other < len(found):
            if years_between and states_year(text, found[one], found[other]):
                continue
            gap = text[found[one].end : found[other].start]
            if not gap.strip(_SIGNS) or _BRACKET_AFTER.fullmatch(gap):
                return True
    before, after = text[: here.start][-3:].rstrip(" $€£¥"), _PERCENT_AFTER.match(text, here.end)
    closes = text[after.end() if after else here.end :][:2].lstrip()
    return before.endswith("(") and closes.startswith(")")

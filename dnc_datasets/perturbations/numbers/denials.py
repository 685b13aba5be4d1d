"""Denied numbers, "12 (not 87) pens": their positions in a text, and their values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from dnc_datasets import numerals
from dnc_datasets.draws import Draw
from dnc_datasets.english.reading.content_words import is_chinese
from dnc_datasets.english.reading.report_sentences import is_tokenised
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import chinese as chinese_numerals
from dnc_datasets.perturbations.numbers.amounts import (
    CURRENCIES,
    amounts_in,
    currency_before,
    is_fixed_cell,
    is_prose,
    whole_numbers,
)
from dnc_datasets.perturbations.numbers.denied_places import selected
from dnc_datasets.perturbations.numbers.scaled_amounts import scaled_amounts, taken_by_scale
from dnc_datasets.problem import Edit, Problem, splice

# Maximum number of redraws for a problem: with sigma = 0 every redraw gives the same number.
_MAX_DRAWS: Final = 100
_BEHIND = re.compile(r" ?%|(?:k|m|mn|bn|b)\b", re.IGNORECASE)
_UNIT_BEHIND = re.compile(r"[A-Za-z]|\"(?: [a-z]|-)|''(?!\w)")
_PERCENT = re.compile(r" ?%| percent\b")
_WHOLE: Final = 100
_THOUSAND: Final = 1000
_OF_A_WHOLE = re.compile(r" (?:of|the|are|were|is|was|as|her|his|their)\b|[.,?]")
_WINDOW: Final = 40
# "16 ounces is the same as 1 pound": a conversion is not denied.
_CONVERTS = re.compile(
    r"\b(?:is|are) (?:the same as|equal to|equivalent to)\b|\bequals?\b| = ", re.IGNORECASE
)
# "the two did": two people, not an amount.
_POINTED_AT = re.compile(r"\bthe \Z", re.IGNORECASE)
_COUNTED = re.compile(r" [a-z]+s\b|[-%]")
# No day has more than 24 hours.
_AT_MOST = (
    (re.compile(r" hours? (?:a|per|each|every) (?:day|night)\b"), 24),
    (re.compile(r" days? (?:a|per|each|every) week\b"), 7),
    (re.compile(r" minutes? (?:an|per|each|every) hour\b"), 60),
    (re.compile(r" months? (?:a|per|each|every) year\b"), 12),
    (re.compile(r" days? (?:a|per|each|every) month\b"), 31),
)
_SCALE = re.compile(r"\b(?:scale|ratio|odds)\b[^.?!]{0,25}$")
_TO_NUMBER = re.compile(r" to \d")
_NUMBER_TO = re.compile(r"\d to $")
_ARTICLE = re.compile(r"(?<![\w$])an? $", re.IGNORECASE)
_WORD_BEHIND = re.compile(r" [a-z]")
_BRACKETS: Final = 80
_SCALE_WORD = re.compile(r" (?:thousand|million|billion)\b")
# "70 percent (not 65 percent)": the number is not parted from these.
_RATE_WORD = re.compile(r" (?:per ?cent(?!age|ile)|percentage points|basis points)\b")
_IN_WORDS_BEHIND = re.compile(r" ?\(|-")
_NAME_BEHIND = re.compile(r" ?% [A-Z][a-z]| [A-Z]{3}\b|, (?:m|b)illion\b")  # "4.00% Senior Notes", "1 USD"
_BRACKET_BEHIND = re.compile(r" ?%? ?(?:[a-z-]+ )?\(")
_CLOSING = re.compile(r" ?\)")
_NOTE_MARK = re.compile(r"\(\w+\)")
_MONTHS: Final = 12
_MONTHS_BEHIND = re.compile(r"[ -]months?\b")
_SIGNS: Final = " $€£¥%()-,"
_NEGATIVE_BEFORE: Final = re.compile(r"[ $€£¥]*[(\-−–][ $€£¥]*\Z")
# "five of our six groups", "all six": another number would be impossible.
_OF_MORE = re.compile(
    r" of (?:our|the|its|their) (?:\d|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE
)
# "1.04 CAD per $1.00", "for every 1,000 shares": the unit of a rate.
_UNIT_OF_RATE = re.compile(
    r"\b(?:per|for (?:each|every)|each|every) (?:u\.?s\.? ?)?[$€£¥]? ?\Z", re.IGNORECASE
)
_POWER_OF_TEN = re.compile(r"10*")
_OF_ALL = re.compile(r"\b(?:of (?:our|the|its|their)|all|both|each of the) \Z", re.IGNORECASE)


def with_denials(
    problem: Problem, scope: Sequence[str], draw: Draw, mu: float, sigma: float
) -> Problem | None:
    """Return the problem with a denied number after every number of the scope; None if there is none.

    A number near the original and a number from N(mu, sigma^2) are equally likely, so that its size does not
    reveal which of the two is denied. In a report, whose amounts have all sizes, it is always near. The draw
    is repeated if the number is not positive or already occurs in the problem.
    """
    prose, chinese = is_prose(problem), is_chinese(problem.question)
    report = bool(problem.table)
    if report and mu <= _WHOLE:
        return _in_report(problem, scope, draw, prose)
    texts = problem.texts()
    # Denied numbers are integers, so only integers can conflict with them.
    # A passage has many, and copying them for each of its questions would take time.
    in_body = _numbers_of_passage(problem.body) if prose else whole_numbers(problem.body)
    taken = {int(answer)} if (answer := numerals.parse(problem.answer)) is not None else set[int]()
    # "80% (not 108%) of them" is implausible as a share. Settings with larger numbers override this limit.
    most_share = _WHOLE if mu - sigma < _WHOLE else float("inf")
    for _, text in texts[1:]:
        taken |= _numbers_of_passage(text) if prose else whole_numbers(text)
    changes = {}
    for path, text in texts:
        if (path not in scope and path.partition(".")[0] not in scope) or is_fixed_cell(problem, path):
            continue
        cut = _cut_passage if prose else _cut
        pieces, tail = cut(text, path, prose, chinese, report)
        if not pieces:
            continue
        parts: list[str] = []
        for piece, manner, limit, value in pieces:
            most = most_share if limit == _WHOLE else limit
            near = draw.integer(0, 1) == 1
            denied = _near(value, draw) if near else draw.normal(mu, sigma)
            left = _MAX_DRAWS
            while denied < 1 or denied in in_body or denied in taken or denied >= most:
                left -= 1
                if not left:
                    return None
                # All numbers near a small one may be taken.
                near &= left > _MAX_DRAWS // 2
                denied = _near(value, draw) if near else draw.normal(mu, sigma)
            taken.add(denied)
            parts.append(piece)
            parts.append(_spelled(denied, chinese) if manner is None else format(denied, manner))
        parts.append(tail)
        changes[path] = "".join(parts)
    return problem.with_texts(changes) if changes else None


def _near(value: int, draw: Draw) -> int:
    """Return an integer within half of the value, and within at least 3."""
    away = max(3, value // 2)
    return draw.integer(max(1, value - away), value + away)


def _in_report(problem: Problem, scope: Sequence[str], draw: Draw, prose: bool) -> Problem | None:
    """Return the problem with a number of the same kind, decimals and magnitude denied after each amount.

    Equal numbers have equal denials throughout the report. A number without a free number near it has no
    denial. The form without cells denies only a few numbers, see `denied_places`.
    """
    taken = _ratios_taken(problem)
    known: dict[tuple[Fraction, int, float], Fraction | None] = {}
    chinese = is_chinese(problem.question)
    tokenised = not chinese and is_tokenised(problem.body)
    form = "（不是{}）" if chinese else " ( not {} )" if tokenised else " (not {})"
    found = {
        path: (text, _places_of_report(text, path, prose, chinese))
        for path, text in problem.texts()
        if (path in scope or path.partition(".")[0] in scope) and not is_fixed_cell(problem, path)
    }
    # The form with cells denies every number, as the paper does. The form with text only denies a few.
    few: set[tuple[str, int]] | None = None
    if "table" not in scope and not chinese:
        for path, (text, places) in found.items():
            found[path] = text, _with_scaled(text, places)
        spots = {
            path: [(place.start, place.end) for place in places if not _is_fixed(text, place)]
            for path, (text, places) in found.items()
        }
        few = selected(problem, spots)
    changes = {}
    for path, (text, places) in found.items():
        edits = []
        for at, place in enumerate(places):
            if path == "body" and _is_in_row(text, places, at):
                continue  # the labels of an axis, or a line of a table
            if path.startswith("table.") and _is_negative(text, place):
                continue  # a positive number beside "(13,332)" would be of another kind
            if _is_fixed(text, place) or (few is not None and (path, place.start) not in few):
                continue
            value, decimals = Fraction(*place.ratio), len(place.surface.partition(".")[2])
            key = (abs(value), decimals, place.limit)
            if key not in known:
                scaled = taken_by_scale(taken, decimals) if _SCALE_WORD.fullmatch(place.suffix) else taken
                known[key] = _same_size(*key, draw, scaled)
            denied = known[key]
            if denied is None:
                continue
            taken.add(denied.as_integer_ratio())
            if place.surface[0].isalpha():
                words = _spelled(int(denied), chinese)
            else:
                whole, rest = divmod(int(denied * 10**decimals), 10**decimals)
                words = f"{whole:,}" if "," in place.surface else str(whole)
                words += f".{rest:0{decimals}d}" if decimals else ""
            sign = place.sign
            if sign and text[place.start - 1] == " " and not path.startswith("table."):
                sign += " "
            edits.append(Edit(place.end, place.end, form.format(f"{sign}{words}{place.suffix}")))
        if edits:
            changes[path] = splice(text, edits)
    return problem.with_texts(changes) if changes else None


def _ratios_taken(problem: Problem) -> set[numerals.Ratio]:
    """Return the absolute values of all numbers of a problem and of its answer, scaled and unscaled."""
    values = [Fraction(*ratio) for ratio in problem.ratios()]
    values += [one.unscaled.value for _, text in problem.texts() for one in numerals.find(text)]
    if (answer := numerals.parse(problem.answer)) is not None:
        values.append(answer)
    return {abs(value).as_integer_ratio() for value in values}


def _is_fixed(text: str, place: Place) -> bool:
    """Return whether no other number is possible.

    Examples: "all six", "five of our six groups", 100%, the unit of a rate.
    """
    return (
        _OF_ALL.search(text, max(0, place.start - _WINDOW), place.start) is not None
        or _OF_MORE.match(text, place.end) is not None
        or _is_whole_or_unit(text, place, Fraction(*place.ratio))
    )


def _is_negative(text: str, place: Place) -> bool:
    """Return whether a cell holds a negative number: "-13,332", "$(874)"."""
    return place.ratio[0] < 0 or _NEGATIVE_BEFORE.match(text, 0, place.start) is not None


def _places_of_report(text: str, path: str, prose: bool, chinese: bool) -> list[Place]:
    """Return the places of a report. A scale belongs to its amount: "$5 million (not $4 million)"."""
    places = []
    for place in _places_of_passage(text, path, prose, chinese, True):
        scale = None if place.suffix else _SCALE_WORD.match(text, place.end)
        if not (scale or place.suffix or path.startswith("table.")):
            scale = _RATE_WORD.match(text, place.end)
        if scale and place.surface[0].isdigit() and not _IN_WORDS_BEHIND.match(text, scale.end()):
            place = place._replace(end=scale.end(), suffix=scale[0])
        places.append(place)
    return places


def _with_scaled(text: str, places: Sequence[Place]) -> list[Place]:
    """Return the places together with scaled amounts, each denied as one: "$5 million (not $4 million)"."""
    by_start = {
        one.start: Place(one.number, one.ratio, one.start, one.end, one.sign, one.scale, float("inf"))
        for one in scaled_amounts(text)
    }
    by_start |= {place.start: place for place in places}
    return [by_start[start] for start in sorted(by_start)]


def _is_whole_or_unit(text: str, place: Place, value: Fraction) -> bool:
    """Return whether a number is 100% or the unit of a rate."""
    if value == _WHOLE and place.suffix.strip() == "%":
        return True
    if value == _WHOLE and _PERCENT.match(text, place.end):
        return True
    before = text[max(0, place.start - _WINDOW) : place.start]
    return _POWER_OF_TEN.fullmatch(str(value)) is not None and _UNIT_OF_RATE.search(before) is not None


def _same_size(
    value: Fraction, decimals: int, most: float, draw: Draw, taken: set[numerals.Ratio]
) -> Fraction | None:
    """Return a new number with the same precision as the value.

    It differs by at most a third, or by at most 3 in its last digit. It is greater than one, and below a
    thousand, if the value is.
    """
    size = int(value * 10**decimals)
    zeros = len(str(size)) - len(str(size).rstrip("0")) if size else 0
    unit = 10 ** min(zeros, max(0, len(str(size)) - 2))
    size //= unit
    away = max(3, size // 3)
    if value < _THOUSAND:
        most = min(most, _THOUSAND)
    least = min(value, 1 if decimals else 2)
    for _ in range(_MAX_DRAWS // 2):
        denied = Fraction(draw.integer(max(1, size - away), size + away) * unit, 10**decimals)
        if denied.as_integer_ratio() not in taken and least <= denied < most:
            return denied
    return None


def _is_in_row(text: str, places: Sequence[Place], at: int) -> bool:
    """Return whether only punctuation separates a number from the next or the previous one."""
    before = text[places[at - 1].end : places[at].start] if at else "word"
    after = text[places[at].end : places[at + 1].start] if at + 1 < len(places) else "word"
    return not (before.strip(_SIGNS) and after.strip(_SIGNS))


class Place(NamedTuple):
    """A number that can be denied: its start, its end with everything that belongs to it, and its format."""

    surface: str
    ratio: tuple[int, int]
    start: int
    end: int
    sign: str
    suffix: str
    limit: float


def _cut(
    text: str, path: str, prose: bool, chinese: bool, report: bool
) -> tuple[list[tuple[str, str | None, float, int]], str]:
    """Return the pieces of a text between denied numbers, with "(not " and ")", and the rest after the last.

    Each piece has the format of its number (with commas, plain, or None for words), the upper bound of a
    denied number, and its value.
    """
    pieces = []
    begun, at = "", 0
    opening, closing = ("（不是", "）") if chinese else (" (not ", ")")
    for surface, ratio, _, end, sign, suffix, limit in _places(text, path, prose, chinese, report):
        pieces.append(
            (
                f"{begun}{text[at:end]}{opening}{sign}",
                None if surface[0].isalpha() else "," if report and "," in surface else "d",
                limit,
                abs(round(ratio[0] / ratio[1])),
            )
        )
        begun, at = f"{suffix}{closing}", end
    return pieces, f"{begun}{text[at:]}"


def _places(text: str, path: str, prose: bool, chinese: bool, report: bool) -> list[Place]:
    """Return the numbers of a text that can be denied."""
    places = []
    signed = not text.isascii() or "$" in text
    for surface, ratio, start, end, _, _ in amounts_in(text, path, True, prose, report):
        sign = currency_before(text, start) if signed else ""
        if not sign and path.startswith("table.") and text.strip()[:1] in CURRENCIES:
            sign = text.strip()[0]  # "$(874)"
        suffix = ""
        if _UNIT_BEHIND.match(text, end) and not _BEHIND.match(text, end):
            continue  # "30mph", '24" long': the denial would separate them
        if not sign and _ARTICLE.search(text, max(0, start - 4), start) and _WORD_BEHIND.match(text, end):
            continue  # "a 20 story house"
        if 0 < ratio[0] < ratio[1] and _OF_A_WHOLE.match(text, end):
            continue  # "0.25 of the nails": an integer would not be a share
        if _is_leg(text, start, end):
            continue  # "a scale of 1 to 18"
        if not path.startswith("table.") and (
            _is_bracketed(text, start, end) or _NAME_BEHIND.match(text, end)
        ):
            continue
        if not (report or prose or chinese) and _says_no_amount(text, surface, start, end):
            continue
        limit = _below(text, end, ratio)
        if report and ratio[0] <= _MONTHS * ratio[1] and _MONTHS_BEHIND.match(text, end):
            limit = _MONTHS + 1
        if (
            text[end : end + 1] != " " or text[end + 1 : end + 2] in "%)"
        ):  # else nothing belongs to the number
            suffix, end = _belonging(text, path, sign, start, end)
        places.append(Place(surface, ratio, start, end, sign, suffix, limit))
    return places


def _says_no_amount(text: str, surface: str, start: int, end: int) -> bool:
    """Return whether the number is part of a unit conversion, or refers to people."""
    since, until = text.rfind(". ", 0, start) + 1, text.find(". ", end)
    if _CONVERTS.search(text, since, until if until > 0 else len(text)):
        return True
    pointed = surface[0].isalpha() and _POINTED_AT.search(text[:start]) is not None
    return pointed and not _COUNTED.match(text, end)


def _below(text: str, end: int, ratio: tuple[int, int]) -> float:
    """Return the upper bound of a denied number: 100 for a percentage, 25 for hours of a day."""
    if ratio[0] < _WHOLE * ratio[1] and _PERCENT.match(text, end):
        return _WHOLE
    return next((most + 1 for pattern, most in _AT_MOST if pattern.match(text, end)), float("inf"))


def _spelled(denied: int, chinese: bool) -> str:
    return chinese_numerals.spell(Fraction(denied)) if chinese else numerals.spell(denied)


def _is_leg(text: str, start: int, end: int) -> bool:
    """Return whether the number is one of the two numbers of a ratio."""
    since = max(0, start - _WINDOW)
    paired = _TO_NUMBER.match(text, end) or _NUMBER_TO.search(text, since, start)
    return paired is not None and _SCALE.search(text, since, start) is not None


def _is_bracketed(text: str, start: int, end: int) -> bool:
    """Return whether the position of a denial is inside or beside brackets: "19,757 (94% of the births)"."""
    since = max(0, start - _BRACKETS)
    inside = text.rfind("(", since, start) > text.rfind(")", since, start)
    return inside or _BRACKET_BEHIND.match(text, end) is not None


# Many questions share a passage. Other problems have separate texts, and caching those takes time.
_numbers_of_passage = memoized(whole_numbers)
_cut_passage = memoized(_cut)
_places_of_passage = memoized(_places)


def _belonging(text: str, path: str, sign: str, start: int, end: int) -> tuple[str, int]:
    """Return the percent sign or scale letter after a number, and the end of all that belongs to it."""
    # "5% (not 87%)", "£8m (not £87m)": these belong to the number, so the denial follows them.
    after = _BEHIND.match(text, end)
    suffix = after[0] if after else ""
    end += len(suffix)
    # "(13)" and "($13)" are minus thirteen: the bracket is part of the number.
    before = text[max(0, start - 3) : start].rstrip(f" {sign}")
    if before.endswith("(") and (closed := _CLOSING.match(text, end)):
        end = closed.end()
        if not suffix and text[end : end + 1] == "%":  # "(26.4)%"
            suffix, end = "%", end + 1
    # "174,108(8)": so is a note's mark in a cell.
    if path.startswith("table.") and (mark := _NOTE_MARK.match(text, end)):
        end = mark.end()
    return suffix, end

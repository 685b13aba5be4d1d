"""Numbers of a report that are not counts: years, days, names, and parts of fixed phrases."""

from __future__ import annotations

import re

from dnc_datasets.english.lexicon import MONTH, NOT_NAMES_BEFORE_NUMBER

_WINDOW = 40
# Names whose number is also written in words: "Week nine".
_SPOKEN_LABEL = re.compile(
    r"\b(?:weeks?|games?|round|chapter|article|part|act|stage|phase|level|grade|number) $", re.IGNORECASE
)
_CAPITAL_WORD = re.compile(r"(?:(?:^|[\s(])([A-Z][\w'’.-]*) |#)$")
# "Hill 950", "the Hot 100", "the Flash 9 file is" are names, but "Davis 16 carries" counts.
_NO_NOUN = r"(?!(?:was|is|has|its|as|this)\b)"
_COUNTED_AFTER = re.compile(rf" {_NO_NOUN}(?:[a-z]+ {_NO_NOUN})?(?:[a-z]+s|people|men|women|children)\b")
_MEASURED_AFTER = re.compile(r" (?:[a-z]+ )?(?:times|yards|years|points|goals|minutes|seconds|runs|miles)\b")
_ARTICLE_AND_NAME = re.compile(r"\b[Tt]he (?:[A-Z][\w-]{0,30} ){0,9}[A-Z][\w-]{0,30}[^\Ws] $")
# "at the 22.", "the 7800 had": a number with an article and no noun is a place or a name; "of the 293" counts.
_ONLY_ARTICLE = re.compile(r"(?<!\bof )(?<!\bamong )(?<!\bthan )\b[Tt]he (?:\d+,? (?:and )?)*$")
_ARTICLE_ENDS = ("the ", "The ", ", ", " and ")
_NOUNLESS_AFTER = re.compile(
    r"[.,;:?!)]|$| (?:and|or|in|on|at|was|is|had|has|when|with|by|but|whereas)\b| to [a-z]"
)
# "in 273 to", "by 410.": a year of three digits, where no noun follows.
_EARLY_YEAR_BEFORE = re.compile(
    r"\b(?:in|since|until|by|of|from|to|after|before|or|and|than|during) $|\byears?\b[^.?]{0,30}[,:] $",
    re.IGNORECASE,
)
_EARLY_YEAR_AFTER = re.compile(
    r"(?:,? (?:to|and|or|after|when|until|ad|bc|bce|ce)\b|[.,;?)]|$)", re.IGNORECASE
)
_MONTH = f"(?:{MONTH})"
# "May 5 and 7", "$23, 335", "&#8722;5", "+0.2".
_PHRASE_BEFORE = re.compile(
    rf"\b{_MONTH} \d{{1,2}},? (?:and|to|or|through) $|[$€£¥]\d{{1,3}}, $|&#\d+;$|[+±]$|\b\d{{1,3}} $"
)
_PHRASE_ENDS = (
    " and ",
    " to ",
    " or ",
    " through ",
    ", ",
    ";",
    "+",
    "±",
    *(f"{digit} " for digit in range(10)),
)
# "5 and 9 March", "1 to 6-7", "70+ yards", "11,500 and 6,200 BC", "30 000".
_PHRASE_AFTER = re.compile(
    rf"\+|(?: and| to| or| -| &) \d{{1,2}}(?:st|nd|rd|th)? {_MONTH}\b| to \d+[-–]\d"
    # "35 SQN Caribou" is a unit, "50 Cent" a person.
    r"| \d{3}\b| [A-Z]{3,}\b(?! [a-z])|(?<=\b50) Cent\b"
    r"| (?:and|to|or) [\d,]+ (?:BCE?|AD|CE|B\.C\.|A\.D\.)(?!\w)"
)
_QUOTED = re.compile(r"[“\"][A-Z][^”\"]{0,30}$")  # “Sleek by 50”
_REST_OF_MONEY = re.compile(r", \d{3}\b")
# "seven play drive", "70 mile per hour", "3 and out": the number and the unit describe something.
_UNIT_AFTER = re.compile(
    r" (?:point|yard|year|month|day|week|man|mile|foot(?! soldier)|minute|hour|game|star|play|catch|inch|mark|yd\.)"
    r"(?:,| [a-z(])| and out\b| or (?:more|fewer|less)\b"
)
_SCORE_AFTER = re.compile(
    r" (?:yard|point|game|year) (?:touchdown|td|field|run|pass|score|line|lead|loss|win)", re.IGNORECASE
)
# "4th and 1"
_DOWN_BEFORE = re.compile(r"(?:\d(?:st|nd|rd|th)|\b(?:first|second|third|fourth)) and $", re.IGNORECASE)
# "a 48, a 38, and a 25-yard field goal": the noun follows the last number.
_ELIDED_AFTER = re.compile(r",? (?:and|or|&) an? |, an? |(?:, \d+)*,? (?:and|or|&) \d+-")
_ARTICLE = re.compile(r"\b[Aa]n? (?:\d+, )*$")
# "17% from 18 to 24", "under the age of 18", "those aged 65 and over": names of age groups.
_AGE_BEFORE = re.compile(
    r"\b(?:age|ages|aged|age of|ages of|ages between|aged between)(?: of| from)?(?: \d{1,2} (?:and|to|or))? $"
)
_SPAN_OPENS = re.compile(r"\b(?:from|between|the|those) $|(?:^|[,;(] )$")
_SPAN_CLOSES = re.compile(r"\b(?:(?:from|between) \d{1,2} (?:to|and)|\d{1,2} (?:to|and)) $")
_SPAN_AFTER = re.compile(r" (?:to|and) \d{1,2}(?:,|[.;)?]|$| (?:who|years|year|and|age|group)\b)")
_SPAN_ENDS = re.compile(r"[.,;)?]|$| (?:who|years|year|and|age|group)\b")
_YEARS_OLD = re.compile(
    r" (?:years? )?(?:of age|old)?\b ?(?:or|and) (?:older|over|younger|under|above|below)\b"
)
# A range of ages has a word for age nearby, or a share of people: "28.5% from 25 to 44".
_OF_AGE = re.compile(
    r"\b(?:age|ages|aged|years old|of age|older|younger|percent|people|population)\b"
    r"|% (?:were |are )?(?:from|between) \d"
)
_NEAR = 120


def is_age(text: str, start: int, end: int) -> bool:
    """Return whether the number bounds an age group: "17% from 18 to 24", "65 years of age or older"."""
    if end - start > 2 or not text[start:end].isdigit():
        return False
    since = max(0, start - _WINDOW)
    if _AGE_BEFORE.search(text, since, start) or _YEARS_OLD.match(text, end):
        return True
    opens = _SPAN_AFTER.match(text, end) and _SPAN_OPENS.search(text, since, start)
    closes = _SPAN_CLOSES.search(text, since, start) and _SPAN_ENDS.match(text, end)
    return bool(opens or closes) and bool(_OF_AGE.search(text, max(0, start - _NEAR), end + _NEAR))


def is_early_year(text: str, start: int, end: int) -> bool:
    """Return whether the context makes three digits a year: "35,000 in 273 to"."""
    return (
        end - start == 3
        and text[start:end].isdigit()
        and _EARLY_YEAR_BEFORE.search(text, max(0, start - _WINDOW), start) is not None
        and _EARLY_YEAR_AFTER.match(text, end) is not None
    )


def in_phrase(text: str, start: int, end: int) -> bool:
    """Return whether the number is part of a phrase with a fixed form: "5 and 9 March", ".500"."""
    if text[start] == "." or _PHRASE_AFTER.match(text, end):
        return True
    if text[end : end + 1] in ("”", '"') and _QUOTED.search(text, max(0, start - _WINDOW), start):
        return True
    # Plain comparisons first: this test runs for every number and rarely succeeds.
    if text.endswith(_PHRASE_ENDS, 0, start) and _PHRASE_BEFORE.search(text, max(0, start - _WINDOW), start):
        return True
    return text[start - 1 : start] in ("$", "€", "£", "¥") and _REST_OF_MONEY.match(text, end) is not None


def has_name(text: str, start: int, end: int) -> bool:
    """Return whether the number is part of a name, after a capitalised word: "Hill 950", "Fox Sports 1"."""
    first = text[text.rfind(" ", 0, max(0, start - 1)) + 1]
    if not (first.isupper() or first in "(#" or first.isspace()):
        return False
    match = _CAPITAL_WORD.search(text, max(0, start - _WINDOW), start)
    if match is None:
        return False
    word = match[1]
    if word is not None and (word.lower() in NOT_NAMES_BEFORE_NUMBER or word[-1] == "."):
        return False
    if word is None or text[start:end] == "1" or not _COUNTED_AFTER.match(text, end):
        return True
    named = _ARTICLE_AND_NAME.search(text, max(0, start - _WINDOW), start)
    return named is not None and not _MEASURED_AFTER.match(text, end)


def is_silent_name(text: str, start: int, end: int) -> bool:
    """Return whether the number is part of a name and not written in words: "Route 66", "Week 9"."""
    if not text[start:end].isdigit() or text[end : end + 1] == "%":
        return False
    return has_name(text, start, end) or stands_with_article(text, start, end)


def has_spoken_label(text: str, start: int) -> bool:
    """Return whether a label precedes the number that also takes words: "Week 9", "Game two"."""
    return _SPOKEN_LABEL.search(text, max(0, start - _WINDOW), start) is not None


def stands_with_article(text: str, start: int, end: int) -> bool:
    """Return whether the number has an article but no noun: "the 7800 had", "at the 22."."""
    if not text.endswith(_ARTICLE_ENDS, 0, start) or not _NOUNLESS_AFTER.match(text, end):
        return False
    return _ONLY_ARTICLE.search(text, max(0, start - _WINDOW), start) is not None


def describes(text: str, start: int, end: int) -> bool:
    """Return whether the number is part of a modifier: "a seven play drive", "a 70 mile per hour limit"."""
    if (_SCORE_AFTER if text[start:end] == "1" else _UNIT_AFTER).match(text, end):
        return True
    if _ELIDED_AFTER.match(text, end) and _ARTICLE.search(text, max(0, start - _WINDOW), start):
        return True
    return text.endswith(" and ", 0, start) and bool(
        _DOWN_BEFORE.search(text, max(0, start - _WINDOW), start)
    )

"""What the neighbouring words say: is 1998 a year, is "one" a pronoun, is "second" a time.

All functions take `line`, the text in lower case with one blank at each end.
"""

from __future__ import annotations

import re

_FIRST_YEAR, _LAST_YEAR = 1500, 2100
_WINDOW = 32
_LEFT_WORD = re.compile(r"([a-z0-9'’]+)[^a-z0-9]{0,3}$")
_RIGHT_WORD = re.compile(r"(\s|-)([a-z'’]+)")

_SAYS_YEAR = frozenset(
    "in since until till during year years fiscal fy calendar early late mid circa c ca season spring summer "
    "autumn fall winter class founded established born".split()
)
_MAY_SAY_YEAR = frozenset(
    "the of from to by for and or after before between around through throughout than versus vs ended "
    "ending as about".split()
)
_COUNTED = frozenset("people men women children feet mice fish sheep more other different of".split())
_NOT_PLURAL = frozenset("was is has its his this as us yes thus census series always perhaps across".split())
JOINS_YEARS = re.compile(
    r"(?:,| and| or| to| through|, and|,? compared (?:to|with)| vs\.?| versus| and in)? $"
)
_ANOTHER_YEAR = re.compile(
    r"(?:,|,? and|,? or| to| through|,? compared (?:to|with)| vs\.?| versus) (?:1[5-9]|20)[0-9]{2}\b"
)

_BEFORE_PRONOUN = frozenset(
    "each every this that which no any some the another other only last next first second third same every "
    "either neither new old big small large little good bad better best worst right wrong red blue green yellow black "
    "white pink purple brown orange bigger smaller larger longer shorter taller cheaper heavier lighter".split()
)
_BEFORE_PRONOUN_ALONE = frozenset("a an is was by".split())
_AFTER_PRONOUN = frozenset("of another who which whose that".split())
_AFTER_OF_NUMBER = re.compile(r" of (?:them|these|those|us|the (?:two|three|four))?")

_DETERMINERS = frozenset("the his her their its my our your this that another every in from only".split())
_AFTER_SECOND = frozenset(
    "half quarter grade grader graders floor place round level day week weeks month year years time base team "
    "row box set game class hand half-time largest highest best biggest most one stop group inning".split()
)
_NOT_AFTER_A_SECOND = frozenset(
    "and or of later to before after in for per but is was at on when if he she they it".split()
)
_NOT_BEFORE_HALF = frozenset(
    "the first second third 1st 2nd other each either this that final latter former opening closing last next "
    "upper lower top bottom left right better bigger smaller front back whole".split()
)
_HALF_UNITS = frozenset("hour mile dollar pound dozen million gallon cup inch pint day year".split())
_AFTER_HYPHENED_NAME = frozenset(
    "of for and to or by in than mid pre post year month day early late non ex".split()
)


def left_word(line: str, start: int) -> str:
    """The word before this place, "" at the start or after a full stop."""
    match = _LEFT_WORD.search(line[max(0, start - _WINDOW) : start])
    if not match or any(mark in match[0] for mark in ".!?;:"):
        return ""
    return match[1]


def right_word(line: str, end: int) -> tuple[str, str]:
    """What joins the next word (a blank or a hyphen) and the word, or two empty texts."""
    match = _RIGHT_WORD.match(line, end)
    return (match[1], match[2]) if match else ("", "")


def looks_like_year(surface: str) -> bool:
    """Whether these digits can be a year at all."""
    return len(surface) == 4 and surface.isdigit() and _FIRST_YEAR <= int(surface) <= _LAST_YEAR


def is_year(line: str, start: int, end: int) -> bool:
    """Whether four digits that can be a year are one, by the words around them."""
    if line[start - 1] == "(" and line[end] == ")":
        return True
    left = left_word(line, start)
    joint, right = right_word(line, end)
    counted = bool(right) and (
        right in _COUNTED or (right.endswith("s") and len(right) > 3 and right not in _NOT_PLURAL)
    )
    if left in _SAYS_YEAR:
        return not counted
    if _ANOTHER_YEAR.match(line, end):
        return True
    if left not in _MAY_SAY_YEAR or counted or joint == "-":
        return False
    return left == "the" or not right or right in _MAY_SAY_YEAR or right in _SAYS_YEAR or right in _NOT_PLURAL


def is_name_part(line: str, at: int) -> bool:
    """Whether the hyphen at this place ties a number to a name, as in "covid-19" and "f-16".

    "3-of-4", "mid-1990s" and "1920s-1950s" are not names.
    """
    if not line[at - 1].isalpha():
        return False
    word = re.search(r"[0-9]*[^\W\d_]+$", line[max(0, at - _WINDOW) : at])
    return word is None or not (word[0] in _AFTER_HYPHENED_NAME or word[0][0].isdigit())


def denies(word: str, line: str, start: int, end: int) -> bool:
    """Whether the words around a bare number word say that it is not (surely) a number here."""
    rule = _RULES.get(word)
    return rule is not None and rule(line, start, end)


def _one_is_pronoun(line: str, start: int, end: int) -> bool:
    left = left_word(line, start)
    joint, right = right_word(line, end)
    if joint == "-":
        return False
    if left in _BEFORE_PRONOUN:
        # "the one boy who ..." counts; "the one who ..." and "the first one had ..." do not.
        return left not in ("the", "only", "last", "next", "first", "new", "same", "other") or not _is_noun(
            line, end, right
        )
    if right in _AFTER_PRONOUN or line.startswith(("'s", "’s"), end):
        return True
    return left in _BEFORE_PRONOUN_ALONE and not right and left in ("a", "an")


def _is_noun(line: str, end: int, right: str) -> bool:
    return bool(right) and right not in _NO_NOUN and not right.endswith(("ed", "ing"))


_NO_NOUN = frozenset(
    "who that which of is was has had with in on at and or for to from by costs cost contains weighs holds "
    "can could will would should may might did does do are were he she they it you we i made makes got gets "
    "went goes were than as but if when while where because she's he's".split()
)


def _second_is_time(line: str, start: int, end: int) -> bool:
    joint, right = right_word(line, end)
    left = left_word(line, start)
    if (
        joint == "-"
        or right in _AFTER_SECOND
        or left in ("the", "his", "her", "their", "its", "my", "our", "your")
    ):
        return False
    if left.endswith(("'s", "’s")):
        return False
    if left in ("a", "another"):
        return not right or right in _NOT_AFTER_A_SECOND
    beside = line[max(0, start - 11) : start] + "|" + line[end : end + 12]
    return not re.search(r"first(?:,| and| or|,? and) \||\|(?:,| and| or|,? and) (?:third|fourth)", beside)


def _first_is_adverb(line: str, start: int, end: int) -> bool:
    left = left_word(line, start)
    return (left == "at" and right_word(line, end)[1] in ("", "and", "but", "if", "when")) or (
        left == "" and line[end] == ","
    )


def _half_is_a_part(line: str, start: int, end: int) -> bool:
    joint, right = right_word(line, end)
    if joint == "-":
        return right not in _HALF_UNITS
    left = left_word(line, start)
    return left in _NOT_BEFORE_HALF or left.endswith("ern") or right == "time"


_RULES = {
    "one": _one_is_pronoun,
    "second": _second_is_time,
    "first": _first_is_adverb,
    "half": _half_is_a_part,
}

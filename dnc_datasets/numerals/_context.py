"""What the neighbouring words say: is 1998 a year, is "one" a pronoun, is "second" a time.

All functions work on `line`, the text in lower case with one blank at each end.
"""

from __future__ import annotations

import re

from dnc_datasets.numerals._quantity import Quantity

_FIRST_YEAR, _LAST_YEAR = 1500, 2100
_WINDOW = 32
_ABBREVIATIONS = ("c.", "ca.", "vs.")
_OPENING = ' "“‘('
_QUOTES = '-.,()[]"“”‘'
_RIGHT_WORD = re.compile(r"(\s|-)([a-z'’]+)")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# After the first a year follows whatever comes next; after the second unless something is counted ("in 2000
# boxes"); after the third if the next word is no noun; after an owner also if it is one ("the 1998 vote").
_SURE_OF_YEAR = _words(
    "since until till year years fiscal fy calendar circa c ca spring summer autumn fall winter dated dating "
    "census election january february march april may june july august september october november december"
)
_SAYS_YEAR = _words("in during early late mid season class founded established born")
_MAY_SAY_YEAR = _words(
    "of from to by for and or after before between around through throughout than versus vs ended ending as "
    "about"
)
_OWNERS = _words("the a an our its their his her my this that entire")
_COUNTED = _words(
    "people men women children feet mice fish sheep more other different of meter metre mile foot pound "
    "dollar square cubic gallon kilometer kilometre acre ton tonne watt calorie page word piece"
)
_NOT_PLURAL = _words(
    "was is has its his this as us yes thus census series always perhaps across elections olympics results "
    "includes"
)
_AFTER_YEAR = _NOT_PLURAL | _words(
    "the and or to in of from by for after before between through than versus a an there they he she it we "
    "only were are had have will would with when where which who but because while at on not until since"
)
_LINK = r"(?:,|,? and(?: in)?|,? or| to| through|,? (?:as )?compared (?:to|with)|,? vs\.?|,? versus)"
_JOINS_YEARS = re.compile(rf"{_LINK} ")
_ANOTHER_YEAR = re.compile(rf"{_LINK} (?:1[5-9]|20)[0-9]{{2}}\b")

_BEFORE_PRONOUN = _words("each every this that which no any some another either neither")
_BEFORE_PRONOUN_OR_NOUN = _words(
    "the only last next first second third same other new old big small large little good bad better best "
    "worst right wrong red blue green yellow black white pink purple brown orange bigger smaller larger "
    "longer shorter taller cheaper heavier lighter"
)
_AFTER_PRONOUN = _words("of another who which whose that")
_ARTICLES = _words("the a an this that his her their my your our")
# Words that follow a pronoun; a noun follows the number ("the one boy").
_NOT_NOUNS = _words(
    "who that which of is was has had with in on at and or for to from by costs cost contains weighs holds "
    "can could will would should may might did does do are were he she they it you we i made makes got gets "
    "went goes than as but if when while where because"
)

_BEFORE_SECOND = _words("the his her their its my our your")
_AFTER_SECOND = _words(
    "half quarter grade grader graders floor place round level day week weeks month year years time base "
    "team row box set game class hand largest highest best biggest most one stop group inning"
)
_NOT_AFTER_A_SECOND = _words(
    "and or of later to before after in for per but is was at on when if he she they it"
)
_ORDINAL_BESIDE = re.compile(r"first(?:,|,? and|,? or) \||\|(?:,|,? and|,? or) (?:third|fourth)")

_BEFORE_A_PART = _words(
    "the first second third 1st 2nd other each either this that final latter former opening closing last "
    "next upper lower top bottom left right better bigger smaller front back whole"
)
_HALVED_UNITS = _words("hour mile dollar pound dozen million gallon cup inch pint day year")

_BEFORE_A_NUMBER = _words("of for and to or by in than mid pre post year month day early late non ex")
_TIED_WORD = re.compile(r"[0-9]{0,32}[^\W\d_]{1,32}$")


def left_word(line: str, start: int, back: int = 1) -> str:
    """The word before this place (or the one `back` words before), "" behind the end of a sentence."""
    words = line[max(0, start - _WINDOW) : start].rstrip(_OPENING).split()
    if len(words) < back:
        return ""
    word = words[-back]
    return "" if word[-1] in ".!?;:" and word not in _ABBREVIATIONS else word.strip(_QUOTES)


def right_word(line: str, end: int) -> tuple[str, str]:
    """What joins the next word (a blank or a hyphen) and the word, or two empty texts."""
    match = _RIGHT_WORD.match(line, end)
    return (match[1], match[2]) if match else ("", "")


def looks_like_year(surface: str) -> bool:
    """Whether these digits can be a year at all."""
    return len(surface) == 4 and surface.isdigit() and _FIRST_YEAR <= int(surface) <= _LAST_YEAR


def is_year(line: str, text: str, start: int, end: int, last: Quantity | None) -> bool:
    """Whether four digits that can be a year are one, by the words around them and the number before."""
    if last and last.kind in ("date", "ordinal") and line[last.end + 1 : start] in (", ", " "):
        return True  # "May 5, 2010"
    if last and last.kind == "year" and _JOINS_YEARS.fullmatch(line, last.end + 1, start):
        return True
    if line[start - 1] == "(" and line[end] in "):":
        return True
    left = left_word(line, start)
    if left in _SURE_OF_YEAR or (left == "of" and left_word(line, start, back=2) in _SURE_OF_YEAR):
        return True
    joint, right = right_word(line, end)
    named = joint == " " and text[end : end + 1].isupper()  # "the 2020 Notes"
    counted = right in _COUNTED or (right.endswith("s") and len(right) > 3 and right not in _NOT_PLURAL)
    if left in _SAYS_YEAR:
        return named or not counted
    if _ANOTHER_YEAR.match(line, end):
        return True
    owned = left in _OWNERS or left.endswith(("'s", "’s"))
    if joint == "-" or not (owned or left in _MAY_SAY_YEAR):
        return False
    return named or not right or (owned and not counted) or right in _AFTER_YEAR


def is_name_part(line: str, at: int) -> bool:
    """Whether the hyphen at this place ties a number to a name, as in "covid-19" and "f-16".

    "3-of-4", "mid-1990s" and "1920s-1950s" are not names.
    """
    if not line[at - 1].isalpha():
        return False
    word = _TIED_WORD.search(line[max(0, at - _WINDOW) : at])
    return word is None or not (word[0] in _BEFORE_A_NUMBER or word[0][0].isdigit())


def denies(word: str, line: str, start: int, end: int) -> bool:
    """Whether the words around a bare number word say that it is not (surely) a number here."""
    rule = _RULES.get(word)
    return rule is not None and rule(line, start, end)


def _one_is_pronoun(line: str, start: int, end: int) -> bool:
    joint, right = right_word(line, end)
    if joint == "-":
        return False
    left = left_word(line, start)
    if left in _BEFORE_PRONOUN or right in _AFTER_PRONOUN or line.startswith(("'s", "’s"), end):
        return True
    if right and right not in _NOT_NOUNS and not right.endswith(("ed", "ing")):
        return False
    return left in _BEFORE_PRONOUN_OR_NOUN or left_word(line, start, back=2) in _ARTICLES


def _second_is_time(line: str, start: int, end: int) -> bool:
    joint, right = right_word(line, end)
    left = left_word(line, start)
    if joint == "-" or right in _AFTER_SECOND or left in _BEFORE_SECOND or left.endswith(("'s", "’s")):
        return False
    if left in ("a", "another"):
        return not right or right in _NOT_AFTER_A_SECOND
    return not _ORDINAL_BESIDE.search(f"{line[max(0, start - 11) : start]}|{line[end : end + 12]}")


def _first_is_adverb(line: str, start: int, end: int) -> bool:
    right = right_word(line, end)[1]
    if right and right not in ("and", "but", "if", "when"):
        return False
    left = left_word(line, start)
    return left == "at" or (left == "" and line[end] == ",")


def _half_is_a_part(line: str, start: int, end: int) -> bool:
    joint, right = right_word(line, end)
    if joint == "-":
        return right not in _HALVED_UNITS
    left = left_word(line, start)
    return left in _BEFORE_A_PART or left.endswith("ern") or right == "time"


_RULES = {
    "one": _one_is_pronoun,
    "second": _second_is_time,
    "first": _first_is_adverb,
    "half": _half_is_a_part,
}

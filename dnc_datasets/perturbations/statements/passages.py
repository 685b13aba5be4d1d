"""Which sentences of a passage can be read on their own: they say of whom or where, and go on from nothing."""

from __future__ import annotations

import re

# A passage has told of which city, and a story of what: "the median income for the city", "Amy takes 3 away".
_LEANS = re.compile(
    r"\A(?:As a result|As such|In the (?:city|county|town|village|borough|township)|For every|The (?:per capita|median|"
    r"average|racial|population density)|About \d|Males had|Of these)\b"
    r"|\bthe (?:city|county|town|village|borough|township|district|region|province|game|lead|[Cc]ourt|population|"
    r"offense|defense|scoring|score|drive|air force|army|fleet|siege|war)\b(?! of [A-Z])"
    r"|\b(?:regain|resum|extend|trail)(?:ed|ing|s)?\b|\binch(?:ed)? closer\b|\bthe commune\b"
    r"|\AThere (?:were|are) [\d,]+ (?:housing units|households|people|families)\b"
)
# Reports of games tell of one game from its first word to its last.
_OF_A_GAME = re.compile(
    r"\b(?:quarter|touchdown|TD|field goal|yards?|halftime|sacked|rushed|duel|score[sd]?|scoring|offense|defense|"
    r"season|goals?|saves?|overtime|inning|playoffs?|kicker|quarterback)\b"
)
# "had signed" comes before something told, and letters stand for what was said in full: "the WSLF".
_TOLD_BEFORE = re.compile(
    r"\bhad (?:been )?[a-z]+(?:ed|en)\b|\b[A-Z]{3,}\b|\bthe (?:offensive|garrison|expedition)\b"
)
_OPENS_NOTHING = re.compile(
    r"(?:Perhaps|Hoping|Coming|Every|Offensively|Despite|By [a-z]|Gross Domestic|"
    r"The (?:number|percentage|share|rate|home|total|majority|remainder)\b)"
)
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_OPENERS = (
    "The|There|In|On|At|By|After|Before|During|From|Of|For|As|When|While|With|An?|About|Since|Over|Under|Throughout|"
    "Some|Most|Nearly|Around|Approximately|Until|Between|Among|To|Only|More|Less"
)
# What is told happened somewhere, to somebody.
_NAMED = re.compile(
    rf"(?!\A)\b(?!(?:{_MONTH}|Week)\b)[A-Z][a-z]{{2,}}|\A(?!(?:{_OPENERS})\b)[A-Z][a-z]{{3,}} [a-z]"
)


def stands_alone(sentence: str) -> bool:
    """Whether the sentence can be told in a passage about something else.

    >>> stands_alone("In 1872 Harwick had 300 houses."), stands_alone("There were 300 births in 1872.")
    (True, False)
    """
    if _LEANS.search(sentence) or _OF_A_GAME.search(sentence) or _TOLD_BEFORE.search(sentence):
        return False
    if _OPENS_NOTHING.match(sentence):
        return False
    return _NAMED.search(sentence) is not None


_WHEN = re.compile(rf"(?:In|On|By) (?:\d{{1,2}} )?(?:(?:{_MONTH}) )?(?:\d{{1,2}}, )?[12]\d{{3}}\b")
_FEWEST_NAMES = 2


def tells_when_and_who(sentence: str) -> bool:
    """Whether a sentence amid a passage opens with a date and names at least two.

    >>> tells_when_and_who("In May 1872, the town of Harwick was sold to Dunmore.")
    True
    """
    names = {name[0] for name in _NAMED.finditer(sentence)}
    return _WHEN.match(sentence) is not None and len(names) >= _FEWEST_NAMES

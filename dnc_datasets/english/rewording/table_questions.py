"""Standard forms of questions for a change in a table.

"By what percent did sales grow" becomes a question for the growth in sales.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from dnc_datasets.english.lexicon import MONTH, NOUNS_OF_CHANGES

_SPACED: Final = re.compile(r" (?=[,?])")
_DID: Final = "|".join(NOUNS_OF_CHANGES)
_A_PERIOD: Final = r"(?:from|between|in|during|for|over) [a-zA-Z0-9, -]{0,40}(?:19|20)\d\d(?:[a-zA-Z0-9, -]{0,40}(?:19|20)\d\d)?"
_VERB: Final = re.compile(
    r"(?P<by>[Bb]y )?(?P<how>[Ww]hat|[Hh]ow (?:much|many))(?: (?P<share>percent|percentage|%))? did "
    rf"(?P<what>[^?]{{2,120}}?) (?P<verb>{_DID})(?P<back> by)?(?P<period> {_A_PERIOD})? ?\?"
)
_VERB_FIRST: Final = re.compile(
    r"(?P<what>[A-Za-z][^?]{2,120}?) (?P<verb>changed?|increased?|decreased?|grew|declined?) by what "
    rf"(?:percent|percentage|%)(?P<period> {_A_PERIOD})? ?\?"
)
_PERIOD_FIRST: Final = re.compile(
    r"(?P<period>(?:[Ii]n|[Ff]rom|[Bb]etween|[Dd]uring|[Ff]or) [a-zA-Z0-9, -]{0,40}(?:19|20)\d\d"
    r"(?:(?: and| to|-) ?[a-zA-Z]{0,12} ?(?:19|20)\d\d)?),? "
    r"(?P<rest>what (?:is|was|were|are) (?:the )?(?:net |total )?(?:percent|percentage|%|change|increase|decrease|growth|"
    r"decline|difference|average)\b[^?]{2,150})\?"
)
_PERIOD_INSIDE: Final = re.compile(
    r"(?P<head>[Ww]hat (?:is|was) the (?:(?:percent|percentage|%) )?(?:change|increase|decrease|growth|decline|difference)) "
    r"(?P<period>(?:from|between) (?:19|20)\d\d (?:to|and) (?:19|20)\d\d) (?:in|of|for) (?P<what>[^?]{2,150})\?"
)
_OWN_YEARS: Final = re.compile(
    r"(?P<head>[Ww]hat (?:is|was) the (?:(?:percent|percentage|%) )?(?:change|increase|decrease|growth|decline)) in "
    r"the company's (?P<first>(?:19|20)\d\d) and (?P<second>(?:19|20)\d\d) (?P<what>[^?]{2,150})\?"
)
_PERCENT_OF_CHANGE: Final = re.compile(
    r"\b(?:percent|percentage|%) of (?:the |an? )?(?=(?:net )?(?:increase|decrease|change|growth|decline) (?:in|of)\b)"
)
_RATE_OF_CHANGE: Final = re.compile(
    r"\b(?:(?:percent|percentage|%|expected|annual|overall) ){0,2}(?:growth rate|rate of growth) (?:in|of|for)\b"
)
# A question with its own time: "bought in december".
_TIMED: Final = re.compile(rf"\b(?:(?:19|20)\d\d|{MONTH}|quarters?|periods?|months?)\b", re.IGNORECASE)
_AVERAGE_OF_A_YEAR: Final = re.compile(
    r"(?P<head>[Ww]hat (?:is|was) the )(?P<year>(?:19|20)\d\d) average (?P<what>[^?\d]{2,150})\?"
)


class Moved(NamedTuple):
    """A question for the amount of a change: its subject, the verb, and the period with a space before it."""

    what: str
    verb: str
    period: str
    share: bool
    capital: bool

    def noun_form(self) -> str:
        """Return the question with a noun for the verb: "what was the percentage increase in sales?"."""
        kind = "percentage " if self.share else ""
        opening = "What" if self.capital else "what"
        return f"{opening} was the {kind}{NOUNS_OF_CHANGES[self.verb]} in {self.what}{self.period}?"

    def whether(self, compared: str) -> str:
        """Return the yes-or-no question: "did sales increase by more than 7% in 2012?"."""
        opening = "Did" if self.capital else "did"
        return f"{opening} {self.what} {self.verb} by {compared}{self.period}?"


def tidy(question: str) -> str:
    """Return a question with a question mark and without spaces before commas.

    >>> tidy("as of june 30 , 2014 what was the change ?")
    'as of june 30, 2014 what was the change?'
    """
    text = _SPACED.sub("", question.strip())
    return text if text.endswith("?") else f"{text}?"


def moved(question: str, *, relative: bool) -> Moved | None:
    """Return the parts of a question for the amount of a change.

    `relative` states whether its equation gives a percentage.

    >>> moved("by what percent did sales grow from 2011 to 2012?", relative=True).noun_form()
    'what was the percentage growth in sales from 2011 to 2012?'
    """
    text = tidy(question)
    found = _VERB.fullmatch(text)
    if found is not None:
        named = found["share"] is not None
        # "how many did sales increase" counts something; "what did sales increase" is no question.
        is_asked = named or (found["how"].lower() == "how much") or (found["by"] and found["how"][0] in "Ww")
        if (named and not relative) or not is_asked:
            return None
        return Moved(found["what"], found["verb"], found["period"] or "", relative, text[0].isupper())
    found = _VERB_FIRST.fullmatch(text)
    if found is None or not relative:
        return None
    verb = "grow" if found["verb"] == "grew" else found["verb"].removesuffix("d").removesuffix("e")
    verb = {"increas": "increase", "decreas": "decrease", "declin": "decline", "chang": "change"}.get(
        verb, verb
    )
    return Moved(found["what"], verb, found["period"] or "", True, text[0].isupper())


def noun_forms(question: str, *, relative: bool, averaged_years: tuple[int, ...] = ()) -> list[str]:
    """Return other forms of a question for a change or an average, with the operation as the first noun.

    `averaged_years` are the years of the operands, for "the 2019 average", which is of two years.

    >>> noun_forms("in 2012 what was the percent of the increase in rent", relative=True)
    ['what was the percentage increase in rent in 2012?']
    """
    text = tidy(question)
    if asked := moved(text, relative=relative):
        return [asked.noun_form()]
    if relative:
        text = _PERCENT_OF_CHANGE.sub("percentage ", text)
        text = _RATE_OF_CHANGE.sub("percentage growth in", text)
    if (found := _PERIOD_FIRST.fullmatch(text)) and not _TIMED.search(found["rest"]):
        period = found["period"][0].lower() + found["period"][1:]
        rest = found["rest"]
        text = f"{rest[0].upper() if text[0].isupper() else rest[0]}{rest[1:]} {period}?"
    elif found := _PERIOD_INSIDE.fullmatch(text):
        text = f"{found['head']} in {found['what']} {found['period']}?"
    elif found := _OWN_YEARS.fullmatch(text):
        text = f"{found['head']} in the company's {found['what']} from {found['first']} to {found['second']}?"
    elif len(averaged_years) == 2 and (found := _AVERAGE_OF_A_YEAR.fullmatch(text)):
        first, second = averaged_years
        if (str(second), second - first) == (found["year"], 1):
            text = f"{found['head']}average {found['what']} in {first} and {second}?"
    return [text] if text != question else []

"""Questions for the share of a part in a total, and other questions about part and total."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from dnc_datasets.english.lexicon import FINANCIAL_MEASURES, MEASURE_NOUNS, VALUED_THINGS, is_plural, plain
from dnc_datasets.english.rewording.table_questions import tidy

_SHARE: Final = r"(?:percent|percentage|portion|proportion|share)"
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_IN_A_YEAR: Final = r"(?:in|during|for|at|as of|as at|on|at the end of) [a-zA-Z0-9, ]{0,30}(?:19|20)\d\d"
_LEAD: Final = rf"(?:(?P<lead>{_IN_A_YEAR}),? )?"
_ENDING: Final = re.compile(rf" (?P<period>{_IN_A_YEAR})\Z")
_BE: Final = r"(?:is|was|are|were)"
_WHAT_SHARE: Final = re.compile(
    rf"{_LEAD}what {_SHARE} of (?P<whole>[^?]{{2,120}}?) (?P<be>{_BE}) (?P<rest>[^?]{{2,120}})\?",
    re.IGNORECASE,
)
_WHAT_DID: Final = re.compile(
    rf"{_LEAD}what {_SHARE} of (?P<whole>[^?]{{2,120}}?) (?P<verb>came|comes|come) (?P<rest>from [^?]{{2,120}})\?",
    re.IGNORECASE,
)
_DOES_THE_PART: Final = re.compile(
    rf"{_LEAD}what {_SHARE} of (?P<whole>[^?]{{2,120}}?) (?P<do>do|does|did) (?P<part>[^?]{{2,100}}?) "
    r"(?P<verb>represent|make up|account for|comprise|form a part of)(?P<rest> [^?]{2,60})?\?",
    re.IGNORECASE,
)
_AS_A_SHARE: Final = re.compile(
    rf"{_LEAD}what (?P<be>{_BE}) (?:the )?(?P<part>[^?]{{2,120}}?) (?:expressed )?as a (?:percent|percentage) of (?:the |its )?"
    r"(?P<whole>[^?]{2,120})\?",
    re.IGNORECASE,
)
_CONSTITUTION: Final = re.compile(
    rf"{_LEAD}what (?P<be>{_BE}) the (?:percentage constitution|percentage|proportion|share) of (?:the )?"
    r"(?P<part>[^?]{2,100}?) (?:in|among|over|to) (?P<whole>[^?]{2,100})\?",
    re.IGNORECASE,
)
_AMOUNT_OF: Final = re.compile(r"\A(?:proportion|amount|value) of (?:the )?")
_MADE_OF: Final = re.compile(
    r"(?:comprised of|made up of|composed of|made up by|represented by|attributable to|generated from|derived from|"
    r"accounted for by|due to|related to|from) (?:the )?(?P<part>.+)",
    re.IGNORECASE,
)
# Words after the verb of a share that are not nouns: "fully integrated", "not European", "in Spain".
_NO_NOUN: Final = re.compile(
    r"(?:not|fully|partly|still|located|based|in|on|at|within|outside|due|outstanding|payable|available|[a-z]+ed|held|written|"
    r"owned|sold|paid|spent|made|for|to|under|after|before|currently|expected|related|attributable|from|generated)\b",
    re.IGNORECASE,
)


_NEGATED: Final = re.compile(
    r"\b(?:not|non|no|neither|only|either|or)\b|\bnon-|\bun[a-z]+ed\b", re.IGNORECASE
)
_DO: Final = frozenset(("do", "does", "did"))
_CAME: Final = {"came": "did", "come": "do", "comes": "does"}


class Share(NamedTuple):
    """A question for a share: the names of part and total, the period, and the words of the question."""

    part: str
    whole: str
    period: str  # "in 2018", from before or after the rest
    verb: str  # "was", "came", or "did" where the part makes up the whole
    rest: str  # the words after the verb: "comprised of leases", "from Spain"
    capital: bool
    definite: bool = False  # whether the question has an article before the part

    @property
    def has_noun(self) -> bool:
        """Return whether a noun seems to follow "was": "what percent of total costs was rent"."""
        return bool(self.rest) and self.verb not in _CAME and not _is_participle(self.rest)

    def rest_of_whole(self) -> str | None:
        """Return the question for the share of the rest; None where the position of "not" is unclear.

        >>> share("what percent of total costs was comprised of rent in 2018?").rest_of_whole()
        'what percentage of total costs was not comprised of rent in 2018?'
        """
        if not self.rest or _NEGATED.search(self.rest):
            return None
        period = f" {self.period}" if self.period else ""
        what = "What" if self.capital else "what"
        if self.verb in _CAME:
            return f"{what} percentage of {self.whole} {_CAME[self.verb]} not come {self.rest}{period}?"
        made = "made up of " if self.has_noun else ""
        return f"{what} percentage of {self.whole} {self.verb} not {made}{self.rest}{period}?"

    def whether(self, compared: str) -> str | None:
        """Return the yes-or-no question: "was more than 12% of total costs comprised of rent in 2018?"."""
        period = f" {self.period}" if self.period else ""
        if self.verb in _CAME:
            text = f"{_CAME[self.verb]} {compared} of {self.whole} come {self.rest}{period}?"
        elif self.rest and _is_participle(self.rest):
            text = f"{self.verb} {compared} of {self.whole} {self.rest}{period}?"
        elif self.part:
            helper, subject = self.verb, self.part
            if helper not in _DO:
                subject = _with_article(self.part, definite=self.definite)
                helper = (
                    "did" if self.verb in ("was", "were") else "do" if is_plural(_head(self.part)) else "does"
                )
            text = f"{helper} {subject} make up {compared} of {self.whole}{period}?"
        else:
            return None
        return f"{text[0].upper()}{text[1:]}" if self.capital else text


def share(question: str) -> Share | None:
    """Return the parts of a question for a share; None where they are not certain.

    >>> share("what percent of total costs was comprised of rent in 2018?").whether("more than 12%")
    'was more than 12% of total costs comprised of rent in 2018?'
    """
    text = tidy(question)
    capital = text[:1].isupper()
    if found := _DOES_THE_PART.fullmatch(text):
        rest = (found["rest"] or "").strip()
        if rest and not _ENDING.fullmatch(f" {rest}"):
            return None
        made = Share(found["part"], found["whole"], found["lead"] or rest, found["do"].lower(), "", capital)
    elif found := _WHAT_DID.fullmatch(text):
        rest, period = _parted(found["rest"], found["lead"])
        part = re.sub(r"\Afrom (?:the )?", "", rest)
        made = Share(part, found["whole"], period, found["verb"].lower(), rest, capital)
    elif found := _WHAT_SHARE.fullmatch(text):
        rest, period = _parted(found["rest"], found["lead"])
        named = _MADE_OF.fullmatch(rest)
        part = named["part"] if named else "" if _is_participle(rest) else re.sub(r"\A(?:the|an?) ", "", rest)
        made = Share(part, found["whole"], period, found["be"].lower(), rest, capital)
    elif found := _AS_A_SHARE.fullmatch(text) or _CONSTITUTION.fullmatch(text):
        whole, period = _parted(found["whole"], found["lead"])
        made = Share(found["part"], whole, period, found["be"].lower(), "", capital)
    else:
        return None
    words = f" {made.whole} {made.rest or made.part} "
    if not made.period and (found := _ENDING.search(made.whole)):
        made = made._replace(whole=made.whole[: found.start()], period=found["period"])
    part = _AMOUNT_OF.sub("", made.part)
    made = made._replace(part=part, definite=bool(part) and f"the {part}" in text)
    # A second verb or a second period makes the question ambiguous.
    if re.search(rf" (?:{_BE}|that|which|who|do|does|did|has|have|had|percent|percentage) |%", words):
        return None
    return None if _YEAR.search(words) else made._replace(period=_lowered(made.period))


def _is_participle(rest: str) -> bool:
    """Return whether the words after "was" are no noun: "written off", "fully integrated", "in Spain"."""
    first = rest.split()[0].lower()
    inflected = plain(first) not in (None, first) and not first.endswith(("ing", "s"))
    return inflected or _NO_NOUN.match(rest) is not None


def _parted(text: str, lead: str | None) -> tuple[str, str]:
    """Return a phrase without the period at its end, and the period."""
    found = _ENDING.search(text)
    if found is None or lead:
        return text, lead or ""
    return text[: found.start()], found["period"]


def _lowered(period: str) -> str:
    return f"{period[:1].lower()}{period[1:]}"


def _head(phrase: str) -> str:
    return re.split(r" (?:of|from|for|in|to|on|by|with|under|due|at) ", phrase)[0].split()[-1].lower()


def _with_article(phrase: str, *, definite: bool) -> str:
    """Return a phrase as a subject: names and plurals have no article, nor what may be a name in small letters."""
    head = _head(phrase)
    named = phrase[:1].isupper() or is_plural(head)
    measured = head in FINANCIAL_MEASURES or head in MEASURE_NOUNS or head in VALUED_THINGS
    return f"the {phrase}" if not named and (definite or measured) else phrase

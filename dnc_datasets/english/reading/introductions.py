"""Introductions: what a text brings in ("a stand") before it speaks of it as known ("the stand")."""

from __future__ import annotations

import re

from dnc_datasets.english.reading.verbs import is_verb

_KNOWN = re.compile(
    r"\b(?:[Tt]he|[Tt]his|[Tt]hat|[Tt]hese|[Tt]hose) (?=([a-z]+)(?: ([a-z]+))?(?: ([a-z]+))?)"
)
# Words that are no head of "the ...": what follows them is another phrase.
_LITTLE = frozenset(
    """of in on at for from with by to and or if when while than as is are was were be has have had will would can
    could did does do first second third last next other same rest total number amount beginning end morning
    afternoon evening day week month year time day days weeks hours minutes price cost way remaining
    he she they it you we i his her their its most least more than""".split()
)


def introduced_as_before(before: str, after: str) -> bool:
    """Is nothing that the one text brings in spoken of as known by the other before it is brought in?

    >>> text = "A stand sells 9 pies. How many days does the stand need to sell 90?"
    >>> introduced_as_before(text, "How many days does the stand need to sell 90 if a stand sells 9 pies?")
    False
    """
    old, new = before.lower(), after.lower()
    return not any(_opens_as_known(noun, new) and not _opens_as_known(noun, old) for noun in _known(after))


def _known(text: str) -> set[str]:
    """The nouns of "the ...", as far as they are plain to see: up to three words, none of them a verb."""
    found: set[str] = set()
    for match in _KNOWN.finditer(text):
        phrase: list[str] = []
        for word in match.groups():
            if word is None or word in _LITTLE or (phrase and is_verb(word) and not word.endswith("s")):
                break
            phrase.append(word)
        # "the bus carries": the second word may be a verb, so the first is looked at, too.
        found |= {_stem(word) for word in phrase if len(_stem(word)) > 2}
    return found


def _opens_as_known(stem: str, text: str) -> bool:
    """Is the first mention of the noun one that takes it as known?"""
    first = re.search(
        rf"(?P<known>\b(?:the|this|that|these|those) (?:(?!an? )[a-z'’]+ ){{0,3}})?\b{stem}(?:e?s)?\b", text
    )
    return first is not None and first["known"] is not None


def _stem(word: str) -> str:
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word.removesuffix("s")


# What everybody knows of: places where everybody goes, parts of the day, what is done at home.
_EVERYBODYS = frozenset(
    """zoo park school store shop beach library market mall supermarket farm museum movies cinema gym bank hospital
    office station airport city town village country world sun moon sky sea ocean river lake forest woods mountains
    internet morning afternoon evening night day week month year weekend weekends summer winter spring fall past
    future kitchen garden yard backyard house ground floor road street bus train pool playground cafeteria circus fair
    carnival post doctor dentist piano guitar violin news dishes laundry lawn trash end start beginning middle average
    same grocery pet toy candy book hardware convenience bakery restaurant hot cold rain dark first second third last
    following earth holidays""".split()
)


def leans_on_known(text: str) -> bool:
    """Does a sentence speak of something as known that neither it nor the world has brought in?

    >>> leans_on_known("Sam filled 75% of the hole."), leans_on_known("Sam saw 9 apes at the zoo.")
    (True, False)
    """
    small = text.lower()
    for match in re.finditer(r"\bthe ((?:[\w'’-]+ ){0,2}[\w'’-]+)", small):
        words = match[1].split()
        if "of" in words[1:] and words[0] not in ("rest", "remainder", "remaining"):
            continue  # "the price of a ticket": what it is the price of is looked at by itself
        earlier = small[: match.start()]
        if not any(
            word in _EVERYBODYS or re.search(rf"\b{re.escape(_stem(word))}", earlier) for word in words
        ):
            return True
    return False

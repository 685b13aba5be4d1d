"""Dependence: the words by which a sentence relies on the sentences before it."""

from __future__ import annotations

import re

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import KNOWN_WITHOUT_INTRODUCTION, TIME_UNIT
from dnc_datasets.english.reading.quantities import counted

_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|them|his|her|hers|its|their|theirs|himself|herself)\b", re.IGNORECASE
)
_CONNECTED = re.compile(
    r"\b(?:then|later|after|afterwards?|before|now|also|too|another|others?|rest|left|leaving|remaining|remainder|same|"
    r"these|those|this|that|both|still|again|next|finally|lastly|first|second|third|last|until|instead|however|so|but|"
    r"once|because|since|together|altogether|total|all|when|while|additional|extra|new|already|yet|only|either|such|"
    r"ones|everyone|who|which|originally|back|combined|even|though|if|suppose|how|what|some)\b",
    re.IGNORECASE,
)
# "40 percent are juniors": the total is not stated
# "Ben throws in 3 times as many": the place is not stated
_INTO_NOTHING = re.compile(
    r"\b(?:throws?|threw|puts?|pours?|poured|adds?|drops?|dropped|mixes|jumps?|moves?|moved|sends?|brings?|brought) in "
    rf"(?=\w+ (?!(?:{TIME_UNIT})))"
)
_SHARE_OF_NOTHING = re.compile(r"\d ?(?:%|percent) (?:are|were|is|was|have|had|like|liked|prefer)\b")
_AS_MANY = re.compile(r"\bas (?:many|much)\b(?! (?:[a-z-]+ ){1,3}as\b)")
_THE = re.compile(r"\bthe ((?:[a-z-]+ ){0,2}[a-z-]+)", re.IGNORECASE)
_MORE = re.compile(r"\b(?:more|fewer|less)\b(?! (?:[a-z-]+ ){1,4}than [A-Z])")


def has_pronoun(sentence: str) -> bool:
    """Return whether a pronoun may refer to a person or thing of an earlier sentence."""
    return bool(_PRONOUN.search(sentence))


def connected(sentence: str) -> bool:
    """Return whether a word of time, rest, repetition or comparison refers to earlier text."""
    return any(words.search(sentence) for words in (_CONNECTED, _MORE, _AS_MANY))


def elliptical(sentence: str) -> bool:
    """Return whether a number does not state its unit ("He gave 5 to Tom"). Amounts of money need no noun."""
    if _SHARE_OF_NOTHING.search(sentence) or _INTO_NOTHING.search(sentence):
        return True
    money = {quantity.start for quantity in numerals.find(sentence) if quantity.kind in ("money", "percent")}
    return any(not item.noun for item in counted(sentence) if item.start not in money)


def refers_to(sentence: str, earlier: str) -> bool:
    """Return whether the sentence says "the hen" where the earlier one introduces a hen."""
    for phrase in _THE.findall(sentence):
        for noun in phrase.lower().split():
            stem = noun.removesuffix("es") if noun.endswith("es") else noun.removesuffix("s")
            if len(stem) > 2 and re.search(rf"\b{re.escape(stem)}", earlier.lower()):
                return True
    return False


def refers_to_unknown(text: str) -> bool:
    """Return whether a sentence refers to a thing ("the hole") that nothing has introduced.

    >>> refers_to_unknown("Sam filled 75% of the hole."), refers_to_unknown("Sam saw 9 apes at the zoo.")
    (True, False)
    """
    small = text.lower()
    for match in re.finditer(r"\bthe ((?:[\w'’-]+ ){0,2}[\w'’-]+)", small):
        words = match[1].split()
        if "of" in words[1:] and words[0] not in ("rest", "remainder", "remaining"):
            continue  # "the price of a ticket": the noun after "of" is examined separately
        earlier = small[: match.start()]
        if not any(
            word in KNOWN_WITHOUT_INTRODUCTION or re.search(rf"\b{re.escape(_stem(word))}", earlier)
            for word in words
        ):
            return True
    return False


def _stem(word: str) -> str:
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word.removesuffix("s")

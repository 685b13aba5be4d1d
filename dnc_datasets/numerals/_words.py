"""Reader of runs of number words: "two hundred and three", "twenty-first", "two and a half million"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from dnc_datasets.english.lexicon import SCALES as SCALE_WORDS
from dnc_datasets.english.lexicon import SMALL_NUMBERS, TENS
from dnc_datasets.numerals import _spell

_MAX_WORDS = 40
_GROUP_WORDS = 3  # "thirty-four thousand": at most two words before the first scale
_DOZEN = "dozen"

_CARDINALS = {word: value for value, word in enumerate(SMALL_NUMBERS)}
_CARDINALS |= {word: 10 * value for value, word in enumerate(TENS) if value > 1}
SCALES = {"hundred": 100} | {word: 1000 ** (power + 1) for power, word in enumerate(SCALE_WORDS)}
_MULTIPLES = SCALES | {_DOZEN: 12}
_IN_INTEGERS = frozenset((*_CARDINALS, *SCALES, "and"))
# The cardinal word after each ordinal word: "fifth" -> "five".
_ORDINALS = {_spell.ordinal_of(word): word for word in (*_CARDINALS, *SCALES) if word != "zero"}
_FRACTIONS = {"half": 2, "quarter": 4} | {
    ordinal: _CARDINALS[word]
    for ordinal, word in _ORDINALS.items()
    if word in _CARDINALS and _CARDINALS[word] > 2
}
_FRACTIONS |= {"hundredth": 100, "thousandth": 1000}
_PLURAL_FRACTIONS = {f"{word}s": value for word, value in _FRACTIONS.items() if word != "half"}
_ARTICLES = ("a", "an")
_SIGNS = ("minus", "negative")


def trie(words: Iterable[str]) -> str:
    """Return a regular expression for exactly these words that branches by letter, so that it fails early."""
    branches: dict[str, list[str]] = {}
    optional = False
    for word in sorted(set(words)):
        if word:
            branches.setdefault(word[0], []).append(word[1:])
        else:
            optional = True
    if not branches:
        return ""
    parts = [letter + trie(rests) for letter, rests in branches.items()]
    if len(parts) == 1 and not optional:
        return parts[0]
    return f"(?:{'|'.join(parts)}){'?' if optional else ''}"


def any_of(words: Iterable[str], **rests: str) -> str:
    """Return a trie of words; `rests` gives for some words the expression that must follow them."""
    marks = {word: chr(at) for at, word in enumerate(rests)}
    expression = trie((*words, *(word + mark for word, mark in marks.items())))
    for word, rest in rests.items():
        expression = expression.replace(marks[word], rest)
    return expression


# Only after other number words: "billionth" alone is too rare to be worth the time.
_RARE = frozenset(_spell.ordinal_of(word) for word in SCALE_WORDS[1:])
_NEXT = trie((*_CARDINALS, *SCALES, *_ORDINALS, *_FRACTIONS, *_PLURAL_FRACTIONS, _DOZEN, "point"))
_SHARES = trie(word for word in _FRACTIONS if word != "half")
_AFTER_SIGN = rf"\s{trie(_CARDINALS)}"
# A run starts with a number word, with an article before a multiple or a fraction ("a dozen"), or with a
# sign. It is one trie, because nearly every word of a text is tried against it.
RUN = (
    any_of(
        (*_CARDINALS, *(word for word in _ORDINALS if word not in _RARE), "half"),
        a=rf"n?\s(?:{trie((*_MULTIPLES, 'half'))}|{_SHARES}(?=\sof\b))",
        minus=_AFTER_SIGN,
        negative=_AFTER_SIGN,
    )
    + r"(?![a-z])"
    rf"(?:(?:-(?:and-)?|,?\s{{1,3}}(?:and\s{{1,3}})?(?:an?\s)?){_NEXT}(?![a-z])){{0,{_MAX_WORDS}}}"
)
# Words whose value does not depend on the context.
PLAIN = {word: (value, 1) for word, value in _CARDINALS.items() if value != 1}
PLAIN |= {_spell.spell(value): (value, 1) for value in range(20, 100)}


class Reading(NamedTuple):
    """A number in a run of words; `bare` marks a single word that context may deny ("second")."""

    value: Fraction
    start: int
    end: int
    kind: str
    bare: str


class _Word(NamedTuple):
    text: str
    start: int
    end: int
    gap: str


@lru_cache(maxsize=8192)
def read_run(run: str, follows: str = "") -> tuple[Reading, ...]:
    """Return the numbers of a lower-case run of number words, in order.

    `follows` describes the text after the run: "-" for a hyphened noun ("twenty five-cent coins" is 20 and
    5), "of" for the word "of" ("three quarters of" is 3/4, otherwise 3 coins), and "" for anything else.
    """
    if follows != "-" and (integer := _integer(run)) is not None:
        return (Reading(Fraction(integer), 0, len(run), "word", run if run.isalpha() else ""),)
    words = _split(run)
    found = []
    at = 0
    while at < len(words):
        negative = words[at].text in _SIGNS
        reading = _read_at(words, at + negative, follows)
        if reading is None:
            at += 1
            continue
        value, end, kind = reading
        bare = words[at].text if end - at == 1 else ""
        found.append(Reading(-value if negative else value, words[at].start, words[end - 1].end, kind, bare))
        at = end
    return tuple(found)


def _integer(run: str) -> int | None:
    """Return the integer whose usual spelling is this run, with or without the commas of num2words.

    Return None for other runs. Most runs have a usual spelling. The search for the longest well-formed number
    gives the same result several times slower.
    """
    words = run.replace(",", "").replace("-", " ").split(" ")
    if len(words) > _MAX_WORDS or not _IN_INTEGERS.issuperset(words):
        return None
    value = _sum([word for word in words if word != "and"])
    if value < _spell.LIMIT and (
        run == _spell.spell_integer(value) or run == _spell.spell_integer(value, ", ")
    ):
        return value
    return None


def _split(run: str) -> list[_Word]:
    words = []
    end = 0
    for match in re.finditer("[a-z]+", run):
        words.append(_Word(match[0], match.start(), match.end(), run[end : match.start()]))
        end = match.end()
    return words


def _read_at(words: Sequence[_Word], at: int, follows: str) -> tuple[Fraction, int, str] | None:
    """Return the longest number that starts at this word, as value, index after its last word, and kind."""
    ordinal = _ordinal(words, at)
    if ordinal:
        return Fraction(ordinal[0]), ordinal[1], "ordinal"
    share = _share(words, at, follows)
    if share:
        return _scaled(words, *share)
    whole = _cardinal(words, at, follows)
    if not whole:
        return None
    value, end = Fraction(whole[0]), whole[1]
    point = _decimals(words, end)
    if point:
        return _scaled(words, value + point[0], point[1])
    if _text(words, end) == "and":
        share = _share(words, end + 1, "of")
        if share and share[0] < 1:
            return _scaled(words, value + share[0], share[1])
    return _scaled(words, value, end)


def _text(words: Sequence[_Word], at: int) -> str:
    return words[at].text if at < len(words) else ""


def _scaled(words: Sequence[_Word], value: Fraction, end: int) -> tuple[Fraction, int, str]:
    """Multiply a number by the scale word after it: "two dozen", "half a million"."""
    multiple_at = end + (_text(words, end) in _ARTICLES)
    multiple = _MULTIPLES.get(_text(words, multiple_at))
    if multiple and (value.denominator > 1 or (multiple_at == end and multiple == _MULTIPLES[_DOZEN])):
        return value * multiple, multiple_at + 1, "word"
    return value, end, "word"


def _cardinal(words: Sequence[_Word], at: int, follows: str) -> tuple[int, int] | None:
    """Return the longest well-formed integer at this word, and the index after its last word.

    An integer is well-formed if its spelling gives the same words.
    """
    best = None
    values: list[str] = []
    for end in range(at, min(at + _MAX_WORDS, len(words))):
        word, _, _, gap = words[end]
        if word == "and":
            if not values or values[-1] not in SCALES:
                break
            continue
        if end == at and word in _ARTICLES and _text(words, at + 1) in _MULTIPLES:
            values.append("one")
            continue
        if word not in _CARDINALS and word not in SCALES:
            break
        if values and "," in gap and not _comma_joins(words, end, values[-1]):
            break
        if follows == "-" and end == len(words) - 1 and end > at and _is_apart(words, end):
            break
        values.append(word)
        value = _value(values)
        if value is not None:
            best = value, end + 1
    if best is None and values == ["one"]:  # "a dozen": the article counts
        return 1, at + 1
    return best


def _is_apart(words: Sequence[_Word], at: int) -> bool:
    return "-" not in words[at].gap and words[at - 1].text != "and"


def _comma_joins(words: Sequence[_Word], at: int, before: str) -> bool:
    """Return whether a comma joins two groups of one number of num2words: "two thousand, eight hundred".

    num2words writes a comma between a scale and a smaller group of at least one hundred. Any other comma
    separates the members of a list.
    """
    if before not in SCALES or before == "hundred":
        return False
    scale = next((word for word, _, _, _ in words[at : at + _GROUP_WORDS] if word not in _CARDINALS), "")
    return scale in SCALES and SCALES[scale] < SCALES[before]


@lru_cache(maxsize=8192)
def _spelled(value: int) -> list[str]:
    return [word for word in re.split("[ -]", _spell.spell(value)) if word != "and"]


def _sum(words: list[str]) -> int:
    """Return the sum of cardinal and scale words, whether or not they are well-formed."""
    total = group = 0
    for word in words:
        if word in _CARDINALS:
            group += _CARDINALS[word]
        elif word == "hundred":
            group *= 100
        else:
            total += group * SCALES[word]
            group = 0
    return total + group


def _value(words: list[str]) -> int | None:
    value = _sum(words)
    if value >= 1000 * max(SCALES.values()):
        return None
    if _spelled(value) == words:
        return value
    # "twelve hundred" is also valid.
    if len(words) == 2 and words[1] == "hundred" and 10 < value // 100 < 100 and value % 1000:
        return value
    return None


def _ordinal(words: Sequence[_Word], at: int) -> tuple[int, int] | None:
    """Return an ordinal in words: "third", "twenty-first", "one hundred and fifth".

    "twenty second" without a hyphen is a time.
    """
    values: list[str] = []
    for end in range(at, min(at + _MAX_WORDS, len(words))):
        word, _, _, gap = words[end]
        if word == "and":
            if not values or values[-1] not in SCALES:
                return None
        elif "," in gap and values:
            return None
        elif word in _ORDINALS:
            if word == "second" and values and gap != "-" and words[end - 1].text != "and":
                return None
            value = _value([*values, _ORDINALS[word]])
            if value is None and len(values) == 0:
                value = SCALES.get(_ORDINALS[word])
            return None if value is None else (value, end + 1)
        elif word in _CARDINALS or word in SCALES:
            values.append(word)
        else:
            return None
    return None


def _share(words: Sequence[_Word], at: int, follows: str) -> tuple[Fraction, int] | None:
    """Return a fraction in words: "half", "a third", "one-third", "two thirds", "three quarters of"."""
    first = _text(words, at)
    if first == "half":
        return Fraction(1, 2), at + 1
    if first in _ARTICLES:
        count, end = 1, at + 1
    else:
        whole = _cardinal(words, at, "")
        if not whole:
            return None
        count, end = whole
    name = _text(words, end)
    part = (_FRACTIONS if count == 1 else _PLURAL_FRACTIONS).get(name)
    if not part or "," in words[end].gap:
        return None
    sure = words[end].gap == "-" or (follows == "of" and end + 1 == len(words))
    if name.startswith("quarter") and not sure:
        return None
    return Fraction(count, part), end + 1


def _decimals(words: Sequence[_Word], at: int) -> tuple[Fraction, int] | None:
    """Return the decimals after "point": "point zero five"."""
    if _text(words, at) != "point":
        return None
    end = at + 1
    figures = ""
    while _CARDINALS.get(_text(words, end), 10) < 10:
        figures += str(_CARDINALS[words[end].text])
        end += 1
    return (Fraction(int(figures), 10 ** len(figures)), end) if figures else None

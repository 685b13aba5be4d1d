"""Moved words: the pieces of a text may change places, but the words of a piece keep their neighbours.

The new text is read as a walk over the words of the original. A step moves to the next word, or jumps from
the end of one piece to the start of another. Pieces end at marks and at words that join clauses. Inside a
sentence, they also end before phrases and list items. Words of a closed list (`FREE_WORDS`) may be added and
dropped on the way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate, chain, compress, pairwise
from operator import attrgetter, not_
from typing import NamedTuple

from dnc_datasets.english.lexicon import (
    ABBREVIATIONS_BEFORE_NAMES,
    ARTICLES_AND_POINTERS,
    AUXILIARIES,
    CLAUSE_JOINERS,
    CONVERSE_VERBS,
    FEMALE_NAMES,
    FEMALE_PRONOUNS,
    FREE_WORDS,
    MALE_NAMES,
    MALE_PRONOUNS,
    PARTICIPLES,
    PHRASE_OPENERS,
    PRONOUN_FORMS,
    SMALL_NUMBERS,
    STARTING_WORDS,
    SUBJECT_PRONOUNS,
    TENS,
    WORD_GROUPS,
    is_first_name,
    is_past,
    plain,
    third_person,
)
from dnc_datasets.problem import Problem

_TOKEN = re.compile(
    r"[$€£]?\d+(?:,\d{3})*(?:\.\d+)?%?(?:st|nd|rd|th)?|(?:Mrs?|Ms|Dr|St|Rs)\.|[A-Za-z]+|[.,;:!?()]"
)
_SHORT_NOT, _SHORT = re.compile(r"\b(ca|wo|[A-Za-z]+?)n['’]t\b"), re.compile(r"['’](?:s|re|ve|ll|d|m)?\b")
_FULL = {"ca": "can not", "wo": "will not"}
_MARKS, _STOPS = frozenset(".,;:!?()"), frozenset(".!?")
_MAX_NAMED = 4  # words of a phrase that replaces a pronoun
_MAX_WORDS = 1500
_NOBODY: frozenset[str] = frozenset()
# Pronoun -> the names to which it cannot refer.
_OTHER_GENDER = {
    **dict.fromkeys(FEMALE_PRONOUNS, MALE_NAMES - FEMALE_NAMES),
    **dict.fromkeys(MALE_PRONOUNS, FEMALE_NAMES - MALE_NAMES),
}
_PLAIN_FORMS = {participle: verb for verb, participle in PARTICIPLES.items()}
_GROUP = {
    form: group[0]
    for group in WORD_GROUPS
    for word in group
    for form in (word, third_person(word), *(f"{word.removesuffix('e')}{end}" for end in ("ed", "ing")))
}
# Contractions and variants are reduced to one form, so that both texts are compared word by word. Before each
# pattern are texts of which every match contains one.
_SAID_ALIKE = (
    (("iven",), re.compile(r"\b[Gg]iven(?: that)?(?= (?!to\b|by\b|away\b))"), ","),
    (("known",), re.compile(r"\? (?:It is known that|Here is what is known:) "), "? "),
    ((" paid $",), re.compile(r"\b(?:is|are|was|were|gets?) paid (?=\$)"), "earn "),
    (("has to ", "have to ", "had to "), re.compile(r"\bha(?:s|ve|d) to (?=[a-z])(?!(?:start|begin) with)"),
     "need to "),
    ((" going to ", " about to "), re.compile(r"\b(?:is|are|was|were) (?:going|about) to (?=[a-z])"), "will "),
    (("t takes ", "t took "),
     re.compile(r"\b[Ii]t (?:takes|took) ([A-Za-z]+)(?= [\w.]+ (?:second|minute|hour|day|week|month|year)s?\b)"),
     r"\1 need"),
    ((" rid of",), re.compile(r"\b(?:got|get|gets|getting) rid of\b"), "threw away"),
    ((" at first",), re.compile(r" at first(?=[,.])"), ""),
    (("fewer ",),
     re.compile(r"\bfewer ([a-z ]{1,60}) (do|does|did) ([A-Z][\w. ]{1,30}) ([a-z]+) than ([A-Z][\w. ]{1,30})(?=[?,])"),
     r"more \1 \2 \5 \4 than \3"),
)  # fmt: skip
# Equivalences of paraphrases: the same fact in another construction. They are tried if the texts differ otherwise.
_SAME_FACT = (
    (re.compile(r"((?:M(?:rs?|s)\. |Dr\. )?\b[A-Z][a-z]+) (?:was|were) given ([\w$.,-]+ [a-z ]{1,60}?) "
                r"by ((?:h(?:er|is) |their )?[\w. ]{1,40}?)(?=[.,;])"), r"\3 gave \1 \2"),
    (re.compile(r"\b(?:takes?|took)(?= [\w.]+ (?:second|minute|hour|day|week|month|year)s?\b)"), "need"),
    (re.compile(r"\bha(?:s|ve) room for\b"), "can hold"),
    (re.compile(r"\b[Ww]hat is the difference between the number of ([a-z -]{1,60}?) "
                r"that ((?:[A-Z]|the |his |her )[\w. ]{1,30}?) ([a-z]+) "
                r"and the number that ((?:[A-Z]|the |his |her )[\w. ]{1,30}?) \3\?"),
     r"How many more \1 do \2 \3 than \4?"),
    (re.compile(r"\bleft over\b"), "left"),
    (re.compile(r"\bper (?!(?:second|minute|hour|day|night|week|month|year)\b)(?=[a-z])"), "each "),
    (re.compile(r"\b(?:has|have|had) an? (length|height|width|depth) of (\d[\d.,]{0,9} [a-z]+)"), r"is \2 \1"),
    (re.compile(r"\b(?:paid|pays?|spent|spends?) (\$[\d.,]{0,11}\d(?: each| apiece)?) (?:for|on) "
                r"((?:an?|the|his|her|their|some|\d[\d,]*) [a-z][a-z ]{1,60}?)(?=[.;?])"), r"bought \2 for \1"),
    (re.compile(r"\b([a-z]+) (twice|double|half|[\w.]+ times) the (?:number|amount) of ([a-z ]{1,40}?) "
                r"that ([\w. ]{1,30}?) \1(?=[.,]| and )"), r"\1 \2 \3 \4"),
)  # fmt: skip


class Word(NamedTuple):
    """A word, mark or joiner, with its properties in any context."""

    text: str
    kind: str  # the same for the forms and synonyms of a word; empty for a mark or joiner
    divides: bool  # whether a word divides a clause, or a mark ends a sentence
    free: bool = False
    number: bool = False
    title: bool = False
    opens_phrase: bool = False
    kept: bool = False  # whether it may not be dropped


class _Text:
    """The words of a text by position, with the positions at which pieces start."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        kinds = list(map(_KIND, self._tokens))
        self.words = list(compress(self._tokens, kinds))
        self.opens = list(compress((True, *map(not_, kinds)), kinds))
        self.kinds = list(filter(None, kinds))
        self._clauses: list[tuple[int, int]] = []

    @property
    def clauses(self) -> list[tuple[int, int]]:
        """Return the numbers of the clause and the sentence of each word. Few texts need them."""
        if not self._clauses:
            opens, clause, sentence = True, 0, 0
            for token in self._tokens:
                if token.kind:
                    clause += token.divides
                    self._clauses.append((clause, sentence))
                    opens = False
                else:
                    clause += not opens
                    sentence += token.divides
                    opens = True
        return self._clauses


_KIND = attrgetter("kind")


@lru_cache(maxsize=256)
def words_of(text: str) -> tuple[Word, ...]:
    """Return the words of a text without marks and joiners.

    >>> [(word.text, word.kind) for word in words_of("Amy ran, and Ben sat.")]
    [('Amy', 'amy'), ('ran', 'run'), ('Ben', 'ben'), ('sat', 'sit')]
    """
    return tuple(filter(_KIND, _tokens(text)))


def _tokens(text: str) -> list[Word]:
    for pieces, pattern, new in _SAID_ALIKE:
        for piece in pieces:
            if piece in text:
                text = pattern.sub(new, text)
                break
    if "'" in text or "’" in text:
        text = _SHORT_NOT.sub(lambda match: _FULL.get(match[1].lower(), f"{match[1]} not"), text)
        text = _SHORT.sub(" s", text)
    return list(chain.from_iterable(map(_run, text.replace("cannot", "can not").split())))


# No token contains a blank. Texts repeat their words, so most runs are cached.
@lru_cache(maxsize=1 << 14)
def _run(characters: str) -> tuple[Word, ...]:
    """Return the tokens of a run of characters without blanks."""
    if characters.isascii():
        if characters.isalpha():
            return (_word(characters),)
        stem, mark = characters[:-1], characters[-1]
        if mark in _MARKS and stem.isalpha() and stem not in ABBREVIATIONS_BEFORE_NAMES:
            return _word(stem), _word(mark)
    return tuple(map(_word, _TOKEN.findall(characters)))


@lru_cache(maxsize=4096)
def _word(token: str) -> Word:
    """Return the token with its properties.

    A word cannot move to the other side of a comparison: "than" divides.
    """
    if token in _MARKS:
        return Word(token, "", token in _STOPS)
    lower = token.lower()
    if lower in CLAUSE_JOINERS:
        return Word(token, "", divides=False)
    kind = kind_of(lower)
    free = _is_free(kind)
    number = token[0].isdigit() or token[0] in "$€£" or kind in _NUMBER_WORDS
    kept = not free and kind not in _DROPPED_KINDS
    return Word(token, kind, lower == "than", free, number, token.istitle(), lower in PHRASE_OPENERS, kept)


@lru_cache(maxsize=4096)
def kind_of(word: str) -> str:
    """Return the representative of the words that may replace this one: its plain form, or its group."""
    if word in ARTICLES_AND_POINTERS:
        return "the"
    form = _PLAIN_FORMS.get(word) or plain(word) or word
    return _GROUP.get(form) or _GROUP.get(word) or form


def words_stay_together(original: Problem, perturbed: Problem) -> bool:
    """read again, every piece that moved has the words that it had, in their order, and no word is new or lost"""
    return keeps_pieces(original.text, perturbed.text)


def keeps_pieces(before: str, after: str) -> bool:
    """Return whether the second text has the words of the first one in pieces that did not change.

    >>> text = "Amy has 3 pens and Ben has 5 cups."
    >>> keeps_pieces(text, "Ben has 5 cups. Amy has 3 pens."), keeps_pieces(text, "Ben has 3 pens. Amy has 5 cups.")
    (True, False)
    """
    old, new = _Text(before), _Text(after)
    if len(old.words) > _MAX_WORDS or len(new.words) > _MAX_WORDS:
        return False
    if _reads(old, new):
        return True
    plain_before, plain_after = _in_one_construction(before), _in_one_construction(after)
    if (plain_before, plain_after) == (before, after):
        return False
    return _reads(_Text(plain_before), _Text(plain_after))


def _reads(old: _Text, new: _Text) -> bool:
    """Return whether a walk over the first text reads the second one, and both hold the same words."""
    first, last = _same_ends(old.kinds, new.kinds)
    return _same_words(old, new, first, last) and _Walk(old, new, first, last).arrives()


def _same_ends(one: list[str], other: list[str]) -> tuple[int, int]:
    """Return the lengths of the common prefix and the common suffix of two lists."""
    first = last = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        first += 1
    most = min(len(one), len(other)) - first
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right or last == most:
            break
        last += 1
    return first, last


def _in_one_construction(text: str) -> str:
    for pattern, new in _SAME_FACT:
        text = pattern.sub(new, text)
    return text


def _same_words(old: _Text, new: _Text, first: int, last: int) -> bool:
    """Return whether the texts hold the same words, without free words and names that replace pronouns.

    They share the given number of words at the start and at the end.
    """
    before = Counter(old.kinds[first : len(old.kinds) - last])
    after = Counter(new.kinds[first : len(new.kinds) - last])
    if before == after:
        return True
    fewer = {kind for kind, count in before.items() if count > after[kind]}
    more = {kind for kind, count in after.items() if count > before[kind]}
    lost = {kind for kind in fewer if not _is_free(kind)}
    added = {kind for kind in more if not _is_free(kind)}
    for one, other in _converses(fewer, more):
        if not {parties[::-1] for parties in _parties(old, one)} & set(_parties(new, other)):
            return False
        lost, added = lost - {one}, added - {other}
    if "more" in lost and before["more"] - after["more"] <= sum(
        _is_addition(old, at) for at in range(len(old.words))
    ):
        lost -= {"more"}
    if lost:
        # "Amy" -> "she", if another sentence still names her.
        kept = lost.intersection(new.kinds)
        lost -= {word.kind for word in old.words if word.title and word.kind in kept}
    added -= _STARTING_KINDS
    # "she" -> "Amy", "how many did he" -> "how many pens did he": a word of the text is repeated.
    return not lost and added.issubset(old.kinds)


def _is_addition(text: _Text, at: int) -> bool:
    """Return whether the word is the "more" of "12 more" or "another 12", which compares nothing."""
    words = text.words
    if words[at].kind != "more" or not any(map(_is_amount, words[max(0, at - 1) : at + 2])):
        return False
    clauses = text.clauses
    return not any(
        words[place].text == "than" and clauses[place][0] == clauses[at][0] for place in range(at, len(words))
    )


@lru_cache(maxsize=4096)
def _is_free(kind: str) -> bool:
    return kind in FREE_WORDS or kind in _FREE_KINDS or kind in PRONOUN_FORMS


# Names of free words in other forms: "has" for "have". Members of a group must remain.
_FREE_KINDS = frozenset(kind_of(word) for word in FREE_WORDS if word not in _GROUP) | {kind_of("have")}
_STARTING_KINDS = frozenset(kind_of(word) for word in STARTING_WORDS)
_CONVERSE_KINDS = frozenset(kind_of(verb) for pair in CONVERSE_VERBS for verb in pair)
_CONVERSES = [(kind_of(one), kind_of(other)) for pair in CONVERSE_VERBS for one, other in (pair, pair[::-1])]
_ADDED_KINDS = _CONVERSE_KINDS | _STARTING_KINDS
_DROPPED_KINDS = _CONVERSE_KINDS | {"more"}
_NUMBER_WORDS = frozenset((*SMALL_NUMBERS, *TENS))


# The number of words read in the new text, the last word read in the original, whether the new text has added or
# opened something since, the number of words of a phrase that replaces a pronoun or a missing noun, and its last
# word. It is a plain tuple for speed: a text takes hundreds of them.
_State = tuple[int, int, bool, bool, int, str]


class _Walk:
    """The walks over the words of an original that read a new text.

    The texts share the given number of words at the start and at the end.
    """

    def __init__(self, old: _Text, new: _Text, first: int, last: int) -> None:
        self._old, self._new = old, new
        self._words, self._kinds = old.words, old.kinds
        self._begins = old.opens
        self._first, self._last = first, last
        self._people_of: dict[str, list[int]] = {}

    @cached_property
    def _pronouns(self) -> list[int]:
        return [at for at, kind in enumerate(self._kinds) if kind in PRONOUN_FORMS]

    @cached_property
    def _kept(self) -> list[int]:
        return [0, *accumulate([word.kept for word in self._words])]  # such words before each place

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for at, kind in enumerate(self._kinds):
            places.setdefault(kind, []).append(at)
        return places

    @cached_property
    def _neighbours(self) -> set[tuple[str, str]]:
        kinds, begins = self._kinds, self._begins
        return {(kinds[at - 1], kinds[at]) for at in range(1, len(kinds)) if not begins[at]}

    @cached_property
    def _with_of(self) -> set[str]:
        return {word.kind for word, after in pairwise(self._words) if after.text == "of"}

    @cached_property
    def _tells(self) -> list[bool]:
        return [self._names_or_acts(place) for place in range(len(self._words))]

    @cached_property
    def _telling(self) -> list[int]:
        return [0, *accumulate(self._tells)]  # such words before each place

    def arrives(self) -> bool:
        """Return whether a walk reads all words of the new text.

        A walk continues word by word as long as possible. It drops and adds words that may be dropped or
        added. Jumps are tried only if no such walk reads the text, the last ones first.
        """
        old, kinds, wanted = self._words, self._kinds, self._new.kinds
        new, begins = self._new.words, self._new.opens
        most, total, alike = len(kinds), len(wanted), self._last
        waiting: list[_State] = [(0, -1, False, True, 0, "")]
        waiting += [(read + 1, read, False, False, 0, "") for read in range(self._first)]
        seen = set(waiting[:-1])
        found = [waiting.pop()]
        while True:
            for state in found:
                while state not in seen:
                    seen.add(state)
                    waiting.append(state)
                    read, at, added, opened, named, _ = state
                    if total - read == most - at - 1 <= alike or read == total:
                        return True
                    kind, place = wanted[read], at + 1
                    while place < most and kinds[place] != kind and not old[place].kept:
                        place += 1
                    if place < most and kinds[place] == kind:
                        state = (read + 1, place, False, False, 0, "")
                    elif new[read].free and not named:
                        added = added or new[read].text != "additional"
                        state = (read + 1, at, added, opened or begins[read], 0, kind)
                    else:
                        break
            if not waiting:
                return False
            found = self._after(waiting.pop())

    def _after(self, state: _State) -> list[_State]:
        read, at, added, opened, named, _ = state
        word, begins = self._new.words[read], self._new.opens[read]
        kind = word.kind
        read += 1
        if begins:
            opened = True
        places = self._places.get(kind, [])
        known = bool(places)
        if kind in PRONOUN_FORMS:
            places = [*places, *self._people(kind)]
        found: list[_State] = [
            (read, place, False, False, 0, "") for place in places if self._may_go(at, place, opened, added)
        ]
        more = kind == "more" and at >= 0 and self._words[at].number
        if more or word.free or (kind in _ADDED_KINDS and not known):
            # A phrase for a pronoun or a missing noun ends here. Another one must follow a word of the original.
            several = named and kind in PRONOUN_FORMS and self._is_plural(at)
            ended = named if several else named and _MAX_NAMED
            found.append((read, at, added or word.text != "additional", opened, ended, kind))
        if known:
            found += self._standing_for(state, opened, word, begins)
        return found

    def _people(self, pronoun: str) -> list[int]:
        """Return the positions of the names to which a pronoun may refer."""
        if pronoun not in self._people_of:
            wrong = (
                MALE_NAMES
                if pronoun in FEMALE_PRONOUNS
                else FEMALE_NAMES
                if pronoun in MALE_PRONOUNS
                else frozenset()
            )
            self._people_of[pronoun] = [
                place
                for place, word in enumerate(self._words)
                if (word.text[0].isupper() and word.text not in wrong and word.kind not in PRONOUN_FORMS)
                or (place and self._kinds[place - 1] == "the" and self._begins[place - 1])
            ]
        return self._people_of[pronoun]

    def _standing_for(self, state: _State, opened: bool, word: Word, begins: bool) -> Iterator[_State]:
        """Yield the states after a word of a phrase that replaces a pronoun or a missing noun."""
        read, at, added, _, named, last = state
        read += 1
        if named:
            # The words of the phrase are neighbours in the original too, or are several names: "Amy and her sister".
            next_one = begins and word.title and self._is_plural(at)
            if named < _MAX_NAMED and (next_one or (not begins and (last, word.kind) in self._neighbours)):
                yield (read, at, added, opened, named + 1, word.kind)
            if not begins:
                return
        if word.text[0].isupper() or word.kind == "the":
            for place in self._pronouns:
                wrong = _OTHER_GENDER.get(self._kinds[place], _NOBODY)
                if word.text not in wrong and self._may_go(at, place, opened, added):
                    yield (read, place, False, False, 1, word.kind)
        if begins or at < 0:
            return
        before = self._words[at]
        # "how many did he", "12 more", "5 of them": a noun is missing.
        with_of = added and before.kind in self._with_of  # "4 pounds" -> "4 pounds of flour"
        left_out = (before.kind in ("many", "more") or _is_amount(before)) and self._noun_left_out(at)
        if (with_of or left_out) and self._may_be_noun(word):
            if with_of:
                yield (read, at, added, opened, 1, word.kind)
            if left_out:
                yield (read, at, True, opened, 1, word.kind)

    def _may_be_noun(self, word: Word) -> bool:
        """Return whether a word may start the missing noun: no name and no verb, but "13 pressed leaves"."""
        if is_first_name(word.text):
            return False
        before = [self._words[place - 1] for place in self._places[word.kind] if place]
        return not is_past(word.text) or any(one.number or one.kind == "the" for one in before)

    def _is_plural(self, at: int) -> bool:
        return at >= 0 and self._kinds[at] in ("they", "them", "their")

    def _noun_left_out(self, at: int) -> bool:
        if at + 1 == len(self._words) or self._begins[at + 1]:
            return True
        after = self._words[at + 1]
        return after.free or after.kind in ("more", "left", "than")

    def _may_go(self, at: int, place: int, opened: bool, added: bool) -> bool:
        """Return whether the walk may continue at this word."""
        if place == at + 1:
            return True
        if place > at and self._kept[at + 1] == self._kept[place]:
            return True
        ends = at + 1 in (0, len(self._words)) or self._opens[at + 1]
        if opened and (ends or self._may_end(at)) and self._may_start(place, added):
            return True
        if at < 0:
            return False
        clauses = self._old.clauses
        if clauses[at][1] != clauses[place][1]:
            return False
        if (ends or (added and self._may_end(at))) and self._opens[place]:
            return True
        alike = clauses[at][0] == clauses[place][0]
        if added and alike:
            return True
        return (alike and self._to_somebody(at, place)) or self._one_list(at, place)

    def _to_somebody(self, at: int, place: int) -> bool:
        """Return whether a jump is one between "gave Amy 3 pens" and "gave 3 pens to Amy"."""
        words = self._words
        over = place == at + 2 and words[at + 1].title
        to, back = (words[there].title and words[there - 1].text == "to" for there in (place, at))
        return over or to or (back and self._starts_item(place))

    def _may_start(self, place: int, added: bool) -> bool:
        """Return whether a clause of the new text may start here: "There are | 20 pens", "20 pens were"."""
        words = self._words
        return self._opens[place] or words[place].number or (added and words[place - 1].free)

    def _may_end(self, at: int) -> bool:
        """Return whether a clause of the new text may end here: "by Amy", "in each box", "and Ben has 5"."""
        words = self._words
        name = self._opens[at - 1] and words[at - 1].text[-1] == "."  # "by Mrs. Ruiz"
        return self._opens[at] or name or words[at + 1].free or words[at + 1].number or words[at].number

    @cached_property
    def _opens(self) -> list[bool]:
        """Return for each position whether a piece starts there. Free words before it are ignored."""
        opening: list[bool] = []
        opened, free = False, False
        for word, begins in zip(self._words, self._begins, strict=True):
            opened = begins or word.opens_phrase or (free and opened)
            free = word.free
            opening.append(opened)
        return opening

    def _one_list(self, at: int, place: int) -> bool:
        """Return whether a jump stays in one list: to another item, or out of the list."""
        starts, ends = self._starts_item(place), self._ends_item(at)
        if place > at:
            allowed, inside = ends or (starts and self._starts_item(at + 1)), (at + 1, place)
        else:
            allowed, inside = ends and starts, (place, at + 1)
        return allowed and self._telling[inside[0]] == self._telling[inside[1]]

    def _starts_item(self, place: int) -> bool:
        word = self._words[place]
        return self._begins[place] or word.number or word.kind == "the"

    def _ends_item(self, place: int) -> bool:
        after = place + 1
        return after == len(self._words) or self._opens[after] or self._tells[after]

    def _names_or_acts(self, place: int) -> bool:
        """Return whether a word names a person or is a verb, so that it is no part of a list."""
        word, before = self._words[place], self._words[place - 1]
        placed = before.number or before.opens_phrase
        if word.kind in SUBJECT_PRONOUNS or (word.title and not placed):
            return True
        finite = word.text in AUXILIARIES or is_past(word.text)
        return finite and not (before.number or before.kind == "the")


def _is_amount(word: Word) -> bool:
    return word.number or word.text == "some"


def _converses(fewer: set[str], more: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the kinds of the verbs that replace each other and exchange their parties."""
    if fewer.isdisjoint(_CONVERSE_KINDS) or more.isdisjoint(_CONVERSE_KINDS):
        return
    for one, other in _CONVERSES:
        if one in fewer and other in more:
            yield one, other


def _parties(text: _Text, kind: str) -> list[tuple[str, str]]:
    """Return the names before and after each verb of this kind, if its clause has one name on each side."""
    found = []
    clauses = text.clauses
    for at, verb in enumerate(text.kinds):
        if verb == kind:
            names = [
                (place, word.text)
                for place, word in enumerate(text.words)
                if clauses[place][0] == clauses[at][0]
                and word.text[0].isupper()
                and word.kind not in PRONOUN_FORMS
            ]
            before, after = (
                [name for place, name in names if (place < at) is side] for side in (True, False)
            )
            if len(before) == len(after) == 1:
                found.append((before[0], after[0]))
    return found


CHECKS = (words_stay_together,)

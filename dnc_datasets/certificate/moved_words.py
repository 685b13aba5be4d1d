"""Moved words: the pieces of a text may change places, but the words of a piece keep their neighbours.

The new text is read as a walk over the words of the original. A step goes to the next word, or jumps from the end of
one piece to the start of another. Pieces end at marks, at words that join clauses and, inside a sentence, before
phrases and list items. Words of a closed list (`FREE_WORDS`) may be added and dropped on the way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from dnc_datasets.english.lexicon import (
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
# About twice as fast as calling the class of a named tuple.
_new = tuple.__new__
_MAX_NAMED = 4  # words of a phrase that replaces a pronoun
_MAX_WORDS = 1500
_NOBODY: frozenset[str] = frozenset()
# Pronoun -> the names for which it cannot stand.
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
# Said in one form only, so that both forms are compared word by word. Before each pattern is text of which every match
# holds one piece.
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
# Equivalences of paraphrases: the same fact in another construction. They are tried where the texts differ otherwise.
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
    """A word of a text with its place: whether a piece starts before it, and the clause and sentence that hold it."""

    text: str
    kind: str  # the same for the forms and synonyms of a word
    opens: bool
    clause: int
    sentence: int


@lru_cache(maxsize=256)
def words_of(text: str) -> tuple[Word, ...]:
    """Return the words of a text without marks and joiners.

    >>> [(word.text, word.opens) for word in words_of("Amy ran, and Ben sat.")]
    [('Amy', True), ('ran', False), ('Ben', True), ('sat', False)]
    """
    for pieces, pattern, new in _SAID_ALIKE:
        for piece in pieces:
            if piece in text:
                text = pattern.sub(new, text)
                break
    if "'" in text or "’" in text:
        text = _SHORT_NOT.sub(lambda match: _FULL.get(match[1].lower(), f"{match[1]} not"), text)
        text = _SHORT.sub(" s", text)
    found: list[Word] = []
    opens, clause, sentence = True, 0, 0
    for token in _TOKEN.findall(text.replace("cannot", "can not")):
        kind, divides = _reading(token)
        if kind:
            clause += divides
            found.append(_new(Word, (token, kind, opens, clause, sentence)))
            opens = False
        else:
            clause += not opens
            sentence += divides
            opens = True
    return tuple(found)


@lru_cache(maxsize=4096)
def _reading(token: str) -> tuple[str, bool]:
    """Return the kind of a word and whether it divides a clause; of a mark or joiner "" and whether a sentence ends.

    Nothing goes over to the other side of a comparison: "than" divides.
    """
    lower = token.lower()
    if token in _MARKS or lower in CLAUSE_JOINERS:
        return "", token in _STOPS
    return kind_of(lower), lower == "than"


@lru_cache(maxsize=4096)
def kind_of(word: str) -> str:
    """Return the name of the words that are as good as this one: its plain form, or its group."""
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
    old, new = words_of(before), words_of(after)
    if len(old) > _MAX_WORDS or len(new) > _MAX_WORDS:
        return False
    if _same_words(old, new) and _Walk(old).covers(new):
        return True
    plain_before, plain_after = _in_one_construction(before), _in_one_construction(after)
    if (plain_before, plain_after) == (before, after):
        return False
    old, new = words_of(plain_before), words_of(plain_after)
    return _same_words(old, new) and _Walk(old).covers(new)


def _in_one_construction(text: str) -> str:
    for pattern, new in _SAME_FACT:
        text = pattern.sub(new, text)
    return text


def _same_words(old: tuple[Word, ...], new: tuple[Word, ...]) -> bool:
    """Return whether the texts hold the same words, free ones and names for pronouns aside."""
    before, after = (Counter(word.kind for word in words) for words in (old, new))
    if before == after:
        return True
    lost = {kind for kind, count in before.items() if count > after[kind] and not _is_free(kind)}
    added = {kind for kind, count in after.items() if count > before[kind] and not _is_free(kind)}
    for one, other in _converses(before, after):
        if not {parties[::-1] for parties in _parties(old, one)} & set(_parties(new, other)):
            return False
        lost, added = lost - {one}, added - {other}
    if "more" in lost and before["more"] - after["more"] <= sum(
        _is_addition(old, at) for at in range(len(old))
    ):
        lost -= {"more"}
    # "Amy" -> "she", where another sentence still names her.
    lost -= {word.kind for word in old if word.text.istitle() and word.kind in after}
    added -= _STARTING_KINDS
    # "she" -> "Amy", "how many did he" -> "how many pens did he": more of a word that the text has.
    return not lost and all(kind in before for kind in added)


def _is_addition(words: tuple[Word, ...], at: int) -> bool:
    """Return whether the word is the "more" of "12 more" or "another 12", which compares nothing."""
    word = words[at]
    if word.kind != "more" or not any(map(_is_amount, words[max(0, at - 1) : at + 2])):
        return False
    return not any(other.text == "than" and other.clause == word.clause for other in words[at:])


@lru_cache(maxsize=4096)
def _is_free(kind: str) -> bool:
    return kind in FREE_WORDS or kind in _FREE_KINDS or kind in PRONOUN_FORMS


# Names for what is free in other forms: "has" for "have". What a group holds must stay.
_FREE_KINDS = frozenset(kind_of(word) for word in FREE_WORDS if word not in _GROUP) | {kind_of("have")}
_STARTING_KINDS = frozenset(kind_of(word) for word in STARTING_WORDS)
_CONVERSE_KINDS = frozenset(kind_of(verb) for pair in CONVERSE_VERBS for verb in pair)
_CONVERSES = [(kind_of(one), kind_of(other)) for pair in CONVERSE_VERBS for one, other in (pair, pair[::-1])]
_ADDED_KINDS = _CONVERSE_KINDS | _STARTING_KINDS
_DROPPED_KINDS = _CONVERSE_KINDS | {"more"}
_NUMBER_WORDS = frozenset((*SMALL_NUMBERS, *TENS))


class _State(NamedTuple):
    """The last word of the original that was read, and what the new text has added or ended since."""

    at: int
    added: bool
    opened: bool
    named: int  # words of a phrase that replaces a pronoun or a noun left out
    last: str = ""  # the last word of that phrase


# The state in which nothing was added since the word at each place.
_READ = [_State(place, False, False, 0) for place in range(_MAX_WORDS)]


class _Facts(NamedTuple):
    """What a word is, wherever it occurs."""

    free: bool
    number: bool
    title: bool
    opens_phrase: bool
    kept: bool  # whether it may not be dropped


@lru_cache(maxsize=4096)
def _facts(text: str, kind: str) -> _Facts:
    free = _is_free(kind)
    number = text[0].isdigit() or text[0] in "$€£" or kind in _NUMBER_WORDS
    kept = not free and kind not in _DROPPED_KINDS
    return _Facts(free, number, text.istitle(), text.lower() in PHRASE_OPENERS, kept)


class _Walk:
    """The walks over the words of an original.

    Everything that depends on one word of the original is computed once, as a list by place.
    """

    def __init__(self, old: tuple[Word, ...]) -> None:
        self._old = old
        self._places: dict[str, list[int]] = {}
        for at, word in enumerate(old):
            self._places.setdefault(word.kind, []).append(at)
        self._pronouns = [at for at, word in enumerate(old) if word.kind in PRONOUN_FORMS]
        facts = [_facts(word.text, word.kind) for word in old]
        self._free = [fact.free for fact in facts]
        self._number = [fact.number for fact in facts]
        self._title = [fact.title for fact in facts]
        self._opens = self._opening_places(facts)
        # Words before each place that may not be dropped.
        self._kept = [0, *accumulate(fact.kept for fact in facts)]
        self._people_of: dict[str, list[int]] = {}

    @cached_property
    def _neighbours(self) -> set[tuple[str, str]]:
        return {(one.kind, two.kind) for one, two in pairwise(self._old) if not two.opens}

    @cached_property
    def _with_of(self) -> set[str]:
        return {word.kind for word, after in pairwise(self._old) if after.text == "of"}

    @cached_property
    def _tells(self) -> list[bool]:
        return [self._names_or_acts(place) for place in range(len(self._old))]

    @cached_property
    def _telling(self) -> list[int]:
        return [0, *accumulate(self._tells)]  # such words before each place

    def covers(self, new: tuple[Word, ...]) -> bool:
        """Return whether a walk reads these words.

        A walk goes on word by word as long as it can. Only where no walk arrives that way are its jumps tried, the
        last ones first.
        """
        kinds, wanted = [word.kind for word in self._old], [word.kind for word in new]
        seen: set[tuple[int, _State]] = set()
        waiting: list[tuple[int, _State]] = []
        found = [(0, _State(-1, False, True, 0))]
        while True:
            for walk in found:
                while walk not in seen:
                    seen.add(walk)
                    waiting.append(walk)
                    read, state = walk
                    if read == len(wanted):
                        return True
                    place = state.at + 1
                    if place < len(kinds) and kinds[place] == wanted[read]:
                        walk = (read + 1, _READ[place])
            if not waiting:
                return False
            read, state = waiting.pop()
            found = [(read + 1, after) for after in self._after(state, new[read])]

    def _after(self, state: _State, word: Word) -> list[_State]:
        at, added, opened, named, last = state
        kind = word.kind
        if word.opens and not opened:
            opened = True
            state = _State(at, added, opened, named, last)
        places = self._places.get(kind, [])
        known = bool(places)
        if kind in PRONOUN_FORMS:
            places = [*places, *self._people(word)]
        found = [_READ[place] for place in places if self._may_go(at, place, opened, added)]
        more = kind == "more" and at >= 0 and self._number[at]
        if more or _is_free(kind) or (kind in _ADDED_KINDS and not known):
            # A phrase for a pronoun or a noun left out ends here, and none follows before a word of the original.
            several = named and kind in PRONOUN_FORMS and self._is_plural(at)
            ended = named if several else named and _MAX_NAMED
            found.append(_State(at, added or word.text != "additional", opened, ended, kind))
        if known:
            found += self._standing_for(state, word)
        return found

    def _people(self, pronoun: Word) -> list[int]:
        """Return the places of the names that a pronoun may stand for."""
        if pronoun.kind not in self._people_of:
            wrong = (
                MALE_NAMES
                if pronoun.kind in FEMALE_PRONOUNS
                else FEMALE_NAMES
                if pronoun.kind in MALE_PRONOUNS
                else frozenset()
            )
            self._people_of[pronoun.kind] = [
                place
                for place, word in enumerate(self._old)
                if (word.text[0].isupper() and word.text not in wrong and word.kind not in PRONOUN_FORMS)
                or (place and self._old[place - 1].kind == "the" and self._old[place - 1].opens)
            ]
        return self._people_of[pronoun.kind]

    def _standing_for(self, state: _State, word: Word) -> Iterator[_State]:
        """Yield the states after a word of a phrase that replaces a pronoun, or for a noun left out."""
        if state.named:
            # The words of the phrase are neighbours in the original, too, or names of several: "Amy and her sister".
            next_one = word.opens and word.text.istitle() and self._is_plural(state.at)
            if state.named < _MAX_NAMED and (
                next_one or (not word.opens and (state.last, word.kind) in self._neighbours)
            ):
                yield _State(state.at, state.added, state.opened, state.named + 1, word.kind)
            if not word.opens:
                return
        if word.text[0].isupper() or word.kind == "the":
            for place in self._pronouns:
                wrong = _OTHER_GENDER.get(self._old[place].kind, _NOBODY)
                if word.text not in wrong and self._may_go(state.at, place, state.opened, state.added):
                    yield _State(place, False, False, 1, word.kind)
        before = self._old[state.at] if state.at >= 0 else None
        if word.opens or before is None:
            return
        # "how many did he", "12 more", "5 of them": a noun is left out.
        with_of = state.added and before.kind in self._with_of  # "4 pounds" -> "4 pounds of flour"
        left_out = (before.kind in ("many", "more") or _is_amount(before)) and self._noun_left_out(state.at)
        if (with_of or left_out) and self._may_be_noun(word):
            if with_of:
                yield _State(state.at, state.added, state.opened, 1, word.kind)
            if left_out:
                yield _State(state.at, True, state.opened, 1, word.kind)

    def _may_be_noun(self, word: Word) -> bool:
        """Return whether a word may start the noun that is left out: no name, no verb; but "13 pressed leaves"."""
        if is_first_name(word.text):
            return False
        before = [place - 1 for place in self._places[word.kind] if place]
        return not is_past(word.text) or any(
            self._number[place] or self._old[place].kind == "the" for place in before
        )

    def _is_plural(self, at: int) -> bool:
        return at >= 0 and self._old[at].kind in ("they", "them", "their")

    def _noun_left_out(self, at: int) -> bool:
        after = self._old[at + 1] if at + 1 < len(self._old) else None
        return after is None or after.opens or self._free[at + 1] or after.kind in ("more", "left", "than")

    def _may_go(self, at: int, place: int, opened: bool, added: bool) -> bool:
        """Return whether the walk may go on at this word."""
        if place == at + 1:
            return True
        if place > at and self._kept[at + 1] == self._kept[place]:
            return True
        old, ends = self._old, at + 1 in (0, len(self._old)) or self._opens[at + 1]
        if opened and (ends or self._may_end(at)) and self._may_start(place, added):
            return True
        if at < 0 or old[at].sentence != old[place].sentence:
            return False
        if (ends or (added and self._may_end(at))) and self._opens[place]:
            return True
        if added and old[at].clause == old[place].clause:
            return True
        return self._to_somebody(at, place) or self._one_list(at, place)

    def _to_somebody(self, at: int, place: int) -> bool:
        """Return whether a jump is one of those between "gave Amy 3 pens" and "gave 3 pens to Amy"."""
        old = self._old
        if old[at].clause != old[place].clause:
            return False
        over = place == at + 2 and self._title[at + 1]
        to, back = (self._title[there] and old[there - 1].text == "to" for there in (place, at))
        return over or to or (back and self._starts_item(place))

    def _may_start(self, place: int, added: bool) -> bool:
        """Return whether a clause of the new text may start at this word: "There are | 20 pens", "20 pens were"."""
        return self._opens[place] or self._number[place] or (added and self._free[place - 1])

    def _may_end(self, at: int) -> bool:
        """Return whether a clause of the new text may end here: "by Amy", "in each box", "and Ben has 5"."""
        name = self._opens[at - 1] and self._old[at - 1].text[-1] == "."  # "by Mrs. Ruiz"
        return self._opens[at] or name or self._free[at + 1] or self._number[at + 1] or self._number[at]

    def _opening_places(self, facts: list[_Facts]) -> list[bool]:
        """Return for each place whether a piece starts there, free words before it aside."""
        opening: list[bool] = []
        for at, word in enumerate(self._old):
            starts = word.opens or facts[at].opens_phrase
            opening.append(starts or (self._free[at - 1] and opening[at - 1]))
        return opening

    def _one_list(self, at: int, place: int) -> bool:
        """Return whether a jump stays in one list: to an item from before or after another, or out of the list."""
        starts, ends = self._starts_item(place), self._ends_item(at)
        if place > at:
            allowed, inside = ends or (starts and self._starts_item(at + 1)), (at + 1, place)
        else:
            allowed, inside = ends and starts, (place, at + 1)
        return allowed and self._telling[inside[0]] == self._telling[inside[1]]

    def _starts_item(self, place: int) -> bool:
        word = self._old[place]
        return word.opens or self._number[place] or word.kind == "the"

    def _ends_item(self, place: int) -> bool:
        after = place + 1
        return after == len(self._old) or self._opens[after] or self._tells[after]

    def _names_or_acts(self, place: int) -> bool:
        """Return whether a word names somebody or is a verb, so that it is no part of a list."""
        word, before = self._old[place], self._old[place - 1]
        after_number = self._number[place - 1]
        placed = after_number or before.text.lower() in PHRASE_OPENERS
        if word.kind in SUBJECT_PRONOUNS or (self._title[place] and not placed):
            return True
        finite = word.text in AUXILIARIES or is_past(word.text)
        return finite and not (after_number or before.kind == "the")


def _is_amount(word: Word) -> bool:
    return _facts(word.text, word.kind).number or word.text == "some"


def _converses(old: Counter[str], new: Counter[str]) -> Iterator[tuple[str, str]]:
    """Yield the kinds of the verbs that replace each other and exchange their parties."""
    for one, other in _CONVERSES:
        if one in old and other in new and old[one] > new[one] and new[other] > old[other]:
            yield one, other


def _parties(words: tuple[Word, ...], kind: str) -> list[tuple[str, str]]:
    """Return the names before and after each verb of this kind, where its clause has one of either."""
    found = []
    for at, verb in enumerate(words):
        if verb.kind == kind:
            names = [
                (place, word.text)
                for place, word in enumerate(words)
                if word.clause == verb.clause and word.text[0].isupper() and word.kind not in PRONOUN_FORMS
            ]
            before, after = (
                [name for place, name in names if (place < at) is side] for side in (True, False)
            )
            if len(before) == len(after) == 1:
                found.append((before[0], after[0]))
    return found


CHECKS = (words_stay_together,)

"""Promises for text from other authors: a rewrite keeps the values, relations, comparisons and question.

The checks compare words and values, without a parser. They refuse a rewrite if the words around a number, a
comparison or the question do not fit the original. They do not prove that the meaning is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise

from dnc_datasets import numerals
from dnc_datasets.certificate.clauses import (
    Mention,
    content,
    mentions,
    names,
    question,
    sentences,
    stem,
    words,
)
from dnc_datasets.english.lexicon import (
    ASKED_DIMENSIONS,
    ASKED_KINDS_OF_WORDS,
    ASKED_NOUN_STOPS,
    DOWNWARD,
    FILLERS,
    LOOKING_BACK_WORDS,
    MONTHS,
    NEGATIONS,
    OPPOSITE_VERBS,
    OPPOSITE_WORDS,
    PERIODS_AFTER_ARTICLE,
    POSSIBLE_NEGATIONS,
    POSSIBLE_RATE_WORDS,
    QUALIFIERS,
    RATE_WORDS,
    REMAINDER_WORDS,
    SHARING_WORDS,
    TIME_UNITS,
    TOTAL_WORDS,
    UNIT_FORMS,
    UNITS_BY_KIND,
    UNITS_OF_MEASURE,
    UPWARD,
    WEEKDAYS,
    any_of,
)
from dnc_datasets.numerals import Stated
from dnc_datasets.problem import Problem

# A value that refers to things already counted: "the two", "these 3 friends".
_POINTING = re.compile(r"\b(?:these|those|the|both|all|of all|other|their|his|her)\s+$", re.IGNORECASE)
_EACH, _ARTICLES = frozenset(("each", "every")), frozenset(("a", "an"))
# Words after "3 times" or "twice" that make it a count of events.
_FREQUENCY = frozenset(
    "a an per each every daily weekly monthly in on during this last before after to for".split()
)
_LEAST_SPAN = 10  # a decade and a century are no factors
_HAVE = frozenset(("has", "have", "had", "cost", "costs"))
_IMPERATIVE = re.compile(r"\b(?:calculate|determine|find|compute|figure out|work out|tell)\b", re.IGNORECASE)
_ASKED_NOUN = re.compile(
    rf"\bhow many ((?:[a-z'-]+ ){{0,3}}?[a-z'-]+)\b(?= (?:{any_of(ASKED_NOUN_STOPS - {'?'})}|in|of|left)\b|\?)",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\b(?:how|what|which|who|determine|calculate|find)\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"\?|\b(?:if|given|considering|assuming|when|once|after|since|before\b(?! *\?))\b", re.IGNORECASE
)
_COUNTED = re.compile(r"\b(?:how many|number of|in) ([a-z]+(?: [a-z]+)?)", re.IGNORECASE)
_OPENING = 4  # words of a question
_MOST_ADDED, _FEW = 2, 1  # words added for each word lost, and words that need no counterpart
_THAN = re.compile(r"\b(?:than|as)\b")
_SINGLE = re.compile(r"\b(?:an?|single|once|another|sole)\b", re.IGNORECASE)
_PAST, _FUTURE = frozenset(("ago",)), frozenset(("later", "hence", "now"))
_AFTER_VALUE = 3  # words
_DAYS = frozenset(day.lower() for day in (*WEEKDAYS, *MONTHS))
_PER = frozenset(("per", "a", "an", "each", "every", "/"))
_REMAINING = frozenset(("remaining", "rest", "remainder", "leftover"))
_MAX_CHARACTERS = 8_000


def values_said(original: Problem, perturbed: Problem) -> bool:
    """both texts state the same values equally often, words for multiples, shares and percentages included"""
    if len(perturbed.text) > _MAX_CHARACTERS:
        return False
    old, new = _values(original.text), _values(perturbed.text)
    known = old.keys() & new.keys()
    # "these two" may be repeated or dropped.
    free_old, free_new = _pointed(original.text, known), _pointed(perturbed.text, known)
    return (
        not (old - new) - free_old and not (new - old) - free_new and _ones_fit(original.text, perturbed.text)
    )


def _values(text: str) -> Counter[Fraction]:
    return Counter(one.value for one in _amounts(text) if one.value != 1)


def _amounts(text: str) -> list[Stated]:
    """Return the values of a text without ordinals in words, which name things."""
    return [one for one in numerals.stated(text) if one.kind != "ordinal" or text[one.start].isdigit()]


def _pointed(text: str, known: Iterable[Fraction]) -> Counter[Fraction]:
    return Counter(
        one.value for one in _amounts(text) if one.value in known and _POINTING.search(text[: one.start])
    )


def _ones_fit(before: str, after: str) -> bool:
    """Return whether a 1 in digits is neither new nor lost. The word "one" is ignored."""
    old, new = (
        [text[one.start : one.end] for one in _amounts(text) if one.value == 1] for text in (before, after)
    )
    digits = [sum(word[0].isdigit() for word in some) for some in (old, new)]
    said = [len(some) + len(_SINGLE.findall(text)) for some, text in ((old, before), (new, after))]
    return digits[1] <= said[0] and digits[0] <= said[1]


def asked_kept(original: Problem, perturbed: Problem) -> bool:
    """one question remains, and it asks for the same kind of amount, in the same unit, of the same people and things"""
    old, new = question(original.text), question(perturbed.text)
    marks = perturbed.text.count("?")
    if marks > 1 or (not marks and not _IMPERATIVE.search(new)) or not new:
        return False
    core, asked = _core(old), _core(new)
    return (
        _kinds(core) == _kinds(asked)
        and _dimensions_fit(core, asked)
        and _asked_units_fit(original.text, core, asked)
        and _asked_names_fit(original.text, core, asked)
        and _asked_noun_fits(original.text, core, asked)
        and _asked_days_fit(old, new)
        and _asked_modifiers_fit(original.text, core, new)
    )


def _core(text: str) -> str:
    """Return the clause of a question that asks: "how many pens does she have"."""
    found = list(_ASKS.finditer(text))
    start = found[-1].start() if found else 0
    end = _CONDITION.search(text, start + 1)
    return text[start : end.start() if end else len(text)]


def _kinds(text: str) -> frozenset[str]:
    """Return the kinds of amounts that a question asks for. A difference is asked for by its first words."""
    said = words(text)
    found = {kind for word in said if (kind := ASKED_KINDS_OF_WORDS.get(word, "difference")) != "difference"}
    opening = (*said[:_OPENING], *(word for word in said if word == "difference"))
    return frozenset(found | {ASKED_KINDS_OF_WORDS[word] for word in opening if word in ASKED_KINDS_OF_WORDS})


def _dimensions_fit(old: str, new: str) -> bool:
    before, after = _dimensions(old), _dimensions(new)
    return not before or not after or bool(before & after)


def _dimensions(text: str) -> frozenset[str]:
    said = set(words(text))
    return frozenset(name for name, forms in ASKED_DIMENSIONS.items() if said & set(forms.split()))


def _unit(word: str) -> str:
    word = UNIT_FORMS.get(word, word)
    if word not in UNITS_OF_MEASURE and word not in UNIT_FORMS.values():
        return ""
    return UNIT_FORMS.get(word.removesuffix("s"), word.removesuffix("s") if not word.endswith("ss") else word)


def _asked_units_fit(text: str, old: str, new: str) -> bool:
    """Return whether both questions ask in the same unit, or one for an amount with only one unit."""
    before, after = (_asked_unit(question) for question in (old, new))
    if before == after or not (before or after):
        return True
    if before and after:
        return False
    if _asked_noun(old if after else new):  # "how many days" is not "how many feedings"
        return False
    unit = before or after
    kinds = [kind for kind in UNITS_BY_KIND.values() if unit in map(_unit, kind)]
    stated = _units(text)
    return unit in stated and not any(
        other != unit and other in map(_unit, kind) for kind in kinds for other in stated
    )


def _asked_unit(text: str) -> str:
    """Return the unit after "how many" or "number of". Return an empty text if the question names none."""
    found = " ".join(match[1] for match in _COUNTED.finditer(text))
    return next((unit for word in words(found) if (unit := _unit(word)) and unit != "dollar"), "")


def _asked_names_fit(text: str, old: str, new: str) -> bool:
    """Return whether no name became another one. A pronoun may replace a name, and a name a pronoun."""
    known = names(text)
    asked, now = known & set(words(old)), known & set(words(new))
    if not asked or not now:
        return len(asked | now) <= 1 or not now
    return asked == now


def _asked_noun_fits(text: str, old: str, new: str) -> bool:
    """Return whether the rewrite asks for no other thing that the original also counts."""
    before, after = _asked_noun(old), _asked_noun(new)
    if not before or not after or before & after:
        return True
    counted = frozenset(stem(word) for one in mentions(text) for word in one.after[:3] if word not in FILLERS)
    return not after & (counted - content(words(old)))


def _asked_days_fit(old: str, new: str) -> bool:
    days = [_DAYS & set(words(text)) for text in (old, new)]
    return days[0] == days[1] or not days[0]


def _asked_modifiers_fit(text: str, old: str, new: str) -> bool:
    """Return whether words that identify the asked things remain: "red" beside blue pens."""
    found = _ASKED_NOUN.search(old)
    *modifiers, head = words(found[1]) if found else ("",)
    if not modifiers or head not in words(new):
        return True
    others = {one for one, two in pairwise(words(text)) if two == head and one not in FILLERS} - {*modifiers}
    return not others or set(modifiers) - FILLERS <= {*words(new)}


def _asked_noun(text: str) -> frozenset[str]:
    found = _ASKED_NOUN.search(text)
    return content(words(found[1])) if found else frozenset()


def rates_kept(original: Problem, perturbed: Problem) -> bool:
    """a number that holds for each of several things still does, and one that is shared is not given to each"""
    new = _by_value(perturbed.text)
    for old in mentions(original.text):
        found = new.get(old.value, ())
        if found and _is_rate(old) and not any(map(_may_be_rate, found)):
            return False
        if found and _is_rate(old) and all(map(_is_total, found)):
            return False
        shared = SHARING_WORDS & set(old.sentence) and not _EACH & set(old.sentence)
        if found and shared and all(_EACH & set(one.clause) for one in found):
            return False
    return True


def _is_rate(one: Mention) -> bool:
    """Return whether a word of the clause makes the value hold for each of several things."""
    return bool(RATE_WORDS & set(one.clause)) or _has_period(one)


def _may_be_rate(one: Mention) -> bool:
    """Return whether the value may hold for each: "a box contains 8 pens", "boxes of 8"."""
    return bool(RATE_WORDS & set(one.sentence) or POSSIBLE_RATE_WORDS & set(one.near))


def _is_total(one: Mention) -> bool:
    """Return whether the words after a value make it a total: "$20 altogether"."""
    return bool(TOTAL_WORDS & set(one.after[:_AFTER_VALUE])) and not RATE_WORDS & set(one.clause)


def _has_period(one: Mention) -> bool:
    """Return whether a period follows with an article: "$12 an hour"."""
    return any(
        word in _ARTICLES and after in PERIODS_AFTER_ARTICLE
        for word, after in pairwise(one.after[:4])
    )  # fmt: skip


def _by_value(text: str) -> dict[Fraction, tuple[Mention, ...]]:
    found: dict[Fraction, tuple[Mention, ...]] = {}
    for one in mentions(text):
        found[one.value] = (*found.get(one.value, ()), one)
    return found


def directions_kept(original: Problem, perturbed: Problem) -> bool:
    """an amount that is above another one is not below it, and a past time is not a future one"""
    new = _by_value(perturbed.text)
    for old in mentions(original.text):
        if any(_is_past(old, one) for one in new.get(old.value, ())):
            return False
        was = _direction(old)
        found = new.get(old.value, ())
        if was and found and all(_direction(one) == -was for one in found):
            return False
    return True


def _is_past(one: Mention, two: Mention) -> bool:
    """Return whether one of two spans of time is ago and the other one in the future: "in 2 years"."""
    ago = [bool(_PAST & set(mention.after[:_AFTER_VALUE])) for mention in (one, two)]
    units = [bool(mention.after) and mention.after[0] in TIME_UNITS for mention in (one, two)]
    return (
        all(units)
        and ago[0] != ago[1]
        and any(
            mention.before[-1:] == ("in",) or bool(_FUTURE & set(mention.after[:_AFTER_VALUE]))
            for mention, past in zip((one, two), ago, strict=True)
            if not past
        )
    )


def _direction(one: Mention) -> int:
    """Return 1 if the words next to a value compare upward, -1 if downward, and 0 otherwise."""
    near = {*one.before[-3:], *one.after[:6]}
    up, down = bool(near & UPWARD), bool(near & DOWNWARD)
    return up - down


def numbers_not_crossed(original: Problem, perturbed: Problem) -> bool:
    """the words around two numbers fit the same numbers of the original better than the exchanged ones"""
    old, new = _by_value(original.text), _by_value(perturbed.text)
    known = [value for value in old if len(old[value]) == 1 and len(new.get(value, ())) == 1]
    for one, two in combinations(known, 2):
        before, after = (old[one][0], old[two][0]), (new[one][0], new[two][0])
        words_before = _distinct(before)
        words_after = _distinct(after)
        things = tuple(content(mention.after[:_AFTER_VALUE]) for mention in after)
        straight = _overlap(words_before, words_after, things)
        if _overlap(words_before, words_after[::-1], things[::-1]) > straight:
            return False
    return True


def _overlap(
    before: Iterable[frozenset[str]], after: Iterable[frozenset[str]], things: Iterable[frozenset[str]]
) -> tuple[int, int]:
    """Return the number of words that pairs of clauses share, and of those directly after the value."""
    pairs = [(was & now, thing) for was, now, thing in zip(before, after, things, strict=True)]
    return sum(len(both) for both, _ in pairs), sum(len(both & thing) for both, thing in pairs)


def owners_kept(original: Problem, perturbed: Problem) -> bool:
    """a number is not given to another person, and is not compared with another person's"""
    known = names(original.text)
    for old, new in _single_pairs(original.text, perturbed.text):
        owners = [
            mention.before[0] for mention in (old, new) if mention.before and mention.before[0] in known
        ]
        if len(owners) == len({*owners}) == 2 and not (
            owners[0] in new.sentence or owners[1] in old.sentence
        ):
            return False
        others = [known & set(_compared(mention)) for mention in (old, new)]
        if all(others) and not others[0] & others[1]:
            return False
    return True


def _single_pairs(before: str, after: str) -> list[tuple[Mention, Mention]]:
    """Return the mentions of each value that both texts state once."""
    old, new = _by_value(before), _by_value(after)
    return [
        (old[value][0], new[value][0])
        for value in old
        if len(old[value]) == 1 and len(new.get(value, ())) == 1
    ]


def _compared(one: Mention) -> tuple[str, ...]:
    """Return the words after "than" in the clause of a value."""
    return one.after[one.after.index("than") + 1 :] if "than" in one.after else ()


def _distinct(pair: tuple[Mention, Mention]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words around each of two values that are not around the other."""
    one, two = (content(tuple(mention.clause)) for mention in pair)
    return one - two, two - one


def sides_kept(original: Problem, perturbed: Problem) -> bool:
    """the two sides of a comparison are not exchanged"""
    known = names(original.text) | _nouns_compared(original.text)
    for old in _comparisons(original.text, known):
        for new in _comparisons(perturbed.text, known):
            same = old[2] == new[2] if old[2] and new[2] else True
            exchanged = bool(old[0] & new[1] and old[1] & new[0]) and not (old[0] & new[0] or old[1] & new[1])
            kept = bool(old[0] & new[0] and old[1] & new[1]) and not (old[0] & new[1] or old[1] & new[0])
            if (exchanged and same) or (kept and not same):
                return False
    return True


def _nouns_compared(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if len(word) > 3 and word not in FILLERS)


def _comparisons(text: str, known: frozenset[str]) -> list[tuple[frozenset[str], frozenset[str], int]]:
    """Return the words before and after each "than" or "as", and the direction."""
    found = []
    stems = frozenset(map(stem, known))
    for start, end in sentences(text):
        for clause in re.split(r"[;:,](?!\d)|\b(?:and|but|while)\b", text[start:end]):
            lower = clause.lower()
            parts = list(_THAN.finditer(lower))
            if not parts:
                continue
            cut = parts[-1]
            one, two = words(lower[: cut.start()]), words(lower[cut.end() :])
            near = set(one[-6:])
            direction = bool(near & UPWARD) - bool(near & DOWNWARD)
            left = content(one) & stems
            right = content(two) & stems
            # "The second child" is no unit of time.
            both = left & right | frozenset(
                map(stem, UPWARD | DOWNWARD | UNITS_OF_MEASURE - {"second", "seconds"})
            )
            found.append((left - both, right - both, direction))
    return found


def times_more_kept(original: Problem, perturbed: Problem) -> bool:
    """a multiple of another amount stays one, and "three times more" does not become "three times as many" """
    old, new = _by_value(original.text), _by_value(perturbed.text)
    for value in old.keys() & new.keys():
        before, after = ({_factor(one) for one in some[value]} for some in (old, new))
        if not before & after and (before | after) - {""}:
            return False
    return True


def _factor(one: Mention) -> str:
    """Return how a value multiplies another amount: "as" (many), "up" (times more), "down" or empty."""
    if one.after[:1] == ("times",):
        following = one.after[1:2]
    elif one.kind == "multiple" and one.value < _LEAST_SPAN:
        following = one.after[:1] or ("as",)  # "doubled"
    else:
        return ""
    if not following or following[0] in _FREQUENCY:
        return ""
    return "up" if following[0] in UPWARD else "down" if following[0] in DOWNWARD else "as"


def shares_kept(original: Problem, perturbed: Problem) -> bool:
    """a share of an amount does not become the share by which the amount changes"""
    new = _by_value(perturbed.text)
    for old in mentions(original.text):
        found = new.get(old.value, ())
        if not found or old.value >= 1:
            continue
        if old.before[-1:] != ("by",) and old.after[:1] == ("of",):
            turned = all(one.before[-1:] == ("by",) and one.after[:1] != ("of",) for one in found)
        else:
            ends = {"by", "to"}
            turned = all({*old.before[-1:], *one.before[-1:]} == ends for one in found)
        if turned:
            return False
    return not any(
        _of_remainder(one) and not REMAINDER_WORDS & set(two.sentence)
        for old, new in _single_pairs(original.text, perturbed.text)
        for one, two in ((old, new), (new, old))
        if old.value < 1
    )


def _of_remainder(one: Mention) -> bool:
    """Return whether a value is a share of an amount that is left: "a third of the remaining pens"."""
    return one.after[:1] == ("of",) and bool(_REMAINING & set(one.after[:4]))


def steps_kept(original: Problem, perturbed: Problem) -> bool:
    """two steps of one sentence, of which one takes a share, keep their order"""
    pairs = _single_pairs(original.text, perturbed.text)
    new = [mention.value for mention in mentions(perturbed.text)]
    for (one, now_one), (two, now_two) in combinations(pairs, 2):
        is_step = (one.value < 1) != (two.value < 1) and one.sentence == two.sentence
        if not is_step or now_one.sentence != now_two.sentence or "then" not in one.sentence:
            continue
        if new.index(one.value) > new.index(two.value) and not LOOKING_BACK_WORDS & {
            *one.sentence,
            *now_one.sentence,
        }:
            return False
    return True


def opposites_kept(original: Problem, perturbed: Problem) -> bool:
    """no word is replaced by its opposite"""
    old, new = set(words(original.text)), set(words(perturbed.text))
    for one, two in OPPOSITE_WORDS:
        for side, other in ((one, two), (two, one)):
            lost = any(word in old for word in side) and not any(word in new for word in side)
            gained = any(word in new for word in other) and not any(word in old for word in other)
            if lost and gained:
                return False
    return not any(
        set(one.clause) & side
        and set(two.clause) & other
        and not set(one.clause) & other | set(two.clause) & side
        for one, two in _single_pairs(original.text, perturbed.text)
        for pair in OPPOSITE_VERBS
        for side, other in (tuple(map(set, pair)), tuple(map(set, reversed(pair))))
    )


def units_kept(original: Problem, perturbed: Problem) -> bool:
    """no unit of measure or period is replaced by another one"""
    old, new = _units(original.text), _units(perturbed.text)
    if old - new and new - old:
        return False
    return not any(
        was and now and was != now
        for one, two in _single_pairs(original.text, perturbed.text)
        for was, now in zip(_own_units(one), _own_units(two), strict=True)
    )


def _own_units(one: Mention) -> tuple[str, str]:
    """Return the unit of a value, and the unit per which it holds: "5 miles an hour"."""
    per = next((after for word, after in pairwise(one.after[:6]) if word in _PER and _unit(after)), "")
    return _unit(one.after[0]) if one.after else "", _unit(per)


@lru_cache(maxsize=512)
def _units(text: str) -> frozenset[str]:
    return frozenset(
        unit for word in words(text) if (unit := _unit(word)) and unit not in ("dollar", "point", "second")
    )


def qualifiers_kept(original: Problem, perturbed: Problem) -> bool:
    """words that bound or choose an amount (at least, remaining, equally, not) are neither lost nor added"""
    old, new = (_phrases(problem.text) for problem in (original, perturbed))
    groups = [*QUALIFIERS, (NEGATIONS, POSSIBLE_NEGATIONS)]
    return not any(
        _has(one, sure) and not _has(two, (*sure, *possible))
        for sure, possible in groups
        for one, two in ((old, new), (new, old))
    )


def _phrases(text: str) -> str:
    """Return the words between blanks, with short and long forms of "not" alike."""
    plain = re.sub(r"(?:n['’]t|\bun\w+|\bnon\w*)\b", " not", text.lower())
    return f" {' '.join(re.findall(r'[a-z]+', plain))} "


def _has(text: str, group: Iterable[str]) -> bool:
    return any(f" {phrase} " in text for phrase in group)


def nothing_added(original: Problem, perturbed: Problem) -> bool:
    """words are replaced: neither text has many words for which the other has no counterpart"""
    old, new = (_words_without_values(problem.text) for problem in (original, perturbed))
    lost, added = (old - new).total(), (new - old).total()
    return added <= _MOST_ADDED * lost + _FEW and lost <= _MOST_ADDED * added + _FEW


def _words_without_values(text: str) -> Counter[str]:
    for one in reversed(numerals.stated(text)):
        text = f"{text[: one.start]} {text[one.end :]}"
    return Counter(word for word in words(text) if word not in FILLERS or word in _HAVE)


CHECKS: tuple[Callable[[Problem, Problem], bool], ...] = (
    values_said,
    asked_kept,
    rates_kept,
    directions_kept,
    numbers_not_crossed,
    owners_kept,
    sides_kept,
    times_more_kept,
    shares_kept,
    steps_kept,
    opposites_kept,
    units_kept,
    qualifiers_kept,
    nothing_added,
)

"""Paraphrases by rules. The head-entity filter checks every result."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from dnc_datasets import numerals
from dnc_datasets.english.lexicon import CAPITALISED_OPENERS, PRONOUNS
from dnc_datasets.english.reading.quantities import noun_end
from dnc_datasets.english.reading.sentences import capitalised, sentences, uncapitalised
from dnc_datasets.english.reading.word_sets import words_in
from dnc_datasets.english.rewording.paraphrase_rules import REWRITES
from dnc_datasets.english.rewording.rule_index import RuleIndex
from dnc_datasets.english.rewording.structural_rules import Rewrite
from dnc_datasets.memoization import memoized
from dnc_datasets.numerals import Ratio


def rewrites(sentence: str, rules: Iterable[Rewrite] = REWRITES) -> Iterator[tuple[str, str]]:
    """Yield the name and the result of every rule that applies to a sentence and passes the filter."""
    for rule in rules:
        match = rule.pattern.search(sentence)
        made = _rewritten(rule, match) if match else None
        if made is not None:
            yield rule.name, made


def _rewritten(rule: Rewrite, match: re.Match[str]) -> str | None:
    """Return the sentence after the rule was applied; None where the filter rejects it."""
    sentence, new = match.string, _replacement(rule, match)
    if new is None:
        return None
    made = sentence[: match.start()] + new + sentence[match.end() :]
    return made if made != sentence and same_heads(sentence, made) else None


def _replacement(rule: Rewrite, match: re.Match[str]) -> str | None:
    """Return the replacement of a match; None where the rule is not certain."""
    if not isinstance(rule.new, str):
        return rule.new(match)
    pieces = _pieces(rule.new)
    for at in range(1, len(pieces), 2):
        pieces[at] = match[pieces[at]] or ""
    return "".join(pieces)


_GROUP = re.compile(r"\\g<([a-z]+)>")


def _pieces(template: str) -> list[str]:
    """Return the literal texts and the group names of a replacement, alternately.

    It is faster than `match.expand`, which parses the template at each call.
    """
    return _GROUP.split(template)


def _is_of_a_clause(rule: Rewrite) -> bool:
    """Return whether the rule rewords a complete clause rather than some of its words."""
    return rule.pattern.pattern.startswith("^") and rule.pattern.pattern.endswith("$")


_OF_CLAUSES = tuple(rule for rule in REWRITES if _is_of_a_clause(rule))
_OF_WORDS = tuple(rule for rule in REWRITES if not _is_of_a_clause(rule))
_RULES = RuleIndex((*_OF_CLAUSES, *_OF_WORDS))


@lru_cache(maxsize=64)
def _candidates(sentence: str) -> tuple[list[Rewrite], list[Rewrite]]:
    """Return the clause rules and the word rules that may match a sentence."""
    places = _RULES.places(sentence)
    of_clauses = bisect_left(places, len(_OF_CLAUSES))
    rules = [_RULES.rules[at] for at in places]
    return rules[:of_clauses], rules[of_clauses:]


class Paraphrase(NamedTuple):
    """A paraphrase of a sentence, and the rules that were applied, in order."""

    text: str
    rules: tuple[str, ...]


# Bounds between clauses of a sentence that can be reworded separately.
_VERB = "ha(?:s|ve|d)|is|are|was|were|costs?|holds?|contains?|needs?|weighs?|gets?|takes?|can|will"
_SUBJECT = (
    r"(?=(?:he|she|they|there) [a-z]|(?:each|every|the|his|her|their|an?) (?:(?!which|that|who)[a-z]{1,20} ){1,3}(?:"
    + _VERB
    + r")\b"
    r"|[A-Z][a-z]{1,20} (?!in\b|on\b|at\b|for\b|to\b|from\b|with\b|and\b|each\b|who\b|by\b)[a-z]{2,20})"
)
_JOINT = re.compile(
    rf",? (?:and|but) (?=(?:he|she|they|there) [a-z])|, (?:and|but|so|while|whereas) {_SUBJECT}|, (?=how (?:many|much) )"
)
_OPENING = re.compile(r"(?:If|When|Since|Because) " + _SUBJECT)
_MARK = re.compile(r"[.?,]$")


# A row records the strength of its paraphrase, which needs the same sentences once more.
@memoized
def said_otherwise(sentence: str, most: int) -> list[Paraphrase]:
    """Return up to `most` different paraphrases of a sentence.

    Each clause is reworded by at most one clause rule. Then each word rule is applied.
    """
    found: dict[str, Paraphrase] = {}
    for one in _by_clauses(sentence, most):
        made = _by_words(one, sentence)
        # If the reworded words fail the filter, the reworded clauses may still pass it.
        for choice in (made, one) if made is not one else (made,):
            if choice.rules and choice.text != sentence and same_heads(sentence, choice.text):
                found.setdefault(choice.text, choice)
                break
    return list(found.values())


def _by_clauses(sentence: str, most: int) -> list[Paraphrase]:
    """Return the sentence and its versions with reworded clauses, at most `most` of them."""
    divided = ", " in sentence or " and " in sentence or " but " in sentence
    joints = list(_JOINT.finditer(sentence)) if divided else []
    opening = _OPENING.match(sentence)
    found = [Paraphrase(text, (name,)) for name, text in _clause_choices(sentence)]
    if joints or opening:
        starts = [opening.end() if opening else 0, *(joint.end() for joint in joints)]
        ends = [*(joint.start() for joint in joints), len(sentence)]
        pieces = [_piece_choices(sentence, start, end) for start, end in zip(starts, ends, strict=True)]
        for at in range(max(map(len, pieces))):
            chosen = [piece[at % len(piece)] if piece else None for piece in pieces]
            text, last = "", 0
            for start, end, choice in zip(starts, ends, chosen, strict=True):
                text += sentence[last:start] + (choice[1] if choice else sentence[start:end])
                last = end
            found.append(Paraphrase(text, tuple(choice[0] for choice in chosen if choice)))
    return [*found[:most], Paraphrase(sentence, ())][:most]


def _clause_choices(sentence: str) -> list[tuple[str, str]]:
    rules = _candidates(sentence)[0]
    return list(rewrites(sentence, rules)) if rules else []


def _piece_choices(sentence: str, start: int, end: int) -> list[tuple[str, str]]:
    """Return the alternatives for a part of a sentence, read as a separate sentence."""
    piece = sentence[start:end]
    mark = match[0] if (match := _MARK.search(piece)) else ""
    closing = "?" if mark == "?" else "."
    whole = f"{capitalised(piece.removesuffix(mark))}{closing}"
    found = []
    for name, text in _clause_choices(whole):
        inside = text if start == 0 else uncapitalised(text, sentence)
        if inside is not None and text.endswith(closing) and ". " not in text and "," not in text:
            found.append((name, inside.removesuffix(closing) + mark))
    return found


def _by_words(made: Paraphrase, sentence: str) -> Paraphrase:
    """Return the sentence with every word rule applied outside the parts that clause rules changed."""
    text = made.text
    edits: list[tuple[int, int, str, str]] = []
    for rule in _candidates(text)[1]:
        for match in rule.pattern.finditer(text):
            first, last = match.span()
            for start, end, _, _ in edits:
                if start < last and first < end:
                    break
            else:
                # The output of a clause rule is not changed: another rule might revert it.
                new = _replacement(rule, match) if match[0] in sentence else None
                if new is not None and new != match[0]:
                    edits.append((first, last, new, rule.name))
    if not edits:
        return made
    edits.sort()
    for start, end, new, _ in reversed(edits):
        text = text[:start] + new + text[end:]
    return Paraphrase(text, (*made.rules, *(name for _, _, _, name in edits)))


def paraphrases(sentence: str, most: int) -> list[str]:
    """Return the texts of `said_otherwise`."""
    return [made.text for made in said_otherwise(sentence, most)]


def replaced_share(before: str, after: str) -> float:
    """Return the share of words of both texts that the other lacks. Moved words are not counted.

    >>> replaced_share("Amy ran today.", "Today Amy ran."), replaced_share("Amy ran home.", "Amy walked home.")
    (0.0, 0.3333333333333333)
    """
    old, new = _SAID.findall(before.lower()), _SAID.findall(after.lower())
    counts = Counter(new)
    kept = sum([min(count, counts[word]) for word, count in Counter(old).items()])
    total = len(old) + len(new)
    return (total - 2 * kept) / max(1, total)


_SAID = re.compile(r"[\w$%']+")
_NAME, _SMALL_WORD = re.compile(r"\b[A-Z][a-z]+"), re.compile(r"[a-z]+")
_SAME = {"he": "he", "him": "he", "his": "he", "she": "she", "her": "she", "hers": "she", "they": "they",
         "them": "they", "their": "they", "i": "i", "we": "we", "you": "you"}  # fmt: skip
_PERSON = {word: person for word, person in _SAME.items() if word in (*PRONOUNS, "i", "we", "you")}


class Head(NamedTuple):
    """A number, the noun that it counts, and the people named in its sentence."""

    ratio: Ratio
    noun: str
    people: frozenset[str]


@lru_cache(maxsize=256)
def heads(text: str) -> list[Head]:
    """Return the head entity of every number in a text, in an order that is independent of position.

    >>> heads("Amy gave 3 red plums to Ben.")[0].noun, sorted(heads("Amy gave 3 red plums to Ben.")[0].people)
    ('plums', ['Amy', 'Ben'])
    """
    found = []
    for sentence in sentences(text):
        quantities = numerals.find(sentence)
        named = people_in(sentence) if quantities else _NOBODY
        for quantity in quantities:
            end = noun_end(sentence, quantity.end)
            words = sentence[quantity.end : end].split(" of ")[0].split()
            found.append(Head(quantity.ratio, words[-1] if words else "", named))
    if len(found) > 1:
        found.sort(key=_RATIO_AND_NOUN)
    return found


_NOBODY: frozenset[str] = frozenset()
_RATIO_AND_NOUN = itemgetter(0, 1)


@lru_cache(maxsize=256)
def people_in(sentence: str) -> frozenset[str]:
    """Return the names and pronouns of a sentence."""
    return frozenset(chain.from_iterable(map(_people, words_in(sentence))))


@lru_cache(maxsize=4096)
def _people(word: str) -> tuple[str, ...]:
    """Return the names and pronouns in a run of letters and digits."""
    names = [name for name in _NAME.findall(word) if name not in CAPITALISED_OPENERS]
    return (*names, *(_PERSON[small] for small in _SMALL_WORD.findall(word.lower()) if small in _PERSON))


def same_heads(before: str, after: str) -> bool:
    """Return whether every number still counts the same things, with the same people in its sentence.

    If one sentence became two, each number may have only a subset of the people.
    """
    if people_in(before) != people_in(after):
        return False
    old, new = heads(before), heads(after)
    if len(old) != len(new):
        return False
    for (ratio, noun, people), (new_ratio, new_noun, new_people) in zip(old, new, strict=True):
        if ratio != new_ratio or noun != new_noun or not new_people <= people or (people and not new_people):
            return False
    return True

"""Objects: small countable things that can stand for one another, and things that can be added to a story."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dnc_datasets.draws import Draw
from dnc_datasets.english.lexicon import (
    NUMBER_TO_TWELVE,
    OBJECTS_IN_HUNDREDS,
    OBJECTS_NEVER_INTRODUCED,
    TRADE_FORMS,
    VERBS_FOR_ANY_OBJECT,
    plain,
)
from dnc_datasets.english.reading.quantities import values_of

# one, many: whoever has, gives, finds, buys or loses one of them might as well do so with another.
THINGS = (
    ("marble", "marbles"), ("sticker", "stickers"), ("pencil", "pencils"), ("crayon", "crayons"),
    ("button", "buttons"), ("shell", "shells"), ("seashell", "seashells"), ("stamp", "stamps"), ("coin", "coins"),
    ("bead", "beads"), ("pen", "pens"), ("eraser", "erasers"), ("ribbon", "ribbons"), ("bracelet", "bracelets"),
    ("balloon", "balloons"), ("card", "cards"), ("baseball card", "baseball cards"), ("book", "books"),
    ("comic book", "comic books"), ("block", "blocks"), ("peach", "peaches"), ("plum", "plums"),
    ("apple", "apples"), ("pear", "pears"), ("orange", "oranges"), ("toy car", "toy cars"), ("badge", "badges"),
    ("penny", "pennies"), ("quarter", "quarters"), ("nickel", "nickels"), ("skittle", "skittles"),
)  # fmt: skip
_FRUIT = frozenset(("peach", "plum", "apple", "pear", "orange"))
_ACTS = re.compile(
    r"\b(?:ate|eat|eating|peel|bake|pie|juice|tree|picked|pick|read|reading|pages|wear|play\w*|blew|pop|spend|spent|cost|"
    r"costs|dollars|\$|write|draw|buy a|bowl|basket|tower|build|binder|shelf|library|quarters? of|bank|about|bookshel\w+|"
    r"shelves|village|houses?|mail|used?|uses|chart|classroom|test|toys|pies|change|pounds|bucket|"
    r"M&M|candy|machine|harvest\w*|stack\w*|pyramid|notebooks?|colou?rs?|clear|broke|broken|party|\w+seller|albums?|"
    r"beach\w*|seashore|shore|ocean|sea|sand|misplac\w*|sharpen\w*|game|librarian|check\w*|walk\w*|streets?|novels?|"
    r"balls?|jars?|pops?|popped|author|copies|versions?|decks?|poker|scrapbooks?|sheets?|gloves?|gear|sews?|"
    r"necklaces?|shirts?|comic(?! books?\b)|baseball(?! cards?\b))\b"
)
# A coin that is counted as money is no thing like others.
_AS_MONEY = re.compile(r"\$|\b(?:cents?|dimes?|dollars?|money|worth|pays?|paid|value)\b")
_MONEY = frozenset(("coins", "pennies", "quarters", "nickels"))
_HUNDREDS = 150
_WORD = re.compile(r"[a-z]+")


def exchanged(texts: Sequence[str], draw: Draw) -> tuple[list[str], str, str] | None:
    """The texts about another thing, and the two things (plural); None where the thing is not sure to be any.

    >>> exchanged(["Amy has 3 marbles."], Draw(0, "", "", ""))[0][0].startswith("Amy has 3 ")
    True
    """
    whole = " ".join(texts)
    if _ACTS.search(whole):
        return None
    if any(verb not in VERBS_FOR_ANY_OBJECT for word in _WORD.findall(whole) if (verb := _done(word))):
        return None
    present = [
        pair
        for pair in THINGS
        if re.search(rf"(?<![a-z-] )?\b{pair[1]}\b", whole) and not _inside_other(pair[1], whole)
    ]
    if len(present) != 1:
        return None
    one, many = present[0]
    if (many in _MONEY and _AS_MONEY.search(whole)) or _part_of_more(one, many, whole):
        return None
    if re.search(
        rf"\b(?!\d)[a-z]+(?<!of)(?<!the)(?<!more)(?<!some)(?<!many)(?<!fewer)(?<!his)(?<!her) {many}\b",
        _small(whole),
    ):
        return None  # "red marbles": the adjective may not fit another thing
    words = set(_WORD.findall(whole.lower()))
    # "toy cars" that are "cars" later on.
    if " " in many and re.search(rf"(?<!{many.split()[0]} ){many.split()[-1]}\b", whole):
        return None
    many_of_them = any(value > _HUNDREDS for value in values_of(whole))
    others = [
        pair
        for pair in THINGS
        if (pair[0] in _FRUIT) == (one in _FRUIT)
        and pair[1].split()[-1] not in words
        and not (pair[1] in _MONEY and (words & TRADE_FORMS or _AS_MONEY.search(whole)))
        and pair[1] not in OBJECTS_NEVER_INTRODUCED
        and (pair[1] in OBJECTS_IN_HUNDREDS or not many_of_them)
    ]
    new_one, new_many = draw.choice(others)
    made = [
        re.sub(rf"\ban? {one}\b", _article(new_one), re.sub(rf"\b{many}\b", new_many, text)) for text in texts
    ]
    if any(re.search(rf"\b{one}\b", text) for text in made):
        return None
    return made, many, new_many


def _done(word: str) -> str | None:
    """The verb that the word may be; none for a thing, such as a stamp."""
    return None if any(word in pair for pair in THINGS) else plain(word)


def _small(text: str) -> str:
    # Number words are no adjectives.
    return re.sub(
        rf"\b(?:[a-z]+ty-[a-z]+|[a-z]+teen|[a-z]+ty|{NUMBER_TO_TWELVE})\b",
        "9",
        text.lower(),
    )


def _part_of_more(one: str, many: str, text: str) -> bool:
    """Is the thing a part of another word or name: "a block of wood", "a card game", "the bookseller"?"""
    return bool(
        re.search(rf"\b(?:{one}|{many}) of [a-z]|\b{one} (?:club|shop|store|set|show|box|pack|sale)\b", text)
        or re.search(rf"\b(?!{many}\b){one}[a-z]+|[a-z]{one}s?\b", text, re.IGNORECASE)
    )


def _inside_other(many: str, text: str) -> bool:
    """Is "books" only part of "comic books"?"""
    longer = [pair[1] for pair in THINGS if pair[1].endswith(f" {many}")]
    return any(re.search(rf"\b{name}\b", text) for name in longer)


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"

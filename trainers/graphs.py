"""The two graphs over a problem's tokens that Graph2Tree reads, from rules on the tokens.

*greater* has an edge from each number to every smaller one, and both ways between equal ones.

*attribute* joins a number with the words of its group (its neighbours, the nouns after it, rate words), and
positions whose group words share a stem. The last words of the question are group words too, since they name
the unknown. Each token has an edge to itself. Every edge has weight one, regardless of the degree; on
validation problems this is better than dividing by the degree.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from dnc_trainers.representation import stem

if TYPE_CHECKING:
    from dnc_trainers.representation import Text

GRAPHS = 2
# Maximum distance of a group word after a number, and the number of tokens from the question's end.
_REACH = 3
_QUESTION_END = 3
_RATE_WORDS = frozenset(("each", "every", "per", "apiece"))
_WORD = re.compile(r"[^\W\d_]")
# Words that do not describe the counted thing.
_EMPTY_WORDS = frozenset(
    "a an the of in on at to for from with by and or but if then than as is was were are be been has have "
    "had do does did he she it they we you i his her its their my your how many much more there that "
    "this".split()
)


def word_groups(text: Text) -> list[list[int]]:
    """Return the positions of the words that belong to each number.

    >>> from dnc_trainers.representation import Text
    >>> word_groups(Text(("ann", "has", "number0", "red", "pens", "."), (2,), (3,)))
    [[1, 3, 4]]
    """
    tokens = text.tokens
    numbers = set(text.positions)
    groups = []
    for at in text.positions:
        group = [at - 1] if at and _WORD.match(tokens[at - 1]) and at - 1 not in numbers else []
        for place in range(at + 1, min(at + 1 + _REACH, len(tokens))):
            if place in numbers or not _WORD.match(tokens[place]):
                break
            if tokens[place] not in _EMPTY_WORDS:
                group.append(place)
        group += [
            place
            for place in range(max(at - _REACH, 0), min(at + 2 * _REACH, len(tokens)))
            if tokens[place] in _RATE_WORDS and place not in group
        ]
        groups.append(group)
    return groups


def word_graphs(text: Text) -> Tensor:
    """Return both graphs as [GRAPHS, L, L]: one for an edge, zero elsewhere."""
    size = len(text.tokens)
    graphs = torch.eye(size).repeat(GRAPHS, 1, 1)
    for i, a in zip(text.positions, text.values, strict=True):
        for j, b in zip(text.positions, text.values, strict=True):
            if a >= b:
                graphs[0, i, j] = 1.0
    groups = word_groups(text)
    places: dict[str, set[int]] = {}
    for at, group in zip(text.positions, groups, strict=True):
        for place in group:
            graphs[1, at, place] = graphs[1, place, at] = 1.0
            places.setdefault(stem(text.tokens[place]), set()).add(place)
    question_end = [place for place in range(size) if _WORD.match(text.tokens[place])][-_QUESTION_END:]
    for place in question_end:
        places.setdefault(stem(text.tokens[place]), set()).add(place)
    for same in places.values():
        for i in same:
            for j in same:
                graphs[1, i, j] = 1.0
    return graphs

"""Search: the order of the queries for the forms of a problem, until one flips the answer."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator

from dnc_datasets.attack.transformation import Choice, Space
from dnc_datasets.draws import Draw
from dnc_datasets.errors import UnknownNameError

# Yields choices that a model may answer together, and receives those of them that give a problem. The attack closes
# the generator when one of them flips the answer, or when the budget is used up.
Turns = Generator[list[Choice], list[Choice], None]
Search = Callable[[Space, Draw], Turns]
_BATCH = 8
_BEAM_WIDTH = 4


def full(space: Space, draw: Draw) -> Turns:
    """Yield all combinations, those with few changes first, in drawn order among equals.

    This is the published attack.
    """
    yield from _batches(_by_changes(space, draw))


def greedy(space: Space, draw: Draw) -> Turns:
    """Visit the slots in drawn order: try all choices of a slot and keep the last one."""
    current = space.unchanged
    for slot in draw.shuffled(range(len(space.sizes))):
        if choices := [_with(current, slot, at) for at in range(1, space.sizes[slot])]:
            possible = yield choices
            # No score shows which form is nearest to a flip. The form with the most changes may be.
            current = possible[-1] if possible else current


def beam(space: Space, draw: Draw) -> Turns:
    """Search as `greedy` with several forms at a time, drawn from the forms that were tried."""
    carried = [space.unchanged]
    for slot in draw.shuffled(range(len(space.sizes))):
        tried = [_with(choice, slot, at) for choice in carried for at in range(1, space.sizes[slot])]
        possible: list[Choice] = []
        for batch in _batches(tried):
            possible += yield batch
        carried = draw.shuffled([*possible, *carried])[:_BEAM_WIDTH]


_SEARCHES: dict[str, Search] = {"full": full, "greedy": greedy, "beam": beam}
NAMES = tuple(_SEARCHES)


def get(name: str) -> Search:
    """Return the search called `name`."""
    if name not in _SEARCHES:
        raise UnknownNameError("search", name, _SEARCHES)
    return _SEARCHES[name]


def _with(choice: Choice, slot: int, at: int) -> Choice:
    return (*choice[:slot], at, *choice[slot + 1 :])


def _by_changes(space: Space, draw: Draw) -> Iterator[Choice]:
    """Yield every choice except the unchanged one, by the number of changed slots, without storing them."""
    slots = [slot for slot, size in enumerate(space.sizes) if size > 1]
    for changes in range(1, len(slots) + 1):
        for changed in draw.shuffled(list(itertools.combinations(slots, changes))):
            ranges = [range(1, space.sizes[slot]) for slot in changed]
            for values in itertools.product(*ranges):
                choice = list(space.unchanged)
                for slot, at in zip(changed, values, strict=True):
                    choice[slot] = at
                yield tuple(choice)


def _batches(choices: Iterable[Choice]) -> Iterator[list[Choice]]:
    taken = iter(choices)
    while batch := list(itertools.islice(taken, _BATCH)):
        yield batch

"""Thresholds: numbers that an answer is compared with, drawn alike for both truth values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from dnc_datasets.draws import Draw
from dnc_datasets.perturbations.reasoning.round_numbers import Spans

# The comparison of an answer with a threshold, by the words of the question.
HOLDS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "more than": lambda answer, value: answer > value,
    "greater than": lambda answer, value: answer > value,
    "above": lambda answer, value: answer > value,
    "fewer than": lambda answer, value: answer < value,
    "less than": lambda answer, value: answer < value,
    "below": lambda answer, value: answer < value,
    "at least": lambda answer, value: answer >= value,
    "at most": lambda answer, value: answer <= value,
    "exactly": lambda answer, value: answer == value,
    "other than": lambda answer, value: answer != value,
}
# The words of a question -> the relation of a step, where one step can express it.
RELATIONS = {
    "more than": "higher",
    "greater than": "higher",
    "above": "higher",
    "fewer than": "lower",
    "less than": "lower",
    "below": "lower",
    "exactly": "equal",
    "other than": "not equal",
}
# The published form has at most this number of thresholds a question.
MOST_PUBLISHED = 30
_OFFSETS = (1, 2, 3)
_FACTORS = (2, 3)
_MOST_PLACES = 2


class Threshold(NamedTuple):
    """A comparison in words and the number: "more than", 12."""

    words: str
    value: Fraction


def draw(
    answer: Fraction,
    truth: bool,
    words: Sequence[str],
    draw: Draw,
    *,
    least: int = 2,
    most: int | None = None,
    stated: Fraction | None = None,
    apart: bool = False,
    spans: Spans | None = None,
) -> Threshold | None:
    """Draw a comparison of the answer with the given truth value.

    Return None unless both truth values are possible.

    Half of the thresholds are near (a distance of one to three), and half are far (two or three times the
    answer, or a half or a third of it). No threshold is below `least` or above `most` (a percentage). `spans`
    are thresholds to choose from instead. The choice of words does not depend on the truth value: each
    candidate can express both. `stated` is the answer as the source rounds it, and must compare in the same
    way. `apart` excludes the answer itself, because a time between two years is not exact to the day.
    """
    near, far = (
        [value for value in span if (most is None or value <= most) and not (apart and value == answer)]
        for span in spans or (_near(answer, least), _far(answer, least))
    )
    both = [answer if stated is None else stated, answer]

    def fitting(values: Sequence[Fraction], word: str, wanted: bool) -> list[Fraction]:
        return [value for value in values if {HOLDS[word](one, value) for one in both} == {wanted}]

    for span in [near, far] if draw.integer(0, 1) else [far, near]:
        usable = [word for word in words if fitting(span, word, True) and fitting(span, word, False)]
        if usable:
            word = draw.choice(usable)
            return Threshold(word, draw.choice(fitting(span, word, truth)))
    return None


def further(
    answer: Fraction,
    truth: bool,
    words: Sequence[str],
    draw: Draw,
    first: Threshold,
    rank: int,
    *,
    least: int = 2,
    most: int | None = None,
    stated: Fraction | None = None,
    spans: Spans | None = None,
) -> Threshold | None:
    """Return the threshold of a rank from two to four, each of another kind: near or far, above or below.

    Truth alternates: the first has the truth value `truth`, the second the other one, and so on. Return None
    where no kind remains.
    """
    both = {answer, answer if stated is None else stated}
    kinds: dict[tuple[bool, bool], dict[bool, list[Threshold]]] = {}
    near, far = spans or (_near(answer, least), _far(answer, least))
    for is_near, values in ((True, near), (False, far)):
        for value in values:
            if value in both or (most is not None and value > most):
                continue
            made = kinds.setdefault((is_near, value > answer), {True: [], False: []})
            for word in words:
                held = {HOLDS[word](one, value) for one in both}
                if len(held) == 1 and word != "exactly":
                    made[held.pop()].append(Threshold(word, value))
    usable = [kind for kind, by_truth in kinds.items() if all(by_truth.values())]
    own = [kind for kind in usable if first.value in {one.value for one in kinds[kind][truth]}]
    others = draw.shuffled([kind for kind in usable if kind not in own[:1]])
    if rank > len(others):
        return None
    wanted = truth if rank % 2 == 0 else not truth
    return draw.choice(kinds[others[rank - 1]][wanted])


def published(
    answer: Fraction, words: Sequence[str], draw: Draw, *, stated: Fraction | None = None
) -> list[Threshold]:
    """Return the comparisons of Break, Perturb, Build in a drawn order: two no, then one yes.

    The values are a + k, a - k, a * k and a / k for k from 1 to 3, as absolute integers where the answer is
    an integer. The order starts at a drawn place of the cycle, so that the first comparison has the answer no
    in two of three cases.
    """
    both = {answer, answer if stated is None else stated}
    found = (answer + k for k in (*_OFFSETS, *(-k for k in _OFFSETS)))
    values = [*found, *(answer * k for k in (1, *_FACTORS)), *(answer / k for k in _FACTORS)]
    if answer.denominator == 1:
        values = [Fraction(int(abs(value))) for value in values]
    sayable = [
        value for value in dict.fromkeys(values) if (value * 10**_MOST_PLACES).denominator == 1 and value > 0
    ]
    by_truth: dict[bool, list[Threshold]] = {True: [], False: []}
    for word in words:
        for value in sayable:
            held = {HOLDS[word](one, value) for one in both}
            if len(held) == 1:
                by_truth[held.pop()].append(Threshold(word, value))
    start = draw.integer(0, 2)
    left = {truth: draw.shuffled(some) for truth, some in by_truth.items()}
    ordered: list[Threshold] = []
    while len(ordered) < MOST_PUBLISHED and left[truth := (start + len(ordered)) % 3 == 2]:
        ordered.append(left[truth].pop())
    return ordered


def _near(answer: Fraction, least: int) -> list[Fraction]:
    """Return the answer itself and the values at a distance of one to three."""
    size = Fraction(1) if abs(answer) >= 1 or not answer else Fraction(1, 10)
    found = [answer, *(answer + sign * size * offset for sign in (1, -1) for offset in _OFFSETS)]
    return _sayable(found, answer, least)


def _far(answer: Fraction, least: int) -> list[Fraction]:
    whole = answer.denominator == 1
    found = [answer * factor for factor in _FACTORS]
    found += [Fraction(answer // factor) if whole else answer / factor for factor in _FACTORS]
    return _sayable(found, answer, least)


def _sayable(values: Sequence[Fraction], answer: Fraction, least: int) -> list[Fraction]:
    """Return the values that are natural in a question: few decimals, and not below the smallest plural."""
    scale = 10**_MOST_PLACES
    return [
        value
        for value in dict.fromkeys(values)
        if (value * scale).denominator == 1
        and (value >= least if answer > 0 else value < 0)
        and (answer.denominator > 1 or value.denominator == 1)
    ]

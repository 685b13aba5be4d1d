"""Which of a beam's hypotheses is taken: the likeliest, once it is weighed by what answers problems have.

A decoder that reads slots does not see the numbers, so it may subtract the larger one or share 7 pens among
4 children. What values answers have is learnt from the training problems, trait by trait: how many are
positive, and how many equations use a number once; where all numbers of a problem are whole, also how many
answers are whole and at least one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

# How many training problems have a trait, and how many have it not.
Traits = Mapping[str, tuple[int, int]]


def traits_of(value: Fraction, numbers: Sequence[Fraction], used: Sequence[int]) -> dict[str, bool]:
    """The traits of an answer to a problem with these numbers, of which the equation uses some, by place.

    >>> traits_of(Fraction(7, 4), [Fraction(7), Fraction(4)], [0, 1])
    {'positive': True, 'once': True, 'at_least_one': True, 'whole': False}
    """
    traits = {"positive": value > 0, "once": len(set(used)) == len(used)}
    if all(number.denominator == 1 for number in numbers):
        traits |= {"at_least_one": value >= 1, "whole": value.denominator == 1}
    return traits


def count(answers: Iterable[Mapping[str, bool]]) -> Traits:
    """How often each trait is there and is not, from the traits of the training problems' answers."""
    seen = Counter(trait for answer in answers for trait in answer.items())
    names = sorted({name for name, _ in seen})
    return {name: (seen[name, True], seen[name, False]) for name in names}


def weight(counts: Traits, traits: Mapping[str, bool]) -> float:
    """The logarithm of how common these traits are; a trait never seen is unlikely, but not impossible.

    >>> counts = {"positive": (98, 0)}
    >>> weight(counts, {"positive": True}) > weight(counts, {"positive": False}) > -5
    True
    """
    total = 0.0
    for name, there in traits.items():
        with_it, without = counts.get(name, (0, 0))
        total += math.log(((with_it if there else without) + 1) / (with_it + without + 2))
    return total

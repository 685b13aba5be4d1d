"""Verdicts of a run that stops as soon as every capability is decided.

Repeated looks at the results that stop at the first success find false drops. Two plans keep the error rates:
a few fixed looks that share the significance level, or a bet that allows a look at any time. Templates come
in an order fixed by the seed, and only complete templates count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from dnc_metrics import verdicts
from dnc_metrics.verdicts import ALPHA, MARGIN, OPEN, Sample

# Templates at each look, and the share of the level that each look may spend.
LOOKS = (60, 110, 160, 240)
_DROP_SHARES = (0.15, 0.20, 0.25, 0.40)
_CLEAR_SHARES = (0.0, 0.30, 0.30, 0.40)
# Bets: the stakes on a loss, and the stakes on its absence with their weights.
_DROP_BETS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
_CLEAR_BETS = ((0.1, 0.1), (0.3, 0.15), (0.6, 0.25), (1.0, 0.5))
CAPABILITIES = 4
# With bets, the number of templates between two looks.
STEP = 10


def at_look(
    of: Sample, look: int, margin: float = MARGIN, together: int = CAPABILITIES, *, is_last: bool = False
) -> str:
    """Return the verdict on a capability at a look (0 is the first); OPEN if the run must continue.

    The level of a look is its share of 5 % divided by the capabilities, so that all looks together keep 5 %.
    A run without templates for the later looks spends their shares at its last one.
    """
    end = None if is_last else look + 1
    drop_level, clear_level = (
        ALPHA / together * sum(shares[look:end]) for shares in (_DROP_SHARES, _CLEAR_SHARES)
    )
    clear = verdicts.p_clear(of, margin) < clear_level
    if verdicts.p_drop(of) < drop_level:
        return verdicts.SMALL_DROP if clear else verdicts.DROP
    if verdicts.p_gain(of) < drop_level:
        return verdicts.GAIN
    return verdicts.NO_DROP if clear else OPEN


class Decision(NamedTuple):
    """A verdict, and the number of templates after which it was reached (all, if it is open)."""

    verdict: str
    templates: int


def bet(
    differences: Sequence[float], margin: float = MARGIN, together: int = CAPABILITIES, step: int = STEP
) -> Decision:
    """Return the first verdict on a capability with a look after every `step` templates.

    `differences` are the mean differences of the templates (1: all rows lost), in order. A bet on a drop, one
    on a gain and one against a drop as large as the margin multiply their stakes. If a claim is false, the
    probability that its stake ever exceeds 1 / level is at most `level`.

    >>> bet([0.0] * 240), bet([1.0] * 20)
    (Decision(verdict='no drop above the margin', templates=110), Decision(verdict='drop', templates=20))
    """
    import numpy as np

    values = np.asarray(differences, dtype=float)
    shares = np.asarray(_DROP_BETS)[:, None]
    clear_shares, weights = np.asarray(_CLEAR_BETS).T[:, :, None]
    goal = math.log(together / ALPHA)
    stakes = (
        (verdicts.DROP, np.log1p(shares * values), 1 / len(_DROP_BETS), goal + math.log(2)),
        (verdicts.GAIN, np.log1p(-shares * values), 1 / len(_DROP_BETS), goal + math.log(2)),
        (verdicts.NO_DROP, np.log1p(-clear_shares * (values - margin)), weights, goal),
    )
    won = {
        verdict: np.logaddexp.reduce(logarithms.cumsum(axis=1) + np.log(weight), axis=0) >= needed
        for verdict, logarithms, weight, needed in stakes
    }
    for count in range(step, len(values) + 1, step):
        for verdict, reached in won.items():
            if reached[count - 1]:
                return Decision(verdict, count)
    return Decision(OPEN, len(values))

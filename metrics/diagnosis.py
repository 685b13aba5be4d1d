"""A diagnosis: every capability and perturbation of a table, judged in its family.

Capabilities are one family, the confirmatory perturbations another. Exploratory perturbations, probes, views
of other lines and withheld lines belong to no family. A row that several perturbations share counts once in
its capability.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from dnc_metrics import verdicts
from dnc_metrics.capabilities import PROBE, is_confirmatory, removed_part
from dnc_metrics.paired import Comparison, Pairs, check_levels, comparison, named_pairs
from dnc_metrics.verdicts import ALPHA, MARGIN, Judgement

Outcomes = Mapping[str, bool]  # row id -> correct?


@dataclass(frozen=True)
class Diagnosis:
    """The lines of a table by name."""

    capabilities: dict[str, Comparison]
    perturbations: dict[str, Comparison]


def diagnose(
    original: Outcomes,
    perturbed: Mapping[str, Outcomes],
    capabilities: Mapping[str, str],
    *,
    clusters: Mapping[str, Hashable] | None = None,
    texts: Mapping[str, Mapping[str, str]] | None = None,
    withheld: Mapping[str, str] | None = None,
    margin: float = MARGIN,
    alpha: float = ALPHA,
) -> Diagnosis:
    """Judge perturbations (name -> row id -> correct?) and the capabilities that they test.

    `texts` has a digest of each changed row, which identifies shared rows. `withheld` maps the names of
    perturbations and capabilities that cannot be judged to the reason, which becomes their verdict.
    """
    check_levels(margin, alpha)
    withheld = withheld or {}
    filled = {name: rows for name, rows in perturbed.items() if rows}
    pairs = {name: named_pairs(name, original, rows, clusters) for name, rows in filled.items()}
    keys = _keys_of(filled, texts or {})
    pooled = _pooled(pairs, keys, capabilities)
    tested = {name: some.sample() for name, some in pooled.items() if name != PROBE and name not in withheld}
    judged = verdicts.judge(tested, verdicts.hochberg, margin, alpha)
    by_capability = {}
    for name, some in pooled.items():
        if name == PROBE and name not in withheld:
            by_capability[name] = _probe(name, some, margin, alpha)
            continue
        line = judged.get(name) or Judgement(withheld[name], 1.0, 1.0, 1.0)
        by_capability[name] = comparison(
            some, line, margin=margin, alpha=alpha, together=len(tested) or 1, reason=withheld.get(name, "")
        )
    return Diagnosis(by_capability, _lines(pairs, keys, capabilities, withheld, margin, alpha))


def pooled_pairs(
    original: Outcomes,
    perturbed: Mapping[str, Outcomes],
    capabilities: Mapping[str, str],
    *,
    clusters: Mapping[str, Hashable] | None = None,
    texts: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[str, Pairs]:
    """Return the paired rows of each capability, pooled as in `diagnose`."""
    filled = {name: rows for name, rows in perturbed.items() if rows}
    pairs = {name: named_pairs(name, original, rows, clusters) for name, rows in filled.items()}
    keys = _keys_of(filled, texts or {})
    return _pooled(pairs, keys, capabilities)


def _keys_of(
    perturbed: Mapping[str, Outcomes], texts: Mapping[str, Mapping[str, str]]
) -> dict[str, list[tuple[str, str]]]:
    """Return the keys of the rows of each perturbation; a single one shares no row and needs none."""
    if len(perturbed) < 2:
        return {name: [] for name in perturbed}
    return {name: _keys(name, rows, texts.get(name, {})) for name, rows in perturbed.items()}


def _keys(name: str, rows: Outcomes, texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the key of each changed row: its original and its text, or its perturbation if that is unknown."""
    return [(row, texts.get(row) or f"\t{name}") for row in rows]


def _pooled(
    pairs: Mapping[str, Pairs],
    keys: Mapping[str, Sequence[tuple[str, str]]],
    capabilities: Mapping[str, str],
) -> dict[str, Pairs]:
    """Return the rows of each capability; one that several perturbations share counts once."""
    pooled = {}
    for capability in dict.fromkeys(capabilities[name] for name in pairs):
        names = [name for name in pairs if capabilities[name] == capability]
        pooled[capability] = pairs[names[0]] if len(names) == 1 else _united(names, pairs, keys)
    return pooled


def _united(
    names: Sequence[str], pairs: Mapping[str, Pairs], keys: Mapping[str, Sequence[tuple[str, str]]]
) -> Pairs:
    """Return the distinct rows of several perturbations."""
    rows: dict[tuple[str, str], tuple[int, int, Hashable]] = {}
    for name in names:
        some = pairs[name]
        for key, was, now, group in zip(keys[name], some.before, some.after, some.groups, strict=True):
            rows.setdefault(key, (was, now, group))
    return _pairs(list(rows.values()))


def _pairs(rows: Sequence[tuple[int, int, Hashable]]) -> Pairs:
    return Pairs([was for was, _, _ in rows], [now for _, now, _ in rows], [group for *_, group in rows])


def _lines(
    pairs: Mapping[str, Pairs],
    keys: Mapping[str, Sequence[tuple[str, str]]],
    capabilities: Mapping[str, str],
    withheld: Mapping[str, str],
    margin: float,
    alpha: float,
) -> dict[str, Comparison]:
    views = _views(keys)
    samples = {name: some.sample() for name, some in pairs.items()}
    free = [
        name for name in pairs if name not in withheld and name not in views and capabilities[name] != PROBE
    ]
    many = [name for name in free if samples[name].templates >= verdicts.FEWEST_TEMPLATES]
    family = {name: samples[name] for name in many if is_confirmatory(name)}
    judged = verdicts.judge(family, verdicts.benjamini_hochberg, margin, alpha)
    lines = {}
    for name, some in pairs.items():
        if capabilities[name] == PROBE and name not in withheld:
            lines[name] = _probe(name, some, margin, alpha)
            continue
        line, reason = judged.get(name), ""
        if line is None:
            line = verdicts.explore(samples[name], margin, alpha)
        if name in withheld:
            reason = withheld[name]
            line = line._replace(verdict=reason)
        elif name in views:
            reason = verdicts.SAME_ROWS.format(views[name])
            line = line._replace(verdict=reason)
        elif name not in many:
            line = line._replace(verdict=verdicts.TOO_FEW)
        lines[name] = comparison(
            some, line, margin=margin, alpha=alpha, together=max(1, len(family)), reason=reason
        )
    return lines


def _views(keys: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, str]:
    """Map each view, a line whose rows are all rows of another line, to the line that is judged."""
    sets = {name: frozenset(some) for name, some in keys.items()}
    order = sorted(sets, key=lambda name: (not is_confirmatory(name), -len(sets[name])))
    views: dict[str, str] = {}
    for at, name in enumerate(order):
        owner = next((one for one in order[:at] if one not in views and sets[name] <= sets[one]), None)
        if owner is not None:
            views[name] = owner
    return views


def _probe(name: str, some: Pairs, margin: float, alpha: float) -> Comparison:
    """Return the line of a probe, by the answers that remain correct without the removed part."""
    part = removed_part(name)
    right = _pairs([row for row in zip(*some, strict=True) if row[0]])
    verdict, reason = verdicts.OPEN, "nothing was right before"
    if right.before:
        retained = right.sample()
        is_enough = retained.templates >= verdicts.FEWEST_TEMPLATES
        verdict = verdicts.probe(retained, part, alpha) if is_enough else verdicts.TOO_FEW
        needed = "" if is_enough else f", {verdicts.FEWEST_TEMPLATES} needed"
        low, high = verdicts.retained_share(retained, alpha)
        reason = (
            f"{100 * (1 - retained.drop):.1f} % of its {len(right.before)} right answers stay right without it "
            f"({100 * low:.1f} to {100 * high:.1f}; {retained.templates} templates{needed})"
        )
    alone = verdicts.explore(some.sample(), margin, alpha)
    return comparison(
        some, alone._replace(verdict=verdict), margin=margin, alpha=alpha, together=1, reason=reason
    )

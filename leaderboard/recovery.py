"""Recovery: the gain on perturbed rows of a model that was trained on rows of that perturbation.

A defended model is another system with its own record. It is joined with the model that was trained on the
clean problems by name, and compared with it on the rows that the perturbation changed, which are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dnc_leaderboard.figures import interval, percent, points
from dnc_metrics import paired, verdicts
from dnc_metrics.paired import Comparison, Pairs
from dnc_metrics.record import Cell, Outcome, Record, by_cell

_ATTACK = "attack"
# The verdict on the defended model; shape and words.
_VERDICTS = {
    verdicts.GAIN: "▲ recovers",
    verdicts.DROP: "▼ gets worse",
    verdicts.SMALL_DROP: "▽ gets a little worse",
    verdicts.NO_DROP: "● gets no worse",
    verdicts.POINTS_TO_GAIN: "◇ points to a recovery",
    verdicts.POINTS_TO_DROP: "◇ points to a loss",
}
_OPEN = "○ open"

HEADINGS = ("n", "clean", "attacked", "defended", "gain", "interval", "of the drop", "verdict")


@dataclass(frozen=True)
class Recovery:
    """A perturbation's rows: the clean model on their originals and on them, and the defended model on them.

    Figures are shares from 0 to 1. `gain` is defended minus attacked; its interval is of this line alone.
    """

    system: str
    dataset: str
    perturbation: str
    setting: str  # the setting of the training problems: defense or augment
    n: int
    clean: float | None
    attacked: float
    defended: float
    gain: float
    interval: tuple[float, float]
    verdict: str

    @property
    def of_the_drop(self) -> float | None:
        """Return the recovered share of the drop, or None without a drop."""
        lost = (self.clean or 0.0) - self.attacked
        return self.gain / lost if self.clean is not None and lost > 0 else None

    def texts(self) -> tuple[str, ...]:
        """Return one text per heading."""
        return (
            str(self.n),
            percent(self.clean),
            percent(self.attacked),
            percent(self.defended),
            points(self.gain),
            interval(self.interval),
            "" if self.of_the_drop is None else f"{100 * self.of_the_drop:.0f} %",
            self.verdict,
        )


_Found = tuple[Cell, Sequence[Outcome]]


def recoveries(systems: Sequence[tuple[Record, Sequence[Outcome]]]) -> dict[str, list[Recovery]]:
    """Map each model that was scored undefended and defended, by its undefended name, to its recoveries."""
    if not any(_is_defended(record, cell) for record, _ in systems for cell in record.cells):
        return {}
    attacked: dict[tuple[str, str, str, str, str], _Found] = {}
    defended: dict[str, list[_Found]] = {}
    for record, rows in systems:
        name, own = _undefended(record), by_cell(rows)
        for cell in record.cells:
            found = cell, own.get(cell.key, ())
            if name == record.system.name and (cell.setting == _ATTACK or not cell.perturbation):
                attacked[name, cell.dataset, cell.fold, cell.perturbation, cell.prompt] = found
            elif _is_defended(record, cell):
                defended.setdefault(name, []).append(found)
    by_system = {}
    for name, some in defended.items():
        pairs = []
        for cell, rows in some:
            place = (name, cell.dataset, cell.fold)
            before = attacked.get((*place, cell.perturbation, cell.prompt))
            clean = attacked.get((*place, "", cell.prompt))
            if before is not None:
                pairs.append((cell, clean[1] if clean else (), before[1], rows))
        lines = _judge(name, pairs)
        if lines:
            by_system[name] = lines
    return by_system


_Pair = tuple[Cell, Sequence[Outcome], Sequence[Outcome], Sequence[Outcome]]


def _judge(name: str, pairs: Sequence[_Pair]) -> list[Recovery]:
    """Return the recoveries of one model, judged together."""
    compared = [(pair, rows) for pair in pairs if (rows := _paired_rows(*pair[2:])) is not None]
    samples = {str(at): rows.sample() for at, (_, rows) in enumerate(compared)}
    judged = verdicts.judge(samples, verdicts.benjamini_hochberg)
    return [
        _recovery(name, pair[0], pair[1:], paired.comparison(rows, judged[str(at)], margin=verdicts.MARGIN))
        for at, (pair, rows) in enumerate(compared)
    ]


def _paired_rows(attacked: Sequence[Outcome], defended: Sequence[Outcome]) -> Pairs | None:
    """Return the changed rows that both models answered."""
    after = {row.id: row.right for row in defended if row.perturbed}
    before = {row.id: row.right for row in attacked if row.perturbed and row.id in after}
    clusters = {row.id: row.cluster or row.id for row in attacked}
    return paired.paired(before, {row: after[row] for row in before}, clusters) if before else None


def _is_defended(record: Record, cell: Cell) -> bool:
    """Return whether the model was trained on rows of this config."""
    return bool(cell.perturbation) and cell.config == record.system.trained_on


def _undefended(record: Record) -> str:
    """Return the name of the same model trained on the clean problems."""
    suffix = f"trained on {record.system.trained_on}"
    return record.system.name.replace(f" ({suffix})", "").replace(f"{suffix}, ", "")


def _recovery(name: str, cell: Cell, rows: Sequence[Sequence[Outcome]], comparison: Comparison) -> Recovery:
    clean, attacked, defended = rows
    changed = {row.id for row in attacked if row.perturbed} & {row.id for row in defended if row.perturbed}
    originals = [row.right for row in clean if row.id in changed]
    low, high = comparison.drop_interval
    return Recovery(
        name,
        "-".join(part for part in (cell.dataset, cell.fold) if part),
        cell.perturbation,
        cell.setting,
        comparison.pairs,
        sum(originals) / len(originals) if len(originals) == comparison.pairs else None,
        comparison.original,
        comparison.perturbed,
        -comparison.drop,
        (-high, -low),
        _VERDICTS.get(comparison.verdict, _OPEN),
    )

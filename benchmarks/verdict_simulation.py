"""Error rates and power of verdicts: simulated tables, judged by the project's code.

    python benchmarks/verdict_simulation.py                    # 1,000 tables for each setting
    python benchmarks/verdict_simulation.py --replicates 100   # a quick look
    python benchmarks/verdict_simulation.py --answered-again 0.05 --stopped 0

A row is right with probability `base`. When it is perturbed, it is answered once more with probability 0.2
(or `--answered-again`), and lost with the probability of the true drop. Rows of one template share these
draws (`correlation`). The four capabilities of a table share their originals.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from dnc_metrics import sequential, verdicts
from dnc_metrics.verdicts import DROP, GAIN, NO_DROP, OPEN, RANKING, SMALL_DROP, Sample

CAPABILITIES = 4
ANSWERED_AGAIN = 0.2
FOUND, CLEARED = (DROP, SMALL_DROP), (NO_DROP, SMALL_DROP)


@dataclass(frozen=True)
class Design:
    """Numbers of templates, rows and perturbations, and the correlation of the rows of a template."""

    templates: int
    rows: int = 1
    perturbations: int = 1
    correlation: float = 0.0

    def __str__(self) -> str:
        each = f", {self.perturbations} perturbations each" if self.perturbations > 1 else ""
        alike = f" ({self.correlation:g})" if self.rows > 1 else ""
        return f"{self.templates} x {self.rows}{alike}{each}"


DESIGNS = (
    Design(60, 4, 1, 0.95), Design(122), Design(240),
    Design(60, 4, 2, 0.95), Design(122, 1, 2), Design(240, 1, 2),
    Design(60, 1, 4), Design(240, 1, 4),
)  # fmt: skip
BASES = (0.5, 0.9, 1.0)


def tables(
    design: Design,
    base: float,
    drop: float,
    replicates: int,
    seed: int,
    answered_again: float = ANSWERED_AGAIN,
) -> Iterator[list[Sample]]:
    """Yield tables of four capabilities that share their originals, each with the same true drop."""
    random = np.random.default_rng(seed)
    shape = (design.templates, design.rows)

    def draws(share: float, perturbations: int = 1) -> Any:
        shared = random.random((design.templates, 1, perturbations)) < share
        own = random.random((*shape, perturbations)) < share
        copied = random.random((*shape, perturbations)) < math.sqrt(design.correlation)
        return np.where(copied, shared, own)

    for _ in range(replicates):
        original = draws(base)
        table = []
        for _ in range(CAPABILITIES):
            again, answer = draws(answered_again, design.perturbations), draws(base, design.perturbations)
            lost = draws(drop / base, design.perturbations)
            differences = original.astype(int) - (np.where(again, answer, original) & ~lost)
            table.append(_sample(differences))
        yield table


def _sample(differences: Any) -> Sample:
    sums = differences.sum(axis=(1, 2))
    size = differences.shape[1] * differences.shape[2]
    lost, gained = int((differences > 0).sum()), int((differences < 0).sum())
    return Sample((size,) * len(sums), tuple(map(int, sums)), lost, gained)


def judged(table: list[Sample]) -> list[str]:
    """Return the verdicts of a table's capabilities."""
    lines = verdicts.judge({str(at): one for at, one in enumerate(table)}, verdicts.hochberg)
    return [line.verdict for line in lines.values()]


@dataclass(frozen=True)
class Rates:
    """Shares of tables with an error, and of capabilities that were decided."""

    false_drop: float
    false_clear: float
    found: float
    cleared: float


def rates(
    design: Design, base: float, replicates: int, seed: int = 0, answered_again: float = ANSWERED_AGAIN
) -> Rates:
    """Return error rates and power: true drops of 0, of the margin, and of ten points."""
    none, margin, ten = (
        [judged(table) for table in tables(design, base, drop, replicates, seed, answered_again)]
        for drop in (0.0, verdicts.MARGIN, 0.1)
    )
    return Rates(
        np.mean([any(one in (*FOUND, GAIN) for one in table) for table in none]).item(),
        np.mean([any(one in CLEARED for one in table) for table in margin]).item(),
        np.mean([one in FOUND for table in ten for one in table]).item(),
        np.mean([one == NO_DROP for table in none for one in table]).item(),
    )


def improved(trials: int, seed: int = 0) -> int:
    """Return the number of random tables with a line whose verdict improves when one more row is lost."""
    random = np.random.default_rng(seed)
    count = 0
    for _ in range(trials):
        before, after = [], []
        where = random.integers(CAPABILITIES)
        for line in range(CAPABILITIES):
            size, templates = random.integers(1, 5), random.integers(30, 260)
            chances = random.dirichlet([0.3, 0.3, 8])
            rows = random.choice([1, -1, 0], (templates, size, 1), p=chances)
            before.append(_sample(rows))
            if line == where:
                at = tuple(map(int, random.choice(np.argwhere(rows < 1))))
                rows[at] += 1
            after.append(_sample(rows))
        count += any(
            RANKING.index(now) < RANKING.index(was)
            for was, now in zip(judged(before), judged(after), strict=True)
        )
    return count


@dataclass(frozen=True)
class Stopped:
    """Runs that stop when they are decided: errors by capability, shares decided, and templates used."""

    wrong: float
    decided: float
    templates: float


def stopped(base: float, drop: float, replicates: int, *, any_time: bool = False, seed: int = 0) -> Stopped:
    """Simulate runs of 240 templates with one row, stopped when all four capabilities are decided."""
    results = []
    for table in tables(Design(sequential.LOOKS[-1]), base, drop, replicates, seed):
        results.append(_stop_any_time(table) if any_time else _stop_at_looks(table))
    wrong = [any(_is_wrong(verdict, drop) for verdict in verdict_of) for verdict_of, _ in results]
    decided = [verdict != OPEN for verdict_of, _ in results for verdict in verdict_of]
    return Stopped(
        np.mean(wrong).item(), np.mean(decided).item(), np.mean([used for _, used in results]).item()
    )


def _is_wrong(verdict: str, drop: float) -> bool:
    if verdict in CLEARED and drop >= verdicts.MARGIN:
        return True
    return verdict == GAIN or (verdict in FOUND and drop == 0)


def _stop_at_looks(table: list[Sample]) -> tuple[list[str], int]:
    """Return the verdicts, and the mean number of templates that the capabilities were asked."""
    verdict_of, used = [], 0
    for one in table:
        for look, templates in enumerate(sequential.LOOKS):
            sums = one.sums[:templates]
            lost, gained = sum(s > 0 for s in sums), sum(s < 0 for s in sums)
            verdict = sequential.at_look(Sample(one.sizes[:templates], sums, lost, gained), look)
            if verdict != OPEN:
                break
        verdict_of.append(verdict)
        used += templates
    return verdict_of, used // len(table)


def _stop_any_time(table: list[Sample]) -> tuple[list[str], int]:
    decisions = [sequential.bet(one.sums) for one in table]
    return [one.verdict for one in decisions], sum(one.templates for one in decisions) // len(table)


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--replicates", type=int, default=1000, help="simulate this number of tables per setting"
    )
    parser.add_argument(
        "--answered-again",
        type=float,
        default=ANSWERED_AGAIN,
        help="answer this share of rows once more",
    )
    parser.add_argument("--stopped", type=int, default=5000, help="runs for each setting of stopping early")
    arguments = parser.parse_args()
    error = 100 * math.sqrt(0.05 * 0.95 / arguments.replicates)
    print(f"{arguments.replicates} tables for each setting; Monte Carlo error at 5 %: {error:.1f} points\n")
    print(
        "| templates x rows | base | false drop | false all-clear | 10 points found | no drop, and said so |"
    )
    print("|---|---|---|---|---|---|", flush=True)
    for design, base in product(DESIGNS, BASES):
        one = rates(design, base, arguments.replicates, answered_again=arguments.answered_again)
        shares = " | ".join(
            f"{100 * share:.1f}" for share in (one.false_drop, one.false_clear, one.found, one.cleared)
        )
        print(f"| {design} | {base:g} | {shares} |", flush=True)
    if not arguments.stopped:
        return
    trials = 5 * arguments.replicates
    print(f"\n{improved(trials)} of {trials} random tables have a verdict that improves with a lost row\n")
    print(f"{arguments.stopped} runs for each setting of stopping early\n")
    print("| plan | base | true drop | runs with a wrong verdict | decided | templates of 240 |")
    print("|---|---|---|---|---|---|", flush=True)
    for any_time, base, drop in product((False, True), BASES, (0.0, 0.05, 0.1, 0.2, 0.4)):
        run = stopped(base, drop, arguments.stopped, any_time=any_time)
        plan = "any time" if any_time else "four looks"
        print(
            f"| {plan} | {base:g} | {100 * drop:g} | {100 * run.wrong:.1f} | {100 * run.decided:.1f} | "
            f"{run.templates:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

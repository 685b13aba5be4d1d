"""Measures `dnc report`: 50 systems on 60 variants, and the size of the page of 20 systems.

python benchmarks/report.py [--systems 50] [--variants 60] [--rows 100]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from dnc_datasets.draws import Draw
from dnc_leaderboard import record, report, statistics
from dnc_leaderboard.record import Cell, Outcome, Provenance, Record, System, by_cell

CAPABILITIES = ("number_detection", "value_understanding", "operand_selection", "operation_reasoning")


def system(name: str, variants: int, rows: int) -> tuple[Record, list[Outcome]]:
    """A system of drawn outcomes: one in five perturbed rows is wrong, with texts as long as word problems."""
    cells, outcomes = [], []
    for at in range(variants):
        recipe = f"recipe{at}" if at else ""
        config = f"made-{recipe}-attack" if at else "made"
        capability = CAPABILITIES[at % 4] if at else ""
        right = 0
        for row in range(rows):
            is_right = Draw(0, name, str(row), config).word() % 5 > 0
            right += is_right
            text = f"Row {row} of {config}: Tom has {row} pens and Amy has {at} more than he has. How many is that?"
            shown = (
                {} if is_right else {"text": text, "before": text.replace("more", "fewer"), "gold": str(row)}
            )
            outcomes.append(
                Outcome(
                    f"{config}|direct",
                    str(row),
                    is_right,
                    "right" if is_right else "wrong",
                    str(row + 1),
                    f"So the answer is {row + 1}.",
                    perturbed=bool(at),
                    cluster=str(row // 4),
                    causes=() if is_right else ("unexplained",),
                    **shown,
                )
            )
        cells.append(
            Cell(
                config,
                "made",
                "",
                recipe,
                "attack" if at else "",
                capability,
                "direct",
                "answer_lenient",
                rows,
                rows if at else 0,
                right,
                {"answer_lenient": right / rows},
                {"right": right, "wrong": rows - right},
            )
        )
    tables = statistics.tables(cells, by_cell(outcomes))
    return Record(System(name, "solver"), Provenance("dnc score", "0"), tuple(cells), tables), outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", type=int, default=50)
    parser.add_argument("--variants", type=int, default=60)
    parser.add_argument("--rows", type=int, default=100)
    arguments = parser.parse_args()
    base = system("system 0", arguments.variants, arguments.rows)
    made = [
        (replace(base[0], system=replace(base[0].system, name=f"system {at}")), base[1])
        for at in range(arguments.systems)
    ]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for at, (found, outcomes) in enumerate(made):
            record.write(found, outcomes, folder / f"s{at}")
        began, cpu = time.monotonic(), time.process_time()
        loaded = report.load([folder / f"s{at}" for at in range(arguments.systems)])
        page = report.write(loaded, folder / "report", pictures=False)
        told = {
            "systems": arguments.systems,
            "variants": arguments.variants,
            "rows": arguments.rows,
            "seconds": round(time.monotonic() - began, 2),
            "cpu_seconds": round(time.process_time() - cpu, 2),
            "page_megabytes": round(page.stat().st_size / 1e6, 3),
        }
        some = report.write(loaded[:20], folder / "twenty", pictures=False)
        told["page_of_20_megabytes"] = round(some.stat().st_size / 1e6, 3)
        print(json.dumps(told))


if __name__ == "__main__":
    main()

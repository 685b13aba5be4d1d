"""A diagnosis as Markdown tables.

python -m dnc_leaderboard.markdown results/diagnosis.json
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dnc_datasets.errors import DncError
from dnc_datasets.markup import code, markdown
from dnc_leaderboard import schema
from dnc_leaderboard.figures import HEADINGS, figures
from dnc_leaderboard.schema import Diagnosis, SchemaError, Table

_HEAD = f"| perturbation | {' | '.join(HEADINGS)} |\n|---|{'--:|' * (len(HEADINGS) - 1)}---|"


def text(diagnosis: Diagnosis) -> str:
    """One section per table of the diagnosis; percentages on the rows that each perturbation changed."""
    return "\n\n".join(_section(diagnosis, table) for table in diagnosis.tables) + "\n"


def _section(diagnosis: Diagnosis, table: Table) -> str:
    config = "-".join(filter(None, (table.dataset, table.fold)))
    (original,) = (task for task in diagnosis.tasks if (task.config, task.prompt) == (config, table.prompt))
    scores = ", ".join(f"{markdown(name)} {100 * value:.1f}" for name, value in original.scores.items())
    lines = [
        f"### {markdown(config)}, {markdown(table.setting)}, {markdown(table.prompt)} prompt",
        f"Original, {original.rows} rows, in %: {scores}. Below: {code(table.score)} in % on changed rows.",
        _HEAD,
    ]
    for capability in dict.fromkeys(cell.capability for cell in table.cells):
        lines.append(_line(f"**{markdown(capability)}**", table.capabilities.get(capability)))
        lines += [
            _line(markdown(cell.perturbation), cell.changed)
            for cell in table.cells
            if cell.capability == capability
        ]
    return "\n\n".join(lines[:2]) + "\n\n" + "\n".join(lines[2:])


def _line(name: str, compared: Mapping[str, Any] | None) -> str:
    return f"| {' | '.join((name, *figures(compared)))} |"


def _read(path: Path) -> str:
    try:
        return text(schema.read(path))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, DncError):
            raise
        raise SchemaError(f"{path} is damaged: {error!r}. Run `dnc eval` again") from error


def main(arguments: list[str]) -> int:
    """Print the tables of the files named; returns the exit code."""
    try:
        for path in arguments:
            print(_read(Path(path)))
    except DncError as error:
        print(f"dnc: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

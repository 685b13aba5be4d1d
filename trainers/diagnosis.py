"""A diagnosis: one trained solver under every attack, as a table, as JSON and as a picture of the drops."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dnc_datasets import atomic, markup, outputs, perturbations
from dnc_datasets.serving import catalogue
from dnc_metrics import intervals
from dnc_metrics.robustness import Comparison
from dnc_trainers import tables
from dnc_trainers.protocol import PERTURBED, RIGHT

FILES = ("report.md", "report.json", "drops.png")
_HEADING = "# Diagnosis of"


@dataclass(frozen=True)
class Diagnosis:
    """The clean score and a comparison per attack, on the rows that the attack changes."""

    clean: Mapping[str, Any]
    attacks: dict[str, Comparison]
    groups: Mapping[str, str]

    @property
    def title(self) -> str:
        """What was diagnosed."""
        return f"{self.clean['solver']} on {self.clean['train']}"

    @property
    def clean_interval(self) -> tuple[float, float]:
        """The Wilson interval of the clean accuracy, wider where problems of one group go together."""
        sizes: Counter[str] = Counter()
        right: Counter[str] = Counter()
        for row, outcome in self.clean["outcomes"].items():
            sizes[self.groups.get(row, row)] += 1
            right[self.groups.get(row, row)] += outcome & RIGHT
        total = sum(right.values())
        effect = intervals.design_effect(list(sizes.values()), [right[name] for name in sizes], total)
        return intervals.wilson(total / effect, sum(sizes.values()) / effect)


def diagnose(cells: Sequence[Mapping[str, Any]], groups: Mapping[str, str] | None = None) -> Diagnosis:
    """The diagnosis of one solver from its clean cell and its attacked ones (see `protocol.run`).

    `groups` names what each row belongs to (row id -> name) where rows are not independent.
    """
    clean = next(cell for cell in cells if cell["train"] == cell["test"])
    attacked = {}
    for cell in cells:
        variant = catalogue.find(cell["test"])
        # Rows that an attack leaves as they are can neither be lost nor won; they would only hide the drop.
        changed = {row: outcome for row, outcome in cell["outcomes"].items() if outcome & PERTURBED}
        if variant.setting == "attack" and changed:
            attacked[variant.recipe] = [{**cell, "outcomes": changed}]
    return Diagnosis(clean, tables.compared([clean], attacked, RIGHT, groups), groups or {})


COLUMNS = (
    "perturbation",
    "capability",
    "rows",
    "clean",
    "attacked",
    "drop",
    "95 % interval",
    "relative",
    "verdict",
)


def lines(diagnosis: Diagnosis) -> list[list[str]]:
    """One line per perturbation, under COLUMNS."""
    return [
        [
            name,
            " + ".join(step.capability.value.replace("_", " ") for step in perturbations.recipe(name)),
            str(result.pairs),
            tables.percent(result.original),
            tables.percent(result.perturbed),
            f"{100 * result.drop:.1f}",
            tables.interval(result.drop_interval),
            tables.percent(result.relative_drop),
            result.verdict,
        ]
        for name, result in diagnosis.attacks.items()
    ]


def as_markdown(diagnosis: Diagnosis) -> str:
    """The report as Markdown."""
    clean = diagnosis.clean
    reasons = "".join(
        f"- **{markup.markdown(name)}**: {result.verdict}: {markup.markdown(result.reason)}\n"
        for name, result in diagnosis.attacks.items()
    )
    return (
        f"{_HEADING} {markup.markdown(diagnosis.title)}\n\n"
        f"Trained from scratch on {clean['training_rows']} problems (seed {clean['seed']}, epoch "
        f"{clean['epoch'] + 1} of {clean['epochs']}, chosen on {clean['validation_rows']} validation "
        f"problems; {clean['train_seconds']:.0f} s). Clean accuracy: {tables.percent(clean['accuracy'])} % "
        f"{tables.interval(diagnosis.clean_interval)} on {clean['rows']} test problems.\n\n"
        f"{tables.markdown(COLUMNS, lines(diagnosis))}\n"
        "Clean and attacked accuracy are on the rows that the perturbation changes; a drop is in points. "
        "Intervals hold for all lines together (95 %, over groups of dependent problems, such as those of one "
        "template), and verdicts follow from them.\n\n"
        f"![Drops](drops.png)\n\n{reasons}"
    )


def may_write(folder: Path) -> None:
    """Raise an error where the folder holds files of these names that are not a diagnosis."""
    outputs.folder(folder, FILES[0], FILES[1:])
    outputs.file(folder / FILES[0], lambda line: line.startswith(_HEADING))


def write(diagnosis: Diagnosis, folder: Path) -> list[Path]:
    """Write report.md, report.json and drops.png; returns their paths."""
    may_write(folder)
    record = {
        "title": diagnosis.title,
        "clean": {key: value for key, value in diagnosis.clean.items() if key != "outcomes"},
        "clean_interval": list(diagnosis.clean_interval),
        "attacks": {name: result.as_dict() for name, result in diagnosis.attacks.items()},
    }
    paths = [folder / name for name in FILES]
    atomic.write_text(paths[0], as_markdown(diagnosis))
    atomic.write_text(paths[1], json.dumps(record, indent=1) + "\n")
    atomic.write_bytes(paths[2], picture(diagnosis))
    return paths


def picture(diagnosis: Diagnosis) -> bytes:
    """A PNG of the drops with their intervals."""
    import io

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = list(diagnosis.attacks)
    figure = Figure(figsize=(7, 0.45 * len(names) + 1.4), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for place, name in enumerate(names):
        result = diagnosis.attacks[name]
        low, high = (100 * end for end in result.drop_interval)
        colour = {"drop": "#b2182b", "gain": "#2166ac"}.get(result.verdict, "#878787")
        axes.barh(place, 100 * result.drop, color=colour, height=0.6)
        axes.plot((low, high), (place, place), color="black", linewidth=1.2, marker="|")
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("points of accuracy lost (95 % interval); grey: no drop")
    axes.set_title(diagnosis.title)
    out = io.BytesIO()
    # No date or version in the file: the same diagnosis gives the same bytes.
    canvas.print_png(out, metadata={"Software": None})
    return out.getvalue()

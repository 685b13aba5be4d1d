"""Recomputes published figures, and reports which are confirmed, differ, or are our own.

Usage: python -m dnc_metrics.reproduce.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from dnc_datasets.errors import DncError
from dnc_metrics import corpus_statistics, graphs, path, robustness
from dnc_metrics.capabilities import NUMERICAL, SEMANTIC
from dnc_metrics.errors import MetricError

GRAPHS = "Don-Joey/NoahQA/527399db4c1a0d1439d442f93f3432bfd8b3073c/allennlp.2.7.0/rgnet_zh/edge_roberta.json"
_SVAMP = "arkilpatel/SVAMP/689d7ccac74b9983a2ac7cc3b264f441b99e7c53/data"
_FOLDS = 5
_HALF_CENT = Fraction(1, 200)  # printed figures have two decimals


PUBLISHED, BEFORE = "published", "ours before"


class Figure(NamedTuple):
    """A figure, the published or earlier value, and the value computed here; both as printed.

    `differs` is the reason if it is known to differ from the published one.
    """

    name: str
    expected: str
    measured: str
    origin: str = PUBLISHED
    differs: str = ""

    @property
    def same(self) -> bool:
        """Return whether the values agree to the printed digit."""
        return self.expected == self.measured

    @property
    def as_known(self) -> bool:
        """Return whether the values agree, or differ as expected."""
        return self.same != bool(self.differs)

    @property
    def mark(self) -> str:
        """Return the remark on the printed line."""
        if self.as_known:
            return f"not as published: {self.differs}" if self.differs else f"same as {self.origin}"
        return "DIFFERS" if not self.same else "SAME, though it was known to differ"


def graph_figures(mirror: Path) -> Iterator[Figure]:
    """Yield GEM and DAGsim of the 10,880 released NOAHQA graphs."""
    rows = [json.loads(line) for line in _text(mirror / GRAPHS).splitlines()]
    golds, found = [row["gold_edges"] for row in rows], [row["predict_edges"] for row in rows]
    lowest = graphs.score(golds, found, similarity="identity", ties="lowest")
    highest = graphs.score(golds, found, similarity="identity")
    by_path = graphs.score(golds, found, similarity="identity", weights="path")
    released = graphs.score(golds, found, similarity="identity", released_code=True)
    itself = graphs.score(golds, golds, similarity="identity", released_code=True)
    gem, ordered = f"{100 * lowest['gem']:.2f}", f"{100 * lowest['gem_ordered']:.2f}"
    yield Figure("NOAHQA graphs", "10880", str(len(rows)), BEFORE)
    yield Figure(
        "GEM, set of edges", "59.32", gem, differs="the released graphs, as sets of edges, have more"
    )
    yield Figure("GEM, set of edges", "76.11", gem, BEFORE)
    yield Figure(
        "GEM, list of edges", "59.32", ordered, differs="near: it may be how the paper compared them"
    )
    yield Figure("GEM, list of edges", "59.35", ordered, BEFORE)
    yield Figure("DAGsim, identity, sum, ties to the lowest", "90.1", f"{100 * lowest['dagsim']:.1f}", BEFORE)
    # The 90.1 above had random tie-breaking; this is an upper bound.
    yield Figure(
        "DAGsim, identity, sum, ties to the highest", "90.3", f"{100 * highest['dagsim']:.1f}", BEFORE
    )
    yield Figure(
        "DAGsim, identity, weights of the longer path",
        "79.56",
        f"{100 * by_path['dagsim']:.2f}",
        differs="computed with node texts, which are not released with the graphs",
    )
    yield Figure(
        "DAGsim, identity, published script (mean)", "72.4", f"{100 * released['dagsim']:.1f}", BEFORE
    )
    yield Figure("published script, gold against itself", "77.4", f"{100 * itself['dagsim']:.1f}", BEFORE)


def corpus_figures(mirror: Path) -> Iterator[Figure]:
    """Yield majority baselines, templates and operators of SVAMP, ASDiv-A and MAWPS."""
    published = {
        "SVAMP": (["mawps-asdiv-a_svamp"], "11.7", "26", "1.24"),
        "ASDiv-A": ([f"cv_asdiv-a/fold{fold}" for fold in range(_FOLDS)], "21.2", "19", "1.23"),
        "MAWPS": ([f"cv_mawps/fold{fold}" for fold in range(_FOLDS)], "17.7", "39", "1.78"),
    }
    other = "the paper counts 2,373 problems, the files hold 1,921"
    for name, (folders, share, count, operators) in published.items():
        equations = [
            row["Equation"]
            for folder in folders
            for row in csv.DictReader(_text(mirror / _SVAMP / folder / "dev.csv").splitlines())
        ]
        baseline = corpus_statistics.majority_baseline(equations)
        yield Figure(f"{name}, majority baseline", share, f"{float(100 * baseline.share):.1f}")
        found = str(len(corpus_statistics.templates(equations)))
        mean = f"{float(corpus_statistics.average_operators(equations)):.2f}"
        why = other if name == "MAWPS" else ""
        yield Figure(f"{name}, equation templates", count, found, differs=why)
        yield Figure(f"{name}, operators per equation", operators, mean, differs=why)


def table_figures() -> Iterator[Figure]:
    """Yield the DNC paper's changes recomputed from its printed figures.

    Changes (table 3) and relative changes (table 10) come from the accuracies (table 9), and the averages
    over stages (table 12) from the changes.
    """
    rows = list(csv.DictReader(_text(Path(path("robustness")) / "published.csv").splitlines()))
    system = ("dataset", "model", "target")
    originals = {
        tuple(row[key] for key in system): row["accuracy"] for row in rows if row["setting"] == "original"
    }
    for table, column in ((3, "change"), (10, "relative_change")):
        cells = agreeing = 0
        for row in rows:
            if row["setting"] != "original":
                cells += 1
                before = originals[tuple(row[key] for key in system)]
                agreeing += _agrees(before, row["accuracy"], Fraction(row[column]), relative=table == 10)
        yield Figure(f"DNC paper, table {table}, cells that follow from table 9", str(cells), str(agreeing))
    for average in AVERAGES:
        yield Figure(
            f"DNC paper, table 12, {average.name}", average.printed, average.computed(), differs=average.note
        )


def _agrees(before: str, after: str, printed: Fraction, *, relative: bool) -> bool:
    """Return whether a printed change follows from two printed accuracies, each rounded to its last digit."""
    outcomes = []
    for low in (-_HALF_CENT, _HALF_CENT):
        for high in (-_HALF_CENT, _HALF_CENT):
            change = robustness.change(Fraction(before) + low, Fraction(after) + high)
            share = change.relative if relative else change.absolute
            if share is not None:
                outcomes.append(-100 * share if relative else -share)
    return min(outcomes) - _HALF_CENT <= printed <= max(outcomes) + _HALF_CENT


def _text(file: Path) -> str:
    if not file.is_file():
        raise MetricError(
            f"no file {file}; --mirror names the folder of upstream files as owner/repo/commit/path"
        )
    return file.read_text(encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Print every figure; return 0 if all agree or differ as expected, 1 if not, 2 if a file is missing."""
    parser = argparse.ArgumentParser(prog="python -m dnc_metrics.reproduce", description=__doc__)
    parser.add_argument("--mirror", type=Path, help="folder of upstream files, as owner/repo/commit/path")
    parser.add_argument("--only", choices=("graphs", "corpus", "tables"), help="one group of figures")
    options = parser.parse_args(arguments)
    groups = {
        "graphs": lambda: graph_figures(options.mirror),
        "corpus": lambda: corpus_figures(options.mirror),
        "tables": table_figures,
    }
    wanted = [options.only] if options.only else list(groups)
    if options.mirror is None and wanted != ["tables"]:
        parser.error("--mirror is needed for the graphs and the corpus; --only tables works without")
    same = True
    try:
        for group in wanted:
            for figure in groups[group]():
                same &= figure.as_known
                print(f"{figure.name:<66} {figure.expected:>8} {figure.measured:>8}  {figure.mark}")
    except DncError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0 if same else 1


_PERTURBATIONS = {
    NUMERICAL: ("language", "type", "noise", "distribution"),
    SEMANTIC: ("verbosity", "extra", "logic", "order"),
}
_TRANSFORMERS = ("t5-base", "bart-base", "gpt2")
_ASDIV = ("asdiv_a",)
_ALL = ("asdiv_a", "drop_num", "tatqa_a")


class Average(NamedTuple):
    """A printed average, the cells that it is said to cover, and a note if it does not follow from them."""

    name: str
    printed: str
    kind: str  # drop or recovery
    stages: tuple[str, ...]
    models: tuple[str, ...]  # empty: all
    datasets: tuple[str, ...]
    note: str = ""

    def computed(self) -> str:
        """Return the mean over the printed cells as printed; half a cent is rounded as in the paper."""
        changes = _changes(self)
        mean = sum(changes, Fraction(0)) / len(changes)
        return self.printed if abs(mean - Fraction(self.printed)) <= _HALF_CENT else f"{float(mean):.2f}"


AVERAGES = (
    Average("drop, semantic, all models", "19.66", "drop", (SEMANTIC,), (), _ALL),
    Average("drop, numerical, all models", "13.15", "drop", (NUMERICAL,), (), _ALL),
    Average(
        "drop, semantic, transformers", "17.42", "drop", (SEMANTIC,), (*_TRANSFORMERS, "tagops"), _ALL,
        "it is the numerical mean of T5, BART and GPT2 on ASDiv-a",
    ),
    Average("drop, numerical, T5, BART and GPT2 on ASDiv-a", "17.42", "drop", (NUMERICAL,), _TRANSFORMERS, _ASDIV),
    Average(
        "drop, semantic, Graph2Tree", "3.07", "drop", (SEMANTIC,), ("graph2tree",), _ASDIV,
        "it is Graph2Tree's numerical mean",
    ),
    Average("drop, numerical, Graph2Tree", "3.07", "drop", (NUMERICAL,), ("graph2tree",), _ASDIV),
    Average(
        "recovery, semantic, all models", "17.96", "recovery", (SEMANTIC,), (), _ALL,
        "no set of cells that was tried gives it",
    ),
    Average(
        "recovery, numerical, all models", "6.52", "recovery", (NUMERICAL,), (), _ALL, "it holds on ASDiv-a alone"
    ),
    Average("recovery, numerical, ASDiv-a", "6.52", "recovery", (NUMERICAL,), (), _ASDIV),
    Average(
        "recovery, transformers", "12.53", "recovery", (NUMERICAL, SEMANTIC), (*_TRANSFORMERS, "tagops"), _ALL,
        "no set of cells that was tried gives it",
    ),
    Average(
        "recovery, Graph2Tree", "11.58", "recovery", (NUMERICAL, SEMANTIC), ("graph2tree",), _ASDIV,
        "no set of cells that was tried gives it",
    ),
)  # fmt: skip


def _changes(average: Average) -> list[Fraction]:
    """Return the drops under attack, or the recoveries by a defense, of answers."""
    printed = _printed()
    names = [name for stage in average.stages for name in _PERTURBATIONS[stage]]
    found = []
    for (setting, name, dataset, model), change in printed.items():
        wanted = (not average.models or model in average.models) and dataset in average.datasets
        if setting != "attack" or name not in names or not wanted:
            continue
        if average.kind == "drop":
            found.append(-change)
        elif (defended := printed.get(("defense", name, dataset, model))) is not None:
            found.append(defended - change)
    return found


def _printed() -> Mapping[tuple[str, str, str, str], Fraction]:
    """Map (setting, perturbation, dataset, model) to the printed change of the answers' accuracy."""
    with (Path(path("robustness")) / "published.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["setting"], row["perturbation"], row["dataset"], row["model"]): Fraction(row["change"])
            for row in csv.DictReader(file)
            if row["target"] == "answer" and row["change"]
        }


if __name__ == "__main__":
    sys.exit(main())

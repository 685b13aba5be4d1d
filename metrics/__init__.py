"""DNC's metrics: reading of model output, scoring, and uncertainty.

Plain functions, none of which imports `evaluate`:

    extraction.answer(text)             the number that a model answers, and the rule that read it
    extraction.equation(text)           the equation that it writes, and the rule that read it
    answers.score(prediction, gold)     correct, wrong or not found; answers.accuracy for columns
    equations.score(prediction, gold)   exact, equivalent, executes; equations.accuracy for columns
    drop.score(prediction, references)  DROP's exact match and F1; drop.mean for columns
    graphs.dagsim(gold, predicted)      similarity of two reasoning graphs; graphs.gem: equality
    consistency.score(...)              correct on an original and all of its variants
    robustness.compare(...)             one perturbation: drop, intervals, test, verdict
    robustness.table(...)               several perturbations, corrected for their number
    decompositions.score(...)           a predicted QDMR against the gold one: exact match, SARI, operators
    corpus.majority_baseline(...)       and other statistics of a corpus

Each folder is one metric as a module of the `evaluate` library: `evaluate.load(path("dagsim"))`.
`python -m dnc_metrics.reproduce --mirror DIR` recomputes the published figures.
"""

from __future__ import annotations

from pathlib import Path

from dnc_datasets import plugins
from dnc_datasets.errors import PluginError, UnknownNameError

GROUP = "dnc.metrics"
# Our metrics. A new one needs its folder, its name here, and its cases. An external one needs an entry point
# that names a package whose folder is a module of the `evaluate` library.
MODULES = (
    "answer_accuracy",
    "consistency",
    "dagsim",
    "drop_f1",
    "equation_accuracy",
    "qdmr",
    "robustness",
)

__all__ = ["MODULES", "names", "path"]


def names() -> tuple[str, ...]:
    """Return every metric's name; external ones follow ours."""
    return tuple(dict.fromkeys((*MODULES, *plugins.entry_points(GROUP))))


def path(name: str) -> str:
    """Return the folder of an evaluate module, for `evaluate.load`.

    >>> Path(path("dagsim")).name
    'dagsim'
    """
    if name in MODULES:
        return str(Path(__file__).parent / name)
    if name not in plugins.entry_points(GROUP):
        raise UnknownNameError("metric", name, names())
    module = plugins.load(GROUP, name)
    folder = Path(getattr(module, "__file__", None) or "").parent
    if not (folder / f"{folder.name}.py").is_file():
        raise PluginError(
            f"the entry point {name!r} loads {plugins.entry_points(GROUP)[name].value}; it must name a package "
            "that is a module of the evaluate library: a folder with a file of its own name"
        )
    return str(folder)

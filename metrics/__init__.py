"""DNC's metrics: reading model output, scoring it, and saying how sure we are.

Plain functions, none of which imports `evaluate`:

    extraction.answer(text)             the number a model answers, and the rule that found it
    extraction.equation(text)           the equation it writes, and the rule that found it
    answers.score(prediction, gold)     right, wrong or not found; answers.accuracy for columns
    equations.score(prediction, gold)   exact, equivalent, executes; equations.accuracy for columns
    drop.score(prediction, references)  DROP's exact match and F1; drop.mean for columns
    graphs.dagsim(gold, predicted)      how alike two reasoning graphs are; graphs.gem: the same or not
    consistency.score(...)              right over an original and all that was made of it
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
# Ours; adding a metric is its folder, its name here, and its cases. From outside, an entry point that names a
# package whose folder is a module of the `evaluate` library.
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
    """Every metric's name; what others have added follows ours."""
    return tuple(dict.fromkeys((*MODULES, *plugins.entry_points(GROUP))))


def path(name: str) -> str:
    """The folder of an evaluate module, for `evaluate.load`, wherever the package is installed.

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

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
    corpus.majority_baseline(...)       and other statistics of a corpus

Each folder is one metric as a module of the `evaluate` library: `evaluate.load(path("dagsim"))`.
`python -m dnc_metrics.reproduce --mirror DIR` recomputes the published figures.
"""

from __future__ import annotations

from pathlib import Path

from dnc_datasets.errors import UnknownNameError

MODULES = ("answer_accuracy", "consistency", "dagsim", "drop_f1", "equation_accuracy", "robustness")

__all__ = ["MODULES", "path"]


def path(name: str) -> str:
    """The folder of an evaluate module, for `evaluate.load`, wherever the package is installed.

    >>> Path(path("dagsim")).name
    'dagsim'
    """
    if name not in MODULES:
        raise UnknownNameError("metric", name, MODULES)
    return str(Path(__file__).parent / name)

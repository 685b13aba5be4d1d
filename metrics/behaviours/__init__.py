"""Behaviours: mistakes that a model makes systematically, such as adding all numbers of the text.

Each behaviour is a registered function from a problem to the wrong answers that it predicts.
"""

from dnc_metrics.behaviours import arithmetic, memory, operands, operations
from dnc_metrics.behaviours.case import Case
from dnc_metrics.behaviours.evidence import Reply
from dnc_metrics.behaviours.fit import Fitted, fit
from dnc_metrics.behaviours.memory import MEMORISED
from dnc_metrics.behaviours.registry import Behaviour, behaviour, behaviours

__all__ = [
    "MEMORISED",
    "Behaviour",
    "Case",
    "Fitted",
    "Reply",
    "behaviour",
    "behaviours",
    "fit",
]
del arithmetic, memory, operands, operations

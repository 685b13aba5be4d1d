"""The capabilities that a diagnosis reports, in the order of every table."""

from __future__ import annotations

CAPABILITIES = {
    "number_detection": "Are numbers found however they are written? 12 pens → twelve pens",
    "value_understanding": "Does the model work with other numbers too? 12 pens → 1036 pens",
    "operand_selection": "Are irrelevant numbers left out? 12 pens → 12 (not 87) pens",
    "operation_reasoning": "Does the model follow another question, another order, other words?",
    "probe": "A necessary part is removed. A model that understands the problem fails here.",
}
# A solver that reads slots instead of numbers can neither fail nor pass this one.
VALUES = "value_understanding"
# A drop on a probe is expected.
PROBE = "probe"


# A new confirmatory perturbation needs its name here; its `_plausible` form belongs to it.
CONFIRMATORY = {
    "number_detection": ("language", "type"),
    "value_understanding": ("noise", "distribution"),
    "operand_selection": ("verbosity", "extra"),
    "operation_reasoning": ("logic", "order", "paraphrase", "question_reordering"),
}
_NAMES = frozenset(name for names in CONFIRMATORY.values() for name in names)
_PLAUSIBLE = "_plausible"
# The part of a problem that a probe removes.
REMOVED_PARTS = {
    "no_question": "the question",
    "no_passage": "the passage",
    "no_history": "the conversation",
}


def is_confirmatory(perturbation: str) -> bool:
    """Return whether the perturbation has its own verdict.

    >>> is_confirmatory("noise_plausible"), is_confirmatory("replace_arith"), is_confirmatory("language+type")
    (True, False, False)
    """
    return perturbation.removesuffix(_PLAUSIBLE) in _NAMES


def removed_part(perturbation: str) -> str:
    """Return the part that a probe removes, in words."""
    return REMOVED_PARTS.get(perturbation, "the removed part")


NUMERICAL, SEMANTIC = STAGES = ("numerical parsing", "semantic parsing")
# Capability -> stage; a probe has none.
_STAGE_OF = {
    "number_detection": NUMERICAL,
    "value_understanding": NUMERICAL,
    "operand_selection": SEMANTIC,
    "operation_reasoning": SEMANTIC,
}


def stage(capability: str) -> str:
    """Return the stage of a capability; empty if it has none, or if a composed one has several.

    >>> stage("value_understanding"), stage("number_detection+operand_selection")
    ('numerical parsing', '')
    """
    found = {_STAGE_OF.get(name, "") for name in capability.split("+")}
    return found.pop() if len(found) == 1 else ""


def of_stage(name: str) -> tuple[str, ...]:
    """Return the capabilities of a stage, in order."""
    return tuple(capability for capability, stage_name in _STAGE_OF.items() if stage_name == name)

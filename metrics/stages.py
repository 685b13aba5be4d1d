"""The two stages of the DNC paper: numbers are parsed first, then what is said of them."""

from __future__ import annotations

NUMERICAL, SEMANTIC = STAGES = ("numerical parsing", "semantic parsing")
# Capability -> stage; a probe has none.
_STAGE_OF = {
    "number_detection": NUMERICAL,
    "value_understanding": NUMERICAL,
    "operand_selection": SEMANTIC,
    "operation_reasoning": SEMANTIC,
}


def stage(capability: str) -> str:
    """The stage of a capability; empty where it has none, or where a composed one has several.

    >>> stage("value_understanding"), stage("number_detection+operand_selection")
    ('numerical parsing', '')
    """
    found = {_STAGE_OF.get(name, "") for name in capability.split("+")}
    return found.pop() if len(found) == 1 else ""


def capabilities(name: str) -> tuple[str, ...]:
    """The capabilities of a stage, in their order."""
    return tuple(capability for capability, stage_name in _STAGE_OF.items() if stage_name == name)

"""Errors of the harness: a missing dataset, and a model that stopped answering."""

from __future__ import annotations

from dnc_datasets.errors import DncError


class HarnessError(DncError):
    """Raised for an evaluation that cannot start or continue. The answers received so far are kept."""


class MissingDataError(HarnessError):
    """Raised for a config that no built folder holds. The message names the command that provides it."""

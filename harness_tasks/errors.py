"""Errors of the harness: a dataset that is not here, and a model that stopped answering."""

from __future__ import annotations

from dnc_datasets.errors import DncError


class HarnessError(DncError):
    """An evaluation that cannot start or continue. The answers received so far are kept."""


class MissingDataError(HarnessError):
    """A config that no built folder holds. The message names the command that provides it."""

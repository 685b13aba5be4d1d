"""All errors that DNC raises: one root, and one subclass per thing a caller would handle differently."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class DncError(Exception):
    """Root of all DNC errors. The message states the event, its place, and the remedy."""


class ExpressionError(DncError, ValueError):
    """Text that is not an arithmetic expression we accept, or one that has no value."""


class ProblemError(DncError, ValueError):
    """A problem row that lacks a field or holds one that cannot be read."""


_MOST_NAMED = 40


class UnknownNameError(DncError, KeyError):
    """A dataset, perturbation, setting or config that does not exist. The error lists the nearest names."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        choices = sorted(set(known))
        close = difflib.get_close_matches(name, choices, n=3, cutoff=0.5)
        more = f" and {len(choices) - _MOST_NAMED} more"
        known_ones = ", ".join(choices[:_MOST_NAMED]) + (more if len(choices) > _MOST_NAMED else "")
        hint = f"did you mean {' or '.join(close)}?" if close else f"known: {known_ones}"
        super().__init__(f"unknown {kind} {name!r}; {hint}")

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0])


class PluginError(DncError):
    """Something registered wrongly: a taken name, a promise without a check, or a plug-in that fails."""


class MissingPackageError(DncError, ImportError):
    """A package of an extra that is not installed. The message contains the installation command."""


class CertificateError(DncError):
    """A perturbed row that breaks a promise of its perturbation. It is never written."""

    def __init__(self, message: str, promise: str = "") -> None:
        super().__init__(message)
        self.promise = promise


class SourceError(DncError):
    """An upstream file that is missing, damaged, of another version or in another format."""


class BuildError(DncError):
    """A built folder that cannot be written, read or trusted."""


class OutputError(DncError):
    """A place that a command must not write to: a device, a link, another program's file or process."""

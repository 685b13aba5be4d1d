"""The one place that holds the version."""

__version__ = "0.3.0.dev0"

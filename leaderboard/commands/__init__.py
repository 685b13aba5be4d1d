"""Subcommands of `dnc` that show, compare and publish results."""

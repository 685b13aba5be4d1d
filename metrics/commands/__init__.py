"""Subcommands of `dnc` that describe datasets, build challenge sets and collect judgements."""

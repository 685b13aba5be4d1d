"""The subcommands of `dnc` that concern language models."""

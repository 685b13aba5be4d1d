"""The subcommands of `dnc` that train."""

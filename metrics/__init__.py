"""DNC's metrics."""

"""Rewording: saying the same, or asking something else, in other words or another order."""

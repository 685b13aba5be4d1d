"""Rewording of problems: paraphrases, reordering, and other questions about the same facts."""

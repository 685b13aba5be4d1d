"""Shared parts of the perturbations of reasoning: thresholds, comparisons in words, and rows."""

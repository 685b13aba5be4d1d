"""Shared parts of the perturbations of reasoning: thresholds, comparisons in words, and the rows that they
produce.
"""

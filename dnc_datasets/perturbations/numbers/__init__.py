"""Shared code of number perturbations: amounts, operands, new values and denied numbers."""

"""Readings of tables and their texts that the perturbations share: relations, labels, periods and claims."""

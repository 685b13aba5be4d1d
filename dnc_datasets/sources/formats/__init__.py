"""Formats: what several sources share in reading upstream files."""

"""Formats: readers of upstream files that several sources share."""

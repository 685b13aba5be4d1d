"""Serving: how variants become datasets: the catalogue, rows, builds, cards, checksums and loading."""

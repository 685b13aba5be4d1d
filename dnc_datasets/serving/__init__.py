"""Serving: variants become datasets, with a catalogue, rows, builds, cards, checksums and loading."""

"""A user's own problems: reading their files and records, and perturbing each line."""

"""A user's own problems: their files, what is found in their records, and what becomes of each line."""

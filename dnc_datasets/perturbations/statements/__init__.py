"""Borrowed statements: their selection from other problems and their insertion into a body."""

"""Comparison of a search with another program's hits, or with another run."""

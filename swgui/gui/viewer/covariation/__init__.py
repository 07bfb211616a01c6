"""Covariation: arcs of pairs over an alignment, and their list."""

"""Sequences all against all: pairs with their alignments, clusters with verified properties, splits without leaks."""

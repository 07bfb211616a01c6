"""Sequences all against all: pairs with their alignments, clusters that keep what they promise, parts without leaks."""

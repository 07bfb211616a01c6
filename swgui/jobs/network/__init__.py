"""Sequences all against all: scoring every pair, and aligning those that are kept."""

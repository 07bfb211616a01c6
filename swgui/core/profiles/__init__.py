"""Profiles: queries that stand for a family of sequences."""

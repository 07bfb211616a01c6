"""Profiles: queries that represent a family of sequences."""

"""Hits along the query."""

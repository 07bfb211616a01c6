"""Rounds of a search, and new searches with their hits."""

"""Scores, their ranking, and what is known and noted about hits."""

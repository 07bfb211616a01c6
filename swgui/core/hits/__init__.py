"""Scores, their ranking, and the data and notes about hits."""

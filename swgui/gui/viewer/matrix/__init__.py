"""Dot plot and scoring matrix of the current hit."""

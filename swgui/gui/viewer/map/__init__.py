"""The map of two sequences of any length."""

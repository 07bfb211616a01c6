"""Comparison of results with other programs' hits and other runs."""

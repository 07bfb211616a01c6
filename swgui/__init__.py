"""Exact Smith-Waterman database search on a GPU, by point and click."""

__version__ = "0.1.0"

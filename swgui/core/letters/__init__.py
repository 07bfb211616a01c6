"""Alphabets as data, and sequences that have two letters at every position."""

"""Searches and pairs on disk: finished, unfinished, and what decides them."""

"""A stretch of a sequence with its features, bases, frames, and the places of results on it."""

"""Many subjects on one query."""

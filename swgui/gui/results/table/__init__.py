"""The table of hits."""
